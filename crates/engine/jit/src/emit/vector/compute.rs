//! Parts of compute steps.

use crate::emit::Emitter;
use crate::emit::backend::Backend;
use crate::emit::register_cache::{Kind, Reg};
use crate::op::Op;
use crate::operand::{Predicate, Source};

impl<B: Backend> Emitter<'_, B> {
    /// Emits a part of a step with a 32-bit result. Returns the value, in a temporary, and what is
    /// known of it.
    pub(in crate::emit) fn narrow_op(
        &mut self,
        op: Op,
        from: [Source; 3],
        part: u8,
    ) -> Option<(Reg, Kind)> {
        match op {
            Op::Float { .. }
            | Op::Directed { .. }
            | Op::Copy
            | Op::FromU(_)
            | Op::FromS
            | Op::ToU(_)
            | Op::ToS(_) => self.float_op(op, from, part),
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
