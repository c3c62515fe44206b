//! Tests of the locations that surface accesses reach: layers, faces, levels, memory and tiles; and
//! of the trace of an access.

use super::*;
use crate::request::PlanError;
use crate::resource::{Residency, View};
use Geometry as G;

fn shape(geometry: Geometry, [width, height]: [u32; 2], layers: u32) -> ArrayShape {
    let format = Format::from_name("u8").unwrap();
    let extent = Extent { width, height, depth: 1 };
    ArrayShape { layers, ..ArrayShape::new(format, geometry, extent) }
}

fn plan(surface: &Arc<Surface>, geometry: Geometry, clamp: ClampMode) -> SurfacePlan {
    SurfacePlan::new(form(geometry, 2, 1, clamp), surface).unwrap()
}

#[test]
fn layers_are_unsigned() {
    let lines = of_shape(&shape(G::A1d, [4, 1], 3));
    let planes = of_shape(&shape(G::A2d, [4, 2], 3));
    let of = |layer: u64, y: u64| layer * 8 + y * 4;
    let pair = |first: u64| (first + 1) | (first + 2) << 8;
    for clamp in [ClampMode::Trap, ClampMode::Clamp, ClampMode::Zero] {
        let (line, plane) = (plan(&lines, G::A1d, clamp), plan(&planes, G::A2d, clamp));
        assert_eq!(load(&line, [2, 2, 77]).unwrap()[0], pair(10), "z is not there");
        assert_eq!(load(&plane, [1, 2, 1]).unwrap()[0], pair(of(1, 1) + 2));
        // Rule 10.3 of docs/numerics.md: the top bit of a layer is ignored.
        assert_eq!(load(&plane, [i32::MIN + 1, 0, 0]).unwrap()[0], pair(of(1, 0)));
        for layer in [3, -1, i32::MIN + 3] {
            let got = load(&plane, [layer, 0, 0]);
            match clamp {
                ClampMode::Clamp => assert_eq!(got.unwrap()[0], pair(of(2, 0))),
                ClampMode::Zero => assert_eq!(got.unwrap()[0], 0),
                ClampMode::Trap => assert_eq!(
                    got.unwrap_err().to_string(),
                    format!(
                        "layer {}, coordinate (0, 0, 0) with 2 bytes is outside layered 2D array \
                         `s`, 4 x 2 texels of u8, 3 layers",
                        layer as u32
                    )
                ),
            }
        }
        let e = load(&plane, [9, 1, 0]).unwrap_err().to_string();
        assert!(
            e.starts_with("layer 9, byte coordinate 1 is not a multiple of the 2 bytes"),
            "{e}"
        );
    }
}

/// Rule 10.10 of docs/numerics.md: the surfaces that each instruction reaches. On any other surface
/// a load returns 0, and a store is dropped.
#[test]
fn dimensions_of_surfaces() {
    let cube = ArrayShape { layers: 2, ..shape(G::Acube, [4, 4], 2) };
    let mut solid = shape(G::D3, [4, 2], 1);
    solid.extent.depth = 3;
    let surfaces = [
        (1, of_shape(&shape(G::D1, [4, 1], 1))),
        (1, of_shape(&shape(G::A1d, [4, 1], 3))),
        (2, of_shape(&shape(G::D2, [4, 2], 1))),
        (2, of_shape(&shape(G::A2d, [4, 2], 3))),
        (2, of_shape(&shape(G::Cube, [4, 4], 1))),
        (2, of_shape(&cube)),
        (3, of_shape(&solid)),
    ];
    for (dimensions, surface) in &surfaces {
        let own = surface.resource.geometry();
        let all = [(1, G::D1), (1, G::A1d), (2, G::D2), (2, G::A2d), (3, G::D3)];
        for (of, geometry) in all {
            let reaches = of == *dimensions || (of, *dimensions) == (2, 3);
            for clamp in [ClampMode::Trap, ClampMode::Clamp, ClampMode::Zero] {
                match SurfacePlan::new(form(geometry, 2, 1, clamp), surface) {
                    Ok(plan) => {
                        assert!(reaches, "{geometry:?} {own:?}");
                        assert_eq!(load(&plan, [0; 3]).unwrap()[0], 0x201, "{geometry:?} {own:?}");
                    }
                    Err(e) => {
                        assert!(!reaches && e.reads_zero(), "{geometry:?} {own:?}: {e}");
                        let PlanError::Geometry(error) = &e else { panic!("{e}") };
                        assert_eq!((error.instruction, error.own), (geometry, own));
                    }
                }
            }
        }
        for geometry in [G::Cube, G::Acube, G::D2ms] {
            assert!(SurfacePlan::new(form(geometry, 1, 1, ClampMode::Zero), surface).is_err());
        }
    }
    // `.a2d` checks its layer against the depth of a 3D surface, and accesses slice 0.
    let (_, solid) = &surfaces[6];
    for (layer, y, inside) in [(0, 0, true), (2, 1, true), (3, 1, false), (-1, 1, false)] {
        let loaded = |clamp| load(&plan(solid, G::A2d, clamp), [layer, 0, y]);
        let row = Ok([[0x201, 0x605][y as usize], 0, 0, 0]);
        assert_eq!(loaded(ClampMode::Clamp), row);
        assert_eq!(loaded(ClampMode::Zero), if inside { row.clone() } else { Ok([0; 4]) });
        assert_eq!(loaded(ClampMode::Trap).is_ok(), inside);
    }
    assert_eq!(load(&plan(solid, G::D2, ClampMode::Zero), [0, 2, 0]), Ok([0; 4]), "no row");
}

