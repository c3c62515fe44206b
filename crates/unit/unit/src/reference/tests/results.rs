//! Tests of compare functions, residency, and traces.

use super::*;
use crate::resource::{Residency, TileShape};
use crate::sampler::CompareFunction;
use proptest::prelude::*;
use texunit_texel::Reading;

fn trace_2d(
    texture: &Texture,
    sampler: &Sampler,
    result: ResultType,
    compare: Option<f32>,
    coords: [f32; 2],
) -> Trace {
    let form = FetchForm {
        compare: compare.is_some(),
        ..FetchForm::sample(Geometry::D2, CoordType::F32, result)
    };
    let compare = compare.unwrap_or(0.0).to_bits();
    let coords = f32_bits(Geometry::D2, &coords);
    let operands = FetchOperands { coords, compare, ..FetchOperands::default() };
    trace(form, texture, sampler, &operands).unwrap()
}

#[test]
fn a_trace_has_the_halves_of_a_pair() {
    let codes = [1.0_f32, -2.5, 65_520.0, 0.0].map(f32::to_bits);
    let t = texture("f32x4", ReadMode::Element, &[1, 1], &codes);
    let packed = trace_2d(&t, &Sampler::default(), ResultType::F16x2, None, [0.5, 0.5]);
    assert_eq!(packed.answer.values, [0xc100_3c00, 0x0000_7c00, 0, 0]);
    assert_eq!(packed.channels[1].result, 0xc100);
}

#[test]
fn compare_functions() {
    use CompareFunction as F;
    let (below, equal, above, nan) = (0.25, 0.5, 0.75, f32::NAN);
    #[rustfmt::skip]
    let rows = [
        (F::Never,        [false, false, false, false]),
        (F::Less,         [true,  false, false, false]),
        (F::Equal,        [false, true,  false, false]),
        (F::LessEqual,    [true,  true,  false, false]),
        (F::Greater,      [false, false, true,  false]),
        (F::NotEqual,     [true,  false, true,  true]),
        (F::GreaterEqual, [false, true,  true,  false]),
        (F::Always,       [true,  true,  true,  true]),
    ];
    for (function, passes) in rows {
        let texel = 0.5_f32.to_bits();
        let got = [below, equal, above, nan]
            .map(|r: f32| result::compare(function, Reading::F32, r.to_bits(), texel));
        assert_eq!(got, passes, "{function:?}");
    }
}

/// Rule 9.2 of docs/numerics.md: what is compared depends on the format.
#[test]
fn compares_by_format() {
    use CompareFunction::{Equal, Less, NotEqual};
    let compare = |function, reading, reference: f32, code| {
        result::compare(function, reading, reference.to_bits(), code)
    };
    // Formats of 16 bits compare codes. The reference value is converted as a border colour, so
    // that 0.5 is 32767.
    let bits_16 = Reading::Unorm { bits: 16 };
    for reading in [bits_16, Reading::F16, Reading::Snorm { bits: 16 }] {
        assert!(compare(Equal, reading, 0.5, 32_767), "{reading:?}");
        assert!(compare(Less, reading, 0.5, 32_768), "{reading:?}");
        assert!(compare(Equal, reading, 7.0, 65_535), "{reading:?}: limited to 1");
        assert!(compare(Equal, reading, -7.0, 0), "{reading:?}");
        assert!(compare(Equal, reading, f32::NAN, 0), "{reading:?}");
    }
    // Formats of 24 bits compare codes. The reference value becomes the nearest code, ties up.
    let bits_24 = Reading::Unorm { bits: 24 };
    assert!(compare(Equal, bits_24, 0.5, 0x80_0000));
    assert!(compare(Equal, bits_24, f32::NAN, 0) && compare(Equal, bits_24, 9.0, 0xff_ffff));
    // Floats are not limited; subnormal numbers count as 0.
    assert!(compare(Less, Reading::F32, 2.0, 3.0_f32.to_bits()));
    assert!(compare(Less, Reading::F32, f32::NEG_INFINITY, (-9.0_f32).to_bits()));
    assert!(compare(Equal, Reading::F32, 1e-45, 0x807f_ffff));
    assert!(compare(NotEqual, Reading::F32, 0.0, f32::NAN.to_bits()));
}

