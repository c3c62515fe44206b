//! Tests gathers, cubes, gradients and taps of the reference by numbers worked out by hand.

use std::sync::Arc;
use texunit_memory::Block;
use texunit_texel::Format;
use texunit_unit::reference::trace::Trace;
use texunit_unit::reference::{fetch, trace};
use texunit_unit::{
    AddressMode, ArrayShape, CompareFunction, CoordType, Coordinates, Extent, FetchForm, FetchKind,
    FetchOperands, Filter, Geometry, Lod, ReadMode, Resource, ResultType, Sampler, Texture,
};

const LINEAR: Filter = Filter::Linear;
const POINT: Filter = Filter::Point;

/// A texture with these packed texels. It has no mip levels if `levels` is 0.
fn texture(geometry: Geometry, format: &str, size: [u32; 3], levels: u32, bytes: &[u8]) -> Texture {
    let extent = Extent { width: size[0], height: size[1], depth: size[2] };
    let format = Format::from_name(format).unwrap();
    let levels = (levels > 0).then_some(levels);
    let shape = ArrayShape { levels, ..ArrayShape::new(format, geometry, extent) };
    let block = Arc::new(Block::new(shape.size().unwrap() as usize, "b").unwrap());
    let resource = Resource::array(&shape, block, "t").unwrap();
    resource.fill_packed(bytes).unwrap();
    Texture { resource: Arc::new(resource), read_mode: ReadMode::Element, normalized_coords: true }
}

fn floats(numbers: impl IntoIterator<Item = f32>) -> Vec<u8> {
    numbers.into_iter().flat_map(f32::to_le_bytes).collect()
}

/// Texels with the numbers 0, 1, 2 and so on.
fn counted(count: u32) -> Vec<u8> {
    floats((0..count).map(|k| k as f32))
}

fn form(geometry: Geometry, kind: FetchKind) -> FetchForm {
    FetchForm { kind, ..FetchForm::sample(geometry, CoordType::F32, ResultType::F32) }
}

fn sampler(filter: Filter, mode: AddressMode) -> Sampler {
    Sampler::default().with_filter(filter).with_address_mode(mode)
}

fn at(coords: [f32; 3]) -> FetchOperands {
    let coords = Coordinates::at(coords.map(f32::to_bits), 0);
    FetchOperands { coords, ..FetchOperands::default() }
}

/// The result of a fetch as floats.
fn get(form: FetchForm, texture: &Texture, sampler: &Sampler, o: &FetchOperands) -> [f32; 4] {
    fetch(form, texture, sampler, o).unwrap().values.map(f32::from_bits)
}

fn rules(trace: &Trace) -> Vec<&'static str> {
    trace.level.steps.iter().map(|s| s.rule).collect()
}

#[test]
fn gathers_go_round_the_footprint() {
    let t = texture(Geometry::D2, "f32", [4, 4, 1], 0, &counted(16));
    let f = form(Geometry::D2, FetchKind::Gather(0));
    let s = sampler(POINT, AddressMode::Wrap);
    // At u = 2, the texels are 1 and 2 along both axes.
    assert_eq!(get(f, &t, &s, &at([0.5, 0.5, 0.0])), [9.0, 10.0, 6.0, 5.0]);
    // A fraction of 255.6/256 carries into the next texel.
    assert_eq!(get(f, &t, &s, &at([0.6246, 0.5, 0.0])), [10.0, 11.0, 7.0, 6.0]);
    assert_eq!(get(f, &t, &s, &at([0.6240, 0.5, 0.0])), [9.0, 10.0, 6.0, 5.0]);
    // Past the edges, the address mode acts on each index.
    assert_eq!(get(f, &t, &s, &at([0.0, 0.0, 0.0])), [3.0, 0.0, 12.0, 15.0]);
    let s = sampler(POINT, AddressMode::Clamp);
    assert_eq!(get(f, &t, &s, &at([0.0, 0.5, 0.0])), [8.0, 8.0, 4.0, 4.0]);
    assert_eq!(get(f, &t, &s, &at([9.0, 0.5, 0.0])), [11.0, 11.0, 7.0, 7.0]);
    let s = (sampler(LINEAR, AddressMode::Border)).with_border_bits([0x4120_0000; 4]);
    assert_eq!(get(f, &t, &s, &at([1.0, 0.5, 0.0])), [11.0, 10.0, 10.0, 7.0]);
    // A component that the format lacks is 0.
    let lacking = form(Geometry::D2, FetchKind::Gather(3));
    assert_eq!(get(lacking, &t, &s, &at([0.5, 0.5, 0.0])), [0.0; 4]);
}

