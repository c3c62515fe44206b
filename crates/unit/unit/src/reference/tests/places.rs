//! Tests of layers, samples, offsets and `clamp_ogl`.

use super::*;

fn offset(form: FetchForm, e: &[i32]) -> (FetchForm, [i32; 3]) {
    let form = FetchForm { offset: true, ..form };
    (form, std::array::from_fn(|a| e.get(a).copied().unwrap_or(0)))
}

fn x_with_offset(
    geometry: Geometry,
    texture: &Texture,
    sampler: &Sampler,
    coords: &[f32],
    e: &[i32],
) -> f32 {
    let form = FetchForm::sample(geometry, CoordType::F32, ResultType::F32);
    let (form, offset) = offset(form, e);
    let coords = f32_bits(geometry, coords);
    let operands = FetchOperands { coords, offset, ..FetchOperands::default() };
    f32::from_bits(fetch(form, texture, sampler, &operands).unwrap().values[0])
}

fn ramp(n: u32) -> Vec<f32> {
    (0..n).map(|i| i as f32).collect()
}

#[test]
fn layers_of_1d_are_filtered_without_rows() {
    let t = f32_array(Geometry::A1d, [2, 1, 1], |s| s.layers = 3, &ramp(6));
    let mut s = sampler(Filter::Linear, AddressMode::Border);
    s.border[0] = 8.0_f32.to_bits();
    let form = FetchForm::sample(Geometry::A1d, CoordType::F32, ResultType::F32);
    let at =
        |layer: u32, x: f32| f32::from_bits(bits_at(form, &t, &s, [layer, x.to_bits(), 0, 0])[0]);
    assert_eq!(at(1, 0.5), 2.0, "no border row");
    assert_eq!(at(1, 1.0), 2.5);
    assert_eq!(at(1, 0.0), 5.0);
    assert_eq!(at(2, 0.5), 4.0);
    for past in [3, 77, u32::MAX, 0x3f80_0000] {
        assert_eq!(at(past, 0.5), 4.0, "the last layer");
    }
}

#[test]
fn layers_of_2d_come_before_the_point() {
    let t = f32_array(Geometry::A2d, [2, 2, 1], |s| s.layers = 2, &ramp(8));
    let form = FetchForm::sample(Geometry::A2d, CoordType::S32, ResultType::F32);
    let s = Sampler::default();
    let at = |c: [u32; 3]| f32::from_bits(bits_at(form, &t, &s, [c[0], c[1], c[2], 9])[0]);
    assert_eq!(at([0, 1, 0]), 1.0);
    assert_eq!(at([1, 0, 1]), 6.0);
    assert_eq!(at([1, 2, 0]), 0.0, "outside");
    assert_eq!(at([1, 0, u32::MAX]), 0.0, "outside");
    // Rule 1.9 of docs/numerics.md: layers past the end are outside, too.
    assert_eq!([2, u32::MAX, 0x8000_0000].map(|layer| at([layer, 1, 1])), [0.0; 3]);
}

/// Rule 1.9 of docs/numerics.md: integer coordinates of `tex.level` are clamped to the level.
#[test]
fn integer_coordinates_of_a_level_are_clamped() {
    let t = f32_array(Geometry::A2d, [2, 2, 1], |s| s.layers = 2, &ramp(8));
    let form = FetchForm {
        kind: FetchKind::Sample(Lod::Level),
        ..FetchForm::sample(Geometry::A2d, CoordType::S32, ResultType::F32)
    };
    let s = sampler(Filter::Linear, AddressMode::Border);
    let at = |layer: u32, x: i32, y: i32, level: i32| {
        let coords = Coordinates { layer, sample: 0, point: [x as u32, y as u32, 0] };
        let operands = FetchOperands { coords, level: level as u32, ..FetchOperands::default() };
        f32::from_bits(fetch(form, &t, &s, &operands).unwrap().values[0])
    };
    assert_eq!(at(0, 1, 1, 0), 3.0);
    assert_eq!([at(0, -1, 9, 0), at(0, i32::MAX, i32::MIN, 0)], [2.0, 1.0]);
    assert_eq!([at(2, 0, 0, 0), at(u32::MAX, 0, 0, 0)], [4.0; 2]);
    assert_eq!([at(0, 0, 0, 1), at(0, 1, 1, -1)], [0.0; 2], "there is level 0 alone");
}