/// Rule 10.10 of docs/numerics.md: an instruction with layers accesses a surface without layers as
/// its layer 0.
#[test]
fn plain_surfaces_have_one_layer() {
    let pair = |first: u64| (first + 1) | (first + 2) << 8;
    for (own, layered, at, first) in
        [(G::D1, G::A1d, [2, 0], 2), (G::D2, G::A2d, [2, 1], 6), (G::D2, G::A2d, [0, 0], 0)]
    {
        let height = own.axes() as u32;
        let surface = of_shape(&shape(own, [4, height], 1));
        for clamp in [ClampMode::Trap, ClampMode::Clamp, ClampMode::Zero] {
            let plan = plan(&surface, layered, clamp);
            for layer in [0, i32::MIN] {
                assert_eq!(load(&plan, [layer, at[0], at[1]]).unwrap()[0], pair(first));
            }
            for layer in [1, -1] {
                let got = load(&plan, [layer, at[0], at[1]]);
                match clamp {
                    ClampMode::Clamp => assert_eq!(got.unwrap()[0], pair(first)),
                    ClampMode::Zero => assert_eq!(got.unwrap()[0], 0),
                    ClampMode::Trap => {
                        let e = got.unwrap_err().to_string();
                        assert!(e.starts_with(&format!("layer {}, ", layer as u32)), "{e}");
                    }
                }
            }
        }
    }
}

#[test]
fn faces_of_cubes_are_layers() {
    let cubes = of_shape(&shape(G::Acube, [4, 4], 2));
    let plan_of = |clamp| plan(&cubes, G::A2d, clamp);
    let first = |face: u64| (face * 16 + 1) & 0xff | ((face * 16 + 2) & 0xff) << 8;
    for face in 0..12 {
        assert_eq!(load(&plan_of(ClampMode::Trap), [face, 0, 0]).unwrap()[0], first(face as u64));
    }
    assert_eq!(load(&plan_of(ClampMode::Clamp), [12, 0, 0]).unwrap()[0], first(11));
    assert_eq!(load(&plan(&cubes, G::D2, ClampMode::Trap), [2, 1, 9]).unwrap()[0], 0x807);
    let e = SurfacePlan::new(form(G::D1, 1, 1, ClampMode::Zero), &cubes).unwrap_err().to_string();
    assert!(e.ends_with("2 cubes, whose faces are layers of .a2d"), "{e}");
}

#[test]
fn levels_and_layers_of_views() {
    let shape = ArrayShape { levels: Some(3), ..shape(G::A2d, [8, 4], 3) };
    let block = Arc::new(Block::new(shape.size().unwrap() as usize, "b").unwrap());
    let whole = Resource::array(&shape, block, "s").unwrap();
    let view = View { geometry: Some(G::D2), levels: Some(1..2), planes: Some(2..3), format: None };
    let part = Arc::new(Surface::new(Arc::new(whole.view(&view).unwrap())).unwrap());
    let plan = plan(&part, G::D2, ClampMode::Clamp);
    let coords = lanes_at(&plan, [2, 1, 0]);
    let request = SurfaceRequest { active: 1, coords: coords.each_ref() };
    plan.store(&request, &[[0xbeef; 32]; 4]).unwrap();
    let texel = |x| {
        let at = crate::TexelIndex { level: 1, plane: 2, sample: 0, at: [x, 1, 0] };
        whole.texel(at).unwrap()[0]
    };
    assert_eq!([texel(1), texel(2), texel(3)], [0, 0xef, 0xbe]);
    assert_eq!(whole.to_packed().iter().filter(|&&b| b != 0).count(), 2);
}

