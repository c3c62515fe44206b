//! Tests of fetches from mip levels.

use super::*;

/// A texture with levels of 4, 2 and 1 texels, whose values are 0 1 2 3, then 10 11, then 20.
fn mipmapped() -> Texture {
    let texels = [0.0, 1.0, 2.0, 3.0, 10.0, 11.0, 20.0];
    f32_array(Geometry::A1d, [4, 1, 1], |s| s.levels = Some(3), &texels)
}

fn trace_at(
    kind: FetchKind,
    texture: &Texture,
    sampler: &Sampler,
    x: f32,
    level: f32,
) -> Result<Trace, PlanError> {
    let form =
        FetchForm { kind, ..FetchForm::sample(Geometry::A1d, CoordType::F32, ResultType::F32) };
    let coords = Coordinates::at([x.to_bits(), 0, 0], 0);
    let level = level.to_bits();
    trace(form, texture, sampler, &FetchOperands { coords, level, ..FetchOperands::default() })
}

fn at(kind: FetchKind, texture: &Texture, sampler: &Sampler, x: f32, level: f32) -> f32 {
    let trace = trace_at(kind, texture, sampler, x, level).unwrap();
    f32::from_bits(trace.answer.values[0])
}

const LEVEL: FetchKind = FetchKind::Sample(Lod::Level);
const BASE: FetchKind = FetchKind::Sample(Lod::Base);

fn mips(filter: Filter, mip_filter: Filter) -> Sampler {
    Sampler { filter, mip_filter, ..Sampler::default() }
}

#[test]
fn coordinates_of_mipmapped_textures_are_normalized() {
    let (t, s) = (mipmapped(), mips(Filter::Point, Filter::Point));
    assert_eq!(at(LEVEL, &t, &s, 0.6, 0.0), 2.0);
    assert_eq!(at(LEVEL, &t, &s, 0.6, 1.0), 11.0);
    assert_eq!(at(LEVEL, &t, &s, 1.6, 2.0), 20.0);
    let wrap = Sampler { address_mode: [AddressMode::Wrap; 3], ..s };
    assert_eq!(at(LEVEL, &t, &wrap, 1.1, 0.0), 3.0, "unnormalized is asked for: wrap clamps");
    let t = Texture { normalized_coords: true, ..t };
    assert_eq!(at(LEVEL, &t, &wrap, 1.1, 0.0), 0.0);
}

/// Rule 1.11 of docs/numerics.md: the coordinates of an array with one mip level are normalized
/// only if the texture asks for it.
#[test]
fn coordinates_of_one_level_are_as_asked_for() {
    let texels = [5.0, 6.0, 7.0, 8.0];
    let mut t = f32_array(Geometry::A1d, [4, 1, 1], |s| s.levels = Some(1), &texels);
    let linear = mips(Filter::Linear, Filter::Linear);
    for kind in [LEVEL, BASE, FetchKind::Sample(Lod::Gradient), FetchKind::Sample(Lod::Implicit)] {
        assert_eq!(at(kind, &t, &linear, 2.25, 3.5), 6.75);
        assert_eq!(at(kind, &t, &linear, 99.0, -1.0), 8.0);
    }
    t.normalized_coords = true;
    assert_eq!(at(LEVEL, &t, &linear, 0.5, 0.0), 6.5);
}

#[test]
fn mip_filters_pick_or_blend() {
    let t = mipmapped();
    let point = mips(Filter::Point, Filter::Point);
    assert_eq!(at(LEVEL, &t, &point, 0.1, 0.49), 0.0);
    assert_eq!(at(LEVEL, &t, &point, 0.1, 0.5), 10.0);
    assert_eq!(at(LEVEL, &t, &point, 0.1, 99.0), 20.0);
    assert_eq!(at(LEVEL, &t, &point, 0.1, -99.0), 0.0);
    assert_eq!(at(LEVEL, &t, &point, 0.1, f32::NAN), 0.0);
    let linear = mips(Filter::Point, Filter::Linear);
    assert_eq!(at(LEVEL, &t, &linear, 0.1, 0.5), 5.0);
    assert_eq!(at(LEVEL, &t, &linear, 0.9, 1.25), 11.0 * 0.75 + 5.0);
    assert_eq!(at(LEVEL, &t, &linear, 0.1, 7.5), 20.0);
    // With both filters, the value at x = 0.5 is 1.5 in level 0 and 10.5 in level 1.
    let both = mips(Filter::Linear, Filter::Linear);
    assert_eq!(at(LEVEL, &t, &both, 0.5, 0.5), 6.0);
}

