//! The SIMD stages of an axis: from coordinates to the texels along the axis and their weights.

use super::{
    Axis, AxisArgs, BORDER, CLAMP, CLAMP_INDEX, CLAMP_OGL, Call, EXACT, LINEAR, MIRROR, MIRROR_2,
    Operands, POINT, RAW, WRAP, WRAP_2, exact,
};
use crate::warp::simd::{Float, Int, Mask, Simd, Stage, float, int, load};

/// The stage for integer coordinates (rule 1.9 of docs/numerics.md).
pub(super) struct IntegerAxis;

impl Stage<AxisArgs> for IntegerAxis {
    #[inline(always)]
    fn run<S: Simd>(simd: S, Call { axis, of, out }: Call<'_>) {
        out.outside = [0; 2];
        for chunk in 0..32 / S::LANES {
            let size = size::<S, POINT>(simd, axis, of, chunk);
            let index = load(simd, of.coords, chunk);
            let index = match of.offset {
                Some(offset) => {
                    // The coordinate is limited, so that its sum with the offset does not wrap
                    // around.
                    let near = index.max(int(simd, -(1 << 30))).min(int(simd, 1 << 30));
                    near + load(simd, offset, chunk)
                }
                None => index,
            };
            if axis.clamps() {
                let index = index.max(int(simd, 0)).min(size.n - int(simd, 1));
                size.offset(index).store(&mut out.lower, chunk);
                continue;
            }
            let outside = outside(simd, index, size.n);
            out.outside[0] |= outside.bits() << (chunk * S::LANES);
            found(simd, size.offset(index), outside).store(&mut out.lower, chunk);
        }
    }
}

/// The stage for float coordinates (rules 1.1 to 1.8 of docs/numerics.md).
pub(super) struct FloatAxis<const FIND: u8, const MODE: u8>;

impl<const FIND: u8, const MODE: u8> Stage<AxisArgs> for FloatAxis<FIND, MODE> {
    #[inline(always)]
    fn run<S: Simd>(simd: S, Call { axis, of, out }: Call<'_>) {
        let scale = axis.kind.0;
        let (mut near, mut outside_bits, mut together) = (0, [0; 2], 0);
        for chunk in 0..32 / S::LANES {
            let place = chunk * S::LANES;
            let size = size::<S, FIND>(simd, axis, of, chunk);
            let x = load(simd, of.coords, chunk);
            let mut offset = match of.offset {
                Some(offset) => load(simd, offset, chunk),
                None => int(simd, 0),
            };
            if FIND == LINEAR {
                offset = offset << 8;
                if let Some(shift) = of.shift {
                    offset = offset + load(simd, shift, chunk);
                }
            }
            let on_axis = along::<S, FIND, MODE>(simd, scale, (axis, x, offset), size);
            near |= on_axis.near.bits() << place;
            let [mut lower, mut upper] = [on_axis.lower, on_axis.upper];
            if has_border(MODE) {
                outside_bits[0] |= on_axis.outside[0].bits() << place;
                lower = found(simd, lower, on_axis.outside[0]);
            }
            lower.store(&mut out.lower, chunk);
            if FIND == LINEAR {
                together |= on_axis.together.bits() << place;
                if has_border(MODE) {
                    outside_bits[1] |= on_axis.outside[1].bits() << place;
                    upper = found(simd, upper, on_axis.outside[1]);
                }
                on_axis.weight.store(&mut out.weight, chunk);
                upper.store(&mut out.upper, chunk);
            }
        }
        out.outside = outside_bits;
        out.scattered = !together | outside_bits[0] | outside_bits[1];
        if near != u32::MAX {
            exact::fill(!near, axis.exact, (axis.size, axis.pitch), of, out);
        }
    }
}

/// Whether texels can be outside under this address mode.
const fn has_border(mode: u8) -> bool {
    mode == BORDER || mode == CLAMP_OGL
}

/// The stored value for a texel that may be outside: its index, or -1 if it is outside. Where byte
/// offsets are stored instead, the -1 is not needed, because the border replaces the texel; it does
/// no harm.
#[inline(always)]
fn found<S: Simd>(simd: S, texel: Int<S>, outside: Mask<S>) -> Int<S> {
    outside.select(int(simd, -1), texel)
}

