//! The texels that a fetch reads, without its result. Observers of launches ask for these texels
//! for every lane.
//!
//! Most fetches read one level of a texture that is not a cube. The texels of such fetches are
//! those that the axis stage finds. All other fetches use the reference.

use crate::effective::layers_of_integers;
use crate::reference::{coordinate, footprint, trace, weights};
use crate::request::{FetchKind, FetchOperands, FetchRequest, Lod};
use crate::resource::{Layout, TexelIndex};
use crate::warp::FetchPlan;

/// A texel that a fetch reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadTexel {
    /// Location of the texel.
    pub at: TexelIndex,
    /// Whether the texel affects the result. A texel that is read may have a weight rounded to 0.
    pub counts: bool,
}

/// The texels that a fetch of one level and plane reads, in the order in which they are summed.
#[derive(Clone, Copy, Debug, Default)]
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

/// For each lane, the indices of the lower (or only) texel and of the upper texel along an axis.
/// [`Self::OUTSIDE`] and [`Self::UNREAD`] stand for an index where there is no texel.
#[derive(Clone, Copy, Debug)]
pub struct AxisTexels(pub [[i32; 32]; 2]);

/// The texels that the fetches of a warp read in one plane. Each lane reads all combinations of its
/// texels along the three axes.
#[derive(Clone, Copy, Debug)]
pub struct WarpTexels {
    /// The layer, which is the same for all lanes.
    pub plane: u32,
    /// Texels along x, y and z.
    pub axes: [AxisTexels; 3],
}

impl AxisTexels {
    /// Instead of an index: the position is outside the texture, and reads the border colour or 0.
    pub const OUTSIDE: i32 = -1;
    /// Instead of the upper index: the lane has no upper texel, or the upper texel's weight is 0.
    pub const UNREAD: i32 = -2;

    /// An axis that the geometry lacks, along which each lane reads texel 0.
    const FIRST: Self = Self([[0; 32], [Self::UNREAD; 32]]);
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

    /// Computes the texels of a fetch that reads one level and plane. Returns false if the fetch is
    /// not of this kind; then the reference must be used.
    pub fn few_texels(&self, operands: &FetchOperands, texels: &mut ReadTexels) -> bool {
        if !self.is_plain() {
            return false;
        }
        (texels.len, texels.outside) = (0, 0);
        let (form, resource) = (self.form(), &self.seen().resource);
        let (geometry, shape) = (form.geometry, resource.shape());
        let layer = operands.coords.layer;
        let has_layers = shape.geometry.is_array();
        if has_layers
            && self.has_integers()
            && layer >= layers_of_integers(&self.texture().resource)
        {
            texels.outside = 1;
            return true;
        }
        let plane = if has_layers { coordinate::layer(layer, shape.layers) } else { 0 };
        let moves = form.offset && resource.layout() != Layout::Linear;
        let offsets = if moves { footprint::tex_offsets(geometry, operands) } else { [0; 3] };
        let sizes = resource.extent().axes();
        let (mut at, mut upper) = ([[Some(0), None]; 3], [0; 3]);
        for a in 0..3 {
            let point = [operands.coords.point[a]; 32];
            if let Some(lanes) = self.along(a, &point, Some(&[offsets[a] as u32; 32]), sizes[a]) {
                at[a] = [lanes.lower, lanes.upper].map(|row| u32::try_from(row[0] as i32).ok());
                upper[a] = lanes.weight[0];
            }
        }
        let ([x, y, z], count) = (at, upper.map(|weight| 1 + usize::from(weight > 0)));
        for (k, slice) in weights::footprint(256, upper).iter().enumerate().take(count[2]) {
            for (j, row) in slice.iter().enumerate().take(count[1]) {
                for (i, &weight) in row.iter().enumerate().take(count[0]) {
                    if let (Some(x), Some(y), Some(z)) = (x[i], y[j], z[k]) {
                        let at = TexelIndex { plane, at: [x, y, z], ..TexelIndex::default() };
                        texels.push(at, weight > 0);
                    } else {
                        texels.outside += 1;
                    }
                }
            }
        }
        true
    }

    /// The texels of a warp's fetches. Returns `None` unless the fetches have one level, one plane
    /// and no offsets, and [`FetchPlan::few_texels`] supports them.
    pub fn texels_of_warp(&self, request: &FetchRequest<'_>) -> Option<WarpTexels> {
        let (form, resource) = (self.form(), &self.seen().resource);
        let shape = resource.shape();
        let has_layers = shape.geometry.is_array();
        let has_offsets = form.offset && resource.layout() != Layout::Linear;
        if request.active == 0
            || has_offsets
            || has_layers && self.has_integers()
            || !self.is_plain()
        {
            return None;
        }
        let mut plane = 0;
        if has_layers {
            let layers = request.coords.layer;
            plane = layers[request.active.trailing_zeros() as usize];
            if (0..32).any(|lane| request.active >> lane & 1 == 1 && layers[lane] != plane) {
                return None;
            }
            plane = coordinate::layer(plane, shape.layers);
        }
        let sizes = resource.extent().axes();
        let mut axes = [AxisTexels::FIRST; 3];
        for (a, AxisTexels([low, high])) in axes.iter_mut().enumerate() {
            let Some(lanes) = self.along(a, request.coords.point[a], None, sizes[a]) else {
                continue;
            };
            for lane in 0..32 {
                low[lane] = lanes.lower[lane] as i32;
                high[lane] = match lanes.weight[lane] {
                    0 => AxisTexels::UNREAD,
                    _ => lanes.upper[lane] as i32,
                };
            }
        }
        Some(WarpTexels { plane, axes })
    }

    /// Passes each texel that affects the result of a fetch of any kind to `each`.
    pub fn texels_that_count(
        &self,
        operands: &FetchOperands,
        texels: &mut ReadTexels,
        mut each: impl FnMut(TexelIndex),
    ) {
        if self.few_texels(operands, texels) {
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
