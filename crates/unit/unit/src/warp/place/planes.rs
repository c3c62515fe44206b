//! The indices of the layers and faces that 32 lanes read.

use crate::request::Lanes;
use crate::warp::build::Build;
use crate::warp::simd::{Run, Simd, Stage, arguments, int, load, pick};

/// The stage that computes the index of a layer, or of a face among all cubes.
#[derive(Clone, Copy, Debug)]
pub(in crate::warp) struct Planes {
    /// The index of the last layer or cube.
    last: u32,
    stage: Run<PlaneArgs>,
}

/// The arguments of the stage.
pub(super) struct PlaneCall<'a> {
    last: u32,
    layer: Option<&'a Lanes>,
    face: Option<&'a Lanes>,
    /// The multiplier for the index: 1, or the size of a layer or face in bytes.
    pitch: u32,
    out: &'a mut Lanes,
}

arguments!(pub(super) PlaneArgs = PlaneCall);

impl Planes {
    pub(in crate::warp) fn new(last: u32, build: Build) -> Self {
        Self { last, stage: pick::<_, Count>(build) }
    }

    /// Rule 1.10 of docs/numerics.md: computes the index of each lane's layer, or of its face among
    /// all cubes, times `pitch`.
    #[inline(always)]
    pub(in crate::warp) fn find(
        self,
        layer: Option<&Lanes>,
        face: Option<&Lanes>,
        pitch: u32,
        out: &mut Lanes,
    ) {
        self.stage.call(PlaneCall { last: self.last, layer, face, pitch, out });
    }
}

struct Count;

impl Stage<PlaneArgs> for Count {
    #[inline(always)]
    fn run<S: Simd>(simd: S, call: PlaneCall<'_>) {
        let last = int(simd, call.last as i32);
        let pitch = int(simd, call.pitch as i32);
        for chunk in 0..32 / S::LANES {
            let mut plane = int(simd, 0);
            if let Some(layer) = call.layer {
                let layer = load(simd, layer, chunk);
                // A negative index is a large unsigned number.
                plane = layer.lt(int(simd, 0)).select(last, layer.min(last));
            }
            if let Some(face) = call.face {
                plane = plane * int(simd, 6) + load(simd, face, chunk);
            }
            (plane * pitch).store(call.out, chunk);
        }
    }
}
