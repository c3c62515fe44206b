//! The face stage: from directions to faces of a cube and the coordinates on them
//! (docs/numerics.md, section 7).

use crate::request::Lanes;
use crate::warp::build::Build;
use crate::warp::simd::{Int, Mask, Pairs, Run, Simd, Stage, arguments, int, load, pick};
use texunit_sfu::RCP;

/// The face stage, compiled for a SIMD level.
#[derive(Clone, Copy, Debug)]
pub(in crate::warp) struct Faces(Run<FaceArgs>);

/// The arguments of the face stage.
struct Call<'a> {
    direction: [&'a Lanes; 3],
    face: &'a mut Lanes,
    at: &'a mut [Lanes; 2],
}

arguments!(FaceArgs = Call);

impl Faces {
    pub(in crate::warp) fn new(build: Build) -> Self {
        Self(pick::<_, ProjectDirections>(build))
    }

    /// Computes the face number of each direction, 0 to 5, and the products along the face's s and
    /// t, as f32 bits.
    #[inline(always)]
    pub(in crate::warp) fn find(
        self,
        direction: [&Lanes; 3],
        face: &mut Lanes,
        at: &mut [Lanes; 2],
    ) {
        self.0.call(Call { direction, face, at });
    }
}

struct ProjectDirections;

impl Stage<FaceArgs> for ProjectDirections {
    #[inline(always)]
    fn run<S: Simd>(simd: S, call: Call<'_>) {
        for chunk in 0..32 / S::LANES {
            let (scale, _) = scale::<S, false>(simd, call.direction, chunk);
            let of = (call.direction, scale, int(simd, 1));
            let (face, at) = on_face::<S, false>(simd, of, chunk);
            face.store(call.face, chunk);
            at[0].store(&mut call.at[0], chunk);
            at[1].store(&mut call.at[1], chunk);
        }
    }
}

/// Selects a stage only for directions whose largest component is a normal number below 2^126.
pub(in crate::warp) const USUAL: bool = true;

/// Rule 7.2 of docs/numerics.md: the reciprocals of the largest components of directions, as f32
/// bits, and the lanes whose directions are [`USUAL`].
#[inline(always)]
pub(in crate::warp) fn scale<S: Simd, const ONLY: bool>(
    simd: S,
    direction: [&Lanes; 3],
    chunk: usize,
) -> (Int<S>, Mask<S>) {
    let (x, y) = (load(simd, direction[0], chunk), load(simd, direction[1], chunk));
    let largest = largest::<S, ONLY>(simd, [x, y, load(simd, direction[2], chunk)]);
    let normal = int(simd, 0x007f_ffff).lt(largest);
    (reciprocal::<S, ONLY>(simd, largest), normal & largest.lt(int(simd, 0x7e80_0000)))
}

/// Rules 7.1, 7.2 and 7.4 of docs/numerics.md: projects directions to the faces that they point at,
/// with their [`scale`]. Returns the face numbers, 0 to 5, times `step`, and the coordinates along
/// s and t, as f32 bits: products of the direction's components and the scale.
#[inline(always)]
pub(in crate::warp) fn on_face<S: Simd, const ONLY: bool>(
    simd: S,
    (direction, scale, step): ([&Lanes; 3], Int<S>, Int<S>),
    chunk: usize,
) -> (Int<S>, [Int<S>; 2]) {
    // This function and those below contain no closures, because a closure would not be compiled
    // for the SIMD level.
    let (x, y) = (load(simd, direction[0], chunk), load(simd, direction[1], chunk));
    let (zero, sign) = (int(simd, 0), int(simd, i32::MIN));
    let [x, y, z] = scaled([x, y, load(simd, direction[2], chunk)], scale);
    let (ax, ay) = (magnitude::<S, ONLY>(simd, x), magnitude::<S, ONLY>(simd, y));
    let az = magnitude::<S, ONLY>(simd, z);
    // Rule 7.1 of docs/numerics.md: the product of largest magnitude selects the axis.
    let on_x = smaller::<S, ONLY>(ay.max(az), ax);
    // For directions that are not on x.
    let on_y = smaller::<S, ONLY>(az, ay);
    let major = on_x.select(x, on_y.select(y, z));
    // If the major product is -0, all products are zero; it counts as positive, as a NaN does.
    let mut negative = major.lt(zero);
    if ONLY != USUAL {
        negative = negative & zero.lt(magnitude::<S, ONLY>(simd, major));
    }
    let flip = negative.select(sign, zero);
    // The pairs (sc, tc) of the faces are (-z, -y), (z, -y), (x, z), (x, -z), (x, -y), (-x, -y).
    let (down, z) = (y ^ sign, z ^ flip);
    let sc = on_x.select(z ^ sign, on_y.select(x, x ^ flip));
    let tc = on_x.select(down, on_y.select(z, down));
    let axis = on_x.select(zero, on_y.select(step << 1, step << 2));
    (axis + negative.select(step, zero), [sc, tc])
}

/// Whether magnitudes `a` are less than `b`.
#[inline(always)]
fn smaller<S: Simd, const ONLY: bool>(a: Int<S>, b: Int<S>) -> Mask<S> {
    // Magnitudes compare like their bits, but the comparison of numbers is one instruction, where
    // the compiler makes an unsigned comparison of bits without sign, which AVX2 does not have.
    if ONLY == USUAL { a.as_float().lt(b.as_float()) } else { a.lt(b) }
}

