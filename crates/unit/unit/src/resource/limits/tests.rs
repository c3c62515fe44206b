//! A test of shapes of any size. `tests/states.txt` has the limits of each architecture.

#![allow(clippy::unwrap_used)]
use super::*;
use Geometry as G;
use proptest::prelude::*;

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
