//! Tests of views: their texels, and which views are refused.

#![allow(clippy::unwrap_used)]
use super::*;
use crate::resource::{ArrayShape, TexelIndex};
use Geometry as G;
use proptest::prelude::*;
use std::sync::Arc;
use texunit_memory::Block;

fn format(name: &str) -> Format {
    Format::from_name(name).unwrap()
}

/// An array whose bytes are pseudorandom.
fn array(shape: &ArrayShape) -> Resource {
    let block = Block::new(shape.size().unwrap() as usize, "b").unwrap();
    let resource = Resource::array(shape, Arc::new(block), "a").unwrap();
    let bytes: Vec<u8> =
        (0..shape.packed_size().unwrap()).map(|i| ((i * 0x9e37_79b9) >> 16) as u8).collect();
    resource.fill_packed(&bytes).unwrap();
    resource
}

fn shape(
    name: &str,
    geometry: Geometry,
    [width, height, depth]: [u32; 3],
    layers: u32,
    levels: Option<u32>,
) -> ArrayShape {
    let shape = ArrayShape::new(format(name), geometry, Extent { width, height, depth });
    ArrayShape { layers, levels, ..shape }
}

fn geometry(geometry: Geometry, planes: Range<u32>) -> View {
    View { geometry: Some(geometry), planes: Some(planes), ..View::default() }
}

#[test]
fn planes_change_their_geometry() {
    let layered = array(&shape("u8", G::A2d, [8, 8, 1], 14, Some(4)));
    for (wanted, planes, layers) in [
        (G::D2, 3..4, Ok(1)),
        (G::D2, 3..5, Err("has one layer, but these are 2: say which one")),
        (G::A2d, 0..14, Ok(14)),
        (G::Cube, 8..14, Ok(1)),
        (G::Cube, 8..13, Err(".cube has 6 faces, but these are 5 layers")),
        (G::Acube, 2..14, Ok(2)),
        (G::Acube, 0..14, Err(".acube has 6 times as many faces, but these are 14 layers")),
        (G::A1d, 0..14, Err(".a2d cannot be seen as .a1d")),
        (G::D3, 0..1, Err(".a2d cannot be seen as .3d")),
        (G::A2dms, 0..1, Err(".a2d cannot be seen as .a2dms")),
        (G::A2d, 3..15, Err("there are no layers 3 to 15 (end not included) among 14")),
        (G::A2d, 3..3, Err("there are no layers 3 to 3")),
    ] {
        match (layered.view(&geometry(wanted, planes.clone())), layers) {
            (Ok(view), Ok(layers)) => {
                assert_eq!((view.geometry(), view.shape().layers), (wanted, layers));
                let count = planes.end - planes.start;
                for (level, plane) in [(0, 0), (0, count - 1), (3, 0), (3, count - 1)] {
                    let own =
                        TexelIndex { level, plane: plane + planes.start, ..TexelIndex::default() };
                    let seen = TexelIndex { plane, ..own };
                    assert_eq!(view.texel_offset(seen), layered.texel_offset(own));
                }
            }
            (Err(e), Err(reason)) => {
                let e = e.to_string();
                assert!(e.contains(reason), "{e}");
                assert!(e.starts_with("a view of the layered 2D array `a`, 8 x 8 texels"), "{e}");
            }
            (made, _) => panic!("{wanted:?} {planes:?}: {made:?}"),
        }
    }
    let oblong = array(&shape("u8", G::A2d, [8, 4, 1], 6, None));
    assert!(oblong.view(&geometry(G::Cube, 0..6)).is_err(), "faces are square");
    let cubes = array(&shape("u8", G::Acube, [4, 4, 1], 2, None));
    let faces = View { geometry: Some(G::A2d), ..View::default() };
    assert_eq!(cubes.view(&faces).unwrap().shape().layers, 12);
    assert_eq!(cubes.view(&geometry(G::Acube, 6..12)).unwrap().shape().layers, 1);
    assert!(cubes.view(&geometry(G::Acube, 0..11)).is_err());
    let lines = array(&shape("u8", G::A1d, [4, 1, 1], 3, None));
    assert!(lines.view(&geometry(G::D1, 2..3)).is_ok());
    let samples = array(&shape("u8", G::A2dms, [4, 4, 1], 3, None));
    assert_eq!(samples.view(&geometry(G::D2ms, 1..2)).unwrap().shape().samples, 2);
}