/// Rule 1.9 of docs/numerics.md: outside the extent, integer coordinates read a texel whose codes
/// are zeros. In a format without alpha, the alpha of such a texel may be 1.
#[test]
fn outside_is_a_texel_of_zeros() {
    let shape = ArrayShape::new(
        Format::from_name("bc4").unwrap(),
        Geometry::D2,
        Extent { width: 4, height: 4, depth: 1 },
    );
    let block = Arc::new(Block::new(shape.size().unwrap() as usize, "b").unwrap());
    let resource = Arc::new(Resource::array(&shape, block, "t").unwrap());
    let t = Texture { resource, read_mode: ReadMode::NormalizedFloat, normalized_coords: false };
    let form = FetchForm::sample(Geometry::D2, CoordType::S32, ResultType::F32);
    let values = bits_at(form, &t, &Sampler::default(), [4, 0, 0, 0]);
    assert_eq!(values, [0, 0, 0, 1.0_f32.to_bits()]);
}

/// Rule 1.13 of docs/numerics.md: which layers can be read from a resource that has no layers.
#[test]
fn layers_of_resources_without_layers() {
    let s = Sampler::default();
    let f32_form = FetchForm::sample(Geometry::A2d, CoordType::F32, ResultType::F32);
    let s32_form = FetchForm { coord: CoordType::S32, ..f32_form };
    let get = |t: &Texture, form, layer: u32| {
        let values = bits_at(form, t, &s, [layer, 0, 0, 0]);
        f32::from_bits(values[0])
    };
    let layers = [0, 1, 65_535, 65_536, u32::MAX];
    for (t, of_integers) in [
        (floats(&[2], &[5.0, 6.0]), [5.0, 0.0, 0.0, 0.0, 0.0]),
        (floats(&[2, 2], &[5.0, 6.0, 7.0, 8.0]), [5.0, 0.0, 0.0, 0.0, 0.0]),
        (
            f32_array(Geometry::D2, [2, 1, 1], |s| s.levels = Some(1), &[5.0, 6.0]),
            [5.0, 5.0, 5.0, 0.0, 0.0],
        ),
    ] {
        assert_eq!(layers.map(|layer| get(&t, f32_form, layer)), [5.0; 5]);
        assert_eq!(layers.map(|layer| get(&t, s32_form, layer)), of_integers);
    }
    // Without a layer, row or cube of its own, an instruction reads the first one.
    let layered = f32_array(Geometry::A2d, [2, 2, 1], |s| s.layers = 2, &ramp(8));
    let of = |form: FetchForm, t: &Texture, coords: [u32; 4]| {
        f32::from_bits(bits_at(form, t, &s, coords)[0])
    };
    let d2 = FetchForm { geometry: Geometry::D2, ..s32_form };
    assert_eq!(of(d2, &layered, [1, 1, 1, 0]), 3.0);
    let d1 = FetchForm { geometry: Geometry::D1, ..f32_form };
    assert_eq!(of(d1, &layered, [1.0_f32.to_bits(), 1.0_f32.to_bits(), 0, 0]), 1.0);
    let line = f32_array(Geometry::A1d, [2, 1, 1], |s| s.layers = 2, &ramp(4));
    assert_eq!(of(FetchForm { coord: CoordType::S32, ..d1 }, &line, [1, 1, 0, 0]), 1.0);
}

/// Rule 1.13 of docs/numerics.md: fetches from linear memory.
#[test]
fn linear_memory() {
    let block = Arc::new(Block::new(16, "b").unwrap());
    for (k, x) in [5.0_f32, 6.0, 7.0, 8.0].into_iter().enumerate() {
        block.store_u32(4 * k as u64, x.to_bits()).unwrap();
    }
    let format = Format::from_name("f32").unwrap();
    let resource = Arc::new(Resource::linear(format, 4, block, 0, 0, "l").unwrap());
    let t = Texture { resource, read_mode: ReadMode::Element, normalized_coords: false };
    let s = sampler(Filter::Linear, AddressMode::Border);
    let named = FetchForm::sample(Geometry::D1, CoordType::S32, ResultType::F32);
    let level = FetchForm { kind: FetchKind::Sample(Lod::Level), ..named };
    let at = |form: FetchForm, x: i32, level: i32, layer: u32| {
        let form = FetchForm { offset: true, ..form };
        let coords = Coordinates { layer, sample: 0, point: [x as u32, 0, 0] };
        let level = level as u32;
        let operands = FetchOperands { coords, level, offset: [3; 3], ..FetchOperands::default() };
        f32::from_bits(fetch(form, &t, &s, &operands).unwrap().values[0])
    };
    assert_eq!([-1, 0, 3, 4].map(|x| at(named, x, 0, 0)), [0.0, 5.0, 8.0, 0.0]);
    assert_eq!([-1, 0, 3, 4].map(|x| at(level, x, 7, 0)), [5.0, 5.0, 8.0, 8.0]);
    assert_eq!([i32::MIN, i32::MAX].map(|x| at(level, x, -7, 0)), [5.0, 8.0]);
    let line = FetchForm { geometry: Geometry::A1d, ..named };
    assert_eq!([0, 1, 65_535, 65_536].map(|of| at(line, 1, 0, of)), [6.0, 6.0, 6.0, 0.0]);
    let floats = FetchForm { coord: CoordType::F32, ..named };
    let error = fetch(floats, &t, &s, &FetchOperands::default()).unwrap_err();
    assert!(error.reads_zero(), "{error}");
}

