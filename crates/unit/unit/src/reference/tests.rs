//! Tests of whole fetches, with expected results worked out by hand from docs/numerics.md. More of
//! them are in `tests/fetch/whole.toml`.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::request::{CoordType, Coordinates, Geometry, ResultType};
use crate::resource::{ArrayShape, Extent};
use crate::sampler::{AddressMode, ReadMode};
use std::sync::Arc;
use texunit_memory::Block;
use texunit_texel::{Format, pack};

mod levels;
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
    let resource = Resource::from_texels(&shape, &bytes, "t").unwrap();
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

fn sampler(filter: Filter, mode: AddressMode) -> Sampler {
    Sampler { filter, address_mode: [mode; 3], ..Sampler::default() }
}

/// The coordinates for an instruction's coordinate vector of f32 numbers.
fn f32_bits(geometry: Geometry, vector: &[f32]) -> Coordinates<u32> {
    Coordinates::of(geometry, vector.iter().map(|x| x.to_bits()), 0)
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
    // So it does for float coordinates on linear memory.
    let block = Arc::new(Block::new(16, "b").unwrap());
    let linear = Resource::linear(Format::from_name("f32").unwrap(), 4, block, 0, 0, "l").unwrap();
    let t = Texture { resource: Arc::new(linear), read_mode: ReadMode::Element, ..t };
    let form = FetchForm::sample(Geometry::D1, CoordType::F32, ResultType::F32);
    let error = fetch(form, &t, &s, &FetchOperands::default()).unwrap_err();
    assert!(error.reads_zero(), "{error}");
}
