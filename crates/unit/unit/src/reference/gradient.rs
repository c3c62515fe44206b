//! From gradients to a mip level, without anisotropy: docs/numerics.md, section 4. Each rule is one
//! function. Bias and clamps are applied later.

use super::float10::{Float10, SignedFloat10};
use super::level::RequestedLevel;

/// The components of a gradient along x, y, z, in texels of the base level.
pub(crate) type Texels = [SignedFloat10; 3];

/// Lengths of a pair of gradients, from which the level is computed, with the intermediate results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slope {
    /// The gradients dPdx and dPdy in texels (rules 4.1 and 4.2 of docs/numerics.md).
    pub(crate) scaled: [Texels; 2],
    /// The lengths of dPdx and dPdy in texels (rule 4.3 of docs/numerics.md).
    pub(crate) lengths: [Float10; 2],
    /// 11/16 of the lengths of the gradients' sum and difference (rules 4.4 and 4.5 of
    /// docs/numerics.md). They are 0 if these diagonals do not count.
    pub(crate) diagonals: [Float10; 2],
    /// The largest of the four lengths in texels (rule 4.6 of docs/numerics.md).
    pub(crate) rho: Float10,
}

/// The result for a pair of gradients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gradient {
    /// A coordinate of the quad is too large, so that the last level is read, whatever the bias.
    Last,
    /// The gradients have these lengths.
    Slope(Slope),
}

impl Gradient {
    /// The level before bias and clamps, without anisotropy (rule 4.7 of docs/numerics.md).
    pub(crate) fn level(self) -> RequestedLevel {
        match self {
            Gradient::Last => RequestedLevel::Highest,
            Gradient::Slope(slope) => match slope.rho.log2_256() {
                Some(q) => RequestedLevel::At(q),
                None => RequestedLevel::Lowest,
            },
        }
    }
}

/// Rule 4.1 of docs/numerics.md: a component of a gradient. A NaN becomes 0, an infinity 2^128.
pub(crate) fn component(x: f32) -> SignedFloat10 {
    if x.is_nan() { SignedFloat10::ZERO } else { SignedFloat10::from_f32(x) }
}

/// Rule 4.2 of docs/numerics.md: converts a component of a gradient of normalized coordinates to
/// texels, over `n` texels.
pub(crate) fn scaled(component: SignedFloat10, n: u32) -> SignedFloat10 {
    SignedFloat10 { magnitude: component.magnitude.times(Float10::cut(n.into(), 0)), ..component }
}

/// Magnitudes of a gradient's components, largest first.
fn sorted(components: Texels) -> [Float10; 3] {
    let mut m = components.map(|c| c.magnitude);
    m.sort_by(|a, b| b.cmp(a));
    m
}

/// Computes `floor(n / d + 1/2)` for natural numbers.
fn round_half_up(n: u32, d: u32) -> u32 {
    (2 * n + d) / (2 * d)
}

/// Rule 4.3 of docs/numerics.md: the term of a length for its second largest component b, 11/32 b,
/// as an integer and an exponent.
fn eleven_32nds(b: Float10) -> (u32, i32) {
    (round_half_up(11 * b.significand, 8), b.exponent - 2)
}

/// Rule 4.4 of docs/numerics.md: term of a diagonal's length for its largest component a, 11/16 a.
pub(crate) fn eleven_16ths(a: Float10) -> Float10 {
    Float10::cut(round_half_up(11 * a.significand, 8).into(), a.exponent - 1)
}

/// Rule 4.4 of docs/numerics.md: the term of a diagonal's length for its second largest component
/// b, 121/512 b, as an integer and an exponent.
fn shorter(b: Float10) -> (u32, i32) {
    (round_half_up(121 * b.significand, 64), b.exponent - 3)
}

fn term(x: Float10) -> (u32, i32) {
    (x.significand, x.exponent)
}

/// Floors a term to a multiple of the unit in the last place of `of`, a number of ten significant
/// bits.
fn on_grid_of((value, exponent): (u32, i32), of: Float10) -> (u32, i32) {
    match of.exponent - exponent {
        down @ 1.. if of.significand > 0 => (value >> down.min(31), of.exponent),
        _ => (value, exponent),
    }
}

/// Rules 4.3 and 4.10 of docs/numerics.md: the length of a gradient with two or three components.
pub(crate) fn length(components: Texels) -> Float10 {
    let [a, b, c] = sorted(components);
    if c == Float10::ZERO {
        return Float10::cut_sum([term(a), eleven_32nds(b)]);
    }
    let (value, exponent) = eleven_32nds(b);
    let p = Float10::cut(value.into(), exponent);
    let quarter = on_grid_of((c.significand, c.exponent - 2), p);
    Float10::cut_sum([term(a), term(p), quarter])
}