#[test]
fn bias_and_clamps() {
    let t = mipmapped();
    let s = mips(Filter::Point, Filter::Linear);
    let biased = Sampler { level_bias: 0.5, ..s };
    assert_eq!(at(LEVEL, &t, &biased, 0.1, 0.5), 10.0);
    assert_eq!(at(BASE, &t, &biased, 0.1, 9.0), 0.0, "no bias where no level is named");
    let clamped = Sampler { min_level_clamp: 0.5, max_level_clamp: 1.5, ..s };
    assert_eq!(at(BASE, &t, &clamped, 0.1, 0.0), 5.0);
    assert_eq!(at(LEVEL, &t, &clamped, 0.1, 9.0), 15.0);
    let crossed = Sampler { min_level_clamp: 1.0, max_level_clamp: 0.0, ..s };
    assert_eq!(at(LEVEL, &t, &crossed, 0.1, 0.0), 10.0);
    // Rules 3.2 and 3.3 of docs/numerics.md: biases and clamps that are too large, or NaN, are the
    // largest values of their fields.
    for number in [f32::NAN, 1e30] {
        let biased = Sampler { level_bias: number, ..s };
        assert_eq!(at(LEVEL, &t, &biased, 0.1, 0.0), 20.0);
        assert_eq!(at(LEVEL, &t, &biased, 0.1, -15.75), 630.0 / 256.0, "16 - 1/256");
        let clamped = Sampler { min_level_clamp: number, ..s };
        assert_eq!(at(BASE, &t, &clamped, 0.1, 0.0), 20.0);
        let clamped = Sampler { max_level_clamp: number, ..s };
        assert_eq!(at(LEVEL, &t, &clamped, 0.1, 9.0), 20.0);
    }
    let negative = Sampler { max_level_clamp: -1.0, ..s };
    assert_eq!(at(LEVEL, &t, &negative, 0.1, 9.0), 0.0);
}

#[test]
fn a_blend_is_a_sum_even_of_point_samples() {
    // The code of a point-sampled texel of snorm 8 is divided by 127, but a sum by 32767.
    let format = Format::from_name("snorm8").unwrap();
    let extent = Extent { width: 2, height: 1, depth: 1 };
    let shape = ArrayShape { levels: Some(2), ..ArrayShape::new(format, Geometry::A1d, extent) };
    let t = shaped(shape, ReadMode::NormalizedFloat, &[64, 64, 64]);
    let s = mips(Filter::Point, Filter::Linear);
    for level in [0.25, 1.0] {
        assert_eq!(at(LEVEL, &t, &s, 0.1, level), 16_513.0 / 32_767.0, "{level}");
    }
    assert_eq!(at(LEVEL, &t, &mips(Filter::Point, Filter::Point), 0.1, 1.0), 64.0 / 127.0);
}

#[test]
fn anisotropy_sharpens_explicit_levels() {
    let t = mipmapped();
    let s = Sampler { max_anisotropy: 16, ..mips(Filter::Point, Filter::Linear) };
    assert_eq!(at(LEVEL, &t, &s, 0.1, 0.25), 0.0);
    assert_eq!(at(LEVEL, &t, &s, 0.1, 0.375), 2.5, "2 * (96 - 64) of 256");
    assert_eq!(at(LEVEL, &t, &s, 0.1, 0.75), 10.0);
    let trace = trace_at(LEVEL, &t, &s, 0.1, 0.375).unwrap();
    assert_eq!((trace.level.q, &trace.level.levels[..]), (64, &[(0, 192), (1, 64)][..]));
    let point = Sampler { mip_filter: Filter::Point, ..s };
    assert_eq!(at(LEVEL, &t, &point, 0.1, 0.375), 0.0);
}

