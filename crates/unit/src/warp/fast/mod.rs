//! The fast way: plain formats, whose channels lie one after the other and are all read alike. Stages of
//! SIMD code, picked when the plan is made: the faces of a cube, the sizes of the levels that lanes
//! read, the axes (coordinates to byte offsets and weights), the kernel (texels to values). A fetch has two
//! halves, before the texels are read and from then on, so that one can begin before another ends.

mod ahead;
mod axis;
mod faces;
mod floats;
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
use ahead::OfAhead;
use axis::{Axis, AxisLanes, Find, Sizes};
use faces::OfFaces;
use footprint::{Call, Group};
use kernel::{Footprint, OfKernel};
use levels::{Each, LevelSpace, Levels, Planes, Slices};
use texunit_memory::Window;
use texunit_texel::{Reading, border_codes, pack, readings};

/// What fetches of a warp change.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Space {
    /// Of a fetch, and of the one after it.
    pub(super) placed: [Placed; 2],
    pub(super) blend: Blend,
}

/// Values of a blend of levels.
pub(super) type Blend = [Lanes; 4];

impl Space {
    pub(super) fn new() -> Self {
        Self { placed: [Placed::new(), Placed::new()], blend: [[0; 32]; 4] }
    }
}

/// What the stages hand on: which texels, and their weights.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Placed {
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
    /// How many levels are read, 1 or 2.
    slots: usize,
}

impl Placed {
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
            slots: 1,
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
    /// Asks for texels early, if that helps.
    ahead: Option<Run<OfAhead>>,
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
            ahead: (linear && format.texel_size() == 16).then(|| ahead::ahead(build)),
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
    #[inline(always)]
    pub(super) fn fetch(
        &self,
        resource: &Resource,
        request: &FetchRequest<'_>,
        components: u8,
        space: &mut Space,
        out: &mut [Lanes; 4],
    ) {
        let Space { placed: [placed, _], blend } = space;
        self.place(request, placed);
        self.finish(resource, components, placed, blend, out);
    }

    /// The first half of a fetch: which texels, and their weights.
    pub(super) fn place(&self, request: &FetchRequest<'_>, placed: &mut Placed) {
        let Placed { axes, bases, totals, plane, face, face_at, offsets, levels, slots } = placed;
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
        match &self.levels {
            Levels::One { .. } => {
                self.run_axes(point, offsets, None, &mut axes[0]);
                *slots = 1;
            }
            Levels::Each(each) => {
                *slots = if each.choose(request, levels) { 2 } else { 1 };
                for slot in 0..*slots {
                    let sizes = &mut levels.sizes[slot];
                    let plane = self.planes.map(|_| &*plane);
                    each.find(&levels.lanes.level[slot], plane, sizes, &mut levels.bases[slot]);
                    self.run_axes(point, offsets, Some(sizes), &mut axes[slot]);
                }
            }
        }
        // Slices get their own bases and totals.
        if self.axes[2].is_some() {
            let (bases, totals) = (bases.as_chunks_mut::<2>().0, totals.as_chunks_mut::<2>().0);
            for (slot, (bases, totals)) in bases.iter_mut().zip(totals).enumerate().take(*slots) {
                let level = (self.start(plane, levels, slot), self.share(levels, slot));
                self.slices.split(&axes[slot][2], level, bases.each_mut(), totals.each_mut());
            }
        }
    }

    /// Where the layer or face of a level begins.
    #[inline(always)]
    fn start<'a>(&self, plane: &'a Lanes, levels: &'a LevelSpace, slot: usize) -> &'a Lanes {
        match self.levels {
            Levels::One { .. } if self.planes.is_some() => plane,
            Levels::One { .. } => &NOTHING,
            Levels::Each(_) => &levels.bases[slot],
        }
    }

    /// What a level counts.
    #[inline(always)]
    fn share<'a>(&self, levels: &'a LevelSpace, slot: usize) -> &'a Lanes {
        match self.levels {
            Levels::One { .. } => &WHOLE,
            Levels::Each(_) => &levels.shares[slot],
        }
    }

    /// The second half of a fetch: texels and values.
    pub(super) fn finish(
        &self,
        resource: &Resource,
        components: u8,
        placed: &Placed,
        blend: &mut Blend,
        out: &mut [Lanes; 4],
    ) {
        let slots = placed.slots;
        let groups = self.groups(placed);
        let window = self.window(resource);
        let (border, channels) = (&self.border, self.channels);
        let run = |kernel: usize, out: &mut [Lanes; 4]| {
            let call = Call { groups: &groups, window, border, channels, components, out };
            self.kernels[kernel].call(call);
        };
        if self.filters {
            run(slots - 1, out);
        } else {
            run(0, out);
            if slots == 2 {
                // A blend of levels is a sum even if it is one of single texels (rule 3.5); a lane
                // without one has the value of its texel.
                run(1, blend);
                let shares = self.share(&placed.levels, 1);
                for (c, (out, blend)) in out.iter_mut().zip(blend).enumerate() {
                    for lane in 0..32 {
                        let blended = components >> c & 1 == 1 && shares[lane] != 0;
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

    /// Between both halves: asks for the texels, if so much is done with those of the fetch before that
    /// the CPU does not look so far ahead by itself.
    #[inline(always)]
    pub(super) fn ask(&self, resource: &Resource, placed: &Placed) {
        let Some(ahead) = self.ahead else { return };
        let groups = self.groups(placed);
        if !groups[0].is_near() {
            return;
        }
        let read = if self.is_deep() { 2 } else { placed.slots };
        ahead.call(ahead::Call { groups: &groups[..read], window: self.window(resource) });
    }

    #[inline(always)]
    fn window<'a>(&self, resource: &'a Resource) -> Window<'a> {
        resource.block().window(self.first).expect("looked at when the plan was made")
    }

    /// Whether a footprint has two slices.
    #[inline(always)]
    fn is_deep(&self) -> bool {
        self.axes[2].is_some() && self.filters
    }

    /// What the kernel sums: two slices, or one or two levels.
    #[inline(always)]
    fn groups<'a>(&'a self, placed: &'a Placed) -> [Group<'a>; 2] {
        let second = if self.is_deep() { (0, 1) } else { (1, 0) };
        [self.group(placed, (0, 0)), self.group(placed, second)]
    }

    #[inline(always)]
    fn group<'a>(&'a self, placed: &'a Placed, (slot, slice): (usize, usize)) -> Group<'a> {
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
