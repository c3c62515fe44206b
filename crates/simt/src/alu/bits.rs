//! Logic, shifts, fields, counts and permutations.

use texunit_isa::{Modifiers, Opcode, PrmtMode, ScalarType as Ty};

use super::lanes::{cut, ints, mixed, narrow, wide};
use super::{Alu, L32, L64};

/// Instructions on bits, or `None`.
pub(super) fn select(opcode: Opcode, ty: Ty, mods: &Modifiers) -> Option<Alu> {
    match (opcode, ty) {
        (Opcode::And, Ty::Pred) => Some(Alu::Predicate(|a, b| a & b)),
        (Opcode::Or, Ty::Pred) => Some(Alu::Predicate(|a, b| a | b)),
        (Opcode::Xor, Ty::Pred) => Some(Alu::Predicate(|a, b| a ^ b)),
        (Opcode::Not, Ty::Pred) => Some(Alu::Predicate(|a, _| !a)),
        (Opcode::And, _) => ints!(ty, T, |a, b, _| a & b),
        (Opcode::Or, _) => ints!(ty, T, |a, b, _| a | b),
        (Opcode::Xor, _) => ints!(ty, T, |a, b, _| a ^ b),
        (Opcode::Not, _) => ints!(ty, T, |a, _, _| !a),
        (Opcode::Cnot, _) => ints!(ty, T, |a, _, _| T::from(a == 0)),
        (Opcode::Shl | Opcode::Shr, _) => shift(opcode, ty),
        (Opcode::Shf, Ty::B32) => Some(match (mods.shf_right, mods.wrap) {
            (false, false) => narrow!(|a, b, c| (pair(a, b) << c.min(32) >> 32) as u32),
            (false, true) => narrow!(|a, b, c| (pair(a, b) << (c & 31) >> 32) as u32),
            (true, false) => narrow!(|a, b, c| (pair(a, b) >> c.min(32)) as u32),
            (true, true) => narrow!(|a, b, c| (pair(a, b) >> (c & 31)) as u32),
        }),
        (Opcode::Bfe, _) => bfe(ty),
        (Opcode::Bfi, Ty::B32) => Some(Alu::Narrow4(bfi32)),
        (Opcode::Bfi, Ty::B64) => Some(Alu::Mixed4(bfi64)),
        (Opcode::Bfind, _) => bfind(ty, mods.shiftamt),
        (Opcode::Bmsk, Ty::B32) => Some(if mods.wrap {
            narrow!(|a, b, _| bmsk(a & 31, b & 31))
        } else {
            narrow!(|a, b, _| bmsk(a.min(32), b.min(32)))
        }),
        (Opcode::Szext, Ty::U32 | Ty::S32) => Some(match (ty.is_signed(), mods.wrap) {
            (false, false) => narrow!(|a, b, _| szext::<false>(a, b.min(32))),
            (false, true) => narrow!(|a, b, _| szext::<false>(a, b & 31)),
            (true, false) => narrow!(|a, b, _| szext::<true>(a, b.min(32))),
            (true, true) => narrow!(|a, b, _| szext::<true>(a, b & 31)),
        }),
        (Opcode::Fns, Ty::B32) => Some(narrow!(|a, b, c| fns(a, b, c as i32))),
        (Opcode::Brev, Ty::B32) => Some(narrow!(|a, _, _| a.reverse_bits())),
        (Opcode::Brev, Ty::B64) => Some(wide!(|a, _, _| a.reverse_bits())),
        (Opcode::Popc, Ty::B32) => Some(narrow!(|a, _, _| a.count_ones())),
        (Opcode::Popc, Ty::B64) => Some(cut!(|a| a.count_ones())),
        (Opcode::Clz, Ty::B32) => Some(narrow!(|a, _, _| a.leading_zeros())),
        (Opcode::Clz, Ty::B64) => Some(cut!(|a| a.leading_zeros())),
        (Opcode::Prmt, Ty::B32) => Some(prmt(mods.prmt)),
        (Opcode::Lop3, Ty::B32) => Some(Alu::Lop3(lop3)),
        _ => None,
    }
}

