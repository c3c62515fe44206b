//! The level stage of the fast schedule. It determines the level, layer and face that each lane
//! reads, with their sizes and byte offsets.

use crate::request::{FetchRequest, Lanes};
use crate::resource::Level;
use crate::sampler::Filter;
use crate::warp::axis::{AxisLanes, Size};
use crate::warp::build::Wide;
use crate::warp::levels::{LevelLanes, LevelStage};
use crate::warp::simd::{Int, Run, Simd, Stage, arguments, int, load, pick_wide};
use crate::warp::weights;

/// The sizes and pitches of the lanes' levels along one axis.
#[derive(Clone, Debug)]
pub(super) struct Sizes {
    /// Size in texels.
    pub(super) size: Lanes,
    /// Bytes between texels.
    pub(super) pitch: Lanes,
}

/// The levels that fetches of a plan can read.
#[derive(Clone, Debug)]
pub(super) enum Levels {
    /// All lanes read one level. `plane_pitch` is the number of bytes between its layers or faces.
    One { plane_pitch: u32 },
    /// Each lane reads one or two mip levels, which may differ from those of other lanes.
    Each(Box<Each>),
}

impl Levels {
    /// The number of bytes between layers or faces; 1 if it is not the same in all levels, so that
    /// indices stay indices.
    #[inline(always)]
    pub(super) fn plane_pitch(&self) -> u32 {
        match *self {
            Self::One { plane_pitch } => plane_pitch,
            Self::Each(_) => 1,
        }
    }

    /// Whether a lane can read two levels.
    pub(super) fn may_blend(&self, mip_filter: Option<Filter>) -> bool {
        matches!(self, Self::Each(_)) && mip_filter == Some(Filter::Linear)
    }
}

/// The parameters of the level stage if levels differ by lane.
#[derive(Clone, Debug)]
pub(super) struct Each {
    choice: LevelStage,
    tables: Tables,
    texel_size: u32,
    stage: Run<LevelSizeArgs>,
}

/// The properties of each level, indexed by the level.
#[derive(Clone, Debug)]
struct Tables {
    size: [Lanes; 3],
    row_pitch: Lanes,
    /// Binary logarithms of row pitches that are powers of two.
    row_shift: Lanes,
    slice_pitch: Lanes,
    plane_pitch: Lanes,
    offset: Lanes,
}

/// The levels that each lane reads, with their sizes and offsets.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct LevelSpace {
    pub(super) lanes: LevelLanes,
    /// The sizes along x, y, z of both levels.
    pub(super) sizes: [[Sizes; 3]; 2],
    /// The byte offsets of the layers or faces in both levels.
    pub(super) bases: [Lanes; 2],
}

impl LevelSpace {
    pub(super) fn new() -> Self {
        let none = || Sizes { size: [1; 32], pitch: [0; 32] };
        let sizes = std::array::from_fn(|_| std::array::from_fn(|_| none()));
        Self { lanes: LevelLanes::ZERO, sizes, bases: [[0; 32]; 2] }
    }
}

/// The arguments of the stage that looks up sizes, for the first or the second level of each lane.
pub(super) struct LevelSizeCall<'a> {
    each: &'a Each,
    level: &'a Lanes,
    plane: Option<&'a Lanes>,
    sizes: &'a mut [Sizes; 3],
    base: &'a mut Lanes,
}

arguments!(pub(super) LevelSizeArgs = LevelSizeCall);

impl Each {
    /// Makes the tables of the levels, whose texels begin at byte `first` or later. Returns `None`
    /// if there are more levels than the tables hold.
    pub(super) fn new(
        choice: LevelStage,
        levels: &[Level],
        (first, texel_size): (u64, u32),
        build: Wide,
    ) -> Option<Self> {
        if levels.len() > 32 {
            return None;
        }
        let table = |of: &dyn Fn(&Level) -> u32| {
            let mut lanes = [0; 32];
            for (lane, level) in lanes.iter_mut().zip(levels) {
                *lane = of(level);
            }
            lanes
        };
        let tables = Tables {
            size: [0, 1, 2].map(|a: usize| table(&|level| level.extent.axes()[a])),
            row_pitch: table(&|level| level.row_pitch as u32),
            row_shift: table(&|level| level.row_pitch.trailing_zeros()),
            slice_pitch: table(&|level| level.slice_pitch as u32),
            plane_pitch: table(&|level| level.plane_pitch as u32),
            offset: table(&|level| (level.offset - first) as u32),
        };
        Some(Self { choice, tables, texel_size, stage: pick_wide::<_, Find>(build) })
    }

