//! The fused stage for mip levels. For one vector of lanes after the other, it locates the texels
//! in both levels of each lane and blends them, without intermediate results in memory. It supports
//! common textures, whose row and column sizes are powers of two.

use super::footprint::{AddressSource, Kernel, Task, TexelAddresses};
use super::kernel::{Bytes, Footprint};
use super::levels::Each;
use crate::request::Lanes;
use crate::warp::axis::{Axis, CLAMP, EXACT, LINEAR, WRAP_2, along};
use crate::warp::build::Wide;
use crate::warp::levels::LevelLanes;
use crate::warp::simd::{Int, Run, Simd, Stage, arguments, int, load, pick_wide};
use std::marker::PhantomData;
use texunit_texel::{Channel as Stored, Format};

/// The arguments of the stage.
pub(super) struct Call<'a> {
    pub(super) axes: &'a [Option<Axis>; 3],
    pub(super) each: &'a Each,
    /// The coordinates x and y.
    pub(super) point: [&'a Lanes; 2],
    pub(super) levels: &'a LevelLanes,
    /// Whether some lanes read two levels.
    pub(super) blends: bool,
    pub(super) task: Task<'a>,
    /// Output: set if the stage has completed, because all lanes are within the range of [`along`].
    pub(super) is_done: &'a mut bool,
}

arguments!(pub(super) LeveledArgs = Call);

/// The stage for 2D fetches that filter four texels of a level; `None` if there is none for the
/// format and axes.
pub(super) fn stage(
    (format, normalized): (Format, bool),
    footprint: Footprint,
    axes: &[Option<Axis>; 3],
    each: &Each,
    build: Wide,
) -> Option<Run<LeveledArgs>> {
    let [Some(x), Some(y), None] = axes else { return None };
    let bytes = format.plain_channel()? == Stored::U8 && format.channels() == 4 && normalized;
    let linear = footprint == Footprint::Square && x.is_normalized();
    if !bytes || !linear || x.kind != y.kind || !each.has_shifts() {
        return None;
    }
    matches!(x.kind, (EXACT, CLAMP | WRAP_2))
        .then(|| pick_wide::<_, Leveled<Bytes<1, 4>, Bytes<2, 4>>>(build))
}

/// Fused stage for mip levels, with a kernel for one level (`One`) and a kernel for two (`Two`).
struct Leveled<One, Two>(PhantomData<(One, Two)>);

impl<One: Kernel, Two: Kernel> Stage<LeveledArgs> for Leveled<One, Two> {
    #[inline(always)]
    fn run<S: Simd>(simd: S, call: Call<'_>) {
        let Call { axes, each, point, levels, blends, task, is_done } = call;
        // Nothing is prefetched, because the variant of the kernels that prefetches is not compiled
        // for this stage.
        let mut task = Task { next: None, ..task };
        let [Some(x), Some(y), _] = axes else { return };
        for chunk in 0..32 / S::LANES {
            let at = [load(simd, point[0], chunk), load(simd, point[1], chunk)];
            let addresses = |slot: usize| (&levels.level[slot], &levels.share[slot]);
            let Some(first) = Self::addresses(simd, (x, y), each, at, addresses(0), chunk) else {
                return;
            };
            if blends {
                let second = Self::addresses(simd, (x, y), each, at, addresses(1), chunk);
                let Some(second) = second else { return };
                Two::values(simd, &mut task, &[first, second], chunk);
            } else {
                One::values(simd, &mut task, &[first], chunk);
            }
        }
        *is_done = true;
    }
}

impl<One, Two> Leveled<One, Two> {
    /// The texel locations in the first or second level, for the lanes of a vector; `None` if some
    /// lanes are outside the range of the stage.
    #[inline(always)]
    fn addresses<S: Simd>(
        simd: S,
        (x, y): (&Axis, &Axis),
        each: &Each,
        at: [Int<S>; 2],
        (level, share): (&Lanes, &Lanes),
        chunk: usize,
    ) -> Option<TexelAddresses<S>> {
        let level = load(simd, level, chunk);
        let [width, height] = each.sizes(simd, level);
        let none = int(simd, 0);
        let (at_x, at_y) = ((x, at[0], none), (y, at[1], none));
        // One stage supports both address modes, because the kernels are most of its code.
        let (x, y) = if x.kind.1 == CLAMP {
            (
                along::<S, LINEAR, CLAMP>(simd, EXACT, at_x, width),
                along::<S, LINEAR, CLAMP>(simd, EXACT, at_y, height),
            )
        } else {
            (
                along::<S, LINEAR, WRAP_2>(simd, EXACT, at_x, width),
                along::<S, LINEAR, WRAP_2>(simd, EXACT, at_y, height),
            )
        };
        if !(x.near & y.near).is_full() {
            return None;
        }
        let lower = each.offset(level) + x.lower;
        Some(TexelAddresses {
            at: [lower + y.lower, lower + y.upper],
            across: x.upper - x.lower,
            weights: [x.weight, y.weight],
            total: Some(load(simd, share, chunk)),
            together: x.together.is_full(),
            outside: None,
        })
    }
}

/// The texel locations in the one or two levels that the lanes of a vector read.
impl<S: Simd, const N: usize> AddressSource<S> for [TexelAddresses<S>; N] {
    #[inline(always)]
    fn addresses(&self, _: S, group: usize) -> TexelAddresses<S> {
        self[group]
    }
}
