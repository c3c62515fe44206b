//! Tests of surface accesses: their sizes, their boundary policies and their faults. More of them
//! are in `tests/fetch/whole.toml`.

#![allow(clippy::unwrap_used)]
mod formatted;
mod places;
mod reduce;

use super::*;
use crate::request::{Geometry, Lanes, SurfaceKind};
use crate::resource::{ArrayShape, Extent, Resource};
use proptest::prelude::*;
use texunit_memory::Block;
use texunit_texel::Format;

fn surface(dims: u8, width: u32, height: u32, depth: u32) -> Arc<Surface> {
    of_format("u8", Geometry::ALL[usize::from(dims) - 1], [width, height, depth])
}

fn of_format(name: &str, geometry: Geometry, [width, height, depth]: [u32; 3]) -> Arc<Surface> {
    let format = Format::from_name(name).unwrap();
    of_shape(&ArrayShape::new(format, geometry, Extent { width, height, depth }))
}

/// A surface whose bytes have the values 1, 2, 3 and so on.
pub(super) fn of_shape(shape: &ArrayShape) -> Arc<Surface> {
    let bytes: Vec<u8> =
        (0..shape.packed_size().unwrap()).map(|i| (i as u8).wrapping_add(1)).collect();
    Arc::new(Surface::new(Arc::new(Resource::from_texels(shape, &bytes, "s").unwrap())).unwrap())
}

fn form(geometry: Geometry, element_size: u8, vector: u8, clamp: ClampMode) -> SurfaceForm {
    SurfaceForm { kind: SurfaceKind::Load { element_size, vector }, geometry, clamp }
}

/// The coordinates of one access, given in the order of the instruction's coordinate vector.
fn coords<T: Clone>(plan: &SurfacePlan, vector: [T; 3], none: T) -> Coordinates<T> {
    Coordinates::of(plan.rule.geometry, vector, none)
}

/// The coordinates of a warp's access, the same for all lanes, in the order of the instruction's
/// coordinate vector.
fn lanes_at(plan: &SurfacePlan, vector: [i32; 3]) -> Coordinates<Lanes> {
    coords(plan, vector.map(|c| [c as u32; 32]), [0; 32])
}

fn load(plan: &SurfacePlan, coord: [i32; 3]) -> Result<[u64; 4], AccessFault> {
    let coords = lanes_at(plan, coord);
    let request = SurfaceRequest { active: 1 << 7, coords: coords.each_ref() };
    let mut answer = SurfaceAnswer::default();
    plan.load(&request, &mut answer)?;
    Ok(answer.values.map(|v| v[7]))
}

#[test]
fn sizes_and_geometries_that_no_instruction_has_are_refused() {
    let s = surface(1, 32, 1, 1);
    for (size, vector) in [(8, 4), (3, 1), (4, 3), (16, 1), (0, 1)] {
        let f = form(Geometry::D1, size, vector, ClampMode::Trap);
        assert!(SurfacePlan::new(f, &s).is_err(), "{size} x {vector}");
    }
    assert!(SurfacePlan::new(form(Geometry::Cube, 1, 1, ClampMode::Trap), &s).is_err());
}

#[test]
fn a_fault_names_the_coordinates_of_its_lane() {
    let s = surface(2, 24, 2, 1);
    let plan = SurfacePlan::new(form(Geometry::D2, 4, 4, ClampMode::Trap), &s).unwrap();
    let fault = load(&plan, [16, 1, 5]).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "coordinate (16, 1, 0) with 16 bytes is outside 2D array `s`, 24 x 2 texels of u8"
    );
    assert!(matches!(fault, AccessFault::Outside { lane: 7, .. }));
}

/// Rule 10.6 of docs/numerics.md: when lanes 2 to 29 store to the same bytes, the access size
/// determines the lane that wins.
#[test]
fn the_lowest_lane_of_the_last_pass_wins() {
    for (element_size, vector, winner) in [
        (1, 1, 2),
        (4, 1, 2),
        (1, 4, 2),
        (2, 4, 16),
        (4, 2, 16),
        (8, 1, 16),
        (4, 4, 24),
        (8, 2, 24),
    ] {
        let s = surface(2, 32, 2, 1);
        let plan =
            |clamp| SurfacePlan::new(form(Geometry::D2, element_size, vector, clamp), &s).unwrap();
        // First all lanes are inside; then some lanes are dropped or moved by the boundary policy.
        for (clamp, others) in
            [(ClampMode::Trap, 0), (ClampMode::Zero, 64), (ClampMode::Clamp, -64)]
        {
            let plan = plan(clamp);
            let x = std::array::from_fn(|lane| if lane % 8 == 7 { others as u32 } else { 0 });
            let coords = coords(&plan, [x, [1; 32], [0; 32]], [0; 32]);
            let active = 0x3fff_fffc;
            let values = [std::array::from_fn(|lane| 0x40 + lane as u64); 4];
            plan.store(&SurfaceRequest { active, coords: coords.each_ref() }, &values).unwrap();
            let stored = load(&plan, [0, 1, 0]).unwrap()[0];
            assert_eq!(stored, 0x40 + winner, "{element_size} x {vector}");
        }
    }
    // If a lane faults, the lanes above it do not store.
    let s = surface(1, 32, 1, 1);
    let plan = SurfacePlan::new(form(Geometry::D1, 4, 1, ClampMode::Trap), &s).unwrap();
    let x = std::array::from_fn(|lane| [0, 0, 99, 0][lane % 4]);
    let coords = coords(&plan, [x, [0; 32], [0; 32]], [0; 32]);
    let values = [std::array::from_fn(|lane| 0x40 + lane as u64); 4];
    let request = SurfaceRequest { active: 0xe, coords: coords.each_ref() };
    let fault = plan.store(&request, &values).unwrap_err();
    assert!(matches!(fault, AccessFault::Misaligned { lane: 2, .. }), "{fault}");
    assert_eq!(load(&plan, [0, 0, 0]).unwrap()[0], 0x41);
}

