//! Filtered f32 channels for a vector's lanes, with a fast computation of sums for ordinary
//! exponents.

use super::floats::{EXPONENT, FloatChannel, SIGN, Texels, cut, unit};
use crate::warp::prefetch::Prefetcher;
use crate::warp::simd::{Double, Int, Simd, double, float, int};

pub(in crate::warp) struct F32;

plain!(F32: 4);

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
        ahead: impl Prefetcher,
    ) -> Option<Int<S>> {
        if GROUPS > 2 {
            return None;
        }
        let zero = int(simd, 0);
        let (mut largest, mut highest) = ([zero; GROUPS], zero);
        for g in 0..GROUPS {
            for k in 0..PER {
                let magnitude = codes[g][k] & int(simd, i32::MAX);
                highest = highest.max(magnitude);
                largest[g] = largest[g].max(weights[g][k].is(zero).select(zero, magnitude));
            }
            largest[g] = largest[g] & int(simd, EXPONENT);
        }
        let mut lowest = largest[0];
        if GROUPS == 2 {
            // A group may have weight 0, for example the second slice of a fetch at the centre of
            // the first slice. Its sum is 0 in any unit.
            let [first, second] = [largest[0], largest[1]];
            largest[0] = first.is(zero).select(second, first);
            largest[1] = second.is(zero).select(first, second);
            lowest = largest[0].min(largest[1]);
        }
        // Texels without weight must be finite, too, so that the limit applies to all texels.
        let in_reach = int(simd, LOWEST - 1).lt(lowest) & highest.lt(int(simd, HIGHEST));
        if !in_reach.is_full() {
            return None;
        }
        let (mut high, mut low) = ([zero; GROUPS], [zero; GROUPS]);
        // The loop is unrolled by hand, because the compiler would keep it, and the sums in memory.
        let bits = if GROUPS == 1 { LOW_OF_ONE } else { LOW };
        let (values, shares) = (&codes[0], &weights[0]);
        (high[0], low[0]) = Self::of_group(simd, (values, shares), largest[0], bits, (ahead, 0));
        if GROUPS == 1 {
            return Some(nearest_f32::<S, LOW_OF_ONE, 35>(simd, high[0], low[0], largest[0]));
        }
        let (values, shares) = (&codes[1], &weights[1]);
        (high[1], low[1]) = Self::of_group(simd, (values, shares), largest[1], bits, (ahead, PER));
        // The sums of two groups are added as integers if the largest texels of both give the
        // accumulator the same unit.
        if !(largest[0] ^ largest[1]).lt(int(simd, 4 << 23)).is_full() {
            return Some(Self::of_groups(simd, &high, &low, &largest));
        }
        let (mut all_high, mut all_low) = (zero, zero);
        for g in 0..GROUPS {
            let to_unit = largest[g].shr(23) & int(simd, 3);
            all_high = all_high + high[g].shl_each(to_unit);
            all_low = all_low + low[g].shl_each(to_unit);
        }
        let (high, low) = (all_high + (all_low >> LOW), all_low & int(simd, (1 << LOW) - 1));
        Some(nearest_f32::<S, LOW, 35>(simd, high, low, unit(simd, largest[0])))
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
                Self::add(simd, texel, weights[g][k], LOW, (&mut high[g], &mut low[g]));
            }
        }
        Self::of_groups(simd, &high, &low, &texels.largest)
    }
}

/// Bounds of the exponent field of a group's largest texel, between which all intermediate results
/// are normal numbers and no texel changes its sign when it is scaled.
const LOWEST: i32 = 40 << 23;
const HIGHEST: i32 = 154 << 23;

/// Number of bits of the lower of the two parts into which a texel is split. The lower part of a
/// sum then fits an f32 with another two bits if there is one group, which is not normalized before
/// it is rounded. The higher part of the sum of two groups, in the accumulator's unit, fits an f32.
const LOW_OF_ONE: u32 = 14;
const LOW: u32 = 15;

impl F32 {
    /// The weighted sum of a group, in the form `high * 2^bits + low`.
    #[inline(always)]
    fn of_group<S: Simd, const PER: usize>(
        simd: S,
        (codes, weights): (&[Int<S>; PER], &[Int<S>; PER]),
        largest: Int<S>,
        bits: u32,
        (ahead, first): (impl Prefetcher, usize),
    ) -> (Int<S>, Int<S>) {
        let zero = int(simd, 0);
        // Texels are scaled to units of the sum, and the conversion to integers truncates them.
        // Texels without a weight may get any value.
        let mut scale = int(simd, (127 + 27) << 23) - largest;
        let (mut high, mut low) = (zero, zero);
        // The fence keeps the compiler from computing `scale` again for each texel.
        Int::fence(&mut scale, &mut zero.clone());
        for k in 0..PER {
            let mut code = codes[k];
            ahead.prefetch(first + k, &mut code, &mut high);
            let texel = (code + scale).as_float().to_int();
            Self::add(simd, texel, weights[k], bits, (&mut high, &mut low));
        }
        (high, low)
    }

    /// Adds a weighted texel to a sum of the form `high * 2^bits + low`. A texel has 28 bits
    /// without its sign, so that both of its parts fit 16 bits and the sums of the parts fit an
    /// f32. `low` is positive and below 2^(bits + 8).
    #[inline(always)]
    fn add<S: Simd>(
        simd: S,
        texel: Int<S>,
        weight: Int<S>,
        bits: u32,
        (high, low): (&mut Int<S>, &mut Int<S>),
    ) {
        *high = *high + (texel >> bits).dot16(weight);
        *low = *low + (texel & int(simd, (1 << bits) - 1)).dot16(weight);
    }

