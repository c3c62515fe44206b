//! Views of registers and constants for the inner loop: one for reading, and one for functions that
//! write.

use super::each;
use crate::code::{CompareTo, Constants, Op, Slot};
use texunit_alu::{L32, L64, Value};
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

/// Writable registers of the running call frame.
pub(super) struct Lanes<'a> {
    pub(super) narrow: &'a mut [L32],
    pub(super) wide: &'a mut [L64],
    pub(super) predicates: &'a mut [u32],
    pub(super) constants: &'a Constants,
    pub(super) live: u32,
}

impl Lanes<'_> {
    pub(super) fn window(&self) -> Window<'_> {
        Window {
            narrow: self.narrow,
            wide: self.wide,
            predicates: self.predicates,
            constants: Spread { narrow: &self.constants.narrow, wide: &self.constants.wide },
        }
    }

    pub(super) fn n(&self, slot: Slot) -> &L32 {
        self.window().n(slot)
    }

    pub(super) fn w(&self, slot: Slot) -> &L64 {
        self.window().w(slot)
    }

    pub(super) fn p(&self, slot: Slot) -> u32 {
        self.window().p(slot)
    }

    /// A register of either width.
    fn source(&self, slot: Slot) -> texunit_alu::Lanes<'_> {
        use texunit_alu::Lanes::{Narrow, Wide};
        if slot.is_wide() { Wide(self.w(slot)) } else { Narrow(self.n(slot)) }
    }

    pub(super) fn put_n(&mut self, d: Slot, value: &L32, mask: u32) {
        let to = &mut self.narrow[d.index()];
        if mask == self.live { *to = *value } else { each::merge(to, value, mask) }
    }

    pub(super) fn put_w(&mut self, d: Slot, value: &L64, mask: u32) {
        let to = &mut self.wide[d.index()];
        if mask == self.live { *to = *value } else { each::merge(to, value, mask) }
    }

    pub(super) fn put_p(&mut self, d: Slot, value: u32, mask: u32) {
        if !d.is_none() {
            let to = &mut self.predicates[d.predicate_index()];
            *to = (*to & !mask) | (value & mask);
        }
    }

    pub(super) fn put_compared(&mut self, to: &CompareTo, p: u32, q: u32, mask: u32) {
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
    pub(super) fn call(&mut self, op: &Op, mask: u32) {
        match op {
            Op::Compute { row, d, s } => {
                let mut value = Value::ZERO;
                row.run(s.map(|slot| self.source(slot)), &mut value);
                if row.shape().is_wide() {
                    self.put_w(*d, &value.wide, mask);
                } else {
                    self.put_n(*d, &value.narrow, mask);
                }
            }
            Op::Lop3 { f, d, s, table } => {
                let mut narrow = [0; 32];
                f(&mut narrow, self.n(s[0]), self.n(s[1]), self.n(s[2]), *table);
                self.put_n(*d, &narrow, mask);
            }
            Op::Compare { row, a, b, to } => {
                let mut value = Value::ZERO;
                let (a, b) = (self.source(*a), self.source(*b));
                row.run([a, b, b, b], &mut value);
                self.put_compared(to, value.holds, !value.holds, mask);
            }
            Op::ComparePair { row, a, b, to } => {
                let (low, high) = row.run_pair(self.n(*a), self.n(*b));
                self.put_compared(to, low, high, mask);
            }
            Op::Logic { f, d, a, b } => self.put_p(*d, f(self.p(*a), self.p(*b)), mask),
            // The inner loop executes all other operations without a call.
            _ => {}
        }
    }
}
