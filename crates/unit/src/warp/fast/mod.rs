//! The fast way: plain formats, whose channels lie one after the other and are all read alike. Stages of
//! SIMD code, picked when the plan is made: the faces of a cube, the sizes of the levels that lanes
//! read, the axes (coordinates to byte offsets and weights), the kernel (texels to values).

mod axis;
mod faces;
mod footprint;
mod kernel;
mod levels;
mod point;
mod sums;

use super::build::Build;
use super::general::levels::{LevelStage, Source};
use super::simd::Run;
use crate::effective::{Coords, EffectiveSampler, reads_normalized};
use crate::request::{FetchForm, FetchKind, FetchRequest, Geometry, Lanes, Lod};
use crate::resource::{Level, Resource};
use crate::sampler::{AddressMode, Filter, Sampler, Texture};
use axis::{Axis, AxisLanes, Find, Sizes};
use faces::OfFaces;
use footprint::{Call, Group};
use kernel::{Footprint, OfKernel};
use levels::{Each, LevelSpace, Levels, Planes, Slices};
use texunit_texel::{Reading, border_codes, pack, readings};

/// What the stages hand on.
#[derive(Clone, Debug)]
pub(super) struct Space {
    /// x, y, z of two levels.
    axes: [[AxisLanes; 3]; 2],
    /// Byte offsets of the groups.
    bases: [Lanes; 4],
    /// What the groups count of 256.
    totals: [Lanes; 4],
    /// Layer, or face of all cubes; or its byte offset.
    plane: Lanes,
    face: Lanes,
    /// Coordinates on the face.
    face_at: [Lanes; 2],
    offsets: [Lanes; 3],
    levels: LevelSpace,
    /// Values of a blend of levels.
    blend: [Lanes; 4],
}

impl Space {
    pub(super) fn new() -> Self {
        Self {
            axes: [const { [AxisLanes::ZERO; 3] }; 2],
            bases: [[0; 32]; 4],
            totals: [[256; 32]; 4],
            plane: [0; 32],
            face: [0; 32],
            face_at: [[0; 32]; 2],
            offsets: [[0; 32]; 3],
            levels: LevelSpace::new(),
            blend: [[0; 32]; 4],
        }
    }
}

/// A fetch made ready.
#[derive(Clone, Debug)]
pub(super) struct Fast {
    form: FetchForm,
    axes: [Option<Axis>; 3],
    /// Directions become faces and places on them.
    faces: Option<Run<OfFaces>>,
    /// Of layered textures and cubes.
    planes: Option<Planes>,
    slices: Slices,
    /// What stands for y if the geometry lacks it.
    row: &'static AxisLanes,
    levels: Levels,
    /// Offset of the resource's first texel in its block.
    first: u64,
    border: [u32; 4],
    /// The kernel for one level, and that for two.
    kernels: [Run<OfKernel>; 2],
    filters: bool,
    channels: usize,
}

/// Axes that a geometry lacks contribute nothing.
static NO_AXIS: AxisLanes = AxisLanes::ZERO;

/// The row of a 1D texture that is filtered with a border: half of each result comes from row -1,
/// outside.
static BORDER_ROW: AxisLanes = AxisLanes {
    lower: [0; 32],
    upper: [0; 32],
    weight: [128; 32],
    outside: [u32::MAX, 0],
    apart: 0,
};