/// The texels that the lanes of a vector read along an axis.
pub(in crate::warp) struct OnAxis<S: Simd> {
    /// The lower (or only) texel and the upper texel, as byte offsets or as indices.
    pub(in crate::warp) lower: Int<S>,
    pub(in crate::warp) upper: Int<S>,
    /// Weight of the upper texel in 1/256.
    pub(in crate::warp) weight: Int<S>,
    /// The masks of the lanes whose lower and whose upper texel is outside; only for address modes
    /// with a border.
    pub(in crate::warp) outside: [Mask<S>; 2],
    /// The lanes whose upper texel follows the lower one in memory.
    pub(in crate::warp) together: Mask<S>,
    /// The lanes for which the results are valid. The other lanes need the general schedule.
    pub(in crate::warp) near: Mask<S>,
}

/// Rules 1.1 to 1.8 of docs/numerics.md: the texels for coordinates `x` along an axis of a given
/// size and pitch. `offset` is in texels, or in 1/256 of a texel for linear filters. Parameters
/// that `FIND` and `MODE` do not need are ignored.
#[inline(always)]
pub(in crate::warp) fn along<S: Simd, const FIND: u8, const MODE: u8>(
    simd: S,
    scale: u8,
    (axis, x, offset): (&Axis, Int<S>, Int<S>),
    size: Size<S>,
) -> OnAxis<S> {
    let n = size.n;
    let magnitude = (x & int(simd, i32::MAX)).as_float();
    let near = magnitude.lt(float(simd, axis.limit));
    let x = x.as_float();
    if FIND == POINT {
        let i = texel(simd, scale, (axis, x), &size);
        let (i, _) = address::<S, MODE>(simd, i + offset, n, size.inverse);
        let (at, outside) = (size.offset(i), [outside(simd, i, n); 2]);
        return OnAxis { lower: at, upper: at, weight: at, outside, together: near, near };
    }
    let mut t = distance(simd, scale, (axis, x), &size);
    if MODE == RAW {
        // The coordinate on a cube face is limited to the face. It is a product with the hardware's
        // approximate reciprocal, and may lie slightly outside.
        t = t.max(int(simd, -128)).min((n << 8) - int(simd, 128));
    }
    let t = t + offset;
    // Rule 1.6 of docs/numerics.md: the coordinate is limited after its offset has been added.
    let t = match MODE {
        CLAMP => t.max(int(simd, 0)).min((n << 8) - int(simd, 256)),
        CLAMP_OGL => t.max(int(simd, -128)).min((n << 8) - int(simd, 128)),
        _ => t,
    };
    let weight = t & int(simd, 255);
    if let (WRAP_2, Pitch::Shift(bits)) = (MODE, &size.pitch) {
        // One rotation converts from 1/256 of a texel to bytes. The bits above and below the byte
        // offset are then masked off.
        let inside = (n - int(simd, 1)).shl_each(*bits);
        let lower = t.rotate_each((*bits - int(simd, 8)) & int(simd, 31)) & inside;
        let next = size.after(simd, lower);
        let upper = next & inside;
        return OnAxis { lower, upper, weight, outside: [near; 2], together: upper.is(next), near };
    }
    if MODE == CLAMP {
        // After the coordinate was limited, the lower texel is inside, and the upper texel is at
        // most one past the last.
        let lower = size.offset(t >> 8);
        let next = size.after(simd, lower);
        let upper = next.min(size.offset(n - int(simd, 1)));
        return OnAxis { lower, upper, weight, outside: [near; 2], together: upper.is(next), near };
    }
    let (lower, upper) = address::<S, MODE>(simd, t >> 8, n, size.inverse);
    OnAxis {
        lower: size.offset(lower),
        upper: size.offset(upper),
        weight,
        outside: [outside(simd, lower, n), outside(simd, upper, n)],
        together: upper.is(lower + int(simd, 1)),
        near,
    }
}

/// The size of an axis for each lane of a vector.
pub(in crate::warp) struct Size<S: Simd> {
    /// Number of texels.
    n: Int<S>,
    pitch: Pitch<S>,
    /// `factor` multiplies coordinates, and `middle` is then added. The factor is a power of two,
    /// or is not used.
    factor: Float<S>,
    middle: Int<S>,
    /// 1 / `n`.
    inverse: Float<S>,
}

/// How texel indices are converted to byte offsets. With pitch 1, indices are returned.
enum Pitch<S: Simd> {
    Bytes(Int<S>),
    /// A pitch that is a power of two, as its binary logarithm.
    Shift(Int<S>),
}

