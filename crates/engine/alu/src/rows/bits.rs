//! Operations on bits: Boolean functions, shifts, bit fields, bit counts and byte permutations.

use super::parts::*;
use super::table;
use crate::{Alu, L32};
use texunit_isa::PrmtMode;

table! { COMPOSED rows
    b32 {
        ["and.b16"] |a, b| low16(a.and(b));
        ["or.b16"] |a, b| low16(a.or(b));
        ["xor.b16"] |a, b| low16(a.xor(b));
        ["not.b16"] |a| low16(a.not());
        ["cnot.b16"] |a| is_zero(low16(a));
        ["cnot.b32"] |a| is_zero(a);
        // A shift by the width or more shifts out all bits. `shr` of a signed type fills with the
        // sign.
        ["shl.b16"] |a, b| low16(a.shl(b));
        ["shr.b16", "shr.u16"] |a, b| low16(a).shr_u(b);
        ["shr.s16"] |a, b| low16(signed16(a).shr_s(b));
        ["shf.l.clamp.b32"] |a, b, c| a.when(c.ge_u(lit(32)), a.shf_l(b, c));
        ["shf.r.clamp.b32"] |a, b, c| b.when(c.ge_u(lit(32)), a.shf_r(b, c));

        // Only the low bytes of position and length count (PTX ISA, bfe, bfi).
        ["bfe.u32"] |a, b, c| a.shr_u(byte(b)).and(ones(byte(c)));
        ["bfe.s32"] |a, b, c| signed_low(a.shr_s(byte(b)), byte(c));
        ["bfi.b32"] |a, b, c, d| {
            let (pos, len) = (byte(c), byte(d));
            a.shl(pos).pick(b, ones(len).shl(pos))
        };
        ["bmsk.clamp.b32"] |a, b| ones(b).shl(a);
        ["bmsk.wrap.b32"] |a, b| ones(modulo32(b)).shl(modulo32(a));
        ["szext.clamp.u32"] |a, b| a.and(ones(b));
        ["szext.wrap.u32"] |a, b| a.and(ones(modulo32(b)));
        ["szext.clamp.s32"] |a, b| signed_low(a, b);
        ["szext.wrap.s32"] |a, b| signed_low(a, modulo32(b));
        ["copysign.f32"] |a, b| a.pick(b, lit(1 << 31));
        ["popc.b32"] |a| ones_of(a);
        ["clz.b32"] |a| a.zeros_above();
        // `bfind` gives the position of the highest bit that differs from the sign, or all ones if
        // there is none.
        ["bfind.u32"] |a| B32::sub(lit(31), a.zeros_above());
        ["bfind.s32"] |a| B32::sub(lit(31), without_sign(a).zeros_above());
        ["bfind.shiftamt.u32"] |a| found(a.zeros_above(), 5);
        ["bfind.shiftamt.s32"] |a| found(without_sign(a).zeros_above(), 5);
        ["brev.b32"] |a| a.reverse();
        ["prmt.b32"] |a, b, c| permute(a, b, c);
    }
    truncate {
        ["popc.b64"] |a| ones_of(a.low()).add(ones_of(a.shr_u(lit(32)).low()));
        ["clz.b64"] |a| zeros_above64(a);
        ["bfind.u64"] |a| B32::sub(lit(63), zeros_above64(a));
        ["bfind.s64"] |a| B32::sub(lit(63), zeros_above64(a.xor(a.shr_s(lit(63)))));
        ["bfind.shiftamt.u64"] |a| found(zeros_above64(a), 6);
        ["bfind.shiftamt.s64"] |a| found(zeros_above64(a.xor(a.shr_s(lit(63)))), 6);
    }
    b64 {
        ["not.b64"] |a| a.not();
        ["brev.b64"] |a| a.low().reverse().extend_u().shl(lit(32)).or(a.shr_u(lit(32)).low().reverse().extend_u());
        ["cnot.b64"] |a| B64::when(lit(1), a.eq(lit(0)), lit(0));
        ["copysign.f64"] |a, b| a.pick(b, lit(1 << 63));
    }
    // All bits of the positions and lengths of 64-bit fields count, as in the code that ptxas
    // generates (docs/numerics.md, 13.9).
    field64 {
        ["bfe.u64"] |a, b, c| a.shr_u(b).and(ones64(c));
        ["bfe.s64"] |a, b, c| {
            let unused = B32::sub(lit(64), c.min_u(lit(64)));
            a.shr_s(b).shl(unused).shr_s(unused)
        };
    }
    insert64 {
        ["bfi.b64"] |a, b, c, d| a.shl(c).pick(b, B64::shl(ones64(d), c));
    }
}

table! { CALLED calls
    b32 {
        ["fns.b32"] |a, b, c| fns(a, b, c as i32);
        ["prmt.b32.f4e"] |a, b, c| permute(a, b, selector(PrmtMode::F4e, c));
        ["prmt.b32.b4e"] |a, b, c| permute(a, b, selector(PrmtMode::B4e, c));
        ["prmt.b32.rc8"] |a, b, c| permute(a, b, selector(PrmtMode::Rc8, c));
        ["prmt.b32.ecl"] |a, b, c| permute(a, b, selector(PrmtMode::Ecl, c));
        ["prmt.b32.ecr"] |a, b, c| permute(a, b, selector(PrmtMode::Ecr, c));
        ["prmt.b32.rc16"] |a, b, c| permute(a, b, selector(PrmtMode::Rc16, c));
    }
    function {
        ["lop3.b32"] | | Alu::Lop3;
    }
}

