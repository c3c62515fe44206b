//! Makes the plans of the fast schedule. Selects stages and constants for an instruction form, a
//! texture and a sampler.

use super::fused;
use super::kernel::{self, Footprint};
use super::leveled;
use super::levels::{Each, Levels, Slices};
use super::{Fast, NO_AXIS};
use crate::effective::{Coords, EffectiveSampler, reads_normalized};
use crate::request::{FetchForm, FetchKind, Geometry, Lod};
use crate::resource::{Level, Resource};
use crate::sampler::{AddressMode, Filter, Sampler, Texture};
use crate::warp::axis::{Axis, AxisLanes, Find, Scaling, To};
use crate::warp::build::{Build, Wide};
use crate::warp::levels::{LevelStage, Source};
use crate::warp::place::{IntegerLimits, PlaceStage};
use texunit_texel::{Reading, border_codes, pack, readings};

/// The texels along y of a 1D texture that is linearly filtered under border: half of each result
/// comes from row -1, which is outside.
static BORDER_ROW: AxisLanes = AxisLanes {
    lower: [0; 32],
    upper: [0; 32],
    weight: [128; 32],
    outside: [u32::MAX, 0],
    scattered: 0,
};

/// The minimum size in bytes of a layer for prefetching. Smaller layers fit the L2 cache, whose
/// latency the CPU hides by itself.
const PREFETCH_FROM: u64 = 1 << 20;

impl Fast {
    /// Makes the plan; `None` if the fast schedule does not support such fetches.
    pub(in crate::warp) fn new(
        form: FetchForm,
        texture: &Texture,
        sampler: &Sampler,
        effective: &EffectiveSampler,
        (layers, build): (u32, Build),
    ) -> Option<Self> {
        let wide = Wide::of(build)?;
        let resource = &*texture.resource;
        let (geometry, format) = (resource.geometry(), resource.format());
        let linear = effective.filter == Filter::Linear;
        let plain = matches!(form.kind, FetchKind::Sample(_))
            && effective.compare.is_none()
            && !geometry.is_multisample()
            && !effective.seamless_cube
            && resource.is_regular()
            && !(form.offset && geometry == Geometry::D1)
            && !(linear && has_clamp_ogl(effective));
        if !plain {
            return None;
        }
        // A 1D fetch with a linear filter from an array with several rows may read the array's last
        // row (row -1 under wrap). The fast schedule does not support this.
        let rows = resource.levels()[0].extent.height;
        if geometry == Geometry::D1 && linear && rows > 1 {
            return None;
        }
        let normalized = reads_normalized(texture);
        let readings = readings(format, normalized, effective.srgb)?;
        if readings[0] == Reading::Srgb {
            return None;
        }
        let (levels, base, first) = levels(form, sampler, effective, resource, (build, wide))?;
        let each = matches!(levels, Levels::Each(_));

        let dims = geometry.axes();
        // A layer of a layered 1D texture has no further rows.
        let border_row = dims == 1
            && linear
            && !geometry.is_array()
            && effective.address_mode.is_some_and(|mode| mode[1] == AddressMode::Border);
        let find = match effective.coords {
            Coords::Integer if form.kind == FetchKind::Sample(Lod::Level) => Find::Clamped,
            Coords::Integer => Find::Integer,
            _ if linear => Find::Linear,
            _ => Find::Point,
        };
        let pitches = [format.texel_size(), base.row_pitch as u32, base.slice_pitch as u32];
        let axes = std::array::from_fn(|a| {
            let mode = effective.address_mode.map_or(AddressMode::Clamp, |mode| mode[a]);
            let (size, pitch) = (base.extent.axes()[a], pitches[a]);
            let to = if each { To::Levels { largest: size } } else { To::Level { size, pitch } };
            let scaling = Scaling { coords: effective.coords, of_face: geometry.is_cube() };
            (a < dims).then(|| Axis::fast(to, find, scaling, mode, wide))
        });
        let sums_texels = effective.sums && !linear;
        if sums_texels && !levels.may_blend(effective.mip_filter) {
            return None;
        }
        let footprints = match dims {
            _ if !linear => [Footprint::Texel, Footprint::TwoTexels],
            // Both rows of a 1D texture are identical, so that their weights do not matter.
            1 if !border_row => [Footprint::Row; 2],
            3 => [Footprint::TwoSquares; 2],
            _ => [Footprint::Square, Footprint::TwoSquares],
        };
        // No kernel blends rows or slices of two levels.
        if linear && footprints[0] == footprints[1] && levels.may_blend(effective.mip_filter) {
            return None;
        }
        let one = kernel::kernel(format, normalized, footprints[0], wide)?;
        // No kernel blends integers of two levels.
        let two = kernel::kernel(format, normalized, footprints[1], wide);
        if two.is_none() && levels.may_blend(effective.mip_filter) {
            return None;
        }
        let border = match effective.coords {
            // Outside, integer coordinates read 0 (docs/numerics.md 1.9).
            Coords::Integer => [0; 4],
            _ => border_codes(readings, sampler.border),
        };
        let bytes = pack(format, border);
        let words = bytes.as_chunks::<4>().0;
        let cube = geometry.is_cube();
        let integers = effective.coords == Coords::Integer;
        let alone = !(geometry.is_array() || form.offset || each || integers);
        let reads = (format, normalized);
        let fused = alone.then(|| fused::stage(reads, footprints[0], &axes, cube, wide)).flatten();
        let leveled = match &levels {
            Levels::Each(each) if !(geometry.is_array() || cube || form.offset) => {
                leveled::stage(reads, footprints[0], &axes, each, wide)
            }
            _ => None,
        };
        Some(Self {
            places: PlaceStage::new(form, resource, build),
            axes,
            slices: Slices::new(wide),
            row: if border_row { &BORDER_ROW } else { &NO_AXIS },
            levels,
            first,
            border: std::array::from_fn(|w| u32::from_le_bytes(words[w])),
            kernels: [one, two.unwrap_or(one)],
            filters: linear,
            sums_texels,
            named: integers.then(|| IntegerLimits::new(form, resource, layers)),
            channels: format.channels().into(),
            fused,
            leveled,
            prefetches: base.plane_pitch >= PREFETCH_FROM,
        })
    }
}

