//! Filter weights: docs/numerics.md, section 2. Weights are integers whose sum is 256, or the share
//! of 256 that a mip level or a tap has.

/// A texel of a sum, with its weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Weighted {
    pub(crate) code: u32,
    /// The weight in the units of the fetch ([`Scale`]). A texel that is read can have weight 0.
    pub(crate) weight: u32,
    /// Whether the texel is read. Its NaN, infinity or sign of zero then affects the result even if
    /// its weight is 0.
    pub(crate) read: bool,
}

/// The texels of one 2x2 footprint, which is a slice of a level or of an anisotropic tap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group<'a> {
    pub(crate) texels: &'a [Weighted],
    /// Index of the adder's step. Groups with the same index (those of a level, or of four taps)
    /// are added together.
    pub(crate) step: u32,
}

/// The binary logarithm of the sum of all weights divided by 256; 0 except for anisotropic fetches.
pub(crate) type Scale = u32;

impl Group<'_> {
    /// The sum of weight times number over the group's texels. Texels with weight 0 are skipped,
    /// because their numbers may be too large for the unit of the group, which the texels with a
    /// weight determine.
    pub(crate) fn total(&self, number: impl Fn(u32) -> i128) -> i128 {
        let weighed = self.texels.iter().filter(|t| t.weight > 0);
        weighed.map(|t| i128::from(t.weight) * number(t.code)).sum()
    }
}

/// Rule 9.2 of docs/numerics.md: the filtered result of a depth compare, 0 to 1 as f32 bits, from
/// the weights of the texels that pass.
pub(crate) fn share_that_passes(weight: u32, scale: Scale) -> u32 {
    (weight as f32 / (256_u32 << scale) as f32).to_bits()
}

/// Rule 7.7 of docs/numerics.md: distributes the weight of the texel that is missing at a corner of
/// a cube. Returns the part for each of the two texels across the edges, and the part for the texel
/// inside the face.
pub(crate) const fn of_missing_corner(weight: u32) -> [u32; 2] {
    let third = round_half_up(weight as i128, 3) as u32;
    [third, weight - 2 * third]
}

/// Computes `floor(n / d + 1/2)`, which rounds to nearest and halves up.
pub(crate) const fn round_half_up(n: i128, d: i128) -> i128 {
    (2 * n + d).div_euclid(2 * d)
}

/// Splits `total` into the weights of the lower and the upper texel, of which the upper one gets
/// `a`/256, rounded; the lower one gets the rest.
fn split_rounding_upper(total: u32, a: u32) -> (u32, u32) {
    let upper = round_half_up(i128::from(total * a), 256) as u32;
    (total - upper, upper)
}

/// Splits `total` into the weights of the lower and the upper texel, of which the lower one gets
/// (256 - `a`)/256, rounded; the upper one gets the rest.
fn split_rounding_lower(total: u32, a: u32) -> (u32, u32) {
    let lower = round_half_up(i128::from(total * (256 - a)), 256) as u32;
    (lower, total - lower)
}

/// The weights `[z][y][x]` of a footprint's texels, whose sum is a share of 256, from the upper
/// weight of each axis. The share is split along z (rounding the lower part), then x (rounding the
/// upper part), then y (rounding the upper part for x = 1, and the lower part for x = 0).
pub(crate) fn footprint(share: u32, [x, y, z]: [u32; 3]) -> [[[u32; 2]; 2]; 2] {
    let (front, back) = split_rounding_lower(share, z);
    [front, back].map(|slice| {
        let (left, right) = split_rounding_upper(slice, x);
        let (w00, w01) = split_rounding_lower(left, y);
        let (w10, w11) = split_rounding_upper(right, y);
        [[w00, w10], [w01, w11]]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rule 7.7 of docs/numerics.md: weight of a missing texel is distributed to the three others.
    #[test]
    fn the_missing_corner_gives_its_weight_away() {
        for weight in 0..=256 << 2 {
            let [behind, inside] = of_missing_corner(weight);
            assert_eq!(2 * behind + inside, weight);
        }
    }

    #[test]
    fn two_dimensions_have_the_closed_form() {
        for a in 0..256 {
            for b in 0..256 {
                let w11 = (a * b + 128) / 256;
                let expected = [[256 + w11 - a - b, a - w11], [b - w11, w11]];
                assert_eq!(footprint(256, [a, b, 0]), [expected, [[0; 2]; 2]], "{a} {b}");
            }
        }
    }

    #[test]
    fn weights_sum_to_256() {
        for x in (0..256).step_by(5) {
            for y in (0..256).step_by(3) {
                for z in (0..256).step_by(7) {
                    let w = footprint(256, [x, y, z]);
                    assert_eq!(w.as_flattened().as_flattened().iter().sum::<u32>(), 256);
                    assert_eq!(w[1].as_flattened().iter().sum::<u32>(), z);
                }
            }
        }
        for share in 0..=256 {
            let w = footprint(share, [77, 200, 31]);
            assert_eq!(w.as_flattened().as_flattened().iter().sum::<u32>(), share);
        }
        // The back slice has weight 85 of 256. It is split into 43 and 42 along x, then the 43 into
        // 22 and 21 along y.
        assert_eq!(footprint(256, [128, 128, 85])[1], [[21, 21], [21, 22]]);
    }
}
