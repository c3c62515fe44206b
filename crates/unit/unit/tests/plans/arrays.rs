//! Tests fetches of whole arrays, some of which run in the fused stage. Textures are small, or
//! large enough to be prefetched; some lanes need another path.

use super::draw::Draw;
use super::*;
use texunit_unit::{
    FetchArrays, FetchOperands, FetchRows, Operand, Requests, Residency, Results, UnwrittenRows,
    ZERO_LANES,
};

/// Number of fetches of a test: nine whole warps, and five lanes of a tenth.
const FETCHES: usize = 32 * 9 + 5;

/// A kind of texture from which arrays of points are fetched.
struct Kind {
    geometry: Geometry,
    format: &'static str,
    filter: Filter,
    /// Width, height and depth of a texture that is large enough to be prefetched.
    large: [u32; 3],
}

const KINDS: [Kind; 9] = {
    use Filter::{Linear, Point};
    use Geometry::{Cube, D2, D3};
    [
        Kind { geometry: D2, format: "f32", filter: Linear, large: [512, 512, 1] },
        Kind { geometry: D3, format: "f32", filter: Linear, large: [64, 64, 64] },
        Kind { geometry: D2, format: "f32x4", filter: Linear, large: [256, 256, 1] },
        Kind { geometry: D2, format: "u8x4", filter: Linear, large: [512, 512, 1] },
        Kind { geometry: D2, format: "u8x4", filter: Point, large: [512, 512, 1] },
        Kind { geometry: Cube, format: "u8x4", filter: Linear, large: [512, 512, 1] },
        Kind { geometry: Cube, format: "f32x4", filter: Linear, large: [64, 64, 1] },
        Kind { geometry: Cube, format: "u8x4", filter: Point, large: [64, 64, 1] },
        // Texels that are not contiguous in memory.
        Kind { geometry: D2, format: "f16x4", filter: Linear, large: [512, 512, 1] },
    ]
};

