//! Frequent conversions. Conversions with packing and rare modifiers are interpreted by
//! [`Convert`](crate::Convert).
//!
//! A conversion to an integer is limited to its range. A NaN becomes 0, except that the result has
//! only its top bit set if the source is f64 (PTX ISA, cvt). A NaN that stays a float becomes the
//! canonical NaN of its new type, or keeps its payload where the processor's conversion does.

use super::parts::*;
use super::{DIRECTED, ROUNDINGS, family, table};
use crate::mode::{ftz, sat, variants};
use crate::row::Row;
use texunit_jit::Rounding;

table! { COMPOSED rows
    // Conversions between integers. Results of signed types are sign-extended to the register's
    // width.
    b32 {
        ["cvt.u8.u8", "cvt.u8.s8", "cvt.u8.u16", "cvt.u8.s16", "cvt.u8.u32", "cvt.u8.s32", "cvt.u16.u8", "cvt.s16.u8", "cvt.s32.u8"] |a| zeros(a, 8);
        ["cvt.s8.u8", "cvt.s8.s8", "cvt.s8.u16", "cvt.s8.s16", "cvt.s8.u32", "cvt.s8.s32", "cvt.s16.s8", "cvt.u32.s8", "cvt.s32.s8"] |a| signs(a, 8);
        ["cvt.u16.s8"] |a| low16(signs(a, 8));
        ["cvt.u16.u16", "cvt.u16.s16", "cvt.u16.s32", "cvt.s32.u16"] |a| low16(a);
        ["cvt.s16.u16", "cvt.s16.s16", "cvt.s16.u32", "cvt.s16.s32", "cvt.u32.s16", "cvt.s32.s16"] |a| signed16(a);
        ["cvt.u32.u32", "cvt.u32.s32", "cvt.s32.u32", "cvt.s32.s32"] |a| a;
        // Conversions of f32 to integers. `.ftz` matters where a subnormal would be rounded away
        // from zero.
        ["cvt.rmi.ftz.s32.f32"] |a| a.f_copy(FTZ).f_to_s(Floor);
        ["cvt.rpi.s32.f32"] |a| a.f_to_s(Ceil);
        ["cvt.rpi.ftz.s32.f32"] |a| a.f_copy(FTZ).f_to_s(Ceil);
        ["cvt.rni.u32.f32", "cvt.rni.ftz.u32.f32"] |a| a.f_to_u(Near);
        ["cvt.rmi.u32.f32", "cvt.rmi.ftz.u32.f32"] |a| a.f_to_u(Floor);
        ["cvt.rpi.u32.f32"] |a| a.f_to_u(Ceil);
        ["cvt.rpi.ftz.u32.f32"] |a| a.f_copy(FTZ).f_to_u(Ceil);
        // Conversions of f32 to f32. Without modifiers, the conversion is a copy, which preserves
        // NaNs.
        ["cvt.f32.f32"] |a| a;
        ["cvt.ftz.f32.f32"] |a| a.f_copy(FTZ);
        ["cvt.sat.f32.f32"] |a| a.f_copy(SAT);
        ["cvt.ftz.sat.f32.f32"] |a| a.f_copy(FTZ_SAT);
        // Conversions of integers to f32. Conversions of 8 and 16 bits are exact.
        ["cvt.rz.f32.u8", "cvt.rm.f32.u8", "cvt.rp.f32.u8"] |a| a.f_from_u(0xff);
        ["cvt.rz.f32.u16", "cvt.rm.f32.u16", "cvt.rp.f32.u16"] |a| a.f_from_u(0xffff);
        ["cvt.rn.f32.s8", "cvt.rz.f32.s8", "cvt.rm.f32.s8", "cvt.rp.f32.s8"] |a| signs(a, 8).f_from_s();
        ["cvt.rn.f32.s16", "cvt.rz.f32.s16", "cvt.rm.f32.s16", "cvt.rp.f32.s16"] |a| signed16(a).f_from_s();
        // Conversions of f16.
        ["cvt.f32.f16"] |a| a.f_from_half();
        ["cvt.rn.f16.f32"] |a| a.f_to_half(Near);
        ["cvt.rz.f16.f32"] |a| a.f_to_half(Trunc);
        ["cvt.rn.f16x2.f32"] |a, b| b.f_to_half(Near).or(a.f_to_half(Near).shl(lit(16)));
        ["cvt.rz.f16x2.f32"] |a, b| b.f_to_half(Trunc).or(a.f_to_half(Trunc).shl(lit(16)));
        ["cvt.f32.bf16"] |a| a.shl(lit(16));
        ["cvt.rn.bf16.f32"] |a| bf16_of(a);
        ["cvt.rn.bf16x2.f32"] |a, b| bf16_of(b).or(bf16_of(a).shl(lit(16)));
    }
    extend {
        ["cvt.u64.u8", "cvt.s64.u8"] |a| zeros(a, 8).extend_u();
        ["cvt.u64.s8", "cvt.s64.s8"] |a| signs(a, 8).extend_s();
        ["cvt.u64.u16", "cvt.s64.u16"] |a| low16(a).extend_u();
        ["cvt.u64.s16", "cvt.s64.s16"] |a| signed16(a).extend_s();
        // These conversions to f64 are exact.
        ["cvt.rn.f64.u32", "cvt.rz.f64.u32", "cvt.rm.f64.u32", "cvt.rp.f64.u32"] |a| a.d_from_u();
        ["cvt.rn.f64.s32", "cvt.rz.f64.s32", "cvt.rm.f64.s32", "cvt.rp.f64.s32"] |a| a.d_from_s();
        ["cvt.f64.f32"] |a| a.d_from_f();
        ["cvt.ftz.f64.f32"] |a| a.f_copy(FTZ).d_from_f();
    }
    truncate {
        ["cvt.u8.u64", "cvt.u8.s64"] |a| zeros(a.low(), 8);
        ["cvt.s8.u64", "cvt.s8.s64"] |a| signs(a.low(), 8);
        ["cvt.u16.u64", "cvt.u16.s64"] |a| low16(a.low());
        ["cvt.s16.u64", "cvt.s16.s64"] |a| signed16(a.low());
        ["cvt.rn.f32.f64"] |a| a.d_to_f(Near);
        ["cvt.rn.f32.u64"] |a| exactly(a.shr_u(lit(32)).low().d_from_u(), a).d_to_f(Near);
        ["cvt.rn.f32.s64"] |a| exactly(a.shr_u(lit(32)).low().d_from_s(), a).d_to_f(Near);
    }
    b64 {
        ["cvt.rn.f64.u64"] |a| a.d_from_u();
        ["cvt.rn.f64.s64"] |a| a.d_from_s();
        ["cvt.u64.u64", "cvt.u64.s64", "cvt.s64.u64", "cvt.s64.s64"] |a| a;
    }
}