fn has_clamp_ogl(effective: &EffectiveSampler) -> bool {
    effective.address_mode.is_some_and(|modes| modes.contains(&AddressMode::ClampOgl))
}

/// The levels that fetches of this form can read, the largest of these levels, and the byte offset
/// of the first texel. Returns `None` if the offsets of texels exceed 31 bits.
fn levels(
    form: FetchForm,
    sampler: &Sampler,
    effective: &EffectiveSampler,
    resource: &Resource,
    (build, wide): (Build, Wide),
) -> Option<(Levels, Level, u64)> {
    let choice = LevelStage::new(form, resource, effective, sampler.level_bias, build);
    if form.kind == FetchKind::Sample(Lod::Gradient) && effective.max_anisotropy > 1 {
        return None;
    }
    let all = resource.levels();
    let texel_size = resource.format().texel_size();
    let reach = |first: u64, level: &Level| {
        let extent = level.extent;
        let planes = u64::from(resource.shape().planes().max(1) - 1) * level.plane_pitch;
        let slices = u64::from(extent.depth.max(1) - 1) * level.slice_pitch;
        let rows = u64::from(extent.height.max(1) - 1) * level.row_pitch;
        let row = u64::from(extent.width.max(1) - 1) * u64::from(texel_size);
        let last = planes + slices + rows + row;
        let window = resource.block().window(first)?;
        // Texels below 4 bytes are read as whole words, which may extend past the end of the
        // memory.
        let read = texel_size.max(4);
        (level.offset - first + last <= u64::from(window.last(read))).then_some(())
    };
    if let Source::Constant(found) = choice.source()
        && let [(level, _), (_, 0)] = found.reads
    {
        let level = all.get(level as usize)?;
        reach(level.offset, level)?;
        let levels = Levels::One { plane_pitch: level.plane_pitch as u32 };
        return Some((levels, *level, level.offset));
    }
    let first = all[0].offset;
    all.iter().try_for_each(|level| reach(first, level))?;
    let each = Each::new(choice, all, (first, texel_size), wide)?;
    Some((Levels::Each(Box::new(each)), all[0], first))
}