static WHOLE: Lanes = [256; 32];
static NOTHING: Lanes = [0; 32];

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
        let linear = effective.filter == Filter::Linear;
        let plain = matches!(form.kind, FetchKind::Sample(_))
            && effective.compare.is_none()
            && !geometry.is_multisample()
            && !effective.seamless_cube
            && resource.residency().is_none()
            && !(form.offset && geometry == Geometry::D1)
            && !(linear && has_clamp_ogl(effective));
        if !plain {
            return None;
        }
        let normalized = reads_normalized(texture);
        let readings = readings(format, normalized, effective.srgb)?;
        if readings[0] == Reading::Srgb {
            return None;
        }
        let (levels, base, first) = levels(form, sampler, effective, resource, build)?;
        let each = matches!(levels, Levels::Each(_));

        let dims = geometry.axes();
        // A layer of a layered 1D texture has no rows.
        let border_row = dims == 1
            && linear
            && !geometry.is_array()
            && effective.address_mode.is_some_and(|mode| mode[1] == AddressMode::Border);
        let find = match effective.coords {
            Coords::Integer => Find::Integer,
            _ if linear => Find::Linear,
            _ => Find::Point,
        };
        let pitches = [format.texel_size(), base.row_pitch as u32, base.slice_pitch as u32];
        let axes = std::array::from_fn(|a| {
            let mode = effective.address_mode.map_or(AddressMode::Clamp, |mode| mode[a]);
            let along = (base.extent.axes()[a], pitches[a]);
            (a < dims).then(|| Axis::new(along, find, effective.coords, mode, each, build))
        });
        let footprints = match dims {
            _ if !linear => [Footprint::Texel, Footprint::TwoTexels],
            // Both rows of a 1D texture are the same one, whatever their shares.
            1 if !border_row => [Footprint::Row; 2],
            3 => [Footprint::TwoSquares; 2],
            _ => [Footprint::Square, Footprint::TwoSquares],
        };
        // Blends of rows and of slices have no kernels.
        if linear && footprints[0] == footprints[1] && levels.may_blend(effective.mip_filter) {
            return None;
        }
        let one = kernel::kernel(format, normalized, footprints[0], build)?;
        // Integers are not blended: only a point mip filter goes with them.
        let two = kernel::kernel(format, normalized, footprints[1], build);
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
        let last_layer = resource.shape().layers.saturating_sub(1);
        Some(Self {
            form,
            axes,
            faces: cube.then(|| faces::faces(build)),
            planes: (cube || geometry.is_array()).then(|| Planes::new(last_layer, build)),
            slices: Slices::new(build),
            row: if border_row { &BORDER_ROW } else { &NO_AXIS },
            levels,
            first,
            border: std::array::from_fn(|w| u32::from_le_bytes(words[w])),
            kernels: [one, two.unwrap_or(one)],
            filters: linear,
            channels: format.channels().into(),
        })
    }

    /// Fills the wanted components of all lanes.
    pub(super) fn fetch(
        &self,
        resource: &Resource,
        request: &FetchRequest<'_>,
        components: u8,
        space: &mut Space,
        out: &mut [Lanes; 4],
    ) {
        let Space { axes, bases, totals, plane, face, face_at, offsets, levels, blend } = space;
        let array = self.form.geometry.is_array();
        let point: [&Lanes; 3] = match array {
            true => [request.coords[1], request.coords[2], request.coords[3]],
            false => [request.coords[0], request.coords[1], request.coords[2]],
        };
        let point = match self.faces {
            None => point,
            Some(stage) => {
                stage.call(faces::Call { direction: point, face, at: face_at });
                [&face_at[0], &face_at[1], &NOTHING]
            }
        };
        let offsets = self.offsets(request, offsets);

        // Byte offsets of the planes.
        let layer = array.then_some(request.coords[0]);
        let faces = self.faces.map(|_| &*face);
        let pitch = match self.levels {
            Levels::One { plane_pitch } => plane_pitch,
            Levels::Each(_) => 1,
        };
        if let Some(planes) = self.planes {
            planes.find(layer, faces, pitch, plane);
        }
        let slots = match &self.levels {
            Levels::One { .. } => {
                self.run_axes(point, offsets, None, &mut axes[0]);
                1
            }
            Levels::Each(each) => {
                let two = each.choose(request, levels);
                let slots = if two { 2 } else { 1 };
                for slot in 0..slots {
                    let sizes = &mut levels.sizes[slot];
                    let plane = self.planes.map(|_| &*plane);
                    each.find(&levels.lanes.level[slot], plane, sizes, &mut levels.bases[slot]);
                    self.run_axes(point, offsets, Some(sizes), &mut axes[slot]);
                }
                slots
            }
        };

        let shares = match self.levels {
            Levels::One { .. } => [&WHOLE; 2],
            Levels::Each(_) => levels.shares.each_ref(),
        };
        let starts = match self.levels {
            Levels::One { .. } if self.planes.is_some() => [&*plane; 2],
            Levels::One { .. } => [&NOTHING; 2],
            Levels::Each(_) => levels.bases.each_ref(),
        };
        // Slices get their own bases and totals.
        if self.axes[2].is_some() {
            let (bases, totals) = (bases.as_chunks_mut::<2>().0, totals.as_chunks_mut::<2>().0);
            for (slot, (bases, totals)) in bases.iter_mut().zip(totals).enumerate().take(slots) {
                let level = (starts[slot], shares[slot]);
                self.slices.split(&axes[slot][2], level, bases.each_mut(), totals.each_mut());
            }
        }
        let group = |slot: usize, slice: usize| {
            let [x, y, z] = &axes[slot];
            let y = if self.axes[1].is_some() { y } else { self.row };
            if self.axes[2].is_some() {
                let n = 2 * slot + slice;
                let total = if self.filters { &totals[n] } else { shares[slot] };
                Group { x, y, base: &bases[n], outside: z.outside[slice], total }
            } else {
                Group { x, y, base: starts[slot], outside: 0, total: shares[slot] }
            }
        };
        let deep = self.axes[2].is_some() && self.filters;
        let groups = [group(0, 0), if deep { group(0, 1) } else { group(1, 0) }];
        let window = resource.block().window(self.first).expect("looked at when the plan was made");
        let call = |out| Call {
            groups: &groups,
            window,
            border: &self.border,
            channels: self.channels,
            components,
            out,
        };
        if self.filters {
            self.kernels[slots - 1].call(call(out));
        } else {
            self.kernels[0].call(call(out));
            if slots == 2 {
                // A blend of levels is a sum even if it is one of single texels (rule 3.5); a lane
                // without one has the value of its texel.
                self.kernels[1].call(call(blend));
                for (c, (out, blend)) in out.iter_mut().zip(blend).enumerate() {
                    for lane in 0..32 {
                        let blended = components >> c & 1 == 1 && shares[1][lane] != 0;
                        out[lane] = if blended { blend[lane] } else { out[lane] };
                    }
                }
            }
        }
        for (c, values) in out.iter_mut().enumerate().skip(self.channels) {
            if components >> c & 1 == 1 {
                *values = [0; 32];
            }
        }
    }

    #[inline(always)]
    fn run_axes(
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
    fn offsets<'a>(
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

fn has_clamp_ogl(effective: &EffectiveSampler) -> bool {
    effective.address_mode.is_some_and(|modes| modes.contains(&AddressMode::ClampOgl))
}

/// The levels that fetches of this form can read, the largest of them, and where the first begins in
/// the block; `None` if 31 bits do not reach all of their texels.
fn levels(
    form: FetchForm,
    sampler: &Sampler,
    effective: &EffectiveSampler,
    resource: &Resource,
    build: Build,
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
        let end = planes + slices + rows + u64::from(extent.width) * u64::from(texel_size);
        let window = resource.block().window(first)?;
        // The last place of 16 bytes is as far as any texel begins.
        (level.offset - first + end <= u64::from(window.last(0))).then_some(())
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
    let each = Each::new(choice, all, (first, texel_size), build)?;
    Some((Levels::Each(Box::new(each)), all[0], first))
}
