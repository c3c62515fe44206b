//! Makes textures, samplers and operands for the property tests, and draws them at random.

use proptest::prelude::*;
use std::sync::Arc;
use texunit_memory::Block;
use texunit_texel::Format;
use texunit_unit::reference::fetch;
use texunit_unit::{
    AddressMode, ArrayShape, CoordType, Coordinates, Extent, FetchForm, FetchKind, FetchOperands,
    Filter, Geometry, Lod, ReadMode, Resource, ResultType, Sampler, Texture,
};

pub(crate) const GEOMETRIES: [Geometry; 7] = [
    Geometry::D1,
    Geometry::D2,
    Geometry::D3,
    Geometry::A1d,
    Geometry::A2d,
    Geometry::Cube,
    Geometry::Acube,
];

/// Formats that can be filtered linearly, with their read modes.
pub(crate) const FORMATS: [(&str, ReadMode); 6] = [
    ("f32", ReadMode::Element),
    ("f16x4", ReadMode::Element),
    ("u8x4", ReadMode::NormalizedFloat),
    ("s8x2", ReadMode::NormalizedFloat),
    ("u16", ReadMode::NormalizedFloat),
    ("rgb10a2", ReadMode::Element),
];

pub(crate) fn shape(geometry: Geometry, format: &str, size: [u32; 3], layers: u32) -> ArrayShape {
    let edge = |axis: usize| match geometry {
        g if g.is_cube() && axis == 1 => size[0],
        g if axis < g.axes() => size[axis],
        _ => 1,
    };
    let extent = Extent { width: edge(0), height: edge(1), depth: edge(2) };
    let layers = if geometry.is_array() { layers } else { 1 };
    let format = Format::from_name(format).unwrap();
    ArrayShape { layers, ..ArrayShape::new(format, geometry, extent) }
}

/// Makes an array whose texels are the given bytes, repeated.
pub(crate) fn array(shape: &ArrayShape, bytes: &[u8]) -> Arc<Resource> {
    let size = shape.size().unwrap() as usize;
    let block = Arc::new(Block::new(size, "b").unwrap());
    let resource = Resource::array(shape, block, "t").unwrap();
    let packed = resource.size_in_bytes() as usize;
    let all: Vec<u8> = bytes.iter().copied().cycle().take(packed).collect();
    resource.fill_packed(&all).unwrap();
    Arc::new(resource)
}

pub(crate) fn texture(shape: &ArrayShape, read_mode: ReadMode, bytes: &[u8]) -> Texture {
    Texture { resource: array(shape, bytes), read_mode, normalized_coords: true }
}

/// Pseudo-random bytes, whose f32 are ordinary numbers from 1 to 2.
pub(crate) fn ordinary_floats(count: usize) -> Vec<u8> {
    let mut state = 12_345_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        0x3f80_0000 | state >> 9
    };
    (0..count).flat_map(|_| next().to_le_bytes()).collect()
}

pub(crate) fn form(geometry: Geometry, kind: FetchKind) -> FetchForm {
    FetchForm { kind, ..FetchForm::sample(geometry, CoordType::F32, ResultType::F32) }
}

pub(crate) fn sample(geometry: Geometry, lod: Lod) -> FetchForm {
    form(geometry, FetchKind::Sample(lod))
}

pub(crate) fn at(point: [f32; 3]) -> FetchOperands {
    let coords = Coordinates::at(point.map(f32::to_bits), 0);
    FetchOperands { coords, ..FetchOperands::default() }
}

/// The operands of a fetch at a point of a layer.
pub(crate) fn operands(layer: u32, point: [f32; 3]) -> FetchOperands {
    let coords = Coordinates { layer, sample: 0, point: point.map(f32::to_bits) };
    FetchOperands { coords, ..FetchOperands::default() }
}

pub(crate) fn values(
    form: FetchForm,
    texture: &Texture,
    sampler: &Sampler,
    o: &FetchOperands,
) -> [u32; 4] {
    fetch(form, texture, sampler, o).unwrap().values
}

pub(crate) fn address_mode() -> impl Strategy<Value = AddressMode> {
    use AddressMode::{Border, Clamp, ClampOgl, Mirror, Wrap};
    prop::sample::select(vec![Wrap, Mirror, ClampOgl, Clamp, Border])
}

pub(crate) fn filter() -> impl Strategy<Value = Filter> {
    prop::sample::select(vec![Filter::Point, Filter::Linear])
}

pub(crate) fn sampler() -> impl Strategy<Value = Sampler> {
    let modes = prop::array::uniform3(address_mode());
    let levels = (any::<f32>(), any::<f32>(), prop_oneof![Just(0.0), -4.0..4.0_f32, any::<f32>()]);
    let flags = (any::<bool>(), any::<bool>());
    (filter(), filter(), modes, any::<[u32; 4]>(), levels, 0..20_u32, flags).prop_map(
        |(filter, mip_filter, address_mode, border, (min, max, bias), max_anisotropy, (s, c))| {
            Sampler::default()
                .with_filter(filter)
                .with_mip_filter(mip_filter)
                .with_address_modes(address_mode)
                .with_border_bits(border)
                .with_min_level_clamp(min)
                .with_max_level_clamp(max)
                .with_level_bias(bias)
                .with_max_anisotropy(max_anisotropy)
                .with_srgb(s)
                .with_seamless_cube(c)
        },
    )
}

/// Adapts a sampler to a geometry, because only cube maps can be seamless.
pub(crate) fn fitting(sampler: Sampler, geometry: Geometry) -> Sampler {
    sampler.with_seamless_cube(sampler.seamless_cube && geometry.is_cube())
}

/// Bits of f32 numbers, many of which are ordinary.
pub(crate) fn word() -> impl Strategy<Value = u32> {
    prop_oneof![(-2.0..2.0_f32).prop_map(f32::to_bits), any::<u32>()]
}

pub(crate) fn any_operands() -> impl Strategy<Value = FetchOperands> {
    let d = || prop::array::uniform3(word());
    (prop::array::uniform4(word()), any::<[i32; 3]>(), word(), d(), d(), word()).prop_map(
        |([index, x, y, z], offset, level, dpdx, dpdy, compare)| FetchOperands {
            coords: Coordinates { layer: index, sample: index, point: [x, y, z] },
            offset,
            level,
            dpdx,
            dpdy,
            compare,
        },
    )
}

pub(crate) fn lod() -> impl Strategy<Value = Lod> {
    prop::sample::select(vec![Lod::Implicit, Lod::Base, Lod::Level, Lod::Gradient])
}

pub(crate) fn edge() -> impl Strategy<Value = u32> {
    prop_oneof![1..18_u32, Just(32_u32)]
}
