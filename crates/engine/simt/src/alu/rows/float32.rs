//! Arithmetic of f32 that the inner loop does not have.
//!
//! Subnormals are numbers unless `.ftz` says to take them, in sources and results, as zeros of
//! their sign. A NaN result of f32 is 0x7fffffff, whatever the NaN that went in; the ISA leaves the
//! payload of `abs` and `neg` open, and they do the same. `.sat` limits a result to [+0, 1], NaN
//! becoming +0.

use super::parts::*;
use super::{family, table};
use crate::alu::Row;
use crate::alu::round::{RM, RP, RZ};

table! { COMPOSED rows
    b32 {
        ["add.ftz.sat.f32"] |a, b| a.f_add(b, FTZ_SAT);
        ["sub.sat.f32"] |a, b| a.f_sub(b, SAT);
        ["sub.ftz.sat.f32"] |a, b| a.f_sub(b, FTZ_SAT);
        ["mul.ftz.sat.f32"] |a, b| a.f_mul(b, FTZ_SAT);
        // mad.f32 is a fused multiply-add from sm_20 on.
        ["fma.rn.ftz.sat.f32", "mad.rn.ftz.sat.f32"] |a, b, c| a.f_fma(b, c, FTZ_SAT);
        ["div.rn.ftz.f32", "div.full.ftz.f32"] |a, b| a.f_div(b, FTZ);
        ["rcp.rn.ftz.f32", "rcp.approx.ftz.f32"] |a| B32::f_div(lit(ONE), a, FTZ);
        ["sqrt.rn.ftz.f32", "sqrt.approx.ftz.f32"] |a| a.f_sqrt(FTZ);
    }
}

/// Families of f32.
pub(super) const FAMILIES: &[&[Row]] = &[
    sums::<RZ, false, false>(),
    sums::<RZ, false, true>(),
    sums::<RZ, true, false>(),
    sums::<RZ, true, true>(),
    sums::<RM, false, false>(),
    sums::<RM, false, true>(),
    sums::<RM, true, false>(),
    sums::<RM, true, true>(),
    sums::<RP, false, false>(),
    sums::<RP, false, true>(),
    sums::<RP, true, false>(),
    sums::<RP, true, true>(),
    quotients::<RZ, false>(),
    quotients::<RZ, true>(),
    quotients::<RM, false>(),
    quotients::<RM, true>(),
    quotients::<RP, false>(),
    quotients::<RP, true>(),
    strict_extremes::<false>(),
    strict_extremes::<true>(),
    extremes::<false, false>(),
    extremes::<false, true>(),
    extremes::<true, false>(),
    extremes::<true, true>(),
];

family! { sums [const R: u8, const FTZ: bool, const SAT: bool]
    with |key| key.rounded(R).flag("ftz", FTZ).flag("sat", SAT); rows
    b32 {
        ["add.f32"] |a, b| a.f_add_in(b, rounding(R), Mode { ftz: FTZ, sat: SAT });
        ["sub.f32"] |a, b| a.f_sub_in(b, rounding(R), Mode { ftz: FTZ, sat: SAT });
        ["mul.f32"] |a, b| a.f_mul_in(b, rounding(R), Mode { ftz: FTZ, sat: SAT });
        ["fma.f32", "mad.f32"] |a, b, c| a.f_fma_in(b, c, rounding(R), Mode { ftz: FTZ, sat: SAT });
    }
}

family! { quotients [const R: u8, const FTZ: bool]
    with |key| key.rounded(R).flag("ftz", FTZ); rows
    b32 {
        ["div.f32"] |a, b| a.f_div_in(b, rounding(R), flushing(FTZ));
        ["rcp.f32"] |a| B32::f_div_in(lit(ONE), a, rounding(R), flushing(FTZ));
        ["sqrt.f32"] |a| a.f_sqrt_in(rounding(R), flushing(FTZ));
    }
}

family! { strict_extremes [const FTZ: bool]
    with |key| key.flag("ftz", FTZ); rows
    b32 {
        ["min.NaN.f32"] |a, b| lesser(true, flushing(FTZ), a, b);
        ["max.NaN.f32"] |a, b| greater(true, flushing(FTZ), a, b);
    }
}

family! { extremes [const FTZ: bool, const NAN: bool]
    with |key| key.flag("ftz", FTZ).flag("NaN", NAN); rows
    b32 {
        // Of the magnitudes, with the exclusive or of the signs.
        ["min.xorsign.abs.f32"] |a, b| with_sign(lesser(NAN, flushing(FTZ), magnitude(a), magnitude(b)), a.xor(b));
        ["max.xorsign.abs.f32"] |a, b| with_sign(greater(NAN, flushing(FTZ), magnitude(a), magnitude(b)), a.xor(b));
        ["min.three.f32"] |a, b, c| {
            let m = flushing(FTZ);
            lesser(NAN, m, lesser(NAN, m, a, b), c)
        };
        ["max.three.f32"] |a, b, c| {
            let m = flushing(FTZ);
            greater(NAN, m, greater(NAN, m, a, b), c)
        };
        ["min.three.abs.f32"] |a, b, c| {
            let m = flushing(FTZ);
            lesser(NAN, m, lesser(NAN, m, magnitude(a), magnitude(b)), magnitude(c))
        };
        ["max.three.abs.f32"] |a, b, c| {
            let m = flushing(FTZ);
            greater(NAN, m, greater(NAN, m, magnitude(a), magnitude(b)), magnitude(c))
        };
    }
}

/// A result with this sign; a NaN stays the canonical one.
#[inline(always)]
fn with_sign<V: B32>(value: V, sign: V) -> V {
    value.when(value.eq(lit(NAN32)), value.or(sign.and(lit(1 << 31))))
}
