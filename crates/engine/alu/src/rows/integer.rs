//! Integer arithmetic, from `add` to `sad`, and dot products.
//!
//! Division by zero gives a value, as on hardware: the result of `div` and `rem` is all ones of the
//! type. The ISA does not define these results; the code that ptxas generates gives all ones. The
//! most negative number divided by -1 is itself, with remainder 0.

use super::parts::*;
use super::table;

table! { COMPOSED rows
    b32 {
        ["add.u16", "add.s16"] |a, b| low16(a.add(b));
        ["sub.u16", "sub.s16"] |a, b| low16(a.sub(b));
        ["mul.lo.u16", "mul.lo.s16"] |a, b| low16(a.mul_lo(b));
        ["mad.lo.u16", "mad.lo.s16"] |a, b, c| low16(a.mad_lo(b, c));
        ["mul.hi.u16"] |a, b| hi_u16(a, b);
        ["mul.hi.s16"] |a, b| hi_s16(a, b);
        ["mad.hi.u16"] |a, b, c| low16(hi_u16(a, b).add(c));
        ["mad.hi.s16"] |a, b, c| low16(hi_s16(a, b).add(c));
        ["mul.wide.u16"] |a, b| low16(a).mul_lo(low16(b));
        ["mul.wide.s16"] |a, b| signed16(a).mul_lo(signed16(b));
        ["mad.wide.u16"] |a, b, c| low16(a).mad_lo(low16(b), c);
        ["mad.wide.s16"] |a, b, c| signed16(a).mad_lo(signed16(b), c);
        ["neg.s16"] |a| low16(B32::sub(lit(0), a));
        ["abs.s16"] |a| low16(signed16(a).abs_s());
        ["min.u16"] |a, b| low16(a).min_u(low16(b));
        ["max.u16"] |a, b| low16(a).max_u(low16(b));
        ["min.s16"] |a, b| low16(signed16(a).min_s(signed16(b)));
        ["max.s16"] |a, b| low16(signed16(a).max_s(signed16(b)));
        ["sad.u16"] |a, b, c| low16(distance_u(low16(a), low16(b)).add(c));
        ["sad.s16"] |a, b, c| low16(distance_s(signed16(a), signed16(b)).add(c));

        ["add.sat.s32"] |a, b| add_sat(a, b);
        ["sub.sat.s32"] |a, b| sub_sat(a, b);
        ["add.sat.u32"] |a, b| a.min_u(b.not()).add(b);
        ["mad.hi.u32"] |a, b, c| a.mul_hi_u(b).add(c);
        ["mad.hi.s32"] |a, b, c| a.mul_hi_s(b).add(c);
        ["mad.hi.sat.s32"] |a, b, c| add_sat(a.mul_hi_s(b), c);
        ["sad.u32"] |a, b, c| distance_u(a, b).add(c);
        ["sad.s32"] |a, b, c| distance_s(a, b).add(c);
        ["min.relu.s32"] |a, b| a.min_s(b).max_s(lit(0));
        ["max.relu.s32"] |a, b| a.max_s(b).max_s(lit(0));

        ["mul24.lo.u32"] |a, b| low24(a).mul_lo(low24(b));
        ["mul24.lo.s32"] |a, b| signed24(a).mul_lo(signed24(b));
        ["mul24.hi.u32"] |a, b| hi24_u(a, b);
        ["mul24.hi.s32"] |a, b| hi24_s(a, b);
        ["mad24.lo.u32"] |a, b, c| low24(a).mad_lo(low24(b), c);
        ["mad24.lo.s32"] |a, b, c| signed24(a).mad_lo(signed24(b), c);
        ["mad24.hi.u32"] |a, b, c| hi24_u(a, b).add(c);
        ["mad24.hi.s32"] |a, b, c| hi24_s(a, b).add(c);
        ["mad24.hi.sat.s32"] |a, b, c| add_sat(hi24_s(a, b), c);

        ["add.u16x2", "add.s16x2"] |a, b| low16(a.add(b)).or(a.shr_u(lit(16)).add(b.shr_u(lit(16))).shl(lit(16)));
        ["add.sat.u16x2"] |a, b| elements(U16, a, b, |a, b| a.add(b).min_u(lit(0xffff)));
        ["add.sat.s16x2"] |a, b| elements(S16, a, b, |a, b| clamp(a.add(b), 16));
        ["min.u16x2"] |a, b| elements(U16, a, b, |a, b| a.min_u(b));
        ["max.u16x2"] |a, b| elements(U16, a, b, |a, b| a.max_u(b));
        ["min.s16x2"] |a, b| elements(S16, a, b, |a, b| a.min_s(b));
        ["max.s16x2"] |a, b| elements(S16, a, b, |a, b| a.max_s(b));
        ["min.relu.s16x2"] |a, b| elements(S16, a, b, |a, b| a.min_s(b).max_s(lit(0)));
        ["max.relu.s16x2"] |a, b| elements(S16, a, b, |a, b| a.max_s(b).max_s(lit(0)));
        ["add.u8x4", "add.s8x4"] |a, b| elements(U8, a, b, |a, b| a.add(b));
        ["sub.u8x4", "sub.s8x4"] |a, b| elements(U8, a, b, |a, b| a.sub(b));
        ["add.sat.u8x4"] |a, b| elements(U8, a, b, |a, b| a.add(b).min_u(lit(0xff)));
        ["add.sat.s8x4"] |a, b| elements(S8, a, b, |a, b| clamp(a.add(b), 8));
        ["sub.sat.u8x4"] |a, b| elements(U8, a, b, |a, b| a.sub(b).max_s(lit(0)));
        ["sub.sat.s8x4"] |a, b| elements(S8, a, b, |a, b| clamp(a.sub(b), 8));
        ["neg.s8x4"] |a| elements(S8, a, a, |a, _| B32::sub(lit(0), a));
        ["min.u8x4"] |a, b| elements(U8, a, b, |a, b| a.min_u(b));
        ["max.u8x4"] |a, b| elements(U8, a, b, |a, b| a.max_u(b));
        ["min.s8x4"] |a, b| elements(S8, a, b, |a, b| a.min_s(b));
        ["max.s8x4"] |a, b| elements(S8, a, b, |a, b| a.max_s(b));
        ["min.relu.s8x4"] |a, b| elements(S8, a, b, |a, b| a.min_s(b).max_s(lit(0)));
        ["max.relu.s8x4"] |a, b| elements(S8, a, b, |a, b| a.max_s(b).max_s(lit(0)));

        ["div.u32"] |a, b| or_ones(quotient(a, b), b);
        ["div.s32"] |a, b| or_ones(signed_quotient(a, b), b);
        ["rem.u32"] |a, b| or_ones(a.sub(quotient(a, b).mul_lo(b)), b);
        ["rem.s32"] |a, b| or_ones(a.sub(signed_quotient(a, b).mul_lo(b)), b);
        ["div.u16"] |a, b| low16(or_ones(short_quotient(low16(a), low16(b)), low16(b)));
        ["div.s16"] |a, b| low16(or_ones(short_quotient(signed16(a), signed16(b)), signed16(b)));
        ["rem.u16"] |a, b| {
            let (a, b) = (low16(a), low16(b));
            low16(or_ones(a.sub(short_quotient(a, b).mul_lo(b)), b))
        };
        ["rem.s16"] |a, b| {
            let (a, b) = (signed16(a), signed16(b));
            low16(or_ones(a.sub(short_quotient(a, b).mul_lo(b)), b))
        };

        ["dp4a.u32.u32"] |a, b, c| dp4a(U8, U8, a, b, c);
        ["dp4a.u32.s32"] |a, b, c| dp4a(U8, S8, a, b, c);
        ["dp4a.s32.u32"] |a, b, c| dp4a(S8, U8, a, b, c);
        ["dp4a.s32.s32"] |a, b, c| dp4a(S8, S8, a, b, c);
        ["dp2a.lo.u32.u32"] |a, b, c| dp2a(U16, U8, 0, a, b, c);
        ["dp2a.lo.u32.s32"] |a, b, c| dp2a(U16, S8, 0, a, b, c);
        ["dp2a.lo.s32.u32"] |a, b, c| dp2a(S16, U8, 0, a, b, c);
        ["dp2a.lo.s32.s32"] |a, b, c| dp2a(S16, S8, 0, a, b, c);
        ["dp2a.hi.u32.u32"] |a, b, c| dp2a(U16, U8, 2, a, b, c);
        ["dp2a.hi.u32.s32"] |a, b, c| dp2a(U16, S8, 2, a, b, c);
        ["dp2a.hi.s32.u32"] |a, b, c| dp2a(S16, U8, 2, a, b, c);
        ["dp2a.hi.s32.s32"] |a, b, c| dp2a(S16, S8, 2, a, b, c);
    }
    b64 {
        ["mad.lo.u64", "mad.lo.s64"] |a, b, c| a.mul_lo(b).add(c);
        ["mul.hi.u64"] |a, b| a.mul_hi_u(b);
        ["mul.hi.s64"] |a, b| hi_s64(a, b);
        ["mad.hi.u64"] |a, b, c| a.mul_hi_u(b).add(c);
        ["mad.hi.s64"] |a, b, c| hi_s64(a, b).add(c);
        ["neg.s64"] |a| B64::sub(lit(0), a);
        ["abs.s64"] |a| { let sign = a.shr_s(lit(63)); a.xor(sign).sub(sign) };
        ["min.u64"] |a, b| a.when(a.lt_u(b), b);
        ["max.u64"] |a, b| a.when(a.gt_u(b), b);
        ["min.s64"] |a, b| a.when(a.lt_s(b), b);
        ["max.s64"] |a, b| a.when(a.gt_s(b), b);
        ["sad.u64"] |a, b, c| a.sub(b).when(a.gt_u(b), b.sub(a)).add(c);
        ["sad.s64"] |a, b, c| a.sub(b).when(a.gt_s(b), b.sub(a)).add(c);
    }
}