    /// The f32 result for the sums of several groups. Each sum is `high * 2^LOW + low` in units of
    /// 2^-35 of its group's largest texel.
    #[inline(always)]
    fn of_groups<S: Simd, const GROUPS: usize>(
        simd: S,
        high: &[Int<S>; GROUPS],
        low: &[Int<S>; GROUPS],
        largest: &[Int<S>; GROUPS],
    ) -> Int<S> {
        let scale = double(simd, f64::from(1 << LOW));
        let (mut total, mut now) = (double(simd, 0.0), int(simd, 0));
        let at_once = if GROUPS > 1 { 2 } else { 1 };
        for step in 0..GROUPS / at_once {
            let mut next = now;
            for g in at_once * step..at_once * (step + 1) {
                next = next.max(unit(simd, largest[g]));
            }
            total = (total * ((now - next) >> 23).power_of_two()).floor();
            for g in at_once * step..at_once * (step + 1) {
                let sum = high[g].to_double() * scale + low[g].to_double();
                total = total + (sum * ((largest[g] - next) >> 23).power_of_two()).floor();
            }
            now = next;
        }
        let unit = now.shr(23) - int(simd, 127 + 27 + 8);
        round_f32(simd, total * unit.power_of_two())
    }
}

/// Rounds the number `high * 2^BITS + low` to the nearest f32, ties away from zero. The number is
/// in units of 2^-UNIT of `top`. `low` is from 0 to 2^22, and the result must be a normal number.
#[inline(always)]
fn nearest_f32<S: Simd, const BITS: u32, const UNIT: i32>(
    simd: S,
    high: Int<S>,
    low: Int<S>,
    top: Int<S>,
) -> Int<S> {
    // Only integers from 2^24 on can be ties. A quarter is added to them, which rounds ties away
    // from zero. It is added to all sums whose high part is 2^23 or more. These are above 2^22,
    // where the addition changes nothing except ties.
    let least = 1 << (23 - BITS);
    let small = int(simd, -least).lt(high) & high.lt(int(simd, least));
    let quarter = (high & int(simd, SIGN)) | int(simd, 0x3e80_0000);
    let quarter = small.select(int(simd, 0), quarter).as_float();
    let scale = float(simd, (1 << BITS) as f32);
    let sum = high.to_float().fused(scale, low.to_float() + quarter);
    let unit = top - int(simd, UNIT << 23);
    (sum * unit.as_float()).as_int()
}

/// Rounds a number of at most 40 significant bits to the nearest f32, ties away from zero.
#[inline(always)]
fn round_f32<S: Simd>(simd: S, x: Double<S>) -> Int<S> {
    // A factor slightly above 1 moves ties away from zero. All other numbers are farther from the
    // next tie than the factor moves them.
    let nearest = (x * double(simd, 1.0 + 1.0 / 35_184_372_088_832.0)).narrow().as_int();
    // Rule 2.2 of docs/numerics.md: a subnormal result becomes a zero.
    let none = (nearest & int(simd, EXPONENT)).is(int(simd, 0));
    none.select(nearest & int(simd, SIGN), nearest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::warp::simd::check::{NumberArgs, check};
    use crate::warp::simd::{Stage, load};

    /// The high and low parts of a test sum, derived from `x`. They cover all magnitudes, and
    /// values around the smallest sums that can be ties.
    fn parts(x: u32) -> (i32, i32) {
        let mixed = x.wrapping_mul(0x9e37_79b9);
        let high = (x as i32) >> (9 + (mixed >> 28));
        let near = [high, high.signum() * 512, high.signum() * 1024, high & -512];
        let low = (mixed >> 4 & 0x3f_ffff) as i32;
        let low = [low, low & -16, low & 0xf, 0x3f_ffff - (low & 3)];
        (near[(mixed & 3) as usize], low[(mixed >> 2 & 3) as usize])
    }

    struct Nearest;

    impl Stage<NumberArgs> for Nearest {
        #[inline(always)]
        fn run<S: Simd>(simd: S, call: crate::warp::simd::check::Numbers<'_>) {
            let (mut high, mut low) = ([0; 32], [0; 32]);
            for (lane, &x) in call.from.iter().enumerate() {
                let parts = parts(x);
                (high[lane], low[lane]) = (parts.0 as u32, parts.1 as u32);
            }
            for chunk in 0..32 / S::LANES {
                let (high, low) = (load(simd, &high, chunk), load(simd, &low, chunk));
                let top = int(simd, 130 << 23);
                nearest_f32::<S, LOW_OF_ONE, 35>(simd, high, low, top).store(call.to, chunk);
            }
        }
    }

    #[test]
    fn sums_become_the_nearest_floats_and_ties_go_away_from_zero() {
        check::<Nearest>((0..2_000_000).map(|n: u32| n.wrapping_mul(2_654_435_761)), |x| {
            let (high, low) = parts(x);
            let sum = (i64::from(high) << LOW_OF_ONE) + i64::from(low);
            let magnitude = sum.unsigned_abs();
            let extra = 40_u32.saturating_sub(magnitude.leading_zeros());
            let half = if extra == 0 { 0 } else { 1 << (extra - 1) };
            let rounded = (magnitude + half) >> extra << extra;
            // The result is in units of 2^(130 - 127 - 35).
            let value = rounded as f64 / f64::from(1_u32 << 31) / 2.0;
            let value = if sum < 0 { -value } else { value };
            (value as f32).to_bits()
        });
    }
}