impl<S: Simd> Size<S> {
    /// The size of the plan's only level. `shifts` tells whether the pitch is a power of two, so
    /// that a shift replaces the multiplication.
    #[inline(always)]
    pub(in crate::warp) fn of(simd: S, axis: &Axis, shifts: bool) -> Self {
        Self {
            n: int(simd, axis.size as i32),
            pitch: match shifts {
                true => Pitch::Shift(int(simd, axis.shift as i32)),
                false => Pitch::Bytes(int(simd, axis.pitch as i32)),
            },
            factor: float(simd, axis.factor),
            middle: int(simd, axis.middle),
            inverse: float(simd, axis.inverse),
        }
    }

    /// The sizes of the levels that the lanes read at normalized coordinates. `n` is the number of
    /// texels, and `shift` the binary logarithm of the pitch, which must be a power of two.
    #[inline(always)]
    pub(in crate::warp) fn of_level(simd: S, n: Int<S>, shift: Int<S>) -> Self {
        // `middle` is 0, because this function is not used for cube faces, whose coordinates are
        // relative to the middle. The sizes are powers of two, for which `inverse` is not used.
        let (factor, middle, inverse) = ((n << 9).to_float(), int(simd, 0), float(simd, 0.0));
        Self { n, pitch: Pitch::Shift(shift), factor, middle, inverse }
    }

    /// The byte offset (or the index) of a texel, from its index.
    #[inline(always)]
    fn offset(&self, texel: Int<S>) -> Int<S> {
        match self.pitch {
            Pitch::Bytes(pitch) => texel * pitch,
            Pitch::Shift(bits) => texel.shl_each(bits),
        }
    }

    /// The byte offset (or the index) of the texel after `at`.
    #[inline(always)]
    fn after(&self, simd: S, at: Int<S>) -> Int<S> {
        match self.pitch {
            Pitch::Bytes(pitch) => at + pitch,
            Pitch::Shift(bits) => at + int(simd, 1).shl_each(bits),
        }
    }
}

#[inline(always)]
fn size<S: Simd, const FIND: u8>(simd: S, axis: &Axis, of: Operands<'_>, chunk: usize) -> Size<S> {
    let mut all = Size::of(simd, axis, false);
    let Some(sizes) = of.size else { return all };
    all.n = load(simd, sizes, chunk);
    if axis.is_normalized() {
        // On a cube face, the factor is half of the size, because coordinates run from -1 to 1.
        let (whole, half) = if FIND == POINT { (1, 0) } else { (9, 8) };
        let steps = all.n << if axis.is_of_face() { half } else { whole };
        all.factor = steps.to_float();
        all.middle = if axis.is_of_face() { steps } else { int(simd, 0) };
    }
    all.inverse = float(simd, 1.0) / all.n.to_float();
    if let Some(pitch) = of.pitch {
        all.pitch = Pitch::Bytes(load(simd, pitch, chunk));
    }
    all
}

// The functions below contain no closures, because a closure would not be compiled for the SIMD
// level.

/// Rules 1.2, 1.3 and 1.5 of docs/numerics.md: the index floor(u) of the texel that contains the
/// coordinate.
#[inline(always)]
fn texel<S: Simd>(simd: S, scale: u8, (axis, x): (&Axis, Float<S>), size: &Size<S>) -> Int<S> {
    if scale == EXACT {
        let texel = exact(simd, x, size.factor);
        return if axis.halves { (texel + size.middle) >> 1 } else { texel };
    }
    let texel = steps(simd, axis, x, size.n).mul_shift::<21, false>(size.n);
    if axis.fine == 0 { texel } else { texel.sar_each(fine_bits(simd, size.n)) }
}

/// Rules 1.2, 1.3 and 1.6 of docs/numerics.md: the distance of the coordinate from the centre of
/// texel 0 in 1/256 of a texel, floor((u - 1/2) * 256 + 1/2).
#[inline(always)]
fn distance<S: Simd>(simd: S, scale: u8, (axis, x): (&Axis, Float<S>), size: &Size<S>) -> Int<S> {
    if scale == EXACT {
        return (exact(simd, x, size.factor) + (size.middle - int(simd, 255))) >> 1;
    }
    let steps = steps(simd, axis, x, size.n);
    let half = int(simd, 128);
    if axis.fine == 0 {
        return steps.mul_shift::<13, true>(size.n) - half;
    }
    // If one or two more fractional bits are kept, 1/2 is added after the multiplication, in the
    // remaining fractional bits.
    let fine = fine_bits(simd, size.n);
    let rounding = int(simd, 1).shl_each(fine) >> 1;
    let near = steps.mul_shift::<13, false>(size.n) + rounding;
    let coarse = steps.mul_shift::<13, true>(size.n);
    fine.is(int(simd, 0)).select(coarse, near.sar_each(fine)) - half
}

