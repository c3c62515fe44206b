//! Threads that wait for others in loops of their own: they let the others go first.
//!
//! A test of an mbarrier that fails, `nanosleep`, a look at %globaltimer, and a turn of a loop that only
//! looks at memory (`lower::spin`) end the turn of their split; if nothing else of the warp can run, the
//! warp's turn too. Loops that nothing tells from others end with the turns of their warps; those of
//! atomics sooner.

use super::context::Context;
use super::limits::ATOMICS;
use super::outcome::{Flow, PendingFault};
use super::warp::{State, Warp};
use crate::code::Op;

impl Context<'_> {
    /// Instructions with which threads wait for others.
    #[inline(never)]
    pub(super) fn meeting(
        &mut self,
        warp: &mut Warp,
        op: &Op,
        mask: u32,
    ) -> Result<Flow, Box<PendingFault>> {
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
                // A step also where it is no instruction: a turn of nothing else is none without progress.
                warp.steps += 1;
                true
            }
        };
        Ok(if waits { Flow::Yields } else { Flow::Continues })
    }
}

impl Warp {
    /// Lanes have let others go first: those that wait for them in groups have waited longer.
    pub(crate) fn has_yielded(&mut self) {
        for group in self.groups.iter_mut().filter(|group| group.arrived != 0) {
            group.yields = group.yields.saturating_add(1);
        }
    }

    /// Whether all splits that can run are among these lanes.
    pub(crate) fn only(&self, among: u32) -> bool {
        self.splits.iter().all(|s| s.state != State::Ready || s.mask & !among == 0)
    }
}
