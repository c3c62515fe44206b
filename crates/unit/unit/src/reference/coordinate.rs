//! From coordinates to texel indices: docs/numerics.md, section 1. Each rule is one function.

use super::fixed::Fixed;
use crate::sampler::AddressMode;

/// The two texels that a linear filter reads along an axis, and their weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Neighbours {
    /// Index of the lower texel, before the address mode. The upper texel follows it.
    pub(crate) index: i64,
    /// Weight of the upper texel in 1/256: 0 to 255.
    pub(crate) upper: u32,
    /// The upper weight before rounding; slightly below 0 if rounding carried into the index.
    pub(crate) exact: f64,
}

/// Rule 1.1 of docs/numerics.md: converts a coordinate. A NaN and a subnormal number become 0.
pub(crate) fn number(x: f32) -> Fixed {
    Fixed::from_f32(if x.is_nan() || x.is_subnormal() { 0.0 } else { x })
}

/// Rule 1.2 of docs/numerics.md: the number of fractional bits to which a normalized coordinate
/// over `n` texels is floored.
pub(crate) fn fraction_bits(n: u32) -> u32 {
    (n.ilog2() + 8).clamp(21, 23)
}

/// Rules 1.2, 1.7 and 1.12 of docs/numerics.md: converts a normalized coordinate over `n` texels to
/// a coordinate in texels. Wrap and mirror subtract whole periods first, which is exact for
/// coordinates of any size. An infinity is a multiple of the period, as all large numbers are.
pub(crate) fn scale_normalized(x: Fixed, n: u32, mode: AddressMode) -> Fixed {
    let x = x.floor_to_bits(fraction_bits(n));
    let x = match mode {
        AddressMode::Wrap => x.modulo(1),
        AddressMode::Mirror => x.modulo(2),
        AddressMode::Clamp | AddressMode::ClampOgl | AddressMode::Border => x,
    };
    x.times(n)
}

/// Rule 1.5 of docs/numerics.md: index of the texel that a point fetch reads, saturating to 32
/// bits.
pub(crate) fn point_index(u: Fixed) -> i64 {
    saturate(u.floor())
}

/// Rule 1.4 of docs/numerics.md: the offset of a `tex` instruction, which has four bits.
pub(crate) fn tex_offset(e: i32) -> i64 {
    low_bits(e, 4)
}

/// Rule 1.4 of docs/numerics.md: the offset of a `tld4` instruction, which has six bits.
pub(crate) fn gather_offset(e: i32) -> i64 {
    low_bits(e, 6)
}

/// Rule 1.4 of docs/numerics.md: the offset of a 1D texture along x (bits 3:0), and the offset of
/// its row (bits 7:4). The hardware reads the operand as the packed offsets of a 2D texture, so
/// that an offset of -1 to -8 along x also moves the row to -1.
pub(crate) fn row_offset(e: i32) -> [i64; 2] {
    [low_bits(e, 4), low_bits(e >> 4, 4)]
}

/// The lowest `bits` bits as a two's complement number.
fn low_bits(e: i32, bits: u32) -> i64 {
    i64::from(e << (32 - bits) >> (32 - bits))
}

/// Rule 1.6 of docs/numerics.md: the indices of the two texels that a linear fetch reads, and the
/// weight of the upper one.
pub(crate) fn neighbours(u: Fixed) -> Neighbours {
    let b = u.minus(Fixed::HALF);
    let i = b.floor();
    let fraction = b.minus(Fixed::from_int(i));
    let (index, upper) = match fraction.round_to_256th() {
        256 => (i + 1, 0),
        a => (i, a),
    };
    let exact = b.minus(Fixed::from_int(index)).to_f64();
    Neighbours { index: saturate(index), upper, exact }
}

