//! Fetches of whole arrays: those that are done in one piece, of small textures and of some that are large
//! enough to be asked for early, with lanes among them that need another way.

use super::draw::Draw;
use super::*;
use crate::request::{FetchOperands, FetchRequest, Lanes, ZERO_LANES, places};

/// Whole warps, and a part of one.
const FETCHES: usize = 32 * 9 + 5;

/// What is fetched.
struct Kind {
    geometry: Geometry,
    format: &'static str,
    filter: Filter,
    /// Width, height and depth of a texture that is asked for early.
    large: [u32; 3],
}

const KINDS: [Kind; 6] = {
    use Filter::{Linear, Point};
    use Geometry::{D2, D3};
    [
        Kind { geometry: D2, format: "f32", filter: Linear, large: [512, 512, 1] },
        Kind { geometry: D3, format: "f32", filter: Linear, large: [64, 64, 64] },
        Kind { geometry: D2, format: "f32x4", filter: Linear, large: [256, 256, 1] },
        Kind { geometry: D2, format: "u8x4", filter: Linear, large: [512, 512, 1] },
        Kind { geometry: D2, format: "u8x4", filter: Point, large: [512, 512, 1] },
        // Not in one piece.
        Kind { geometry: D2, format: "f16x4", filter: Linear, large: [512, 512, 1] },
    ]
};

/// A texture: half of those of floats have ordinary ones only, which are summed by fewer operations.
fn texture(
    d: &mut Draw,
    kind: &Kind,
    (large, normalized): (bool, bool),
    sampler: &Sampler,
) -> Arc<Texture> {
    let format = Format::from_name(kind.format).unwrap();
    let [width, height, depth] = match (large, kind.geometry) {
        (true, _) => kind.large,
        (false, Geometry::D3) => [d.of(&[4, 7, 16]), d.of(&[1, 8, 9]), d.of(&[2, 5])],
        (false, _) => [d.of(&[1, 8, 37, 64]), d.of(&[1, 16, 21]), 1],
    };
    let shape = ArrayShape::new(format, kind.geometry, Extent { width, height, depth });
    let block = Arc::new(Block::new(shape.size().unwrap() as usize, "texels").unwrap());
    let resource = Resource::array(&shape, block, "t").unwrap();
    let ordinary = d.one_in(2);
    let word = |_| if ordinary { d.float(-1.0, 1.0).to_bits() } else { d.word() };
    let words: Vec<u32> = (0..resource.size_in_bytes().div_ceil(4)).map(word).collect();
    let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    resource.fill_packed(&bytes[..resource.size_in_bytes() as usize]).unwrap();
    let mode = if kind.format == "u8x4" { ReadMode::NormalizedFloat } else { ReadMode::Element };
    Arc::new(Texture::new(Arc::new(resource), mode, normalized, sampler).unwrap())
}

/// Points far from each other or in a line, many of them at the centres of texels along some axes, where
/// a row or slice of the footprint counts nothing.
fn points(d: &mut Draw, scale: f32) -> [Vec<u32>; 3] {
    let (line, some_far) = (d.one_in(2), d.one_in(2));
    std::array::from_fn(|_| {
        let step = d.of(&[0.0, 0.25, 1.0, 0.3]);
        let at = |i: usize| match line {
            // What 32 bits do not hold.
            _ if some_far && d.one_in(100) => d.of(&[1e7, -3e9, f32::INFINITY, f32::NAN, 1e-30]),
            true => (i as f32 * step + 0.5) / 512.0 * scale,
            false if step == 0.25 => (d.below(2048) as f32 + 0.5) / 2048.0 * scale,
            false if step == 1.0 => (d.below(512) as f32 + 0.5) / 512.0 * scale,
            false => d.float(-0.5, 1.5) * scale,
        };
        (0..FETCHES).map(at).map(f32::to_bits).collect()
    })
}

#[test]
fn all_kinds() {
    use AddressMode::{Border, Clamp, Mirror, Wrap};
    let mut d = Draw(number("TEXUNIT_SEED").unwrap_or(1));
    for round in 0..number("TEXUNIT_CASES").unwrap_or(12) {
        for kind in &KINDS {
            let normalized = !d.one_in(4);
            let mode = match normalized {
                true => d.of(&[Wrap, Clamp, Border, Mirror]),
                false => d.of(&[Clamp, Border]),
            };
            let address_mode = if d.one_in(6) { [mode, Clamp, mode] } else { [mode; 3] };
            let sampler = Sampler { filter: kind.filter, address_mode, ..Sampler::default() };
            // Large ones take long to fill.
            let texture = texture(&mut d, kind, (round < 3, normalized), &sampler);
            let width = texture.resource.shape().extent.width as f32;
            let points = points(&mut d, if normalized { 1.0 } else { width });
            let name = format!("{round} {} {address_mode:?} {normalized}", kind.format);
            check(&texture, kind.geometry, &sampler, &points, &name);
        }
    }
}

