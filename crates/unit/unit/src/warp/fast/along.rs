//! The stages of an axis.

use super::axis::{
    Axis, AxisLanes, BORDER, CLAMP, CUT, Call, EXACT, LINEAR, MIRROR, MIRROR_2, OfAxis, POINT,
    Sizes, WRAP, WRAP_2,
};
use crate::request::{Lanes, lanes};
use crate::warp::general::axes;
use crate::warp::simd::{Float, Int, Mask, Portable, Simd, Stage, float, int, load};

/// Rule 1.9.
pub(super) struct Named<const EACH: bool>;

impl<const EACH: bool> Stage<OfAxis> for Named<EACH> {
    #[inline(always)]
    fn run<S: Simd>(simd: S, call: Call<'_>) {
        let out = call.out;
        out.outside = [0; 2];
        for chunk in 0..32 / S::LANES {
            let Size { n, pitch, .. } = sizes::<S, POINT, EACH>(simd, call.axis, call.sizes, chunk);
            let index = load(simd, call.coords, chunk);
            let index = match call.offset {
                Some(offset) => {
                    // Near the ends of i32 the sum wraps to the other end, which is outside too.
                    index + load(simd, offset, chunk)
                }
                None => index,
            };
            let outside = outside(simd, index, n);
            out.outside[0] |= outside.bits() << (chunk * S::LANES);
            (index * pitch).store(&mut out.lower, chunk);
        }
    }
}

/// Rules 1.1 to 1.8.
pub(super) struct Along<const FIND: u8, const SCALE: u8, const MODE: u8, const EACH: bool>;

impl<const FIND: u8, const SCALE: u8, const MODE: u8, const EACH: bool> Stage<OfAxis>
    for Along<FIND, SCALE, MODE, EACH>
{
    #[inline(always)]
    fn run<S: Simd>(simd: S, call: Call<'_>) {
        let Call { axis, coords, offset, sizes: of, out } = call;
        let (mut near, mut outside_bits, mut together) = (0, [0; 2], 0);
        for chunk in 0..32 / S::LANES {
            let place = chunk * S::LANES;
            let sizes = sizes::<S, FIND, EACH>(simd, axis, of, chunk);
            let x = load(simd, coords, chunk);
            let offset = match offset {
                Some(offset) => load(simd, offset, chunk),
                None => int(simd, 0),
            };
            let found = along::<S, FIND, SCALE, MODE>(simd, axis, x, offset, sizes);
            near |= found.near.bits() << place;
            found.lower.store(&mut out.lower, chunk);
            if MODE == BORDER {
                outside_bits[0] |= found.outside[0].bits() << place;
            }
            if FIND == LINEAR {
                together |= found.together.bits() << place;
                if MODE == BORDER {
                    outside_bits[1] |= found.outside[1].bits() << place;
                }
                found.weight.store(&mut out.weight, chunk);
                found.upper.store(&mut out.upper, chunk);
            }
        }
        out.outside = outside_bits;
        out.apart = !together | outside_bits[0] | outside_bits[1];
        if near != u32::MAX {
            far(!near, axis, coords, offset, of, out);
        }
    }
}

/// What the lanes of a vector read along an axis.
pub(super) struct OnAxis<S: Simd> {
    /// Byte offsets of the lower or only texel, and of the upper one.
    pub(super) lower: Int<S>,
    pub(super) upper: Int<S>,
    /// Weight of the upper texel in 1/256.
    pub(super) weight: Int<S>,
    /// Lanes whose lower or upper texel is outside; of border modes.
    pub(super) outside: [Mask<S>; 2],
    /// Lanes whose upper texel is the one behind the lower.
    pub(super) together: Mask<S>,
    /// Lanes for which all this is so; the others are to be answered in another way.
    pub(super) near: Mask<S>,
}

