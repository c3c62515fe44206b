//! Filtered f32.

use super::Plain;
use super::floats::{EXPONENT, FloatChannel, SIGN, Texels, cut};
use crate::warp::ahead::Ahead;
use crate::warp::simd::{Double, Int, Simd, double, float, int};

pub(in crate::warp) struct F32;

impl Plain for F32 {
    const SIZE: usize = 4;
}

impl FloatChannel for F32 {
    const NAN: u32 = 0x7fff_ffff;

    #[inline(always)]
    fn widen<S: Simd>(code: Int<S>) -> Int<S> {
        code
    }

    #[inline(always)]
    fn in_reach<S: Simd, const GROUPS: usize, const PER: usize>(
        simd: S,
        codes: &[[Int<S>; PER]; GROUPS],
        weights: &[[Int<S>; PER]; GROUPS],
        ahead: impl Ahead,
    ) -> Option<Int<S>> {
        if GROUPS > 2 {
            return None;
        }
        let zero = int(simd, 0);
        let mut largest = [zero; GROUPS];
        let mut in_reach = zero.is(zero);
        let mut top = zero;
        for g in 0..GROUPS {
            for k in 0..PER {
                let magnitude = codes[g][k] & int(simd, i32::MAX);
                largest[g] = largest[g].max(weights[g][k].is(zero).select(zero, magnitude));
            }
            largest[g] = largest[g] & int(simd, EXPONENT);
            top = top.max(largest[g]);
            let above = int(simd, LOWEST - 1).lt(largest[g]);
            // A group may count nothing: a slice at its texels' centres is one.
            in_reach = in_reach & if GROUPS == 1 { above } else { above | largest[g].is(zero) };
        }
        let in_reach = in_reach & top.lt(int(simd, HIGHEST));
        let in_reach = if GROUPS == 1 { in_reach } else { in_reach & zero.lt(top) };
        if in_reach.bits() != all_lanes::<S>() {
            return None;
        }
        let (mut high, mut low) = ([zero; GROUPS], [zero; GROUPS]);
        // No loop: the compiler would leave it one, and the sums in memory.
        let one = GROUPS == 1;
        let (values, shares) = (&codes[0], &weights[0]);
        (high[0], low[0]) = Self::of_group(simd, (values, shares), largest[0], one, (ahead, 0));
        if GROUPS > 1 {
            let (values, shares) = (&codes[1], &weights[1]);
            (high[1], low[1]) =
                Self::of_group(simd, (values, shares), largest[1], one, (ahead, PER));
        }
        if GROUPS == 1 {
            return Some(nearest_f32::<S, 35>(simd, high[0], low[0], largest[0]));
        }
        Some(Self::of_two(simd, (high[0], low[0], largest[0]), (high[1], low[1], largest[1])))
    }

    #[inline(always)]
    fn blend<S: Simd, const GROUPS: usize, const PER: usize>(
        simd: S,
        texels: &Texels<S, GROUPS, PER>,
        weights: &[[Int<S>; PER]; GROUPS],
    ) -> Int<S> {
        let (mut high, mut low) = ([int(simd, 0); GROUPS], [int(simd, 0); GROUPS]);
        for g in 0..GROUPS {
            for k in 0..PER {
                let texel = cut::<S, 4>(simd, texels.values[g][k], texels.largest[g]);
                Self::add(simd, texel, weights[g][k], (&mut high[g], &mut low[g]));
            }
        }
        Self::of_groups(simd, &high, &low, &texels.largest)
    }
}

/// Exponents of a group's largest texel, in their place, between which all of the sum's numbers are
/// normal and none of its texels changes the sign when it is scaled.
const LOWEST: i32 = 37 << 23;
const HIGHEST: i32 = 154 << 23;

#[inline(always)]
fn all_lanes<S: Simd>() -> u32 {
    (1 << S::LANES) - 1
}

impl F32 {
    /// The sum of a group as `high` and `low`. The only one counts something.
    #[inline(always)]
    fn of_group<S: Simd, const PER: usize>(
        simd: S,
        (codes, weights): (&[Int<S>; PER], &[Int<S>; PER]),
        largest: Int<S>,
        is_only: bool,
        (ahead, first): (impl Ahead, usize),
    ) -> (Int<S>, Int<S>) {
        let zero = int(simd, 0);
        // To units of the sum: the conversion cuts. Texels without weight may become anything.
        let scale = int(simd, (127 + 27) << 23) - largest;
        let mut scale = if is_only { scale } else { largest.is(zero).select(zero, scale) };
        let (mut high, mut low) = (zero, zero);
        // Computed here, and not its two terms added to each texel.
        Int::fence(&mut scale, &mut zero.clone());
        for k in 0..PER {
            let mut code = codes[k];
            ahead.ask(first + k, &mut code, &mut high);
            let texel = (code + scale).as_float().to_int();
            Self::add(simd, texel, weights[k], (&mut high, &mut low));
        }
        (high, low)
    }

