//! The effective state of a texture and a sampler. This module decides which combinations have a
//! defined result, and what the hardware makes of the requested settings; `overrides` describes the
//! differences in words.

mod overrides;
mod seen;

pub use overrides::{Override, overrides};
pub use seen::compatible_geometry;
pub(crate) use seen::{layers_of_integers, seen};

use crate::fixed_level;
use crate::request::{CoordType, FetchForm, FetchKind, Geometry, Lod, PlanError};
use crate::resource::Resource;
use crate::sampler::{
    AddressMode, CompareFunction, Filter, ReadMode, Sampler, Texture, check_pair,
};
use texunit_forms::words;
use texunit_texel::{Channel, Reading, readings};

words! {
    /// How coordinates are interpreted.
    Coords {
        /// Coordinates are indices of texels (docs/numerics.md 1.9).
        Integer = "integer",
        /// Coordinates are in texels.
        Unnormalized = "unnormalized",
        /// Coordinates run from 0 to 1 over the extent of the level.
        Normalized = "normalized",
    }
}

/// Sampler state as it takes effect in a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EffectiveSampler {
    /// How coordinates are interpreted.
    pub coords: Coords,
    /// The filter within a level. It is point for integer coordinates, whatever the sampler says. A
    /// gather ignores the filter.
    pub filter: Filter,
    /// Filter between levels; `None` if the resource is not mipmapped, and for integer coordinates.
    pub mip_filter: Option<Filter>,
    /// Address modes of x, y, z; `None` for integer coordinates, which read 0 in every component
    /// outside the texture.
    pub address_mode: Option<[AddressMode; 3]>,
    /// The smallest and the largest level that can be read, in units of 1/256, from the sampler's
    /// clamps and the existing levels.
    pub level_clamp: [i64; 2],
    /// The maximum anisotropy, which affects sharpened levels and gradients; 1 if it has no effect.
    pub max_anisotropy: u32,
    /// Whether a fetch with gradients can consist of several taps, which are footprints along a
    /// line.
    pub anisotropic: bool,
    /// Whether even a single texel goes through the weighted sum of its format. If not, a point
    /// filter returns the texel's value without arithmetic, which keeps all of its bits.
    pub sums: bool,
    /// Whether the channels x, y and z are decoded from sRGB.
    pub srgb: bool,
    /// Whether a linear filter or a gather reads across the edges of cube faces.
    pub seamless_cube: bool,
    /// The depth compare function. `None` if the instruction has no compare operand, the sampler
    /// has no function, or the format has no depth compare.
    pub compare: Option<CompareFunction>,
}

/// Checks that a fetch of this form has a defined result, and returns its effective state.
/// [`FetchPlan::new`](crate::FetchPlan::new) calls this.
pub fn resolve(
    form: FetchForm,
    texture: &Texture,
    sampler: &Sampler,
) -> Result<EffectiveSampler, PlanError> {
    seen(form, texture)?;
    // Instructions that PTX does not have are refused here for callers other than the PTX front
    // end, which has refused them already.
    if let Some(reason) = form.why_impossible() {
        return Err(PlanError::Undefined(format!("{form}: {reason}")));
    }
    check_pair(texture, sampler).map_err(|reason| PlanError::Undefined(reason.to_string()))?;
    Ok(effective_sampler(texture, sampler, form))
}

/// The effective sampler state for an instruction of this form, a texture and a sampler.
///
/// A 1D texture is filtered as a 2D texture of height 1, and the address mode of y is
/// `address_mode[1]`.
pub fn effective_sampler(
    texture: &Texture,
    sampler: &Sampler,
    form: FetchForm,
) -> EffectiveSampler {
    let resource = &*texture.resource;
    let clamps = [sampler.min_level_clamp, sampler.max_level_clamp];
    let common = EffectiveSampler {
        coords: Coords::Integer,
        filter: Filter::Point,
        mip_filter: None,
        address_mode: None,
        level_clamp: [0, 0],
        max_anisotropy: 1,
        anisotropic: false,
        sums: false,
        srgb: srgb_takes_effect(texture, sampler.srgb),
        seamless_cube: false,
        compare: compare(form, texture, sampler),
    };
    if form.coord == CoordType::S32 {
        return common;
    }
    let mip_filter = resource.is_mipmapped().then_some(sampler.mip_filter);
    let gather = matches!(form.kind, FetchKind::Gather(_));
    let seamless = form.geometry.is_cube() && sampler.seamless_cube;
    let max_anisotropy = anisotropy(sampler, resource, form);
    let anisotropic = max_anisotropy > 1 && is_anisotropic(form);
    EffectiveSampler {
        coords: coords(texture, sampler, form),
        filter: sampler.filter,
        mip_filter,
        address_mode: Some(sampler.address_mode.map(|mode| address(mode, texture, sampler, form))),
        level_clamp: match gather {
            // Rule 8.6 of docs/numerics.md: a gather reads level 0.
            true => [0, 0],
            false => fixed_level::clamp_interval(clamps[0], clamps[1], resource.levels().len()),
        },
        max_anisotropy,
        anisotropic,
        sums: !gather && (sampler.filter == Filter::Linear || sums(sampler, mip_filter, form)),
        seamless_cube: seamless && (gather || sampler.filter == Filter::Linear),
        ..common
    }
}

