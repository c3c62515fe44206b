//! Emits compute steps, one lane group at a time.

use crate::emit::Emitter;
use crate::emit::backend::Backend;
use crate::emit::register_cache::{Key, Kind, Reg};
use crate::ir::{Action, Space, Step};
use crate::op::Op;
use crate::operand::{Predicate, Source, VReg};

impl<B: Backend> Emitter<'_, B> {
    /// Emits a step for all lanes at once; `None` if its action is emitted one lane group at a
    /// time.
    pub(in crate::emit) fn whole_step(&mut self, step: &Step) -> Option<()> {
        match &step.action {
            Action::Load(load) if load.access.space == Space::Param => self.load_param(step, load),
            Action::Load(load) => self.load_frame(step, load),
            Action::Store(store) => self.store_frame(step, store),
            Action::Call(call) => self.call(step, call),
            Action::ActiveMask { to } => self.active_mask(step, *to),
            Action::Count { counter, of } => {
                self.count(step, *counter, *of);
                Some(())
            }
            Action::Issue { counter, of } => {
                self.issue(step, *counter, *of);
                Some(())
            }
            Action::CountZeros(of) => self.count_zeros(step, *of),
            Action::Rarely { .. } | Action::Nothing => Some(()),
            _ => None,
        }
    }

    /// Emits a compute step for one lane group of 32-bit lanes, or for the two of 64-bit lanes.
    pub(in crate::emit) fn compute_part(
        &mut self,
        (op, to, from): (Op, VReg, [Source; 3]),
        guard: Predicate,
        part: u8,
    ) -> Option<()> {
        match to {
            VReg::B32(_) => {
                let (value, kind) = self.narrow_op(op, from, part)?;
                self.write(Key::of(to, part), value, kind, guard);
            }
            VReg::B64(_) => {
                for part in [2 * part, 2 * part + 1] {
                    let value = self.wide_op(op, from, part)?;
                    self.write(Key::of(to, part), value, Kind::BITS, guard);
                    self.cache.unpin();
                }
            }
            VReg::Predicate(_) => return None,
        }
        Some(())
    }

    /// Emits a step with a 32-bit result for one lane group. Returns the temporary register of the
    /// result, and what is known of it.
    fn narrow_op(&mut self, op: Op, from: [Source; 3], part: u8) -> Option<(Reg, Kind)> {
        match op {
            Op::Float { .. } | Op::Copy | Op::FromU(_) | Op::FromS | Op::ToU(_) | Op::ToS(_) => {
                self.float_op(op, from, part)
            }
            Op::FromHalf | Op::ToHalf(_) | Op::FromDouble(_) | Op::DoubleToS | Op::DoubleToU => {
                self.convert(op, from[0], part)
            }
            Op::Reverse | Op::Bytes => Some((self.bytes_op(op, from, part)?, Kind::BITS)),
            Op::LookUp(_) | Op::Curve(_) | Op::Square => {
                Some((B::function(self, op, from[0], part)?, Kind::BITS))
            }
            _ => Some((self.integer_op(op, from, part)?, Kind::BITS)),
        }
    }

    /// Emits a selection: `from[0]` in lanes in which the predicate is true, else `from[1]`.
    pub(super) fn select(
        &mut self,
        p: Predicate,
        wide: bool,
        from: [Source; 3],
        part: u8,
    ) -> Option<Reg> {
        let (i, first, second) = match p {
            Predicate::If(i) => (i, from[1], from[0]),
            Predicate::Unless(i) => (i, from[0], from[1]),
            Predicate::Always | Predicate::Never => {
                let a = from[usize::from(p == Predicate::Never)];
                let a = if wide { self.wide(a, part)? } else { self.narrow(a, part)? };
                return Some(self.copied(wide, a));
            }
        };
        let (a, b) = if wide {
            (self.wide(first, part)?, self.wide_operand(second, part)?)
        } else {
            (self.narrow(first, part)?, self.narrow_operand(second, part)?)
        };
        let d = self.temporary();
        let mask = self.mask(i, wide, part);
        B::blend(self, wide, (d, a), b, mask);
        Some(d)
    }
}