/// Amounts of the width or more shift everything out; `shr` of a signed type fills with the sign.
fn shift(opcode: Opcode, ty: Ty) -> Option<Alu> {
    Some(match (opcode, ty) {
        (Opcode::Shl, Ty::B16) => {
            narrow!(|a, b, _| if b < 16 { (a << (b & 15)) & 0xffff } else { 0 })
        }
        (Opcode::Shl, Ty::B32) => narrow!(|a, b, _| if b < 32 { a << (b & 31) } else { 0 }),
        (Opcode::Shl, Ty::B64) => mixed!(|a, b, _| match b as u32 {
            b @ 0..64 => a << b,
            _ => 0,
        }),
        (Opcode::Shr, Ty::B16 | Ty::U16) => {
            narrow!(|a, b, _| if b < 16 { (a & 0xffff) >> (b & 15) } else { 0 })
        }
        (Opcode::Shr, Ty::S16) => {
            narrow!(|a, b, _| (i32::from(a as i16) >> b.min(15)) as u32 & 0xffff)
        }
        (Opcode::Shr, Ty::B32 | Ty::U32) => {
            narrow!(|a, b, _| if b < 32 { a >> (b & 31) } else { 0 })
        }
        (Opcode::Shr, Ty::S32) => narrow!(|a, b, _| (a as i32 >> b.min(31)) as u32),
        (Opcode::Shr, Ty::B64 | Ty::U64) => mixed!(|a, b, _| match b as u32 {
            b @ 0..64 => a >> b,
            _ => 0,
        }),
        (Opcode::Shr, Ty::S64) => mixed!(|a, b, _| (a as i64 >> (b as u32).min(63)) as u64),
        _ => return None,
    })
}

/// `b:a` of shf.
#[inline(always)]
fn pair(a: u32, b: u32) -> u64 {
    u64::from(b) << 32 | u64::from(a)
}

fn bfe(ty: Ty) -> Option<Alu> {
    Some(match ty {
        Ty::U32 => narrow!(|a, b, c| field::<32>(a.into(), b, c) as u32),
        Ty::S32 => narrow!(|a, b, c| signed_field::<32>(a.into(), b, c) as u32),
        Ty::U64 => mixed!(|a, b, c| field::<64>(a, b as u32, c as u32)),
        Ty::S64 => mixed!(|a, b, c| signed_field::<64>(a, b as u32, c as u32)),
        _ => return None,
    })
}

/// `len` low ones.
#[inline(always)]
fn ones(len: u32) -> u64 {
    if len < 64 { (1 << len) - 1 } else { !0 }
}

/// What counts of a position or a length: the low byte (PTX ISA, bfe, bfi), but all of it for 64
/// bits, which several machine instructions do (docs/numerics.md, 13.9).
#[inline(always)]
fn counted<const WIDTH: u32>(x: u32) -> u32 {
    if WIDTH == 64 { x } else { x & 0xff }
}

/// Bits `pos .. pos + len`; those at WIDTH or above read 0.
#[inline(always)]
fn field<const WIDTH: u32>(a: u64, pos: u32, len: u32) -> u64 {
    let (pos, len) = (counted::<WIDTH>(pos), counted::<WIDTH>(len));
    if pos < WIDTH { (a >> pos) & ones(len) } else { 0 }
}

/// The field with its sign above it: its top bit, or bit WIDTH-1 where it reaches beyond.
#[inline(always)]
fn signed_field<const WIDTH: u32>(a: u64, pos: u32, len: u32) -> u64 {
    let (pos, len) = (counted::<WIDTH>(pos), counted::<WIDTH>(len));
    if len == 0 {
        return 0;
    }
    let sign = (a >> pos.saturating_add(len - 1).min(WIDTH - 1)) & 1;
    // The bits that the field really holds.
    let held = len.min(WIDTH.saturating_sub(pos));
    field::<WIDTH>(a, pos, held) | if sign == 1 { !ones(held) } else { 0 }
}

