//! Integer arithmetic: add to sad, and the dot products.
//!
//! Division by zero is a value, as on hardware: `div` and `rem` give all ones of the type (the
//! ISA leaves both open; this is what the code that ptxas generates for them returns).
//! The most negative number divided by -1 is itself, with remainder 0.

use texunit_isa::{Modifiers, MulPart, Opcode, ScalarType as Ty};

use super::Alu;
use super::lanes::{ints, narrow, wide, widen};

/// High half of a product.
#[inline(always)]
fn hi_u64(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> 64) as u64
}

#[inline(always)]
fn hi_s64(a: i64, b: i64) -> i64 {
    ((i128::from(a) * i128::from(b)) >> 64) as i64
}

#[inline(always)]
fn hi_u32(a: u32, b: u32) -> u32 {
    ((u64::from(a) * u64::from(b)) >> 32) as u32
}

#[inline(always)]
fn hi_s32(a: u32, b: u32) -> u32 {
    ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32
}

#[inline(always)]
fn hi_u16(a: u32, b: u32) -> u32 {
    ((a & 0xffff) * (b & 0xffff)) >> 16
}

#[inline(always)]
fn hi_s16(a: u32, b: u32) -> u32 {
    ((i32::from(a as i16) * i32::from(b as i16)) >> 16) as u32 & 0xffff
}

/// The low 24 bits, sign-extended for signed types.
#[inline(always)]
fn s24(a: u32) -> i64 {
    i64::from((a << 8) as i32 >> 8)
}

#[inline(always)]
fn u24(a: u32) -> u64 {
    u64::from(a & 0xff_ffff)
}

#[inline(always)]
fn sat_s32(sum: i64) -> u32 {
    sum.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32 as u32
}

/// Integer instructions of the given type, or `None`.
pub(super) fn select(opcode: Opcode, ty: Ty, mods: &Modifiers) -> Option<Alu> {
    let part = mods.part;
    if matches!(ty, Ty::U8x4 | Ty::S8x4) || mods.sat && matches!(ty, Ty::U16x2 | Ty::S16x2) {
        return elements(opcode, ty, mods);
    }
    match opcode {
        Opcode::Add if mods.sat => match ty {
            Ty::S32 => Some(narrow!(|a, b, _| (a as i32).saturating_add(b as i32) as u32)),
            _ => None,
        },
        Opcode::Sub if mods.sat => match ty {
            Ty::S32 => Some(narrow!(|a, b, _| (a as i32).saturating_sub(b as i32) as u32)),
            _ => None,
        },
        Opcode::Add => match ty {
            Ty::U16x2 | Ty::S16x2 => Some(narrow!(|a, b, _| {
                (a.wrapping_add(b) & 0xffff) | ((a >> 16).wrapping_add(b >> 16) << 16)
            })),
            _ => ints!(ty, T, |a, b, _| a.wrapping_add(b)),
        },
        Opcode::Sub => ints!(ty, T, |a, b, _| a.wrapping_sub(b)),
        Opcode::Mul => mul(ty, part?),
        Opcode::Mad => mad(ty, part?, mods.sat),
        Opcode::Mul24 => mul24(ty, part?),
        Opcode::Mad24 => mad24(ty, part?, mods.sat),
        Opcode::Div => ints!(ty, T, |a, b, _| if b == 0 { !0 } else { a.wrapping_div(b) }),
        Opcode::Rem => ints!(ty, T, |a, b, _| if b == 0 { !0 } else { a.wrapping_rem(b) }),
        Opcode::Abs if ty.is_signed() => signed(opcode, ty),
        Opcode::Neg if ty.is_signed() => signed(opcode, ty),
        Opcode::Min | Opcode::Max => min_max(opcode, ty, mods.relu),
        Opcode::Sad => ints!(ty, T, |a, b, c| {
            let distance = if a > b { a.wrapping_sub(b) } else { b.wrapping_sub(a) };
            distance.wrapping_add(c)
        }),
        Opcode::Dp4a | Opcode::Dp2a => dot(opcode, ty, mods),
        _ => None,
    }
}

/// Each element of a register through `f`: `BITS` wide, sign-extended if `SIGNED`.
#[inline(always)]
fn each<const BITS: u32, const SIGNED: bool>(a: u32, b: u32, f: impl Fn(i32, i32) -> i32) -> u32 {
    let mut result = 0;
    for k in 0..32 / BITS {
        let element = |x: u32| {
            let top = x >> (k * BITS) << (32 - BITS);
            if SIGNED { top as i32 >> (32 - BITS) } else { (top >> (32 - BITS)) as i32 }
        };
        let value = f(element(a), element(b)) as u32;
        result |= (value << (32 - BITS) >> (32 - BITS)) << (k * BITS);
    }
    result
}

