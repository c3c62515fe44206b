//! Uses and definitions of steps: the registers that a step reads and writes, and whether it may
//! exit.

use super::{Access, Action, Routine, Space, Step};
use crate::op::Op;
use crate::operand::{Predicate, Source, VReg};
use std::collections::HashSet;

impl Access {
    /// Whether the access is to a constant offset in a frame.
    pub(crate) fn is_in_frame(&self) -> bool {
        self.space == Space::Frame && self.base.is_none() && matches!(self.size, 1 | 2 | 4 | 8)
    }

    /// Whether the access always succeeds: it goes to a frame or to parameters, and each element
    /// lies in one 4-byte unit or consists of whole units.
    pub(crate) fn is_known(&self) -> bool {
        let powers = self.size.is_power_of_two() && self.count.is_power_of_two();
        let (size, count) = (u64::from(self.size), u64::from(self.count));
        let in_word = self.offset % 4;
        powers
            && self.base.is_none()
            && size <= 8
            && count <= 8
            && match self.space {
                Space::Frame => {
                    self.offset.is_multiple_of(size)
                        && (in_word == 0 || in_word + size * count <= 4)
                }
                Space::Param => true,
                _ => false,
            }
    }
}

impl Step {
    /// Whether the region can exit at the step, so that the region needs an entry after the step.
    pub fn may_exit(&self) -> bool {
        match &self.action {
            Action::Load(load) => !load.access.is_known(),
            Action::Store(store) => store.access.space == Space::Param || !store.access.is_known(),
            Action::Atomic(_) | Action::Sync { .. } | Action::Redux { .. } => true,
            Action::Shuffle(_) | Action::Vote { .. } | Action::Match(_) => true,
            _ => false,
        }
    }

    /// Calls `f` with each register that the step writes.
    pub fn each_written(&self, f: &mut dyn FnMut(VReg)) {
        match &self.action {
            Action::Compute { to, .. } | Action::Vote { to, .. } | Action::ActiveMask { to } => {
                f(*to);
            }
            Action::Compare { to, .. } => {
                to.iter().flatten().for_each(|&p| f(VReg::Predicate(p)));
            }
            Action::Logic { to, .. } => f(VReg::Predicate(*to)),
            Action::Load(load) => load.to.iter().flatten().for_each(|&to| f(to)),
            Action::Atomic(atomic) => atomic.to.into_iter().for_each(f),
            Action::Call(call) => call.to.into_iter().for_each(f),
            Action::Shuffle(shuffle) => {
                shuffle.to.into_iter().for_each(|i| f(VReg::B32(i)));
                shuffle.valid.into_iter().for_each(|i| f(VReg::Predicate(i)));
            }
            Action::Match(of) => {
                of.to.into_iter().for_each(|i| f(VReg::B32(i)));
                of.same.filter(|_| of.all).into_iter().for_each(|i| f(VReg::Predicate(i)));
            }
            Action::Redux { to, .. } => f(VReg::B32(*to)),
            Action::Store(_) | Action::Sync { .. } | Action::Rarely { .. } => {}
            Action::Count { .. } | Action::Issue { .. } | Action::CountZeros(_) => {}
            Action::Nothing => {}
        }
    }

    /// Whether the step writes a register.
    pub(crate) fn writes(&self, vreg: VReg) -> bool {
        written([self]).contains(&vreg)
    }

    /// The operands of a load, store or atomic, and whether it changes memory.
    pub(crate) fn access(&self) -> Option<(&Access, bool)> {
        match &self.action {
            Action::Load(load) => Some((&load.access, false)),
            Action::Store(store) => Some((&store.access, true)),
            Action::Atomic(atomic) => Some((&atomic.access, true)),
            _ => None,
        }
    }

    /// Calls `f` with each source that the step reads.
    pub(crate) fn each_source(&self, f: &mut dyn FnMut(Source)) {
        let access =
            |access: &Access, f: &mut dyn FnMut(Source)| access.base.into_iter().for_each(f);
        match &self.action {
            Action::Load(load) => access(&load.access, f),
            Action::Store(store) => {
                access(&store.access, f);
                store.from.iter().copied().for_each(f);
            }
            Action::Atomic(atomic) => {
                access(&atomic.access, f);
                f(atomic.b);
                atomic.c.into_iter().for_each(f);
            }
            Action::Compute { op, from, .. } => {
                from.iter().take(op.sources()).copied().for_each(f);
            }
            Action::Compare { from, .. } => from.iter().copied().for_each(f),
            Action::Call(call) => {
                call.from.iter().take(call.routine.sources()).copied().for_each(f);
            }
            Action::Shuffle(shuffle) => {
                [shuffle.a, shuffle.b, shuffle.c].into_iter().for_each(&mut *f);
                shuffle.members.into_iter().for_each(f);
            }
            Action::Vote { members, .. } => members.iter().copied().for_each(f),
            Action::Match(of) => [of.of, of.members].into_iter().for_each(f),
            Action::Redux { of, members, .. } => [*of, *members].into_iter().for_each(f),
            Action::Sync { members } => f(*members),
            Action::CountZeros(of) => f(*of),
            Action::Logic { .. } | Action::ActiveMask { .. } | Action::Rarely { .. } => {}
            Action::Count { .. } | Action::Issue { .. } | Action::Nothing => {}
        }
    }

    /// Calls `f` with each register that the step reads, except the predicate of the guard.
    pub(crate) fn each_read(&self, f: &mut dyn FnMut(VReg)) {
        self.each_source(&mut |source| source.vreg().into_iter().for_each(&mut *f));
        let mut asked = |p: Predicate| p.vreg().into_iter().for_each(&mut *f);
        match &self.action {
            Action::Compute { op: Op::Select(p) | Op::SelectWide(p), .. } => asked(*p),
            Action::Compare { with, .. } => asked(with.1),
            Action::Logic { from, .. } => from.iter().copied().for_each(asked),
            Action::Vote { of, .. } | Action::Rarely { of, .. } => asked(*of),
            Action::Count { of, .. } | Action::Issue { of, .. } => {
                of.iter().copied().for_each(asked)
            }
            _ => {}
        }
        // Lanes whose guard is false keep the old value of the destination, which is therefore read
        // too.
        if self.guard != Predicate::Always {
            self.each_written(f);
        }
    }

    /// Whether the step has effects other than writing registers.
    pub(crate) fn has_effects(&self) -> bool {
        match &self.action {
            Action::Store(_) | Action::CountZeros(_) | Action::Rarely { .. } => true,
            Action::Count { .. } | Action::Issue { .. } => true,
            Action::Call(call) => matches!(call.routine, Routine::Notify(_)),
            _ => false,
        }
    }

    /// Calls `f` with each register that the step reads or writes, the guard included.
    pub(crate) fn each_vreg(&self, f: &mut dyn FnMut(VReg)) {
        self.each_read(f);
        self.guard.vreg().into_iter().for_each(&mut *f);
        self.each_written(f);
    }
}

/// The registers that steps write.
pub(crate) fn written<'s>(steps: impl IntoIterator<Item = &'s Step>) -> HashSet<VReg> {
    let mut written = HashSet::new();
    let mut write = |vreg| {
        written.insert(vreg);
    };
    steps.into_iter().for_each(|step| step.each_written(&mut write));
    written
}