/// `a` inserted into `b` at `pos`.
#[inline(always)]
fn insert<const WIDTH: u32>(a: u64, b: u64, pos: u32, len: u32) -> u64 {
    let (pos, len) = (counted::<WIDTH>(pos), counted::<WIDTH>(len));
    if pos >= WIDTH {
        return b;
    }
    let mask = ones(len) << pos;
    (b & !mask) | ((a << pos) & mask)
}

fn bfi32(d: &mut L32, a: &L32, b: &L32, c: &L32, e: &L32) {
    for i in 0..32 {
        d[i] = insert::<32>(a[i].into(), b[i].into(), c[i], e[i]) as u32;
    }
}

fn bfi64(d: &mut L64, a: &L64, b: &L64, c: &L64, e: &L64) {
    for i in 0..32 {
        d[i] = insert::<64>(a[i], b[i], c[i] as u32, e[i] as u32);
    }
}

/// Position of the highest bit that differs from the sign, or all ones where there is none.
#[rustfmt::skip]
fn bfind(ty: Ty, shiftamt: bool) -> Option<Alu> {
    Some(match (ty, shiftamt) {
        (Ty::U32, false) => narrow!(|a, _, _| 31u32.wrapping_sub(a.leading_zeros())),
        (Ty::S32, false) => narrow!(|a, _, _| 31u32.wrapping_sub(magnitude32(a).leading_zeros())),
        (Ty::U64, false) => cut!(|a| 63u32.wrapping_sub(a.leading_zeros())),
        (Ty::S64, false) => cut!(|a| 63u32.wrapping_sub(magnitude64(a).leading_zeros())),
        (Ty::U32, true) => narrow!(|a, _, _| found(a.leading_zeros(), 32)),
        (Ty::S32, true) => narrow!(|a, _, _| found(magnitude32(a).leading_zeros(), 32)),
        (Ty::U64, true) => cut!(|a| found(a.leading_zeros(), 64)),
        (Ty::S64, true) => cut!(|a| found(magnitude64(a).leading_zeros(), 64)),
        _ => return None,
    })
}

/// The shift that brings the found bit to the top: the number of zeros above it.
#[inline(always)]
fn found(zeros: u32, width: u32) -> u32 {
    if zeros == width { !0 } else { zeros }
}

/// Inverted if negative.
#[inline(always)]
fn magnitude32(a: u32) -> u32 {
    a ^ (a as i32 >> 31) as u32
}

#[inline(always)]
fn magnitude64(a: u64) -> u64 {
    a ^ (a as i64 >> 63) as u64
}

/// `len` ones from bit `pos`; both at most 32.
#[inline(always)]
fn bmsk(pos: u32, len: u32) -> u32 {
    (ones(len) << pos) as u32
}

/// The low `len` bits (at most 32), extended; no bits are 0.
#[inline(always)]
fn szext<const SIGNED: bool>(a: u32, len: u32) -> u32 {
    let low = a & ones(len) as u32;
    let sign = (u64::from(a) << 1 >> len) & 1;
    if SIGNED && len > 0 && sign == 1 { low | !(ones(len) as u32) } else { low }
}

/// The n-th set bit from `base` on, upwards or downwards by the sign of n; itself for n = 0.
#[inline(always)]
fn fns(mask: u32, base: u32, n: i32) -> u32 {
    if base > 31 {
        return !0;
    }
    let mut left = match n {
        0 => mask & 1 << base,
        1.. => mask & !0 << base,
        _ => mask & !0 >> (31 - base),
    };
    for _ in 1..n.unsigned_abs().clamp(1, 33) {
        left = match n {
            1.. => left & left.wrapping_sub(1),
            _ => left & !(1u32 << 31).checked_shr(left.leading_zeros()).unwrap_or(0),
        };
    }
    match (left, n) {
        (0, _) => !0,
        (_, 0..) => left.trailing_zeros(),
        _ => 31 - left.leading_zeros(),
    }
}

