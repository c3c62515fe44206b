//! The command `lanes`: a value in several threads.

use super::Done;
use crate::focus::{coordinates, shown};
use crate::session::Live;
use crate::value::print::Format;
use std::fmt::Write;
use texunit_unit::lanes;

impl Live<'_, '_> {
    /// Shows a value in all lanes of the warp, or its range over the CTA.
    pub(super) fn lanes(&mut self, rest: &str) -> Done {
        if let Some(expr) = rest.strip_prefix("-cta").map(str::trim) {
            return self.over_cta(expr);
        }
        let expr = self.parsed(rest)?;
        let (cta, warp, _) = self.thread;
        let block = self.machine.config().block;
        let standing = self.machine.lane_positions(cta, warp);
        let here =
            standing.iter().find(|s| s.lanes >> self.thread.2 & 1 == 1).map_or(0, |s| s.lanes);
        let live = self.machine.live(cta, warp);
        let mut out = "  Lane Thread       Value\n".to_owned();
        for lane in lanes(live) {
            let thread = (cta, warp, lane as u32);
            let frames = self.module.frames(self.machine, thread);
            let text = self.with_scene_of(thread, frames.first(), |scene| {
                let value = scene.evaluate(&expr)?;
                let text = |address: u64| scene.text(address);
                Ok(crate::value::print::inner(scene.types, &value, Format::Natural, &text))
            });
            let text = text.unwrap_or_else(|error: String| format!("<{error}>"));
            let mark = if here >> lane & 1 == 1 { '*' } else { ' ' };
            let name = shown(coordinates((warp * 32 + lane as u32).into(), block));
            let _ = writeln!(out, "{mark} {lane:>4} {name:<12} {text}");
        }
        self.done_with(&out)
    }

    fn over_cta(&mut self, text: &str) -> Done {
        let expr = self.parsed(text)?;
        let (cta, ..) = self.thread;
        let block = self.machine.config().block;
        let mut all: Vec<(u32, f64)> = Vec::new();
        for warp in 0..self.machine.warps() {
            for lane in lanes(self.machine.live(cta, warp)) {
                let thread = (cta, warp, lane as u32);
                let frames = self.module.frames(self.machine, thread);
                let value = self.with_scene_of(thread, frames.first(), |scene| {
                    let value = scene.evaluate(&expr).ok()?;
                    value.number(scene.types).map(crate::value::Number::as_float)
                });
                all.extend(value.map(|value| (warp * 32 + lane as u32, value)));
            }
        }
        let name = |n: u32| shown(coordinates(n.into(), block));
        let least = all.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        // `max_by` returns the last of equal values, and the first is wanted.
        let most = all.iter().rev().max_by(|a, b| a.1.total_cmp(&b.1));
        let (Some(least), Some(most)) = (least, most) else {
            return Err(format!("No thread of the CTA has a number for `{text}'."));
        };
        let differs = all.windows(2).find(|pair| pair[0].1.to_bits() != pair[1].1.to_bits());
        let number = |v: f64| crate::value::number::general(v, 17);
        let told = |&(n, value): &(u32, f64)| format!("{} at thread {}", number(value), name(n));
        let threads = texunit_forms::Count(all.len(), "thread");
        let range = format!("min {}, max {}, {threads}", told(least), told(most));
        let differs = differs.map_or("the same in all".to_owned(), |pair| {
            let (thread, now, before) = (name(pair[1].0), number(pair[1].1), number(pair[0].1));
            format!("first differs from its neighbour at thread {thread}: {now}, after {before}")
        });
        self.done_with(&format!("{range}\n{differs}\n"))
    }
}
