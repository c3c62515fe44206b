//! The newer forms of f32 arithmetic: pairs (`.f32x2`) and sources of 16 bits (`add.f32.f16`).

use super::family;
use super::parts::*;
use crate::alu::Row;
use crate::alu::round::{RM, RN, RP, RZ};

/// Families of pairs and of short sources.
pub(super) const FAMILIES: &[&[Row]] = &[
    nearest::<false>(),
    nearest::<true>(),
    directed::<RZ, false>(),
    directed::<RZ, true>(),
    directed::<RM, false>(),
    directed::<RM, true>(),
    directed::<RP, false>(),
    directed::<RP, true>(),
    short::<RN, false>(),
    short::<RN, true>(),
    short::<RZ, false>(),
    short::<RZ, true>(),
    short::<RM, false>(),
    short::<RM, true>(),
    short::<RP, false>(),
    short::<RP, true>(),
];

family! { nearest [const FTZ: bool]
    with |key| key.flag("ftz", FTZ); rows
    b64 {
        ["add.f32x2"] |a, b| both(a, b, b, |a, b, _| a.f_add(b, flushing(FTZ)));
        ["sub.f32x2"] |a, b| both(a, b, b, |a, b, _| a.f_sub(b, flushing(FTZ)));
        ["mul.f32x2"] |a, b| both(a, b, b, |a, b, _| a.f_mul(b, flushing(FTZ)));
        ["fma.f32x2"] |a, b, c| both(a, b, c, |a, b, c| a.f_fma(b, c, flushing(FTZ)));
    }
}

family! { directed [const R: u8, const FTZ: bool]
    with |key| key.rounded(R).flag("ftz", FTZ); rows
    b64 {
        ["add.f32x2"] |a, b| both(a, b, b, |a, b, _| a.f_add_in(b, rounding(R), flushing(FTZ)));
        ["sub.f32x2"] |a, b| both(a, b, b, |a, b, _| a.f_sub_in(b, rounding(R), flushing(FTZ)));
        ["mul.f32x2"] |a, b| both(a, b, b, |a, b, _| a.f_mul_in(b, rounding(R), flushing(FTZ)));
        ["fma.f32x2"] |a, b, c| both(a, b, c, |a, b, c| a.f_fma_in(b, c, rounding(R), flushing(FTZ)));
    }
}

family! { short [const R: u8, const SAT: bool]
    with |key| key.rounded(R).flag("sat", SAT); rows
    b32 {
        ["add.f32.f16"] |a, c| a.f_from_half().f_add_in(c, rounding(R), limiting(SAT));
        ["sub.f32.f16"] |a, c| a.f_from_half().f_sub_in(c, rounding(R), limiting(SAT));
        ["fma.f32.f16"] |a, b, c| a.f_from_half().f_fma_in(b.f_from_half(), c, rounding(R), limiting(SAT));
        ["add.f32.bf16"] |a, c| a.shl(lit(16)).f_add_in(c, rounding(R), limiting(SAT));
        ["sub.f32.bf16"] |a, c| a.shl(lit(16)).f_sub_in(c, rounding(R), limiting(SAT));
        ["fma.f32.bf16"] |a, b, c| a.shl(lit(16)).f_fma_in(b.shl(lit(16)), c, rounding(R), limiting(SAT));
    }
}

/// Both halves of the sources, each through `f`; the first number is in the low half.
#[inline(always)]
fn both<W, V>(a: W, b: W, c: W, f: impl Fn(V, V, V) -> V) -> W
where
    W: B64<Narrow = V>,
    V: B32<Wide = W>,
{
    let high = |x: W| x.shr_u(lit(32)).low();
    let low = f(a.low(), b.low(), c.low()).extend_u();
    low.or(f(high(a), high(b), high(c)).extend_u().shl(lit(32)))
}

#[inline(always)]
const fn limiting(sat: bool) -> Mode {
    Mode { ftz: false, sat }
}
