//! Arithmetic of f32 that is not in the inner loop.
//!
//! Subnormals are numbers, unless `.ftz` replaces them, in sources and results, by zeros of their
//! sign. A NaN result of f32 is always 0x7fffffff, also of `abs` and `neg`, whose payload the ISA
//! leaves open. `.sat` limits a result to [+0, 1], and a NaN becomes +0.

use super::parts::*;
use super::{DIRECTED, family, table};
use crate::mode::{ftz, nan, sat, variants};
use crate::row::Row;
use texunit_jit::Rounding::Near;

table! { COMPOSED rows
    b32 {
        ["add.ftz.sat.f32"] |a, b| a.f_add(b, FTZ_SAT);
        ["sub.sat.f32"] |a, b| a.f_sub(b, SAT);
        ["sub.ftz.sat.f32"] |a, b| a.f_sub(b, FTZ_SAT);
        ["mul.ftz.sat.f32"] |a, b| a.f_mul(b, FTZ_SAT);
        // mad.f32 is a fused multiply-add from sm_20 on.
        ["fma.rn.ftz.sat.f32", "mad.rn.ftz.sat.f32"] |a, b, c| a.f_fma(b, c, FTZ_SAT);
        ["div.rn.ftz.f32", "div.full.rounded.ftz.f32"] |a, b| a.f_div(b, FTZ);
        ["rcp.rn.ftz.f32", "rcp.approx.rounded.ftz.f32"] |a| B32::f_div(lit(ONE), a, FTZ);
        ["sqrt.rn.ftz.f32", "sqrt.approx.rounded.ftz.f32"] |a| a.f_sqrt(FTZ);
    }
}

/// Families of f32 arithmetic.
pub(super) fn families() -> Vec<Row> {
    let mut all = sums().of(variants(&DIRECTED, &[ftz, sat]));
    all.extend(quotients().of(variants(&DIRECTED, &[ftz])));
    all.extend(strict_extremes().of(variants(&[Near], &[ftz])));
    all.extend(extremes().of(variants(&[Near], &[ftz, nan])));
    all
}

family! { sums [] |v|
    with |key| key.rounded(v.rounding).flag("ftz", v.ftz).flag("sat", v.sat); rows
    b32 {
        ["add.f32"] |a, b| a.f_add_in(b, v.rounding, v.mode());
        ["sub.f32"] |a, b| a.f_sub_in(b, v.rounding, v.mode());
        ["mul.f32"] |a, b| a.f_mul_in(b, v.rounding, v.mode());
        ["fma.f32", "mad.f32"] |a, b, c| a.f_fma_in(b, c, v.rounding, v.mode());
    }
}

family! { quotients [] |v|
    with |key| key.rounded(v.rounding).flag("ftz", v.ftz); rows
    b32 {
        ["div.f32"] |a, b| a.f_div_in(b, v.rounding, v.mode());
        ["rcp.f32"] |a| B32::f_div_in(lit(ONE), a, v.rounding, v.mode());
        ["sqrt.f32"] |a| a.f_sqrt_in(v.rounding, v.mode());
    }
}

family! { strict_extremes [] |v|
    with |key| key.flag("ftz", v.ftz); rows
    b32 {
        ["min.NaN.f32"] |a, b| lesser(true, v.mode(), a, b);
        ["max.NaN.f32"] |a, b| greater(true, v.mode(), a, b);
    }
}

family! { extremes [] |v|
    with |key| key.flag("ftz", v.ftz).flag("NaN", v.nan); rows
    b32 {
        // The magnitude of the result is the minimum or maximum of the magnitudes, and its sign is
        // the exclusive or of the signs.
        ["min.xorsign.abs.f32"] |a, b| with_sign(lesser(v.nan, v.mode(), magnitude(a), magnitude(b)), a.xor(b));
        ["max.xorsign.abs.f32"] |a, b| with_sign(greater(v.nan, v.mode(), magnitude(a), magnitude(b)), a.xor(b));
        ["min.three.f32"] |a, b, c| {
            let m = v.mode();
            lesser(v.nan, m, lesser(v.nan, m, a, b), c)
        };
        ["max.three.f32"] |a, b, c| {
            let m = v.mode();
            greater(v.nan, m, greater(v.nan, m, a, b), c)
        };
        ["min.three.abs.f32"] |a, b, c| {
            let m = v.mode();
            lesser(v.nan, m, lesser(v.nan, m, magnitude(a), magnitude(b)), magnitude(c))
        };
        ["max.three.abs.f32"] |a, b, c| {
            let m = v.mode();
            greater(v.nan, m, greater(v.nan, m, magnitude(a), magnitude(b)), magnitude(c))
        };
    }
}

/// The f32 `value` with this sign; a NaN stays canonical.
fn with_sign<V: B32>(value: V, sign: V) -> V {
    value.when(value.eq(lit(NAN32)), value.or(sign.and(lit(1 << 31))))
}