#[test]
fn lane_numbers() {
    assert_eq!(lanes(0x8000_0005).collect::<Vec<_>>(), [0, 2, 31]);
    assert_eq!(lanes(0).count(), 0);
    assert_eq!(lanes(u32::MAX).count(), 32);
}

/// The location of an access by a simple model of docs/numerics.md, section 10, which searches byte
/// by byte; `None` if the access is dropped.
fn model_target(
    bounds: [i64; 3],
    size: i64,
    clamp: ClampMode,
    at: [i64; 3],
) -> Result<Option<[i64; 3]>, ()> {
    if at[0] % size != 0 {
        return Err(());
    }
    let outside = |byte: i64| {
        let at = [at[0] + byte, at[1], at[2]];
        (0..3).any(|axis| at[axis] < 0 || at[axis] >= bounds[axis])
    };
    if !(0..size).any(outside) {
        return Ok(Some(at));
    }
    match clamp {
        ClampMode::Trap => Err(()),
        ClampMode::Zero => Ok(None),
        ClampMode::Clamp if bounds[0] < size => Ok(None),
        ClampMode::Clamp => {
            // All positions at which the access fits, of which the nearest is taken.
            let places = (0..bounds[0]).filter(|x| x % size == 0 && x + size <= bounds[0]);
            let x = places.min_by_key(|x| (x - at[0]).abs()).ok_or(())?;
            let near = |axis: usize| (0..bounds[axis]).min_by_key(|i| (i - at[axis]).abs());
            Ok(Some([x, near(1).ok_or(())?, near(2).ok_or(())?]))
        }
    }
}

fn coordinate() -> impl Strategy<Value = i32> {
    prop_oneof![
        8 => (-3..8_i32, prop_oneof![4 => Just(0), 1 => 0..16_i32]).prop_map(|(k, b)| 16 * k + b),
        4 => -2..6_i32,
        1 => any::<i32>(),
        1 => proptest::sample::select(&[i32::MIN, i32::MAX, i32::MAX - 15][..]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn accesses_equal_a_model_that_looks_at_every_byte(
        dims in 1..=3_u8,
        size in [1..70_u32, 1..5_u32, 1..4_u32],
        (element_size, vector) in proptest::sample::select(
            &[(1, 1), (1, 2), (1, 4), (2, 1), (2, 2), (2, 4), (4, 1), (4, 2), (4, 4), (8, 1), (8, 2)][..]
        ),
        clamp in proptest::sample::select(&[ClampMode::Trap, ClampMode::Clamp, ClampMode::Zero][..]),
        at in [coordinate(), coordinate(), coordinate()],
        value in any::<[u64; 4]>(),
    ) {
        let mut size = size;
        size[usize::from(dims)..].fill(1);
        let s = surface(dims, size[0], size[1], size[2]);
        let geometry = [Geometry::D1, Geometry::D2, Geometry::D3][usize::from(dims) - 1];
        let plan = SurfacePlan::new(form(geometry, element_size, vector, clamp), &s).unwrap();
        // The plan must ignore coordinates of axes that the geometry lacks.
        let mut seen = at.map(i64::from);
        seen[usize::from(dims)..].fill(0);
        let bytes = i64::from(element_size) * i64::from(vector);
        let target = model_target(size.map(i64::from), bytes, clamp, seen);
        let before = s.resource.to_packed();
        let place = |t: [i64; 3]| ((t[2] * i64::from(size[1]) + t[1]) * i64::from(size[0]) + t[0]) as usize;

        let got = load(&plan, at);
        prop_assert_eq!(got.is_err(), target.is_err());
        if let (Ok(got), Ok(target)) = (got, target) {
            let bytes: Vec<u8> = got[..usize::from(vector)]
                .iter()
                .flat_map(|e| e.to_le_bytes().into_iter().take(element_size.into()))
                .collect();
            let wanted = match target {
                Some(t) => before[place(t)..place(t) + bytes.len()].to_vec(),
                None => vec![0; bytes.len()],
            };
            prop_assert_eq!(bytes, wanted);
        }

        let coords = lanes_at(&plan, at);
        let request = SurfaceRequest { active: 1, coords: coords.each_ref() };
        let stored = plan.store(&request, &value.map(|v| [v; 32]));
        prop_assert_eq!(stored.is_err(), target.is_err());
        let mut after = before;
        if let Ok(Some(t)) = target {
            let bytes = value[..usize::from(vector)]
                .iter()
                .flat_map(|e| e.to_le_bytes().into_iter().take(element_size.into()));
            for (i, byte) in bytes.enumerate() {
                after[place(t) + i] = byte;
            }
        }
        prop_assert_eq!(s.resource.to_packed(), after);
    }
}