/// Rules 1.7 and 1.12 of docs/numerics.md: normalized coordinates may have any size.
#[test]
fn coordinates_of_any_size() {
    let t = Texture { normalized_coords: true, ..floats(&[4], &ramp(4)) };
    let at = |mode, filter, x: f32| {
        let s = Sampler { address_mode: [mode, AddressMode::Clamp, mode], ..sampler(filter, mode) };
        self::x(&t, &s, &[x])
    };
    use AddressMode::{Border, Clamp, Mirror, Wrap};
    let (inf, point, linear) = (f32::INFINITY, Filter::Point, Filter::Linear);
    for x in [8_388_608.0, 8_388_610.0, 1e30, f32::MAX, -1e30, inf, -inf] {
        assert_eq!([point, linear].map(|filter| at(Wrap, filter, x)), [0.0, 1.5], "{x}");
        assert_eq!([point, linear].map(|filter| at(Mirror, filter, x)), [0.0; 2], "{x}");
        let edge = if x < 0.0 { 0.0 } else { 3.0 };
        assert_eq!([point, linear].map(|filter| at(Clamp, filter, x)), [edge; 2], "{x}");
        assert_eq!([point, linear].map(|filter| at(Border, filter, x)), [0.0; 2], "{x}");
    }
    for x in [8_388_609.0, -8_388_611.0] {
        assert_eq!([point, linear].map(|filter| at(Wrap, filter, x)), [0.0, 1.5], "{x}");
        assert_eq!([point, linear].map(|filter| at(Mirror, filter, x)), [3.0; 2], "{x}");
    }
    // Below 2^22, coordinates still have halves.
    assert_eq!(at(Wrap, point, 4_194_303.5), 2.0);
    assert_eq!(at(Mirror, point, 4_194_303.5), 1.0, "half before an even number");
}

#[test]
fn samples_are_numbered_first() {
    let s = Sampler::default();
    // The array has two layers of 2 x 1 texels with two samples each.
    let t = f32_array(Geometry::A2dms, [2, 1, 1], |s| s.layers = 2, &ramp(8));
    let form = FetchForm::sample(Geometry::A2dms, CoordType::S32, ResultType::F32);
    let at = |c| f32::from_bits(bits_at(form, &t, &s, c)[0]);
    assert_eq!(at([0, 0, 1, 0]), 1.0);
    assert_eq!(at([1, 0, 1, 0]), 3.0);
    assert_eq!(at([0, 1, 0, 0]), 4.0);
    assert_eq!(at([1, 1, 1, 0]), 7.0);
    assert_eq!(at([9, 1, 0, 0]), 6.0, "rule 9.6: 9 of two samples is 1");
    assert_eq!(at([0, 2, 0, 0]), 0.0, "rule 9.5: no such layer");
    assert_eq!(at([0, 0, 2, 0]), 0.0);
    let t = f32_array(Geometry::D2ms, [2, 1, 1], |s| s.samples = 4, &ramp(8));
    let form = FetchForm { geometry: Geometry::D2ms, ..form };
    assert_eq!(f32::from_bits(bits_at(form, &t, &s, [2, 1, 0, 7])[0]), 5.0);
    assert_eq!(f32::from_bits(bits_at(form, &t, &s, [u32::MAX, 1, 0, 7])[0]), 7.0);
}

