//! Conversions that programs use much. The others, with packing and rarer modifiers, are calls of
//! [`Convert`](crate::alu::Convert) with their data.
//!
//! A conversion to an integer is limited to its range; a NaN becomes 0, but where the source is f64 only the top
//! bit of the destination is set (PTX ISA, cvt). A NaN that stays a float becomes the canonical one of its new
//! type, or keeps its payload where the processor's conversion does.

use super::parts::*;
use super::{family, table};
use crate::alu::Row;
use crate::alu::mode::Mode;
use crate::alu::round::{self, Format, RM, RN, RP, RZ, narrow32};
use texunit_jit::Rounding;

table! { COMPOSED rows
    // Between integers. A result of a signed type has its sign up to the top of the slot.
    b32 {
        ["cvt.u8.u8", "cvt.u8.s8", "cvt.u8.u16", "cvt.u8.s16", "cvt.u8.u32", "cvt.u8.s32", "cvt.u16.u8", "cvt.s16.u8", "cvt.s32.u8"] |a| zeros(a, 8);
        ["cvt.s8.u8", "cvt.s8.s8", "cvt.s8.u16", "cvt.s8.s16", "cvt.s8.u32", "cvt.s8.s32", "cvt.s16.s8", "cvt.u32.s8", "cvt.s32.s8"] |a| signs(a, 8);
        ["cvt.u16.s8"] |a| low16(signs(a, 8));
        ["cvt.u16.u16", "cvt.u16.s16", "cvt.u16.s32", "cvt.s32.u16"] |a| low16(a);
        ["cvt.s16.u16", "cvt.s16.s16", "cvt.s16.u32", "cvt.s16.s32", "cvt.u32.s16", "cvt.s32.s16"] |a| signed16(a);
        ["cvt.u32.u32", "cvt.u32.s32", "cvt.s32.u32", "cvt.s32.s32"] |a| a;
        // f32 to integers; `.ftz` matters where a subnormal is rounded away from zero.
        ["cvt.rmi.ftz.s32.f32"] |a| a.f_copy(FTZ).f_to_s(Floor);
        ["cvt.rpi.s32.f32"] |a| a.f_to_s(Ceil);
        ["cvt.rpi.ftz.s32.f32"] |a| a.f_copy(FTZ).f_to_s(Ceil);
        ["cvt.rni.u32.f32", "cvt.rni.ftz.u32.f32"] |a| a.f_to_u(Near);
        ["cvt.rmi.u32.f32", "cvt.rmi.ftz.u32.f32"] |a| a.f_to_u(Floor);
        ["cvt.rpi.u32.f32"] |a| a.f_to_u(Ceil);
        ["cvt.rpi.ftz.u32.f32"] |a| a.f_copy(FTZ).f_to_u(Ceil);
        // f32 to f32.
        ["cvt.f32.f32"] |a| a.f_copy(IEEE);
        ["cvt.ftz.f32.f32"] |a| a.f_copy(FTZ);
        ["cvt.sat.f32.f32"] |a| a.f_copy(SAT);
        ["cvt.ftz.sat.f32.f32"] |a| a.f_copy(FTZ_SAT);
        // Integers to f32. Short ones are exact.
        ["cvt.rz.f32.u8", "cvt.rm.f32.u8", "cvt.rp.f32.u8"] |a| a.f_from_u(0xff);
        ["cvt.rz.f32.u16", "cvt.rm.f32.u16", "cvt.rp.f32.u16"] |a| a.f_from_u(0xffff);
        ["cvt.rn.f32.s8", "cvt.rz.f32.s8", "cvt.rm.f32.s8", "cvt.rp.f32.s8"] |a| signs(a, 8).f_from_s();
        ["cvt.rn.f32.s16", "cvt.rz.f32.s16", "cvt.rm.f32.s16", "cvt.rp.f32.s16"] |a| signed16(a).f_from_s();
        // Halves.
        ["cvt.f32.f16"] |a| f16_as_f32(a).f_copy(IEEE);
        ["cvt.f32.bf16"] |a| a.shl(lit(16));
        ["cvt.rn.bf16.f32"] |a| {
            let odd = a.shr_u(lit(16)).and(lit(1));
            let nearest = a.add(lit(0x7fff)).add(odd).shr_u(lit(16));
            B32::when(lit(0x7fff), is_nan(a, a), nearest)
        };
    }
    extend {
        ["cvt.u64.u8", "cvt.s64.u8"] |a| zeros(a, 8).extend_u();
        ["cvt.u64.s8", "cvt.s64.s8"] |a| signs(a, 8).extend_s();
        ["cvt.u64.u16", "cvt.s64.u16"] |a| low16(a).extend_u();
        ["cvt.u64.s16", "cvt.s64.s16"] |a| signed16(a).extend_s();
        // Exact.
        ["cvt.rn.f64.u32", "cvt.rz.f64.u32", "cvt.rm.f64.u32", "cvt.rp.f64.u32"] |a| a.d_from_u();
        ["cvt.rn.f64.s32", "cvt.rz.f64.s32", "cvt.rm.f64.s32", "cvt.rp.f64.s32"] |a| a.d_from_s();
        ["cvt.f64.f32"] |a| a.d_from_f();
    }
    truncate {
        ["cvt.u8.u64", "cvt.u8.s64"] |a| zeros(a.low(), 8);
        ["cvt.s8.u64", "cvt.s8.s64"] |a| signs(a.low(), 8);
        ["cvt.u16.u64", "cvt.u16.s64"] |a| low16(a.low());
        ["cvt.s16.u64", "cvt.s16.s64"] |a| signed16(a.low());
        ["cvt.rn.f32.f64"] |a| a.d_to_f();
        ["cvt.rzi.s32.f64"] |a| a.d_to_s();
        ["cvt.rzi.u32.f64"] |a| a.d_to_u();
    }
    b64 {
        ["cvt.rn.f64.u64"] |a| a.d_from_u();
        ["cvt.rn.f64.s64"] |a| a.d_from_s();
        ["cvt.u64.u64", "cvt.u64.s64", "cvt.s64.u64", "cvt.s64.s64"] |a| a;
    }
}