/// The selectors that the modes of `prmt` stand for, by the two low bits of c.
#[rustfmt::skip]
const PRMT: [(PrmtMode, [u32; 4]); 6] = [
    (PrmtMode::F4e,  [0x3210, 0x4321, 0x5432, 0x6543]),
    (PrmtMode::B4e,  [0x5670, 0x6701, 0x7012, 0x0123]),
    (PrmtMode::Rc8,  [0x0000, 0x1111, 0x2222, 0x3333]),
    (PrmtMode::Ecl,  [0x3210, 0x3211, 0x3222, 0x3333]),
    (PrmtMode::Ecr,  [0x0000, 0x1110, 0x2210, 0x3210]),
    (PrmtMode::Rc16, [0x1010, 0x3232, 0x1010, 0x3232]),
];

fn prmt(mode: Option<PrmtMode>) -> Alu {
    macro_rules! by {
        ($row:literal) => {
            narrow!(|a, b, c| permute(a, b, PRMT[$row].1[(c & 3) as usize]))
        };
    }
    match mode {
        None => narrow!(|a, b, c| permute(a, b, c)),
        Some(PrmtMode::F4e) => by!(0),
        Some(PrmtMode::B4e) => by!(1),
        Some(PrmtMode::Rc8) => by!(2),
        Some(PrmtMode::Ecl) => by!(3),
        Some(PrmtMode::Ecr) => by!(4),
        Some(PrmtMode::Rc16) => by!(5),
    }
}

/// Four bytes of b:a; bit 3 of a selector nibble spreads the byte's sign over it.
#[inline(always)]
fn permute(a: u32, b: u32, selector: u32) -> u32 {
    let bytes = pair(a, b);
    let mut result = 0;
    for i in 0..4 {
        let nibble = selector >> (4 * i);
        let byte = (bytes >> (8 * (nibble & 7))) as u8;
        let sign = (byte as i8 >> 7) as u8;
        result |= u32::from(if nibble & 8 != 0 { sign } else { byte }) << (8 * i);
    }
    result
}

fn lop3(d: &mut L32, a: &L32, b: &L32, c: &L32, table: u8) {
    macro_rules! is {
        (|$a:tt, $b:tt, $c:tt| $e:expr) => {
            if let Alu::Narrow(f) = narrow!(|$a, $b, $c| $e) {
                f(d, a, b, c);
            }
        };
    }
    // The usual tables in their shortest form.
    match table {
        0x00 => d.fill(0),
        0xff => d.fill(!0),
        0x0f => is!(|a, _, _| !a),
        0xc0 => is!(|a, b, _| a & b),
        0xfc => is!(|a, b, _| a | b),
        0x3c => is!(|a, b, _| a ^ b),
        0x80 => is!(|a, b, c| a & b & c),
        0xfe => is!(|a, b, c| a | b | c),
        0x96 => is!(|a, b, c| a ^ b ^ c),
        0xf8 => is!(|a, b, c| a | (b & c)),
        0xe0 => is!(|a, b, c| a & (b | c)),
        0xca => is!(|a, b, c| (a & b) | (!a & c)),
        0xe8 => is!(|a, b, c| (a & b) | (c & (a | b))),
        _ => {
            let row = |k: u8| if table >> k & 1 == 1 { !0u32 } else { 0 };
            let rows = [row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)];
            for i in 0..32 {
                let pick = |s: u32, k: usize| (s & rows[k + 1]) | (!s & rows[k]);
                let low = (b[i] & pick(c[i], 2)) | (!b[i] & pick(c[i], 0));
                let high = (b[i] & pick(c[i], 6)) | (!b[i] & pick(c[i], 4));
                d[i] = (a[i] & high) | (!a[i] & low);
            }
        }
    }
}
