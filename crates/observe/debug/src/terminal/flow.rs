//! The commands `run`, `continue`, `step` and their relatives, also backwards, `goto` and
//! `last-write`.

use super::Done;
use crate::dwarf::{Shape, TypeId};
use crate::focus::{coordinates, shown};
use crate::module::Frame;
use crate::session::Live;
use crate::session::breaks::number;
use crate::session::run::{Reason, Run};
use crate::session::written::Written;
use crate::value::print::Format;
use crate::value::{Place, Value};
use std::sync::Arc;
use texunit_memory::SpaceKind;
use texunit_simt::debug::Position;

/// Reads a value after the launch has continued.
type Reader<L> = Box<dyn FnOnce(&mut L) -> Option<Value>>;

impl Live<'_, '_> {
    pub(super) fn flows(&mut self, command: &str, rest: &str) -> Done {
        let count = number(rest).unwrap_or(1);
        if command == "continue"
            && count > 1
            && let Some(last) = self.last_hit
            && let Some(breakpoint) = self.session.settings.breakpoint_mut(last)
        {
            breakpoint.ignore = count - 1;
            let ignored = format!("Will ignore next {} crossings", count - 1);
            self.say(&format!("{ignored} of breakpoint {last}.  Continuing.\n"));
        }
        let run = match (command, Run::of(command)) {
            ("run" | "start", _) => return self.runs_again(command == "start"),
            ("finish", _) => return self.finishes(),
            ("until", _) if rest.is_empty() => Run::Until,
            (_, Some(run)) => run,
            _ => Run::Advance(self.locate(rest)?.0),
        };
        if self.frames.is_empty() && !matches!(run, Run::Continue) {
            return Err("The program is not being run.".to_owned());
        }
        let is_step =
            matches!(run, Run::Step | Run::Next | Run::StepInstruction | Run::NextInstruction);
        let mut reason = Reason::Step;
        for _ in 0..if is_step { count } else { 1 } {
            reason = self.forward(&run);
            if !matches!(reason, Reason::Step) {
                break;
            }
        }
        self.stops(reason)
    }

    /// Records the breakpoint that was hit, and reports the stop.
    pub(crate) fn stop(&mut self, reason: Reason) {
        if let Reason::Breakpoint(numbers) = &reason {
            self.last_hit = numbers.first().copied();
        }
        let is_fault = matches!(reason, Reason::Fault(_));
        if std::mem::replace(&mut self.faulted, is_fault) && is_fault {
            // The user has seen the fault already, so the launch ends now.
            self.is_over = true;
            return;
        }
        self.arrive(reason);
    }

    /// The command `run`: executes the launch again from its beginning.
    fn runs_again(&mut self, stops: bool) -> Done {
        let begun = !self.frames.is_empty();
        if begun && self.history.is_on() {
            self.session.settings.breakpoints.iter_mut().for_each(|b| b.hits = 0);
            self.go_to(Position::default());
        }
        let run = if stops || self.begins_stopped { Run::Begin } else { Run::Continue };
        if run == Run::Continue {
            self.frames.clear();
        }
        let reason = self.forward(&run);
        self.stops(reason)
    }

    fn finishes(&mut self) -> Done {
        let Some(frame) = self.frames.get(self.selected).cloned() else {
            return Err("The program is not being run.".to_owned());
        };
        if frame.depth == 0 {
            return Err("\"finish\" not meaningful in the outermost frame.".to_owned());
        }
        let call = self.call_text(self.selected);
        self.say(&format!("Run till exit from #{}  {call} at {}\n", self.selected, frame.place));
        let module = Arc::clone(&self.module);
        let result = module.scopes(&frame).first().and_then(|scope| scope.result);
        let is_real = self.frames[self.selected + 1..].first().is_some_and(|f| f.id != frame.id);
        let returned = if is_real { self.before_return(&frame, result) } else { None };
        let reason = self.forward(&Run::Finish);
        let finished = matches!(reason, Reason::Finish);
        self.stop(reason);
        if let (true, Some(value)) = (finished, returned.and_then(|read| read(self))) {
            self.session.printed.push(value.clone());
            let text = self.text_of(&value, Format::Natural, true);
            let number = self.session.printed.len();
            self.say(&format!("Value returned is ${number} = {text}\n"));
        }
        Ok(())
    }

    /// Prepares to read a function's result after its return, from the function's parameter space.
    fn before_return(&self, frame: &Frame, result: Option<TypeId>) -> Option<Reader<Self>> {
        let (ty, thread) = (result?, self.thread);
        let &(address, _) = self.machine.results(thread, frame.id).first()?;
        Some(Box::new(move |live: &mut Self| {
            live.with_scene_of(thread, None, |scene| {
                let read = scene.in_memory(ty, SpaceKind::Local, address).ok()?;
                Some(Value { place: None, ..read })
            })
        }))
    }

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

    /// The command `last-write`, whose argument is a variable, or what a pointer expression points
    /// to.
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
            return self.done_with(match &place {
                Place::Memory(..) | Place::Texel(..) => {
                    "Nothing of this launch has written it before here.\n"
                }
                Place::Register(..) => "Its thread has not written it before here.\n",
            });
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