#[test]
fn linear_and_pitched_memory() {
    let format = Format::from_name("u8").unwrap();
    let block = Arc::new(Block::new(160, "b").unwrap());
    let bytes: Vec<u8> = (0..160).collect();
    block.write(0, &bytes).unwrap();
    let linear = Resource::linear(format, 21, Arc::clone(&block), 16, 512, "l").unwrap();
    let linear = Arc::new(Surface::new(Arc::new(linear)).unwrap());
    let line = plan(&linear, G::D1, ClampMode::Clamp);
    assert_eq!(load(&line, [4, 0, 0]).unwrap()[0], 0x1514);
    assert_eq!(load(&line, [100, 0, 0]).unwrap()[0], 0x2322, "18 and 19: 20 has no neighbour");
    let pitched = Resource::pitched(format, 20, 4, 32, block, 32, 512, "p").unwrap();
    let pitched = Arc::new(Surface::new(Arc::new(pitched)).unwrap());
    let rows = plan(&pitched, G::D2, ClampMode::Zero);
    assert_eq!(load(&rows, [18, 3, 0]).unwrap()[0], 0x9392);
    assert_eq!(load(&rows, [20, 0, 0]).unwrap()[0], 0, "between the rows is nothing");
}

/// Tests an array with two tiles of 256 x 256 bytes, of which only the second is resident.
#[test]
fn tiles_that_are_not_in_memory() {
    let shape = shape(G::D2, [512, 2], 1);
    let block = Arc::new(Block::new(shape.size().unwrap() as usize, "b").unwrap());
    block.write(0, &[7; 1024]).unwrap();
    let map = Arc::new(Residency::new(&shape).unwrap());
    map.set_tile(0, 0, [1, 0, 0], true).unwrap();
    let resource = Resource::array(&shape, block, "s").unwrap().with_residency(Arc::clone(&map));
    let surface = Arc::new(Surface::new(Arc::new(resource.unwrap())).unwrap());
    let plan = plan(&surface, G::D2, ClampMode::Clamp);
    let store = |x: i32, value| {
        let coords = lanes_at(&plan, [x, 1, 0]);
        let request = SurfaceRequest { active: 1, coords: coords.each_ref() };
        plan.store(&request, &[[value; 32]; 4]).unwrap();
    };
    store(254, 0x1111);
    store(256, 0x2222);
    assert_eq!(load(&plan, [254, 1, 0]).unwrap()[0], 0);
    assert_eq!(load(&plan, [256, 1, 0]).unwrap()[0], 0x2222);
    assert_eq!(load(&plan, [900, 0, 0]).unwrap()[0], 0x0707);
    let trace = plan.trace(Coordinates::at([254, 1, 0], 0));
    assert!(matches!(trace.outcome, SurfaceOutcome::NotResident(_)) && trace.bytes.is_empty());
    map.set_all(true);
    assert_eq!(load(&plan, [254, 1, 0]).unwrap()[0], 0x0707, "the store was dropped");
}

#[test]
fn traces_tell_where_an_access_goes() {
    let planes = of_shape(&shape(G::A2d, [4, 2], 3));
    let trace = |plan: SurfacePlan, vector| plan.trace(coords(&plan, vector, 0));
    let clamp = trace(plan(&planes, G::A2d, ClampMode::Clamp), [9, 100, u32::MAX]);
    let place = SurfacePlace { layer: 2, x: 2, y: 0, z: 0, moved: true, offset: 34 };
    assert_eq!(
        clamp,
        SurfaceTrace {
            layer: Some(9),
            at: [100, -1, 0],
            byte_x: 100,
            size: 2,
            policy: ClampMode::Clamp,
            outcome: SurfaceOutcome::Made(place),
            bytes: vec![19, 20],
            fault: None,
        }
    );
    let inside = trace(plan(&planes, G::A2d, ClampMode::Trap), [2, 2, 0]);
    let moved = SurfacePlace { moved: false, ..place };
    assert_eq!(inside.outcome, SurfaceOutcome::Made(moved));
    let trap = trace(plan(&planes, G::A2d, ClampMode::Trap), [9, 100, 0]);
    assert_eq!(trap.outcome, SurfaceOutcome::Outside);
    assert!(matches!(trap.fault, Some(AccessFault::Outside { layer: Some(9), x: 100, .. })));
    let zero = |vector| trace(plan(&planes, G::A2d, ClampMode::Zero), vector);
    assert_eq!(zero([9, 100, 0]).outcome, SurfaceOutcome::Dropped);
    let odd = zero([9, 101, 0]);
    assert_eq!(odd.outcome, SurfaceOutcome::Misaligned);
    assert!(matches!(odd.fault, Some(AccessFault::Misaligned { lane: 0, x: 101, .. })));
}

