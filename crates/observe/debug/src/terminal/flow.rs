//! The commands `run`, `continue`, `step` and their relatives.

use super::Done;
use crate::session::Live;
use crate::session::breaks::number;
use crate::session::run::{Reason, Run};

/// Reads a value after the launch has continued.
type Reader<L> = Box<dyn FnOnce(&mut L) -> Option<crate::value::Value>>;

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

    /// `run`: from the beginning of the launch.
    fn runs_again(&mut self, stops: bool) -> Done {
        let begun = !self.frames.is_empty();
        if begun && self.history.is_on() {
            self.session.settings.breakpoints.iter_mut().for_each(|b| b.hits = 0);
            self.go_to(texunit_simt::debug::Position::default());
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
        let module = std::sync::Arc::clone(&self.module);
        let result = module.scopes(&frame).first().and_then(|scope| scope.result);
        let is_real = self.frames[self.selected + 1..].first().is_some_and(|f| f.id != frame.id);
        let returned = if is_real { self.before_return(&frame, result) } else { None };
        let reason = self.forward(&Run::Finish);
        let finished = matches!(reason, Reason::Finish);
        self.stop(reason);
        if let (true, Some(value)) = (finished, returned.and_then(|read| read(self))) {
            self.session.printed.push(value.clone());
            let text = self.text_of(&value, crate::value::print::Format::Natural, true);
            let number = self.session.printed.len();
            self.say(&format!("Value returned is ${number} = {text}\n"));
        }
        Ok(())
    }

    /// Prepares to read a function's result after its return, from the function's parameter space.
    fn before_return(
        &mut self,
        frame: &crate::module::Frame,
        result: Option<crate::dwarf::TypeId>,
    ) -> Option<Reader<Self>> {
        let ty = result?;
        let places = self.machine.results(self.thread, frame.id);
        let &(address, _) = places.first()?;
        let thread = self.thread;
        Some(Box::new(move |live: &mut Self| {
            live.with_scene_of(thread, None, |scene| {
                let read = scene.in_memory(ty, texunit_memory::SpaceKind::Local, address).ok()?;
                Some(crate::value::Value { place: None, ..read })
            })
        }))
    }
}
