//! Barriers that warps with all their lanes come to in lockstep, and the way from one to the next.

use super::members::Members;
use crate::code::{Barrier, NONE, Op, Slot};
use crate::exec::context::Context;
use crate::exec::warp::{Warp, lanes};
use crate::observe::{Events, Synchronized};
use texunit_jit::region::Mode;

/// What becomes of warps that come to a barrier at the same time.
pub(super) enum Arrival {
    /// These are all that there are: they go on.
    Passes,
    /// They wait for others at the barrier of this number.
    Waits(u8),
    /// Nothing has been done: they come one after the other.
    OneByOne,
}

/// Where a group is that has come from a barrier, and has gone on by regions alone.
pub(super) enum Walked {
    /// All wait at the next barrier.
    Waits,
    /// All stand before an instruction, at which they have left a region.
    Stands,
    /// They stand here and there, or no region can be entered where they do.
    Anywhere,
}

impl Context<'_> {
    /// The warps of a group that have come from a barrier together go on by regions from barrier to barrier, as long as
    /// nothing else is to be done.
    pub(super) fn walk(&mut self, warps: &mut [Warp], members: &mut Members) -> Walked {
        loop {
            if !members.have_passed() {
                return Walked::Anywhere;
            }
            let (on, pc) = (members.on, std::mem::replace(&mut members.at, NONE));
            // Where somebody observes, marks are left for on the way.
            if self.launch.observed.is_some() || !self.is_door(pc) {
                self.arrive(Mode::Live, pc, on.count_ones().into());
                return Walked::Anywhere;
            }
            let left = self.enter_each(warps, &mut members.splits, &members.ends, on);
            let inst = left.map(|at| (at, &self.launch.code.insts[at as usize]));
            // The limit of steps is asked for at barriers.
            let may_go_on = members.spent(warps, on) == 0;
            let arrival = match inst {
                Some((at, inst)) if inst.guard == Slot::TRUE && may_go_on => match &inst.op {
                    Op::Barrier(op) => self.barrier_in_step(warps, (on, at), members.threads, op),
                    _ => Arrival::OneByOne,
                },
                _ => Arrival::OneByOne,
            };
            let (Some((at, inst)), Arrival::Passes | Arrival::Waits(_)) = (inst, &arrival) else {
                // What is interpreted now is so from there on.
                self.arrive(Mode::Live, pc, on.count_ones().into());
                if left.is_some() {
                    return Walked::Stands;
                }
                let divided = members.team(warps, on).divided();
                members.part_all(divided, warps);
                return Walked::Anywhere;
            };
            let counted = u64::from(inst.count);
            self.count_passed(warps, on, counted);
            if let Arrival::Waits(barrier) = arrival {
                members.hold_all(barrier, at);
                return Walked::Waits;
            }
            members.pass(on, warps, at);
        }
    }

    /// Counts a barrier that these warps have come to by regions with all their lanes: like these, it is not among what
    /// is interpreted where code may pay.
    fn count_passed(&mut self, warps: &mut [Warp], on: u32, counted: u64) {
        for i in lanes(on) {
            let live = warps[i].live;
            self.counters.executed.count_lanes(&mut warps[i], counted, live);
        }
        self.count_with_regions(counted * u64::from(on.count_ones()));
    }

    /// Warps with all their lanes, so many threads, come to a barrier, which is the instruction `pc`, at the same time.
    #[inline]
    pub(super) fn barrier_in_step(
        &mut self,
        warps: &[Warp],
        (on, pc): (u32, u32),
        threads: u32,
        op: &Barrier,
    ) -> Arrival {
        let Some(id) = op.plain(&self.launch.constants) else { return Arrival::OneByOne };
        let state = self.cta.barriers[usize::from(id)];
        if state.arrived != 0 && state.expected != 0 {
            return Arrival::OneByOne;
        }
        let arrived = state.arrived;
        let passes = arrived == 0 && threads == self.cta.live;
        if self.events.has(Events::SYNCHRONIZATION) {
            let arrives = Synchronized::Arrives {
                barrier: id.into(),
                threads: None,
                waits: true,
                ahead: false,
            };
            self.tell_each(warps, (on, pc), &arrives);
            if passes {
                self.tell_each(warps, (on, pc), &Synchronized::Passes { barrier: id.into() });
            }
        }
        if passes {
            return Arrival::Passes;
        }
        let state = &mut self.cta.barriers[usize::from(id)];
        self.cta.has_barriers = true;
        state.expected = 0;
        state.arrived += threads;
        self.cta.completed |= state.arrived >= self.cta.live;
        Arrival::Waits(id)
    }

    /// Tells of each of these warps that all its lanes have done something at an instruction.
    #[cold]
    fn tell_each(&mut self, warps: &[Warp], (on, pc): (u32, u32), what: &Synchronized<'_>) {
        for i in lanes(on) {
            let at = self.at(&warps[i], warps[i].live, pc);
            self.tell_synchronized(at, what);
        }
    }
}
