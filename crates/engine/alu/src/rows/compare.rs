//! `setp` and `set`, `testp`, `slct`, and Boolean functions of predicates.
//!
//! Comparisons of floats with a NaN are false with ordered operators, and true with unordered ones
//! (`ltu` and so on). f16 and bf16 are compared as f32.

use super::half::{Bf16, F16, Half, get};
use super::parts::*;
use super::{family, table};
use crate::Alu;
use crate::mode::{Variant, ftz, pair, variants};
use crate::row::Row;
use texunit_isa::ScalarType as Ty;

table! { COMPOSED rows
    compare {
        ["setp.eq.u16", "setp.eq.s16", "setp.eq.b16"] |a, b| low16(a).eq(low16(b));
        ["setp.ne.u16", "setp.ne.s16", "setp.ne.b16"] |a, b| low16(a).ne(low16(b));
        ["setp.lt.u16", "setp.lo.u16"] |a, b| low16(a).lt_u(low16(b));
        ["setp.le.u16", "setp.ls.u16"] |a, b| low16(a).le_u(low16(b));
        ["setp.gt.u16", "setp.hi.u16"] |a, b| low16(a).gt_u(low16(b));
        ["setp.ge.u16", "setp.hs.u16"] |a, b| low16(a).ge_u(low16(b));
        ["setp.lt.s16"] |a, b| signed16(a).lt_s(signed16(b));
        ["setp.le.s16"] |a, b| signed16(a).le_s(signed16(b));
        ["setp.gt.s16"] |a, b| signed16(a).gt_s(signed16(b));
        ["setp.ge.s16"] |a, b| signed16(a).ge_s(signed16(b));
        ["setp.ne.f32"] |a, b| a.f_ne(b);
        ["setp.equ.f32"] |a, b| a.f_equ(b);
        ["setp.num.f32"] |a, b| is_num(a, b);
        ["setp.nan.f32"] |a, b| is_nan(a, b);
        ["testp.finite.f32"] |a| magnitude(a).lt_u(lit(INF));
        ["testp.infinite.f32"] |a| magnitude(a).eq(lit(INF));
        ["testp.number.f32"] |a| magnitude(a).le_u(lit(INF));
        ["testp.notanumber.f32"] |a| magnitude(a).gt_u(lit(INF));
        // A zero counts as a normal number (PTX ISA, testp).
        ["testp.normal.f32"] |a| {
            let a = magnitude(a);
            B32::when(lit(1 << 23), a.eq(lit(0)), a).sub(lit(1 << 23)).lt_u(lit(INF - (1 << 23)))
        };
        ["testp.subnormal.f32"] |a| magnitude(a).sub(lit(1)).lt_u(lit((1 << 23) - 1));
    }
    compare64 {
        ["testp.finite.f64"] |a| magnitude64(a).lt_u(lit(INF64));
        ["testp.infinite.f64"] |a| magnitude64(a).eq(lit(INF64));
        ["testp.number.f64"] |a| magnitude64(a).le_u(lit(INF64));
        ["testp.notanumber.f64"] |a| magnitude64(a).gt_u(lit(INF64));
        ["testp.normal.f64"] |a| {
            let a = magnitude64(a);
            B64::when(lit(1 << 52), a.eq(lit(0)), a).sub(lit(1 << 52)).lt_u(lit(INF64 - (1 << 52)))
        };
        ["testp.subnormal.f64"] |a| magnitude64(a).sub(lit(1)).lt_u(lit((1 << 52) - 1));
    }
    // `slct` computes `c >= 0 ? a : b`. A NaN selects b, and -0 selects a; with `.ftz`, a negative
    // subnormal selects a, too.
    b32 {
        ["slct.b16.s32", "slct.u16.s32", "slct.s16.s32", "slct.b32.s32", "slct.u32.s32", "slct.s32.s32",
            "slct.f32.s32"] |a, b, c| a.when(c.ge_s(lit(0)), b);
        ["slct.b16.f32", "slct.u16.f32", "slct.s16.f32", "slct.b32.f32", "slct.u32.f32", "slct.s32.f32",
            "slct.f32.f32"] |a, b, c| a.when(c.f_ge(lit(0)), b);
        ["slct.ftz.b16.f32", "slct.ftz.u16.f32", "slct.ftz.s16.f32", "slct.ftz.b32.f32", "slct.ftz.u32.f32",
            "slct.ftz.s32.f32", "slct.ftz.f32.f32"] |a, b, c| a.when(c.f_copy(FTZ).f_ge(lit(0)), b);
    }
    select64 {
        ["slct.b64.s32", "slct.u64.s32", "slct.s64.s32", "slct.f64.s32"] |a, b, c| a.when(c.ge_s(lit(0)), b);
        ["slct.b64.f32", "slct.u64.f32", "slct.s64.f32", "slct.f64.f32"] |a, b, c| a.when(c.f_ge(lit(0)), b);
        ["slct.ftz.b64.f32", "slct.ftz.u64.f32", "slct.ftz.s64.f32", "slct.ftz.f64.f32"]
            |a, b, c| a.when(c.f_copy(FTZ).f_ge(lit(0)), b);
    }
}

