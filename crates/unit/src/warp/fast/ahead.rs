//! Asks for texels before they are read, so that the caches of the CPU have them then.

use super::footprint::Group;
use crate::warp::build::Build;
use crate::warp::simd::{Arguments, Int, Run, Simd, Stage, load, pick};
use texunit_memory::Window;

/// A call of the stage.
pub(super) struct Call<'a> {
    pub(super) groups: &'a [Group<'a>],
    pub(super) window: Window<'a>,
}

#[derive(Debug)]
pub(super) struct OfAhead;

impl Arguments for OfAhead {
    type Of<'a> = Call<'a>;
}

pub(super) fn ahead(build: Build) -> Run<OfAhead> {
    pick::<_, Ask>(build)
}

struct Ask;

impl Stage<OfAhead> for Ask {
    #[inline(always)]
    fn run<S: Simd>(simd: S, call: Call<'_>) {
        for group in call.groups {
            for row in 0..2 {
                let y = if row == 0 { &group.y.lower } else { &group.y.upper };
                for chunk in 0..32 / S::LANES {
                    let at = load(simd, group.base, chunk) + load(simd, &group.x.lower, chunk);
                    Int::prefetch(simd, call.window, at + load(simd, y, chunk));
                }
            }
        }
    }
}
