//! The face stage: from directions to faces of a cube and the coordinates on them
//! (docs/numerics.md, section 7).

use crate::request::Lanes;
use crate::warp::build::Build;
use crate::warp::simd::{Arguments, Int, Mask, Pairs, Run, Simd, Stage, int, load, pick};
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

#[derive(Debug)]
struct FaceArgs;

impl Arguments for FaceArgs {
    type Args<'a> = Call<'a>;
}

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
            let OnFace { face, at, .. } = on_face::<S, false>(simd, call.direction, chunk);
            face.store(call.face, chunk);
            at[0].store(&mut call.at[0], chunk);
            at[1].store(&mut call.at[1], chunk);
        }
    }
}

/// The faces, and the coordinates on them, for the lanes of a vector.
pub(in crate::warp) struct OnFace<S: Simd> {
    /// Face numbers, 0 to 5.
    pub(in crate::warp) face: Int<S>,
    /// The coordinates along s and t, as f32 bits: products of the direction's components and the
    /// reciprocal.
    pub(in crate::warp) at: [Int<S>; 2],
    /// The lanes for which the results are valid. With [`USUAL`], only lanes whose products are
    /// finite numbers have valid results.
    pub(in crate::warp) near: Mask<S>,
}

/// Selects a stage only for directions whose largest component is a normal number below 2^126.
pub(in crate::warp) const USUAL: bool = true;

/// Rules 7.1, 7.2 and 7.4 of docs/numerics.md: projects directions to the faces that they point at.
#[inline(always)]
pub(in crate::warp) fn on_face<S: Simd, const ONLY: bool>(
    simd: S,
    direction: [&Lanes; 3],
    chunk: usize,
) -> OnFace<S> {
    // This function and those below contain no closures, because a closure would not be compiled
    // for the SIMD level.
    let (x, y) = (load(simd, direction[0], chunk), load(simd, direction[1], chunk));
    let (zero, sign) = (int(simd, 0), int(simd, i32::MIN));
    let z = load(simd, direction[2], chunk);
    let largest = largest::<S, ONLY>(simd, [x, y, z]);
    let r = reciprocal::<S, ONLY>(simd, largest).as_float();
    let (x, y, z) =
        ((x.as_float() * r).as_int(), (y.as_float() * r).as_int(), (z.as_float() * r).as_int());
    let (ax, ay) = (magnitude::<S, ONLY>(simd, x), magnitude::<S, ONLY>(simd, y));
    let az = magnitude::<S, ONLY>(simd, z);
    // Rule 7.1 of docs/numerics.md: the product of largest magnitude selects the axis. Magnitudes
    // compare like their bits.
    let on_y = az.lt(ay) & ax.lt(ay + int(simd, 1));
    let on_x = ay.max(az).lt(ax);
    let major = on_x.select(x, on_y.select(y, z));
    // If the major product is -0, all products are zero; it counts as positive, as a NaN does.
    let mut negative = major.lt(zero);
    if ONLY != USUAL {
        negative = negative & zero.lt(magnitude::<S, ONLY>(simd, major));
    }
    let flip = negative.select(sign, zero);
    // The pairs (sc, tc) of the faces are (-z, -y), (z, -y), (x, z), (x, -z), (x, -y), (-x, -y).
    let sc = on_x.select(z ^ sign ^ flip, on_y.select(x, x ^ flip));
    let tc = on_y.select(z ^ flip, y ^ sign);
    let axis = on_x.select(zero, on_y.select(int(simd, 2), int(simd, 4)));
    let normal = int(simd, 0x007f_ffff).lt(largest);
    OnFace {
        face: axis + negative.select(int(simd, 1), zero),
        at: [sc, tc],
        near: normal & largest.lt(int(simd, 0x7e80_0000)),
    }
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
    let r = reciprocal::<S, false>(simd, largest).as_float();
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
    let square = both.shr(16).times(square(simd, below << 1));
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

/// The truncated square of `MUFU.RCP`; see [`texunit_sfu::square`].
#[inline(always)]
fn square<S: Simd>(simd: S, x: Int<S>) -> Int<S> {
    let high = x.shr(9);
    // The sum is unrolled by hand, so that shifts are by constants.
    let sum = high.times(high).shr(1) + (x & int(simd, 0x180)).times(x.shr(10)).shr(8);
    let sum = sum + (x & int(simd, 0x60)).times(x.shr(12)).shr(6);
    let sum = sum + (x & int(simd, 0x18)).times(x.shr(14)).shr(4);
    sum + (x & int(simd, 4)).times(x.shr(16)).shr(2)
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
