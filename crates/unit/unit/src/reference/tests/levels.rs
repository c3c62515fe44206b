//! Tests of the traces of fetches from mip levels.

use super::*;

const LEVEL: FetchKind = FetchKind::Sample(Lod::Level);

fn mips(filter: Filter, mip_filter: Filter) -> Sampler {
    Sampler { filter, mip_filter, ..Sampler::default() }
}

#[test]
fn the_trace_of_a_sharpened_level() {
    // The levels have 4, 2 and 1 texels, whose values are 0 1 2 3, then 10 11, then 20.
    let texels = [0.0, 1.0, 2.0, 3.0, 10.0, 11.0, 20.0];
    let t = f32_array(Geometry::A1d, [4, 1, 1], |s| s.levels = Some(3), &texels);
    let s = Sampler { max_anisotropy: 16, ..mips(Filter::Point, Filter::Linear) };
    let form = FetchForm::sample(Geometry::A1d, CoordType::F32, ResultType::F32);
    let (coords, level) = (Coordinates::at([0.1_f32.to_bits(), 0, 0], 0), 0.375_f32.to_bits());
    let operands = FetchOperands { coords, level, ..FetchOperands::default() };
    let trace = trace(FetchForm { kind: LEVEL, ..form }, &t, &s, &operands).unwrap();
    assert_eq!(f32::from_bits(trace.answer.values[0]), 2.5, "2 * (96 - 64) of 256");
    assert_eq!((trace.level.q, &trace.level.levels[..]), (64, &[(0, 192), (1, 64)][..]));
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
