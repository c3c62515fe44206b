//! The newer forms of f32 arithmetic: pairs (`.f32x2`), sources of 16 bits (`add.f32.f16`),
//! `min` and `max` of three sources and with `.xorsign`.

use texunit_isa::{Modifiers, Opcode, ScalarType as Ty};

use super::Alu;
use super::float::{add, fma, max, min, mul, result, source, strict};
use super::half::{bf16_to_f32, f16_to_f32};
use super::lanes::{narrow, wide};
use super::round::{self, RM, RN, RP, RZ};

/// Calls a function that is generic over rounding and a flag with what the modifiers say.
macro_rules! by_mode {
    ($f:ident, $mode:expr, $flag:expr, ($($arg:expr),*)) => {
        match ($mode, $flag) {
            (RN, false) => $f::<RN, false>($($arg),*),
            (RN, true) => $f::<RN, true>($($arg),*),
            (RZ, false) => $f::<RZ, false>($($arg),*),
            (RZ, true) => $f::<RZ, true>($($arg),*),
            (RM, false) => $f::<RM, false>($($arg),*),
            (RM, true) => $f::<RM, true>($($arg),*),
            (RP, false) => $f::<RP, false>($($arg),*),
            (RP, true) => $f::<RP, true>($($arg),*),
            _ => None,
        }
    };
}

/// Both halves of the sources, each through `f`.
#[inline(always)]
fn both<const FTZ: bool>(a: u64, b: u64, c: u64, f: impl Fn(f32, f32, f32) -> f32) -> u64 {
    let half = |at: u32| {
        let part = |x: u64| source::<FTZ>((x >> at) as u32);
        u64::from(result::<FTZ, false>(f(part(a), part(b), part(c))))
    };
    half(0) | half(32) << 32
}

fn packed<const R: u8, const FTZ: bool>(opcode: Opcode) -> Option<Alu> {
    Some(match opcode {
        Opcode::Add => wide!(|a, b, c| both::<FTZ>(a, b, c, |a, b, _| add::<R>(a, b))),
        Opcode::Sub => wide!(|a, b, c| both::<FTZ>(a, b, c, |a, b, _| add::<R>(a, -b))),
        Opcode::Mul => wide!(|a, b, c| both::<FTZ>(a, b, c, |a, b, _| mul::<R>(a, b))),
        Opcode::Fma => wide!(|a, b, c| both::<FTZ>(a, b, c, fma::<R>)),
        _ => return None,
    })
}

/// `.f32x2`: the first number is in the low half.
pub(super) fn select(opcode: Opcode, mods: &Modifiers) -> Option<Alu> {
    by_mode!(packed, round::mode(mods.rounding)?, mods.ftz, (opcode))
}

fn from_f16<const R: u8, const SAT: bool>(opcode: Opcode) -> Option<Alu> {
    Some(match opcode {
        Opcode::Add => {
            narrow!(|a, c, _| result::<false, SAT>(add::<R>(f16_to_f32(a), f32::from_bits(c))))
        }
        Opcode::Sub => {
            narrow!(|a, c, _| result::<false, SAT>(add::<R>(f16_to_f32(a), -f32::from_bits(c))))
        }
        Opcode::Fma => narrow!(|a, b, c| {
            result::<false, SAT>(fma::<R>(f16_to_f32(a), f16_to_f32(b), f32::from_bits(c)))
        }),
        _ => return None,
    })
}

fn from_bf16<const R: u8, const SAT: bool>(opcode: Opcode) -> Option<Alu> {
    Some(match opcode {
        Opcode::Add => {
            narrow!(|a, c, _| result::<false, SAT>(add::<R>(bf16_to_f32(a), f32::from_bits(c))))
        }
        Opcode::Sub => {
            narrow!(|a, c, _| result::<false, SAT>(add::<R>(bf16_to_f32(a), -f32::from_bits(c))))
        }
        Opcode::Fma => narrow!(|a, b, c| {
            result::<false, SAT>(fma::<R>(bf16_to_f32(a), bf16_to_f32(b), f32::from_bits(c)))
        }),
        _ => return None,
    })
}

/// `add`, `sub` and `fma` of f32 whose factors, or first addend, have 16 bits.
pub(super) fn select_mixed(opcode: Opcode, half: Ty, mods: &Modifiers) -> Option<Alu> {
    let mode = round::mode(mods.rounding)?;
    match half {
        Ty::F16 => by_mode!(from_f16, mode, mods.sat, (opcode)),
        Ty::Bf16 => by_mode!(from_bf16, mode, mods.sat, (opcode)),
        _ => None,
    }
}

/// The smaller or greater, a NaN as `.NaN` says.
#[inline(always)]
fn extreme<const NAN: bool, const GREATER: bool>(a: f32, b: f32) -> f32 {
    let value = if GREATER { max(a, b) } else { min(a, b) };
    if NAN { strict(a, b, value) } else { value }
}

fn signed<const FTZ: bool, const NAN: bool, const GREATER: bool>() -> Alu {
    narrow!(|a, b, _| {
        let sign = (a ^ b) & 0x8000_0000;
        let value = extreme::<NAN, GREATER>(source::<FTZ>(a).abs(), source::<FTZ>(b).abs());
        // A NaN stays the canonical one.
        result::<FTZ, false>(value) | if value.is_nan() { 0 } else { sign }
    })
}

/// `.xorsign.abs`: of the magnitudes, with the exclusive or of the signs.
pub(super) fn select_signed(greater: bool, mods: &Modifiers) -> Alu {
    match (mods.ftz, mods.nan, greater) {
        (false, false, false) => signed::<false, false, false>(),
        (false, false, true) => signed::<false, false, true>(),
        (false, true, false) => signed::<false, true, false>(),
        (false, true, true) => signed::<false, true, true>(),
        (true, false, false) => signed::<true, false, false>(),
        (true, false, true) => signed::<true, false, true>(),
        (true, true, false) => signed::<true, true, false>(),
        (true, true, true) => signed::<true, true, true>(),
    }
}

fn three<const FTZ: bool, const NAN: bool, const GREATER: bool>(abs: bool) -> Alu {
    if abs {
        narrow!(|a, b, c| {
            let part = |x: u32| source::<FTZ>(x).abs();
            let first = extreme::<NAN, GREATER>(part(a), part(b));
            result::<FTZ, false>(extreme::<NAN, GREATER>(first, part(c)))
        })
    } else {
        narrow!(|a, b, c| {
            let part = |x: u32| source::<FTZ>(x);
            let first = extreme::<NAN, GREATER>(part(a), part(b));
            result::<FTZ, false>(extreme::<NAN, GREATER>(first, part(c)))
        })
    }
}

/// `min` and `max` of three f32.
pub(super) fn select_three(opcode: Opcode, mods: &Modifiers) -> Option<Alu> {
    let greater = match opcode {
        Opcode::Min => false,
        Opcode::Max => true,
        _ => return None,
    };
    Some(match (mods.ftz, mods.nan, greater) {
        (false, false, false) => three::<false, false, false>(mods.abs),
        (false, false, true) => three::<false, false, true>(mods.abs),
        (false, true, false) => three::<false, true, false>(mods.abs),
        (false, true, true) => three::<false, true, true>(mods.abs),
        (true, false, false) => three::<true, false, false>(mods.abs),
        (true, false, true) => three::<true, false, true>(mods.abs),
        (true, true, false) => three::<true, true, false>(mods.abs),
        (true, true, true) => three::<true, true, true>(mods.abs),
    })
}
