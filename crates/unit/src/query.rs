//! Queries: txq and suq (docs/numerics.md 12). What an attribute of a texture, sampler or surface
//! is does not change while a kernel runs, but for the level that `txq.level` names.

use crate::request::{Lanes, lanes};
use crate::resource::{Layout, Resource};
use crate::sampler::{AddressMode, Filter, ReadMode, Sampler, Surface, Texture};

/// What is asked (PTX `.tquery`, `.squery`, `.query` of suq).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Attribute {
    Width,
    Height,
    Depth,
    ChannelDataType,
    ChannelOrder,
    NormalizedCoords,
    ArraySize,
    NumMipmapLevels,
    NumSamples,
    ForceUnnormalizedCoords,
    FilterMode,
    /// `addr_mode_0`, `_1`, `_2`.
    AddressMode(u8),
    MemoryLayout,
}

impl Attribute {
    /// Whether the sampler has it, not the texture.
    pub fn is_of_sampler(self) -> bool {
        use Attribute as A;
        matches!(self, A::ForceUnnormalizedCoords | A::FilterMode | A::AddressMode(_))
    }
}

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
    /// Whether the value is a size, which levels halve.
    is_size: bool,
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
        Self { value, is_size: matches!(attribute, A::Width | A::Height | A::Depth) }
    }

    /// An attribute of a sampler; 0 for those that samplers do not have.
    pub fn sampler(attribute: Attribute, sampler: &Sampler) -> Self {
        use Attribute as A;
        let value = match attribute {
            A::ForceUnnormalizedCoords => u32::from(sampler.force_unnormalized_coords),
            A::FilterMode => u32::from(sampler.filter == Filter::Linear),
            A::AddressMode(axis) => {
                sampler.address_mode.get(usize::from(axis)).map_or(0, |&m| address_mode(m))
            }
            _ => 0,
        };
        Self { value, is_size: false }
    }

    /// An attribute of a surface.
    pub fn surface(attribute: Attribute, surface: &Surface) -> Self {
        let resource = &surface.resource;
        let value = match attribute {
            Attribute::ChannelDataType => resource.format().channel_data_type(false),
            a => of_resource(a, resource),
        };
        Self { value, is_size: false }
    }

    /// Answers a request. Lanes that are not active keep what was there.
    pub fn answer(&self, request: &QueryRequest<'_>, values: &mut Lanes) {
        for lane in lanes(request.active) {
            values[lane] = match request.level {
                Some(levels) if self.is_size => self.size_of_level(levels[lane]),
                _ => self.value,
            };
        }
    }

    /// Rule 12.2: the only level of a resource without mipmaps is 0; past the last level, 0.
    fn size_of_level(&self, level: u32) -> u32 {
        if level == 0 { self.value } else { 0 }
    }
}

/// What textures and surfaces share. An axis that the resource lacks has size 0 (rule 12.1);
/// layers, mip levels and samples are 0 where there are none.
fn of_resource(attribute: Attribute, resource: &Resource) -> u32 {
    use Attribute as A;
    let (extent, dims) = (resource.extent(), resource.geometry().axes());
    match attribute {
        A::Width => extent.width,
        A::Height if dims >= 2 => extent.height,
        A::Depth if dims >= 3 => extent.depth,
        A::ChannelOrder => resource.format().channel_order(),
        A::MemoryLayout => u32::from(resource.layout() != Layout::Array),
        _ => 0,
    }
}