/// A random texture. Half of the float textures have only ordinary numbers, which are summed by
/// fewer operations.
fn texture(
    d: &mut Draw,
    kind: &Kind,
    (large, normalized): (bool, bool),
    sampler: &Sampler,
) -> Arc<Texture> {
    let format = Format::from_name(kind.format).unwrap();
    let [width, height, depth] = match (large, kind.geometry) {
        (true, _) => kind.large,
        (false, Geometry::Cube) => {
            let size = d.of(&[1, 8, 37]);
            [size, size, 1]
        }
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

/// How the points of consecutive lanes are arranged in the texture.
#[derive(Clone, Copy)]
enum Lie {
    /// The points are far from each other. Many of them are at the centres of texels along some
    /// axes, where a row or slice of the footprint has weight 0.
    Apart,
    /// The points are on a line along an axis or a diagonal.
    Line,
    /// Points are in strips of neighbouring texels, in either direction, in order or in disorder.
    Strips,
}

fn points(d: &mut Draw, scale: f32) -> [Vec<u32>; 3] {
    let (lie, some_far) = (d.of(&[Lie::Apart, Lie::Line, Lie::Strips]), d.one_in(2));
    let noise = d.of(&[0.0, 0.5, 3.0]);
    std::array::from_fn(|axis| {
        let step = d.of(&[0.0, 0.25, 1.0, 0.3]);
        let slope = d.float(-1.0, 1.0) * [1.9, 0.1, 0.02][axis];
        let mut start = 0.0;
        let at = |i: usize| match lie {
            // The coordinate is tiny, or its texel index does not fit 32 bits.
            _ if some_far && d.one_in(100) => d.of(&[1e7, -3e9, f32::INFINITY, f32::NAN, 1e-30]),
            Lie::Line => (i as f32 * step + 0.5) / 512.0 * scale,
            Lie::Strips => {
                if i.is_multiple_of(16) {
                    start = d.float(-0.05, 1.05) * 512.0;
                }
                let off = if axis == 0 { d.float(-noise, noise) } else { 0.0 };
                (start + (i % 16) as f32 * slope + off) / 512.0 * scale
            }
            Lie::Apart if step == 0.25 => (d.below(2048) as f32 + 0.5) / 2048.0 * scale,
            Lie::Apart if step == 1.0 => (d.below(512) as f32 + 0.5) / 512.0 * scale,
            Lie::Apart => d.float(-0.5, 1.5) * scale,
        };
        (0..FETCHES).map(at).map(f32::to_bits).collect()
    })
}

#[test]
fn all_kinds() {
    use AddressMode::{Border, Clamp, Mirror, Wrap};
    let mut d = Draw::new(number("TEXUNIT_SEED").unwrap_or(1));
    for round in 0..number("TEXUNIT_CASES").unwrap_or(12) {
        for kind in &KINDS {
            let normalized = kind.geometry == Geometry::Cube || !d.one_in(4);
            let mode = match normalized {
                true => d.of(&[Wrap, Clamp, Border, Mirror]),
                false => d.of(&[Clamp, Border]),
            };
            let address_mode = if d.one_in(6) { [mode, Clamp, mode] } else { [mode; 3] };
            let sampler =
                Sampler::default().with_filter(kind.filter).with_address_modes(address_mode);
            // Large textures take long to fill, so that only a few rounds use them.
            let texture = texture(&mut d, kind, (round < 3, normalized), &sampler);
            let width = texture.resource.shape().extent.width as f32;
            let mut points = points(&mut d, if normalized { 1.0 } else { width });
            if kind.geometry == Geometry::Cube {
                // The directions point to all faces; some of them are 0.
                for x in points.iter_mut().flatten() {
                    let size = (f32::from_bits(*x) - 0.5) * 2.0;
                    *x = if d.one_in(50) { 0 } else { size.to_bits() };
                }
            }
            let name = format!("{round} {} {address_mode:?} {normalized}", kind.format);
            check(&texture, kind.geometry, &sampler, &points, &name);
        }
    }
}

/// Tests levels that differ from lane to lane, or hardly do, from level operands and from
/// gradients.
#[test]
fn levels_of_lanes() {
    use AddressMode::{Border, Clamp, Mirror, Wrap};
    let mut d = Draw::new(number("TEXUNIT_SEED").unwrap_or(1));
    for round in 0..number("TEXUNIT_CASES").unwrap_or(12) * 8 {
        let format = d.of(&["u8x4", "u8x4", "u8x4", "f32"]);
        let [width, height] =
            [[64, 64], [256, 2], [1, 32], [37, 21], [128, 128]][round as usize % 5];
        let extent = Extent { width, height, depth: 1 };
        let mut shape = ArrayShape::new(Format::from_name(format).unwrap(), Geometry::D2, extent);
        shape.levels = Some(1 + d.below(width.max(height).ilog2() + 1));
        let block = Arc::new(Block::new(shape.size().unwrap() as usize, "texels").unwrap());
        let resource = Resource::array(&shape, block, "t").unwrap();
        let bytes: Vec<u8> = (0..resource.size_in_bytes()).map(|_| d.word() as u8 & 0x3f).collect();
        resource.fill_packed(&bytes).unwrap();
        let mode = d.of(&[Wrap, Wrap, Clamp, Border, Mirror]);
        let sampler = Sampler::default()
            .with_filter(d.of(&[Filter::Linear, Filter::Linear, Filter::Point]))
            .with_mip_filter(d.of(&[Filter::Linear, Filter::Linear, Filter::Point]))
            .with_address_mode(mode);
        let read_mode =
            if format == "u8x4" { ReadMode::NormalizedFloat } else { ReadMode::Element };
        let texture =
            Arc::new(Texture::new(Arc::new(resource), read_mode, true, &sampler).unwrap());
        let points = points(&mut d, 1.0);
        let (base, spread) = (d.float(-1.0, 6.0), d.of(&[0.0, 0.4, 5.0]));
        let level: Vec<u32> =
            (0..FETCHES).map(|_| (base + d.float(0.0, 1.0) * spread).to_bits()).collect();
        let slope: Vec<u32> =
            (0..FETCHES).map(|_| (d.float(0.0, 8.0) / width as f32).to_bits()).collect();
        for kind in [Lod::Level, Lod::Gradient] {
            let form = FetchForm {
                kind: FetchKind::Sample(kind),
                ..FetchForm::sample(Geometry::D2, CoordType::F32, ResultType::F32)
            };
            let name = format!("{round} {format} {width} x {height} {mode:?} {kind:?}");
            check_levels((form, &texture, &sampler), &points, (&level, &slope), &name);
        }
    }
}

/// Compares fetches with these levels and slopes along x, from arrays and from registers, with
/// those of the reference.
fn check_levels(
    (form, texture, sampler): (FetchForm, &Arc<Texture>, &Sampler),
    [x, y, _]: &[Vec<u32>; 3],
    (level, slope): (&[u32], &[u32]),
    name: &str,
) {
    let zeros = vec![0; FETCHES];
    let wanted: Vec<[u32; 4]> = (0..FETCHES)
        .map(|i| {
            let coords = Coordinates::at([x[i], y[i], 0], 0);
            let (level, dpdx) = (level[i], [slope[i], 0, 0]);
            let operands = FetchOperands { coords, level, dpdx, ..Default::default() };
            reference::fetch(form, texture, sampler, &operands).unwrap().values
        })
        .collect();
    for build in levels() {
        let plan = FetchPlan::at_level(form, texture, sampler, build).unwrap();
        let mut out: [Vec<u32>; 4] = std::array::from_fn(|_| vec![KEPT; FETCHES]);
        let arrays = FetchArrays {
            level,
            dpdx: [slope, &zeros, &zeros],
            dpdy: [&zeros, &zeros, &zeros],
            ..FetchArrays::new(Coordinates::at([x, y, &[]], &[]))
        };
        let places = out.each_mut().map(|c| &mut c[..]);
        plan.fetch_arrays(&arrays, places, &mut Scratch::new()).unwrap();
        for (i, wanted) in wanted.iter().enumerate() {
            let got = out.each_ref().map(|c| c[i]);
            assert_eq!(got, *wanted, "{name}, {build:?}: fetch {i}");
        }
        let of_warps = Leveled { level: level.as_chunks().0, slope: slope.as_chunks().0 };
        let (warps, _) = by_warps_with(&plan, [x, y, &zeros], &of_warps);
        for (i, wanted) in wanted.iter().enumerate().take(warps.len() * 32) {
            let got = warps[i / 32].each_ref().map(|c| c[i % 32]);
            assert_eq!(got, *wanted, "{name}, {build:?}: fetch {i} of a warp");
        }
    }
}

/// The fetches of whole warps, with levels and slopes.
struct Leveled<'a> {
    level: &'a [Lanes],
    slope: &'a [Lanes],
}

impl Requests for Leveled<'_> {
    fn request<'w>(&'w self, warp: usize, others: &UnwrittenRows<'w>) -> FetchRequest<'w> {
        let point = [X, Y, Z].map(|row| others.row(row));
        let dpdx = [&self.slope[warp], &ZERO_LANES, &ZERO_LANES];
        let coords = Coordinates::at(point, &ZERO_LANES);
        FetchRequest { level: &self.level[warp], dpdx, ..FetchRequest::new(u32::MAX, coords) }
    }
}

