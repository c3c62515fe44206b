//! The elements of a coordinate vector, in the order in which PTX writes them, for each geometry.
#![allow(clippy::print_stdout, reason = "a program")]

use texunit_forms::{Coordinates, Element, Geometry};

fn main() {
    for &geometry in Geometry::ALL {
        let names: Vec<_> = geometry.elements().iter().map(|element| element.name()).collect();
        println!("{geometry:6} {}", names.join(", "));
    }
    // The layer of a texture array comes first.
    let coordinates = Coordinates::of(Geometry::A2d, [7, 10, 20], 0);
    assert_eq!((coordinates.get(Element::Layer), coordinates.get(Element::X)), (&7, &10));
}
