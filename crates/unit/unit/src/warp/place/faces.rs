//! From directions to faces of a cube and places on them: docs/numerics.md, section 7.

use crate::request::Lanes;
use crate::warp::build::Build;
use crate::warp::simd::{Arguments, Float, Int, Run, Simd, Stage, float, int, load, pick};

/// Faces and places on them.
#[derive(Clone, Copy, Debug)]
pub(in crate::warp) struct Faces(Run<OfFaces>);

/// A call of the stage.
struct Call<'a> {
    direction: [&'a Lanes; 3],
    face: &'a mut Lanes,
    at: &'a mut [Lanes; 2],
}

#[derive(Debug)]
struct OfFaces;

impl Arguments for OfFaces {
    type Of<'a> = Call<'a>;
}

impl Faces {
    pub(in crate::warp) fn new(build: Build) -> Self {
        Self(pick::<_, OfDirection>(build))
    }

    /// Numbers of faces, 0 to 5, and coordinates on them, 0 to 1: bits of f32.
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

struct OfDirection;

impl Stage<OfFaces> for OfDirection {
    #[inline(always)]
    fn run<S: Simd>(simd: S, call: Call<'_>) {
        for chunk in 0..32 / S::LANES {
            let OnFace { face, at } = on_face(simd, call.direction, chunk);
            face.store(call.face, chunk);
            at[0].store(&mut call.at[0], chunk);
            at[1].store(&mut call.at[1], chunk);
        }
    }
}

/// Where directions of a vector's lanes go.
pub(in crate::warp) struct OnFace<S: Simd> {
    /// Numbers of faces, 0 to 5.
    pub(in crate::warp) face: Int<S>,
    /// Coordinates on them, 0 to 1: bits of f32.
    pub(in crate::warp) at: [Int<S>; 2],
}

/// Rules 7.1, 7.2 and 7.4.
#[inline(always)]
pub(in crate::warp) fn on_face<S: Simd>(
    simd: S,
    direction: [&Lanes; 3],
    chunk: usize,
) -> OnFace<S> {
    let (zero, sign, most) = (int(simd, 0), int(simd, i32::MIN), int(simd, i32::MAX));
    let [x, y, z] = seen(simd, direction, chunk);
    let (ax, ay, az) = (x & most, y & most, z & most);
    // Rule 7.1; magnitudes order like their bits.
    let on_y = ax.max(az).lt(ay) | (az.lt(ay) & ax.is(ay));
    let on_x = ay.max(az).lt(ax);
    let major = on_x.select(x, on_y.select(y, z));
    // A major component of -0 has no other beside it, and counts as positive.
    let negative = major.lt(zero) & zero.lt(major & most);
    let flip = negative.select(sign, zero);
    // (sc, tc): (-z, -y), (z, -y), (x, z), (x, -z), (x, -y), (-x, -y).
    let sc = on_x.select(z ^ sign ^ flip, on_y.select(x, x ^ flip));
    let tc = on_y.select(z ^ flip, y ^ sign);
    let axis = on_x.select(zero, on_y.select(int(simd, 2), int(simd, 4)));
    let size = (major & most).as_float();
    OnFace {
        face: axis + negative.select(int(simd, 1), zero),
        at: [place(simd, sc.as_float(), size).as_int(), place(simd, tc.as_float(), size).as_int()],
    }
}

/// Rule 7.2. Without a direction this is 0/0: a NaN, which reads as 0 (rule 7.4).
#[inline(always)]
fn place<S: Simd>(simd: S, c: Float<S>, size: Float<S>) -> Float<S> {
    (c / size + float(simd, 1.0)) * float(simd, 0.5)
}

/// Rule 7.4: NaN components are 0, and so are all of an infinite direction.
#[inline(always)]
fn seen<S: Simd>(simd: S, direction: [&Lanes; 3], chunk: usize) -> [Int<S>; 3] {
    let (zero, infinity) = (int(simd, 0), int(simd, 0x7f80_0000));
    let mut seen = [zero; 3];
    let mut infinite = zero.lt(zero);
    for (seen, lanes) in seen.iter_mut().zip(direction) {
        let c = load(simd, lanes, chunk);
        let size = c & int(simd, i32::MAX);
        infinite = infinite | size.is(infinity);
        *seen = infinity.lt(size).select(zero, c);
    }
    for seen in &mut seen {
        *seen = infinite.select(zero, *seen);
    }
    seen
}