/// PTX's numbering.
fn address_mode(mode: AddressMode) -> u32 {
    match mode {
        AddressMode::Wrap => 0,
        AddressMode::Mirror => 1,
        AddressMode::ClampOgl => 2,
        AddressMode::Clamp => 3,
        AddressMode::Border => 4,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::request::Geometry;
    use crate::resource::{ArrayShape, Extent};
    use std::sync::Arc;
    use texunit_memory::Block;
    use texunit_texel::Format;

    fn array(format: &str, extent: [u32; 3], dims: u8) -> Arc<Resource> {
        let [width, height, depth] = extent;
        let extent = Extent { width, height, depth };
        let format = Format::from_name(format).unwrap();
        let geometry = Geometry::ALL[usize::from(dims) - 1];
        let shape = ArrayShape::new(format, geometry, extent);
        let block = Arc::new(Block::new(shape.size().unwrap() as usize, "t").unwrap());
        Arc::new(Resource::array(&shape, block, "t").unwrap())
    }

    fn texture(format: &str, extent: [u32; 3], dims: u8, read_mode: ReadMode) -> Texture {
        Texture::new(array(format, extent, dims), read_mode, true, &Sampler::default()).unwrap()
    }

    fn ask(plan: QueryPlan, level: Option<u32>) -> u32 {
        let levels = level.map(|l| [l; 32]);
        let mut values = [7; 32];
        plan.answer(&QueryRequest { active: 2, level: levels.as_ref() }, &mut values);
        assert_eq!((values[0], values[2]), (7, 7), "lanes that do not take part");
        values[1]
    }

    #[test]
    fn sizes_and_their_levels() {
        use Attribute as A;
        let sampler = Sampler::default();
        for (dims, wanted) in [(1, [9, 0, 0]), (2, [9, 5, 0]), (3, [9, 5, 3])] {
            let all = [9, 5, 3];
            let extent = [0, 1, 2].map(|i| if i < usize::from(dims) { all[i] } else { 1 });
            let texture = texture("u8x4", extent, dims, ReadMode::Element);
            let surface = Surface::new(array("u8x4", extent, dims)).unwrap();
            for (attribute, size) in [A::Width, A::Height, A::Depth].into_iter().zip(wanted) {
                let plan = QueryPlan::texture(attribute, &texture, &sampler);
                assert_eq!(ask(plan, None), size, "{dims} {attribute:?}");
                assert_eq!(ask(plan, Some(0)), size);
                assert_eq!(ask(plan, Some(1)), 0, "past the last level");
                assert_eq!(ask(QueryPlan::surface(attribute, &surface), None), size);
            }
            for a in [A::ArraySize, A::NumMipmapLevels, A::NumSamples, A::MemoryLayout] {
                assert_eq!(ask(QueryPlan::texture(a, &texture, &sampler), None), 0, "{a:?}");
            }
        }
    }

    #[test]
    fn formats_as_opencl_numbers_them() {
        let sampler = Sampler::default();
        for (format, read_mode, data, order) in [
            ("s8", ReadMode::NormalizedFloat, 0x10d0, 0x10b0),
            ("s16x2", ReadMode::NormalizedFloat, 0x10d1, 0x10b2),
            ("u8x4", ReadMode::NormalizedFloat, 0x10d2, 0x10b5),
            ("u16", ReadMode::NormalizedFloat, 0x10d3, 0x10b0),
            ("s8", ReadMode::Element, 0x10d7, 0x10b0),
            ("s16", ReadMode::Element, 0x10d8, 0x10b0),
            ("s32x2", ReadMode::Element, 0x10d9, 0x10b2),
            ("u8", ReadMode::Element, 0x10da, 0x10b0),
            ("u16", ReadMode::Element, 0x10db, 0x10b0),
            ("u32", ReadMode::Element, 0x10dc, 0x10b0),
            ("f16x4", ReadMode::Element, 0x10dd, 0x10b5),
            ("f32", ReadMode::Element, 0x10de, 0x10b0),
        ] {
            let texture = texture(format, [4, 4, 1], 2, read_mode);
            let get = |a| ask(QueryPlan::texture(a, &texture, &sampler), None);
            let got = (get(Attribute::ChannelDataType), get(Attribute::ChannelOrder));
            assert_eq!(got, (data, order), "{format} {read_mode:?}");
            assert_eq!(get(Attribute::NormalizedCoords), 1);
        }
        let surface = Surface::new(array("u8x4", [4, 4, 1], 2)).unwrap();
        assert_eq!(ask(QueryPlan::surface(Attribute::ChannelDataType, &surface), None), 0x10da);
    }

    #[test]
    fn samplers_as_ptx_numbers_them() {
        use AddressMode::{Border, Clamp, Mirror, Wrap};
        use Attribute as A;
        let sampler = Sampler {
            filter: Filter::Linear,
            address_mode: [Wrap, Border, Mirror],
            force_unnormalized_coords: true,
            ..Sampler::default()
        };
        let texture = texture("f32", [4, 4, 1], 2, ReadMode::Element);
        for (attribute, wanted) in [
            (A::FilterMode, 1),
            (A::AddressMode(0), 0),
            (A::AddressMode(1), 4),
            (A::AddressMode(2), 1),
            (A::ForceUnnormalizedCoords, 1),
        ] {
            assert_eq!(ask(QueryPlan::sampler(attribute, &sampler), None), wanted);
            assert_eq!(ask(QueryPlan::texture(attribute, &texture, &sampler), None), wanted);
        }
        let clamp = Sampler { address_mode: [Clamp; 3], ..sampler };
        assert_eq!(ask(QueryPlan::sampler(A::AddressMode(0), &clamp), None), 3);
        assert_eq!(ask(QueryPlan::sampler(A::FilterMode, &Sampler::default()), None), 0);
    }

    #[test]
    fn linear_memory_says_so() {
        let format = Format::from_name("f32").unwrap();
        let block = Arc::new(Block::new(64, "t").unwrap());
        let linear = Resource::linear(format, 16, block, 0, 0, "t").unwrap();
        let sampler = Sampler::default();
        let texture = Texture::new(Arc::new(linear), ReadMode::Element, false, &sampler).unwrap();
        let get = |a| ask(QueryPlan::texture(a, &texture, &sampler), None);
        assert_eq!((get(Attribute::MemoryLayout), get(Attribute::Width)), (1, 16));
        assert_eq!(get(Attribute::NormalizedCoords), 0);
    }
}