#[test]
fn levels_are_kept() {
    let whole = array(&shape("u16", G::D2, [20, 7, 1], 1, Some(5)));
    let levels = |range| View { levels: Some(range), ..View::default() };
    let part = whole.view(&levels(1..4)).unwrap();
    assert_eq!(part.extent(), Extent { width: 10, height: 3, depth: 1 });
    assert_eq!((part.levels().len(), part.is_mipmapped()), (3, true));
    let deeper = part.view(&levels(2..3)).unwrap();
    assert_eq!(deeper.extent(), Extent { width: 2, height: 1, depth: 1 });
    assert!(deeper.is_mipmapped());
    let single = part.single_level(1).unwrap();
    assert_eq!((single.is_mipmapped(), single.extent().width), (false, 5));
    assert_eq!(single.to_packed(), part.view(&levels(1..2)).unwrap().to_packed());
    for range in [3..6, 2..2, 5..6] {
        assert!(whole.view(&levels(range)).is_err());
    }
    assert!(whole.single_level(u32::MAX).is_err());
    let plain = array(&shape("u16", G::D2, [20, 7, 1], 1, None));
    assert!(!plain.view(&levels(0..1)).unwrap().is_mipmapped());
}

#[test]
fn formats_of_equal_size() {
    let see = |own: &str, seen: &str| {
        let extent = if format(own).is_block() { [8, 8, 1] } else { [2, 2, 1] };
        let of = array(&shape(own, G::D2, extent, 1, None));
        of.view(&View { format: Some(format(seen)), ..View::default() }).map_err(|e| e.to_string())
    };
    for (own, seen) in [
        ("u8x4", "f32"),
        ("u8x4", "rgb10a2"),
        ("u8x4", "unorm8x4"),
        ("f32", "depth32f"),
        ("f16x4", "u32x2"),
        ("bc1", "bc1_srgb"),
        ("bc2", "bc7"),
    ] {
        let view = see(own, seen).unwrap();
        assert_eq!((view.format(), view.extent().width % 2), (format(seen), 0));
    }
    for (own, seen, reason) in [
        ("u8x4", "u8x2", "u8x2 has texels of 2 bytes, but u8x4 has texels of 4"),
        ("u32x4", "bc1", "bc1 has blocks of 8 bytes, but u32x4 has texels of 16"),
        ("u16x4", "bc1", "bc1 is a view of u32x2 or u32x4 texels, not of u16x4"),
        ("f32x4", "bc3", "not of f32x4"),
        ("bc1", "u32x2", "bc1 is block-compressed, and u32x2 is not"),
        ("bc1", "bc2", "bc2 has blocks of 16 bytes, but bc1 has blocks of 8"),
    ] {
        let e = see(own, seen).unwrap_err();
        assert!(e.ends_with(reason), "{e}");
    }
    let line = array(&shape("u32x2", G::D1, [4, 1, 1], 1, None));
    assert!(line.view(&View { format: Some(format("bc1")), ..View::default() }).is_err());
}

#[test]
fn texels_become_blocks() {
    let whole = array(&shape("u32x2", G::D2, [8, 4, 1], 1, Some(3)));
    let blocks = View { format: Some(format("bc1")), ..View::default() };
    let view = whole.view(&blocks).unwrap();
    let sizes: Vec<_> = view.levels().iter().map(|l| (l.extent.width, l.extent.height)).collect();
    assert_eq!(sizes, [(32, 16), (16, 8), (8, 4)]);
    assert_eq!(view.to_packed(), whole.to_packed());
    let last = TexelIndex { level: 2, at: [7, 3, 0], ..TexelIndex::default() };
    let own = TexelIndex { level: 2, at: [1, 0, 0], ..TexelIndex::default() };
    assert_eq!(view.texel_offset(last), whole.texel_offset(own));
    // A level of the view may end inside a block.
    let flat = array(&shape("u32x4", G::D2, [4, 1, 1], 1, Some(2)));
    let seen = flat.view(&View { format: Some(format("bc7")), ..View::default() }).unwrap();
    assert_eq!(seen.levels()[1].extent, Extent { width: 8, height: 2, depth: 1 });
    // The array has levels of 5 and 2 texels. The view has levels of 20 and 10 texels, which take 5
    // and 3 blocks.
    let odd = array(&shape("u32x2", G::D2, [5, 4, 1], 1, Some(2)));
    let e = odd.view(&blocks).unwrap_err().to_string();
    assert!(
        e.ends_with("level 1 as bc1 has 3 x 2 blocks, but the array has 2 x 2 texels to hold them"),
        "{e}"
    );
    let base = View { levels: Some(0..1), ..blocks };
    assert!(odd.view(&base).is_ok());
}