/// Rules 1.1 to 1.8 for texels of a size and a pitch. What `FIND` and `MODE` do not need is any number.
#[inline(always)]
pub(super) fn along<S: Simd, const FIND: u8, const SCALE: u8, const MODE: u8>(
    simd: S,
    axis: &Axis,
    x: Int<S>,
    offset: Int<S>,
    size: Size<S>,
) -> OnAxis<S> {
    let (n, factor) = (size.n, size.factor);
    let magnitude = (x & int(simd, i32::MAX)).as_float();
    let near = magnitude.lt(float(simd, axis.limit));
    let x = x.as_float();
    if FIND == POINT {
        let i = texel::<S, SCALE>(simd, x, n, factor);
        let (i, _) = address::<S, MODE>(simd, i + offset, n);
        let (at, outside) = (size.offset(i), [outside(simd, i, n); 2]);
        return OnAxis { lower: at, upper: at, weight: at, outside, together: near, near };
    }
    let t = distance::<S, SCALE>(simd, x, n, factor);
    let t = t + (offset << 8);
    let t = if MODE == CLAMP {
        let last = (n << 8) - int(simd, 256);
        t.max(int(simd, 0)).min(last)
    } else {
        t
    };
    let (lower, upper) = address::<S, MODE>(simd, t >> 8, n);
    OnAxis {
        lower: size.offset(lower),
        upper: size.offset(upper),
        weight: t & int(simd, 255),
        outside: [outside(simd, lower, n), outside(simd, upper, n)],
        together: upper.is(lower + int(simd, 1)),
        near,
    }
}

/// Of an axis, in all lanes.
pub(super) struct Size<S: Simd> {
    /// Texels.
    n: Int<S>,
    /// Bytes from a texel to the next; or how far numbers of texels are shifted.
    pitch: Int<S>,
    shifts: bool,
    /// What coordinates are multiplied by first; a power of two, or not looked at.
    factor: Float<S>,
}

impl<S: Simd> Size<S> {
    /// That of the only level. `shifts`: its pitch is a power of two, and so needs no multiplication.
    #[inline(always)]
    pub(super) fn of(simd: S, axis: &Axis, shifts: bool) -> Self {
        let pitch = if shifts { axis.shift } else { axis.pitch };
        Self {
            n: int(simd, axis.size as i32),
            pitch: int(simd, pitch as i32),
            shifts,
            factor: float(simd, axis.factor),
        }
    }

    /// The byte offset of a texel.
    #[inline(always)]
    fn offset(&self, texel: Int<S>) -> Int<S> {
        if self.shifts { texel.shl_each(self.pitch) } else { texel * self.pitch }
    }
}

#[inline(always)]
fn sizes<S: Simd, const FIND: u8, const EACH: bool>(
    simd: S,
    axis: &Axis,
    sizes: Option<&Sizes>,
    chunk: usize,
) -> Size<S> {
    match sizes {
        Some(sizes) if EACH => {
            let n = load(simd, &sizes.size, chunk);
            let factor = match (axis.is_normalized(), FIND) {
                (false, _) => float(simd, axis.factor),
                (true, POINT) => n.to_float(),
                (true, _) => (n << 9).to_float(),
            };
            Size { n, pitch: load(simd, &sizes.pitch, chunk), shifts: false, factor }
        }
        _ => Size::of(simd, axis, false),
    }
}

// No closures here and below: they would not be compiled for the level.

/// floor(u): rules 1.2, 1.3, 1.5.
#[inline(always)]
fn texel<S: Simd, const SCALE: u8>(simd: S, x: Float<S>, n: Int<S>, factor: Float<S>) -> Int<S> {
    let exact = (x * factor).floor();
    if SCALE == EXACT {
        return exact;
    }
    let cut = (x * float(simd, 2_097_152.0)).floor().mul_shift::<21, false>(n);
    if SCALE == CUT { cut } else { is_power_of_two(simd, n).select(exact, cut) }
}