    /// Adds a weighted texel to a sum of `high * 2^16 + low`. Texels have 28 bits and sums 37, so that both
    /// parts fit an f32.
    #[inline(always)]
    fn add<S: Simd>(
        simd: S,
        texel: Int<S>,
        weight: Int<S>,
        (high, low): (&mut Int<S>, &mut Int<S>),
    ) {
        // The low 16 bits count as signed.
        let upper = texel + int(simd, 0x8000);
        *high = *high + upper.dot16(weight << 16);
        *low = *low + texel.dot16(weight);
    }

    /// The result for two groups' `high * 2^16 + low` in units of 2^-35 of each one's largest texel, within
    /// `in_reach`'s bounds.
    #[inline(always)]
    fn of_two<S: Simd>(
        simd: S,
        a: (Int<S>, Int<S>, Int<S>),
        b: (Int<S>, Int<S>, Int<S>),
    ) -> Int<S> {
        let other = a.2.lt(b.2);
        let (high, low) = (other.select(b.0, a.0), other.select(b.1, a.1));
        let (less_high, less_low) = (other.select(a.0, b.0), other.select(a.1, b.1));
        let top = a.2.max(b.2);
        // In half units of the larger group, to which the other one is floored. Its sum is n * 2^16 + the
        // low half of m.
        let below = (top - a.2.min(b.2)).shr(23);
        let half = int(simd, 0xffff);
        let m = less_low << 1;
        let n = (less_high << 1) + (m >> 16);
        // Bits above the lowest 32 come in where it is more than 16 bits smaller.
        let near = ((n << 16) | (m & half)).shr_each(below);
        let far = n.sar_each(below - int(simd, 16));
        let less_low = int(simd, 16).lt(below).select(far, near) & half;
        let less_high = n.sar_each(below);
        let low = (low << 1) + less_low;
        let high = (high << 1) + less_high + (low >> 16);
        nearest_f32::<S, 36>(simd, high, low & half, top)
    }

    /// The result for sums of `high * 2^16 + low` in units of 2^-35 of each group's largest texel.
    #[inline(always)]
    fn of_groups<S: Simd, const GROUPS: usize>(
        simd: S,
        high: &[Int<S>; GROUPS],
        low: &[Int<S>; GROUPS],
        largest: &[Int<S>; GROUPS],
    ) -> Int<S> {
        let scale = double(simd, 65_536.0);
        let mut top = largest[0];
        for g in 1..GROUPS {
            top = top.max(largest[g]);
        }
        let mut total = double(simd, 0.0);
        for g in 0..GROUPS {
            // In units of the largest group's, and half of one. Other groups are floored to it.
            let sum = high[g].to_double() * scale + low[g].to_double();
            let unit = (largest[g] - top) >> 23;
            total = total + (sum * (unit + int(simd, 1)).power_of_two()).floor();
        }
        let unit = top.shr(23) - int(simd, 127 + 28 + 8);
        round_f32(simd, total * unit.power_of_two())
    }
}

/// The nearest f32 of `high * 2^16 + low` in units of 2^-UNIT of `top`; ties away from zero.
#[inline(always)]
fn nearest_f32<S: Simd, const UNIT: i32>(
    simd: S,
    high: Int<S>,
    low: Int<S>,
    top: Int<S>,
) -> Int<S> {
    let (high, low) = (high.to_float(), low.to_float());
    let scale = float(simd, 65_536.0);
    let even = high.fused(scale, low).as_int();
    // From 2^24 on integers can be ties; a half takes them away from zero.
    let exact = (even & int(simd, i32::MAX)).lt(int(simd, 0x4b80_0000));
    let half = (even & int(simd, SIGN)) | int(simd, 0x3f00_0000);
    let half = exact.select(int(simd, 0), half).as_float();
    let sum = high.fused(scale, low + half).as_int();
    let shift = top - int(simd, (127 + UNIT) << 23);
    let none = (sum & int(simd, i32::MAX)).is(int(simd, 0));
    none.select(int(simd, 0), sum + shift)
}

/// The nearest f32, ties away from zero, of a number of at most 40 significant bits.
#[inline(always)]
fn round_f32<S: Simd>(simd: S, x: Double<S>) -> Int<S> {
    // A factor a little above 1 takes ties away from zero. Other numbers are further from the next
    // tie than it moves them.
    let nearest = (x * double(simd, 1.0 + 1.0 / 35_184_372_088_832.0)).narrow().as_int();
    // Rule 2.2.
    let none = (nearest & int(simd, EXPONENT)).is(int(simd, 0));
    none.select(nearest & int(simd, SIGN), nearest)
}