// Quotients of 64 bits are functions, because an f64 cannot hold them.
table! { CALLED calls
    b64 {
        ["div.u64"] |a, b| a.checked_div(b).unwrap_or(u64::MAX);
        ["div.s64"] |a, b| if b == 0 { u64::MAX } else { (a as i64).wrapping_div(b as i64) as u64 };
        ["rem.u64"] |a, b| a.checked_rem(b).unwrap_or(u64::MAX);
        ["rem.s64"] |a, b| if b == 0 { u64::MAX } else { (a as i64).wrapping_rem(b as i64) as u64 };
    }
}

/// The quotient or remainder `value`, or all ones if the divisor b is zero.
fn or_ones<V: B32>(value: V, b: V) -> V {
    B32::when(lit(0xffff_ffff), b.eq(lit(0)), value)
}

/// The quotient of unsigned 32-bit numbers, computed in f64. The exact quotient is an integer or
/// lies at least 1 / b below the next integer, which is more than the error of the f64 quotient, a
/// / b * 2^-53.
fn quotient<W, V>(a: V, b: V) -> V
where
    W: B64<Narrow = V>,
    V: B32<Wide = W>,
{
    a.d_from_u().f_div(b.d_from_u()).d_to_u()
}

/// The quotient of signed numbers, computed from their magnitudes. The magnitude of the lowest
/// number is 2^31.
fn signed_quotient<W, V>(a: V, b: V) -> V
where
    W: B64<Narrow = V>,
    V: B32<Wide = W>,
{
    let sign = a.xor(b).shr_s(lit(31));
    quotient(a.abs_s(), b.abs_s()).xor(sign).sub(sign)
}

