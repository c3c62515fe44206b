//! The commands `reverse-step` and its relatives, `goto` and `last-write`.

use super::Done;
use crate::dwarf::Shape;
use crate::focus::{coordinates, shown};
use crate::session::Live;
use crate::session::breaks::number;
use crate::session::run::{Reason, Run};
use crate::session::written::Written;
use crate::value::Place;

impl Live<'_, '_> {
    pub(super) fn goes_back(&mut self, command: &str, rest: &str) -> Done {
        if command == "last-write" {
            return self.tell_last_write(rest);
        }
        if command == "goto" {
            let number = number(rest).ok_or("Argument required (the number of a step).")?;
            let reason = self.jump(number)?;
            return self.stops(reason);
        }
        if self.frames.is_empty() {
            return Err("The program is not being run.".to_owned());
        }
        let Some(back) = Run::of(command) else { return Ok(()) };
        let count = number(rest).unwrap_or(1);
        let mut reason = self.backward(&back)?;
        for _ in 1..count.min(1_000_000) {
            if !matches!(reason, Reason::Step) {
                break;
            }
            reason = self.backward(&back)?;
        }
        self.stops(reason)
    }

    /// `last-write`: the location is a variable, or what a pointer expression points to.
    fn tell_last_write(&mut self, text: &str) -> Done {
        if text.is_empty() {
            return Err("Argument required (an expression).".to_owned());
        }
        let value = self.referred(text)?;
        // A computed pointer refers to the location that it points to; a pointer variable is a
        // location itself.
        let value = match (&value.place, self.types.shape(value.ty)) {
            (None, Shape::Pointer { .. }) => self.with_scene(|scene| scene.pointed(&value))?,
            _ => value,
        };
        let Some(place) = value.place.clone() else {
            return Err(format!("`{}' is in no place that can be written.", text.trim()));
        };
        let found = self.last_write(&place, value.bytes.len().max(1))?;
        let Some(Written { caught, line: place, before, after }) = found else {
            let what = match &place {
                Place::Memory(..) | Place::Texel(..) => {
                    "Nothing of this launch has written it before here."
                }
                Place::Register(..) => "Its thread has not written it before here.",
            };
            return self.done_with(&format!("{what}\n"));
        };
        let (old, new) = (self.bytes_text(value.ty, &before), self.bytes_text(value.ty, &after));
        let block = self.machine.config().block;
        let thread = shown(coordinates((caught.warp * 32 + caught.lane).into(), block));
        let step = self.step_number(caught.position);
        let at = place.as_ref().map(|at| at.to_string());
        let line = place.and_then(|at| {
            let text = self.module.line(&at, &self.session.settings.folders)?;
            Some(format!("{}\t{text}\n", at.line))
        });
        let text = format!(
            "{}, block {}, thread {thread}: {old} -> {new}, step {step}\n{}",
            at.unwrap_or_default(),
            shown(caught.cta),
            line.unwrap_or_default()
        );
        self.done_with(&text)
    }
}
