use super::{Attribute, Coordinates, Element, Geometry, sort_by_key};

#[test]
fn vectors_are_taken_apart_and_put_together() {
    for &geometry in Geometry::ALL {
        let elements = geometry.elements();
        let vector: Vec<u32> = (1..).take(elements.len()).collect();
        let padded = vector.iter().copied().chain([77; 4]);
        let coordinates = Coordinates::of(geometry, padded, 0);
        assert_eq!(coordinates.vector(geometry).copied().collect::<Vec<_>>(), vector, "{geometry}");
        // No other coordinate has a value.
        let given = coordinates.into_iter().filter(|&&value| value != 0).count();
        assert_eq!(given, elements.len(), "{geometry}");
        assert_eq!(geometry.is_array(), coordinates.layer != 0, "{geometry}");
        assert_eq!(geometry.is_multisample(), coordinates.sample != 0, "{geometry}");
        let point = coordinates.point.iter().filter(|&&value| value != 0).count();
        assert_eq!(point, geometry.gradients(), "{geometry}");
        assert_eq!(coordinates.map(|value| value * 2).get(elements[0]), &2, "{geometry}");
    }
}

/// The sample precedes the layer, as ptxas expects: docs/numerics.md 9.5. A short vector leaves the
/// rest.
#[test]
fn the_sample_stands_before_the_layer() {
    assert_eq!(Geometry::A2dms.elements()[..2], [Element::Sample, Element::Layer]);
    for (geometry, vector, [sample, layer, x, y]) in
        [(Geometry::A2dms, &[1, 2, 3, 4][..], [1, 2, 3, 4]), (Geometry::A2d, &[5, 6], [0, 5, 6, 0])]
    {
        let coordinates = Coordinates::of(geometry, vector.iter().copied(), 0);
        assert_eq!(coordinates, Coordinates { layer, sample, point: [x, y, 0] });
    }
}

#[test]
fn words_have_their_spelling() {
    for &geometry in Geometry::ALL {
        assert_eq!(Geometry::from_name(geometry.name()), Some(geometry));
    }
    assert_eq!(Geometry::from_name(".2d"), None);
    assert_eq!(Attribute::from_name("addr_mode_1"), Some(Attribute::AddrMode1));
    assert_eq!(Attribute::ALL.iter().filter(|a| a.is_of_sampler()).count(), 5);
}

#[test]
fn sorting_keeps_the_order_of_equal_keys() {
    for len in 0..200_u32 {
        // Unordered numbers, many of which have the same key.
        let values: Vec<u32> = (0..len).map(|n| n.wrapping_mul(2_654_435_761) >> 7).collect();
        let (mut sorted, mut expected) = (values.clone(), values);
        sort_by_key(&mut sorted, |value| value % 13);
        expected.sort_by_key(|value| value % 13);
        assert_eq!(sorted, expected);
    }
}
