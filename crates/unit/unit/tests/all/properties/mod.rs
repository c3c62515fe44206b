//! Tests properties that any fetch must have, whatever the texels are: weights, gathers, layers,
//! levels, faces, periods, and edges of cubes. The tests use the reference, which the planned path
//! equals.

mod draw;
mod origins;
mod texels;

use draw::*;
use proptest::prelude::*;
use texunit_unit::reference::{trace, trace::Trace};
use texunit_unit::{
    AddressMode, ArrayShape, CoordType, Coordinates, Extent, FetchForm, FetchKind, FetchOperands,
    Filter, Geometry, Lod, ReadMode, ResultType, Sampler,
};

/// The weights of all footprints and taps must sum to the whole, and those of a level to its share.
fn check_weights(trace: &Trace) {
    let scale = trace.footprints[0].scale;
    for &(level, share) in &trace.level.levels {
        let of_level = || trace.footprints.iter().filter(|f| f.level == level);
        let weight: u32 = of_level().flat_map(|f| &f.texels).map(|t| t.weight).sum();
        assert_eq!(weight, share << scale);
        assert_eq!(of_level().map(|f| f.share).sum::<u32>(), share << scale);
        let taps: Vec<_> = of_level().map(|f| f.tap).collect();
        let count = taps.len() as u32;
        assert_eq!(taps, (0..count).map(|tap| (tap, count)).collect::<Vec<_>>());
    }
    assert_eq!(trace.level.levels.iter().map(|&(_, share)| share).sum::<u32>(), 256);
    let texels = trace.footprints.iter().map(|f| f.texels.len());
    let most = if trace.effective.filter == Filter::Linear { 8 } else { 1 };
    assert!(texels.into_iter().all(|count| (1..=most).contains(&count)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Tests that no operands or sampler state make a fetch panic, and that the weights of its
    /// texels always have the right sum.
    #[test]
    fn weights_sum_to_the_whole(
        geometry in prop::sample::select(GEOMETRIES.to_vec()),
        (format, read_mode) in prop::sample::select(FORMATS.to_vec()),
        size in prop::array::uniform3(edge()),
        mipmapped in any::<bool>(),
        lod in lod(),
        sampler in sampler(),
        operands in any_operands(),
        bytes in prop::collection::vec(any::<u8>(), 1..64),
    ) {
        let mut sampler = fitting(sampler, geometry);
        let mut shape = shape(geometry, format, size, 3);
        let Extent { width, height, depth } = shape.extent;
        shape.levels = mipmapped.then(|| 32 - (width | height | depth).leading_zeros());
        sampler.srgb &= format == "u8x4";
        let texture = texture(&shape, read_mode, &bytes);
        let trace = trace(sample(geometry, lod), &texture, &sampler, &operands).unwrap();
        check_weights(&trace);
        prop_assert!(trace.answer.resident);
        prop_assert_eq!(trace.level.q, trace.level.q.clamp(0, 256 * 31));
    }

    /// A gather must equal four point fetches of its footprint with integer coordinates.
    #[test]
    fn gathers_are_point_fetches(
        layered in any::<bool>(),
        format in prop::sample::select(vec!["u32x4", "s16x2", "u8"]),
        size in prop::array::uniform3(edge()),
        component in 0..4_u8,
        sampler in sampler(),
        mut operands in any_operands(),
        offset in any::<bool>(),
        bytes in prop::collection::vec(any::<u8>(), 1..64),
    ) {
        let geometry = if layered { Geometry::A2d } else { Geometry::D2 };
        let sampler = (fitting(sampler, geometry)).with_filter(Filter::Point);
        let texture = texture(&shape(geometry, format, size, 3), ReadMode::Element, &bytes);
        let form = FetchForm { offset, ..form(geometry, FetchKind::Gather(component)) };
        let trace = trace(form, &texture, &sampler, &operands).unwrap();
        prop_assert_eq!(trace.footprints.len(), 1);
        let texels = &trace.footprints[0].texels;
        prop_assert_eq!(texels.len(), 4);
        // The texels are in counter-clockwise order from the lower left.
        let step = |n: usize| [0, 1].map(|a| texels[n].index[a] - texels[3].index[a]);
        prop_assert_eq!([step(0), step(1), step(2)], [[0, 1], [1, 1], [1, 0]]);
        for (n, texel) in texels.iter().enumerate() {
            let Some(at) = texel.at else { continue };
            let [x, y, _] = at.at;
            operands.coords = Coordinates { layer: at.plane, sample: 0, point: [x, y, 0] };
            let named = FetchForm::sample(geometry, CoordType::S32, ResultType::F32);
            let one = values(named, &texture, &sampler, &operands);
            prop_assert_eq!(trace.answer.values[n], one[usize::from(component)]);
        }
    }

    /// A mipmapped texture with one level must equal a texture without mip levels.
    #[test]
    fn one_level_is_no_mipmap(
        geometry in prop::sample::select(GEOMETRIES[..5].to_vec()),
        (format, read_mode) in prop::sample::select(FORMATS.to_vec()),
        size in prop::array::uniform3(edge()),
        lod in lod(),
        sampler in sampler(),
        operands in any_operands(),
        bytes in prop::collection::vec(any::<u8>(), 1..64),
    ) {
        let mut sampler = (fitting(sampler, geometry)).with_srgb(false);
        if sampler.filter == Filter::Point {
            // Rule 3.5 of docs/numerics.md: a fetch from levels goes through the sum, unless these
            // settings prevent it.
            sampler = sampler.with_mip_filter(Filter::Point).with_max_anisotropy(1);
        }
        let plain = shape(geometry, format, size, 3);
        let mipmapped = ArrayShape { levels: Some(1), ..plain };
        let [one, other] = [plain, mipmapped]
            .map(|shape| values(sample(geometry, lod), &texture(&shape, read_mode, &bytes), &sampler, &operands));
        prop_assert_eq!(one, other);
    }

    /// A layer of a layered texture must equal a texture of this layer alone. (A layer of a layered
    /// 1D texture filters in one dimension; without border, the results are the same.)
    #[test]
    fn a_layer_is_itself(
        (layered, single) in prop::sample::select(vec![
            (Geometry::A1d, Geometry::D1), (Geometry::A2d, Geometry::D2),
            (Geometry::Acube, Geometry::Cube),
        ]),
        (format, read_mode) in prop::sample::select(FORMATS.to_vec()),
        size in prop::array::uniform3(edge()),
        layer in 0..5_u32,
        lod in lod(),
        sampler in sampler(),
        point in prop::array::uniform3(word()),
        gradients in prop::array::uniform2(prop::array::uniform3(word())),
        bytes in prop::collection::vec(any::<u8>(), 1..512),
    ) {
        let mut sampler = fitting(sampler, single);
        if single == Geometry::D1 {
            sampler.address_mode[1] = AddressMode::Clamp;
            // Rule 4.12 of docs/numerics.md: a fetch from a layered 1D texture has one tap.
            sampler.max_anisotropy = 1;
        }
        sampler.srgb = false;
        let all = texture(&shape(layered, format, size, 3), read_mode, &bytes);
        let packed = all.resource.to_packed();
        // A layer past the end is the last layer.
        let start = packed.len() / 3 * layer.min(2) as usize;
        let alone = texture(
            &shape(single, format, size, 1),
            read_mode,
            &packed[start..start + packed.len() / 3],
        );
        let [dpdx, dpdy] = gradients;
        let rest = FetchOperands { dpdx, dpdy, ..FetchOperands::default() };
        let one = FetchOperands { coords: Coordinates { layer, sample: 0, point }, ..rest };
        let other = FetchOperands { coords: Coordinates::at(point, 0), ..rest };
        prop_assert_eq!(
            values(sample(layered, lod), &all, &sampler, &one),
            values(sample(single, lod), &alone, &sampler, &other)
        );
    }

    /// The address mode wrap has a period of 1; mirror has a period of 2 and is symmetric.
    #[test]
    fn periods(
        filter in filter(),
        log in prop::array::uniform3(0..6_u32),
        k in prop::array::uniform3(-4096..4096_i32),
        shift in prop::array::uniform3(-3..4_i32),
        bytes in prop::collection::vec(any::<u8>(), 64..256),
    ) {
        let texture = texture(
            &shape(Geometry::D3, "u8x4", log.map(|l| 1 << l), 1), ReadMode::NormalizedFloat, &bytes,
        );
        // The coordinates are multiples of 2^-11, so that sums with whole numbers are exact.
        let point = k.map(|k| k as f32 / 2048.0);
        let get = |mode, point: [f32; 3]| {
            let sampler = Sampler::default().with_filter(filter).with_address_mode(mode);
            let o = operands(0, point);
            values(sample(Geometry::D3, Lod::Implicit), &texture, &sampler, &o)
        };
        let moved = |by: f32| std::array::from_fn(|a| point[a] + by * shift[a] as f32);
        let (wrap, mirror) = (AddressMode::Wrap, AddressMode::Mirror);
        prop_assert_eq!(get(wrap, point), get(wrap, moved(1.0)));
        prop_assert_eq!(get(mirror, point), get(mirror, moved(2.0)));
        let inside = point.map(|x| x.rem_euclid(1.0));
        prop_assert_eq!(get(wrap, inside), get(wrap, point));
    }

    /// A direction through the centre of a texel must read this texel, with any filter.
    #[test]
    fn directions_reach_their_texel(
        log in 0..5_u32,
        face in 0..6_u32,
        s in 0..16_u32,
        t in 0..16_u32,
        length in 0.25..64.0_f32,
        filter in filter(),
        seamless_cube in any::<bool>(),
        layered in any::<bool>(),
    ) {
        let n = 1 << log;
        let (s, t) = (s % n, t % n);
        let geometry = if layered { Geometry::Acube } else { Geometry::Cube };
        let shape = shape(geometry, "f32", [n; 3], 2);
        let numbers: Vec<u8> = (0..12 * n * n).flat_map(|k| (k as f32).to_le_bytes()).collect();
        let texture = texture(&shape, ReadMode::Element, &numbers);
        // The direction is computed by the table of section 7 of docs/numerics.md, backwards.
        // Lengths of few bits keep quotients exact.
        let length = (length * 16.0).round() / 16.0;
        let centre = |k: u32| length * ((2 * k + 1) as f32 / n as f32 - 1.0);
        let (sc, tc, ma) = (centre(s), centre(t), length);
        let direction = match face {
            0 => [ma, -tc, -sc],
            1 => [-ma, -tc, sc],
            2 => [sc, ma, tc],
            3 => [sc, -ma, -tc],
            4 => [sc, -tc, ma],
            _ => [-sc, -tc, -ma],
        };
        let sampler = Sampler::default().with_filter(filter).with_seamless_cube(seamless_cube);
        let layer = u32::from(layered);
        let o = operands(layer, direction);
        let got = values(sample(geometry, Lod::Implicit), &texture, &sampler, &o);
        let expected = (6 * layer + face) * n * n + t * n + s;
        prop_assert_eq!(f32::from_bits(got[0]), expected as f32);
    }

    /// Seamless filtering has no steps: two neighbouring directions, on one face or on two, must
    /// have close values.
    #[test]
    fn seamless_cubes_are_continuous(
        n in 1..9_u32,
        along in -1.0..1.0_f32,
        edge in 0..12_usize,
    ) {
        let shape = shape(Geometry::Cube, "f32", [n; 3], 1);
        let texture = texture(&shape, ReadMode::Element, &ordinary_floats(600));
        let sampler =
            Sampler::default().with_filter(Filter::Linear).with_seamless_cube(true);
        // The directions are slightly to either side of a point on one of the cube's twelve edges.
        let (axis, signs) = (edge % 3, [(edge / 3) & 1, edge / 6]);
        let sign = |bit: usize| if bit == 1 { -1.0 } else { 1.0 };
        let mut p = [0.0; 3];
        p[axis] = along;
        p[(axis + 1) % 3] = sign(signs[0]);
        p[(axis + 2) % 3] = sign(signs[1]);
        let mut q = p;
        q[(axis + 1) % 3] *= 0.9999;
        p[(axis + 2) % 3] *= 0.9999;
        let get = |p: [f32; 3]| {
            let o = operands(0, p);
            let t = trace(sample(Geometry::Cube, Lod::Implicit), &texture, &sampler, &o).unwrap();
            (f32::from_bits(t.answer.values[0]), t.footprints[0].plane)
        };
        let ((a, one), (b, other)) = (get(p), get(q));
        prop_assert_ne!(one, other);
        // Texels are 1 to 2, and a weight is off by at most 1/256 per axis, and by a rounding.
        prop_assert!((a - b).abs() <= 4.0 / 256.0, "{p:?} {a}, {q:?} {b}");
    }

    /// Gradients whose length is a power of two in texels must select the level of this power.
    #[test]
    fn gradients_name_levels(
        log in 0..6_u32,
        axis in 0..2_usize,
        negative in any::<bool>(),
        filter in filter(),
        point in prop::array::uniform2(-2.0..2.0_f32),
        bytes in prop::collection::vec(any::<u8>(), 64..256),
    ) {
        let shape = ArrayShape {
            levels: Some(6),
            ..shape(Geometry::D2, "u8x4", [32, 32, 1], 1)
        };
        let texture = texture(&shape, ReadMode::NormalizedFloat, &bytes);
        let sampler = Sampler::default().with_filter(filter).with_mip_filter(Filter::Linear);
        let coords = [point[0], point[1], 0.0];
        let level = FetchOperands { level: (log as f32).to_bits(), ..at(coords) };
        let step = 2.0_f32.powi(log as i32 - 5);
        let mut d = [0; 3];
        d[axis] = if negative { -step } else { step }.to_bits();
        for gradient in
            [FetchOperands { dpdx: d, ..at(coords) }, FetchOperands { dpdy: d, ..at(coords) }]
        {
            prop_assert_eq!(
                values(sample(Geometry::D2, Lod::Gradient), &texture, &sampler, &gradient),
                values(sample(Geometry::D2, Lod::Level), &texture, &sampler, &level)
            );
        }
    }

    /// Tests that an anisotropic fetch from a texture of a single value returns this value.
    #[test]
    fn taps_of_one_colour(
        geometry in prop::sample::select(vec![Geometry::D2, Geometry::A2d, Geometry::Cube]),
        (format, read_mode) in prop::sample::select(FORMATS.to_vec()),
        max_anisotropy in 2..17_u32,
        seamless_cube in any::<bool>(),
        mip_filter in filter(),
        operands in any_operands(),
        byte in 0x38..0x40_u8,
    ) {
        let shape = ArrayShape { levels: Some(3), ..shape(geometry, format, [6, 5, 1], 2) };
        let texture = texture(&shape, read_mode, &[byte]);
        let sampler = Sampler::default().with_filter(Filter::Linear).with_mip_filter(mip_filter).with_max_anisotropy(max_anisotropy).with_seamless_cube(seamless_cube);
        let sampler = fitting(sampler, geometry);
        let isotropic = sampler.with_max_anisotropy(1).with_mip_filter(Filter::Point);
        prop_assert_eq!(
            values(sample(geometry, Lod::Gradient), &texture, &sampler, &operands),
            values(sample(geometry, Lod::Implicit), &texture, &isotropic, &operands)
        );
    }
}

/// With a round footprint, anisotropy must have no effect: there is one tap.
#[test]
fn round_footprints_are_isotropic() {
    let shape = ArrayShape { levels: Some(5), ..shape(Geometry::D2, "f32", [16, 16, 1], 1) };
    let texture = texture(&shape, ReadMode::Element, &ordinary_floats(341));
    let sampler = Sampler::default().with_filter(Filter::Linear).with_mip_filter(Filter::Point);
    let step = 0.25_f32.to_bits();
    let o = FetchOperands { dpdx: [step, 0, 0], dpdy: [0, step, 0], ..at([0.3, 0.7, 0.0]) };
    let [one, other] = [1, 16].map(|max_anisotropy| {
        let sampler = sampler.with_max_anisotropy(max_anisotropy);
        trace(sample(Geometry::D2, Lod::Gradient), &texture, &sampler, &o).unwrap()
    });
    assert_eq!(one.answer, other.answer);
    assert_eq!((one.level.q, other.footprints.len()), (512, 1));
}
