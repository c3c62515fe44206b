//! Which mip levels 32 lanes read: docs/numerics.md, sections 3 and 4. The rules are the
//! reference's; a level of a lane is a handful of integer steps.

use crate::effective::EffectiveSampler;
use crate::reference::level::{self, Levels, Wanted};
use crate::request::{CoordType, FetchForm, FetchKind, FetchRequest, Lod, lanes};

/// Up to two levels a lane.
#[derive(Clone, Debug)]
pub(super) struct LevelLanes {
    /// Number of the level.
    pub(super) level: [[u32; 32]; 2],
    /// What it counts of 256.
    pub(super) share: [[i32; 32]; 2],
}

impl LevelLanes {
    pub(super) const ZERO: Self = Self { level: [[0; 32]; 2], share: [[0; 32]; 2] };

    #[inline(always)]
    fn put(&mut self, lane: usize, levels: Levels) {
        for (slot, (level, share)) in levels.reads.into_iter().enumerate() {
            self.level[slot][lane] = level;
            self.share[slot][lane] = share as i32;
        }
    }
}

/// Where levels come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The same for all.
    Constant(Levels),
    /// f32 levels.
    Float,
    /// s32 levels.
    Whole,
    /// Gradients.
    Gradient,
}

impl Source {
    /// Where a fetch of this form has its levels from.
    pub(super) fn of(form: FetchForm, effective: &EffectiveSampler) -> Self {
        let constant = |q| Source::Constant(level::levels(q, effective.mip_filter));
        let [min, max] = effective.level_clamp;
        match form.kind {
            FetchKind::Sample(Lod::Implicit | Lod::Base) => {
                constant(level::clamped(Wanted::Base, 0.0, effective))
            }
            FetchKind::Sample(Lod::Gradient) if effective.max_anisotropy > 1 => Source::Gradient,
            FetchKind::Sample(_) if min == max => constant(min),
            FetchKind::Sample(Lod::Level) if form.coord == CoordType::S32 => Source::Whole,
            FetchKind::Sample(Lod::Level) => Source::Float,
            FetchKind::Sample(Lod::Gradient) => Source::Gradient,
            FetchKind::Gather(_) => constant(0),
        }
    }
}

/// The levels of the active lanes; the others get level 0.
#[inline(always)]
pub(super) fn run(
    source: Source,
    (bias, effective): (f32, &EffectiveSampler),
    request: &FetchRequest<'_>,
    out: &mut LevelLanes,
    mut gradient: impl FnMut(usize) -> Wanted,
) {
    if let Source::Constant(Levels { reads, .. }) = source {
        for (slot, (level, share)) in reads.into_iter().enumerate() {
            out.level[slot].fill(level);
            out.share[slot].fill(share as i32);
        }
        return;
    }
    *out = LevelLanes::ZERO;
    out.share[0].fill(256);
    for lane in lanes(request.active) {
        let bits = request.level[lane];
        let wanted = match source {
            Source::Whole => level::integer_level(bits),
            Source::Gradient => gradient(lane),
            Source::Constant(_) | Source::Float => {
                Wanted::At(level::cut_to_256ths(f32::from_bits(bits)))
            }
        };
        let q = level::clamped(wanted, bias, effective);
        out.put(lane, level::levels(q, effective.mip_filter));
    }
}
