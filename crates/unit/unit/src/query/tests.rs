//! Tests every attribute of every kind of texture, sampler and surface.

#![allow(clippy::unwrap_used)]
use super::*;
use crate::request::Geometry;
use crate::resource::{ArrayShape, Extent, View};
use crate::sampler::{AddressMode, Filter};
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
    for (dims, wanted) in [(1, [9, 1, 0]), (2, [9, 5, 0]), (3, [9, 5, 3])] {
        let all = [9, 5, 3];
        let extent = [0, 1, 2].map(|i| if i < usize::from(dims) { all[i] } else { 1 });
        let texture = texture("u8x4", extent, dims, ReadMode::Element);
        let surface = Surface::new(array("u8x4", extent, dims)).unwrap();
        for (attribute, size) in [A::Width, A::Height, A::Depth].into_iter().zip(wanted) {
            let plan = QueryPlan::texture(attribute, &texture, &sampler);
            assert_eq!(ask(plan, None), size, "{dims} {attribute:?}");
            assert_eq!(ask(plan, Some(0)), size);
            assert_eq!(ask(plan, Some(1)), 0, "past the last level");
            let lacks = dims == 1 && attribute == A::Height;
            let of_surface = ask(QueryPlan::surface(attribute, &surface), None);
            assert_eq!(of_surface, if lacks { 0 } else { size }, "{dims} {attribute:?}");
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
        (A::AddrMode0, 0),
        (A::AddrMode1, 4),
        (A::AddrMode2, 1),
        (A::ForceUnnormalizedCoords, 1),
    ] {
        assert_eq!(ask(QueryPlan::sampler(attribute, &sampler), None), wanted);
        assert_eq!(ask(QueryPlan::texture(attribute, &texture, &sampler), None), wanted);
    }
    let clamp = Sampler { address_mode: [Clamp; 3], ..sampler };
    assert_eq!(ask(QueryPlan::sampler(A::AddrMode0, &clamp), None), 3);
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
    assert_eq!((get(Attribute::Height), get(Attribute::Depth)), (0, 0));
    assert_eq!(get(Attribute::NormalizedCoords), 0);
}

#[test]
fn layers_levels_and_samples() {
    use Attribute as A;
    let sampler = Sampler::default();
    let resource = |geometry, side: u32, layers, levels| {
        let format = Format::from_name("u8x4").unwrap();
        let height = if geometry == Geometry::A1d { 1 } else { side };
        let extent = Extent { width: side, height, depth: 1 };
        let shape = ArrayShape { layers, levels, ..ArrayShape::new(format, geometry, extent) };
        let block = Arc::new(Block::new(shape.size().unwrap() as usize, "t").unwrap());
        Arc::new(Resource::array(&shape, block, "t").unwrap())
    };
    for (geometry, layers, levels, wanted) in [
        (Geometry::A1d, 5, None, [5, 0, 0]),
        (Geometry::A2d, 1, Some(4), [1, 4, 0]),
        (Geometry::Cube, 1, Some(1), [0, 1, 0]),
        (Geometry::Acube, 7, None, [7, 0, 0]),
        (Geometry::D2ms, 1, None, [0, 0, 2]),
        (Geometry::A2dms, 3, None, [3, 0, 2]),
    ] {
        let resource = resource(geometry, 9, layers, levels);
        let texture =
            Texture::new(Arc::clone(&resource), ReadMode::Element, true, &sampler).unwrap();
        let get = |a| ask(QueryPlan::texture(a, &texture, &sampler), None);
        let got = [A::ArraySize, A::NumMipmapLevels, A::NumSamples].map(get);
        assert_eq!(got, wanted, "{geometry:?}");
        if let Ok(surface) = Surface::new(resource) {
            let size = ask(QueryPlan::surface(A::ArraySize, &surface), None);
            let faces = if geometry == Geometry::Acube { 6 } else { 1 };
            assert_eq!(size, if geometry == Geometry::Cube { 6 } else { faces * layers });
        }
    }
}