/// First half of rule 1.6 of docs/numerics.md: the limits that a linear filter applies to the
/// coordinate. Under clamp, they are the centres of the edge texels.
pub(crate) fn limit(u: Fixed, n: u32, mode: AddressMode) -> Fixed {
    match mode {
        AddressMode::Clamp => u.clamp(Fixed::HALF, Fixed::from_int(n.into()).minus(Fixed::HALF)),
        AddressMode::ClampOgl => clamp_ogl(u, n),
        AddressMode::Wrap | AddressMode::Mirror | AddressMode::Border => u,
    }
}

/// Rule 1.7 of docs/numerics.md: `clamp_ogl` is OpenGL's GL_CLAMP, which limits the coordinate to
/// the edges of the texture. A linear filter then reads half of the border colour there, see
/// [`beyond`].
fn clamp_ogl(u: Fixed, n: u32) -> Fixed {
    u.clamp(Fixed::from_int(0), Fixed::from_int(n.into()))
}

/// The address mode for the indices of a footprint. Under `clamp_ogl`, texels past the edges are
/// the border colour (rule 1.7 of docs/numerics.md), which a point filter never reaches.
pub(crate) fn beyond(mode: AddressMode, linear: bool) -> AddressMode {
    match mode {
        AddressMode::ClampOgl if linear => AddressMode::Border,
        AddressMode::ClampOgl => AddressMode::Clamp,
        mode => mode,
    }
}

/// Limits an index to 32 bits (rule 1.5 of docs/numerics.md). The hardware is assumed to limit the
/// indices of linear filters, too.
pub(crate) fn saturate(i: i64) -> i64 {
    i.clamp(i32::MIN.into(), i32::MAX.into())
}

