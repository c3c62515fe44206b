//! What a texture and a sampler mean together: which pairs have a defined answer, and what the
//! hardware really does with the state it is given.

use crate::request::{CoordType, FetchForm, PlanError};
use crate::resource::Layout;
use crate::sampler::{
    AddressMode, CompareFunction, Filter, ReadMode, Sampler, Texture, check_state,
};

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

/// Sampler state that takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EffectiveSampler {
    /// How coordinates are understood.
    pub coords: Coords,
    /// Point for integer coordinates, whatever the sampler says.
    pub filter: Filter,
    /// Between levels; `None` if the resource is not mipmapped.
    pub mip_filter: Option<Filter>,
    /// Of x, y, z; `None` for integer coordinates: every component is 0 outside.
    pub address_mode: Option<[AddressMode; 3]>,
    /// Smallest and largest level in 1/256: the sampler's clamps and the levels there are.
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

/// What the unit does for an instruction of this form, a texture and a sampler (docs/numerics.md
/// 1.8, 1.9): unnormalized coordinates turn wrap and mirror into clamp; integer coordinates
/// switch filter, address mode and border colour off.
///
/// A 1D texture is filtered as a 2D one of height 1, and the mode of its row is
/// `address_mode[1]`.
pub fn effective_sampler(
    texture: &Texture,
    sampler: &Sampler,
    form: FetchForm,
) -> EffectiveSampler {
    let common = EffectiveSampler {
        coords: Coords::Integer,
        filter: Filter::Point,
        mip_filter: texture.resource.is_mipmapped().then_some(sampler.mip_filter),
        address_mode: None,
        level_clamp: [0, 256 * (texture.resource.levels().len() as i64 - 1)],
        max_anisotropy: 1,
        srgb: sampler.srgb,
        seamless_cube: false,
        compare: None,
    };
    if form.coord == CoordType::S32 {
        return common;
    }
    let normalized = texture.normalized_coords && !sampler.force_unnormalized_coords;
    let mode = |mode| match mode {
        AddressMode::Wrap | AddressMode::Mirror if !normalized => AddressMode::Clamp,
        mode => mode,
    };
    EffectiveSampler {
        coords: if normalized { Coords::Normalized } else { Coords::Unnormalized },
        filter: sampler.filter,
        address_mode: Some(sampler.address_mode.map(mode)),
        ..common
    }
}

/// Checks that a fetch of this form has a defined answer, and tells how it is made. The executor
/// calls this by way of [`FetchPlan::new`](crate::FetchPlan::new).
pub fn resolve(
    form: FetchForm,
    texture: &Texture,
    sampler: &Sampler,
) -> Result<EffectiveSampler, PlanError> {
    let resource = &*texture.resource;
    if form.geometry != resource.geometry() {
        return Err(PlanError::Geometry {
            instruction: form.geometry.name(),
            resource: resource.sentence("texture"),
        });
    }
    if resource.layout() == Layout::Linear && form.coord == CoordType::F32 {
        return Err(PlanError::Undefined(format!(
            "{}: linear memory is fetched with integer coordinates (.s32), not with .f32",
            resource.sentence("texture")
        )));
    }
    check_state(resource, texture.read_mode, sampler.filter, sampler.srgb)
        .map_err(|reason| PlanError::Undefined(reason.to_string()))?;
    Ok(effective_sampler(texture, sampler, form))
}

/// Whether texels of the texture are read as normalized floats.
pub(crate) fn reads_normalized(texture: &Texture) -> bool {
    texture.read_mode == ReadMode::NormalizedFloat
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::request::{Geometry, ResultType};
    use crate::resource::{ArrayShape, Extent, Resource};
    use std::sync::Arc;
    use texunit_memory::Block;
    use texunit_texel::Format;

    fn form(geometry: Geometry, coord: CoordType) -> FetchForm {
        FetchForm::sample(geometry, coord, ResultType::F32)
    }

    fn texture(dims: u8, format: &str, read_mode: ReadMode, normalized_coords: bool) -> Texture {
        let extent = [(4, 1, 1), (4, 4, 1), (4, 4, 4)][usize::from(dims) - 1];
        let extent = Extent { width: extent.0, height: extent.1, depth: extent.2 };
        let block = Arc::new(Block::new(2048, "b").unwrap());
        let format = Format::from_name(format).unwrap();
        let resource = Arc::new(
            Resource::array(
                &ArrayShape::new(format, Geometry::ALL[usize::from(dims) - 1], extent),
                block,
                "t",
            )
            .unwrap(),
        );
        Texture { resource, read_mode, normalized_coords }
    }

    #[test]
    fn unnormalized_coordinates_clamp() {
        use AddressMode::{Border, Clamp, Mirror, Wrap};
        let mut sampler = Sampler { address_mode: [Wrap, Mirror, Border], ..Sampler::default() };
        let f = form(Geometry::D3, CoordType::F32);
        let state = |normalized, sampler: &Sampler| {
            resolve(f, &texture(3, "f32", ReadMode::Element, normalized), sampler).unwrap()
        };
        assert_eq!(state(true, &sampler).address_mode, Some([Wrap, Mirror, Border]));
        assert_eq!(state(false, &sampler).address_mode, Some([Clamp, Clamp, Border]));
        sampler.force_unnormalized_coords = true;
        assert_eq!(state(true, &sampler).coords, Coords::Unnormalized);
        assert_eq!(state(true, &sampler).address_mode, Some([Clamp, Clamp, Border]));
    }

    #[test]
    fn integer_coordinates_switch_the_sampler_off() {
        let sampler = Sampler {
            filter: Filter::Linear,
            address_mode: [AddressMode::Border; 3],
            ..Sampler::default()
        };
        let t = texture(2, "f32", ReadMode::Element, true);
        let state = resolve(form(Geometry::D2, CoordType::S32), &t, &sampler).unwrap();
        assert_eq!(
            (state.coords, state.filter, state.address_mode),
            (Coords::Integer, Filter::Point, None)
        );
    }

    #[test]
    fn undefined_pairs_are_named() {
        let f = form(Geometry::D2, CoordType::F32);
        let linear = Sampler { filter: Filter::Linear, ..Sampler::default() };
        let t = texture(2, "u8x4", ReadMode::Element, true);
        assert!(resolve(f, &t, &Sampler::default()).is_ok());
        let e = resolve(f, &t, &linear).unwrap_err().to_string();
        assert!(e.contains("linear") && e.contains("u8x4"), "{e}");
        let e = resolve(form(Geometry::D3, CoordType::F32), &t, &linear).unwrap_err();
        assert_eq!(
            e.to_string(),
            "the instruction has .3d geometry, but texture `t` is a 2D array of 4 x 4 texels \
             of u8x4"
        );
        let e = resolve(form(Geometry::Cube, CoordType::F32), &t, &linear).unwrap_err();
        assert_eq!(e.to_string(), "fetches of .cube geometry are not supported");
    }

    #[test]
    fn linear_memory_wants_integer_coordinates() {
        let block = Arc::new(Block::new(64, "b").unwrap());
        let format = Format::from_name("f32").unwrap();
        let resource = Arc::new(Resource::linear(format, 16, block, 0, 0, "l").unwrap());
        let t = Texture { resource, read_mode: ReadMode::Element, normalized_coords: false };
        assert!(resolve(form(Geometry::D1, CoordType::S32), &t, &Sampler::default()).is_ok());
        assert!(resolve(form(Geometry::D1, CoordType::F32), &t, &Sampler::default()).is_err());
    }
}