/// Returns 1 if the value is zero, else 0.
fn is_zero<V: B32>(a: V) -> V {
    B32::sub(lit(1), a.min_u(lit(1)))
}

fn byte<V: B32>(a: V) -> V {
    a.and(lit(0xff))
}

fn modulo32<V: B32>(a: V) -> V {
    a.and(lit(31))
}

/// The low `len` bits of a value, sign-extended; 0 if `len` is 0.
fn signed_low<V: B32>(a: V, len: V) -> V {
    let unused = B32::sub(lit::<V>(32), len.min_u(lit(32)));
    a.shl(unused).shr_s(unused)
}

/// A mask of the lowest `len` of 64 bits.
fn ones64<W: B64>(len: W::Narrow) -> W {
    B64::shl(lit::<W>(u64::MAX), len).not()
}

/// The result of `bfind.shiftamt`: the number of leading zeros, which is the shift that moves the
/// found bit to the top. If this number is `1 << bit`, no bit is set, and the result is all ones.
fn found<V: B32>(zeros: V, bit: u64) -> V {
    zeros.or(B32::sub(lit(0), zeros.shr_u(lit(bit))))
}

/// The value, with all bits inverted if it is negative.
fn without_sign<V: B32>(a: V) -> V {
    a.xor(a.shr_s(lit(31)))
}

fn zeros_above64<W: B64>(a: W) -> W::Narrow
where
    W::Narrow: B32,
{
    let (low, high) = (a.low(), a.shr_u(lit(32)).low());
    let below = low.zeros_above().add(lit(32));
    below.when(high.eq(lit(0)), high.zeros_above())
}

/// The result of `fns`: the position of the n-th set bit of `mask` from `base` on, upwards if n is
/// positive and downwards if n is negative; `base` itself for n = 0.
#[inline(always)]
fn fns(mask: u32, base: u32, n: i32) -> u32 {
    // For a negative n, ptxas's code searches for the -n-th bit of the mirrored mask. For the
    // lowest number, -n is negative again, so that the search runs to the end of the mask
    // (docs/numerics.md, 13.12).
    if n == i32::MIN {
        return 0;
    }
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

/// The selector for `prmt` with a mode, from the two low bits of c.
#[inline(always)]
fn selector(mode: PrmtMode, c: u32) -> u32 {
    let selectors = match mode {
        PrmtMode::F4e => [0x3210, 0x4321, 0x5432, 0x6543],
        PrmtMode::B4e => [0x5670, 0x6701, 0x7012, 0x0123],
        PrmtMode::Rc8 => [0x0000, 0x1111, 0x2222, 0x3333],
        PrmtMode::Ecl => [0x3210, 0x3211, 0x3222, 0x3333],
        PrmtMode::Ecr => [0x0000, 0x1110, 0x2210, 0x3210],
        PrmtMode::Rc16 => [0x1010, 0x3232, 0x1010, 0x3232],
    };
    selectors[(c & 3) as usize]
}

/// Selects four bytes of the pair b:a. Bit 3 of a selector's nibble replicates the byte's sign.
#[inline(always)]
fn permute<V: B32>(a: V, b: V, selector: V) -> V {
    let each = 0x0101_0101;
    // The four nibbles of the selector are spread to four bytes.
    let nibbles = low16(selector);
    let nibbles = nibbles.or(nibbles.shl(lit(8))).and(lit(0x00ff_00ff));
    let nibbles = nibbles.or(nibbles.shl(lit(4))).and(lit(0x0f0f_0f0f));
    let of_b = nibbles.shl(lit(5)).and(lit(0x80 * each));
    let place = nibbles.and(lit(3 * each));
    let value = a.bytes(place.or(of_b)).or(b.bytes(place.or(of_b.xor(lit(0x80 * each)))));
    let spread = nibbles.shr_u(lit(3)).and(lit(each)).mul_lo(lit(0xff));
    value.shr_u(lit(7)).and(lit(each)).mul_lo(lit(0xff)).pick(value, spread)
}

/// A Boolean function of two predicates, by its truth table ([`Alu::Predicate`]).
#[inline]
pub fn logic(table: u8, a: u32, b: u32) -> u32 {
    let of = |bit: u32| 0_u32.wrapping_sub(u32::from(table) >> bit & 1);
    of(3) & a & b | of(2) & a & !b | of(1) & !a & b | of(0) & !a & !b
}

/// A Boolean function of three sources, by its truth table.
pub fn lop3(d: &mut L32, a: &L32, b: &L32, c: &L32, table: u8) {
    macro_rules! is {
        (|$a:tt, $b:tt, $c:tt| $e:expr) => {
            if let Alu::Narrow(f) = crate::calls::gathered!(Narrow, |$a, $b, $c| $e) {
                f(d, a, b, c);
            }
        };
    }
    // Frequent truth tables have expressions of their own, which are the shortest.
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
