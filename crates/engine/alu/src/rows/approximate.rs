//! The `.approx` forms of f32 that are not those of arithmetic: see `approx`.

use super::parts::*;
use super::{family, table};
use crate::approx::{cos, ex2, lg2, sin, tanh};
use crate::mode::Mode;
use crate::row::Row;
use crate::variant::Variant;

table! { COMPOSED rows
    b32 {
        ["div.approx.f32"] |a, b| quotient(a, b, IEEE);
        ["div.approx.ftz.f32"] |a, b| quotient(a, b, FTZ);
        ["rsqrt.approx.f32"] |a| a.f_rsqrt();
        ["rsqrt.approx.ftz.f32"] |a| a.f_copy(FTZ).f_rsqrt();
    }
}

/// Families of the special functions.
pub(super) fn families() -> Vec<Row> {
    let families = [functions::<false>(), functions::<true>()];
    families.into_iter().flat_map(|family| family.of(vec![Variant::PLAIN])).collect()
}

// Calls: correctly rounded results of the math library and of a hundred bits, which no few steps give.
family! { functions [const FTZ: bool] |_v|
    with |key| key.flag("ftz", FTZ); calls
    b32 {
        ["sin.approx.f32"] |a| { let m = Mode { ftz: FTZ, sat: false }; m.put(sin(m.get(a))) };
        ["cos.approx.f32"] |a| { let m = Mode { ftz: FTZ, sat: false }; m.put(cos(m.get(a))) };
        ["ex2.approx.f32"] |a| { let m = Mode { ftz: FTZ, sat: false }; m.put(ex2(m.get(a))) };
        ["lg2.approx.f32"] |a| { let m = Mode { ftz: FTZ, sat: false }; m.put(lg2(m.get(a))) };
        ["tanh.approx.f32"] |a| { let m = Mode { ftz: FTZ, sat: false }; m.put(tanh(m.get(a))) };
    }
}

/// The product with the reciprocal, each rounded (docs/numerics.md, 13.10). A divisor above 2^126 has a
/// reciprocal of zero (PTX ISA, div).
fn quotient<V: B32>(a: V, b: V, m: Mode) -> V {
    const ABOVE: u64 = 0x7e80_0001;
    let is_big = b.and(lit(0x7fff_ffff)).sub(lit(ABOVE)).lt_u(lit(0x7f80_0000 - ABOVE));
    let zero = b.and(lit(1 << 31));
    a.f_mul(zero.when(is_big, B32::f_div(lit(ONE), b, m)), m)
}