#[test]
fn a_trace_tells_every_stage() {
    let t = texture("u8", ReadMode::NormalizedFloat, &[2, 1], &[0, 1]);
    let s = sampler(Filter::Linear, AddressMode::Clamp);
    let trace = trace_2d(&t, &s, ResultType::F32, None, [1.0, 0.5]);
    let [footprint] = &trace.footprints[..] else { panic!("{:?}", trace.footprints) };
    let [x, y] = &footprint.axes[..] else { panic!("two axes") };
    assert_eq!((x.texels, x.index, x.upper, x.exact), (1.0, 0, 128, 0.5));
    assert_eq!((y.texels, y.index, y.upper, y.mode), (0.5, 0, 0, Some(AddressMode::Clamp)));
    let texels: Vec<_> =
        footprint.texels.iter().map(|t| (t.corner, t.codes[0], t.weight)).collect();
    assert_eq!(texels, [([0, 0, 0], 0, 128), ([1, 0, 0], 1, 128)]);
    let steps: Vec<_> = trace.channels[0].steps.iter().map(|s| s.text.as_str()).collect();
    let value = 129.0_f32 / 65_535.0;
    let expected = [
        "S = sum of weight * 257 * code = 32896".to_owned(),
        "K = rhu(S / 256) = 129".to_owned(),
        format!("f32(129 / 65535) = {value}"),
    ];
    assert_eq!(steps, expected);
    assert!(trace.channels[3].steps.is_empty());
    assert!(trace.answer.resident);
}

#[test]
fn texels_that_are_not_resident_count_as_zero() {
    let (width, height) = (256, 128);
    let format = Format::from_name("f32").unwrap();
    let shape = ArrayShape::new(format, Geometry::D2, Extent { width, height, depth: 1 });
    let t = shaped(shape, ReadMode::Element, &vec![1.0_f32.to_bits(); (width * height) as usize]);
    let map = Arc::new(Residency::new(&shape).unwrap());
    // Tiles have 128 x 128 texels of four bytes. Only the left tile is resident.
    assert_eq!(map.tile(), TileShape([128, 128, 1]));
    map.set_tile(0, 0, [0; 3], true).unwrap();
    let resource = Arc::unwrap_or_clone(t.resource).with_residency(map).unwrap();
    let t = Texture { resource: Arc::new(resource), ..t };
    let s =
        Sampler { border: [1.0_f32.to_bits(); 4], ..sampler(Filter::Linear, AddressMode::Border) };
    let at = |x| {
        let answer = trace_2d(&t, &s, ResultType::F32, None, [x, 0.5]).answer;
        (answer.resident, answer.values)
    };
    let one = [1.0_f32.to_bits(), 0, 0, 0];
    assert_eq!(at(127.5), (true, one), "the texel beside it has no weight");
    assert_eq!(at(127.6), (false, [(230.0_f32 / 256.0).to_bits(), 0, 0, 0]));
    assert_eq!(at(200.0), (false, [0; 4]));
    assert_eq!(at(-9.0), (true, one), "a border colour is always there");
    let trace = trace_2d(&t, &s, ResultType::F32, None, [128.0, 0.5]);
    let resident: Vec<bool> = trace.footprints[0].texels.iter().map(|t| t.resident).collect();
    assert_eq!(resident, [true, false]);
    let integer = FetchForm::sample(Geometry::D2, CoordType::S32, ResultType::F32);
    let named = |x: i32| {
        let coords = Coordinates::at([x as u32, 0, 0], 0);
        let operands = FetchOperands { coords, ..FetchOperands::default() };
        let answer = fetch(integer, &t, &s, &operands).unwrap();
        (answer.resident, answer.values)
    };
    assert_eq!([127, 128, -1].map(named), [(true, one), (false, [0; 4]), (true, [0; 4])]);
    // All four texels of a gather determine its residency, because they have no weights.
    let gather = FetchForm { kind: FetchKind::Gather(0), coord: CoordType::F32, ..integer };
    let gathered = |x: f32| {
        let coords = f32_bits(Geometry::D2, &[x, 1.5]);
        let operands = FetchOperands { coords, ..FetchOperands::default() };
        let answer = fetch(gather, &t, &s, &operands).unwrap();
        (answer.resident, answer.values)
    };
    let [one, _, _, zero] = one;
    assert_eq!(gathered(126.5), (true, [one; 4]));
    assert_eq!(gathered(127.5), (false, [one, zero, zero, one]));
    // A compare uses the code 0 for a texel that is not resident.
    let compare = Sampler { compare: Some(CompareFunction::GreaterEqual), ..s };
    let trace = trace_2d(&t, &compare, ResultType::F32, Some(0.5), [128.0, 0.5]);
    assert_eq!(trace.answer.values, [0.5_f32.to_bits(), 0, 0, 0]);
    assert!(!trace.answer.resident);
}

