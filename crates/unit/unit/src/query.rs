//! Queries: txq and suq (docs/numerics.md 12). What an attribute of a texture, sampler or surface
//! is does not change while a kernel runs, but for the level that `txq.level` names.

use crate::request::{Lanes, lanes};
use crate::resource::{Layout, Resource};
use crate::sampler::{ReadMode, Sampler, Surface, Texture};
use texunit_forms::Attribute;

/// One query of a warp.
#[derive(Clone, Copy, Debug)]
pub struct QueryRequest<'a> {
    /// Lanes that take part.
    pub active: u32,
    /// The level of `txq.level`, an s32 for each lane.
    pub level: Option<&'a Lanes>,
}

/// An attribute of one texture, sampler or surface, ready to be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryPlan {
    value: u32,
    /// Mip levels of a size, which each level halves; 0 for other attributes.
    levels: u32,
}

impl QueryPlan {
    /// An attribute of a texture and its sampler.
    pub fn texture(attribute: Attribute, texture: &Texture, sampler: &Sampler) -> Self {
        use Attribute as A;
        let value = match attribute {
            A::ChannelDataType => {
                let normalized = texture.read_mode == ReadMode::NormalizedFloat;
                texture.resource.format().channel_data_type(normalized)
            }
            A::NormalizedCoords => u32::from(texture.normalized_coords),
            a if a.is_of_sampler() => return Self::sampler(a, sampler),
            a => of_resource(a, &texture.resource),
        };
        let is_size = matches!(attribute, A::Width | A::Height | A::Depth);
        let levels = if is_size { texture.resource.levels().len() as u32 } else { 0 };
        Self { value, levels }
    }

    /// An attribute of a sampler; 0 for those that samplers do not have.
    pub fn sampler(attribute: Attribute, sampler: &Sampler) -> Self {
        use Attribute as A;
        let value = match attribute {
            A::ForceUnnormalizedCoords => u32::from(sampler.force_unnormalized_coords),
            A::FilterMode => sampler.filter as u32,
            A::AddrMode0 => sampler.address_mode[0] as u32,
            A::AddrMode1 => sampler.address_mode[1] as u32,
            A::AddrMode2 => sampler.address_mode[2] as u32,
            _ => 0,
        };
        Self { value, levels: 0 }
    }

    /// An attribute of a surface. Those of cube maps are arrays of faces, as `.a2d` sees them.
    pub fn surface(attribute: Attribute, surface: &Surface) -> Self {
        let resource = &surface.resource;
        let value = match attribute {
            Attribute::ChannelDataType => resource.format().channel_data_type(false),
            Attribute::ArraySize if resource.geometry().is_cube() => resource.shape().planes(),
            a => of_resource(a, resource),
        };
        Self { value, levels: 0 }
    }

    /// Answers a request. Lanes that are not active keep what was there.
    pub fn answer(&self, request: &QueryRequest<'_>, values: &mut Lanes) {
        for lane in lanes(request.active) {
            values[lane] = match request.level {
                Some(levels) if self.levels > 0 => self.size_of_level(levels[lane]),
                _ => self.value,
            };
        }
    }

    /// Rule 12.2: each level halves the size of the one before. Past the last, and so for
    /// negative levels, 0 (open in docs/numerics.md 12).
    fn size_of_level(&self, level: u32) -> u32 {
        match self.value {
            0 => 0,
            size if level < self.levels => (size >> level).max(1),
            _ => 0,
        }
    }
}

/// What textures and surfaces share. An axis that the resource lacks has size 0 (rule 12.1, open
/// in docs/numerics.md 12); layers, mip levels and samples are 0 where there are none. A view
/// answers for itself, not for its array.
fn of_resource(attribute: Attribute, resource: &Resource) -> u32 {
    use Attribute as A;
    let (extent, geometry, shape) = (resource.extent(), resource.geometry(), resource.shape());
    match attribute {
        A::Width => extent.width,
        A::Height if geometry.axes() >= 2 => extent.height,
        A::Depth if geometry.axes() >= 3 => extent.depth,
        A::ChannelOrder => resource.format().channel_order(),
        A::ArraySize if geometry.is_array() => shape.layers,
        A::NumMipmapLevels => shape.levels.unwrap_or(0),
        A::NumSamples if geometry.is_multisample() => shape.samples,
        A::MemoryLayout => u32::from(resource.layout() != Layout::Array),
        _ => 0,
    }
}

#[cfg(test)]
mod tests;
