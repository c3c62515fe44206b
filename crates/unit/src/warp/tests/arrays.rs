//! Fetches of whole arrays, of textures that are large enough to be asked for early.

use super::draw::Draw;
use super::*;
use crate::request::FetchOperands;

/// Whole warps, and a part of one.
const FETCHES: usize = 32 * 9 + 5;

/// A megabyte of floats: half of the textures have ordinary ones only, which are summed by fewer
/// operations.
fn texture(d: &mut Draw, geometry: Geometry, format: &str, sampler: &Sampler) -> Arc<Texture> {
    let format = Format::from_name(format).unwrap();
    let extent = match (geometry, format.channels()) {
        (Geometry::D3, _) => Extent { width: 64, height: 64, depth: 64 },
        (_, 4) => Extent { width: 256, height: 256, depth: 1 },
        _ => Extent { width: 512, height: 512, depth: 1 },
    };
    let shape = ArrayShape::new(format, geometry, extent);
    let block = Arc::new(Block::new(shape.size().unwrap() as usize, "texels").unwrap());
    let resource = Resource::array(&shape, block, "t").unwrap();
    let ordinary = d.one_in(2);
    let word = |_| if ordinary { d.float(-1.0, 1.0).to_bits() } else { d.word() };
    let words: Vec<u32> = (0..resource.size_in_bytes() / 4).map(word).collect();
    let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    resource.fill_packed(&bytes).unwrap();
    Arc::new(Texture::new(Arc::new(resource), ReadMode::Element, true, sampler).unwrap())
}

/// Points far from each other or in a line, many of them at the centres of texels along some axes, where
/// a row or slice of the footprint counts nothing.
fn points(d: &mut Draw) -> [Vec<u32>; 3] {
    let line = d.one_in(2);
    std::array::from_fn(|_| {
        let step = d.of(&[0.0, 0.25, 1.0, 0.3]);
        let at = |i: usize| match line {
            true => (i as f32 * step + 0.5) / 512.0,
            false if step == 0.25 => (d.below(2048) as f32 + 0.5) / 2048.0,
            false if step == 1.0 => (d.below(512) as f32 + 0.5) / 512.0,
            false => d.float(-0.5, 1.5),
        };
        (0..FETCHES).map(at).map(f32::to_bits).collect()
    })
}

#[test]
fn large_textures() {
    let mut d = Draw(number("TEXUNIT_SEED").unwrap_or(1));
    let kinds = [(Geometry::D2, "f32"), (Geometry::D3, "f32"), (Geometry::D2, "f32x4")];
    for round in 0..4 {
        for (geometry, format) in kinds {
            let mode = d.of(&[AddressMode::Wrap, AddressMode::Clamp, AddressMode::Border]);
            let filter = Filter::Linear;
            let sampler = Sampler { filter, address_mode: [mode; 3], ..Sampler::default() };
            let texture = texture(&mut d, geometry, format, &sampler);
            let points = points(&mut d);
            check(&texture, geometry, &sampler, &points, &format!("{round} {format} {mode:?}"));
        }
    }
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
    }
}