#[test]
fn integer_coordinates_pick_a_level() {
    let t = mipmapped();
    let s = Sampler { level_bias: 1.0, ..mips(Filter::Linear, Filter::Linear) };
    let form = FetchForm {
        kind: LEVEL,
        ..FetchForm::sample(Geometry::A1d, CoordType::S32, ResultType::F32)
    };
    let at = |x: u32, level: i32| {
        let coords = Coordinates::at([x, 0, 0], 0);
        let operands = FetchOperands { coords, level: level as u32, ..FetchOperands::default() };
        f32::from_bits(fetch(form, &t, &s, &operands).unwrap().values[0])
    };
    // Rule 1.9 of docs/numerics.md: coordinates are clamped to the level.
    assert_eq!([at(1, 0), at(1, 1), at(1, 2), at(0, 2)], [1.0, 11.0, 20.0, 20.0]);
    assert_eq!([at(9, 0), at(u32::MAX, 1), at(u32::MAX, 2)], [3.0, 10.0, 20.0]);
    // A level that does not exist reads 0.
    assert_eq!([at(0, 3), at(3, -1), at(0, i32::MAX), at(0, i32::MIN)], [0.0; 4]);
}

#[test]
fn slices_of_each_level_are_groups() {
    // Level 0 has 2 x 1 x 2 texels, and level 1 has one.
    let texels = [0.0, 2.0, 4.0, 6.0, 7.0];
    let t = f32_array(Geometry::D3, [2, 1, 2], |s| s.levels = Some(2), &texels);
    let form = FetchForm {
        kind: LEVEL,
        ..FetchForm::sample(Geometry::D3, CoordType::F32, ResultType::F32)
    };
    let operands = FetchOperands {
        coords: f32_bits(Geometry::D3, &[0.5, 0.5, 0.5]),
        level: 0.5_f32.to_bits(),
        ..FetchOperands::default()
    };
    let s = mips(Filter::Linear, Filter::Linear);
    let trace = trace(form, &t, &s, &operands).unwrap();
    assert_eq!(f32::from_bits(trace.answer.values[0]), 5.0);
    let weights: Vec<u32> =
        trace.footprints.iter().flat_map(|f| f.texels.iter().map(|t| t.weight)).collect();
    assert_eq!(weights, [32, 32, 32, 32, 128]);
    let exact: f64 = trace.footprints.iter().flat_map(|f| &f.texels).map(|t| t.exact).sum();
    assert_eq!(exact, 1.0);
    let names = &trace.channels[0].steps;
    assert!(names[0].text.starts_with("level 0, slice 0: "), "{names:?}");
    assert!(names[2].text.ends_with("floored: 1.5"), "level by level: {names:?}");
    assert!(names[3].text.starts_with("level 1, slice 0: "), "{names:?}");
    assert!(trace.channels[1].steps.is_empty(), "the format has no y");
}

#[test]
fn integers_are_blended() {
    let extent = Extent { width: 2, height: 1, depth: 1 };
    let s = mips(Filter::Point, Filter::Linear);
    for (format, wanted) in [("u8", [1, 2, 2, 3, 3]), ("u32", [1, 1, 2, 2, 3])] {
        let format = Format::from_name(format).unwrap();
        let shape =
            ArrayShape { levels: Some(2), ..ArrayShape::new(format, Geometry::A1d, extent) };
        let t = shaped(shape, ReadMode::Element, &[1, 2, 3]);
        let at = |level| trace_at(LEVEL, &t, &s, 0.0, level).unwrap().answer.values[0];
        assert_eq!([0.0, 0.25, 0.5, 0.75, 1.0].map(at), wanted, "{format}");
    }
}

/// Rule 3.5 of docs/numerics.md: whether a fetch goes through the sum shows even in the result for
/// a single texel.
#[test]
fn sums_of_one_texel() {
    let format = Format::from_name("rgb10a2").unwrap();
    let extent = Extent { width: 1, height: 1, depth: 1 };
    let shape = ArrayShape { levels: Some(1), ..ArrayShape::new(format, Geometry::A1d, extent) };
    let t = shaped(shape, ReadMode::Element, &[1, 1, 1, 1]);
    let bits = |s: &Sampler| trace_at(BASE, &t, s, 0.0, 0.0).unwrap().answer.values[0];
    let (point, sum) = (1.0 / 1023.0_f32, 64.0 / 65_535.0_f32);
    let plain = mips(Filter::Point, Filter::Point);
    assert_eq!(bits(&plain), point.to_bits());
    assert_eq!(bits(&mips(Filter::Point, Filter::Linear)), sum.to_bits());
    assert_eq!(bits(&mips(Filter::Linear, Filter::Point)), sum.to_bits());
    assert_eq!(bits(&Sampler { max_anisotropy: 2, ..plain }), sum.to_bits());
}
