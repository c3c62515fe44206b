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
