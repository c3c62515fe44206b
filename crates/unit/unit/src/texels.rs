//! The texels that a fetch reads, without its result. Observers of launches ask for these texels
//! for every lane.
//!
//! Most fetches read one level of a texture that is not a cube. For such fetches the texels are
//! computed in `f64`, which represents all numbers of section 1 of docs/numerics.md exactly if
//! coordinates are of moderate size. All other fetches use the reference.

mod of_warp;

use crate::effective::layers_of_integers;
use crate::reference::{coordinate, footprint, trace, weights};
use crate::request::{FetchKind, FetchOperands, Lod};
use crate::resource::{Layout, TexelIndex};
use crate::warp::FetchPlan;
pub use of_warp::{AxisTexels, WarpTexels};

/// The limit for coordinates in texels, below which multiples of 1/512 are exact in `f64`.
const MOST_TEXELS: f32 = 16_777_216.0;
/// The limit for normalized coordinates, below which the product with an extent is exact in `f64`.
const MOST_NORMALIZED: f32 = 4096.0;

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

/// The texels that a fetch reads along one axis.
#[derive(Clone, Copy, Default)]
struct AxisPair {
    /// Indices of the lower (or only) texel and of the upper one; `None` if outside the texture.
    at: [Option<u32>; 2],
    /// Weight of the upper texel in 1/256. If it is 0, the upper texel is not read.
    upper: u32,
}

impl FetchPlan {
    /// Whether [`FetchPlan::few_texels`] supports the fetches of this plan whose coordinates are of
    /// moderate size.
    fn is_plain(&self) -> bool {
        let (form, effective, resource) = (self.form(), self.effective(), &self.seen().resource);
        let is_level_0 = match form.kind {
            FetchKind::Gather(_) => false,
            FetchKind::Sample(Lod::Level) => !self.is_integer() && !resource.is_mipmapped(),
            FetchKind::Sample(_) => self.is_integer() || !resource.is_mipmapped(),
        };
        is_level_0
            && !effective.anisotropic
            && !form.geometry.is_cube()
            && !form.geometry.is_multisample()
            && resource.is_regular()
    }

    fn is_integer(&self) -> bool {
        self.effective().address_mode.is_none()
    }

    /// Computes the texels of a fetch that reads one level and plane. Returns false if the fetch is
    /// not of this kind; then the reference must be used.
    pub fn few_texels(&self, operands: &FetchOperands, texels: &mut ReadTexels) -> bool {
        self.is_plain() && self.add_texels(operands, texels).is_some()
    }

    fn add_texels(&self, operands: &FetchOperands, texels: &mut ReadTexels) -> Option<()> {
        (texels.len, texels.outside) = (0, 0);
        let (form, resource) = (self.form(), &self.seen().resource);
        let (geometry, shape) = (form.geometry, resource.shape());
        let layer = operands.coords.layer;
        let has_layers = shape.geometry.is_array();
        if has_layers && self.is_integer() && layer >= layers_of_integers(&self.texture().resource)
        {
            texels.outside = 1;
            return Some(());
        }
        let plane = if has_layers { coordinate::layer(layer, shape.layers) } else { 0 };
        let offsets = match form.offset && resource.layout() != Layout::Linear {
            true => footprint::tex_offsets(geometry, operands),
            false => [0; 3],
        };
        let sizes = resource.extent().axes();
        let mut axes = [AxisPair { at: [Some(0), None], upper: 0 }; 3];
        for (a, axis) in axes.iter_mut().enumerate() {
            let is_row = a == 1 && geometry.axes() == 1 && !geometry.is_array();
            if a < geometry.axes() || is_row && !self.is_integer() {
                let bits = if is_row { 0 } else { operands.coords.point[a] };
                *axis = self.along(a, bits, offsets[a], sizes[a])?;
            }
        }
        let [x, y, z] = axes;
        let weights = weights::footprint(256, axes.map(|axis| axis.upper));
        for (k, slice) in weights.iter().enumerate().take(z.count()) {
            for (j, row) in slice.iter().enumerate().take(y.count()) {
                for (i, &weight) in row.iter().enumerate().take(x.count()) {
                    if let (Some(x), Some(y), Some(z)) = (x.at[i], y.at[j], z.at[k]) {
                        let at = TexelIndex { plane, at: [x, y, z], ..TexelIndex::default() };
                        texels.push(at, weight > 0);
                    } else {
                        texels.outside += 1;
                    }
                }
            }
        }
        Some(())
    }

    fn along(&self, axis: usize, bits: u32, offset: i64, size: u32) -> Option<AxisPair> {
        let (mut low, mut high, mut upper) = ([0], [AxisTexels::UNREAD], [0]);
        let to = [&mut low, &mut high, &mut upper];
        let is_usual = self.lanes_along(axis, (&[bits], offset), size, to) != 0;
        let texel = |index: i32| u32::try_from(index).ok();
        let at = [texel(low[0]), texel(high[0])];
        is_usual.then_some(AxisPair { at, upper: upper[0] as u32 })
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

impl AxisPair {
    fn count(&self) -> usize {
        1 + usize::from(self.upper > 0)
    }
}