/// Four bytes, and halves that saturate.
#[rustfmt::skip]
fn elements(opcode: Opcode, ty: Ty, mods: &Modifiers) -> Option<Alu> {
    Some(match (opcode, ty, mods.sat, mods.relu) {
        (Opcode::Add, Ty::U16x2, ..) => narrow!(|a, b, _| each::<16, false>(a, b, |a, b| (a + b).min(0xffff))),
        (Opcode::Add, Ty::S16x2, ..) => narrow!(|a, b, _| each::<16, true>(a, b, |a, b| (a + b).clamp(-0x8000, 0x7fff))),
        (Opcode::Add, Ty::U8x4, true, _) => narrow!(|a, b, _| each::<8, false>(a, b, |a, b| (a + b).min(0xff))),
        (Opcode::Add, Ty::S8x4, true, _) => narrow!(|a, b, _| each::<8, true>(a, b, |a, b| (a + b).clamp(-0x80, 0x7f))),
        (Opcode::Add, _, false, _) => narrow!(|a, b, _| each::<8, false>(a, b, |a, b| a + b)),
        (Opcode::Sub, Ty::U8x4, true, _) => narrow!(|a, b, _| each::<8, false>(a, b, |a, b| (a - b).max(0))),
        (Opcode::Sub, Ty::S8x4, true, _) => narrow!(|a, b, _| each::<8, true>(a, b, |a, b| (a - b).clamp(-0x80, 0x7f))),
        (Opcode::Sub, Ty::U8x4 | Ty::S8x4, false, _) => narrow!(|a, b, _| each::<8, false>(a, b, |a, b| a - b)),
        (Opcode::Neg, Ty::S8x4, ..) => narrow!(|a, b, _| each::<8, true>(a, b, |a, _| -a)),
        (Opcode::Min, Ty::U8x4, ..) => narrow!(|a, b, _| each::<8, false>(a, b, |a, b| a.min(b))),
        (Opcode::Max, Ty::U8x4, ..) => narrow!(|a, b, _| each::<8, false>(a, b, |a, b| a.max(b))),
        (Opcode::Min, Ty::S8x4, _, false) => narrow!(|a, b, _| each::<8, true>(a, b, |a, b| a.min(b))),
        (Opcode::Max, Ty::S8x4, _, false) => narrow!(|a, b, _| each::<8, true>(a, b, |a, b| a.max(b))),
        (Opcode::Min, Ty::S8x4, _, true) => narrow!(|a, b, _| each::<8, true>(a, b, |a, b| a.min(b).max(0))),
        (Opcode::Max, Ty::S8x4, _, true) => narrow!(|a, b, _| each::<8, true>(a, b, |a, b| a.max(b).max(0))),
        _ => return None,
    })
}

fn signed(opcode: Opcode, ty: Ty) -> Option<Alu> {
    match (opcode, ty) {
        (Opcode::Abs, Ty::S16) => Some(narrow!(|a, _, _| (a as i16).wrapping_abs() as u16 as u32)),
        (Opcode::Abs, Ty::S32) => Some(narrow!(|a, _, _| (a as i32).wrapping_abs() as u32)),
        (Opcode::Abs, Ty::S64) => Some(wide!(|a, _, _| (a as i64).wrapping_abs() as u64)),
        (Opcode::Neg, _) => ints!(ty, T, |a, _, _| (0 as T).wrapping_sub(a)),
        _ => None,
    }
}

