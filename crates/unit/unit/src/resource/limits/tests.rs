//! Tests of the limits by architecture, and of shapes that exceed them.

#![allow(clippy::unwrap_used)]
use super::*;
use Geometry as G;
use proptest::prelude::*;

fn shape(name: &str, geometry: Geometry, extent: [u32; 3], layers: u32) -> ArrayShape {
    let [width, height, depth] = extent;
    let shape = ArrayShape::new(name.parse().unwrap(), geometry, Extent { width, height, depth });
    ArrayShape { layers, ..shape }
}

fn message(result: Result<(), CreateError>) -> String {
    result.unwrap_err().to_string()
}

/// The largest array of each table row is accepted; one that is larger along any axis is refused.
#[test]
fn the_largest_arrays_of_every_architecture() {
    for (major, minor) in [(1, 3), (2, 0), (3, 5), (5, 2), (6, 1), (7, 5), (8, 6), (12, 1)] {
        let limits = ArchLimits::of(major, minor);
        for &geometry in G::ALL {
            let Limits { extent, layers, .. } = limits.array(geometry);
            let layers = if geometry.is_cube() { layers / 6 } else { layers };
            let check = |extent, layers| shape("u8", geometry, extent, layers).check_for(&limits);
            let place = format!("{geometry:?} on {major}.{minor}");
            if extent[0] == 0 {
                assert!(message(check([1; 3], 1)).contains("has no"), "{place}");
                continue;
            }
            assert_eq!(check(extent, layers), Ok(()), "{place}");
            for axis in 0..3 {
                let mut more = extent;
                more[axis] += 1;
                assert!(check(more, layers).is_err(), "{place}");
                more[axis] = 0;
                assert!(check(more, layers).is_err(), "{place}");
            }
            assert!(check(extent, layers + 1).is_err() && check(extent, 0).is_err(), "{place}");
        }
    }
}

#[test]
fn architectures_differ() {
    let width = |major, minor, geometry| ArchLimits::of(major, minor).array(geometry).extent[0];
    let widths = [8192, 65_536, 65_536, 65_536, 131_072];
    assert_eq!([1, 2, 3, 5, 6].map(|m| width(m, 0, G::D1)), widths);
    assert_eq!([2, 3, 6].map(|m| width(m, 0, G::D3)), [2048, 4096, 16_384]);
    let linear = |(major, minor)| ArchLimits::of(major, minor).linear().extent[0] >> 27;
    let versions = [(5, 0), (6, 0), (6, 1), (7, 0), (7, 5), (8, 0)];
    assert_eq!(versions.map(linear), [1, 2, 1, 2, 1, 2]);
    let surface = |major| ArchLimits::of(major, 0).surface(G::D1).unwrap().extent[0];
    assert_eq!([1, 3, 5, 8].map(surface), [0, 65_536, 16_384, 32_768]);
    assert_eq!(ArchLimits::NEWEST, ArchLimits::of(12, 0));
    assert_eq!(ArchLimits::NEWEST.surface(G::D2ms), None);
    assert_eq!(ArchLimits::NEWEST.gather(G::D2).extent, [32_768, 32_768, 1]);
}

fn number() -> impl Strategy<Value = u32> {
    prop_oneof![
        4 => 0..20_u32,
        2 => (0..32_u32, 0..3_u32).prop_map(|(bit, more)| (1 << bit) - 1 + more),
        1 => any::<u32>(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Checks and sizes must never overflow, whatever the numbers, and every accepted shape must
    /// have a size.
    #[test]
    fn any_shape_can_be_checked(
        format in 0..Format::all().count(),
        geometry in proptest::sample::select(G::ALL),
        [width, height, depth, layers, samples] in [number(), number(), number(), number(), number()],
        levels in proptest::option::of(number()),
        major in 0..15_u32,
    ) {
        let format = Format::all().nth(format).unwrap();
        let extent = Extent { width, height, depth };
        let shape = ArrayShape { format, geometry, extent, layers, levels, samples };
        let (size, packed) = (shape.size(), shape.packed_size());
        prop_assert_eq!(size.is_ok(), packed.is_ok());
        prop_assert_eq!(size.is_ok(), shape.check().is_ok());
        if let (Ok(size), Ok(packed)) = (size, packed) {
            prop_assert!(packed > 0 && packed <= size && size < 1 << 49);
        }
        if shape.check_for(&ArchLimits::of(major, 0)).is_ok() {
            prop_assert_eq!(shape.check(), Ok(()), "the newest has the largest arrays");
        }
    }
}