table! { CALLED calls
    function {
        ["and.pred"] | | Alu::Predicate(0b1000);
        ["or.pred"] | | Alu::Predicate(0b1110);
        ["xor.pred"] | | Alu::Predicate(0b0110);
        ["not.pred"] | | Alu::Predicate(0b0011);
    }
}

/// The families of comparisons.
pub(super) fn families() -> Vec<Row> {
    let mut all = of_32::<Single>().of(vec![Variant { ftz: true, ..Variant::PLAIN }]);
    all.extend(of_32::<F16>().of(variants(&[Near], &[ftz, pair])));
    all.extend(of_32::<Bf16>().of(variants(&[Near], &[pair])));
    all.extend(of_64().of(vec![Variant::PLAIN]));
    all
}

/// The types of a comparison's sources, and their conversion to f32.
trait Read {
    const TYPES: [Ty; 2];
    fn read<V: B32>(ftz: bool, x: V) -> V;
}

struct Single;
impl Read for Single {
    const TYPES: [Ty; 2] = [Ty::F32, Ty::F32x2];
    #[inline(always)]
    fn read<V: B32>(ftz: bool, x: V) -> V {
        if ftz { x.f_copy(FTZ) } else { x }
    }
}

impl<H: Half> Read for H {
    const TYPES: [Ty; 2] = H::TYPES;
    #[inline(always)]
    fn read<V: B32>(ftz: bool, x: V) -> V {
        get::<H, V>(ftz, x)
    }
}

family! { of_32 [R: Read] |v|
    with |key| key.of_type(R::TYPES[usize::from(v.pair)]).flag("ftz", v.ftz); rows
    compare {
        ["setp.eq"] |a, b| R::read(v.ftz, a).f_eq(R::read(v.ftz, b));
        ["setp.ne"] |a, b| R::read(v.ftz, a).f_ne(R::read(v.ftz, b));
        ["setp.lt"] |a, b| R::read(v.ftz, a).f_lt(R::read(v.ftz, b));
        ["setp.le"] |a, b| R::read(v.ftz, a).f_le(R::read(v.ftz, b));
        ["setp.gt"] |a, b| R::read(v.ftz, a).f_gt(R::read(v.ftz, b));
        ["setp.ge"] |a, b| R::read(v.ftz, a).f_ge(R::read(v.ftz, b));
        ["setp.equ"] |a, b| R::read(v.ftz, a).f_equ(R::read(v.ftz, b));
        ["setp.neu"] |a, b| R::read(v.ftz, a).f_neu(R::read(v.ftz, b));
        ["setp.ltu"] |a, b| R::read(v.ftz, a).f_ltu(R::read(v.ftz, b));
        ["setp.leu"] |a, b| R::read(v.ftz, a).f_leu(R::read(v.ftz, b));
        ["setp.gtu"] |a, b| R::read(v.ftz, a).f_gtu(R::read(v.ftz, b));
        ["setp.geu"] |a, b| R::read(v.ftz, a).f_geu(R::read(v.ftz, b));
        ["setp.num"] |a, b| is_num(R::read(v.ftz, a), R::read(v.ftz, b));
        ["setp.nan"] |a, b| is_nan(R::read(v.ftz, a), R::read(v.ftz, b));
    }
}

family! { of_64 [] |_v|
    with |key| key.of_type(Ty::F64); rows
    compare64 {
        ["setp.eq"] |a, b| a.f_eq(b);
        ["setp.ne"] |a, b| a.f_ne(b);
        ["setp.lt"] |a, b| a.f_lt(b);
        ["setp.le"] |a, b| a.f_le(b);
        ["setp.gt"] |a, b| a.f_gt(b);
        ["setp.ge"] |a, b| a.f_ge(b);
        ["setp.equ"] |a, b| a.f_equ(b);
        ["setp.neu"] |a, b| a.f_neu(b);
        ["setp.ltu"] |a, b| a.f_ltu(b);
        ["setp.leu"] |a, b| a.f_leu(b);
        ["setp.gtu"] |a, b| a.f_gtu(b);
        ["setp.geu"] |a, b| a.f_geu(b);
        ["setp.num"] |a, b| largest(a, b).le_u(lit(INF64));
        ["setp.nan"] |a, b| largest(a, b).gt_u(lit(INF64));
    }
}

const INF64: u64 = 0x7ff0_0000_0000_0000;

/// The larger magnitude of two f64, as bits. If a source is a NaN, it is above the bits of
/// infinity.
fn largest<W: B64>(a: W, b: W) -> W {
    let (a, b) = (magnitude64(a), magnitude64(b));
    a.when(a.gt_u(b), b)
}

fn magnitude64<W: B64>(a: W) -> W {
    a.and(lit(u64::MAX >> 1))
}
