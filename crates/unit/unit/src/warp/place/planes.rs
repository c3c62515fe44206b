//! Layer and face indices of 32 lanes.

use crate::request::Lanes;
use crate::warp::build::Build;
use crate::warp::simd::{Arguments, Run, Simd, Stage, int, load, pick};

/// The stage for layers, cubes and faces.
#[derive(Clone, Copy, Debug)]
pub(in crate::warp) struct Planes {
    /// Index of the last layer or cube.
    last: u32,
    stage: Run<PlaneArgs>,
}

/// Arguments of the stage.
pub(super) struct PlaneCall<'a> {
    last: u32,
    layer: Option<&'a Lanes>,
    face: Option<&'a Lanes>,
    /// Multiplier for the plane index: 1, or its size in bytes.
    pitch: u32,
    out: &'a mut Lanes,
}

#[derive(Debug)]
pub(super) struct PlaneArgs;

impl Arguments for PlaneArgs {
    type Args<'a> = PlaneCall<'a>;
}

impl Planes {
    pub(in crate::warp) fn new(last: u32, build: Build) -> Self {
        Self { last, stage: pick::<_, Count>(build) }
    }

    /// Computes plane indices (faces of all cubes) times `pitch`. Rule 1.10.
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
                // Unsigned, a negative index is a large one.
                plane = layer.lt(int(simd, 0)).select(last, layer.min(last));
            }
            if let Some(face) = call.face {
                plane = plane * int(simd, 6) + load(simd, face, chunk);
            }
            (plane * pitch).store(call.out, chunk);
        }
    }
}
