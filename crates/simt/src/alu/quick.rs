//! Functions of their own for the conversions that programs use much.
//!
//! Each gives what [`Convert`] gives, cut to its slot.

use texunit_isa::ScalarType as Ty;

use super::Alu;
use super::convert::{Convert, cut_nan, widened_nan};
use super::float::{result, source};
use super::half::f16_to_f32;
use super::lanes::{cut, narrow, wide, widen};
use super::round::{self, Format, RM, RN, RP, RZ, narrow32};

/// Sign- or zero-extends the low bits as a type of these bits to 64.
#[inline(always)]
fn extend<const BITS: u32, const SIGNED: bool>(x: u64) -> u64 {
    let unused = 64 - BITS;
    if SIGNED { ((x << unused) as i64 >> unused) as u64 } else { x << unused >> unused }
}

/// Conversions between integers without `.sat`.
fn integers(to: Ty, from: Ty) -> Option<Alu> {
    macro_rules! small {
        ($ty:expr, $row:ident $(, $arg:tt)*) => {
            match $ty {
                Ty::U8 => $row!(8, false $(, $arg)*),
                Ty::S8 => $row!(8, true $(, $arg)*),
                Ty::U16 => $row!(16, false $(, $arg)*),
                Ty::S16 => $row!(16, true $(, $arg)*),
                Ty::U32 => $row!(32, false $(, $arg)*),
                Ty::S32 => $row!(32, true $(, $arg)*),
                _ => return None,
            }
        };
    }
    macro_rules! to_64 {
        ($bits:literal, $signed:literal) => {
            widen!(|a, _, _| extend::<$bits, $signed>(a.into()))
        };
    }
    macro_rules! from_64 {
        ($bits:literal, $signed:literal) => {
            cut!(|a| extend::<$bits, $signed>(a) as u32)
        };
    }
    macro_rules! both {
        ($bits:literal, $signed:literal, $to_bits:literal, $to_signed:literal) => {
            narrow!(|a, _, _| {
                extend::<$to_bits, $to_signed>(extend::<$bits, $signed>(a.into())) as u32
            })
        };
    }
    // Narrowing looks at the low bits alone, whatever the source: half of the pairs are the same.
    macro_rules! from_any {
        ($bits:literal, $signed:literal) => {
            if from.bits() >= $bits {
                narrow!(|a, _, _| extend::<$bits, $signed>(a.into()) as u32)
            } else {
                match from {
                    Ty::U8 => both!(8, false, $bits, $signed),
                    Ty::S8 => both!(8, true, $bits, $signed),
                    Ty::U16 => both!(16, false, $bits, $signed),
                    Ty::S16 => both!(16, true, $bits, $signed),
                    _ => return None,
                }
            }
        };
    }
    Some(match (to.bits(), from.bits()) {
        (64, 64) => wide!(|a, _, _| a),
        (64, _) => small!(from, to_64),
        (_, 64) => small!(to, from_64),
        _ => small!(to, from_any),
    })
}

/// Quick forms between f32 and 32-bit integers and f32, for one `.ftz`.
fn from_f32<const FTZ: bool>(to: Ty, mode: u8, sat: bool) -> Option<Alu> {
    macro_rules! modes {
        ($f:ident) => {
            match mode {
                RN => $f!(round_ties_even),
                RZ => $f!(trunc),
                RM => $f!(floor),
                _ => $f!(ceil),
            }
        };
    }
    // Rust's casts cut toward zero, clamp, and make 0 of a NaN.
    macro_rules! unsigned {
        ($round:ident) => {
            narrow!(|a, _, _| source::<FTZ>(a).$round() as u32)
        };
    }
    macro_rules! signed {
        ($round:ident) => {
            narrow!(|a, _, _| source::<FTZ>(a).$round() as i32 as u32)
        };
    }
    macro_rules! float {
        ($round:ident) => {
            narrow!(|a, _, _| result::<FTZ, false>(source::<FTZ>(a).$round()))
        };
    }
    Some(match (to, sat) {
        (Ty::U32, _) if mode == RZ => narrow!(|a, _, _| f32::from_bits(a) as u32),
        (Ty::S32, _) if mode == RZ => narrow!(|a, _, _| f32::from_bits(a) as i32 as u32),
        (Ty::U32, _) => modes!(unsigned),
        (Ty::S32, _) => modes!(signed),
        (Ty::F32, false) => modes!(float),
        _ => return None,
    })
}

