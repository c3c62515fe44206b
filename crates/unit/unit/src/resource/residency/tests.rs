//! Tests of tile shapes, the mip tail, and changes of the map.

#![allow(clippy::unwrap_used)]
use super::*;
use crate::resource::{Extent, Resource, View};
use Geometry as G;
use std::sync::Arc;
use texunit_memory::Block;
use texunit_texel::Format;

fn shape(format: &str, geometry: Geometry, extent: [u32; 3], levels: Option<u32>) -> ArrayShape {
    let [width, height, depth] = extent;
    let format = Format::from_name(format).unwrap();
    ArrayShape { levels, ..ArrayShape::new(format, geometry, Extent { width, height, depth }) }
}

fn texel(level: u32, plane: u32, at: [u32; 3]) -> TexelIndex {
    TexelIndex { level, plane, sample: 0, at }
}

#[test]
fn tiles_are_64_kib() {
    for (format, flat, solid) in [
        ("u8", [256, 256, 1], [64, 32, 32]),
        ("u16", [256, 128, 1], [32, 32, 32]),
        ("u8x4", [128, 128, 1], [32, 32, 16]),
        ("f32x2", [128, 64, 1], [32, 16, 16]),
        ("f32x4", [64, 64, 1], [16, 16, 16]),
        ("bc1", [512, 256, 1], [128, 64, 16]),
        ("bc7", [256, 256, 1], [64, 64, 16]),
    ] {
        for (geometry, tile) in [(G::D2, flat), (G::Cube, flat), (G::D3, solid)] {
            let side = if geometry == G::D3 { 512 } else { 1 };
            let shape = shape(format, geometry, [512, 512, side], None);
            let map = Residency::new(&shape).unwrap();
            assert_eq!(map.tile(), TileShape(tile), "{format} {geometry:?}");
            let block = u64::from(shape.format.block_extent().pow(2));
            let texels: u64 = tile.iter().map(|&n| u64::from(n)).product();
            assert_eq!(texels / block * u64::from(shape.format.texel_size()), TILE_BYTES);
        }
    }
}

#[test]
fn which_arrays_can_be_sparse() {
    for &geometry in G::ALL {
        let height = if geometry.axes() == 1 { 1 } else { 4 };
        let made = Residency::new(&shape("u8", geometry, [4, height, 1], None));
        let can = matches!(geometry, G::D2 | G::D3 | G::A2d | G::Cube | G::Acube);
        assert_eq!(made.is_ok(), can, "{geometry:?}");
    }
    assert!(Residency::new(&shape("u8", G::D2, [0, 4, 1], None)).is_err());
}

#[test]
fn tiles_are_mapped_one_by_one() {
    let shape = ArrayShape { layers: 2, ..shape("u8x4", G::A2d, [300, 130, 1], None) };
    let map = Residency::new(&shape).unwrap();
    assert_eq!((map.tiles(0), map.tiles(1), map.tail_first_level()), (Some([3, 2, 1]), None, 1));
    assert_eq!((map.count(), map.resident_count()), (12, 0));
    assert!(map.set_tile(0, 1, [2, 0, 0], true).unwrap());
    assert!(!map.set_tile(0, 1, [2, 0, 0], true).unwrap(), "it was there");
    assert_eq!(map.resident_count(), 1);
    for (x, y, plane, wanted) in [
        (255, 0, 1, false),
        (256, 0, 1, true),
        (299, 127, 1, true),
        (300, 127, 1, false),
        (256, 128, 1, false),
        (256, 0, 0, false),
    ] {
        assert_eq!(map.is_resident(texel(0, plane, [x, y, 0])), wanted, "{x} {y} {plane}");
    }
    for (level, plane, tile) in
        [(0, 0, [3, 0, 0]), (0, 2, [0; 3]), (1, 0, [0; 3]), (0, 0, [0, 0, 1])]
    {
        assert!(map.set_tile(level, plane, tile, true).is_err());
    }
    assert!(map.set_tail(0, true).is_err(), "there is none");
    map.set_all(true);
    assert_eq!(map.resident_count(), 12);
    map.set_tile(0, 0, [0; 3], false).unwrap();
    assert_eq!(map.resident_count(), 11);
    map.set_all(false);
    assert_eq!(map.resident_count(), 0);
}

#[test]
fn small_levels_are_one_tail_a_layer() {
    // A tile has 256 x 256 texels, and levels have 1024 x 512, 512 x 256 and 256 x 128.
    let shape = ArrayShape { layers: 1, ..shape("u8", G::Acube, [1024; 3].map(|n| n), Some(11)) };
    let shape = ArrayShape { extent: Extent { width: 1024, height: 1024, depth: 1 }, ..shape };
    let map = Residency::new(&shape).unwrap();
    assert_eq!(map.tail_first_level(), 3, "256 x 256 is a tile, 128 x 128 is not");
    assert_eq!(map.count(), 6 * (16 + 4 + 1 + 1));
    assert!(map.set_tail(5, true).unwrap());
    for (level, plane, wanted) in [(2, 5, false), (3, 5, true), (10, 5, true), (3, 4, false)] {
        assert_eq!(map.is_resident(texel(level, plane, [0; 3])), wanted, "{level} {plane}");
    }
    assert!(!map.is_resident(texel(11, 5, [0; 3])) && !map.is_resident(texel(3, 6, [0; 3])));
    assert!(map.set_tail(6, true).is_err());
    let e = map.set_tile(3, 5, [0; 3], true).unwrap_err().to_string();
    assert!(e.ends_with("the level is part of the mip tail"), "{e}");
    // A 2D level belongs to the mip tail as soon as one axis is smaller than a tile.
    let flat = Residency::new(&super::tests::shape("u8", G::D2, [1024, 256, 1], Some(2))).unwrap();
    assert_eq!((flat.tail_first_level(), flat.count()), (1, 4 + 1));
}

