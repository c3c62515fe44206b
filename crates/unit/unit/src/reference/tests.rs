//! Tests of whole fetches, with expected results worked out by hand from docs/numerics.md.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::request::{CoordType, Coordinates, Geometry, ResultType};
use crate::resource::{ArrayShape, Extent};
use crate::sampler::{AddressMode, ReadMode};
use std::sync::Arc;
use texunit_memory::Block;
use texunit_texel::{Format, pack};

mod levels;
mod places;
mod results;

/// A texture with these codes (interleaved channels). `size` has an entry for each dimension.
fn texture(format: &str, read_mode: ReadMode, size: &[u32], codes: &[u32]) -> Texture {
    let axis = |a: usize| size.get(a).copied().unwrap_or(1);
    let extent = Extent { width: axis(0), height: axis(1), depth: axis(2) };
    let format = Format::from_name(format).unwrap();
    shaped(ArrayShape::new(format, Geometry::ALL[size.len() - 1], extent), read_mode, codes)
}

/// A texture of any shape with these codes, which are in the order of `Resource::to_packed`.
fn shaped(shape: ArrayShape, read_mode: ReadMode, codes: &[u32]) -> Texture {
    let format = shape.format;
    let bytes: Vec<u8> = codes
        .chunks(format.channels().into())
        .flat_map(|texel| {
            let codes = std::array::from_fn(|c| texel.get(c).copied().unwrap_or(0));
            pack(format, codes).into_iter().take(format.texel_size() as usize)
        })
        .collect();
    let block = Arc::new(Block::new(shape.size().unwrap() as usize, "b").unwrap());
    let resource = Resource::array(&shape, block, "t").unwrap();
    resource.fill_packed(&bytes).unwrap();
    Texture { resource: Arc::new(resource), read_mode, normalized_coords: false }
}

/// A texture of f32 texels, with the layers, levels and samples that `change` sets.
fn f32_array(
    geometry: Geometry,
    [width, height, depth]: [u32; 3],
    change: impl FnOnce(&mut ArrayShape),
    texels: &[f32],
) -> Texture {
    let extent = Extent { width, height, depth };
    let mut shape = ArrayShape::new(Format::from_name("f32").unwrap(), geometry, extent);
    change(&mut shape);
    let codes: Vec<u32> = texels.iter().map(|x| x.to_bits()).collect();
    shaped(shape, ReadMode::Element, &codes)
}

fn floats(size: &[u32], texels: &[f32]) -> Texture {
    let codes: Vec<u32> = texels.iter().map(|x| x.to_bits()).collect();
    texture("f32", ReadMode::Element, size, &codes)
}

fn sampler(filter: Filter, mode: AddressMode) -> Sampler {
    Sampler { filter, address_mode: [mode; 3], ..Sampler::default() }
}

/// The coordinates for an instruction's coordinate vector of f32 numbers.
fn f32_bits(geometry: Geometry, vector: &[f32]) -> Coordinates<u32> {
    Coordinates::of(geometry, vector.iter().map(|x| x.to_bits()), 0)
}

fn bits_at(form: FetchForm, texture: &Texture, sampler: &Sampler, vector: [u32; 4]) -> [u32; 4] {
    let coords = Coordinates::of(form.geometry, vector, 0);
    let operands = FetchOperands { coords, ..FetchOperands::default() };
    fetch(form, texture, sampler, &operands).unwrap().values
}

/// The result of a fetch at f32 coordinates.
fn at(texture: &Texture, sampler: &Sampler, coords: &[f32]) -> [u32; 4] {
    let geometry = [Geometry::D1, Geometry::D2, Geometry::D3][coords.len() - 1];
    let form = FetchForm::sample(geometry, CoordType::F32, ResultType::F32);
    let coords = f32_bits(geometry, coords);
    let operands = FetchOperands { coords, ..FetchOperands::default() };
    fetch(form, texture, sampler, &operands).unwrap().values
}

fn x(texture: &Texture, sampler: &Sampler, coords: &[f32]) -> f32 {
    f32::from_bits(at(texture, sampler, coords)[0])
}

