//! Tests of textures of one level of a layered mipmapped array, against the answers of an H200.

#![allow(clippy::unwrap_used)]

use crate::{
    ArrayShape, Extent, Geometry, ReadMode, Resource, Sampler, TexelIndex, Texture, View, overrides,
};
use std::sync::Arc;

fn array(geometry: Geometry, [width, height]: [u32; 2], layers: u32, levels: u32) -> Resource {
    let format = "f32x4".parse().unwrap();
    let shape = ArrayShape::new(format, geometry, Extent { width, height, depth: 1 });
    let shape = ArrayShape { layers, levels: Some(levels), ..shape };
    Resource::from_texels(&shape, &vec![0_u8; shape.packed_size().unwrap() as usize], "t").unwrap()
}

fn texture(resource: Resource) -> Texture {
    Texture::new(Arc::new(resource), ReadMode::Element, false, &Sampler::default()).unwrap()
}

/// The level, layer, x and y of the array's texel that a texture reads; `None` if it reads padding.
fn read(whole: &Resource, texture: &Texture, layer: u32, at: [u32; 2]) -> Option<[u32; 4]> {
    let [x, y] = at;
    let index = TexelIndex { plane: layer, at: [x, y, 0], ..TexelIndex::default() };
    let offset = texture.resource.texel_offset(index)?;
    let mut all = (0..whole.levels().len() as u32).flat_map(|level| {
        let Extent { width, height, .. } = whole.levels()[level as usize].extent;
        (0..whole.shape().layers).flat_map(move |layer| {
            (0..height).flat_map(move |y| (0..width).map(move |x| [level, layer, x, y]))
        })
    });
    let found = all.find(|&[level, plane, x, y]| {
        whole.texel_offset(TexelIndex { level, plane, sample: 0, at: [x, y, 0] }) == Some(offset)
    });
    Some(found.expect("a texel of the array"))
}

#[test]
fn layers_are_sought_behind_the_level() {
    let whole = array(Geometry::A2d, [16, 16], 3, 3);
    // A GOB has 4 x 8 texels. A layer has 8 GOBs of level 0, two of level 1, one of level 2, and
    // one of padding.
    let level = |n| texture(whole.single_level(n).unwrap());
    let base = level(0);
    for (at, expected) in [
        ([3, 7], Some([1, 0, 3, 7])),
        ([3, 8], Some([1, 0, 7, 0])),
        ([7, 3], Some([2, 0, 3, 3])),
        ([7, 4], None),
        ([4, 8], None),
        ([11, 15], Some([0, 1, 3, 15])),
        ([12, 0], Some([0, 1, 4, 0])),
    ] {
        assert_eq!(read(&whole, &base, 1, at), expected, "{at:?}");
    }
    assert_eq!(read(&whole, &base, 2, [0, 0]), Some([0, 1, 8, 0]));
    assert_eq!(read(&whole, &level(1), 1, [3, 3]), Some([2, 0, 3, 3]));
    assert_eq!(read(&whole, &level(1), 1, [4, 0]), None);
    assert_eq!(read(&whole, &level(2), 1, [0, 0]), None);
    for n in 0..3 {
        assert_eq!(read(&whole, &level(n), 0, [3, 3]), Some([n, 0, 3, 3]));
    }
}

#[test]
fn other_textures_find_their_layers() {
    let whole = array(Geometry::A2d, [16, 16], 3, 3);
    let levels = View { levels: Some(1..2), ..View::default() };
    assert!(texture(whole.view(&levels).unwrap()).resource.is_regular());
    let first = View { planes: Some(0..1), ..View::default() };
    let level = whole.single_level(1).unwrap();
    assert!(level.has_other_layers() && !texture(level.clone()).resource.is_regular());
    assert!(texture(level.view(&first).unwrap()).resource.is_regular());
    for (geometry, layers, levels) in [
        (Geometry::A2d, 1, 3),
        (Geometry::A2d, 3, 1),
        (Geometry::A1d, 3, 3),
        (Geometry::Cube, 1, 3),
    ] {
        let size = if geometry == Geometry::A1d { [16, 1] } else { [16, 16] };
        let level = array(geometry, size, layers, levels).single_level(0).unwrap();
        assert!(!level.has_other_layers() && texture(level).resource.is_regular());
    }
}

#[test]
fn the_state_says_so() {
    let level = array(Geometry::A2d, [16, 16], 3, 3).single_level(1).unwrap();
    let form = "tex.a2d.v4.f32.f32".parse().unwrap();
    let all = overrides(&texture(level), &Sampler::default(), form);
    assert!(all.iter().any(|o| o.rule == "1.11" && o.text.starts_with("layers after")), "{all:?}");
}
