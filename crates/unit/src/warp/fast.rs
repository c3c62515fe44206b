//! The fast way: fetches that only coordinates matter to, from one mip level of a texture whose
//! channels lie one after the other and are all read alike. Three stages: axes (coordinates to
//! offsets and weights), texels (gathered into arrays), values (filtered).

use super::axis::{Axis, AxisLanes, OUTSIDE};
use super::build::Build;
use super::kernel::{self, Buffers, Job, Kernel};
use super::texels::Source;
use crate::effective::{Coords, EffectiveSampler, reads_normalized};
use crate::reference::level::{self, Wanted};
use crate::request::{FetchForm, FetchKind, FetchRequest, Lanes, Lod};
use crate::resource::Resource;
use crate::sampler::{AddressMode, Filter, Sampler, Texture};
use texunit_texel::{Reading, border_codes, pack, readings};

/// What the stages hand on.
#[derive(Clone, Debug)]
pub(super) struct Space {
    axes: [AxisLanes; 3],
    /// Offsets of layers, in the place of a third axis. The weights stay 0.
    layers: AxisLanes,
}

impl Space {
    pub(super) fn new() -> Self {
        Self { axes: [AxisLanes::ZERO; 3], layers: AxisLanes::ZERO }
    }
}

/// A fetch made ready.
#[derive(Clone, Debug)]
pub(super) struct Fast {
    axes: [Option<Axis>; 3],
    /// Of layered textures, none of which has a third axis.
    layers: Option<Layers>,
    /// What stands for y if the geometry lacks it.
    row: &'static AxisLanes,
    source: Source,
    corners: usize,
    kernel: Kernel,
    channels: usize,
}

#[derive(Clone, Copy, Debug)]
struct Layers {
    last: u32,
    pitch: u64,
}

/// Axes that a geometry lacks contribute nothing.
static NO_AXIS: AxisLanes = AxisLanes::ZERO;

/// The row of a 1D texture that is filtered with a border: half of each result comes from row -1,
/// outside.
static BORDER_ROW: AxisLanes =
    AxisLanes { lower: [OUTSIDE; 32], upper: [0; 32], weight: [128; 32] };

impl Fast {
    /// The plan, if such a fetch can be made this way.
    pub(super) fn new(
        form: FetchForm,
        texture: &Texture,
        sampler: &Sampler,
        effective: &EffectiveSampler,
        build: Build,
    ) -> Option<Self> {
        let resource = &*texture.resource;
        let (geometry, format) = (resource.geometry(), resource.format());
        let plain = !form.offset
            && effective.compare.is_none()
            && !geometry.is_cube()
            && !geometry.is_multisample()
            && resource.residency().is_none()
            && (effective.filter == Filter::Point || !has_clamp_ogl(effective));
        let n = constant_level(form, effective).filter(|_| plain)?;
        let level = *resource.levels().get(n as usize)?;
        let linear = effective.filter == Filter::Linear;
        let normalized = reads_normalized(texture);
        let readings = readings(format, normalized, effective.srgb)?;
        if readings[0] == Reading::Srgb {
            return None;
        }
        let kernel = kernel::pick(format, normalized, linear, build)?;
        let dims = geometry.axes();
        // A layer of a layered 1D texture has no rows.
        let border_row = dims == 1
            && linear
            && !geometry.is_array()
            && effective.address_mode.is_some_and(|mode| mode[1] == AddressMode::Border);
        let axis = |a: usize, size, pitch| {
            let mode = effective.address_mode.map(|mode| mode[a]);
            (a < dims).then(|| Axis::new(size, pitch, effective.coords, mode, linear, build))
        };
        let axes = [
            axis(0, level.extent.width, format.texel_size().into()),
            axis(1, level.extent.height, level.row_pitch),
            axis(2, level.extent.depth, level.slice_pitch),
        ];
        let layers = geometry.is_array().then(|| Layers {
            last: resource.shape().layers.saturating_sub(1),
            pitch: level.plane_pitch,
        });
        let corners = match dims {
            _ if !linear => 1,
            // Both rows of a 1D texture are the same one, whatever their shares.
            1 if !border_row => 2,
            3 => 8,
            _ => 4,
        };
        let border = match effective.coords {
            // Outside, integer coordinates read 0 (docs/numerics.md 1.9).
            Coords::Integer => [0; 4],
            _ => border_codes(readings, sampler.border),
        };
        let bytes = pack(format, border);
        let words = bytes.as_chunks::<4>().0;
        let source = Source {
            first: level.offset,
            border: std::array::from_fn(|w| u32::from_le_bytes(words[w])),
        };
        let row = if border_row { &BORDER_ROW } else { &NO_AXIS };
        let channels = format.channels().into();
        Some(Self { axes, layers, row, source, corners, kernel, channels })
    }

    /// Fills the wanted components of all lanes.
    pub(super) fn fetch(
        &self,
        resource: &Resource,
        request: &FetchRequest<'_>,
        components: u8,
        (space, buffers): (&mut Space, &mut Buffers),
        out: &mut [Lanes; 4],
    ) {
        let Space { axes, layers } = space;
        let (layer, point) = match self.layers {
            Some(layers) => (Some((layers, request.coords[0])), &request.coords[1..]),
            None => (None, &request.coords[..]),
        };
        for ((axis, lanes), coords) in self.axes.iter().zip(&mut *axes).zip(point) {
            if let Some(axis) = axis {
                axis.run(coords, lanes);
            }
        }
        if let Some((Layers { last, pitch }, index)) = layer {
            for lane in 0..32 {
                // Rule 1.10.
                layers.lower[lane] = (u64::from(index[lane].min(last)) * pitch) as i64;
            }
        }
        let row = if self.axes[1].is_some() { &axes[1] } else { self.row };
        let slice = match (self.axes[2], self.layers) {
            (Some(_), _) => &axes[2],
            (None, Some(_)) => layers,
            (None, None) => &NO_AXIS,
        };
        let job = Job {
            axes: [&axes[0], row, slice],
            source: &self.source,
            block: resource.block(),
            corners: self.corners,
            components,
        };
        // SAFETY: `kernel::pick` was given a `Build` that runs here.
        unsafe { (self.kernel)(&job, buffers, out) }
        for (c, values) in out.iter_mut().enumerate().skip(self.channels) {
            if components >> c & 1 == 1 {
                *values = [0; 32];
            }
        }
    }
}

fn has_clamp_ogl(effective: &EffectiveSampler) -> bool {
    effective.address_mode.is_some_and(|modes| modes.contains(&AddressMode::ClampOgl))
}

/// The only level that fetches of this form can read.
fn constant_level(form: FetchForm, effective: &EffectiveSampler) -> Option<u32> {
    let [min, max] = effective.level_clamp;
    let one_level = min == max;
    let q = match form.kind {
        FetchKind::Sample(Lod::Implicit | Lod::Base) => {
            level::clamped(Wanted::Base, 0.0, effective)
        }
        FetchKind::Sample(Lod::Level) if one_level => min,
        FetchKind::Sample(Lod::Gradient) if one_level && effective.max_anisotropy < 2 => min,
        FetchKind::Sample(_) | FetchKind::Gather(_) => return None,
    };
    let [(level, _), (_, other)] = level::levels(q, effective.mip_filter).reads;
    (other == 0).then_some(level)
}
