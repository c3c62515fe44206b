//! Yields of threads that wait for others in loops.
//!
//! A failed test of an mbarrier, `nanosleep`, a read of `%globaltimer`, and an iteration of a spin
//! loop (`lower::spin`) end the turn of their split, and the turn of the warp if none of its other
//! splits can run. Undetected waiting loops end with the turn of their warp, loops with atomics
//! sooner.

use super::context::Context;
use super::limits::ATOMICS;
use super::outcome::{Flow, Next};
use super::warp::{State, Warp};
use crate::code::Op;

impl Context<'_> {
    /// Executes instructions with which threads wait for others.
    #[inline(never)]
    pub(super) fn meeting(&mut self, warp: &mut Warp, op: &Op, mask: u32) -> Next {
        warp.last_atomic = warp.steps;
        let waits = match op {
            Op::Atomic(atomic) => {
                self.atomic(warp, atomic, mask)?;
                warp.atomics += 1;
                let many = warp.atomics >= ATOMICS;
                warp.atomics %= ATOMICS;
                many
            }
            Op::Mbarrier(op) => self.mbarrier(warp, op, mask)?,
            _ => {
                // A yield counts as a step even if it is not a PTX instruction, so that a turn of
                // yields alone counts as progress.
                warp.steps += 1;
                true
            }
        };
        Ok(if waits { Flow::Yields } else { Flow::Continues })
    }
}

impl Warp {
    /// Called when lanes have yielded. The yield counts for the groups in which other lanes wait
    /// for the yielding ones.
    pub(crate) fn has_yielded(&mut self) {
        for group in self.groups.iter_mut().filter(|group| group.arrived != 0) {
            group.yields = group.yields.saturating_add(1);
        }
    }

    /// Whether all splits that can run consist of lanes of the mask `among`.
    pub(crate) fn only(&self, among: u32) -> bool {
        self.splits.iter().all(|s| s.state != State::Ready || s.mask & !among == 0)
    }
}
