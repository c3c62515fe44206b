//! Tests of what case files cannot express: threads, faults in a warp, traces, the fast path, and
//! every format. `tests/fetch` has the locations, policies and results of accesses, and
//! `tests/states.txt` the surfaces that each instruction accesses.

#![allow(clippy::unwrap_used)]
mod accesses;

use super::*;
use crate::request::{ReduceType, SurfaceKind as K};
use crate::resource::{ArrayShape, Extent};
use Geometry as G;

fn shape(
    format: &str,
    geometry: Geometry,
    [width, height, depth]: [u32; 3],
    layers: u32,
) -> ArrayShape {
    let extent = Extent { width, height, depth };
    ArrayShape { layers, ..ArrayShape::new(format.parse().unwrap(), geometry, extent) }
}

/// A surface whose bytes have the values 1, 2, 3 and so on.
fn surface(shape: &ArrayShape) -> Arc<Surface> {
    let bytes: Vec<u8> =
        (0..shape.packed_size().unwrap()).map(|i| (i as u8).wrapping_add(1)).collect();
    Arc::new(Surface::new(Arc::new(Resource::from_texels(shape, &bytes, "s").unwrap())).unwrap())
}

fn plan(
    surface: &Arc<Surface>,
    kind: K,
    geometry: Geometry,
    clamp: ClampMode,
) -> Result<SurfacePlan, PlanError> {
    SurfacePlan::new(SurfaceForm { kind, geometry, clamp }, surface)
}

#[test]
fn forms_that_no_instruction_has_are_refused() {
    let surface = surface(&shape("u8", G::D1, [32, 1, 1], 1));
    let loads = [(8, 4), (3, 1), (4, 3), (16, 1), (0, 1)];
    let loads = loads.map(|(element_size, vector)| K::Load { element_size, vector });
    let stores = [0, 3].map(|vector| K::StoreFormatted { vector });
    for kind in loads.into_iter().chain(stores) {
        assert!(plan(&surface, kind, G::D1, ClampMode::Trap).is_err(), "{kind:?}");
    }
}

/// The lanes above one that faults do not store.
#[test]
fn a_fault_stops_the_lanes_above() {
    let surface = surface(&shape("u8", G::D1, [32, 1, 1], 1));
    let kind = K::Store { element_size: 4, vector: 1 };
    let plan = plan(&surface, kind, G::D1, ClampMode::Trap).unwrap();
    let x = std::array::from_fn(|lane| [0, 0, 99, 0][lane % 4]);
    let coords = Coordinates::at([x, [0; 32], [0; 32]], [0; 32]);
    let values = [std::array::from_fn(|lane| 0x40 + lane as u64); 4];
    let request = SurfaceRequest { active: 0xe, coords: coords.each_ref() };
    let fault = plan.store(&request, &values).unwrap_err();
    assert!(matches!(fault, AccessFault::Misaligned { lane: 2, .. }), "{fault}");
    assert_eq!(surface.resource.to_packed()[..5], [0x41, 0, 0, 0, 5]);
}