/// Integers of up to 32 bits to f32.
fn to_f32(from: Ty, mode: u8) -> Option<Alu> {
    macro_rules! modes {
        ($t:ty) => {
            match mode {
                RN => narrow!(|a, _, _| (a as $t as f32).to_bits()),
                RZ => narrow!(|a, _, _| narrow32::<RZ>(f64::from(a as $t)).to_bits()),
                RM => narrow!(|a, _, _| narrow32::<RM>(f64::from(a as $t)).to_bits()),
                RP => narrow!(|a, _, _| narrow32::<RP>(f64::from(a as $t)).to_bits()),
                _ => return None,
            }
        };
    }
    Some(match from {
        // Exact.
        Ty::U8 => narrow!(|a, _, _| f32::from(a as u8).to_bits()),
        Ty::S8 => narrow!(|a, _, _| f32::from(a as i8).to_bits()),
        Ty::U16 => narrow!(|a, _, _| f32::from(a as u16).to_bits()),
        Ty::S16 => narrow!(|a, _, _| f32::from(a as i16).to_bits()),
        Ty::U32 => modes!(u32),
        Ty::S32 => modes!(i32),
        _ => return None,
    })
}

/// Conversions that programs use much, where no modifier but rounding and `.ftz` is there.
pub(super) fn quick(c: &Convert) -> Option<Alu> {
    if c.sat && !(c.from.is_float() && c.to.is_integer()) || c.relu || c.satfinite {
        return None;
    }
    if c.to.is_integer() && c.from.is_integer() {
        return integers(c.to, c.from);
    }
    let near = c.mode == RN && !c.integral;
    match (c.to, c.from) {
        (Ty::U32 | Ty::S32, Ty::F32) | (Ty::F32, Ty::F32) => {
            if c.to == Ty::F32 && !c.integral {
                return Some(match c.ftz {
                    true => narrow!(|a, _, _| result::<true, false>(f32::from_bits(a))),
                    false => narrow!(|a, _, _| result::<false, false>(f32::from_bits(a))),
                });
            }
            match c.ftz {
                true => from_f32::<true>(c.to, c.mode, c.sat),
                false => from_f32::<false>(c.to, c.mode, c.sat),
            }
        }
        (Ty::F32, from) if from.is_integer() && from.bits() <= 32 => to_f32(from, c.mode),
        (Ty::F64, Ty::U32) => Some(widen!(|a, _, _| f64::from(a).to_bits())),
        (Ty::F64, Ty::S32) => Some(widen!(|a, _, _| f64::from(a as i32).to_bits())),
        (Ty::F64, Ty::F32) if !c.ftz => Some(widen!(|a, _, _| {
            let x = f32::from_bits(a);
            if x.is_nan() { widened_nan::<23, 8>(a.into()) } else { f64::from(x).to_bits() }
        })),
        (Ty::F32, Ty::F64) if near && !c.ftz => Some(cut!(|a| {
            let x = f64::from_bits(a);
            if x.is_nan() { cut_nan::<23, 8>(a) as u32 } else { (x as f32).to_bits() }
        })),
        (Ty::S32, Ty::F64) if c.mode == RZ => Some(cut!(|a| {
            let x = f64::from_bits(a);
            if x.is_nan() { 0x8000_0000 } else { x as i32 as u32 }
        })),
        (Ty::U32, Ty::F64) if c.mode == RZ => Some(cut!(|a| {
            let x = f64::from_bits(a);
            if x.is_nan() { 0x8000_0000 } else { x as u32 }
        })),
        (Ty::F32, Ty::F16) if !c.ftz => {
            Some(narrow!(|a, _, _| result::<false, false>(f16_to_f32(a))))
        }
        (Ty::F32, Ty::Bf16) if !c.ftz => Some(narrow!(|a, _, _| a << 16)),
        (Ty::F16, Ty::F32) if near && !c.ftz => Some(narrow!(|a, _, _| {
            round::narrow(Format::F16, RN, f32::from_bits(a).into()) as u32
        })),
        (Ty::Bf16, Ty::F32) if near && !c.ftz => Some(narrow!(|a, _, _| {
            round::narrow(Format::BF16, RN, f32::from_bits(a).into()) as u32
        })),
        _ => None,
    }
}
