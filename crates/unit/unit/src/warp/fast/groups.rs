//! What stages and kernels of a plan are given.

use super::axis::{AxisLanes, Sizes};
use super::footprint::Group;
use super::levels::{LevelSpace, Levels};
use super::{Fast, NOTHING, Placed, WHOLE};
use crate::request::{FetchRequest, Lanes};
use crate::resource::Resource;
use texunit_memory::Window;

impl Fast {
    /// Where the layer or face of a level begins.
    #[inline(always)]
    pub(super) fn start<'a>(
        &self,
        plane: &'a Lanes,
        levels: &'a LevelSpace,
        slot: usize,
    ) -> &'a Lanes {
        match self.levels {
            Levels::One { .. } if self.planes.is_some() => plane,
            Levels::One { .. } => &NOTHING,
            Levels::Each(_) => &levels.bases[slot],
        }
    }

    /// What a level counts.
    #[inline(always)]
    pub(super) fn share<'a>(&self, levels: &'a LevelSpace, slot: usize) -> &'a Lanes {
        match self.levels {
            Levels::One { .. } => &WHOLE,
            Levels::Each(_) => &levels.shares[slot],
        }
    }

    #[inline(always)]
    pub(super) fn window<'a>(&self, resource: &'a Resource) -> Window<'a> {
        resource.block().window(self.first).expect("looked at when the plan was made")
    }

    /// Whether a footprint has two slices.
    #[inline(always)]
    pub(super) fn is_deep(&self) -> bool {
        self.axes[2].is_some() && self.filters
    }

    /// What the kernel sums: two slices, or one or two levels.
    #[inline(always)]
    pub(super) fn groups<'a>(&'a self, placed: &'a Placed) -> [Group<'a>; 2] {
        let second = if self.is_deep() { (0, 1) } else { (1, 0) };
        [self.group(placed, (0, 0)), self.group(placed, second)]
    }

    #[inline(always)]
    pub(super) fn group<'a>(
        &'a self,
        placed: &'a Placed,
        (slot, slice): (usize, usize),
    ) -> Group<'a> {
        let Placed { axes, bases, totals, plane, levels, .. } = placed;
        let [x, y, z] = &axes[slot];
        let y = if self.axes[1].is_some() { y } else { self.row };
        let share = self.share(levels, slot);
        if self.axes[2].is_some() {
            let n = 2 * slot + slice;
            let total = if self.filters { &totals[n] } else { share };
            Group { x, y, base: &bases[n], outside: z.outside[slice], total }
        } else {
            Group { x, y, base: self.start(plane, levels, slot), outside: 0, total: share }
        }
    }

    #[inline(always)]
    pub(super) fn run_axes(
        &self,
        point: [&Lanes; 3],
        offsets: Option<&[Lanes; 3]>,
        sizes: Option<&[Sizes; 3]>,
        out: &mut [AxisLanes; 3],
    ) {
        for (a, (axis, out)) in self.axes.iter().zip(out).enumerate() {
            if let Some(axis) = axis {
                let offset = offsets.map(|offsets| &offsets[a]);
                axis.run(point[a], offset, sizes.map(|sizes| &sizes[a]), out);
            }
        }
    }

    /// Rule 1.4, of instructions that have an offset: four bits along each axis.
    #[inline(always)]
    pub(super) fn offsets<'a>(
        &self,
        request: &FetchRequest<'_>,
        out: &'a mut [Lanes; 3],
    ) -> Option<&'a [Lanes; 3]> {
        self.form.offset.then(|| {
            for (out, from) in out.iter_mut().zip(request.offset) {
                for lane in 0..32 {
                    out[lane] = ((from[lane] << 28) as i32 >> 28) as u32;
                }
            }
            &*out
        })
    }
}
