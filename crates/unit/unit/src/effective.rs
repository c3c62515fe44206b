//! What a texture and a sampler mean together: which pairs have a defined answer, and what the
//! hardware really does with the state it is given. What it changed of it, in words, is in
//! `overrides`.

mod overrides;
mod refused;
mod seen;

pub use overrides::{Override, overrides};
pub use refused::resolve;
pub(crate) use refused::texture_readings;
pub(crate) use seen::seen;
pub use seen::sees;

use crate::fixed_level;
use crate::request::{CoordType, FetchForm, FetchKind, Lod};
use crate::resource::Resource;
use crate::sampler::{AddressMode, CompareFunction, Filter, ReadMode, Sampler, Texture};
use texunit_texel::{Reading, readings};

/// How coordinates are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Coords {
    /// They name a texel (docs/numerics.md 1.9).
    Integer,
    /// In texels.
    Unnormalized,
    /// 0 to 1 over the extent.
    Normalized,
}

impl Coords {
    /// `normalized`
    pub fn name(self) -> &'static str {
        match self {
            Coords::Integer => "integer",
            Coords::Unnormalized => "unnormalized",
            Coords::Normalized => "normalized",
        }
    }
}

/// Sampler state that takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EffectiveSampler {
    /// How coordinates are understood.
    pub coords: Coords,
    /// Point for integer coordinates, whatever the sampler says. A gather does not look at it.
    pub filter: Filter,
    /// Between levels; `None` if the resource is not mipmapped. Point for integer coordinates and
    /// gathers.
    pub mip_filter: Option<Filter>,
    /// Of x, y, z; `None` for integer coordinates: every component is 0 outside.
    pub address_mode: Option<[AddressMode; 3]>,
    /// Smallest and largest level in 1/256: the sampler's clamps and the levels there are, in this
    /// order. A level is limited to this interval.
    pub level_clamp: [i64; 2],
    /// Of the explicit-level sharpening and of gradients; 1 if neither takes place.
    pub max_anisotropy: u32,
    /// Whether x, y, z are decoded from sRGB.
    pub srgb: bool,
    /// Whether a linear filter reads across the edges of cube faces.
    pub seamless_cube: bool,
    /// The depth compare that is done; `None` without operand or without compare state.
    pub compare: Option<CompareFunction>,
}

/// What the unit does for an instruction of this form, a texture and a sampler.
///
/// A 1D texture is filtered as a 2D one of height 1, and the mode of its row is
/// `address_mode[1]`.
pub fn effective_sampler(
    texture: &Texture,
    sampler: &Sampler,
    form: FetchForm,
) -> EffectiveSampler {
    let resource = &*texture.resource;
    let mip_filter = resource.is_mipmapped().then_some(sampler.mip_filter);
    let common = EffectiveSampler {
        coords: Coords::Integer,
        filter: Filter::Point,
        mip_filter: mip_filter.map(integer_mip_filter),
        address_mode: None,
        level_clamp: fixed_level::clamp_interval(
            sampler.min_level_clamp,
            sampler.max_level_clamp,
            resource.levels().len(),
        ),
        max_anisotropy: 1,
        srgb: srgb_takes_effect(texture, sampler.srgb),
        seamless_cube: false,
        compare: compare(form, sampler),
    };
    if form.coord == CoordType::S32 {
        return common;
    }
    let gather = matches!(form.kind, FetchKind::Gather(_));
    EffectiveSampler {
        coords: coords(texture, sampler, form),
        filter: sampler.filter,
        mip_filter: if gather { common.mip_filter } else { mip_filter },
        address_mode: Some(sampler.address_mode.map(|mode| address(mode, texture, sampler, form))),
        level_clamp: if gather { [0, 0] } else { common.level_clamp },
        max_anisotropy: anisotropy(sampler, mip_filter, form),
        seamless_cube: form.geometry.is_cube()
            && sampler.seamless_cube
            && sampler.filter == Filter::Linear
            && !gather,
        ..common
    }
}

/// Rule 1.9 (open): with integer coordinates levels are not blended. The nearest one is read.
fn integer_mip_filter(_: Filter) -> Filter {
    Filter::Point
}