/// The fast path must compute the offsets that the rule gives lane by lane, and must apply whenever
/// all lanes are inside.
#[test]
fn offsets_of_a_warp_are_those_of_its_lanes() {
    use crate::request::SurfaceKind as K;
    let kinds = [
        K::Load { element_size: 1, vector: 1 },
        K::Load { element_size: 4, vector: 1 },
        K::Store { element_size: 4, vector: 4 },
        K::Store { element_size: 8, vector: 2 },
        K::StoreFormatted { vector: 1 },
        K::Reduce { op: ReduceOp::Add, ty: crate::request::ReduceType::U32, formatted: false },
        K::Reduce { op: ReduceOp::Add, ty: crate::request::ReduceType::U32, formatted: true },
    ];
    let (mut random, mut whole, mut parts) = (1_u32, 0, 0);
    let mut below = |n: u32| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 8) % n
    };
    for geometry in [G::D1, G::D2, G::D3, G::A1d, G::A2d, G::Cube] {
        for name in ["u8", "u32", "u16x4", "u32x4", "f32x2"] {
            let (square, flat) = (geometry.is_cube(), geometry.axes() == 1);
            let extent = Extent {
                width: if square { 7 } else { 9 },
                height: if flat { 1 } else { 7 },
                depth: if geometry == G::D3 { 3 } else { 1 },
            };
            let format = Format::from_name(name).unwrap();
            let mut shape = ArrayShape::new(format, geometry, extent);
            shape.layers = if geometry.is_array() { 3 } else { 1 };
            let surface = of_shape(&shape);
            let asked = if square { G::A2d } else { geometry };
            for kind in kinds {
                for clamp in [ClampMode::Trap, ClampMode::Clamp, ClampMode::Zero] {
                    let form = SurfaceForm { kind, geometry: asked, clamp };
                    let Ok(plan) = SurfacePlan::new(form, &surface) else { continue };
                    let Some(plain) = plan.plain else { continue };
                    let unit = plan.rule.size
                        / plan
                            .rule
                            .byte_x(plan.rule.coordinate(Coordinates::of(
                                asked,
                                [0, 1, 0].map(|_| 1),
                                0,
                            )))
                            .max(1) as u32;
                    for odd in [false, false, true] {
                        let axis = |n: u32, below: &mut dyn FnMut(u32) -> u32| -> Lanes {
                            std::array::from_fn(|_| match below(if odd { 12 } else { u32::MAX }) {
                                0 => below(3 * n).wrapping_sub(n),
                                1 => [u32::MAX, 1 << 31, i32::MAX as u32][below(3) as usize],
                                _ => below(n),
                            })
                        };
                        let texels = extent.width * format.texel_size() / plan.rule.size;
                        let x =
                            axis(texels.max(1), &mut below).map(|x| x.wrapping_mul(unit.max(1)));
                        let y = axis(extent.height, &mut below);
                        let z = axis(extent.depth, &mut below);
                        let layer = axis(shape.planes(), &mut below);
                        let active = if odd { below(u32::MAX) } else { u32::MAX };
                        let coords =
                            Coordinates { layer: &layer, sample: &layer, point: [&x, &y, &z] };
                        let offsets = plain.offsets(&SurfaceRequest { active, coords });
                        let apply = |lane: usize| {
                            let coordinate = plan.rule.coordinate(coords.map(|c| c[lane]));
                            plan.rule.apply(coordinate, &surface.resource)
                        };
                        let inside = lanes(active).all(|lane| {
                            matches!(apply(lane), SurfaceOutcome::Made(place) if !place.moved)
                        });
                        assert_eq!(offsets.is_some(), inside, "{form}, {name}");
                        let Some(offsets) = offsets else {
                            parts += 1;
                            continue;
                        };
                        whole += 1;
                        for lane in lanes(active) {
                            let SurfaceOutcome::Made(place) = apply(lane) else { unreachable!() };
                            assert_eq!(u64::from(offsets[lane]), place.offset, "{form}, {name}");
                        }
                    }
                }
            }
        }
    }
    assert!(whole > 100 && parts > 100, "{whole}, {parts}");
}
