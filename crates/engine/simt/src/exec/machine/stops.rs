//! What the executor asks the stepper of a launch, and tells it.

use super::super::context::Context;
use super::super::outcome::Resume;
use super::super::warp::{Split, Warp};
use super::stepper::{Stand, StepAnswer};
use crate::observe::Events;
use crate::observe::mark::Mark;
use std::sync::atomic::Ordering::Relaxed;

impl Context<'_> {
    /// Whether a debugger wants lanes to stop before the instruction that a mark tells of.
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
        if !mark.tells.has(Events::STEPS) {
            return StepAnswer::Continues;
        }
        if stepper.stops(warp.index, pc, mask) {
            stepper.passes = true;
            let at = self.launch.code.insts[pc as usize].span.start;
            stepper.stand = Stand { cta: stepper.cta, warp: warp.index, lanes: mask, at };
            return StepAnswer::Stops;
        }
        if let Some(catch) = &stepper.catch {
            catch.turn.store(stepper.position.turn, Relaxed);
            catch.step.store(stepper.position.step, Relaxed);
        }
        stepper.position.step += 1;
        StepAnswer::Continues
    }

    /// A turn has been stopped, and goes on so.
    #[cold]
    pub(in super::super) fn stopped(&mut self, resume: Resume) {
        if let Some(stepper) = &mut self.debug {
            stepper.resume = Some(resume);
        }
    }

    /// The turn that was stopped just now.
    #[inline]
    pub(in super::super) fn take_stopped(&mut self) -> Option<Resume> {
        self.debug.as_mut()?.resume.take()
    }

    /// Keeps where a thread has gone wrong, to be looked at.
    pub(in super::super) fn keep_stopped(&mut self, warp: &mut Warp, split: Split) {
        if self.debug.is_some() {
            warp.splits.insert(0, split);
            self.stands(warp, split);
        }
    }

    /// A thread has gone wrong there.
    pub(in super::super) fn stands(&mut self, warp: &Warp, split: Split) {
        if let Some(stepper) = &mut self.debug {
            let at = self.launch.code.insts.get(split.pc as usize).map_or(0, |i| i.span.start);
            let (cta, lanes) = (stepper.cta, split.mask);
            stepper.stand = Stand { cta, warp: warp.index, lanes, at };
        }
    }
}