#[test]
fn regions_are_made_of_tiles() {
    let shape = shape("u8x4", G::D3, [70, 40, 20], Some(2));
    let map = Residency::new(&shape).unwrap();
    assert_eq!((map.tiles(0), map.tail_first_level()), (Some([3, 2, 2]), 1));
    let set = |offset, extent| map.set_region(0, 0, offset, extent, true);
    assert_eq!(set([32, 0, 0], [38, 32, 16]), Ok(2));
    assert_eq!(set([0, 0, 0], [70, 40, 20]), Ok(10));
    assert!(set([1, 0, 0], [31, 32, 16]).is_err(), "offset");
    assert!(set([0, 0, 0], [33, 32, 16]).is_err(), "extent");
    assert!(set([64, 0, 0], [7, 32, 16]).is_err(), "outside");
    assert!(set([0, 0, 0], [0, 32, 16]).is_err(), "empty");
    assert!(set([32, 0, 0], [u32::MAX, 32, 16]).is_err(), "overflow");
    assert!(map.set_region(2, 0, [0; 3], [1; 3], true).is_err());
    assert!(map.set_region(0, 1, [0; 3], [32, 32, 16], true).is_err());
    assert_eq!(map.set_region(1, 0, [0; 3], [35, 20, 10], true), Ok(1));
    assert_eq!(map.set_region(1, 0, [0; 3], [35, 20, 10], true), Ok(0));
    assert!(map.set_region(1, 0, [0; 3], [16, 16, 8], true).is_err(), "the tail is one unit");
    assert_eq!(map.resident_count(), map.count());
}

/// A view shares the tiles of its array, but counts levels and layers from its own first ones.
#[test]
fn views_share_the_map() {
    let shape = ArrayShape { layers: 4, ..shape("u32x2", G::A2d, [512, 256, 1], Some(3)) };
    let map = Arc::new(Residency::new(&shape).unwrap());
    let block = Arc::new(Block::new(shape.size().unwrap() as usize, "b").unwrap());
    let whole = Resource::array(&shape, block, "s").unwrap().with_residency(Arc::clone(&map));
    let whole = whole.unwrap();
    let view = View {
        format: Format::from_name("bc1"),
        geometry: Some(G::D2),
        levels: Some(1..3),
        planes: Some(2..3),
    };
    let part = whole.view(&view).unwrap();
    let part_of_part = part.view(&View { levels: Some(1..2), ..View::default() }).unwrap();
    // Level 1 of the array has 256 x 128 texels in tiles of 128 x 64. The view has 4 x 4 texels for
    // each texel of the array.
    map.set_tile(1, 2, [1, 0, 0], true).unwrap();
    for (x, y, wanted) in [(511, 0, false), (512, 0, true), (1023, 255, true), (1023, 256, false)] {
        assert_eq!(part.is_resident(texel(0, 0, [x, y, 0])), wanted, "{x} {y}");
    }
    assert!(!part_of_part.is_resident(texel(0, 0, [0; 3])));
    map.set_tile(2, 2, [0; 3], true).unwrap();
    assert!(part.is_resident(texel(1, 0, [511, 255, 0])));
    assert!(part_of_part.is_resident(texel(0, 0, [511, 255, 0])));
    assert!(whole.is_resident(texel(2, 2, [0; 3])) && !whole.is_resident(texel(2, 1, [0; 3])));
}

#[test]
fn maps_belong_to_shapes() {
    let one = shape("u8", G::D2, [8, 8, 1], None);
    let map = Arc::new(Residency::new(&shape("u8", G::D2, [9, 8, 1], None)).unwrap());
    let block = Arc::new(Block::new(128, "b").unwrap());
    let array = Resource::array(&one, Arc::clone(&block), "a").unwrap();
    assert!(array.with_residency(Arc::clone(&map)).is_err());
    let format = Format::from_name("u8").unwrap();
    let linear = Resource::linear(format, 8, block, 0, 0, "l").unwrap();
    let e = linear.with_residency(map).unwrap_err();
    assert_eq!(e.to_string(), "linear memory cannot be sparse");
}

/// Threads change and read a map at the same time: each changed tile must be counted once.
#[test]
#[cfg_attr(target_family = "wasm", ignore = "there are no threads")]
fn threads_count_each_tile_once() {
    let map = Residency::new(&shape("f32x4", G::D2, [1024, 1024, 1], None)).unwrap();
    let changed: u64 = std::thread::scope(|scope| {
        let all = [(); 4]
            .map(|()| scope.spawn(|| map.set_region(0, 0, [0; 3], [1024, 1024, 1], true).unwrap()));
        all.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!((changed, map.resident_count()), (256, 256));
}
