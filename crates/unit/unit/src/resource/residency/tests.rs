//! Tests of maps of views, shapes and threads. More of them are in `tests/states.txt`.

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

/// A view shares the tiles of its array, but counts levels and layers from its own first ones.
#[test]
fn views_share_the_map() {
    let shape = ArrayShape { layers: 4, ..shape("u32x2", G::A2d, [512, 256, 1], Some(3)) };
    let map = Arc::new(Residency::new(&shape).unwrap());
    let block = Arc::new(Block::new(shape.size().unwrap() as usize, "b").unwrap());
    let whole = Resource::array(&shape, block, "s").unwrap();
    let whole = whole.with_residency(Arc::clone(&map)).unwrap();
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
    let linear = Resource::linear(one.format, 8, block, 0, 0, "l").unwrap();
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
