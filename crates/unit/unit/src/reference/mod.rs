//! One fetch, slow and obvious: docs/numerics.md line by line, in exact arithmetic. Never
//! optimised; the planned path must equal it on every bit.
//!
//! Stages, in the order of [`trace()`]: state in effect (`effective`), place (layer, sample; `cube`:
//! face), levels with their shares (`level`; `graded`: gradients and their taps), footprints (axes,
//! texels, weights, codes; `gather`), sums (`sum`, `float`), `result`. Rules are pure functions,
//! which the planned path may share; what is collected on the way is the [`Trace`], in the words of
//! `explain`. A rule that no measurement has settled is one function that says `Rule N (open)`.

pub(crate) mod anisotropy;
pub(crate) mod coordinate;
pub(crate) mod cube;
mod explain;
pub(crate) mod fixed;
pub(crate) mod float;
pub(crate) mod footprint;
pub(crate) mod gather;
pub(crate) mod graded;
pub(crate) mod gradient;
pub(crate) mod level;
mod log2;
pub mod number;
pub(crate) mod result;
pub(crate) mod sum;
mod ten;
pub mod trace;
pub(crate) mod weights;

use crate::effective::{EffectiveSampler, resolve, seen, texture_readings};
use crate::request::{CoordType, FetchForm, FetchKind, FetchOperands, Lod, PlanError};
use crate::resource::{Extent, Level, Resource, TexelIndex};
use crate::sampler::{Filter, Sampler, Texture};
use cube::{FacePoint, FaceTexel, Seamless};
use fixed::Fixed;
use footprint::{Axis, Corner, Find, Place, Tap};
use graded::Graded;
use level::Wanted;
use texunit_texel::{Reading, border_codes};
use trace::{AxisTrace, CubeStep, FetchValue, Footprint, LevelTrace, TexelTrace, Trace};

/// What a `tex` or `tld4` of one thread returns.
pub fn fetch(
    form: FetchForm,
    texture: &Texture,
    sampler: &Sampler,
    operands: &FetchOperands,
) -> Result<FetchValue, PlanError> {
    Ok(trace(form, texture, sampler, operands)?.answer)
}

/// What a `tex` or `tld4` of one thread returns, and how that came about.
pub fn trace(
    form: FetchForm,
    texture: &Texture,
    sampler: &Sampler,
    operands: &FetchOperands,
) -> Result<Trace, PlanError> {
    let effective = resolve(form, texture, sampler)?;
    let texture = &*seen(form.geometry, texture)?;
    let readings = texture_readings(texture, effective.srgb)?;
    let fetch = Fetch { form, texture, sampler, effective, readings, operands };
    let (place, cube) = fetch.place();
    let graded = fetch.graded();
    let level = fetch.level(graded.as_ref());
    let mut footprints = Vec::new();
    for &(level, share) in &level.levels {
        for number in 0..graded.map_or(1, |g| g.taps()) {
            let tap = graded.map_or(Tap::ONE, |g| g.tap(number));
            footprints.push(fetch.footprint(place, level, share, (number, tap)));
        }
    }
    let (channels, answer) = result::results(&fetch, &footprints);
    let operands = *operands;
    Ok(Trace { form, operands, effective, readings, cube, level, footprints, channels, answer })
}

/// A fetch with what it needs at every stage.
struct Fetch<'a> {
    form: FetchForm,
    texture: &'a Texture,
    sampler: &'a Sampler,
    effective: EffectiveSampler,
    readings: [Reading; 4],
    operands: &'a FetchOperands,
}