/// Whether texture and sampler ask for normalized coordinates.
fn asks_for_normalized(texture: &Texture, sampler: &Sampler) -> bool {
    texture.normalized_coords && !sampler.force_unnormalized_coords
}

/// Rule 1.11: whether coordinates are normalized because there are mip levels. Rule 1.11 (open):
/// an array of one level acts as one that is not mipmapped. A view of one level does not: what
/// counts is the array.
fn mip_levels_normalize(resource: &Resource) -> bool {
    resource.array_levels() > 1
}

/// Rules 1.11 and 7.5: mipmapped textures and the faces of cubes take normalized coordinates,
/// whatever texture and sampler say.
fn coords(texture: &Texture, sampler: &Sampler, form: FetchForm) -> Coords {
    let always = mip_levels_normalize(&texture.resource) || form.geometry.is_cube();
    if always || asks_for_normalized(texture, sampler) {
        Coords::Normalized
    } else {
        Coords::Unnormalized
    }
}

/// Rules 1.8 and 1.11: what asks for unnormalized coordinates clamps instead of wrapping and
/// mirroring. Cubes have a rule of their own.
fn address(
    mode: AddressMode,
    texture: &Texture,
    sampler: &Sampler,
    form: FetchForm,
) -> AddressMode {
    if form.geometry.is_cube() {
        return cube_address(mode, texture, sampler, form);
    }
    match mode {
        AddressMode::Wrap | AddressMode::Mirror if !asks_for_normalized(texture, sampler) => {
            AddressMode::Clamp
        }
        mode => mode,
    }
}

/// Rule 7.6: a point fetch of a cube that is not mipmapped clamps to the face. Rule 7.5 (open): in
/// all others wrap and mirror act even if unnormalized coordinates were asked for.
fn cube_address(
    mode: AddressMode,
    texture: &Texture,
    sampler: &Sampler,
    form: FetchForm,
) -> AddressMode {
    let sample = matches!(form.kind, FetchKind::Sample(_));
    if sample && sampler.filter == Filter::Point && !texture.resource.is_mipmapped() {
        AddressMode::Clamp
    } else {
        mode
    }
}

/// Largest anisotropy of the hardware. Rule 4.12 (open): a larger `max_anisotropy` counts as
/// this.
const MAX_ANISOTROPY: u32 = 16;

/// Rule 3.6: anisotropy sharpens explicit levels under a linear mip filter. Rule 4.12: it makes
/// footprints of gradients longer, under a linear filter. Rule 4.12 (open): a point filter reads one
/// texel of gradients, and footprints of one or three axes are isotropic.
fn anisotropy(sampler: &Sampler, mip_filter: Option<Filter>, form: FetchForm) -> u32 {
    let acts = match form.kind {
        FetchKind::Sample(Lod::Level) => mip_filter == Some(Filter::Linear),
        FetchKind::Sample(Lod::Gradient) => {
            sampler.filter == Filter::Linear && form.geometry.axes() == 2
        }
        FetchKind::Sample(Lod::Implicit | Lod::Base) | FetchKind::Gather(_) => false,
    };
    if acts { sampler.max_anisotropy.clamp(1, MAX_ANISOTROPY) } else { 1 }
}

/// Rules 9.1 and 9.2: a compare takes place if there are both an operand and a function.
fn compare(form: FetchForm, sampler: &Sampler) -> Option<CompareFunction> {
    sampler.compare.filter(|_| form.compare)
}

/// Section 5: the flag acts on 8-bit unorm read as normalized floats.
fn srgb_takes_effect(texture: &Texture, srgb: bool) -> bool {
    let format = texture.resource.format();
    let readings = readings(format, reads_normalized(texture), srgb);
    readings.is_some_and(|r| r.contains(&Reading::Srgb))
}

/// Whether texels of the texture are read as normalized floats.
pub(crate) fn reads_normalized(texture: &Texture) -> bool {
    texture.read_mode == ReadMode::NormalizedFloat
}

#[cfg(test)]
mod tests;