/// floor((u - 1/2) * 256 + 1/2): rules 1.2, 1.3, 1.6.
#[inline(always)]
fn distance<S: Simd, const SCALE: u8>(simd: S, x: Float<S>, n: Int<S>, factor: Float<S>) -> Int<S> {
    // Of powers of two: one rounding, as in rule 1.2.
    let exact = ((x * factor).floor() - int(simd, 255)) >> 1;
    if SCALE == EXACT {
        return exact;
    }
    let steps = (x * float(simd, 2_097_152.0)).floor();
    let cut = steps.mul_shift::<13, true>(n) - int(simd, 128);
    if SCALE == CUT { cut } else { is_power_of_two(simd, n).select(exact, cut) }
}

#[inline(always)]
fn is_power_of_two<S: Simd>(simd: S, n: Int<S>) -> Mask<S> {
    (n & (n - int(simd, 1))).is(int(simd, 0))
}

/// Rule 1.7 on the lower index and on the one after it. Border leaves them as they are.
#[inline(always)]
fn address<S: Simd, const MODE: u8>(simd: S, i: Int<S>, n: Int<S>) -> (Int<S>, Int<S>) {
    let one = int(simd, 1);
    let zero = int(simd, 0);
    let last = n - one;
    match MODE {
        CLAMP => (i.max(zero).min(last), (i + one).max(zero).min(last)),
        WRAP_2 => (i & last, (i + one) & last),
        MIRROR_2 => {
            let end = n + last;
            let (lower, upper) = (i & end, (i + one) & end);
            (lower.min(end - lower), upper.min(end - upper))
        }
        WRAP => {
            let lower = modulo(simd, i, n);
            let upper = lower + one;
            (lower, upper.is(n).select(zero, upper))
        }
        MIRROR => {
            let period = n + n;
            let i = modulo(simd, i, period);
            let next = i + one;
            let next = next.is(period).select(zero, next);
            let end = period - one;
            (i.min(end - i), next.min(end - next))
        }
        _ => (i, i + one),
    }
}

/// i mod n, of indices below 2^23: the rounded quotient is at most one off.
#[inline(always)]
fn modulo<S: Simd>(simd: S, i: Int<S>, n: Int<S>) -> Int<S> {
    let quotient = (i.to_float() * (float(simd, 1.0) / n.to_float())).floor();
    let rest = i - quotient * n;
    let rest = rest.lt(int(simd, 0)).select(rest + n, rest);
    rest.lt(n).select(rest, rest - n)
}

#[inline(always)]
fn outside<S: Simd>(simd: S, i: Int<S>, n: Int<S>) -> Mask<S> {
    i.lt(int(simd, 0)) | (n - int(simd, 1)).lt(i)
}

/// Lanes whose coordinates are too large for 32-bit arithmetic, or no numbers.
#[cold]
#[inline(never)]
fn far(
    far: u32,
    axis: &Axis,
    coords: &Lanes,
    offset: Option<&Lanes>,
    sizes: Option<&Sizes>,
    out: &mut AxisLanes,
) {
    let size = sizes.map_or([axis.size; 32], |sizes| sizes.size).map(f64::from);
    let pitch = sizes.map_or([axis.pitch; 32], |sizes| sizes.pitch);
    let offset = offset.map_or([0; 32], |offset| offset.map(|texels| texels as i32));
    let mut found = axes::AxisLanes::NONE;
    let operands = axes::Operands { coords, size: &size, offset: &offset };
    axis.exact.run(Portable, operands, &mut found);
    let (none, all) = (!far, far);
    out.outside = out.outside.map(|bits| bits & none);
    out.apart |= all;
    for lane in lanes(far) {
        let (lower, upper) = (found.lower[lane], found.upper[lane]);
        out.outside[0] |= u32::from(lower < 0) << lane;
        out.outside[1] |= u32::from(upper < 0) << lane;
        out.lower[lane] = (lower as u32).wrapping_mul(pitch[lane]);
        out.upper[lane] = (upper as u32).wrapping_mul(pitch[lane]);
        out.weight[lane] = found.weight[lane] as u32;
    }
}