/// Fetches of one array only, the other coordinate is zero; and of two components.
#[test]
fn some_arrays() {
    let mut d = Draw(7);
    let sampler = Sampler { filter: Filter::Linear, ..Sampler::default() };
    let texture = texture(&mut d, &KINDS[3], (false, true), &sampler);
    let [x, y, _] = points(&mut d, 1.0);
    let form = FetchForm::sample(Geometry::D2, CoordType::F32, ResultType::F32);
    let plan = FetchPlan::new(form, &texture, &sampler).unwrap();
    let fetch = |coords: [&[u32]; 4], components: u8| {
        let mut out: [Vec<u32>; 4] = std::array::from_fn(|_| vec![KEPT; FETCHES]);
        let arrays = FetchArrays { components, ..FetchArrays::new(coords) };
        let places = out.each_mut().map(|c| &mut c[..]);
        plan.fetch_arrays(&arrays, places, &mut Scratch::new()).unwrap();
        out
    };
    let zeros = vec![0; FETCHES];
    assert_eq!(fetch([&x, &[], &[], &[]], 0xf), fetch([&x, &zeros, &[], &[]], 0xf));
    let (all, some) = (fetch([&x, &y, &[], &[]], 0xf), fetch([&x, &y, &[], &[]], 0b1010));
    assert_eq!([&some[1], &some[3]], [&all[1], &all[3]]);
    assert!(some[0].iter().chain(&some[2]).all(|&word| word == KEPT));
}

/// Compares the results of all builds with the reference's.
fn check(
    texture: &Arc<Texture>,
    geometry: Geometry,
    sampler: &Sampler,
    [x, y, z]: &[Vec<u32>; 3],
    name: &str,
) {
    let form = FetchForm::sample(geometry, CoordType::F32, ResultType::F32);
    let wanted: Vec<[u32; 4]> = (0..FETCHES)
        .map(|i| {
            let operands = FetchOperands { coords: [x[i], y[i], z[i], 0], ..Default::default() };
            reference::fetch(form, texture, sampler, &operands).unwrap().values
        })
        .collect();
    for build in Build::all() {
        let plan = FetchPlan::with_build(form, texture, sampler, build).unwrap();
        let mut out: [Vec<u32>; 4] = std::array::from_fn(|_| vec![KEPT; FETCHES]);
        let arrays = FetchArrays::new([x, y, z, &[]]);
        let mut scratch = Scratch::new();
        plan.fetch_arrays(&arrays, out.each_mut().map(|c| &mut c[..]), &mut scratch).unwrap();
        for (i, wanted) in wanted.iter().enumerate() {
            let got = out.each_ref().map(|c| c[i]);
            assert_eq!(got, *wanted, "{name}, {build:?}: fetch {i}, {geometry:?}");
        }
        // The same from registers of warps that lie anywhere.
        assert!(plan.takes_warps());
        for at_coordinates in [false, true] {
            if at_coordinates && !plan.takes_coordinates() {
                continue;
            }
            let warps = by_warps(&plan, [x, y, z], at_coordinates);
            for (i, wanted) in wanted.iter().enumerate().take(warps.len() * 32) {
                let got = warps[i / 32].each_ref().map(|c| c[i % 32]);
                assert_eq!(
                    got, *wanted,
                    "{name}, {build:?}, {at_coordinates}: fetch {i} of a warp"
                );
            }
        }
    }
}

/// Fetches of whole warps by their registers.
fn by_warps(plan: &FetchPlan, coords: [&[u32]; 3], at_coordinates: bool) -> Vec<[Lanes; 4]> {
    let [x, y, z] = coords.map(|axis| axis.as_chunks::<32>().0);
    let mut out = vec![[[KEPT; 32]; 4]; x.len()];
    let mut scratch = Scratch::new();
    let registers = |w: usize| [&x[w], &y[w], &z[w]];
    let places_of = out.iter_mut().map(|values| places(values, 0xf));
    if at_coordinates {
        let coords: Vec<_> = (0..x.len()).map(registers).collect();
        plan.fetch_at(&coords, &mut places_of.collect::<Vec<_>>(), &mut scratch);
    } else {
        let requests = (0..x.len())
            .map(registers)
            .map(|[x, y, z]| FetchRequest::new(u32::MAX, [x, y, z, &ZERO_LANES]));
        plan.fetch_warps(requests.zip(places_of), &mut scratch);
    }
    out
}

/// Plans that answer one warp at a time leave several alone.
#[test]
fn some_plans_take_one_warp() {
    let mut d = Draw(7);
    let sampler = Sampler { filter: Filter::Linear, ..Sampler::default() };
    let texture = texture(&mut d, &KINDS[3], (false, true), &sampler);
    let points = points(&mut d, 1.0);
    let form = FetchForm::sample(Geometry::D2, CoordType::F32, ResultType::F16);
    let plan = FetchPlan::new(form, &texture, &sampler).unwrap();
    assert!(!plan.takes_warps() && !plan.takes_coordinates());
    for at_coordinates in [false, true] {
        let out = by_warps(&plan, points.each_ref().map(|axis| &axis[..]), at_coordinates);
        assert!(out.as_flattened().as_flattened().iter().all(|&word| word == KEPT));
    }
}