/// The bits of a float without its sign. A NaN becomes a number below all others.
#[inline(always)]
fn magnitude<S: Simd, const ONLY: bool>(simd: S, x: Int<S>) -> Int<S> {
    let magnitude = x & int(simd, i32::MAX);
    if ONLY == USUAL {
        return magnitude;
    }
    int(simd, 0x7f80_0000).lt(magnitude).select(int(simd, -1), magnitude)
}

#[inline(always)]
fn largest<S: Simd, const ONLY: bool>(simd: S, [x, y, z]: [Int<S>; 3]) -> Int<S> {
    let largest = magnitude::<S, ONLY>(simd, x).max(magnitude::<S, ONLY>(simd, y));
    largest.max(magnitude::<S, ONLY>(simd, z))
}

/// Rule 7.2 of docs/numerics.md: the products of a direction's components and the hardware's
/// reciprocal of their largest magnitude.
#[inline(always)]
pub(in crate::warp) fn products<S: Simd>(simd: S, [x, y, z]: [Int<S>; 3]) -> [Int<S>; 3] {
    let largest = largest::<S, false>(simd, [x, y, z]);
    scaled([x, y, z], reciprocal::<S, false>(simd, largest))
}

#[inline(always)]
fn scaled<S: Simd>([x, y, z]: [Int<S>; 3], scale: Int<S>) -> [Int<S>; 3] {
    let r = scale.as_float();
    [(x.as_float() * r).as_int(), (y.as_float() * r).as_int(), (z.as_float() * r).as_int()]
}

/// Computes `MUFU.RCP` of non-negative numbers ([`texunit_sfu::rcp`]); with `ONLY`, of [`USUAL`]
/// numbers. For -1, which stands for a NaN, the result is arbitrary.
#[inline(always)]
fn reciprocal<S: Simd, const ONLY: bool>(simd: S, x: Int<S>) -> Int<S> {
    let segment = x.shr(16);
    let below = x & int(simd, 0xffff);
    let [constant, both] = segment.look_up_pairs(&COEFFICIENTS);
    let linear = (both & int(simd, 0xffff)) * below;
    let square = both.shr(16).times(square(simd, below));
    // The polynomial is in units of 2^-39, of which the lowest 15 bits are cut off. Multiples of
    // 2^15 units are added separately.
    let low = (constant & int(simd, 3)) << 13;
    let rest = linear + int(simd, 0x7fff - RCP.bias as i32 / 4) - square - low;
    let fraction = constant.shr(2) - rest.shr(15);
    // The fraction, which is 2^23 to 2^24, becomes a float with the biased exponent 150.
    let exponent = x & int(simd, 0x7f80_0000);
    let result = fraction.to_float().as_int() + (int(simd, 103 << 23) - exponent);
    if ONLY == USUAL {
        return result;
    }
    let result = result.lt(int(simd, 0x0080_0000)).select(int(simd, 0), result);
    exponent.is(int(simd, 0)).select(int(simd, 0x7f80_0000), result)
}

/// The truncated square of `MUFU.RCP`, of a number of 17 bits whose lowest one is 0; see
/// [`texunit_sfu::square`]. `half` is half of the number.
///
/// With the upper 7 bits g of the number and the next 3 bits m, the three highest terms of the
/// square are `(g * (4 g + m)) / 2`. Both 16-bit parts of a lane have the number. Factors are at
/// the upper end of a part or at their place in it, so that the upper halves of products are terms.
#[inline(always)]
fn square<S: Simd>(simd: S, half: Int<S>) -> Int<S> {
    let both = half | half << 16;
    // 4 g + m is 8 g + m less 4 g.
    let upper = (both & int(simd, 0xf800_ffc0_u32 as i32)) - (half.shr(1) & int(simd, 0x7f00));
    let terms = (both & int(simd, 0x0030_fe00)).mul16_high(upper);
    let lower = both & int(simd, 0x0002_000c);
    let terms = terms + lower.mul16_high(both & int(simd, 0x8000_e000_u32 as i32));
    terms.dot16(int(simd, 0x0001_0001))
}

/// Coefficients of `MUFU.RCP`, by segment: C0, and -C1 in the low half of a word with C2 in the
/// high half.
static COEFFICIENTS: Pairs = {
    let (mut all, mut i) = ([[0; 2]; 128], 0);
    while i < 128 {
        let [c0, c1, c2] = RCP.coefficients[i];
        all[i] = [c0, -c1 | c2 << 16];
        i += 1;
    }
    Pairs::new(all)
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::warp::simd::check::{NumberArgs, check};

    struct Reciprocal;

    impl Stage<NumberArgs> for Reciprocal {
        #[inline(always)]
        fn run<S: Simd>(simd: S, call: crate::warp::simd::check::Numbers<'_>) {
            for chunk in 0..32 / S::LANES {
                reciprocal::<S, false>(simd, load(simd, call.from, chunk)).store(call.to, chunk);
            }
        }
    }

    #[test]
    fn reciprocals_are_those_of_the_special_function_unit() {
        let mantissas = (0..1 << 23).step_by(5).map(|m| 0x3f80_0000 | m);
        let exponents = (0..=255).flat_map(|e| [0, 1, 0x7f_fffe].map(|m| e << 23 | m));
        let numbers = exponents.filter(|&x| x <= 0x7f80_0000);
        check::<Reciprocal>(mantissas.chain(numbers), texunit_sfu::rcp);
    }
}