/// Rule 1.7 of docs/numerics.md: the texel for an index under the address mode; `None` is the
/// border colour. `clamp_ogl` must have been replaced by [`beyond`].
pub(crate) fn address(k: i64, n: u32, mode: AddressMode) -> Option<u32> {
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

/// Rule 1.9 of docs/numerics.md: the texel index for an integer coordinate and its offset. Rule 1.9
/// (open): the sum does not wrap around at 2^31.
pub(crate) fn integer(bits: u32, offset: i64) -> i64 {
    i64::from(bits as i32) + offset
}

/// Rule 1.9 of docs/numerics.md: the texel at an index; `None` if the index is outside the extent.
pub(crate) fn inside(k: i64, n: u32) -> Option<u32> {
    (0..i64::from(n)).contains(&k).then_some(k as u32)
}

/// Rule 1.10 of docs/numerics.md: the layer for an array index. The index is unsigned, and past the
/// end it reads the last layer.
pub(crate) fn layer(index: u32, layers: u32) -> u32 {
    index.min(layers.saturating_sub(1))
}

/// Rule 9.6 of docs/numerics.md: the sample number is taken modulo the number of samples.
pub(crate) fn sample(number: u32, samples: u32) -> u32 {
    number % samples.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use AddressMode::{Border, Clamp, Mirror, Wrap};

    fn at(x: f32, n: u32, mode: AddressMode) -> (i64, u32) {
        let u = limit(number(x), n, mode);
        let Neighbours { index, upper, exact } = neighbours(u);
        assert!((exact * 256.0 - f64::from(upper)).abs() <= 0.5, "{exact} {upper}");
        (index, upper)
    }

    #[test]
    fn nan_and_subnormals_read_zero() {
        let zero = Fixed::ZERO;
        assert_eq!([f32::NAN, f32::from_bits(0xff80_0001), 1e-45, -1e-40].map(number), [zero; 4]);
        assert_eq!(number(f32::NEG_INFINITY).floor(), i64::from(i32::MIN));
        assert_eq!(number(-1e-30).floor(), -1);
    }

    #[test]
    fn coordinates_are_floored_first() {
        let index = |x: f32, n| point_index(scale_normalized(number(x), n, Clamp));
        // The coordinate is the float just above 0.04. Without the floor of rule 1.2 of
        // docs/numerics.md, its index among 25 texels would be 1.
        let x = f32::from_bits(0.04_f32.to_bits() + 1);
        assert!(f64::from(x) * 25.0 > 1.0);
        assert_eq!(index(x, 25), 0);
        assert_eq!([25, 32].map(|n| index(-1e-30, n)), [-1, -1]);
        assert_eq!(index(1e-45, 32), 0);
        assert_eq!(index(f32::MAX, 32), i64::from(i32::MAX));
        assert_eq!(index(f32::NEG_INFINITY, 25), i64::from(i32::MIN));
        assert_eq!(
            [1, 8192, 16_383, 16_384, 32_767, 32_768, 131_072].map(fraction_bits),
            [21, 21, 21, 22, 22, 23, 23]
        );
    }

    #[test]
    fn wrap_and_mirror_are_exact_for_any_size() {
        let at = |x: f32, mode| scale_normalized(number(x), 10, mode).to_f64();
        assert_eq!(
            [1.25, -0.25, 8_388_609.0, 1e30, f32::INFINITY].map(|x| at(x, Wrap)),
            [2.5, 7.5, 0.0, 0.0, 0.0]
        );
        assert_eq!(
            [1.25, -0.25, 8_388_609.0, 1e30, f32::NEG_INFINITY].map(|x| at(x, Mirror)),
            [12.5, 17.5, 10.0, 0.0, 0.0]
        );
    }

    #[test]
    fn weights_round_and_carry() {
        assert_eq!(at(3.5, 9, Wrap), (3, 0));
        assert_eq!(at(3.75, 9, Wrap), (3, 64));
        // A fraction of 255.5/256 rounds up and carries from texel 3 into texel 4; a slightly
        // smaller one does not.
        assert_eq!(at(3.5 + 255.5 / 256.0, 9, Wrap), (4, 0));
        assert_eq!(at(3.5 + 255.49 / 256.0, 9, Wrap), (3, 255));
        assert_eq!(at(0.5 - 0.5 / 256.0, 9, Wrap), (0, 0));
        assert_eq!(at(-1e-30, 9, Wrap), (-1, 128));
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
    fn offsets_are_cut() {
        assert_eq!([7, 8, -8, -9, 16].map(tex_offset), [7, -8, -8, 7, 0]);
        assert_eq!([31, 32, -32, -33, 64].map(gather_offset), [31, -32, -32, 31, 0]);
        assert_eq!(row_offset(7), [7, 0]);
        assert_eq!(row_offset(-1), [-1, -1]);
        assert_eq!(row_offset(-8), [-8, -1]);
        assert_eq!(row_offset(8), [-8, 0]);
        assert_eq!(row_offset(-9), [7, -1]);
        assert_eq!(row_offset(i32::MIN), [0, 0]);
    }

    #[test]
    fn clamp_ogl_stops_at_the_edge() {
        assert_eq!(at(-3.0, 9, AddressMode::ClampOgl), (-1, 128));
        assert_eq!(at(99.0, 9, AddressMode::ClampOgl), (8, 128));
        assert_eq!(at(0.25, 9, AddressMode::ClampOgl), (-1, 192));
        assert_eq!(beyond(AddressMode::ClampOgl, true), Border);
        assert_eq!(beyond(AddressMode::ClampOgl, false), Clamp);
        assert_eq!(beyond(Wrap, true), Wrap);
    }

    #[test]
    fn integer_coordinates() {
        assert_eq!(inside(integer(0, 0), 3), Some(0));
        assert_eq!(inside(integer(2, 0), 3), Some(2));
        assert_eq!(inside(integer(2, 1), 3), None);
        assert_eq!(inside(integer(u32::MAX, 0), 3), None);
        assert_eq!(inside(integer(u32::MAX, 1), 3), Some(0));
        assert_eq!(inside(integer(0x8000_0000, -8), 131_072), None);
        assert_eq!(inside(integer(0x7fff_ffff, 7), 131_072), None);
    }

    #[test]
    fn layers_and_samples_past_the_end() {
        assert_eq!([0, 2, 3, u32::MAX].map(|i| layer(i, 3)), [0, 2, 2, 2]);
        assert_eq!([0, 3, 4, u32::MAX].map(|i| sample(i, 4)), [0, 3, 0, 3]);
    }
}
