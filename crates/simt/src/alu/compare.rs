//! `setp` and `set` as masks of lanes, `testp`, `selp`, `slct`.

use texunit_isa::{CmpOp, Modifiers, ScalarType as Ty, TestOp};

use super::Alu;
use super::float::flush32;
use super::half::{bf16_to_f32, f16_to_f32};
use super::lanes::{compare, mixed, narrow};

/// One row for each comparison of numbers: with ordered operators a NaN gives false, with `u` ones
/// true; `!(a < b)` and the like say just that.
macro_rules! float_rows {
    ($cmp:expr, $row:ident, $($arg:tt)*) => {
        match $cmp {
            CmpOp::Eq => $row!($($arg)*, |a, b| a == b),
            CmpOp::Ne => $row!($($arg)*, |a, b| (a < b) | (a > b)),
            CmpOp::Lt => $row!($($arg)*, |a, b| a < b),
            CmpOp::Le => $row!($($arg)*, |a, b| a <= b),
            CmpOp::Gt => $row!($($arg)*, |a, b| a > b),
            CmpOp::Ge => $row!($($arg)*, |a, b| a >= b),
            CmpOp::Equ => $row!($($arg)*, |a, b| !((a < b) | (a > b))),
            CmpOp::Neu => $row!($($arg)*, |a, b| a != b),
            CmpOp::Ltu => $row!($($arg)*, |a, b| !(a >= b)),
            CmpOp::Leu => $row!($($arg)*, |a, b| !(a > b)),
            CmpOp::Gtu => $row!($($arg)*, |a, b| !(a <= b)),
            CmpOp::Geu => $row!($($arg)*, |a, b| !(a < b)),
            CmpOp::Num => $row!($($arg)*, |a, b| !a.is_nan() & !b.is_nan()),
            CmpOp::Nan => $row!($($arg)*, |a, b| a.is_nan() | b.is_nan()),
            CmpOp::Lo | CmpOp::Ls | CmpOp::Hi | CmpOp::Hs => None,
        }
    };
}

/// A comparison of values that are read from the slots by `$read`.
macro_rules! one {
    ($variant:ident, $read:expr, |$a:ident, $b:ident| $e:expr) => {
        Some(compare!($variant, |a, b| {
            let ($a, $b) = ($read(a), $read(b));
            $e
        }))
    };
}

/// The same for both halves.
macro_rules! two {
    ($read:expr, |$a:ident, $b:ident| $e:expr) => {
        Some(Alu::ComparePair(|x, y| {
            let (mut low, mut high) = (0u32, 0u32);
            for i in 0..32 {
                let ($a, $b) = ($read(x[i]), $read(y[i]));
                low |= u32::from($e) << i;
                let ($a, $b) = ($read(x[i] >> 16), $read(y[i] >> 16));
                high |= u32::from($e) << i;
            }
            (low, high)
        }))
    };
}

macro_rules! int_rows {
    ($cmp:expr, $variant:ident, $t:ty) => {
        match $cmp {
            CmpOp::Eq => one!($variant, |x| x as $t, |a, b| a == b),
            CmpOp::Ne => one!($variant, |x| x as $t, |a, b| a != b),
            CmpOp::Lt | CmpOp::Lo => one!($variant, |x| x as $t, |a, b| a < b),
            CmpOp::Le | CmpOp::Ls => one!($variant, |x| x as $t, |a, b| a <= b),
            CmpOp::Gt | CmpOp::Hi => one!($variant, |x| x as $t, |a, b| a > b),
            CmpOp::Ge | CmpOp::Hs => one!($variant, |x| x as $t, |a, b| a >= b),
            _ => None,
        }
    };
}

#[inline(always)]
fn flushed(x: u32) -> f32 {
    f32::from_bits(flush32(x))
}

/// A half with subnormals as zero of their sign.
#[inline(always)]
fn f16_flushed(x: u32) -> f32 {
    f16_to_f32(if x & 0x7c00 == 0 { x & 0x8000 } else { x })
}

