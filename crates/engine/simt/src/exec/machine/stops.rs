//! The interface between the executor and the stepper of a debugged launch.

use super::super::context::Context;
use super::super::outcome::Resume;
use super::super::warp::{Split, Warp};
use super::stepper::{StepAnswer, StopPoint};
use crate::code::Mark;
use crate::observe::Events;
use std::sync::atomic::Ordering::Relaxed;

impl Context<'_> {
    /// Whether the debugger stops lanes before the instruction of a mark.
    #[cold]
    pub(in super::super) fn stops(
        &mut self,
        warp: &Warp,
        mark: &Mark,
        pc: u32,
        mask: u32,
    ) -> StepAnswer {
        let Some(stepper) = &mut self.debug else { return StepAnswer::Continues };
        if stepper.ends {
            return StepAnswer::Ends;
        }
        if !mark.reports.intersects(Events::STEPS) {
            return StepAnswer::Continues;
        }
        if stepper.stops(warp.index, pc, mask) {
            stepper.passes = true;
            let at = self.launch.code.insts[pc as usize].span.start;
            stepper.stop_point = StopPoint { cta: stepper.cta, warp: warp.index, lanes: mask, at };
            return StepAnswer::Stops;
        }
        if let Some(watch_state) = &stepper.watch_state {
            watch_state.turn.store(stepper.position.turn, Relaxed);
            watch_state.step.store(stepper.position.step, Relaxed);
        }
        stepper.position.step += 1;
        StepAnswer::Continues
    }

    /// Stores the state of a warp's turn in which the debugger has stopped the warp.
    #[cold]
    pub(in super::super) fn stopped(&mut self, resume: Resume) {
        if let Some(stepper) = &mut self.debug {
            stepper.resume = Some(resume);
        }
    }

    /// Removes and returns the state of the turn in which the debugger has stopped the warp.
    #[inline]
    pub(in super::super) fn take_stopped(&mut self) -> Option<Resume> {
        self.debug.as_mut()?.resume.take()
    }

    /// Keeps the position of a faulting thread for inspection.
    pub(in super::super) fn keep_stopped(&mut self, warp: &mut Warp, split: Split) {
        if self.debug.is_some() {
            warp.splits.insert(0, split);
            self.stands(warp, split);
        }
    }

    /// Records the position of a faulting thread as that of the stop.
    pub(in super::super) fn stands(&mut self, warp: &Warp, split: Split) {
        if let Some(stepper) = &mut self.debug {
            let at = self.launch.code.insts.get(split.pc as usize).map_or(0, |i| i.span.start);
            let (cta, lanes) = (stepper.cta, split.mask);
            stepper.stop_point = StopPoint { cta, warp: warp.index, lanes, at };
        }
    }
}