/// The quotient of 16-bit numbers, which are extended to 32 bits, computed in f32.
fn short_quotient<V: B32>(a: V, b: V) -> V {
    a.f_from_s().f_div(b.f_from_s(), IEEE).f_to_s(Trunc)
}

fn hi_s64<W>(a: W, b: W) -> W
where
    W: B64,
    W::Narrow: B32,
{
    let sign = lit::<W::Narrow>(63);
    a.mul_hi_u(b).sub(a.shr_s(sign).and(b)).sub(b.shr_s(sign).and(a))
}

fn hi_u16<V: B32>(a: V, b: V) -> V {
    low16(a).mul_lo(low16(b)).shr_u(lit(16))
}

fn hi_s16<V: B32>(a: V, b: V) -> V {
    signed16(a).mul_lo(signed16(b)).shr_u(lit(16))
}

/// Bits 47 to 16 of the product of the low 24 bits of both sources.
fn hi24_u<V: B32>(a: V, b: V) -> V {
    let (a, b) = (low24(a), low24(b));
    a.mul_lo(b).shf_r(a.mul_hi_u(b), lit(16))
}

fn hi24_s<V: B32>(a: V, b: V) -> V {
    let (a, b) = (signed24(a), signed24(b));
    a.mul_lo(b).shf_r(a.mul_hi_s(b), lit(16))
}

fn distance_u<V: B32>(a: V, b: V) -> V {
    a.max_u(b).sub(a.min_u(b))
}

fn distance_s<V: B32>(a: V, b: V) -> V {
    a.max_s(b).sub(a.min_s(b))
}

/// Replaces a sum or difference that has overflowed by the largest or the lowest number, whichever
/// has the sign of a. The sign of `over` tells whether it has overflowed.
fn limited<V: B32>(value: V, over: V, a: V) -> V {
    let limit = a.shr_s(lit(31)).xor(lit(0x7fff_ffff));
    limit.pick(value, over.shr_s(lit(31)))
}

fn add_sat<V: B32>(a: V, b: V) -> V {
    let sum = a.add(b);
    limited(sum, a.xor(sum).and(b.xor(sum)), a)
}

fn sub_sat<V: B32>(a: V, b: V) -> V {
    let difference = a.sub(b);
    limited(difference, a.xor(b).and(a.xor(difference)), a)
}

/// The sum of four products of bytes, and an addend.
fn dp4a<V: B32>(of_a: Part, of_b: Part, a: V, b: V, c: V) -> V {
    let mut sum = c;
    for k in 0..4 {
        sum = element(of_a, a, k).mad_lo(element(of_b, b, k), sum);
    }
    sum
}

/// Sum of two products of the halves of a and two bytes of b from byte `first` on, and an addend.
fn dp2a<V: B32>(of_a: Part, of_b: Part, first: u32, a: V, b: V, c: V) -> V {
    let low = element(of_a, a, 0).mad_lo(element(of_b, b, first), c);
    element(of_a, a, 1).mad_lo(element(of_b, b, first + 1), low)
}