/// Rule 3.5 of docs/numerics.md: whether a point filter returns the weighted sum even of a single
/// texel, as it does with a linear mip filter or anisotropy.
fn sums(sampler: &Sampler, mip_filter: Option<Filter>, form: FetchForm) -> bool {
    let anisotropic = sampler.max_anisotropy > 1;
    let gradient = form.kind == FetchKind::Sample(Lod::Gradient);
    mip_filter.map_or(gradient && anisotropic, |filter| filter == Filter::Linear || anisotropic)
}

/// Whether both texture and sampler request normalized coordinates.
fn asks_for_normalized(texture: &Texture, sampler: &Sampler) -> bool {
    texture.normalized_coords && !sampler.force_unnormalized_coords
}

/// Rule 1.11 of docs/numerics.md: whether the number of mip levels makes coordinates normalized. An
/// array that was created with one level acts as an array that is not mipmapped; a view of one
/// level of several does not.
fn mip_levels_normalize(resource: &Resource) -> bool {
    resource.array_levels() > 1
}

/// Rules 1.11 and 7.5 of docs/numerics.md: the interpretation of float coordinates. Mipmapped
/// textures and the faces of cubes take normalized coordinates, whatever texture and sampler say.
fn coords(texture: &Texture, sampler: &Sampler, form: FetchForm) -> Coords {
    let always = mip_levels_normalize(&texture.resource) || form.geometry.is_cube();
    if always || asks_for_normalized(texture, sampler) {
        Coords::Normalized
    } else {
        Coords::Unnormalized
    }
}

/// The address mode as it takes effect. Rules 1.8 and 1.11 of docs/numerics.md: if unnormalized
/// coordinates are requested, wrap and mirror act as clamp. Rules 7.5 and 7.6: cubes support all
/// modes, except that seamless cubes clamp.
fn address(
    mode: AddressMode,
    texture: &Texture,
    sampler: &Sampler,
    form: FetchForm,
) -> AddressMode {
    let is_cube = form.geometry.is_cube();
    match mode {
        _ if is_cube && sampler.seamless_cube => AddressMode::Clamp,
        mode if is_cube => mode,
        AddressMode::Wrap | AddressMode::Mirror if !asks_for_normalized(texture, sampler) => {
            AddressMode::Clamp
        }
        mode => mode,
    }
}

/// Maximum anisotropy of the hardware.
const MAX_ANISOTROPY: u32 = 16;

/// The maximum anisotropy as it takes effect. Rule 3.6 of docs/numerics.md: anisotropy sharpens
/// explicit levels and levels from gradients. Rule 4.12: it lengthens the footprints of gradients,
/// also on textures without mip levels.
fn anisotropy(sampler: &Sampler, resource: &Resource, form: FetchForm) -> u32 {
    let acts = match form.kind {
        FetchKind::Sample(Lod::Level) => resource.is_mipmapped(),
        FetchKind::Sample(Lod::Gradient) => resource.is_mipmapped() || is_anisotropic(form),
        FetchKind::Sample(Lod::Implicit | Lod::Base) | FetchKind::Gather(_) => false,
    };
    if acts { sampler.max_anisotropy.clamp(1, MAX_ANISOTROPY) } else { 1 }
}

/// Rule 4.12 of docs/numerics.md: whether gradients can lengthen the footprint, which needs two
/// axes. A `tex.grad.1d` has two axes as well, because ptxas translates it to a 2D fetch.
fn is_anisotropic(form: FetchForm) -> bool {
    form.kind == FetchKind::Sample(Lod::Gradient)
        && (form.geometry.axes() == 2 || form.geometry == Geometry::D1)
}

/// Rules 9.1 and 9.2 of docs/numerics.md: the compare function that takes effect. A compare takes
/// place if there are both an operand and a function, and if the format is a depth format or has
/// one channel of f32 or 16 bits.
fn compare(form: FetchForm, texture: &Texture, sampler: &Sampler) -> Option<CompareFunction> {
    use Channel::{F16, F32, S16, U16};
    let format = texture.resource.format();
    let compares = format.is_depth()
        || format.channels() == 1 && matches!(format.plain_channel(), Some(F32 | F16 | U16 | S16));
    sampler.compare.filter(|_| form.compare && compares)
}

/// Section 5 of docs/numerics.md: whether sRGB decoding takes effect. It acts on 8-bit unorm texels
/// that are read as normalized floats.
fn srgb_takes_effect(texture: &Texture, srgb: bool) -> bool {
    let readings = readings(texture.resource.format(), reads_normalized(texture), srgb);
    readings.is_some_and(|r| r.contains(&Reading::Srgb))
}

/// How a texture converts each channel, with or without sRGB decoding.
pub(crate) fn texture_readings(texture: &Texture, srgb: bool) -> Result<[Reading; 4], PlanError> {
    let format = texture.resource.format();
    let mut readings = readings(format, reads_normalized(texture), srgb).ok_or_else(|| {
        let mode = if reads_normalized(texture) { "normalized floats" } else { "elements" };
        PlanError::Undefined(format!("{format} cannot be read as {mode}"))
    })?;
    // Rule 8.5 of docs/numerics.md: a view of integer words as blocks without alpha reads alpha 0.
    if texture.resource.is_view_of_words() && readings[3] == Reading::One {
        readings[3] = Reading::Missing;
    }
    Ok(readings)
}

/// Whether texels of the texture are read as normalized floats.
pub(crate) fn reads_normalized(texture: &Texture) -> bool {
    texture.read_mode == ReadMode::NormalizedFloat
}
