//! From coordinates to texel indices: docs/numerics.md, section 1. One function a rule.

use super::fixed::Fixed;
use crate::sampler::AddressMode;

/// Where a linear filter reads along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Neighbours {
    /// Index of the lower texel, before the address mode; the upper one follows it.
    pub(super) index: i64,
    /// Weight of the upper texel in 1/256: 0 to 255.
    pub(super) upper: u32,
}

/// Rule 1.1: a NaN coordinate reads as 0.
pub(super) fn nan_is_zero(x: f32) -> f32 {
    if x.is_nan() { 0.0 } else { x }
}

/// Rule 1.2: a normalized coordinate over `n` texels, in texels.
pub(super) fn scale_normalized(x: f32, n: u32) -> Fixed {
    if n.is_power_of_two() {
        Fixed::from_f32(x * n as f32)
    } else {
        Fixed::from_f32(x).floor_to_bits(21).times(n)
    }
}

/// Rule 1.3: an unnormalized coordinate is in texels already.
pub(super) fn unnormalized(x: f32) -> Fixed {
    Fixed::from_f32(x)
}

/// Rule 1.5: the texel that a point fetch reads, saturating to 32 bits.
pub(super) fn point_index(u: Fixed) -> i64 {
    saturate(u.floor())
}

/// Rule 1.6: the two texels that a linear fetch reads, and how much of the upper one.
pub(super) fn neighbours(u: Fixed, n: u32, mode: AddressMode) -> Neighbours {
    let u = if mode == AddressMode::Clamp { clamp_to_centres(u, n) } else { u };
    let b = u.minus(Fixed::HALF);
    let i = b.floor();
    let a = b.minus(Fixed::from_int(i)).round_to_256th();
    let (index, upper) = if a == 256 { (i + 1, 0) } else { (i, a) };
    Neighbours { index: saturate(index), upper }
}

/// First half of rule 1.6: clamp limits the coordinate to the centres of the edge texels.
fn clamp_to_centres(u: Fixed, n: u32) -> Fixed {
    let last = Fixed::from_int(n.into()).minus(Fixed::HALF);
    u.clamp(Fixed::HALF, last)
}

/// The saturation of rule 1.5, which we take for the index of linear filtering too.
fn saturate(i: i64) -> i64 {
    i.clamp(i32::MIN.into(), i32::MAX.into())
}

/// Rule 1.7: the address mode on an index; `None` is the border colour.
pub(super) fn address(k: i64, n: u32, mode: AddressMode) -> Option<u32> {
    let n = i64::from(n);
    let index = match mode {
        AddressMode::Clamp | AddressMode::ClampOgl => k.clamp(0, n - 1),
        AddressMode::Wrap => k.rem_euclid(n),
        AddressMode::Mirror => {
            let t = k.rem_euclid(2 * n);
            if t < n { t } else { 2 * n - 1 - t }
        }
        AddressMode::Border => return inside(k, n as u32),
    };
    Some(index as u32)
}

/// Rule 1.9: an integer coordinate names a texel, or none.
pub(super) fn integer(bits: u32, n: u32) -> Option<u32> {
    inside(i64::from(bits as i32), n)
}

fn inside(k: i64, n: u32) -> Option<u32> {
    (0..i64::from(n)).contains(&k).then_some(k as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use AddressMode::{Border, Clamp, Mirror, Wrap};

    fn at(x: f32, n: u32, mode: AddressMode) -> (i64, u32) {
        let Neighbours { index, upper } = neighbours(unnormalized(x), n, mode);
        (index, upper)
    }

    #[test]
    fn nan_reads_zero() {
        assert_eq!(nan_is_zero(f32::NAN), 0.0);
        assert_eq!(nan_is_zero(f32::from_bits(0xff80_0001)), 0.0);
        assert_eq!(nan_is_zero(f32::NEG_INFINITY), f32::NEG_INFINITY);
    }

    #[test]
    fn other_sizes_floor_to_21_bits_first() {
        // The float just above 0.04, on 25 texels: exactly it would be texel 1.
        let x = f32::from_bits(0.04_f32.to_bits() + 1);
        assert!(f64::from(x) * 25.0 > 1.0);
        assert_eq!(point_index(scale_normalized(x, 25)), 0);
        assert_eq!(point_index(scale_normalized(-1e-30, 25)), -1);
        assert_eq!(point_index(scale_normalized(-1e-30, 32)), -1);
        assert_eq!(point_index(scale_normalized(1e-45, 32)), 0);
        assert_eq!(point_index(scale_normalized(f32::MAX, 32)), i32::MAX.into());
        assert_eq!(point_index(scale_normalized(f32::NEG_INFINITY, 25)), i32::MIN.into());
    }

    #[test]
    fn weights_round_and_carry() {
        assert_eq!(at(3.5, 9, Wrap), (3, 0));
        assert_eq!(at(3.75, 9, Wrap), (3, 64));
        // 255.5/256 above the centre of texel 3 carries into texel 4; a hair less does not.
        assert_eq!(at(3.5 + 255.5 / 256.0, 9, Wrap), (4, 0));
        assert_eq!(at(3.5 + 255.49 / 256.0, 9, Wrap), (3, 255));
        assert_eq!(at(0.5 - 0.5 / 256.0, 9, Wrap), (0, 0));
        assert_eq!(at(-1e-45, 9, Wrap), (-1, 128));
    }

    #[test]
    fn clamp_limits_the_coordinate() {
        assert_eq!(at(0.0, 9, Clamp), (0, 0));
        assert_eq!(at(f32::NEG_INFINITY, 9, Clamp), (0, 0));
        assert_eq!(at(8.75, 9, Clamp), (8, 0));
        assert_eq!(at(f32::INFINITY, 1, Clamp), (0, 0));
        assert_eq!(at(0.0, 9, Border), (-1, 128));
        assert_eq!(at(f32::INFINITY, 9, Border), (i32::MAX.into(), 128));
        assert_eq!(at(f32::NEG_INFINITY, 9, Border), (i32::MIN.into(), 128));
    }

    #[test]
    fn address_modes() {
        let row = |mode| [-6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5].map(|k| address(k, 3, mode));
        let some = |k: [u32; 12]| k.map(Some);
        assert_eq!(row(Clamp), some([0, 0, 0, 0, 0, 0, 0, 1, 2, 2, 2, 2]));
        assert_eq!(row(Wrap), some([0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]));
        assert_eq!(row(Mirror), some([0, 1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0]));
        let border = row(Border);
        assert_eq!(border[5..10], [None, Some(0), Some(1), Some(2), None]);
        for mode in [Clamp, Wrap, Mirror] {
            assert_eq!(address(i32::MIN.into(), 1, mode), Some(0), "one texel is all there is");
        }
    }

    #[test]
    fn integer_coordinates() {
        assert_eq!(integer(0, 3), Some(0));
        assert_eq!(integer(2, 3), Some(2));
        assert_eq!(integer(3, 3), None);
        assert_eq!(integer(u32::MAX, 3), None);
        assert_eq!(integer(0x8000_0000, 131_072), None);
    }
}
