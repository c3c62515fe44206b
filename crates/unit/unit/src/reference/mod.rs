//! The reference sampler: executes the fetch of one lane by docs/numerics.md, line by line, in
//! exact arithmetic. It is never optimised; the results of plans must equal its results on every
//! bit.
//!
//! The stages follow the order of [`trace()`]: effective state (`effective`), coordinates with
//! layer and sample (`cube`: face), levels with their shares (`level`; `graded`: gradients and
//! their taps), footprints (axes, texels, weights, codes; `gather`), sums (`sum`, `float`),
//! `result`. Each rule is a pure function, which plans may share. Each stage adds its steps to the
//! [`Trace`], in the words of `explain`. A rule that no measurement has settled is one function
//! whose comment says `Rule N (open)`.

pub(crate) mod anisotropy;
pub(crate) mod coordinate;
pub(crate) mod cube;
mod explain;
pub(crate) mod fixed;
pub(crate) mod float;
mod float10;
pub(crate) mod footprint;
pub(crate) mod gather;
pub(crate) mod graded;
pub(crate) mod gradient;
pub(crate) mod level;
mod log2;
pub mod number;
pub(crate) mod result;
pub(crate) mod sum;
pub mod trace;
pub(crate) mod weights;

use crate::effective::{EffectiveSampler, layers_of_integers, resolve, seen, texture_readings};
use crate::request::{FetchForm, FetchKind, FetchOperands, Lod, PlanError};
use crate::resource::{Extent, Layout, Level, Resource, TexelIndex};
use crate::sampler::{Filter, Sampler, Texture};
use anisotropy::Tap;
use cube::{FacePoint, FaceTexel, Seamless};
use fixed::Fixed;
use footprint::{Axis, Corner, FetchCoordinates, Find};
use graded::Graded;
use level::RequestedLevel;
use texunit_texel::{Reading, border_codes};
use trace::{AxisTrace, CubeStep, FetchValue, Footprint, LevelTrace, TexelTrace, Trace};

/// The result of a `tex` or `tld4` of one lane.
pub fn fetch(
    form: FetchForm,
    texture: &Texture,
    sampler: &Sampler,
    operands: &FetchOperands,
) -> Result<FetchValue, PlanError> {
    Ok(trace(form, texture, sampler, operands)?.answer)
}

/// The result of a `tex` or `tld4` of one lane, with all intermediate steps.
pub fn trace(
    form: FetchForm,
    texture: &Texture,
    sampler: &Sampler,
    operands: &FetchOperands,
) -> Result<Trace, PlanError> {
    let effective = resolve(form, texture, sampler)?;
    let layers = layers_of_integers(&texture.resource);
    let texture = &*seen(form, texture)?;
    let readings = texture_readings(texture, effective.srgb)?;
    let fetch = Fetch { form, texture, sampler, effective, layers, readings, operands };
    let (place, cube) = fetch.place();
    let graded = fetch.graded();
    let level = fetch.level(graded.as_ref());
    let footprints = fetch.footprints(place, &level.levels, graded.as_ref());
    let (channels, answer) = result::results(&fetch, &footprints);
    let operands = *operands;
    Ok(Trace { form, operands, effective, readings, cube, level, footprints, channels, answer })
}

