//! The commands `cuda kernel|block|thread|warp|lane`, which select a thread.

use super::Done;
use crate::focus::{coordinates, index_of, shown};
use crate::session::Live;

/// The error for a thread or CTA outside of the launch.
const UNCHANGED: &str = "Request cannot be satisfied. CUDA focus unchanged.";

impl Live<'_, '_> {
    pub(super) fn cuda(&mut self, rest: &str) -> Done {
        if self.frames.is_empty() && self.machine.ctas().is_empty() {
            return Err("Focus not set on any active CUDA kernel.".to_owned());
        }
        let config = self.machine.config();
        let (grid, block) = (config.grid, config.block);
        let (mut cta, mut warp, mut lane) = self.thread;
        let mut words = words(rest).into_iter().peekable();
        let (mut moves, mut lines) = (false, Vec::new());
        while let Some(word) = words.next() {
            let value =
                words.next_if(|next| next.starts_with(|c: char| c == '(' || c.is_ascii_digit()));
            let Some(value) = value else {
                lines.push(match word.as_str() {
                    "kernel" => format!("kernel {}", self.launch),
                    "grid" => format!("grid {}", self.launch + 1),
                    "device" | "sm" => format!("{word} 0"),
                    "block" => format!("block {}", shown(coordinates(cta, grid))),
                    "thread" => {
                        format!("thread {}", shown(coordinates((warp * 32 + lane).into(), block)))
                    }
                    "warp" => format!("warp {warp}"),
                    "lane" => format!("lane {lane}"),
                    word => return Err(format!("Unknown focus \"{word}\".")),
                });
                continue;
            };
            let numbers =
                parsed(&value).ok_or_else(|| format!("Invalid coordinates \"{value}\"."))?;
            moves = true;
            match word.as_str() {
                "block" => cta = index_of(numbers, grid).ok_or(UNCHANGED)?,
                "thread" => {
                    let linear = index_of(numbers, block).ok_or(UNCHANGED)?;
                    (warp, lane) = ((linear / 32) as u32, (linear % 32) as u32);
                }
                "warp" => warp = numbers[0],
                "lane" => lane = numbers[0],
                "kernel" | "grid" | "device" | "sm" => {}
                word => return Err(format!("Unknown focus \"{word}\".")),
            }
        }
        if moves {
            let is_there = lane < 32 && self.machine.live(cta, warp) >> lane & 1 == 1;
            if !is_there {
                let why = match self.machine.ctas().contains(&cta) {
                    true => "the thread has ended, or is not one of the block",
                    false => "the block does not run now",
                };
                return Err(format!("Request cannot be satisfied ({why}). CUDA focus unchanged."));
            }
            self.focus((cta, warp, lane));
            self.told_focus = Some(self.thread);
            let focus = self.focus_text();
            let place = self.place_text(true);
            self.say(&format!("[Switching focus to {focus}]\n{place}"));
        } else if !lines.is_empty() {
            self.say(&(lines.join(", ") + "\n"));
        } else {
            let focus = self.focus_text();
            self.say(&format!("{focus}\n"));
        }
        Ok(())
    }
}

/// Splits at spaces outside parentheses: `(1, 0,0)` is one word.
fn words(text: &str) -> Vec<String> {
    let (mut all, mut word, mut inside) = (Vec::new(), String::new(), false);
    for c in text.chars() {
        match c {
            '(' => inside = true,
            ')' => inside = false,
            c if (c.is_whitespace() || c == ',') && !inside => {
                all.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
                continue;
            }
            c if c.is_whitespace() => continue,
            _ => {}
        }
        word.push(c);
    }
    all.extend((!word.is_empty()).then_some(word));
    all
}

/// Parses the coordinates of a thread or CTA, such as `(1,0,0)`, `1,0` or `5`; omitted ones are 0.
fn parsed(text: &str) -> Option<[u32; 3]> {
    let text = text.trim_start_matches('(').trim_end_matches(')');
    let mut all = [0; 3];
    for (place, part) in all.iter_mut().zip(text.split(',')) {
        *place = part.trim().parse().ok()?;
    }
    Some(all)
}