#[test]
fn a_row_of_texels_is_filtered_between_rows() {
    let t = floats(&[2], &[2.0, 4.0]);
    let mut s = sampler(Filter::Linear, AddressMode::Border);
    s.border[0] = 8.0_f32.to_bits();
    assert_eq!(x(&t, &s, &[0.5]), 5.0, "half of the texel, half of the border row");
    assert_eq!(x(&t, &s, &[1.0]), 5.5);
    assert_eq!(x(&t, &s, &[0.0]), 6.5, "a quarter of the texel");
    s.address_mode = [AddressMode::Clamp, AddressMode::Border, AddressMode::Clamp];
    assert_eq!(x(&t, &s, &[0.0]), 5.0, "the row has the second mode");
    s.address_mode = [AddressMode::Border, AddressMode::Clamp, AddressMode::Clamp];
    assert_eq!(x(&t, &s, &[0.0]), 5.0);
    s.filter = Filter::Point;
    s.address_mode = [AddressMode::Border; 3];
    assert_eq!(x(&t, &s, &[0.5]), 2.0, "a point fetch has no rows");
}

#[test]
fn textures_of_one_texel() {
    let mut t = floats(&[1, 1, 1], &[3.0]);
    for normalized in [false, true] {
        t.normalized_coords = normalized;
        for filter in [Filter::Point, Filter::Linear] {
            for mode in [AddressMode::Wrap, AddressMode::Mirror, AddressMode::Clamp] {
                for c in [0.0, -7.3, 0.999, 1e30, f32::NEG_INFINITY, f32::NAN, 1e-45] {
                    assert_eq!(x(&t, &sampler(filter, mode), &[c, -c, c]), 3.0, "{mode:?} {c}");
                }
            }
        }
        let s = sampler(Filter::Point, AddressMode::Border);
        assert_eq!(x(&t, &s, &[0.0, 0.5, 0.99]), 3.0);
        assert_eq!(x(&t, &s, &[0.0, 0.5, 1.0]), 0.0);
        assert_eq!(x(&t, &s, &[0.0, f32::INFINITY, 0.5]), 0.0);
        assert_eq!(x(&t, &s, &[-1e-45, 0.5, 0.5]), 3.0, "rule 1.1");
        assert_eq!(x(&t, &s, &[-1e-30, 0.5, 0.5]), 0.0);
    }
}

#[test]
fn sizes_that_are_no_powers_of_two_floor_the_coordinate() {
    let texels: Vec<f32> = (0..25).map(|i| i as f32).collect();
    let mut t = floats(&[25], &texels);
    t.normalized_coords = true;
    let s = sampler(Filter::Point, AddressMode::Wrap);
    let above = f32::from_bits(0.04_f32.to_bits() + 1);
    assert_eq!(x(&t, &s, &[above]), 0.0);
    assert_eq!(x(&t, &s, &[0.040_001]), 1.0);
    assert_eq!(x(&t, &s, &[-1e-45]), 0.0);
    assert_eq!(x(&t, &s, &[-1e-30]), 24.0);
    assert_eq!(x(&t, &s, &[1.5]), 12.0);
}

#[test]
fn missing_channels_are_zero_w_too() {
    let one = 1.0_f32.to_bits();
    let s = sampler(Filter::Linear, AddressMode::Border);
    let s = Sampler { border: [one; 4], ..s };
    let t = texture("u8x2", ReadMode::NormalizedFloat, &[1, 1], &[255, 255]);
    assert_eq!(at(&t, &s, &[0.5, 0.5]), [one, one, 0, 0]);
    assert_eq!(at(&t, &s, &[9.5, 0.5]), [one, one, 0, 0], "of a border colour as well");
    let s = sampler(Filter::Point, AddressMode::Clamp);
    assert_eq!(at(&t, &s, &[0.5, 0.5]), [one, one, 0, 0]);
    let t = texture("s8", ReadMode::Element, &[1, 1], &[0x80]);
    assert_eq!(at(&t, &s, &[0.5, 0.5]), [0xffff_ff80, 0, 0, 0]);
}

