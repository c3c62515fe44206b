//! Floats of ten significant bits (docs/numerics.md, section 4) for 32 lanes. Each is an f32 whose
//! low bits are zeros, so that additions and comparisons are those of f32.
//!
//! Results are exact for zero and for magnitudes of 2^-65 to 2^64 ([`is_ordinary`], or half of such
//! a number), times a size of the texture, because no intermediate result comes near the limits of
//! f32. If two numbers are so far apart that f32 rounds their sum, the sum stays below the next
//! number of ten bits, and is truncated correctly.

/// Whether results are exact for a component of a gradient, because it is 0 or has a magnitude of
/// 2^-64 to 2^64.
#[inline(always)]
pub(in crate::warp) fn is_ordinary(x: f32) -> bool {
    const SMALLEST: u32 = (127 - 64) << 23;
    const LARGEST: u32 = (127 + 64) << 23;
    let magnitude = x.to_bits() & 0x7fff_ffff;
    magnitude == 0 || magnitude.wrapping_sub(SMALLEST) <= LARGEST - SMALLEST
}

/// Truncates a float to its ten highest significant bits.
#[inline(always)]
pub(in crate::warp) fn cut(x: f32) -> f32 {
    f32::from_bits(x.to_bits() & 0xffff_c000)
}

/// The largest power of two that is not larger than the magnitude of x; 0 for 0. The unit of the
/// tenth bit of x is 1/512 of this power.
#[inline(always)]
fn power(x: f32) -> f32 {
    f32::from_bits(x.to_bits() & 0x7f80_0000)
}

/// Multiplies x by `factor` (below 2^7), and rounds the product to a multiple of 2^`BITS` times the
/// unit of x's tenth bit, ties up.
#[inline(always)]
fn times<const BITS: u32>(x: f32, factor: f32) -> f32 {
    let power = power(x);
    // The product is a whole number of units. A half unit is added so that ties round up.
    let product = x * factor + power * (1.0 / 1024.0);
    // Adding `magic` and subtracting it again rounds to the lowest bit of `magic`, which is the
    // wanted multiple.
    let magic = power * (1_u32 << (23 - 9 + BITS)) as f32;
    (product + magic) - magic
}

/// The larger and the smaller of two numbers.
#[inline(always)]
fn sorted(a: f32, b: f32) -> [f32; 2] {
    if a > b { [a, b] } else { [b, a] }
}

/// Floors `of` to a multiple of the unit in the last place of `grid`, a number of ten significant
/// bits, or to half of this unit if `HALF`. The result is 0 if `grid` is 0.
#[inline(always)]
fn on_grid_of<const HALF: bool>(of: f32, grid: f32) -> f32 {
    let bits: u32 = if HALF { 10 } else { 9 };
    let power = power(grid);
    // The factor 2^bits / power is computed by subtracting exponents.
    let inverse = f32::from_bits(((254 + bits) << 23).wrapping_sub(power.to_bits()));
    let unit = power * (1.0 / (1_u32 << bits) as f32);
    (of * inverse).trunc() * unit
}

/// Rule 4.3 of docs/numerics.md: the length of a gradient with two components of these magnitudes.
#[inline(always)]
pub(in crate::warp) fn length([a, b]: [f32; 2]) -> f32 {
    let [a, b] = sorted(a, b);
    cut(a + times::<3>(b, 11.0) * (1.0 / 32.0))
}

/// Rule 4.4 of docs/numerics.md: 11/16 of the length of a diagonal with two components of these
/// magnitudes.
#[inline(always)]
pub(in crate::warp) fn diagonal([a, b]: [f32; 2]) -> f32 {
    let [a, b] = sorted(a, b);
    let first = cut(times::<3>(a, 11.0) * (1.0 / 16.0));
    cut(first + times::<6>(b, 121.0) * (1.0 / 512.0))
}

#[inline(always)]
fn sorted_three([a, b, c]: [f32; 3]) -> [f32; 3] {
    let [a, b] = sorted(a, b);
    let [b, c] = sorted(b, c);
    let [a, b] = sorted(a, b);
    [a, b, c]
}

/// Rule 4.10 of docs/numerics.md: length of a gradient with three components of these magnitudes.
#[inline(always)]
pub(in crate::warp) fn solid_length(magnitudes: [f32; 3]) -> f32 {
    let [a, b, c] = sorted_three(magnitudes);
    let second = times::<3>(b, 11.0) * (1.0 / 32.0);
    let second = if c > 0.0 { cut(second) } else { second };
    cut(a + (second + on_grid_of::<false>(c * 0.25, second)))
}

/// Rule 4.10 of docs/numerics.md: 11/16 of the length of a diagonal with three components of these
/// magnitudes.
#[inline(always)]
pub(in crate::warp) fn solid_diagonal(magnitudes: [f32; 3]) -> f32 {
    let [a, b, c] = sorted_three(magnitudes);
    let first = cut(times::<3>(a, 11.0) * (1.0 / 16.0));
    let second = times::<6>(b, 121.0) * (1.0 / 512.0);
    let second = if c > 0.0 { cut(second) } else { second };
    let third = times::<3>(c, 11.0) * (1.0 / 64.0);
    cut(first + (second + on_grid_of::<false>(third, second)))
}