fn min_max(opcode: Opcode, ty: Ty, relu: bool) -> Option<Alu> {
    let max = opcode == Opcode::Max;
    match (ty, max, relu) {
        (Ty::S32, false, true) => Some(narrow!(|a, b, _| (a as i32).min(b as i32).max(0) as u32)),
        (Ty::S32, true, true) => Some(narrow!(|a, b, _| (a as i32).max(b as i32).max(0) as u32)),
        (Ty::U16x2, false, false) => Some(narrow!(|a, b, _| u16x2(a, b, |x, y| x.min(y)))),
        (Ty::U16x2, true, false) => Some(narrow!(|a, b, _| u16x2(a, b, |x, y| x.max(y)))),
        (Ty::S16x2, ..) => Some(match (max, relu) {
            (false, false) => narrow!(|a, b, _| s16x2(a, b, |x, y| x.min(y))),
            (false, true) => narrow!(|a, b, _| s16x2(a, b, |x, y| x.min(y).max(0))),
            (true, false) => narrow!(|a, b, _| s16x2(a, b, |x, y| x.max(y))),
            (true, true) => narrow!(|a, b, _| s16x2(a, b, |x, y| x.max(y).max(0))),
        }),
        (Ty::B16 | Ty::B32 | Ty::B64, ..) | (_, _, true) => None,
        (_, false, _) => ints!(ty, T, |a, b, _| a.min(b)),
        (_, true, _) => ints!(ty, T, |a, b, _| a.max(b)),
    }
}

#[inline(always)]
fn u16x2(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    u32::from(f(a as u16, b as u16)) | u32::from(f((a >> 16) as u16, (b >> 16) as u16)) << 16
}

#[inline(always)]
fn s16x2(a: u32, b: u32, f: impl Fn(i16, i16) -> i16) -> u32 {
    let low = f(a as i16, b as i16) as u16;
    let high = f((a >> 16) as i16, (b >> 16) as i16) as u16;
    u32::from(low) | u32::from(high) << 16
}

#[rustfmt::skip]
fn mul(ty: Ty, part: MulPart) -> Option<Alu> {
    Some(match (part, ty) {
        (MulPart::Lo, _) => return ints!(ty, T, |a, b, _| a.wrapping_mul(b)),
        (MulPart::Hi, Ty::U16) => narrow!(|a, b, _| hi_u16(a, b)),
        (MulPart::Hi, Ty::S16) => narrow!(|a, b, _| hi_s16(a, b)),
        (MulPart::Hi, Ty::U32) => narrow!(|a, b, _| hi_u32(a, b)),
        (MulPart::Hi, Ty::S32) => narrow!(|a, b, _| hi_s32(a, b)),
        (MulPart::Hi, Ty::U64) => wide!(|a, b, _| hi_u64(a, b)),
        (MulPart::Hi, Ty::S64) => wide!(|a, b, _| hi_s64(a as i64, b as i64) as u64),
        (MulPart::Wide, Ty::U16) => narrow!(|a, b, _| (a & 0xffff) * (b & 0xffff)),
        (MulPart::Wide, Ty::S16) => narrow!(|a, b, _| (i32::from(a as i16) * i32::from(b as i16)) as u32),
        (MulPart::Wide, Ty::U32) => widen!(|a, b, _| u64::from(a) * u64::from(b)),
        (MulPart::Wide, Ty::S32) => widen!(|a, b, _| (i64::from(a as i32) * i64::from(b as i32)) as u64),
        _ => return None,
    })
}

#[rustfmt::skip]
fn mad(ty: Ty, part: MulPart, sat: bool) -> Option<Alu> {
    Some(match (part, ty, sat) {
        (MulPart::Hi, Ty::S32, true) => narrow!(|a, b, c| (hi_s32(a, b) as i32).saturating_add(c as i32) as u32),
        (_, _, true) => return None,
        (MulPart::Lo, _, _) => return ints!(ty, T, |a, b, c| a.wrapping_mul(b).wrapping_add(c)),
        (MulPart::Hi, Ty::U16, _) => narrow!(|a, b, c| hi_u16(a, b).wrapping_add(c) & 0xffff),
        (MulPart::Hi, Ty::S16, _) => narrow!(|a, b, c| hi_s16(a, b).wrapping_add(c) & 0xffff),
        (MulPart::Hi, Ty::U32, _) => narrow!(|a, b, c| hi_u32(a, b).wrapping_add(c)),
        (MulPart::Hi, Ty::S32, _) => narrow!(|a, b, c| hi_s32(a, b).wrapping_add(c)),
        (MulPart::Hi, Ty::U64, _) => wide!(|a, b, c| hi_u64(a, b).wrapping_add(c)),
        (MulPart::Hi, Ty::S64, _) => wide!(|a, b, c| (hi_s64(a as i64, b as i64) as u64).wrapping_add(c)),
        (MulPart::Wide, Ty::U16, _) => narrow!(|a, b, c| ((a & 0xffff) * (b & 0xffff)).wrapping_add(c)),
        (MulPart::Wide, Ty::S16, _) => narrow!(|a, b, c| ((i32::from(a as i16) * i32::from(b as i16)) as u32).wrapping_add(c)),
        (MulPart::Wide, Ty::U32, _) => widen!(|a, b, c| (u64::from(a) * u64::from(b)).wrapping_add(c)),
        (MulPart::Wide, Ty::S32, _) => widen!(|a, b, c| ((i64::from(a as i32) * i64::from(b as i32)) as u64).wrapping_add(c)),
        _ => return None,
    })
}

