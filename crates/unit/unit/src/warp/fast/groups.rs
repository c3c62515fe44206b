//! Derives the arguments of stages and kernels from a plan and its intermediate results.

use super::footprint::Group;
use super::levels::{LevelSpace, Levels, Sizes};
use super::{FULL, Fast, FetchAddresses, NOTHING};
use crate::request::{FetchRequest, Lanes};
use crate::resource::Resource;
use crate::warp::axis::{AxisLanes, Operands};
use crate::warp::place::PlaceLanes;
use texunit_memory::Window;

impl Fast {
    /// The byte offset of each lane's layer or face in one of its levels. `slot` is 0 for the first
    /// level and 1 for the second.
    #[inline(always)]
    pub(super) fn start<'a>(
        &self,
        plane: &'a Lanes,
        levels: &'a LevelSpace,
        slot: usize,
    ) -> &'a Lanes {
        match self.levels {
            Levels::One { .. } if self.places.has_planes() => plane,
            Levels::One { .. } => &NOTHING,
            Levels::Each(_) => &levels.bases[slot],
        }
    }

    /// Each lane's share of one of its levels, in 1/256. `slot` is 0 for the first level and 1 for
    /// the second.
    #[inline(always)]
    pub(super) fn share<'a>(&self, levels: &'a LevelSpace, slot: usize) -> &'a Lanes {
        match self.levels {
            Levels::One { .. } => &FULL,
            Levels::Each(_) => &levels.lanes.share[slot],
        }
    }

    #[inline(always)]
    pub(super) fn window<'a>(&self, resource: &'a Resource) -> Window<'a> {
        resource.block().window(self.first).expect("looked at when the plan was made")
    }

    /// Whether the footprint of a fetch has two slices.
    #[inline(always)]
    pub(super) fn is_deep(&self) -> bool {
        self.axes[2].is_some() && self.filters
    }

    /// The two groups of texels that a kernel may sum: those of two slices, or of two levels. If
    /// the fetch has one slice of one level, the kernel uses only the first.
    #[inline(always)]
    pub(super) fn groups<'a>(&'a self, placed: &'a FetchAddresses) -> [Group<'a>; 2] {
        let second = if self.is_deep() { (0, 1) } else { (1, 0) };
        [self.group(placed, (0, 0)), self.group(placed, second)]
    }

    #[inline(always)]
    pub(super) fn group<'a>(
        &'a self,
        placed: &'a FetchAddresses,
        (slot, slice): (usize, usize),
    ) -> Group<'a> {
        let FetchAddresses { axes, bases, totals, place, levels, .. } = placed;
        let [x, y, z] = &axes[slot];
        let y = if self.axes[1].is_some() { y } else { self.row };
        let share = self.share(levels, slot);
        if self.axes[2].is_some() {
            let n = 2 * slot + slice;
            let total = if self.filters { &totals[n] } else { share };
            Group { x, y, base: &bases[n], outside: z.outside[slice], total }
        } else {
            Group { x, y, base: self.start(&place.plane, levels, slot), outside: 0, total: share }
        }
    }

    #[inline(always)]
    pub(super) fn run_axes(
        &self,
        request: &FetchRequest<'_>,
        place: &PlaceLanes,
        sizes: Option<&[Sizes; 3]>,
        out: &mut [AxisLanes; 3],
    ) {
        let point = self.places.point(request, place);
        for (a, (axis, out)) in self.axes.iter().zip(out).enumerate() {
            if let Some(axis) = axis {
                let (coords, offset) = (point[a], self.places.offset(a, place));
                let sizes = sizes.map(|sizes| &sizes[a]);
                let (size, pitch) = (sizes.map(|of| &of.size), sizes.map(|of| &of.pitch));
                axis.run(Operands { coords, offset, shift: None, size, pitch }, out);
            }
        }
    }
}