#[test]
fn texels_without_weight_are_not_read() {
    let t = floats(&[2, 1], &[1.0, f32::NAN]);
    let s = sampler(Filter::Linear, AddressMode::Wrap);
    assert_eq!(x(&t, &s, &[0.5, 0.5]), 1.0);
    assert_eq!(at(&t, &s, &[0.51, 0.5])[0], 0x7fff_ffff);
    assert_eq!(x(&t, &s, &[0.501, 0.5]), 1.0, "a weight of 0.256 rounds to 0");
}

/// Section 2, "Read" of docs/numerics.md: the test uses fractions of 1/256 along two axes, whose
/// product rounds to a weight of 0.
#[test]
fn texels_whose_weight_rounds_to_0_are_read() {
    let of = |corner| floats(&[2, 2], &[1.0, 1.0, 1.0, corner]);
    let s = sampler(Filter::Linear, AddressMode::Clamp);
    let place = [0.5 + 1.0 / 256.0; 2];
    assert_eq!(x(&of(1e30), &s, &place), 1.0, "it adds nothing");
    assert_eq!(at(&of(f32::NAN), &s, &place)[0], 0x7fff_ffff);
    assert_eq!(x(&of(f32::INFINITY), &s, &place), f32::INFINITY);
    let zeros = |corner| floats(&[2, 2], &[-0.0, -0.0, -0.0, corner]);
    assert_eq!(at(&zeros(-0.0), &s, &place)[0], 0x8000_0000);
    assert_eq!(at(&zeros(0.0), &s, &place)[0], 0, "rule 2.3");
    assert_eq!(at(&zeros(0.0), &s, &[0.5, 0.6])[0], 0x8000_0000, "no part of its column");
}

/// Section 2, "Sums" of docs/numerics.md: integers that are read as integers are filtered.
#[test]
fn integers_are_filtered() {
    let s = sampler(Filter::Linear, AddressMode::Clamp);
    let of = |format: &str, codes: [u32; 2], x: f32| {
        at(&texture(format, ReadMode::Element, &[2, 1], &codes), &s, &[x, 0.5])[0] as i32
    };
    assert_eq!([0.5, 0.75, 1.0, 1.25, 1.5].map(|x| of("u8", [1, 4], x)), [1, 2, 3, 3, 4]);
    assert_eq!([0.75, 1.0, 1.25].map(|x| of("s16", [0xffff, 0xfffc], x)), [-2, -2, -3]);
    assert_eq!([0.5, 0.75, 1.0, 1.25].map(|x| of("u32", [1, 4], x)), [1, 1, 2, 3]);
    assert_eq!([0.75, 1.0].map(|x| of("s32", [u32::MAX, -4_i32 as u32], x)), [-2, -3]);
}

#[test]
fn slices_share_the_weight() {
    let t = floats(&[1, 1, 2], &[1.0, 5.0]);
    let s = sampler(Filter::Linear, AddressMode::Clamp);
    assert_eq!(x(&t, &s, &[0.5, 0.5, 0.75]), 2.0);
    assert_eq!(x(&t, &s, &[0.5, 0.5, 0.5]), 1.0);
    assert_eq!(x(&t, &s, &[0.5, 0.5, 9.0]), 5.0);
}

#[test]
fn payloads_of_nans() {
    let f16 = |codes: &[u32]| texture("f16", ReadMode::Element, &[1, 1], codes);
    let point = sampler(Filter::Point, AddressMode::Border);
    let linear = sampler(Filter::Linear, AddressMode::Border);
    assert_eq!(at(&f16(&[0x7c01]), &point, &[0.5, 0.5])[0], 0x7f80_2000);
    assert_eq!(at(&f16(&[0x7c01]), &linear, &[0.5, 0.5])[0], 0x7fff_e000);
    let nan = Sampler { border: [0x7f80_0001; 4], ..point };
    assert_eq!(at(&f16(&[0]), &nan, &[-1.0, 0.5])[0], 0x7f80_2000);
    assert_eq!(at(&floats(&[1, 1], &[0.0]), &nan, &[-1.0, 0.5])[0], 0x7f80_0001);
    let unorm = texture("u16", ReadMode::NormalizedFloat, &[1, 1], &[7]);
    assert_eq!(at(&unorm, &nan, &[-1.0, 0.5])[0], 0, "no NaN in this format");
    let integer = texture("s16", ReadMode::Element, &[1, 1], &[7]);
    let low = Sampler { border: [0x7f80_8001; 4], ..point };
    assert_eq!(at(&integer, &low, &[-1.0, 0.5])[0], 0xffff_8001);
}