/// Tests fetches with an array for one coordinate only, the other coordinate being zero, and
/// fetches that request two components.
#[test]
fn some_arrays() {
    let mut d = Draw::new(7);
    let sampler = Sampler::default().with_filter(Filter::Linear);
    let texture = texture(&mut d, &KINDS[3], (false, true), &sampler);
    let [x, y, _] = points(&mut d, 1.0);
    let form = FetchForm::sample(Geometry::D2, CoordType::F32, ResultType::F32);
    let plan = FetchPlan::new(form, &texture, &sampler).unwrap();
    let fetch = |[x, y]: [&[u32]; 2], components: u8| {
        let coords = Coordinates::at([x, y, &[]], &[][..]);
        let mut out: [Vec<u32>; 4] = std::array::from_fn(|_| vec![KEPT; FETCHES]);
        let arrays = FetchArrays { components, ..FetchArrays::new(coords) };
        let places = out.each_mut().map(|c| &mut c[..]);
        plan.fetch_arrays(&arrays, places, &mut Scratch::new()).unwrap();
        out
    };
    let zeros = vec![0; FETCHES];
    assert_eq!(fetch([&x, &[]], 0xf), fetch([&x, &zeros], 0xf));
    let (all, some) = (fetch([&x, &y], 0xf), fetch([&x, &y], 0b1010));
    assert_eq!([&some[1], &some[3]], [&all[1], &all[3]]);
    assert!(some[0].iter().chain(&some[2]).all(|&word| word == KEPT));
}