/// The state and operands of a fetch, which all stages use.
struct Fetch<'a> {
    form: FetchForm,
    texture: &'a Texture,
    sampler: &'a Sampler,
    effective: EffectiveSampler,
    /// The number of layers that integer coordinates can address.
    layers: u32,
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

    /// Rule 1.9 of docs/numerics.md: whether integer coordinates are clamped, as those of
    /// `tex.level`.
    fn clamps_integers(&self) -> bool {
        self.form.kind == FetchKind::Sample(Lod::Level)
    }

    /// Layer, sample and coordinates of the fetch; for a cube, a face and the coordinates on it.
    fn place(&self) -> (FetchCoordinates, Option<CubeStep>) {
        let integers = self.is_integer().then_some((self.layers, self.clamps_integers()));
        let mut place = footprint::place(self.resource().shape(), self.operands.coords, integers);
        if !self.form.geometry.is_cube() {
            place.is_outside |= self.integer_level().is_none();
            let numbers = place.coords.map(|bits| coordinate::number(f32::from_bits(bits)));
            return (FetchCoordinates { numbers, ..place }, None);
        }
        let direction = place.coords.map(f32::from_bits);
        let FacePoint { face, sc, tc, ma, s, t } = cube::face_point(direction);
        let plane = 6 * place.plane + face;
        let [near_s, near_t] = [s, t].map(|c| c.to_f64() as f32);
        let coords = [near_s.to_bits(), near_t.to_bits(), 0];
        let place = FetchCoordinates { plane, coords, numbers: [s, t, Fixed::ZERO], ..place };
        (place, Some(CubeStep { direction, face, sc, tc, ma, s: near_s, t: near_t }))
    }

    /// Rule 1.9 of docs/numerics.md: the level that a fetch with integer coordinates reads; `None`
    /// if the level does not exist. Linear memory ignores the level.
    fn integer_level(&self) -> Option<u32> {
        let is_linear = self.resource().layout() == Layout::Linear;
        if !self.is_integer() || !self.clamps_integers() || is_linear {
            return Some(0);
        }
        let level = self.operands.level;
        (level < self.resource().levels().len() as u32).then_some(level)
    }

    /// Section 4 of docs/numerics.md: level and taps from gradients; `None` if it is no `tex.grad`.
    fn graded(&self) -> Option<Graded> {
        let gradient = self.form.kind == FetchKind::Sample(Lod::Gradient);
        gradient.then(|| {
            let shape = self.resource().shape();
            let point = footprint::place(shape, self.operands.coords, None).coords;
            graded::graded(self.form.geometry, &self.effective, shape.extent, point, self.operands)
        })
    }

    /// Sections 3 and 4 of docs/numerics.md: the levels that the fetch reads, with their shares.
    fn level(&self, graded: Option<&Graded>) -> LevelTrace {
        let bits = self.operands.level;
        let mut steps = Vec::new();
        let wanted = match self.form.kind {
            _ if self.is_integer() => RequestedLevel::Whole(self.integer_level().unwrap_or(0)),
            // Rule 8.6 of docs/numerics.md: a gather reads level 0.
            FetchKind::Gather(_) | FetchKind::Sample(Lod::Implicit | Lod::Base) => {
                RequestedLevel::Base
            }
            FetchKind::Sample(Lod::Level) => {
                RequestedLevel::At(level::cut_to_256ths(f32::from_bits(bits)))
            }
            FetchKind::Sample(Lod::Gradient) => graded.map_or(RequestedLevel::Base, Graded::level),
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

    /// The footprints that the fetch reads: one for each level, or one for each tap of a level. All
    /// weights are in the finest unit that any level's weights have.
    fn footprints(
        &self,
        place: FetchCoordinates,
        levels: &[(u32, u32)],
        graded: Option<&Graded>,
    ) -> Vec<Footprint> {
        let rest = levels.get(1).map_or(0, |&(_, share)| share);
        let taps = |coarse: usize| graded.and_then(|g| g.taps(coarse > 0, rest));
        let scale_of = |coarse| taps(coarse).map_or(0, |t| t.scale);
        let scale = (0..levels.len()).map(scale_of).max().unwrap_or(0);
        let mut footprints = Vec::new();
        for (coarse, &(level, share)) in levels.iter().enumerate() {
            let count = taps(coarse).map_or(1, |t| t.count);
            for number in 0..count {
                let tap = taps(coarse)
                    .map_or(Tap { weight: share, shift: [Fixed::ZERO; 3] }, |t| t.tap(number));
                let finer = scale - scale_of(coarse);
                footprints.push(self.footprint(place, level, (number, count), tap, [scale, finer]));
            }
        }
        footprints
    }

    /// The footprint of one tap in a level. The weights are computed in the unit of the tap's
    /// level, which is 2^`finer` times that of the fetch, and then converted to the latter.
    fn footprint(
        &self,
        place: FetchCoordinates,
        level: u32,
        number: (u32, u32),
        tap: Tap,
        [scale, finer]: [u32; 2],
    ) -> Footprint {
        let extent = self.level_extent(level);
        let axes = self.axes(place, extent, tap);
        let texel = |corner| self.texel(place, level, &axes, corner);
        let mut texels: Vec<TexelTrace> = if self.is_gather() {
            gather::corners(&axes).into_iter().map(texel).collect()
        } else {
            let corners = footprint::corners(&axes, tap.weight);
            let corners = self.without_missing(place, extent, corners);
            corners.into_iter().filter(|corner| corner.read).map(texel).collect()
        };
        for texel in &mut texels {
            texel.weight <<= finer;
            // Exact weights are fractions of 1, whatever the unit of the rounded weights is.
            texel.exact /= f64::from(1_u32 << (scale - finer));
        }
        let shown = axes.iter().take(self.form.geometry.axes());
        Footprint {
            level,
            extent,
            plane: place.plane,
            sample: place.sample,
            tap: number,
            share: tap.weight << finer,
            scale,
            axes: shown.map(axis_trace).collect(),
            texels,
        }
    }

    /// Rule 7.7 of docs/numerics.md: removes the texel that is missing at a corner of the cube from
    /// a seamless footprint. If the missing texel would be read, its weight is distributed to the
    /// other three texels, and all three are read.
    fn without_missing(
        &self,
        place: FetchCoordinates,
        extent: Extent,
        corners: [Corner; 8],
    ) -> [Corner; 8] {
        let mut corners = corners;
        if !self.effective.seamless_cube {
            return corners;
        }
        let is_missing = |c: &Corner| {
            let found = cube::seamless(place.plane % 6, [c.index[0], c.index[1]], extent.width);
            matches!(found, Seamless::Missing(_))
        };
        let Some(missing) = corners[..4].iter().position(is_missing) else { return corners };
        let Corner { weight, exact, read, .. } = corners[missing];
        if !read {
            return corners;
        }
        let [third, rest] = weights::of_missing_corner(weight);
        for (k, corner) in corners[..4].iter_mut().enumerate() {
            corner.read = k != missing;
            // The texel that is diagonally opposite the missing one is inside the face.
            corner.weight += if k == 3 - missing { rest } else { third };
            corner.exact += exact / 3.0;
        }
        corners
    }

    fn level_extent(&self, level: u32) -> Extent {
        let levels = self.resource().levels();
        let last = levels.len() as u32 - 1;
        let Level { extent, .. } = levels[level.min(last) as usize];
        extent
    }

    /// Section 1 of docs/numerics.md: locates texels along each axis, two for `.1d` (a 2D fetch at
    /// y = 0).
    fn axes(&self, place: FetchCoordinates, extent: Extent, tap: Tap) -> [Axis; 3] {
        let (geometry, effective) = (self.form.geometry, &self.effective);
        let offsets = match (self.form.offset, self.is_gather()) {
            (false, _) => [0; 3],
            // Rule 1.9 of docs/numerics.md: offsets have no effect on linear memory.
            _ if self.resource().layout() == Layout::Linear => [0; 3],
            (true, true) => self.operands.offset.map(coordinate::gather_offset),
            (true, false) => footprint::tex_offsets(geometry, self.operands),
        };
        let find = match effective.filter {
            _ if effective.seamless_cube => Find::Seamless,
            _ if self.is_gather() => Find::Gather,
            Filter::Linear => Find::Linear,
            Filter::Point => Find::Point,
        };
        let mut axes = std::array::from_fn(|a| {
            let (bits, size) = (place.coords[a], extent.axes()[a]);
            let is_row = a == 1 && geometry.axes() == 1 && !geometry.is_array();
            let offset = Fixed::from_int(offsets[a]);
            match effective.address_mode {
                _ if a >= geometry.axes() && !is_row => Axis::NONE,
                None if is_row => Axis::NONE,
                None => Axis::integer(bits, offsets[a], size, self.clamps_integers()),
                Some(mode) => {
                    let (bits, x) =
                        if is_row { (0, Fixed::ZERO) } else { (bits, place.numbers[a]) };
                    let shift = [offset, tap.shift[a]];
                    Axis::float((bits, x), effective.coords, shift, size, mode[a], find)
                }
            }
        });
        if effective.seamless_cube {
            let [x, y, _] = &mut axes;
            let pulled = cube::pulled([x, y].map(|axis| (axis.index, axis.upper)), extent.width);
            [(axes[0].index, axes[0].upper), (axes[1].index, axes[1].upper)] = pulled;
        }
        axes
    }

    /// A texel of the footprint with its codes, or with the codes of the border colour (section 6).
    fn texel(
        &self,
        place: FetchCoordinates,
        level: u32,
        axes: &[Axis; 3],
        corner: Corner,
    ) -> TexelTrace {
        let found = self.locate(place, level, axes, corner.index);
        let is_resident = |at: &TexelIndex| self.resource().is_resident(*at);
        let (at, made_of, codes, resident) = match found {
            // Rule 9.4 of docs/numerics.md: a texel whose tile is not mapped reads 0.
            TexelLocation::At(at) if !is_resident(&at) => (Some(at), None, [0; 4], false),
            TexelLocation::At(at) => (Some(at), None, self.codes(at), true),
            // Rule 1.9 of docs/numerics.md: outside the extent, integer coordinates read 0.
            TexelLocation::Outside if self.is_integer() => (None, None, [0; 4], true),
            TexelLocation::Outside => {
                (None, None, border_codes(self.readings, self.sampler.border), true)
            }
            TexelLocation::Missing(three) => {
                (None, Some(three), [0; 4], three.iter().all(is_resident))
            }
        };
        let values = std::array::from_fn(|c| self.readings[c].point(codes[c]));
        let compared = self.compares(codes[0]);
        let Corner { corner, index, weight, exact, .. } = corner;
        TexelTrace { corner, index, at, made_of, codes, values, weight, exact, resident, compared }
    }

    /// Rule 9.2 of docs/numerics.md: whether the texel passes the depth compare, if there is one.
    fn compares(&self, code: u32) -> Option<bool> {
        let function = self.effective.compare?;
        Some(result::compare(function, self.readings[0], self.operands.compare, code))
    }

    /// The codes of a texel; 0 if the texel's tile is not mapped.
    fn codes(&self, at: TexelIndex) -> [u32; 4] {
        let resource = self.resource();
        if resource.is_resident(at) { resource.texel(at).unwrap_or_default() } else { [0; 4] }
    }

    /// Locates a texel of a footprint in the resource.
    fn locate(
        &self,
        place: FetchCoordinates,
        level: u32,
        axes: &[Axis; 3],
        index: [i64; 3],
    ) -> TexelLocation {
        let sample = place.sample;
        if place.is_outside {
            return TexelLocation::Outside;
        }
        if self.effective.seamless_cube {
            let found = cube::seamless(place.plane % 6, [index[0], index[1]], axes[0].size);
            let cube = place.plane - place.plane % 6;
            let at = |t: FaceTexel| {
                let at = [t.at[0], t.at[1], 0];
                TexelIndex { level, plane: cube + t.face, sample, at }
            };
            return match found {
                Seamless::At(texel) => TexelLocation::At(at(texel)),
                Seamless::Missing(three) => TexelLocation::Missing(three.map(at)),
            };
        }
        let [x, y, z] = std::array::from_fn(|a| axes[a].texel(index[a]));
        match (x, y, z) {
            (Some(x), Some(y), Some(z)) => {
                TexelLocation::At(TexelIndex { level, plane: place.plane, sample, at: [x, y, z] })
            }
            _ => TexelLocation::Outside,
        }
    }
}

/// The location of a texel of a footprint.
#[derive(Clone, Copy)]
enum TexelLocation {
    At(TexelIndex),
    /// Outside the extents: the fetch reads the border colour, or 0 with integer coordinates.
    Outside,
    /// The texel is missing at a corner of the cube, where these three texels meet.
    Missing([TexelIndex; 3]),
}

fn axis_trace(axis: &Axis) -> AxisTrace {
    let &Axis { coordinate, texels, index, upper, exact, mode, .. } = axis;
    AxisTrace { coordinate, texels, index, upper, exact, mode }
}

#[cfg(test)]
mod steps;
#[cfg(test)]
mod tests {
    mod traces;
}