#[test]
fn offsets_move_by_texels() {
    let t = floats(&[4, 4, 4], &ramp(64));
    let point = sampler(Filter::Point, AddressMode::Clamp);
    let at = |e: &[i32]| x_with_offset(Geometry::D3, &t, &point, &[1.5, 1.5, 1.5], e);
    assert_eq!(at(&[0, 0, 0]), 21.0);
    assert_eq!(at(&[1, -1, 2]), 21.0 + 1.0 - 4.0 + 32.0);
    assert_eq!(at(&[8, 0, 0]), 20.0, "8 is -8");
    assert_eq!(at(&[17, 0, 0]), 22.0, "four bits are kept");
    let linear = sampler(Filter::Linear, AddressMode::Clamp);
    let at = |c: &[f32], e: &[i32]| x_with_offset(Geometry::D3, &t, &linear, c, e);
    assert_eq!(at(&[1.0, 0.5, 0.5], &[1, 0, 0]), 1.5);
    assert_eq!(at(&[-9.0, 0.5, 0.5], &[7, 0, 0]), 0.0, "moved before the clamp");
    assert_eq!(at(&[-6.0, 0.5, 0.5], &[7, 0, 0]), 0.5);
    // The sum with the offset is not rounded: it is 2^-30 below the middle between texels 0 and 1.
    let wrap = sampler(Filter::Point, AddressMode::Wrap);
    let mut n = floats(&[4], &ramp(4));
    n.normalized_coords = true;
    assert_eq!(x_with_offset(Geometry::D1, &n, &wrap, &[-1e-30], &[1]), 0.0);
}

#[test]
fn negative_offsets_of_1d_leave_the_row() {
    let t = floats(&[4], &ramp(4));
    let mut s = sampler(Filter::Point, AddressMode::Border);
    s.border[0] = 9.0_f32.to_bits();
    let at = |s: &Sampler, e| x_with_offset(Geometry::D1, &t, s, &[2.5], &[e]);
    assert_eq!(at(&s, 1), 3.0);
    assert_eq!(at(&s, -1), 9.0);
    s.filter = Filter::Linear;
    assert_eq!(at(&s, -1), 9.0, "both rows are outside");
    assert_eq!(at(&s, 1), 6.0, "half of the border row");
    s.address_mode = [AddressMode::Clamp; 3];
    assert_eq!(at(&s, -1), 1.0);
    s.filter = Filter::Point;
    assert_eq!(at(&s, -2), 0.0);
    assert_eq!(at(&s, 8), 0.0);
    assert_eq!(at(&s, -9), 3.0, "x +7, row -1");
    // A layer of a layered 1D texture has no row to leave.
    let t = f32_array(Geometry::A1d, [4, 1, 1], |s| s.layers = 1, &ramp(4));
    let s = sampler(Filter::Point, AddressMode::Border);
    let form = FetchForm::sample(Geometry::A1d, CoordType::F32, ResultType::F32);
    let (form, offset) = offset(form, &[-1]);
    let coords = Coordinates::at([2.5_f32.to_bits(), 0, 0], 0);
    let operands = FetchOperands { coords, offset, ..FetchOperands::default() };
    let value = fetch(form, &t, &s, &operands).unwrap().values[0];
    assert_eq!(f32::from_bits(value), 1.0);
}

#[test]
fn offsets_move_integer_coordinates() {
    let t = floats(&[4, 4], &ramp(16));
    let s = Sampler::default();
    let form = FetchForm::sample(Geometry::D2, CoordType::S32, ResultType::F32);
    let at = |c: [i32; 2], e: &[i32]| {
        let (form, offset) = offset(form, e);
        let coords = Coordinates::at([c[0] as u32, c[1] as u32, 0], 0);
        let operands = FetchOperands { coords, offset, ..FetchOperands::default() };
        f32::from_bits(fetch(form, &t, &s, &operands).unwrap().values[0])
    };
    assert_eq!(at([1, 1], &[1, 2]), 14.0);
    assert_eq!(at([-1, 0], &[1, 0]), 0.0);
    assert_eq!(at([-1, 1], &[2, 0]), 5.0);
    assert_eq!(at([3, 1], &[1, 0]), 0.0, "outside");
    assert_eq!(at([i32::MAX, 1], &[7, 0]), 0.0, "does not wrap around");
    assert_eq!(at([i32::MIN, 1], &[-8, 0]), 0.0);
}

#[test]
fn clamp_ogl_blends_half_of_the_border() {
    let t = floats(&[2, 1], &[2.0, 4.0]);
    let mut s = sampler(Filter::Linear, AddressMode::ClampOgl);
    s.address_mode[1] = AddressMode::Clamp;
    s.border[0] = 8.0_f32.to_bits();
    assert_eq!(x(&t, &s, &[0.0, 0.5]), 5.0);
    assert_eq!(x(&t, &s, &[-7.0, 0.5]), 5.0, "no further than the edge");
    assert_eq!(x(&t, &s, &[2.0, 0.5]), 6.0);
    assert_eq!(x(&t, &s, &[1e9, 0.5]), 6.0);
    assert_eq!(x(&t, &s, &[1.0, 0.5]), 3.0);
    s.filter = Filter::Point;
    assert_eq!(x(&t, &s, &[-7.0, 0.5]), 2.0);
    assert_eq!(x(&t, &s, &[2.0, 0.5]), 4.0);
}