impl Fetch<'_> {
    fn resource(&self) -> &Resource {
        &self.texture.resource
    }

    fn is_integer(&self) -> bool {
        self.effective.address_mode.is_none()
    }

    fn is_gather(&self) -> bool {
        matches!(self.form.kind, FetchKind::Gather(_))
    }

    /// Layer, sample and coordinates; of a direction the face and its coordinates.
    fn place(&self) -> (Place, Option<CubeStep>) {
        let place = footprint::place(self.resource().shape(), self.operands.coords);
        if !self.form.geometry.is_cube() {
            return (place, None);
        }
        let direction = place.coords.map(f32::from_bits);
        let point = cube::face_point(direction);
        let FacePoint { face, sc, tc, ma, s, t } = point;
        let plane = 6 * place.plane + face;
        let place = Place { plane, coords: [s.to_bits(), t.to_bits(), 0], ..place };
        (place, Some(CubeStep { direction, face, sc, tc, ma, s, t }))
    }

    /// Section 4: what the gradients of a `tex.grad` come to.
    fn graded(&self) -> Option<Graded> {
        let gradient = self.form.kind == FetchKind::Sample(Lod::Gradient);
        let shape = self.resource().shape();
        let point = || footprint::place(shape, self.operands.coords).coords;
        gradient.then(|| {
            let geometry = self.form.geometry;
            graded::graded(geometry, &self.effective, shape.extent, point(), self.operands)
        })
    }

    /// Sections 3 and 4: the levels that are read.
    fn level(&self, graded: Option<&Graded>) -> LevelTrace {
        let bits = self.operands.level;
        let mut steps = Vec::new();
        let wanted = match self.form.kind {
            // Rule 8.6 (open): a gather reads level 0.
            FetchKind::Gather(_) => Wanted::Base,
            FetchKind::Sample(Lod::Implicit | Lod::Base) => Wanted::Base,
            FetchKind::Sample(Lod::Level) if self.form.coord == CoordType::S32 => {
                level::integer_level(bits)
            }
            FetchKind::Sample(Lod::Level) => Wanted::At(level::cut_to_256ths(f32::from_bits(bits))),
            FetchKind::Sample(Lod::Gradient) => graded.map_or(Wanted::Base, Graded::level),
        };
        if let Some(graded) = graded
            && (self.resource().is_mipmapped() || graded.anisotropy.is_some())
        {
            steps = graded.words(self.form.geometry);
        }
        let q = level::clamped(wanted, self.sampler.level_bias, &self.effective);
        let levels = level::levels(q, self.effective.mip_filter);
        explain::level(self, wanted, &levels, &mut steps);
        let levels = levels.reads.into_iter().filter(|&(_, share)| share > 0).collect();
        LevelTrace { steps, q, levels }
    }

    /// What is read of a level.
    fn footprint(&self, place: Place, level: u32, share: u32, tap: (u32, Tap)) -> Footprint {
        let extent = self.level_extent(level);
        let axes = self.axes(place, extent, tap.1);
        let texel = |corner| self.texel(place, level, &axes, corner);
        let texels = if self.is_gather() {
            gather::corners(&axes).into_iter().map(texel).collect()
        } else {
            // A texel of weight 0 is not read.
            let read = |corner: &Corner| corner.weight > 0;
            footprint::corners(&axes, share).into_iter().filter(read).map(texel).collect()
        };
        let shown = axes.iter().take(self.form.geometry.axes());
        Footprint {
            level,
            extent,
            plane: place.plane,
            sample: place.sample,
            tap: (tap.0, tap.1.weight),
            share,
            axes: shown.map(axis_trace).collect(),
            texels,
        }
    }

    fn level_extent(&self, level: u32) -> Extent {
        let levels = self.resource().levels();
        let last = levels.len() as u32 - 1;
        let Level { extent, .. } = levels[level.min(last) as usize];
        extent
    }

    /// Section 1, axis by axis. A plain 1D texture has a second one: it is a 2D texture of height
    /// 1, read at y = 0.
    fn axes(&self, place: Place, extent: Extent, tap: Tap) -> [Axis; 3] {
        let (geometry, effective) = (self.form.geometry, &self.effective);
        let offsets = match (self.form.offset, self.is_gather()) {
            (false, _) => [0; 3],
            (true, true) => self.operands.offset.map(coordinate::gather_offset),
            (true, false) => footprint::tex_offsets(geometry, self.operands),
        };
        let find = match effective.filter {
            _ if self.is_gather() => Find::Gather,
            _ if effective.seamless_cube => Find::Seamless,
            Filter::Linear => Find::Linear,
            Filter::Point => Find::Point,
        };
        std::array::from_fn(|a| {
            let (bits, size) = (place.coords[a], extent.axes()[a]);
            let is_row = a == 1 && geometry.axes() == 1 && !geometry.is_array();
            let offset = Fixed::from_int(offsets[a]);
            match effective.address_mode {
                _ if a >= geometry.axes() && !is_row => Axis::NONE,
                None => Axis::integer(if is_row { 0 } else { bits }, offsets[a], size),
                Some(mode) if is_row => {
                    Axis::texels(Fixed::from_int(0), offset, size, mode[a], find)
                }
                Some(mode) => {
                    let shift = [offset, tap.shift[a]];
                    Axis::float(bits, effective.coords, shift, size, mode[a], find)
                }
            }
        })
    }

    /// A texel with its codes, or the border colour's (section 6).
    fn texel(&self, place: Place, level: u32, axes: &[Axis; 3], corner: Corner) -> TexelTrace {
        let found = self.locate(place, level, axes, corner.index);
        let (at, codes) = match found {
            Found::At(at) => (Some(at), self.codes(at)),
            // Rule 1.9: outside, integer coordinates read 0.
            Found::Outside if self.is_integer() => (None, [0; 4]),
            Found::Outside => (None, border_codes(self.readings, self.sampler.border)),
            Found::Missing(three) => (None, self.missing_corner(three)),
        };
        let values = match at {
            None if self.is_integer() => [0; 4],
            _ => std::array::from_fn(|c| self.readings[c].point(codes[c])),
        };
        let reference = f32::from_bits(self.operands.compare);
        let compared = self
            .effective
            .compare
            .map(|function| result::compare(function, reference, f32::from_bits(values[0])));
        let Corner { corner, index, weight, exact } = corner;
        let resident = match found {
            Found::At(at) => self.resource().is_resident(at),
            Found::Outside => true,
            Found::Missing(three) => three.into_iter().all(|at| self.resource().is_resident(at)),
        };
        let made_of = match found {
            Found::Missing(three) => Some(three),
            Found::At(_) | Found::Outside => None,
        };
        TexelTrace { corner, index, at, made_of, codes, values, weight, exact, resident, compared }
    }

    fn codes(&self, at: TexelIndex) -> [u32; 4] {
        self.resource().texel(at).unwrap_or_default()
    }

    /// The texel that a corner of a cube lacks, from the three that meet there.
    fn missing_corner(&self, three: [TexelIndex; 3]) -> [u32; 4] {
        let codes = three.map(|at| self.codes(at));
        std::array::from_fn(|c| cube::missing_corner(self.readings[c], codes.map(|t| t[c])))
    }

    /// Where a texel is.
    fn locate(&self, place: Place, level: u32, axes: &[Axis; 3], index: [i64; 3]) -> Found {
        let sample = place.sample;
        if self.effective.seamless_cube {
            let lower = [axes[0].index, axes[1].index];
            let found = cube::seamless(place.plane % 6, [index[0], index[1]], lower, axes[0].size);
            let cube = place.plane - place.plane % 6;
            let at = |t: FaceTexel| {
                let at = [t.at[0], t.at[1], 0];
                TexelIndex { level, plane: cube + t.face, sample, at }
            };
            return match found {
                Seamless::At(texel) => Found::At(at(texel)),
                Seamless::Missing(three) => Found::Missing(three.map(at)),
            };
        }
        let [x, y, z] = std::array::from_fn(|a| axes[a].texel(index[a]));
        match (x, y, z) {
            (Some(x), Some(y), Some(z)) => {
                Found::At(TexelIndex { level, plane: place.plane, sample, at: [x, y, z] })
            }
            _ => Found::Outside,
        }
    }
}

/// Where a texel of a footprint is.
#[derive(Clone, Copy)]
enum Found {
    At(TexelIndex),
    /// Outside the extents: the border colour, or 0 for integer coordinates.
    Outside,
    /// At the corner of a cube, where three texels meet.
    Missing([TexelIndex; 3]),
}

fn axis_trace(axis: &Axis) -> AxisTrace {
    let &Axis { coordinate, texels, index, upper, exact, mode, .. } = axis;
    AxisTrace { coordinate, texels, index, upper, exact, mode }
}

#[cfg(test)]
mod tests;