/// Rules 4.4 and 4.10 of docs/numerics.md: 11/16 of the length of a diagonal with two or three
/// components.
pub(crate) fn diagonal(components: Texels) -> Float10 {
    let [a, b, c] = sorted(components);
    let first = eleven_16ths(a);
    if c == Float10::ZERO {
        return Float10::cut_sum([term(first), shorter(b)]);
    }
    let (value, exponent) = shorter(b);
    let second = Float10::cut(value.into(), exponent);
    let third = (round_half_up(11 * c.significand, 8), c.exponent - 3);
    Float10::cut_sum([term(first), term(second), on_grid_of(third, second)])
}

/// Rules 4.3 to 4.6 of docs/numerics.md: the lengths of gradients in texels. `with_diagonals` tells
/// whether their sum and difference count.
pub(crate) fn slope(scaled: [Texels; 2], with_diagonals: bool) -> Slope {
    let [x, y] = scaled;
    let lengths = scaled.map(length);
    let diagonals = if with_diagonals {
        let sum = std::array::from_fn(|a| x[a].plus(y[a]));
        let difference = std::array::from_fn(|a| x[a].plus(y[a].negated()));
        [sum, difference].map(diagonal)
    } else {
        [Float10::ZERO; 2]
    };
    let rho = lengths.into_iter().chain(diagonals).max().unwrap_or(Float10::ZERO);
    Slope { scaled, lengths, diagonals, rho }
}

/// The lengths of gradients of 1D and 2D fetches. `size` is the size of the base level for
/// normalized coordinates, and 1 for coordinates in texels. Components of axes that the geometry
/// lacks are 0 (rule 4.8 of docs/numerics.md).
pub(crate) fn flat(dpdx: [f32; 2], dpdy: [f32; 2], size: [u32; 2]) -> Gradient {
    let texels = |d: [f32; 2]| {
        let axis = |a: usize| scaled(component(d[a]), size[a]);
        [axis(0), axis(1), SignedFloat10::ZERO]
    };
    Gradient::Slope(slope([texels(dpdx), texels(dpdy)], true))
}

/// Rule 4.9 of docs/numerics.md: the limit for magnitudes of a quad's coordinates. From it on, the
/// last level is read.
const TOO_FAR: f32 = (1_u128 << 97) as f32;

/// Rule 4.9 of docs/numerics.md: the difference P + d - P along an axis, from which the hardware
/// computes the level of a 3D fetch. P is the point, d its gradient. Returns `None` if a coordinate
/// is too large.
pub(crate) fn quad_difference(point: f32, d: f32) -> Option<SignedFloat10> {
    let nan_is_zero = |c: f32| if c.is_nan() { 0.0 } else { c };
    // The sum P + d is rounded to f32.
    let [c0, c1] = [point, point + d].map(nan_is_zero);
    let near = c0.abs() < TOO_FAR && c1.abs() < TOO_FAR;
    near.then(|| SignedFloat10::difference(c1, c0))
}

/// Rule 4.9 of docs/numerics.md: the lengths of gradients of 3D fetches.
pub(crate) fn solid(point: [f32; 3], dpdx: [f32; 3], dpdy: [f32; 3], size: [u32; 3]) -> Gradient {
    let texels = |d: [f32; 3]| {
        let axis = |a: usize| Some(scaled(quad_difference(point[a], d[a])?, size[a]));
        Some([axis(0)?, axis(1)?, axis(2)?])
    };
    match [texels(dpdx), texels(dpdy)] {
        [Some(x), Some(y)] => Gradient::Slope(slope([x, y], true)),
        _ => Gradient::Last,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_with_sizes_are_near_exact_ones() {
        let ten = SignedFloat10::from_f32;
        for n in [1, 2, 64, 131_072] {
            assert_eq!(scaled(ten(0.3), n).to_f64(), ten(0.3).to_f64() * f64::from(n));
        }
        for n in 1..3000 {
            for x in [512.0, 600.0, 777.0, 1023.0] {
                let (got, exact) = (scaled(ten(x), n).to_f64(), f64::from(x) * f64::from(n));
                assert!((got / exact - 1.0).abs() < 0.004, "{x} * {n} = {got}");
            }
        }
    }
}
