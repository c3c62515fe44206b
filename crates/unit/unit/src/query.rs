//! Texture, sampler and surface queries: `txq` and `suq` (docs/numerics.md 12). The value of an
//! attribute is constant during a kernel, except for sizes that `txq.level` asks for a level.

use crate::request::{Lanes, lanes};
use crate::resource::{Layout, Resource};
use crate::sampler::{ReadMode, Sampler, Surface, Texture};
use texunit_forms::{Attribute, Geometry};

/// A query of one warp.
#[derive(Clone, Copy, Debug)]
pub struct QueryRequest<'a> {
    /// Active mask.
    pub active: u32,
    /// The level operand of `txq.level`, an s32 per lane.
    pub level: Option<&'a Lanes>,
}

/// An attribute of one texture, sampler or surface, evaluated in advance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryPlan {
    value: u32,
    /// If the attribute is a size, the number of mip levels; the size of any further level is 0.
    /// For other attributes, 0.
    levels: u32,
    /// Whether the value halves from one level to the next, as a size does. Numbers of layers, and
    /// sizes of axes that the geometry lacks, stay the same.
    halves: bool,
}

impl QueryPlan {
    /// The plan for an attribute of a texture and its sampler.
    pub fn texture(attribute: Attribute, texture: &Texture, sampler: &Sampler) -> Self {
        use Attribute as A;
        let value = match attribute {
            A::ChannelDataType => {
                let normalized = texture.read_mode == ReadMode::NormalizedFloat;
                texture.resource.format().channel_data_type(normalized)
            }
            A::NormalizedCoords => u32::from(texture.normalized_coords),
            a if a.is_of_sampler() => return Self::sampler(a, sampler),
            A::Width | A::Height | A::Depth => return Self::size(attribute, &texture.resource),
            a => of_resource(a, &texture.resource),
        };
        Self::constant(value)
    }

    /// The plan for the width, height or depth of a texture, as the hardware's texture header
    /// encodes it (rule 12.1 of docs/numerics.md). The height of a 1D array is 1, of a layered 1D
    /// array its number of layers, of linear memory 0. The depth of a layered 2D array is its
    /// number of layers.
    fn size(attribute: Attribute, resource: &Resource) -> Self {
        let value = match (attribute, resource.geometry()) {
            (Attribute::Height, Geometry::D1) => u32::from(resource.layout() != Layout::Linear),
            (a, _) => of_resource(a, resource),
        };
        let halves = match attribute {
            Attribute::Width => true,
            Attribute::Height => resource.geometry().axes() >= 2,
            _ => resource.geometry() == Geometry::D3,
        };
        Self { value, levels: resource.levels().len() as u32, halves }
    }

    const fn constant(value: u32) -> Self {
        Self { value, levels: 0, halves: false }
    }

    /// The plan for an attribute of a sampler; 0 for attributes that samplers do not have.
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
        Self::constant(value)
    }

    /// The plan for an attribute of a surface. A cube map counts as an array of faces, because
    /// `.a2d` addresses it so.
    pub fn surface(attribute: Attribute, surface: &Surface) -> Self {
        use Attribute as A;
        let resource = &surface.resource;
        Self::constant(match attribute {
            A::ChannelDataType => resource.format().channel_data_type(false),
            A::ArraySize | A::Depth if resource.geometry().is_cube() => resource.shape().planes(),
            a => of_resource(a, resource),
        })
    }

    /// Answers a query: writes the value to all active lanes. Inactive lanes keep their values.
    pub fn answer(&self, request: &QueryRequest<'_>, values: &mut Lanes) {
        for lane in lanes(request.active) {
            values[lane] = match request.level {
                Some(levels) if self.levels > 0 => self.size_of_level(levels[lane]),
                _ => self.value,
            };
        }
    }

    /// Rule 12.2 of docs/numerics.md: the size at a mip level. Each level halves the size of the
    /// level before. Past the last level, and for negative levels, the size is 0.
    fn size_of_level(&self, level: u32) -> u32 {
        match self.value {
            0 => 0,
            _ if level >= self.levels => 0,
            size if self.halves => (size >> level).max(1),
            size => size,
        }
    }
}

/// The value of an attribute that textures and surfaces share. The size of an axis that the
/// resource lacks is its number of layers or 0 (rule 12.1 of docs/numerics.md); numbers of layers,
/// mip levels and samples are 0 if the resource has none. A view has values of its own, not those
/// of its array.
fn of_resource(attribute: Attribute, resource: &Resource) -> u32 {
    use Attribute as A;
    let (extent, geometry, shape) = (resource.extent(), resource.geometry(), resource.shape());
    match attribute {
        A::Width => extent.width,
        A::Height if geometry.axes() >= 2 => extent.height,
        A::Depth if geometry.axes() >= 3 => extent.depth,
        A::ChannelOrder => resource.format().channel_order(),
        A::Height if geometry == Geometry::A1d => shape.layers,
        A::Depth if geometry.is_array() && geometry.axes() == 2 => shape.layers,
        A::ArraySize if geometry.is_array() => shape.layers,
        A::NumMipmapLevels => shape.levels.unwrap_or(0),
        A::NumSamples if geometry.is_multisample() => shape.samples,
        A::MemoryLayout => u32::from(resource.layout() != Layout::Array),
        _ => 0,
    }
}
