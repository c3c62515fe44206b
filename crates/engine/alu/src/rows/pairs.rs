//! Arithmetic of packed f32 pairs (`.f32x2`), and of f32 with 16-bit float sources (`add.f32.f16`).

use super::parts::*;
use super::{DIRECTED, ROUNDINGS, family};
use crate::mode::{ftz, sat, variants};
use crate::row::Row;

/// The families of packed pairs, and of f32 arithmetic with 16-bit sources.
pub(super) fn families() -> Vec<Row> {
    let mut all = nearest().of(variants(&[Near], &[ftz]));
    all.extend(directed().of(variants(&DIRECTED, &[ftz])));
    all.extend(short().of(variants(&ROUNDINGS, &[sat])));
    all
}

family! { nearest [] |v|
    with |key| key.flag("ftz", v.ftz); rows
    b64 {
        ["add.f32x2"] |a, b| on_halves(a, b, b, |a, b, _| a.f_add(b, v.mode()));
        ["sub.f32x2"] |a, b| on_halves(a, b, b, |a, b, _| a.f_sub(b, v.mode()));
        ["mul.f32x2"] |a, b| on_halves(a, b, b, |a, b, _| a.f_mul(b, v.mode()));
        ["fma.f32x2"] |a, b, c| on_halves(a, b, c, |a, b, c| a.f_fma(b, c, v.mode()));
    }
}

family! { directed [] |v|
    with |key| key.rounded(v.rounding).flag("ftz", v.ftz); rows
    b64 {
        ["add.f32x2"] |a, b| on_halves(a, b, b, |a, b, _| a.f_add_in(b, v.rounding, v.mode()));
        ["sub.f32x2"] |a, b| on_halves(a, b, b, |a, b, _| a.f_sub_in(b, v.rounding, v.mode()));
        ["mul.f32x2"] |a, b| on_halves(a, b, b, |a, b, _| a.f_mul_in(b, v.rounding, v.mode()));
        ["fma.f32x2"] |a, b, c| on_halves(a, b, c, |a, b, c| a.f_fma_in(b, c, v.rounding, v.mode()));
    }
}

family! { short [] |v|
    with |key| key.rounded(v.rounding).flag("sat", v.sat); rows
    b32 {
        ["add.f32.f16"] |a, c| a.f_from_half().f_add_in(c, v.rounding, v.mode());
        ["sub.f32.f16"] |a, c| a.f_from_half().f_sub_in(c, v.rounding, v.mode());
        ["fma.f32.f16"] |a, b, c| a.f_from_half().f_fma_in(b.f_from_half(), c, v.rounding, v.mode());
        ["add.f32.bf16"] |a, c| a.shl(lit(16)).f_add_in(c, v.rounding, v.mode());
        ["sub.f32.bf16"] |a, c| a.shl(lit(16)).f_sub_in(c, v.rounding, v.mode());
        ["fma.f32.bf16"] |a, b, c| a.shl(lit(16)).f_fma_in(b.shl(lit(16)), c, v.rounding, v.mode());
    }
}

/// Applies `f` to the low halves and to the high halves of the sources.
fn on_halves<W, V>(a: W, b: W, c: W, f: impl Fn(V, V, V) -> V) -> W
where
    W: B64<Narrow = V>,
    V: B32<Wide = W>,
{
    let high = |x: W| x.shr_u(lit(32)).low();
    let low = f(a.low(), b.low(), c.low()).extend_u();
    low.or(f(high(a), high(b), high(c)).extend_u().shl(lit(32)))
}