proptest! {
    /// Properties that every trace of a sampled fetch must have.
    #[test]
    fn weights_are_shares(
        axes in 1_usize..=3,
        linear in proptest::bool::ANY,
        mip_linear in proptest::bool::ANY,
        normalized in proptest::bool::ANY,
        mode in proptest::sample::select(vec![
            AddressMode::Wrap, AddressMode::Mirror, AddressMode::Clamp, AddressMode::ClampOgl,
            AddressMode::Border,
        ]),
        bits in proptest::array::uniform3(proptest::num::u32::ANY),
        near in proptest::array::uniform3(-2.0_f32..9.0),
        use_bits in proptest::bool::weighted(0.2),
        level in -1.0_f32..4.0,
        offset in proptest::option::of(proptest::array::uniform3(-40..40)),
    ) {
        let geometry = Geometry::ALL[axes - 1];
        let size = [[7, 1, 1], [7, 6, 1], [7, 6, 5]][axes - 1];
        let texels: Vec<f32> = (0..400).map(|i| i as f32 / 16.0).collect();
        let extent = Extent { width: size[0], height: size[1], depth: size[2] };
        let count: u32 = (0..3).map(|l| extent.level(l).axes().iter().product::<u32>()).sum();
        let t = f32_array(geometry, size, |s| s.levels = Some(3), &texels[..count as usize]);
        let t = Texture { normalized_coords: normalized, ..t };
        let pick = |linear| if linear { Filter::Linear } else { Filter::Point };
        let s = Sampler { mip_filter: pick(mip_linear), ..sampler(pick(linear), mode) };
        let form = FetchForm {
            kind: FetchKind::Sample(Lod::Level),
            offset: offset.is_some(),
            ..FetchForm::sample(geometry, CoordType::F32, ResultType::F32)
        };
        let point: [u32; 3] =
            std::array::from_fn(|a| if use_bits { bits[a] } else { near[a].to_bits() });
        let operands = FetchOperands {
            coords: Coordinates::at(point, 0),
            offset: offset.unwrap_or_default(),
            level: level.to_bits(),
            ..FetchOperands::default()
        };
        let trace = trace(form, &t, &s, &operands).unwrap();
        prop_assert_eq!(trace.level.levels.iter().map(|l| l.1).sum::<u32>(), 256);
        prop_assert_eq!(trace.footprints.len(), trace.level.levels.len());
        for (footprint, &(level, share)) in trace.footprints.iter().zip(&trace.level.levels) {
            prop_assert_eq!((footprint.level, footprint.share), (level, share));
            prop_assert_eq!(footprint.texels.iter().map(|t| t.weight).sum::<u32>(), share);
            for texel in &footprint.texels {
                prop_assert!((texel.exact * 256.0 - f64::from(texel.weight)).abs() < 2.5);
                prop_assert!(texel.at.is_some() || texel.codes == [0; 4]);
            }
        }
        for (channel, value) in trace.channels.iter().zip(trace.answer.values) {
            prop_assert_eq!(channel.result, value);
        }
        let largest = trace.footprints.iter().flat_map(|f| &f.texels);
        let largest = largest.map(|t| f32::from_bits(t.values[0])).fold(0.0, f32::max);
        prop_assert!((0.0..=largest).contains(&f32::from_bits(trace.answer.values[0])));
    }
}