#[test]
fn memory_has_no_views() {
    let block = Arc::new(Block::new(64, "b").unwrap());
    let linear = Resource::linear(format("u8"), 4, block, 0, 0, "l").unwrap();
    let e = linear.view(&View::default()).unwrap_err().to_string();
    assert_eq!(e, "a view of the linear memory `l`, 4 texels of u8: only arrays have views");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// A view of a view must address the corresponding bytes of the array.
    #[test]
    fn views_address_the_bytes_of_their_array(
        size in [1..40_u32, 1..40_u32],
        planes in 1..9_u32,
        wanted in proptest::collection::vec((any::<[u8; 4]>(), any::<bool>()), 1..4),
        at in any::<[u32; 3]>(),
    ) {
        let longest = size[0].max(size[1]);
        let shape = shape("u32x2", G::A2d, [size[0], size[1], 1], planes, Some(32 - longest.leading_zeros()));
        let whole = array(&shape);
        let (mut part, mut first_level, mut first_plane) = (whole.clone(), 0, 0);
        for (parts, as_floats) in wanted {
            let range = |a: u8, b: u8, n: u32| {
                let start = u32::from(a) % n;
                start..start + 1 + u32::from(b) % (n - start)
            };
            let levels = range(parts[0], parts[1], part.levels().len() as u32);
            let planes = range(parts[2], parts[3], part.shape().planes());
            first_level += levels.start;
            first_plane += planes.start;
            part = part.view(&View {
                format: Some(format(if as_floats { "f32x2" } else { "u32x2" })),
                geometry: None,
                levels: Some(levels),
                planes: Some(planes),
            }).unwrap();
        }
        let level = at[0] % part.levels().len() as u32;
        let extent = part.levels()[level as usize].extent;
        prop_assert_eq!(extent, whole.levels()[(level + first_level) as usize].extent);
        let seen = TexelIndex {
            level,
            plane: at[1] % part.shape().planes(),
            sample: 0,
            at: [at[1] % extent.width, at[2] % extent.height, 0],
        };
        let own = TexelIndex { level: level + first_level, plane: seen.plane + first_plane, ..seen };
        prop_assert!(part.texel_offset(seen).is_some());
        prop_assert_eq!(part.texel_offset(seen), whole.texel_offset(own));
        prop_assert_eq!(part.texel(seen), whole.texel(own));
        let past = TexelIndex { plane: part.shape().planes(), ..seen };
        prop_assert_eq!(part.texel_offset(past), None);
    }
    /// A view either is refused, or all of its texels are texels of the array.
    #[test]
    fn no_view_leaves_its_array(
        own in proptest::sample::select(&["u8x4", "u32x2", "u32x4", "bc1", "bc7"][..]),
        geometry in proptest::sample::select(&[G::D2, G::A2d, G::Cube, G::Acube, G::D3][..]),
        size in [1..30_u32, 1..30_u32, 1..5_u32],
        layers in 1..3_u32,
        levels in proptest::option::of(1..5_u32),
        wanted in proptest::option::of(proptest::sample::select(
            &["f32", "f16x4", "f32x4", "bc4", "bc7_srgb", "u8"][..])),
        seen_as in proptest::option::of(proptest::sample::select(G::ALL)),
        of_levels in proptest::option::of([0..5_u32, 0..5_u32]),
        of_planes in proptest::option::of([0..13_u32, 0..13_u32]),
    ) {
        let extent = match geometry {
            G::Cube | G::Acube => [size[0], size[0], 1],
            G::D3 => size,
            _ => [size[0], size[1], 1],
        };
        let layers = if geometry.is_array() { layers } else { 1 };
        let shape = shape(own, geometry, extent, layers, levels);
        prop_assume!(shape.check().is_ok());
        let whole = array(&shape);
        let view = View {
            format: wanted.map(format),
            geometry: seen_as,
            levels: of_levels.map(|[a, b]| a..b),
            planes: of_planes.map(|[a, b]| a..b),
        };
        let Ok(part) = whole.view(&view) else { return Ok(()) };
        prop_assert!(part.shape().check().is_ok());
        prop_assert_eq!(part.to_packed().len() as u64, part.size_in_bytes());
        let size = u64::from(part.format().texel_size());
        let (own_size, mut elements) = (u64::from(whole.format().texel_size()), Vec::new());
        prop_assert_eq!(size, own_size);
        for row in whole.rows() {
            elements.extend((row.start..row.end).step_by(size as usize));
        }
        for row in part.rows() {
            for at in (row.start..row.end).step_by(size as usize) {
                prop_assert!(elements.contains(&at), "{at} of {part:?}");
            }
        }
    }
}
