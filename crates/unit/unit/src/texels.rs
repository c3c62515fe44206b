//! The texels that a fetch reads, without its result. Observers of launches ask for these texels
//! for every lane.
//!
//! Most fetches read one level of a texture that is not a cube. The texels of such fetches are
//! those that the axis stage finds. All other fetches use the reference.

use crate::effective::layers_of_integers;
use crate::reference::{coordinate, footprint, trace, weights};
use crate::request::{FetchKind, FetchOperands, FetchRequest, Lanes, Lod, lanes};
use crate::resource::{Layout, TexelIndex};
use crate::warp::{AxisLanes, FetchPlan};

/// A texel that a fetch reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadTexel {
    /// Location of the texel.
    pub at: TexelIndex,
    /// Whether the texel affects the result. A texel that is read may have a weight rounded to 0.
    pub counts: bool,
}

/// The texels that a fetch of one level and plane reads, in the order in which they are summed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadTexels {
    all: [ReadTexel; 8],
    len: usize,
    outside: u32,
}

impl ReadTexels {
    fn push(&mut self, at: TexelIndex, counts: bool) {
        self.all[self.len & 7] = ReadTexel { at, counts };
        self.len += 1;
    }

    /// Number of further positions that lie outside the texture, and read the border colour or 0.
    pub fn outside(&self) -> u32 {
        self.outside
    }
}

impl std::ops::Deref for ReadTexels {
    type Target = [ReadTexel];

    fn deref(&self) -> &[ReadTexel] {
        &self.all[..self.len.min(8)]
    }
}

/// The texels that the fetches of a warp read, each in one level and plane.
#[derive(Clone, Debug)]
pub struct WarpTexels {
    /// The mask of the lanes whose layer does not exist.
    outside: u32,
    planes: Lanes,
    /// Texels along x, y and z. Each lane reads all combinations of its texels.
    axes: [AxisLanes; 3],
}

impl WarpTexels {
    /// The texels of one lane.
    pub fn lane(&self, lane: usize) -> ReadTexels {
        let mut texels = ReadTexels { outside: self.outside >> lane & 1, ..ReadTexels::default() };
        if texels.outside != 0 {
            return texels;
        }
        let axes = self.axes.each_ref();
        let index = |k: u32| u32::try_from(k as i32).ok();
        let [x, y, z] = axes.map(|axis| [axis.lower[lane], axis.upper[lane]].map(index));
        let upper = axes.map(|axis| axis.weight[lane]);
        let [columns, rows, slices] = upper.map(|weight| 1 + usize::from(weight > 0));
        let plane = self.planes[lane];
        for (z, slice) in z.into_iter().zip(weights::footprint(256, upper)).take(slices) {
            for (y, row) in y.into_iter().zip(slice).take(rows) {
                for (x, weight) in x.into_iter().zip(row).take(columns) {
                    if let (Some(x), Some(y), Some(z)) = (x, y, z) {
                        let at = TexelIndex { plane, at: [x, y, z], ..TexelIndex::default() };
                        texels.push(at, weight > 0);
                    } else {
                        texels.outside += 1;
                    }
                }
            }
        }
        texels
    }
}

impl FetchPlan {
    /// Whether the fetches of this plan read one level of a texture that is not a cube.
    fn is_plain(&self) -> bool {
        let (form, effective, resource) = (self.form(), self.effective(), &self.seen().resource);
        let is_level_0 = match form.kind {
            FetchKind::Gather(_) => false,
            FetchKind::Sample(Lod::Level) => !self.has_integers() && !resource.is_mipmapped(),
            FetchKind::Sample(_) => self.has_integers() || !resource.is_mipmapped(),
        };
        is_level_0
            && !effective.anisotropic
            && !form.geometry.is_cube()
            && !form.geometry.is_multisample()
            && resource.is_regular()
    }

    /// The texels of a warp's fetches. Returns `None` if a fetch may read several levels or planes;
    /// then the reference must be used.
    pub fn texels_of_warp(&self, request: &FetchRequest<'_>) -> Option<WarpTexels> {
        if !self.is_plain() {
            return None;
        }
        let (form, resource) = (self.form(), &self.seen().resource);
        let shape = resource.shape();
        let (mut planes, mut outside) = ([0; 32], 0);
        if shape.geometry.is_array() {
            let layers = layers_of_integers(&self.texture().resource);
            for (lane, &layer) in request.coords.layer.iter().enumerate() {
                planes[lane] = coordinate::layer(layer, shape.layers);
                outside |= u32::from(self.has_integers() && layer >= layers) << lane;
            }
        }
        let moves = form.offset && resource.layout() != Layout::Linear;
        let mut offsets = [[0; 32]; 3];
        for lane in lanes(if moves { request.active } else { 0 }) {
            let of_lane = footprint::tex_offsets(form.geometry, &request.lane(lane));
            offsets.iter_mut().zip(of_lane).for_each(|(row, offset)| row[lane] = offset as u32);
        }
        let sizes = resource.extent().axes();
        let axes = std::array::from_fn(|a| {
            let offset = moves.then_some(&offsets[a]);
            let lanes = self.along(a, request.coords.point[a], offset, sizes[a]);
            lanes.unwrap_or(AxisLanes::ZERO)
        });
        Some(WarpTexels { outside, planes, axes })
    }

    /// The texels of a fetch that reads one level and plane, like [`Self::texels_of_warp`].
    pub fn few_texels(&self, operands: &FetchOperands) -> Option<ReadTexels> {
        let coords = operands.coords.map(|bits| [bits; 32]);
        let offset = operands.offset.map(|offset| [offset as u32; 32]);
        let request = FetchRequest::new(1, coords.each_ref());
        let request = FetchRequest { offset: offset.each_ref(), ..request };
        Some(self.texels_of_warp(&request)?.lane(0))
    }

    /// Passes each texel that affects the result of a fetch of any kind to `each`.
    pub fn texels_that_count(&self, operands: &FetchOperands, mut each: impl FnMut(TexelIndex)) {
        if let Some(texels) = self.few_texels(operands) {
            texels.iter().filter(|texel| texel.counts).for_each(|texel| each(texel.at));
            return;
        }
        // The reference accepts every fetch for which a plan was made.
        let Ok(trace) = trace(self.form(), self.texture(), self.sampler(), operands) else {
            return;
        };
        let texels = trace.footprints.iter().flat_map(|footprint| &footprint.texels);
        let read = texels.filter(|texel| texel.weight > 0 || texel.exact == 0.0);
        read.filter_map(|texel| texel.at).for_each(each);
    }
}