table! { CALLED calls
    b32 {
        ["cvt.rn.f16.f32"] |a| round::narrow(Format::F16, RN, f32::from_bits(a).into()) as u32;
    }
}

/// Families of conversions from f32 and to it.
pub(super) const FAMILIES: &[&[Row]] = &[
    directed::<RZ>(),
    directed::<RM>(),
    directed::<RP>(),
    short::<RN, false>(),
    short::<RN, true>(),
    short::<RZ, false>(),
    short::<RZ, true>(),
    short::<RM, false>(),
    short::<RM, true>(),
    short::<RP, false>(),
    short::<RP, true>(),
    integral::<RN, false, true>(),
    integral::<RZ, false, true>(),
    integral::<RM, false, true>(),
    integral::<RP, false, true>(),
    integral::<RN, true, false>(),
    integral::<RZ, true, false>(),
    integral::<RM, true, false>(),
    integral::<RP, true, false>(),
    integral::<RN, true, true>(),
    integral::<RZ, true, true>(),
    integral::<RM, true, true>(),
    integral::<RP, true, true>(),
];

family! { directed [const R: u8]
    with |key| key.rounded(R); calls
    b32 {
        ["cvt.f32.u32"] |a| narrow32::<R>(f64::from(a)).to_bits();
        ["cvt.f32.s32"] |a| narrow32::<R>(f64::from(a as i32)).to_bits();
    }
}

family! { short [const R: u8, const FTZ: bool]
    with |key| key.integral(R).flag("ftz", FTZ); rows
    b32 {
        ["cvt.u8.f32"] |a| whole(a, R, FTZ).max_s(lit(0)).min_s(lit(0xff));
        ["cvt.s8.f32"] |a| clamp(whole(a, R, FTZ), 8);
        ["cvt.u16.f32"] |a| whole(a, R, FTZ).max_s(lit(0)).min_s(lit(0xffff));
        ["cvt.s16.f32"] |a| clamp(whole(a, R, FTZ), 16);
    }
}

family! { integral [const R: u8, const FTZ: bool, const SAT: bool]
    with |key| key.integral(R).flag("ftz", FTZ).flag("sat", SAT); rows
    b32 {
        ["cvt.f32.f32"] |a| a.f_round(rounding(R), Mode { ftz: FTZ, sat: SAT });
    }
}

#[inline(always)]
const fn rounding(mode: u8) -> Rounding {
    match mode {
        RZ => Trunc,
        RM => Floor,
        RP => Ceil,
        _ => Near,
    }
}

/// f32 as a signed integer of 32 bits.
#[inline(always)]
fn whole<V: B32>(a: V, mode: u8, ftz: bool) -> V {
    let flushed = if ftz { a.f_copy(FTZ) } else { a };
    flushed.f_to_s(rounding(mode))
}