#[test]
fn gathers_keep_six_bits_of_offsets() {
    let t = texture(Geometry::D2, "f32", [64, 1, 1], 0, &counted(64));
    let f = FetchForm { offset: true, ..form(Geometry::D2, FetchKind::Gather(0)) };
    let s = sampler(POINT, AddressMode::Clamp);
    let gather = |x: i32| {
        let o = FetchOperands { offset: [x, 0, 0], ..at([0.5, 0.5, 0.0]) };
        get(f, &t, &s, &o)[3]
    };
    assert_eq!(
        [0, 1, 31, 32, 33, -32, -33, 64].map(gather),
        [31.0, 32.0, 62.0, 0.0, 0.0, 0.0, 62.0, 31.0]
    );
}

#[test]
fn gathers_clean_floats_up() {
    let codes = [0x7f80_0001, 0x807f_ffff, 0xff80_0000, 0x0080_0000_u32];
    let bytes: Vec<u8> = codes.into_iter().flat_map(u32::to_le_bytes).collect();
    let t = texture(Geometry::D2, "f32", [2, 2, 1], 0, &bytes);
    let f = form(Geometry::D2, FetchKind::Gather(0));
    let o = at([0.5, 0.5, 0.0]);
    let got = fetch(f, &t, &sampler(LINEAR, AddressMode::Clamp), &o).unwrap().values;
    assert_eq!(got, [0xff80_0000, 0x0080_0000, 0x8000_0000, 0x7fff_ffff]);
}

#[test]
fn gathers_of_mipmaps_read_level_0() {
    let t = texture(Geometry::D2, "f32", [2, 2, 1], 2, &counted(5));
    let f = form(Geometry::D2, FetchKind::Gather(0));
    let s = (sampler(LINEAR, AddressMode::Clamp))
        .with_mip_filter(LINEAR)
        .with_min_level_clamp(1.0)
        .with_level_bias(1.0);
    assert_eq!(get(f, &t, &s, &at([0.5, 0.5, 0.0])), [2.0, 3.0, 1.0, 0.0]);
}