/// Compares the results of all builds with those of the reference.
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
            let coords = Coordinates::at([x[i], y[i], z[i]], 0);
            let operands = FetchOperands { coords, ..Default::default() };
            reference::fetch(form, texture, sampler, &operands).unwrap().values
        })
        .collect();
    for level in levels() {
        let plan = FetchPlan::at_level(form, texture, sampler, level).unwrap();
        let mut out: [Vec<u32>; 4] = std::array::from_fn(|_| vec![KEPT; FETCHES]);
        let arrays = FetchArrays::new(Coordinates::at([x, y, z], &[]));
        let mut scratch = Scratch::new();
        plan.fetch_arrays(&arrays, out.each_mut().map(|c| &mut c[..]), &mut scratch).unwrap();
        for (i, wanted) in wanted.iter().enumerate() {
            let got = out.each_ref().map(|c| c[i]);
            assert_eq!(got, *wanted, "{name}, {level:?}: fetch {i}, {geometry:?}");
        }
        if geometry == Geometry::D2 {
            check_pairs(&plan, [x, y], &wanted, &format!("{name}, {level:?}"));
        }
        // The same fetches, with operands in register files of warps that are not contiguous in
        // memory.
        let (warps, resident) = by_warps(&plan, [x, y, z]);
        for (i, wanted) in wanted.iter().enumerate().take(warps.len() * 32) {
            let got = warps[i / 32].each_ref().map(|c| c[i % 32]);
            assert_eq!(got, *wanted, "{name}, {level:?}: fetch {i} of a warp");
        }
        assert!(resident.iter().all(|&lanes| lanes == u32::MAX), "{name}, {level:?}");
    }
}

/// Compares fetches at interleaved points, of all components, of two components, and with an array
/// that is too short.
fn check_pairs(plan: &FetchPlan, [x, y]: [&[u32]; 2], wanted: &[[u32; 4]], name: &str) {
    let pairs: Vec<[u32; 2]> = x.iter().zip(y).map(|(&x, &y)| [x, y]).collect();
    for components in [0b1111, 0b0110] {
        let mut out: [Vec<u32>; 4] = std::array::from_fn(|_| vec![KEPT; FETCHES]);
        let places = out.each_mut().map(|c| &mut c[..]);
        plan.fetch_pairs(&pairs, components, places, &mut Scratch::new()).unwrap();
        for (c, got) in out.iter().enumerate() {
            let is_wanted = components >> c & 1 == 1;
            for (i, (&got, wanted)) in got.iter().zip(wanted).enumerate() {
                let wanted = if is_wanted { wanted[c] } else { KEPT };
                assert_eq!(got, wanted, "{name}: component {c} of pair {i}");
            }
        }
    }
    let mut short = vec![0; FETCHES - 1];
    let out = [&mut short[..], &mut [], &mut [], &mut []];
    let error = plan.fetch_pairs(&pairs, 1, out, &mut Scratch::new()).unwrap_err();
    assert_eq!((error.what, error.len, error.fetches), ("out[0]", FETCHES - 1, FETCHES));
}

/// The rows of a register file: x, one that is left alone, results, y, z.
const X: usize = 0;
const RESULTS: Results = Results { first: 2, len: 4, components: [2, 0, 3, 1] };
const Y: usize = 6;
const Z: usize = 7;

