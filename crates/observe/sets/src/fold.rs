//! Reductions: operations on numbers in memory whose result does not depend on their order.

use texunit_isa::{AtomOp, ScalarType};
use texunit_simt::observe::AtomicForm;
use texunit_unit::ReduceOp;

/// A reduction of numbers of 4 or 8 bytes: its code, from 1 to 16. An operation has an odd code for
/// 4 bytes, and the next one for 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fold(pub(crate) u8);

/// The operations in the order of their codes, each with whether it compares signed numbers.
const OPS: [(AtomOp, bool); 8] = [
    (AtomOp::Add, false),
    (AtomOp::Min, false),
    (AtomOp::Max, false),
    (AtomOp::Min, true),
    (AtomOp::Max, true),
    (AtomOp::And, false),
    (AtomOp::Or, false),
    (AtomOp::Xor, false),
];

impl Fold {
    fn new(op: AtomOp, signed: bool, wide: bool) -> Option<Self> {
        let signed = signed && matches!(op, AtomOp::Min | AtomOp::Max);
        let at = OPS.iter().position(|&known| known == (op, signed))?;
        Some(Self(1 + 2 * at as u8 + u8::from(wide)))
    }

    /// The reduction of an atomic; `None` if its result is used or depends on the order.
    pub(crate) fn of_atomic(form: AtomicForm) -> Option<Self> {
        use ScalarType as T;
        let is_float = matches!(form.ty, T::F16 | T::F16x2 | T::Bf16 | T::Bf16x2 | T::F32 | T::F64);
        match form.ty.bits() {
            bits @ (32 | 64) if !form.is_used && !is_float => {
                Self::new(form.op, form.ty.is_signed(), bits == 64)
            }
            _ => None,
        }
    }

    /// The reduction of a surface instruction, of numbers with `size` bytes.
    pub(crate) fn of_surface(op: ReduceOp, signed: bool, size: u32) -> Option<Self> {
        Self::new(AtomOp::from_name(op.name())?, signed, size == 8)
    }

    /// Whether the reduced numbers have 8 bytes; otherwise they have 4.
    pub fn is_wide(self) -> bool {
        self.0.is_multiple_of(2)
    }

    /// Size in bytes of a number that is reduced.
    pub(crate) fn size(self) -> u32 {
        if self.is_wide() { 8 } else { 4 }
    }

    /// The code of the reduction, from 1 to 16.
    pub(crate) fn code(self) -> u8 {
        self.0
    }

    /// The reduction with this code.
    pub(crate) fn from_code(code: u8) -> Option<Self> {
        (1..=2 * OPS.len() as u8).contains(&code).then_some(Self(code))
    }

    /// The operation, and whether it compares signed numbers.
    fn op(self) -> (AtomOp, bool) {
        OPS[usize::from((self.0 - 1) / 2)]
    }

    /// Combines the results of ranges of CTAs: one range has turned the number `initial` into
    /// `own`, other ranges have turned it into `merged`.
    pub(crate) fn apply(self, initial: u64, merged: u64, own: u64) -> u64 {
        let (op, is_signed) = self.op();
        let number = |n: u64| match (is_signed, self.is_wide()) {
            (false, _) => i128::from(n),
            (true, true) => i128::from(n as i64),
            (true, false) => i128::from(n as i32),
        };
        let value = match op {
            AtomOp::Add => merged.wrapping_add(own.wrapping_sub(initial)),
            AtomOp::Xor => merged ^ own ^ initial,
            AtomOp::And => merged & own,
            AtomOp::Or => merged | own,
            AtomOp::Min if number(own) < number(merged) => own,
            AtomOp::Max if number(own) > number(merged) => own,
            _ => merged,
        };
        if self.is_wide() { value } else { value & u64::from(u32::MAX) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_reductions_are_each_others() {
        for code in 1..=16 {
            assert_eq!(Fold::from_code(code).unwrap().code(), code);
        }
        assert_eq!((Fold::from_code(0), Fold::from_code(17)), (None, None));
    }

    /// Combining the results of two ranges of CTAs gives the result of one range that executes
    /// all operations.
    #[test]
    fn two_ranges_are_one() {
        let mut random = texunit_testkit::Random::for_test(24);
        for code in 1..=16 {
            let fold = Fold::from_code(code).unwrap();
            let one = |a: u64, b: u64| {
                let (s, t) = match fold.is_wide() {
                    true => (a as i64, b as i64),
                    false => (i64::from(a as i32), i64::from(b as i32)),
                };
                let value = match fold.op() {
                    (AtomOp::Add, _) => a.wrapping_add(b),
                    (AtomOp::Min, false) => a.min(b),
                    (AtomOp::Max, false) => a.max(b),
                    (AtomOp::Min, true) => s.min(t) as u64,
                    (AtomOp::Max, true) => s.max(t) as u64,
                    (AtomOp::And, _) => a & b,
                    (AtomOp::Or, _) => a | b,
                    _ => a ^ b,
                };
                if fold.is_wide() { value } else { value & 0xffff_ffff }
            };
            for _ in 0..200 {
                let mut number = || match fold.is_wide() {
                    true => random.u64(),
                    false => u64::from(random.u32()),
                };
                let (initial, a, b, c) = (number(), number(), number(), number());
                let all = one(one(one(initial, a), b), c);
                let (first, second) = (one(one(initial, a), b), one(initial, c));
                let merged = fold.apply(initial, fold.apply(initial, initial, first), second);
                assert_eq!(merged, all, "{fold:?} of {initial:#x}: {a:#x}, {b:#x}, {c:#x}");
            }
        }
    }
}