#[test]
fn gathers_compare_texel_by_texel() {
    let t = texture(Geometry::D2, "f32", [2, 2, 1], 0, &floats([0.25, 0.5, 0.75, f32::NAN]));
    let f = FetchForm { compare: true, ..form(Geometry::D2, FetchKind::Gather(0)) };
    let o = FetchOperands { compare: 0.5_f32.to_bits(), ..at([0.5, 0.5, 0.0]) };
    let compare = |function| {
        let s = (sampler(LINEAR, AddressMode::Clamp)).with_compare(function);
        get(f, &t, &s, &o)
    };
    assert_eq!(compare(CompareFunction::LessEqual), [1.0, 0.0, 1.0, 0.0]);
    assert_eq!(compare(CompareFunction::Greater), [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(compare(CompareFunction::NotEqual), [1.0, 1.0, 0.0, 1.0]);
}

/// A cube each of whose faces has one number in all texels of all levels.
fn coloured_cube(n: u32, levels: u32) -> Texture {
    let mut bytes = Vec::new();
    for level in 0..levels.max(1) {
        let texels = (n >> level).max(1).pow(2) as usize;
        for face in 0..6 {
            bytes.extend(floats(std::iter::repeat_n((10 * face + level) as f32, texels)));
        }
    }
    texture(Geometry::Cube, "f32", [n, n, 1], levels, &bytes)
}

#[test]
fn cubes_point_at_faces() {
    let t = coloured_cube(4, 0);
    let f = form(Geometry::Cube, FetchKind::Sample(Lod::Implicit));
    let s = sampler(POINT, AddressMode::Clamp);
    let face = |d| get(f, &t, &s, &at(d))[0];
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    assert_eq!(face([1.0, 0.5, 0.25]), 0.0);
    assert_eq!(face([-9.0, 0.5, 0.25]), 10.0);
    assert_eq!(face([0.0, 1e-30, 0.0]), 20.0);
    assert_eq!(face([0.0, -2.0, 1.0]), 30.0);
    assert_eq!(face([1.0, 1.0, 1.0]), 40.0);
    assert_eq!(face([1.0, 1.0, -1.0]), 50.0);
    // Rule 7.4 of docs/numerics.md: the products are NaNs and zeros, of which zeros are larger.
    for (d, of) in [
        ([0.0; 3], 40.0),
        ([nan; 3], 40.0),
        ([-0.0, -0.0, -0.0], 40.0),
        ([inf, 1.0, 1.0], 40.0),
        ([inf, inf, 1.0], 40.0),
        ([1.0, 1.0, inf], 20.0),
        ([inf, 1.0, inf], 20.0),
        ([1.0, inf, inf], 0.0),
    ] {
        assert_eq!(face(d), of, "{d:?}");
    }
}

/// Rules 7.5 and 7.6 of docs/numerics.md: address modes act inside a face.
#[test]
fn modes_act_on_faces() {
    let t = |levels| {
        let face = |level: u32| (0..6 * 4 / (level + 1).pow(2)).map(|k| k as f32);
        let all: Vec<f32> = (0..u32::max(levels, 1)).flat_map(face).collect();
        let t = texture(Geometry::Cube, "f32", [2, 2, 1], levels, &floats(all));
        Texture { normalized_coords: false, ..t }
    };
    let f = form(Geometry::Cube, FetchKind::Sample(Lod::Implicit));
    // The coordinates are at the edge of face +z: s = 1 is past its last texel, and t is a quarter.
    let o = at([1.0, 0.5, 1.0]);
    for t in [t(0), t(1), t(2)] {
        let get = |filter, mode, seamless| {
            let s = sampler(filter, mode).with_seamless_cube(seamless).with_border_bits([0; 4]);
            get(f, &t, &s, &o)[0]
        };
        use AddressMode::{Border, Clamp, Mirror, Wrap};
        let all = [Wrap, Mirror, Clamp, Border];
        assert_eq!(all.map(|mode| get(POINT, mode, false)), [16.0, 17.0, 17.0, 0.0]);
        // Half of the result comes from each of the two texels.
        assert_eq!(all.map(|mode| get(LINEAR, mode, false)), [16.5, 17.0, 17.0, 8.5]);
        // Seamless cubes ignore the mode: the texels are 17, and the first texel of face +x, 0.
        assert_eq!(all.map(|mode| get(POINT, mode, true)), [17.0; 4]);
        assert_eq!(all.map(|mode| get(LINEAR, mode, true)), [8.5; 4]);
    }
}

#[test]
fn seamless_cubes_blend_neighbours() {
    let t = coloured_cube(4, 0);
    let f = form(Geometry::Cube, FetchKind::Sample(Lod::Implicit));
    let s = (sampler(LINEAR, AddressMode::Clamp)).with_seamless_cube(true);
    let value = |d| get(f, &t, &s, &at(d))[0];
    assert_eq!(value([0.0, 0.0, 1.0]), 40.0);
    // On the edge between +z (40) and +x (0), both faces have half of the weight.
    assert_eq!(value([1.0, 0.0, 1.0]), 20.0);
    // An eighth of a face before the edge is the centre of the last texel.
    assert_eq!(value([0.75, 0.0, 1.0]), 40.0);
    // Rule 7.7 of docs/numerics.md: at the corner of faces +x (0), +y (20) and +z (40), the missing
    // texel's weight of 64 goes to the others: 21, 21, and 22 to the texel inside the face.
    assert_eq!(value([1.0, 1.0, 1.0]), (85.0 * 20.0 + 86.0 * 40.0) / 256.0);
    let trace = trace(f, &t, &s, &at([1.0, 1.0, 1.0])).unwrap();
    let texels = &trace.footprints[0].texels;
    assert!(texels.iter().all(|t| t.at.is_some()));
    let weights: Vec<_> = texels.iter().map(|t| (t.corner, t.weight)).collect();
    assert_eq!(weights, [([0, 0, 0], 85), ([0, 1, 0], 86), ([1, 1, 0], 85)]);
    let seamed = sampler(LINEAR, AddressMode::Clamp);
    assert_eq!(get(f, &t, &seamed, &at([1.0, 0.0, 1.0]))[0], 40.0);
}

/// Rule 8.7 of docs/numerics.md: the missing texel is a sum with the weights 86 (inside), 85 and
/// 85.
#[test]
fn seamless_cubes_gather_their_corners() {
    let f = form(Geometry::Cube, FetchKind::Gather(0));
    let s = sampler(POINT, AddressMode::Wrap).with_seamless_cube(true);
    let corner = at([1.0, 1.0, 1.0]);
    let wanted = (85.0 * 20.0 + 86.0 * 40.0) / 256.0;
    let t = coloured_cube(4, 0);
    assert_eq!(get(f, &t, &s, &corner), [40.0, 0.0, wanted, 20.0]);
    // Beside an edge that is not at a corner of the cube, all four texels exist.
    assert_eq!(get(f, &t, &s, &at([1.0, 0.0, 1.0])), [40.0, 0.0, 0.0, 40.0]);
    // The missing texel of a gather is a weighted sum; of a compare, of the texels that pass.
    let faces: Vec<u8> = (0..6).flat_map(|face: u8| [10 * face; 16]).collect();
    let integers = texture(Geometry::Cube, "u8", [4, 4, 1], 0, &faces);
    let values = fetch(f, &integers, &s, &corner).unwrap().values;
    assert_eq!(values, [40, 0, 20, 20], "(3440 + 1700 + 128) / 256");
    let compare = FetchForm { compare: true, ..f };
    let s = s.with_compare(CompareFunction::Less);
    let o = FetchOperands { compare: 10.0_f32.to_bits(), ..corner };
    assert_eq!(get(compare, &t, &s, &o), [1.0, 0.0, 171.0 / 256.0, 1.0]);
}

#[test]
fn cubes_have_levels_and_gradients() {
    let t = coloured_cube(8, 4);
    let s = (sampler(LINEAR, AddressMode::Clamp)).with_mip_filter(LINEAR);
    let level = form(Geometry::Cube, FetchKind::Sample(Lod::Level));
    let o = FetchOperands { level: 1.5_f32.to_bits(), ..at([0.0, 0.0, -1.0]) };
    assert_eq!(get(level, &t, &s, &o)[0], 51.5);
    let gradient = form(Geometry::Cube, FetchKind::Sample(Lod::Gradient));
    let steps = |dpdx: [f32; 3], dpdy: [f32; 3]| {
        let [dpdx, dpdy] = [dpdx, dpdy].map(|d| d.map(f32::to_bits));
        let o = FetchOperands { dpdx, dpdy, ..at([0.0, 0.0, -1.0]) };
        trace(gradient, &t, &s, &o).unwrap()
    };
    // Half of the distance to the edge is two texels.
    let one = steps([0.5, 0.0, 0.0], [0.0; 3]);
    assert_eq!(one.level.q, 256);
    assert_eq!(f32::from_bits(one.answer.values[0]), 51.0);
    assert_eq!(rules(&one), ["4.11", "4.3", "4.4", "4.6", "4.7", "3.3", "3.4"]);
    // Through the cube to the opposite face, the distance is as many texels as an edge has.
    let far = steps([0.0, 0.0, 2.0], [0.0; 3]);
    assert_eq!((far.level.q, f32::from_bits(far.answer.values[0])), (768, 53.0));
}

#[test]
fn gradients_of_all_geometries() {
    let s = (sampler(LINEAR, AddressMode::Clamp)).with_mip_filter(LINEAR);
    let quarter = 0.25_f32.to_bits();
    let q = |geometry: Geometry, size: [u32; 3], dpdx: [u32; 3], dpdy: [u32; 3]| {
        let shape = ArrayShape {
            levels: Some(4),
            ..ArrayShape::new(
                Format::from_name("u8").unwrap(),
                geometry,
                Extent { width: size[0], height: size[1], depth: size[2] },
            )
        };
        let block = Arc::new(Block::new(shape.size().unwrap() as usize, "b").unwrap());
        let resource = Arc::new(Resource::array(&shape, block, "t").unwrap());
        let read_mode = ReadMode::NormalizedFloat;
        let t = Texture { resource, read_mode, normalized_coords: true };
        let o = FetchOperands { dpdx, dpdy, ..FetchOperands::default() };
        let f = form(geometry, FetchKind::Sample(Lod::Gradient));
        trace(f, &t, &s, &o).unwrap().level.q
    };
    let x = [quarter, 0, 0];
    assert_eq!(q(Geometry::D1, [16, 1, 1], x, [0; 3]), 512);
    assert_eq!(q(Geometry::A1d, [16, 1, 1], [0; 3], x), 512);
    // The second components of a 1D gradient are ignored.
    assert_eq!(q(Geometry::D1, [16, 1, 1], [0, quarter, 0], [0; 3]), 0);
    assert_eq!(q(Geometry::D2, [16, 8, 1], x, [0, quarter, 0]), 512);
    assert_eq!(q(Geometry::A2d, [4, 16, 1], [0, quarter, 0], x), 512);
    assert_eq!(q(Geometry::D3, [4, 4, 16], [0, 0, quarter], x), 512);
    // A 3D fetch takes a NaN gradient as a jump from P to 0, which here is from 0 to 0.
    assert_eq!(q(Geometry::D3, [16, 4, 4], [f32::NAN.to_bits(), 0, 0], [0; 3]), 0);
    assert_eq!(q(Geometry::D3, [16, 4, 4], [f32::INFINITY.to_bits(), 0, 0], [0; 3]), 768);
    assert_eq!(q(Geometry::D2, [16, 4, 1], [f32::INFINITY.to_bits(), 0, 0], [0; 3]), 768);
}

/// A texture with the squares of x along each of 32 rows, whose mean shows where taps are.
fn squares() -> Texture {
    let row = || (0..32_u32).map(|x| (x * x) as f32);
    texture(Geometry::D2, "f32", [32, 32, 1], 0, &floats((0..32).flat_map(|_| row())))
}

fn anisotropic(max_anisotropy: u32, dpdx: [f32; 2], dpdy: [f32; 2], o: FetchOperands) -> Trace {
    let bits = |d: [f32; 2]| [(d[0] / 32.0).to_bits(), (d[1] / 32.0).to_bits(), 0];
    let s = (sampler(LINEAR, AddressMode::Clamp)).with_max_anisotropy(max_anisotropy);
    let o = FetchOperands { dpdx: bits(dpdx), dpdy: bits(dpdy), ..o };
    trace(form(Geometry::D2, FetchKind::Sample(Lod::Gradient)), &squares(), &s, &o).unwrap()
}

#[test]
fn anisotropic_taps_add_up() {
    let x = |t: &Trace| f32::from_bits(t.answer.values[0]);
    let middle = at([8.5 / 32.0, 0.5, 0.0]);
    // With a ratio of 4, taps of equal weight at 7, 8, 9, 10 are each half way between two texels.
    let four = anisotropic(16, [8.0, 0.0], [0.0, 2.0], middle);
    assert_eq!(four.footprints.len(), 4);
    assert_eq!(x(&four), (42.5 + 56.5 + 72.5 + 90.5) / 4.0);
    let places: Vec<f64> = four.footprints.iter().map(|f| f.axes[0].texels).collect();
    assert_eq!(places, [7.0, 8.0, 9.0, 10.0]);
    assert_eq!((four.footprints[3].tap, four.footprints[3].share), ((3, 4), 256));
    let said = rules(&four);
    assert_eq!(said[..6], ["4.2", "4.3", "4.4", "4.6", "4.7", "4.12"]);
    // The other gradient is the longer one, so taps lie along y, where nothing changes.
    assert_eq!(x(&anisotropic(16, [2.0, 0.0], [0.0, 8.0], middle)), 64.0);
    // With a maximum anisotropy of 2 there are two taps, a texel apart.
    assert_eq!(x(&anisotropic(2, [8.0, 0.0], [0.0, 2.0], middle)), (56.5 + 72.5) / 2.0);
    // With a ratio of 3 (406 of 256), w = 4 * E(150) >> 1 = 342 of 1024 is more than 256, so taps
    // inside have 171 of 512 and those at the ends 85. Each is split in two, the upper half
    // rounded.
    let three = x(&anisotropic(16, [6.0, 0.0], [0.0, 2.0], middle));
    let split = |lower: f32, upper: f32, at: f32| lower * at * at + upper * (at + 1.0).powi(2);
    let ends = split(42.0, 43.0, 6.0) + split(42.0, 43.0, 9.0);
    assert_eq!(three, (ends + split(85.0, 86.0, 7.0) + split(85.0, 86.0, 8.0)) / 512.0);
    // A round footprint has one tap.
    let one = anisotropic(16, [8.0, 0.0], [0.0, 8.0], middle);
    assert_eq!((x(&one), one.footprints.len()), (64.0, 1));
}

#[test]
fn two_close_taps() {
    // With a ratio of 1.5 (150 of 256), t = 256 - E(150) = 85: the taps are 43/64 of a texel apart.
    let t = anisotropic(16, [6.0, 0.0], [0.0, 4.0], at([8.5 / 32.0, 0.5, 0.0]));
    assert_eq!(t.footprints.len(), 2);
    assert!(t.footprints.iter().all(|f| f.share == 256 && f.scale == 1));
    let distance = t.footprints[1].axes[0].texels - t.footprints[0].axes[0].texels;
    assert_eq!(distance, 43.0 / 64.0);
}

#[test]
fn ties_of_taps_go_up() {
    // Two taps of equal weight: unorm 16 codes 0 and 1 give K = 1, snorm 16 codes -1 and 0 give 0.
    let get = |format: &str, codes: [u16; 4]| {
        let bytes: Vec<u8> = codes.into_iter().flat_map(u16::to_le_bytes).collect();
        let mut t = texture(Geometry::D2, format, [4, 1, 1], 0, &bytes);
        t.read_mode = ReadMode::NormalizedFloat;
        let s = (sampler(LINEAR, AddressMode::Clamp)).with_max_anisotropy(2);
        let o = FetchOperands {
            dpdx: [1.0_f32.to_bits(), 0, 0],
            // The coordinate is between texels 1 and 2, so that the taps are at their centres.
            ..at([0.5, 0.5, 0.0])
        };
        let f = form(Geometry::D2, FetchKind::Sample(Lod::Gradient));
        trace(f, &t, &s, &o).unwrap()
    };
    let up = get("u16", [9, 0, 1, 9]);
    assert_eq!(up.footprints.len(), 2);
    assert_eq!(up.answer.values[0], (1.0_f32 / 65535.0).to_bits());
    assert_eq!(get("s16", [9, 0xffff, 0, 9]).answer.values[0], 0);
}

#[test]
fn anisotropy_is_of_planes() {
    let taps = |geometry: Geometry, size: [u32; 3], filter| {
        let count = size.iter().product::<u32>() * if geometry.is_cube() { 6 } else { 1 };
        let t = texture(geometry, "f32", size, 0, &counted(count));
        let s = (sampler(filter, AddressMode::Clamp)).with_max_anisotropy(16);
        let o = FetchOperands { dpdx: [0.5_f32.to_bits(), 0, 0], ..at([0.25, 0.25, 1.0]) };
        let f = form(geometry, FetchKind::Sample(Lod::Gradient));
        trace(f, &t, &s, &o).unwrap().footprints.len()
    };
    // The gradient has 4 texels, or 2 on a face, which is twice as wide. R is its length.
    for filter in [LINEAR, POINT] {
        assert_eq!(taps(Geometry::D2, [8, 8, 1], filter), 4);
        assert_eq!(taps(Geometry::D1, [8, 1, 1], filter), 4);
        assert_eq!(taps(Geometry::A2d, [8, 8, 1], filter), 4);
        assert_eq!(taps(Geometry::Cube, [8, 8, 1], filter), 2);
        assert_eq!(taps(Geometry::A1d, [8, 1, 1], filter), 1);
        assert_eq!(taps(Geometry::D3, [8, 8, 2], filter), 1);
    }
}