/// Computes floor(x * factor) for a factor that is a power of two. A negative subnormal must give
/// 0, not -1 (rule 1.1 of docs/numerics.md). A small number is therefore added: it is less than the
/// product of the smallest normal number, and more than the products of subnormals.
#[inline(always)]
fn exact<S: Simd>(simd: S, x: Float<S>, factor: Float<S>) -> Int<S> {
    let least = factor.as_int() - int(simd, (126 << 23) + 1);
    x.fused(factor, least.as_float()).floor()
}

/// Rule 1.2 of docs/numerics.md: the coordinate x in steps of 2^-21, floored; large sizes have
/// finer steps. For a cube face, the coordinate is (x + 1) / 2.
#[inline(always)]
fn steps<S: Simd>(simd: S, axis: &Axis, x: Float<S>, n: Int<S>) -> Int<S> {
    let (mut factor, mut centre) = (float(simd, axis.steps), int(simd, axis.centre));
    if axis.fine > 0 {
        // The numbers of the axis are those of its largest size.
        let less = int(simd, axis.fine as i32) - fine_bits(simd, n);
        factor = (factor.as_int() - (less << 23)).as_float();
        centre = centre.sar_each(less);
    }
    exact(simd, x, factor) + centre
}

/// Rule 1.2 of docs/numerics.md: the number of fractional bits beyond 21 that a coordinate keeps
/// over `n` texels.
#[inline(always)]
fn fine_bits<S: Simd>(simd: S, n: Int<S>) -> Int<S> {
    let one = int(simd, 1);
    let zero = int(simd, 0);
    let first = int(simd, 16_383).lt(n).select(one, zero);
    first + int(simd, 32_767).lt(n).select(one, zero)
}

/// Rule 1.7 of docs/numerics.md: applies the address mode to the lower index `i` and to the one
/// after it; `inverse` is 1 / `n`. Border leaves them unchanged.
#[inline(always)]
fn address<S: Simd, const MODE: u8>(
    simd: S,
    i: Int<S>,
    n: Int<S>,
    inverse: Float<S>,
) -> (Int<S>, Int<S>) {
    let one = int(simd, 1);
    let zero = int(simd, 0);
    let last = n - one;
    match MODE {
        CLAMP | CLAMP_INDEX => (i.max(zero).min(last), (i + one).max(zero).min(last)),
        WRAP_2 => (i & last, (i + one) & last),
        MIRROR_2 => {
            let end = n + last;
            let (lower, upper) = (i & end, (i + one) & end);
            (lower.min(end - lower), upper.min(end - upper))
        }
        WRAP => {
            let lower = modulo(simd, i, n, inverse);
            let upper = lower + one;
            (lower, upper.is(n).select(zero, upper))
        }
        MIRROR => {
            let period = n + n;
            let i = modulo(simd, i, period, inverse * float(simd, 0.5));
            let next = i + one;
            let next = next.is(period).select(zero, next);
            let end = period - one;
            (i.min(end - i), next.min(end - next))
        }
        _ => (i, i + one),
    }
}

/// Computes i mod n for indices below 2^23. `inverse` is 1 / n. The rounded quotient is off by at
/// most one.
#[inline(always)]
fn modulo<S: Simd>(simd: S, i: Int<S>, n: Int<S>, inverse: Float<S>) -> Int<S> {
    let quotient = (i.to_float() * inverse).floor();
    let rest = i - quotient * n;
    let rest = rest.lt(int(simd, 0)).select(rest + n, rest);
    rest.lt(n).select(rest, rest - n)
}

#[inline(always)]
pub(super) fn outside<S: Simd>(simd: S, i: Int<S>, n: Int<S>) -> Mask<S> {
    i.lt(int(simd, 0)) | (n - int(simd, 1)).lt(i)
}