/// Rule 4.5 of docs/numerics.md: the magnitudes of the sum and of the difference of two components.
#[inline(always)]
pub(in crate::warp) fn sum_and_difference(x: f32, y: f32) -> [f32; 2] {
    let larger = x.abs() > y.abs();
    let (large, small) = if larger { (x, y) } else { (y, x) };
    let small = on_grid_of::<true>(small, large);
    [large + small, large - small].map(|x| cut(x).abs())
}

/// The value of the leading bit of the size.
#[derive(Clone, Copy, Debug)]
pub(in crate::warp) struct Scale {
    /// The leading bit of the size.
    power: f32,
    /// For the fourth to the ninth bit below the size's leading one: all ones if the bit is set.
    top: u32,
    /// All ones for each bit that the size has: the fourth to the ninth below the leading one.
    bits: [u32; 6],
    pub(in crate::warp) is_power: bool,
}

impl Scale {
    pub(in crate::warp) fn new(n: u32) -> Self {
        // The size is shifted so that its leading bit is the highest.
        let aligned = n << n.leading_zeros();
        Self {
            power: (1_u32 << n.ilog2()) as f32,
            top: aligned >> 28,
            bits: std::array::from_fn(|i| 0_u32.wrapping_sub(aligned >> (27 - i) & 1)),
            is_power: n.is_power_of_two(),
        }
    }

    /// Multiplies a component by the size, after truncating the component to ten bits. With
    /// `POWERS`, the size is a power of two.
    #[inline(always)]
    pub(in crate::warp) fn apply<const POWERS: bool>(&self, component: f32) -> f32 {
        if POWERS {
            return cut(component) * self.power;
        }
        let bits = component.to_bits();
        let significand = bits >> 14 & 0x1ff | 0x200;
        // The sum is in eighths, from which the shifts drop bits.
        let mut sum = significand * self.top;
        for (i, bit) in self.bits.iter().enumerate() {
            sum += significand >> (i + 1) & bit;
        }
        let product = (sum + 7) & if sum < 0x2000 { !7 } else { !15 };
        let unit = f32::from_bits(bits & 0xff80_0000) * self.power;
        product as i32 as f32 * (unit * (1.0 / 4096.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::gradient::{self, Gradient};
    use texunit_testkit::Random;

    /// Random numbers of ordinary magnitude and both signs. Sometimes a number is zero, or close to
    /// the previous one.
    fn numbers() -> impl Iterator<Item = f32> {
        let mut random = Random::for_test(0x2545_f491_4f6c_dd1d);
        let mut last = 1.0;
        std::iter::repeat_with(move || {
            let seed = random.u64();
            let bits = (seed >> 32) as u32;
            let exponent = match bits >> 12 & 7 {
                0 => 127 - 63 + (bits >> 15 & 0x3f) + (bits >> 9 & 0x3f),
                _ => 120 + (bits >> 15 & 15),
            };
            let new = f32::from_bits(bits << 31 | exponent << 23 | (seed >> 5) as u32 & 0x7f_ffff);
            last = match seed >> 60 {
                0 => 0.0,
                1 => -last,
                _ => new,
            };
            last
        })
    }

    #[test]
    fn all_steps_are_the_references() {
        let mut all = numbers();
        let mut next = || cut(all.next().unwrap_or_default());
        let ten = |x: f32| match gradient::flat([x, 0.0], [0.0; 2], [1, 1]) {
            Gradient::Slope(slope) => slope.scaled[0][0],
            Gradient::Last => unreachable!("{x} is finite"),
        };
        for n in (1..131_073).cycle().take(300_000) {
            let [x, y, z]: [f32; 3] = std::array::from_fn(|_| next());
            assert!(is_ordinary(x));
            let (flat, solid) = ([ten(x), ten(y), ten(0.0)], [ten(x), ten(y), ten(z)]);
            let m = [x, y, z].map(f32::abs);
            let same = |got: f32, wanted: f64| {
                assert_eq!(f64::from(got), wanted, "{x:e} {y:e} {z:e}, {n}");
            };
            same(length([m[0], m[1]]), gradient::length(flat).to_f64());
            same(diagonal([m[0], m[1]]), gradient::diagonal(flat).to_f64());
            same(solid_length(m), gradient::length(solid).to_f64());
            same(solid_diagonal(m), gradient::diagonal(solid).to_f64());
            let [sum, difference] = sum_and_difference(x, y);
            same(sum, ten(x).plus(ten(y)).to_f64().abs());
            same(difference, ten(x).plus(ten(y).negated()).to_f64().abs());

            let (scale, wanted) = (Scale::new(n), gradient::scaled(ten(x), n).to_f64());
            same(scale.apply::<false>(x), wanted);
            if scale.is_power {
                same(scale.apply::<true>(x), wanted);
            }
        }
    }
}