/// The fetches of whole warps, without operands other than coordinates.
struct Points;

impl Requests for Points {
    fn request<'w>(&'w self, _: usize, others: &UnwrittenRows<'w>) -> FetchRequest<'w> {
        let point = [X, Y, Z].map(|row| others.row(row));
        FetchRequest::new(u32::MAX, Coordinates::at(point, &ZERO_LANES))
    }
}

/// Fetches whole warps from register files. Returns the results, and the lanes that are resident.
fn by_warps(plan: &FetchPlan, coords: [&[u32]; 3]) -> (Vec<[Lanes; 4]>, Vec<u32>) {
    by_warps_with(plan, coords, &Points)
}

/// Fetches whole warps as `by_warps` does, with further operands.
fn by_warps_with(
    plan: &FetchPlan,
    coords: [&[u32]; 3],
    requests: &impl Requests,
) -> (Vec<[Lanes; 4]>, Vec<u32>) {
    let [x, y, z] = coords.map(|axis| axis.as_chunks::<32>().0);
    let kept = [KEPT; 32];
    let file = |w: usize| [x[w], kept, kept, kept, kept, kept, y[w], z[w]];
    let mut files: Vec<[Lanes; 8]> = (0..x.len()).map(file).collect();
    let mut resident = vec![0; x.len()];
    let mut rows: Vec<&mut [Lanes]> = files.iter_mut().map(|file| &mut file[..]).collect();
    let point = [X, Y, Z].map(Operand::Row);
    let wanted = FetchRows { point, results: RESULTS };
    plan.fetch_warps(&mut rows, &wanted, requests, &mut resident, &mut Scratch::new());
    let all = files.iter().enumerate().map(|(w, file)| {
        assert_eq!([file[X], file[1], file[Y], file[Z]], [x[w], kept, y[w], z[w]], "{w}");
        let mut out = [kept; 4];
        for (row, component) in file[RESULTS.first..].iter().zip(RESULTS.components) {
            out[usize::from(component)] = *row;
        }
        out
    });
    (all.collect(), resident)
}

/// Plans of both schedules must fetch several warps, whatever their result type is, and also if
/// tiles are not resident.
#[test]
fn several_warps_of_any_plan() {
    let mut d = Draw::new(7);
    let sampler = Sampler::default().with_filter(Filter::Linear);
    let whole = texture(&mut d, &KINDS[3], (false, true), &sampler);
    let map = Arc::new(Residency::new(whole.resource.shape()).unwrap());
    let sparse = Resource::clone(&whole.resource).with_residency(Arc::clone(&map)).unwrap();
    let sparse = Arc::new(Texture { resource: Arc::new(sparse), ..Texture::clone(&whole) });
    let points = points(&mut d, 1.0);
    let [x, y, _] = &points;
    for (texture, missing) in [(&whole, false), (&sparse, true)] {
        for result in [ResultType::F32, ResultType::F16, ResultType::F16x2] {
            let form = FetchForm::sample(Geometry::D2, CoordType::F32, result);
            for level in levels() {
                let plan = FetchPlan::at_level(form, texture, &sampler, level).unwrap();
                let (out, resident) = by_warps(&plan, points.each_ref().map(|axis| &axis[..]));
                assert!(!out.is_empty());
                for (i, (x, y)) in x.iter().zip(y).enumerate().take(out.len() * 32) {
                    let coords = Coordinates::at([*x, *y, 0], 0);
                    let operands = FetchOperands { coords, ..FetchOperands::default() };
                    let wanted = reference::fetch(form, texture, &sampler, &operands).unwrap();
                    let registers = usize::from(result.registers());
                    let got = out[i / 32].each_ref().map(|c| c[i % 32]);
                    assert_eq!(got[..registers], wanted.values[..registers], "{level:?}: {i}");
                    let is_there = resident[i / 32] >> (i % 32) & 1 == 1;
                    assert_eq!(is_there, wanted.resident, "{level:?}: {i}");
                    assert_eq!(is_there, !missing, "no tile is in memory");
                }
            }
        }
    }
}
