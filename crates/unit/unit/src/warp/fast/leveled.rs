//! The fused stage for mip levels: locates both levels of each lane and blends their texels, one
//! vector after the other, without intermediate results in memory. For common textures, whose row
//! and column sizes are powers of two.

use super::footprint::{AddressSource, Kernel, Task, TexelAddresses};
use super::kernel::{Bytes, Footprint};
use super::levels::Each;
use crate::request::Lanes;
use crate::warp::axis::{Axis, CLAMP, EXACT, LINEAR, WRAP_2, along};
use crate::warp::build::Wide;
use crate::warp::levels::LevelLanes;
use crate::warp::simd::{Arguments, Int, Run, Simd, Stage, int, load, pick_wide};
use std::marker::PhantomData;
use texunit_texel::{Channel as Stored, Format};

/// Arguments of the stage.
pub(super) struct Call<'a> {
    pub(super) axes: &'a [Option<Axis>; 3],
    pub(super) each: &'a Each,
    /// Coordinates x, y.
    pub(super) point: [&'a Lanes; 2],
    pub(super) levels: &'a LevelLanes,
    /// Whether some lanes read two levels.
    pub(super) blends: bool,
    pub(super) task: Task<'a>,
    /// Set if the stage has completed: all lanes are on the fast path ([`along`]).
    pub(super) is_done: &'a mut bool,
}

#[derive(Debug)]
pub(super) struct LeveledArgs;

impl Arguments for LeveledArgs {
    type Args<'a> = Call<'a>;
}

/// The stage for 2D fetches that filter four texels of a level, if there is one.
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

/// The stage, with kernels for one level and for two.
struct Leveled<One, Two>(PhantomData<(One, Two)>);

impl<One: Kernel, Two: Kernel> Stage<LeveledArgs> for Leveled<One, Two> {
    #[inline(always)]
    fn run<S: Simd>(simd: S, call: Call<'_>) {
        let Call { axes, each, point, levels, blends, task, is_done } = call;
        // Without prefetches, whose variant of the kernels is not compiled.
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
    /// The locations in the first or second level, for a vector of lanes; `None` if some lanes are
    /// outside the fast path.
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
        // Both address modes are in one stage, because the kernels are most of the code.
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

/// The one or two levels of a vector of lanes.
impl<S: Simd, const N: usize> AddressSource<S> for [TexelAddresses<S>; N] {
    #[inline(always)]
    fn addresses(&self, _: S, group: usize) -> TexelAddresses<S> {
        self[group]
    }
}
