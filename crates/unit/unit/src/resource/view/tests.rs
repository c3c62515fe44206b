//! Tests of views: their texels, and which views are refused.

#![allow(clippy::unwrap_used)]
use super::*;
use crate::resource::{ArrayShape, TexelIndex};
use Geometry as G;
use proptest::prelude::*;

fn format(name: &str) -> Format {
    Format::from_name(name).unwrap()
}

/// An array whose bytes are pseudorandom.
fn array(shape: &ArrayShape) -> Resource {
    let bytes: Vec<u8> =
        (0..shape.packed_size().unwrap()).map(|i| ((i * 0x9e37_79b9) >> 16) as u8).collect();
    Resource::from_texels(shape, &bytes, "a").unwrap()
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
            let geometry = match planes.len() {
                1 => G::D2,
                6 if size[0] == size[1] => G::Cube,
                _ => G::A2d,
            };
            part = part.view(&View {
                format: Some(format(if as_floats { "f32x2" } else { "u32x2" })),
                geometry: Some(geometry),
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
