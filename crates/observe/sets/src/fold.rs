//! Reductions: operations on numbers in memory whose result does not depend on their order.

use texunit_isa::{AtomOp, ScalarType};
use texunit_simt::observe::AtomicForm;
use texunit_unit::ReduceOp;

/// The operation of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FoldKind {
    /// Wrapping addition.
    Add,
    /// Unsigned minimum.
    MinUnsigned,
    /// Unsigned maximum.
    MaxUnsigned,
    /// Signed minimum.
    MinSigned,
    /// Signed maximum.
    MaxSigned,
    /// Bitwise AND.
    And,
    /// Bitwise OR.
    Or,
    /// Bitwise XOR.
    Xor,
}

/// A reduction of numbers of 4 or 8 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fold {
    /// The reduction operation.
    pub kind: FoldKind,
    /// Whether the numbers have 8 bytes, otherwise 4.
    pub wide: bool,
}

const KINDS: [FoldKind; 8] = [
    FoldKind::Add,
    FoldKind::MinUnsigned,
    FoldKind::MaxUnsigned,
    FoldKind::MinSigned,
    FoldKind::MaxSigned,
    FoldKind::And,
    FoldKind::Or,
    FoldKind::Xor,
];

impl Fold {
    /// The reduction of an atomic; `None` if its result is used or depends on the order.
    pub(crate) fn of_atomic(form: AtomicForm) -> Option<Self> {
        use ScalarType as T;
        let signed = form.ty.is_signed();
        let is_float = matches!(form.ty, T::F16 | T::F16x2 | T::Bf16 | T::Bf16x2 | T::F32 | T::F64);
        let wide = match form.ty.bits() {
            32 => false,
            64 => true,
            _ => return None,
        };
        let kind = match form.op {
            _ if form.is_used || is_float => return None,
            AtomOp::Add => FoldKind::Add,
            AtomOp::Min if signed => FoldKind::MinSigned,
            AtomOp::Min => FoldKind::MinUnsigned,
            AtomOp::Max if signed => FoldKind::MaxSigned,
            AtomOp::Max => FoldKind::MaxUnsigned,
            AtomOp::And => FoldKind::And,
            AtomOp::Or => FoldKind::Or,
            AtomOp::Xor => FoldKind::Xor,
            AtomOp::Inc | AtomOp::Dec | AtomOp::Exch | AtomOp::Cas => return None,
        };
        Some(Self { kind, wide })
    }

    /// The reduction of a surface instruction, of numbers with `size` bytes.
    pub(crate) fn of_surface(op: ReduceOp, signed: bool, size: u32) -> Self {
        let kind = match op {
            ReduceOp::Add => FoldKind::Add,
            ReduceOp::Min if signed => FoldKind::MinSigned,
            ReduceOp::Min => FoldKind::MinUnsigned,
            ReduceOp::Max if signed => FoldKind::MaxSigned,
            ReduceOp::Max => FoldKind::MaxUnsigned,
            ReduceOp::And => FoldKind::And,
            ReduceOp::Or => FoldKind::Or,
        };
        Self { kind, wide: size == 8 }
    }

    /// Bytes of a number.
    pub(crate) fn size(self) -> u32 {
        if self.wide { 8 } else { 4 }
    }

    /// The code of the reduction, from 1 to 16.
    pub(crate) fn code(self) -> u8 {
        1 + 2 * self.kind as u8 + u8::from(self.wide)
    }

    /// The reduction with this code.
    pub(crate) fn from_code(code: u8) -> Option<Self> {
        let at = code.checked_sub(1)?;
        let kind = *KINDS.get(usize::from(at / 2))?;
        Some(Self { kind, wide: at % 2 == 1 })
    }

    /// Combines results: one range has turned `initial` into `own`, other ranges have turned it
    /// into `merged`.
    pub(crate) fn apply(self, initial: u64, merged: u64, own: u64) -> u64 {
        let signed = |n: u64| if self.wide { n as i64 } else { i64::from(n as u32 as i32) };
        let value = match self.kind {
            FoldKind::Add => merged.wrapping_add(own.wrapping_sub(initial)),
            FoldKind::Xor => merged ^ own ^ initial,
            FoldKind::And => merged & own,
            FoldKind::Or => merged | own,
            FoldKind::MinUnsigned => merged.min(own),
            FoldKind::MaxUnsigned => merged.max(own),
            FoldKind::MinSigned if signed(own) < signed(merged) => own,
            FoldKind::MaxSigned if signed(own) > signed(merged) => own,
            FoldKind::MinSigned | FoldKind::MaxSigned => merged,
        };
        if self.wide { value } else { value & u64::from(u32::MAX) }
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

    /// Combining the results of two ranges gives the result of one range that executes all
    /// operations.
    #[test]
    fn two_ranges_are_one() {
        let mut random = texunit_testkit::Random::for_test(24);
        for code in 1..=16 {
            let fold = Fold::from_code(code).unwrap();
            let one = |a: u64, b: u64| {
                let (s, t) = match fold.wide {
                    true => (a as i64, b as i64),
                    false => (i64::from(a as i32), i64::from(b as i32)),
                };
                let value = match fold.kind {
                    FoldKind::Add => a.wrapping_add(b),
                    FoldKind::MinUnsigned => a.min(b),
                    FoldKind::MaxUnsigned => a.max(b),
                    FoldKind::MinSigned => s.min(t) as u64,
                    FoldKind::MaxSigned => s.max(t) as u64,
                    FoldKind::And => a & b,
                    FoldKind::Or => a | b,
                    FoldKind::Xor => a ^ b,
                };
                if fold.wide { value } else { value & 0xffff_ffff }
            };
            for _ in 0..200 {
                let mut number = || match fold.wide {
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