#[test]
fn subnormals_and_signs_of_zero() {
    let point = sampler(Filter::Point, AddressMode::Clamp);
    let linear = sampler(Filter::Linear, AddressMode::Clamp);
    let tiny = -f32::from_bits(1);
    let t = floats(&[2, 1], &[tiny, -0.0]);
    assert_eq!(at(&t, &point, &[0.5, 0.5])[0], 0x8000_0001, "as it is");
    assert_eq!(at(&t, &linear, &[0.5, 0.5])[0], 0x8000_0000, "a zero of its sign");
    assert_eq!(at(&t, &linear, &[1.0, 0.5])[0], 0x8000_0000);
    let t = floats(&[2, 1], &[0.0, -0.0]);
    assert_eq!(at(&t, &linear, &[1.0, 0.5])[0], 0);
}

#[test]
fn integer_coordinates_see_neither_mode_nor_border() {
    let s = Sampler { border: [9; 4], ..sampler(Filter::Linear, AddressMode::Border) };
    let t = floats(&[3, 2], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    let form = FetchForm::sample(Geometry::D2, CoordType::S32, ResultType::F32);
    let at = |x: i32, y: i32| bits_at(form, &t, &s, [x as u32, y as u32, 77, 77]);
    assert_eq!(at(2, 1), [5.0_f32.to_bits(), 0, 0, 0]);
    for (x, y) in [(-1, 0), (3, 0), (0, 2), (0, i32::MIN), (i32::MAX, 0)] {
        assert_eq!(at(x, y), [0; 4], "{x} {y}");
    }
}

#[test]
fn the_type_of_results_changes_no_bits() {
    let s = sampler(Filter::Point, AddressMode::Clamp);
    let f = floats(&[1], &[-1.5]);
    let i = texture("s8", ReadMode::Element, &[1], &[0xfe]);
    for result in [ResultType::F32, ResultType::S32, ResultType::U32] {
        let form = FetchForm::sample(Geometry::D1, CoordType::F32, result);
        assert_eq!(bits_at(form, &f, &s, [0; 4])[0], (-1.5_f32).to_bits());
        assert_eq!(bits_at(form, &i, &s, [0; 4])[0], 0xffff_fffe);
    }
}

#[test]
fn snorm_extremes() {
    let point = sampler(Filter::Point, AddressMode::Clamp);
    let linear = sampler(Filter::Linear, AddressMode::Clamp);
    for (format, low, high) in [("s8", 0x80, 0x7f), ("s16", 0x8000, 0x7fff)] {
        let t = texture(format, ReadMode::NormalizedFloat, &[2, 1], &[low, high]);
        for s in [&point, &linear] {
            assert_eq!(x(&t, s, &[0.5, 0.5]), -1.0, "{format}");
            assert_eq!(x(&t, s, &[1.5, 0.5]), 1.0, "{format}");
        }
    }
}

#[test]
fn what_has_no_answer_is_an_error() {
    let s = sampler(Filter::Linear, AddressMode::Clamp);
    let t = texture("u32", ReadMode::NormalizedFloat, &[1], &[0]);
    let form = FetchForm::sample(Geometry::D1, CoordType::F32, ResultType::U32);
    assert!(matches!(fetch(form, &t, &s, &FetchOperands::default()), Err(PlanError::Undefined(_))));
    // The hardware returns zeros for an instruction of another geometry (rule 1.13 of
    // docs/numerics.md).
    let form = FetchForm { geometry: Geometry::D3, ..form };
    let error = fetch(form, &t, &s, &FetchOperands::default()).unwrap_err();
    assert!(error.reads_zero(), "{error}");
}