/// Families of conversions from and to f32.
pub(super) fn families() -> Vec<Row> {
    let mut all = directed().of(variants(&DIRECTED, &[]));
    all.extend(of_double().of(variants(&ROUNDINGS, &[])));
    all.extend(to_wide().of(variants(&ROUNDINGS, &[ftz])));
    all.extend(short().of(variants(&ROUNDINGS, &[ftz])));
    // The inner loop has the variants without `.ftz` and `.sat`.
    let some = variants(&ROUNDINGS, &[ftz, sat]).into_iter().filter(|v| v.ftz || v.sat);
    all.extend(integral().of(some.collect()));
    all
}

family! { directed [] |v|
    with |key| key.rounded(v.rounding); rows
    b32 {
        ["cvt.f32.u32"] |a| a.d_from_u().d_to_f(v.rounding);
        ["cvt.f32.s32"] |a| a.d_from_s().d_to_f(v.rounding);
    }
    truncate {
        ["cvt.f32.f64"] |a| a.d_to_f(v.rounding);
        ["cvt.f32.u64"] |a| exactly(a.shr_u(lit(32)).low().d_from_u(), a).d_to_f(v.rounding);
        ["cvt.f32.s64"] |a| exactly(a.shr_u(lit(32)).low().d_from_s(), a).d_to_f(v.rounding);
    }
}

family! { of_double [] |v|
    with |key| key.integral(v.rounding); rows
    truncate {
        ["cvt.s32.f64"] |a| a.f_round(v.rounding).d_to_s();
        ["cvt.u32.f64"] |a| a.f_round(v.rounding).d_to_u();
    }
    b64 {
        ["cvt.s64.f64"] |a| a.f_round(v.rounding).d_to_ws();
        ["cvt.u64.f64"] |a| a.f_round(v.rounding).d_to_wu();
    }
    f64 {
        ["cvt.f64.f64"] |a| a.f_round(v.rounding);
    }
}

family! { to_wide [] |v|
    with |key| key.integral(v.rounding).flag("ftz", v.ftz); rows
    extend {
        ["cvt.s64.f32"] |a| if_flushed(a, v.ftz).d_from_f().f_round(v.rounding).d_to_ws();
        ["cvt.u64.f32"] |a| if_flushed(a, v.ftz).d_from_f().f_round(v.rounding).d_to_wu();
    }
}

family! { short [] |v|
    with |key| key.integral(v.rounding).flag("ftz", v.ftz); rows
    b32 {
        ["cvt.u8.f32"] |a| to_integer(a, v.rounding, v.ftz).max_s(lit(0)).min_s(lit(0xff));
        ["cvt.s8.f32"] |a| clamp(to_integer(a, v.rounding, v.ftz), 8);
        ["cvt.u16.f32"] |a| to_integer(a, v.rounding, v.ftz).max_s(lit(0)).min_s(lit(0xffff));
        ["cvt.s16.f32"] |a| clamp(to_integer(a, v.rounding, v.ftz), 16);
    }
}

family! { integral [] |v|
    with |key| key.integral(v.rounding).flag("ftz", v.ftz).flag("sat", v.sat); rows
    b32 {
        ["cvt.f32.f32"] |a| a.f_round(v.rounding, v.mode());
    }
}

/// Combines the upper half (as an f64) and the lower half of a 64-bit integer to an f64, rounded to
/// odd.
fn exactly<W: B64>(upper: W, a: W) -> W
where
    W::Narrow: B32<Wide = W>,
{
    sum_odd(upper.f_mul(lit(0x41f0_0000_0000_0000)), a.low().d_from_u())
}

fn if_flushed<V: B32>(a: V, ftz: bool) -> V {
    if ftz { a.f_copy(FTZ) } else { a }
}

/// Converts an f32 to a signed 32-bit integer.
fn to_integer<V: B32>(a: V, rounding: Rounding, ftz: bool) -> V {
    if_flushed(a, ftz).f_to_s(rounding)
}
