//! The view of registers and constants that the inner loop reads, and the operations that it
//! executes by calling their functions.

use super::Warp;
use crate::code::{CompareTo, Constants, Op, Slot};
use texunit_alu::{L32, L64, Lanes, Value, logic, lop3};
use texunit_isa::BoolOp;

/// Constants, broadcast to all lanes.
#[derive(Clone, Copy)]
pub(super) struct Spread<'a> {
    pub(super) narrow: &'a [L32],
    pub(super) wide: &'a [L64],
}

/// Readable registers of the running call frame, and constants.
pub(super) struct Window<'a> {
    pub(super) narrow: &'a [L32],
    pub(super) wide: &'a [L64],
    pub(super) predicates: &'a [u32],
    pub(super) constants: Spread<'a>,
}

impl<'a> Window<'a> {
    #[inline(always)]
    pub(super) fn n(&self, slot: Slot) -> &'a L32 {
        let file = if slot.is_constant() { self.constants.narrow } else { self.narrow };
        &file[slot.index()]
    }

    #[inline(always)]
    pub(super) fn w(&self, slot: Slot) -> &'a L64 {
        let file = if slot.is_constant() { self.constants.wide } else { self.wide };
        &file[slot.index()]
    }

    #[inline(always)]
    pub(super) fn p(&self, slot: Slot) -> u32 {
        let value =
            if slot.is_constant() { u32::MAX } else { self.predicates[slot.predicate_index()] };
        if slot.is_negated() { !value } else { value }
    }
}

impl Warp {
    /// A register of either width, or a constant.
    fn source<'a>(&'a self, constants: &'a Constants, slot: Slot) -> Lanes<'a> {
        match slot.is_wide() {
            true => Lanes::Wide(self.w(constants, slot)),
            false => Lanes::Narrow(self.n(constants, slot)),
        }
    }

    fn put_compared(&mut self, to: &CompareTo, p: u32, q: u32, mask: u32) {
        let c = self.p(to.c);
        let combine = |r: u32| match to.op {
            BoolOp::And => r & c,
            BoolOp::Or => r | c,
            BoolOp::Xor => r ^ c,
        };
        self.put_p(to.p, combine(p), mask);
        self.put_p(to.q, combine(q), mask);
    }

    /// Executes an operation by calling its function.
    #[inline(never)]
    pub(super) fn call(&mut self, constants: &Constants, op: &Op, mask: u32) {
        match op {
            Op::Compute { row, d, s } => {
                let mut value = Value::ZERO;
                row.run(s.map(|slot| self.source(constants, slot)), &mut value);
                match row.shape().is_wide() {
                    true => self.put(*d, &value.wide, u64::MAX, mask),
                    false => self.put_n(*d, &value.narrow, mask),
                }
            }
            Op::Lop3 { d, s, table } => {
                let mut narrow = [0; 32];
                let [a, b, c] = s.map(|slot| self.n(constants, slot));
                lop3(&mut narrow, a, b, c, *table);
                self.put_n(*d, &narrow, mask);
            }
            Op::Compare { row, a, b, to } => {
                let mut value = Value::ZERO;
                let [a, b] = [*a, *b].map(|slot| self.source(constants, slot));
                row.run([a, b, b, b], &mut value);
                self.put_compared(to, value.holds, !value.holds, mask);
            }
            Op::ComparePair { row, a, b, to } => {
                let (low, high) = row.run_pair(self.n(constants, *a), self.n(constants, *b));
                self.put_compared(to, low, high, mask);
            }
            Op::Logic { table, d, a, b } => {
                self.put_p(*d, logic(*table, self.p(*a), self.p(*b)), mask);
            }
            // The inner loop executes all other operations without a call.
            _ => {}
        }
    }
}