/// The 48-bit product of 24-bit numbers: its low 32 bits, or its bits 47..16.
#[rustfmt::skip]
fn mul24(ty: Ty, part: MulPart) -> Option<Alu> {
    Some(match (part, ty) {
        (MulPart::Lo, Ty::U32) => narrow!(|a, b, _| (u24(a) * u24(b)) as u32),
        (MulPart::Lo, Ty::S32) => narrow!(|a, b, _| (s24(a) * s24(b)) as u32),
        (MulPart::Hi, Ty::U32) => narrow!(|a, b, _| ((u24(a) * u24(b)) >> 16) as u32),
        (MulPart::Hi, Ty::S32) => narrow!(|a, b, _| ((s24(a) * s24(b)) >> 16) as u32),
        _ => return None,
    })
}

#[rustfmt::skip]
fn mad24(ty: Ty, part: MulPart, sat: bool) -> Option<Alu> {
    Some(match (part, ty, sat) {
        (MulPart::Lo, Ty::U32, false) => narrow!(|a, b, c| ((u24(a) * u24(b)) as u32).wrapping_add(c)),
        (MulPart::Lo, Ty::S32, false) => narrow!(|a, b, c| ((s24(a) * s24(b)) as u32).wrapping_add(c)),
        (MulPart::Hi, Ty::U32, false) => narrow!(|a, b, c| (((u24(a) * u24(b)) >> 16) as u32).wrapping_add(c)),
        (MulPart::Hi, Ty::S32, false) => narrow!(|a, b, c| (((s24(a) * s24(b)) >> 16) as u32).wrapping_add(c)),
        (MulPart::Hi, Ty::S32, true) => narrow!(|a, b, c| sat_s32(((s24(a) * s24(b)) >> 16) + i64::from(c as i32))),
        _ => return None,
    })
}

/// `dp4a` and `dp2a`: products of bytes (of a half and a byte), added to c.
fn dot(opcode: Opcode, ty: Ty, mods: &Modifiers) -> Option<Alu> {
    let second = mods.types.get(1)?.is_signed();
    macro_rules! dots {
        ($dot:ident, $arg:expr) => {
            match (ty.is_signed(), second) {
                (false, false) => narrow!(|a, b, c| $dot::<false, false>(a, b, c, $arg)),
                (false, true) => narrow!(|a, b, c| $dot::<false, true>(a, b, c, $arg)),
                (true, false) => narrow!(|a, b, c| $dot::<true, false>(a, b, c, $arg)),
                (true, true) => narrow!(|a, b, c| $dot::<true, true>(a, b, c, $arg)),
            }
        };
    }
    if !matches!(ty, Ty::U32 | Ty::S32) {
        return None;
    }
    match (opcode, mods.part) {
        (Opcode::Dp4a, None) => Some(dots!(dp4a, 0)),
        (Opcode::Dp2a, Some(MulPart::Lo)) => Some(dots!(dp2a, 0)),
        (Opcode::Dp2a, Some(MulPart::Hi)) => Some(dots!(dp2a, 16)),
        _ => None,
    }
}

#[inline(always)]
fn byte<const SIGNED: bool>(word: u32, shift: u32) -> i32 {
    let byte = (word >> shift) as u8;
    if SIGNED { i32::from(byte as i8) } else { i32::from(byte) }
}

#[inline(always)]
fn dp4a<const A: bool, const B: bool>(a: u32, b: u32, c: u32, _: u32) -> u32 {
    [0, 8, 16, 24]
        .iter()
        .fold(c, |sum, &s| sum.wrapping_add((byte::<A>(a, s) * byte::<B>(b, s)) as u32))
}

#[inline(always)]
fn dp2a<const A: bool, const B: bool>(a: u32, b: u32, c: u32, at: u32) -> u32 {
    let half = |shift: u32| {
        let half = (a >> shift) as u16;
        if A { i32::from(half as i16) } else { i32::from(half) }
    };
    c.wrapping_add((half(0) * byte::<B>(b, at)) as u32)
        .wrapping_add((half(16) * byte::<B>(b, at + 8)) as u32)
}