/// A comparison of two sources of the type.
#[allow(clippy::neg_cmp_op_on_partial_ord)] // What the unordered operators mean.
pub(super) fn select(ty: Ty, cmp: CmpOp, ftz: bool) -> Option<Alu> {
    let unsigned = matches!(cmp, CmpOp::Lo | CmpOp::Ls | CmpOp::Hi | CmpOp::Hs);
    let equality = matches!(cmp, CmpOp::Eq | CmpOp::Ne);
    match ty {
        Ty::S16 | Ty::S32 | Ty::S64 if unsigned => None,
        Ty::B16 | Ty::B32 | Ty::B64 if !equality => None,
        Ty::U16 | Ty::B16 => int_rows!(cmp, CompareNarrow, u16),
        Ty::S16 => int_rows!(cmp, CompareNarrow, i16),
        Ty::U32 | Ty::B32 => int_rows!(cmp, CompareNarrow, u32),
        Ty::S32 => int_rows!(cmp, CompareNarrow, i32),
        Ty::U64 | Ty::B64 => int_rows!(cmp, CompareWide, u64),
        Ty::S64 => int_rows!(cmp, CompareWide, i64),
        Ty::F32 if ftz => float_rows!(cmp, one, CompareNarrow, flushed),
        Ty::F32 => float_rows!(cmp, one, CompareNarrow, f32::from_bits),
        Ty::F64 => float_rows!(cmp, one, CompareWide, f64::from_bits),
        Ty::F16 if ftz => float_rows!(cmp, one, CompareNarrow, f16_flushed),
        Ty::F16 => float_rows!(cmp, one, CompareNarrow, f16_to_f32),
        Ty::Bf16 => float_rows!(cmp, one, CompareNarrow, bf16_to_f32),
        Ty::F16x2 if ftz => float_rows!(cmp, two, f16_flushed),
        Ty::F16x2 => float_rows!(cmp, two, f16_to_f32),
        Ty::Bf16x2 => float_rows!(cmp, two, bf16_to_f32),
        _ => None,
    }
}

#[rustfmt::skip]
pub(super) fn testp(ty: Ty, test: TestOp) -> Option<Alu> {
    macro_rules! rows {
        ($variant:ident, $read:expr) => {
            match test {
                TestOp::Finite => one!($variant, $read, |a, _b| a.is_finite()),
                TestOp::Infinite => one!($variant, $read, |a, _b| a.is_infinite()),
                TestOp::Number => one!($variant, $read, |a, _b| !a.is_nan()),
                TestOp::NotANumber => one!($variant, $read, |a, _b| a.is_nan()),
                // Zero counts as normal (PTX ISA, testp).
                TestOp::Normal => one!($variant, $read, |a, _b| a.is_normal() | (a == 0.0)),
                TestOp::Subnormal => one!($variant, $read, |a, _b| a.is_subnormal()),
            }
        };
    }
    match ty {
        Ty::F32 => rows!(CompareNarrow, f32::from_bits),
        Ty::F64 => rows!(CompareWide, f64::from_bits),
        _ => None,
    }
}

pub(super) fn selp(ty: Ty) -> Option<Alu> {
    macro_rules! pick {
        ($variant:ident) => {
            Some(Alu::$variant(|d, a, b, mask| {
                crate::simd::dispatch(
                    #[inline(always)]
                    || {
                        for i in 0..32 {
                            d[i] = if mask & (1 << i) != 0 { a[i] } else { b[i] };
                        }
                    },
                )
            }))
        };
    }
    match ty.bits() {
        16 | 32 => pick!(SelectNarrow),
        64 => pick!(SelectWide),
        _ => None,
    }
}

/// `c >= 0 ? a : b`. A NaN picks b, -0 picks a; with `.ftz` so does a negative subnormal.
pub(super) fn slct(mods: &Modifiers) -> Option<Alu> {
    let [data, by] = mods.types[..] else {
        return None;
    };
    let (wide, float) = match (data.bits(), by) {
        (16 | 32, Ty::S32) => (false, false),
        (16 | 32, Ty::F32) => (false, true),
        (64, Ty::S32) => (true, false),
        (64, Ty::F32) => (true, true),
        _ => return None,
    };
    Some(match (wide, float, mods.ftz) {
        (false, false, _) => narrow!(|a, b, c| if c as i32 >= 0 { a } else { b }),
        (true, false, _) => mixed!(|a, b, c| if c as i32 >= 0 { a } else { b }),
        (false, true, false) => narrow!(|a, b, c| if f32::from_bits(c) >= 0.0 { a } else { b }),
        (false, true, true) => narrow!(|a, b, c| if flushed(c) >= 0.0 { a } else { b }),
        (true, true, false) => {
            mixed!(|a, b, c| if f32::from_bits(c as u32) >= 0.0 { a } else { b })
        }
        (true, true, true) => mixed!(|a, b, c| if flushed(c as u32) >= 0.0 { a } else { b }),
    })
}