/// The expected values are those of an NVIDIA H200 (sm_90), driver 580.159.04, CUDA 13.0,
/// 2026-11-28.
#[test]
fn layers_are_sizes_of_the_axis_that_is_lacking() {
    use Attribute as A;
    let format = Format::from_name("f32").unwrap();
    for (geometry, height, layers, of_texture, of_surface) in [
        (Geometry::A1d, 1, 4, [4, 0], [4, 0]),
        (Geometry::A2d, 5, 4, [5, 4], [5, 4]),
        (Geometry::Cube, 8, 1, [8, 0], [8, 6]),
        (Geometry::Acube, 8, 3, [8, 3], [8, 18]),
    ] {
        let extent = Extent { width: 8, height, depth: 1 };
        for levels in [None, Some(3)] {
            let shape = ArrayShape { layers, levels, ..ArrayShape::new(format, geometry, extent) };
            let block = Arc::new(Block::new(shape.size().unwrap() as usize, "t").unwrap());
            let resource = Arc::new(Resource::array(&shape, block, "t").unwrap());
            let sampler = Sampler::default();
            let texture =
                Texture::new(Arc::clone(&resource), ReadMode::Element, true, &sampler).unwrap();
            let get = |a, level| ask(QueryPlan::texture(a, &texture, &sampler), level);
            assert_eq!([A::Height, A::Depth].map(|a| get(a, None)), of_texture, "{geometry:?}");
            if levels.is_some() {
                // The number of layers is the same at each level.
                let rows = if geometry == Geometry::A1d { 4 } else { (height >> 1).max(1) };
                assert_eq!(get(A::Height, Some(1)), rows, "{geometry:?}");
                assert_eq!(get(A::Depth, Some(2)), of_texture[1], "{geometry:?}");
                assert_eq!([A::Height, A::Depth].map(|a| get(a, Some(3))), [0, 0]);
            } else {
                let surface = Surface::new(resource).unwrap();
                let get = |a| ask(QueryPlan::surface(a, &surface), None);
                assert_eq!([A::Height, A::Depth].map(get), of_surface, "{geometry:?}");
            }
        }
    }
}

#[test]
fn levels_halve_the_size_and_views_answer_for_themselves() {
    use Attribute as A;
    let sampler = Sampler::default();
    let format = Format::from_name("u32x2").unwrap();
    let extent = Extent { width: 20, height: 4, depth: 1 };
    let shape = ArrayShape { levels: Some(5), ..ArrayShape::new(format, Geometry::D2, extent) };
    let block = Arc::new(Block::new(shape.size().unwrap() as usize, "t").unwrap());
    let whole = Resource::array(&shape, block, "t").unwrap();
    let part = View { levels: Some(1..3), format: Format::from_name("bc1"), ..View::default() };
    let part = whole.view(&part).unwrap();
    for (resource, sizes, order) in [
        (whole, vec![(20, 4), (10, 2), (5, 1), (2, 1), (1, 1), (0, 0)], 0x10b2),
        (part, vec![(40, 8), (20, 4), (0, 0)], 0x10b5),
    ] {
        let read_mode =
            if resource.format() == format { ReadMode::Element } else { ReadMode::NormalizedFloat };
        let levels = resource.levels().len() as u32;
        let texture = Texture::new(Arc::new(resource), read_mode, true, &sampler).unwrap();
        let plan = |a| QueryPlan::texture(a, &texture, &sampler);
        for (level, (width, height)) in sizes.into_iter().enumerate() {
            let level = Some(level as u32);
            assert_eq!(ask(plan(A::Width), level), width, "{level:?}");
            assert_eq!(ask(plan(A::Height), level), height, "{level:?}");
            assert_eq!(ask(plan(A::Depth), level), 0, "there is no such axis");
            assert_eq!(ask(plan(A::NumMipmapLevels), level), levels, "not a size");
        }
        assert_eq!((ask(plan(A::Width), Some(u32::MAX)), ask(plan(A::Width), Some(32))), (0, 0));
        assert_eq!(ask(plan(A::ChannelOrder), None), order);
    }
}