    /// Whether the distances between texels and between rows are powers of two in all levels.
    pub(super) fn has_shifts(&self) -> bool {
        let (pitches, shifts) = (&self.tables.row_pitch, &self.tables.row_shift);
        let mut levels = pitches.iter().zip(shifts).take_while(|of| *of.0 != 0);
        self.texel_size.is_power_of_two() && levels.all(|(pitch, shift)| *pitch == 1 << shift)
    }

    /// The sizes along x and y of the given levels, whose pitches must be [powers of
    /// two](Self::has_shifts).
    #[inline(always)]
    pub(super) fn sizes<S: Simd>(&self, simd: S, level: Int<S>) -> [Size<S>; 2] {
        let [width, height, _] = &self.tables.size;
        let texel = int(simd, self.texel_size.trailing_zeros() as i32);
        let row = level.look_up(&self.tables.row_shift);
        let (width, height) = (level.look_up(width), level.look_up(height));
        [Size::of_level(simd, width, texel), Size::of_level(simd, height, row)]
    }

    /// The byte offsets of the given levels, from the start of the resource's texels.
    #[inline(always)]
    pub(super) fn offset<S: Simd>(&self, level: Int<S>) -> Int<S> {
        level.look_up(&self.tables.offset)
    }

    /// Computes the levels of each lane and their shares. Returns whether any lane has two levels.
    #[inline(always)]
    pub(super) fn choose(&self, request: &FetchRequest<'_>, out: &mut LevelSpace) -> bool {
        self.choice.run(request, &mut out.lanes)
    }

    /// Looks up the sizes of the lanes' levels, and the byte offset of each lane's layer or face.
    #[inline(always)]
    pub(super) fn find(
        &self,
        level: &Lanes,
        plane: Option<&Lanes>,
        sizes: &mut [Sizes; 3],
        base: &mut Lanes,
    ) {
        self.stage.call(LevelSizeCall { each: self, level, plane, sizes, base });
    }
}

struct Find;

impl Stage<LevelSizeArgs> for Find {
    #[inline(always)]
    fn run<S: Simd>(simd: S, call: LevelSizeCall<'_>) {
        let LevelSizeCall { each, level, plane, sizes: [x, y, z], base } = call;
        let tables = &each.tables;
        for chunk in 0..32 / S::LANES {
            let level = load(simd, level, chunk);
            level.look_up(&tables.size[0]).store(&mut x.size, chunk);
            level.look_up(&tables.size[1]).store(&mut y.size, chunk);
            level.look_up(&tables.size[2]).store(&mut z.size, chunk);
            level.look_up(&tables.row_pitch).store(&mut y.pitch, chunk);
            level.look_up(&tables.slice_pitch).store(&mut z.pitch, chunk);
            int(simd, each.texel_size as i32).store(&mut x.pitch, chunk);
            let mut at = level.look_up(&tables.offset);
            if let Some(plane) = plane {
                at = at + load(simd, plane, chunk) * level.look_up(&tables.plane_pitch);
            }
            at.store(base, chunk);
        }
    }
}

/// The stage that splits a 3D footprint into two slices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slices {
    stage: Run<SliceArgs>,
}

/// The arguments of the stage that splits slices.
pub(super) struct SliceCall<'a> {
    z: &'a AxisLanes,
    base: &'a Lanes,
    share: &'a Lanes,
    /// Outputs: byte offsets (`bases`) and weights (`totals`) of the lower and the upper slice.
    bases: [&'a mut Lanes; 2],
    totals: [&'a mut Lanes; 2],
}

arguments!(pub(super) SliceArgs = SliceCall);

impl Slices {
    pub(super) fn new(build: Wide) -> Self {
        Self { stage: pick_wide::<_, Split>(build) }
    }

    /// Splits the share of a level along z (docs/numerics.md 2, "Weights").
    #[inline(always)]
    pub(super) fn split(
        self,
        z: &AxisLanes,
        (base, share): (&Lanes, &Lanes),
        bases: [&mut Lanes; 2],
        totals: [&mut Lanes; 2],
    ) {
        self.stage.call(SliceCall { z, base, share, bases, totals });
    }
}

struct Split;

impl Stage<SliceArgs> for Split {
    #[inline(always)]
    fn run<S: Simd>(simd: S, call: SliceCall<'_>) {
        let SliceCall { z, base, share, bases: [front, back], totals: [lower, upper] } = call;
        for chunk in 0..32 / S::LANES {
            let base = load(simd, base, chunk);
            (base + load(simd, &z.lower, chunk)).store(front, chunk);
            (base + load(simd, &z.upper, chunk)).store(back, chunk);
            let (share, z) = (load(simd, share, chunk), load(simd, &z.weight, chunk));
            let [near, far] = weights::slices(simd, share, z);
            near.store(lower, chunk);
            far.store(upper, chunk);
        }
    }
}
