//! Tests of `sust.p`, whose x counts texels, and which converts values to the surface's format.

use super::*;
use crate::resource::TexelIndex;
use texunit_texel::{pack, store_codes, unpack};

fn plan(surface: &Arc<Surface>, vector: u8, clamp: ClampMode) -> SurfacePlan {
    let kind = SurfaceKind::StoreFormatted { vector };
    let geometry = surface.resource.geometry();
    SurfacePlan::new(SurfaceForm { kind, geometry, clamp }, surface).unwrap()
}

fn store(plan: &SurfacePlan, at: [i32; 3], values: [u64; 4]) -> Result<(), AccessFault> {
    let coords = lanes_at(plan, at);
    let request = SurfaceRequest { active: 1 << 9, coords: coords.each_ref() };
    plan.store(&request, &values.map(|v| [v; 32]))
}

/// Stores with every surface format and every vector size. The stored bytes must be the packed
/// codes, and no other texel may change.
#[test]
fn texels_of_every_format() {
    let values = [0xdead_0000_4000_0000_u64, 0x3f00_0000, 0xffff_fff3, 0x77];
    let mut formats = 0;
    for format in Format::all().filter(|f| !f.is_block() && !f.is_depth()) {
        for vector in [1, 2, 4] {
            let surface = of_format(format.name(), Geometry::D3, [3, 2, 2]);
            let mut wanted = surface.resource.to_packed();
            store(&plan(&surface, vector, ClampMode::Trap), [2, 1, 1], values).unwrap();
            let codes = store_codes(format, values.map(|v| v as u32), vector).unwrap();
            let size = format.texel_size() as usize;
            wanted[11 * size..].copy_from_slice(&pack(format, codes)[..size]);
            assert_eq!(surface.resource.to_packed(), wanted, "{format} {vector}");
        }
        formats += 1;
    }
    assert_eq!(formats, 24 + 12 + 1);
}

#[test]
fn values_are_those_of_the_page() {
    let f = |x: f32| u64::from(x.to_bits());
    for (name, vector, values, codes) in [
        ("u8x4", 4, [0x100, 0xff, u64::from(u32::MAX), 3], [255, 255, 255, 3]),
        ("s8x2", 2, [0x80, 0xffff_ff00, 9, 9], [0x7f, 0x80, 0, 0]),
        ("u32x4", 2, [1, 2, 3, 4], [1, 2, 0, 0]),
        ("f16x2", 4, [f(65_519.0), f(-1e9), 0, 0], [0x7bff, 0xfbff, 0, 0]),
        ("f32", 4, [0x7f80_0001, 9, 9, 9], [0x7f80_0001, 0, 0, 0]),
        ("unorm8x4", 4, [f(2.0), f(-1.0), f(1.0), f(f32::NAN)], [255, 0, 255, 0]),
        ("rgb10a2", 4, [f(1.0), f(0.0), f(1.0), f(1.0)], [1023, 0, 1023, 3]),
    ] {
        let surface = of_format(name, Geometry::D2, [3, 2, 1]);
        store(&plan(&surface, vector, ClampMode::Zero), [1, 1, 0], values).unwrap();
        let at = TexelIndex { at: [1, 1, 0], ..TexelIndex::default() };
        assert_eq!(surface.resource.texel(at), Some(codes), "{name}");
    }
}

#[test]
fn x_counts_texels_under_every_policy() {
    let texel = |surface: &Surface, x| {
        let format = surface.resource.format();
        let size = format.texel_size() as usize;
        unpack(format, &surface.resource.to_packed()[x * size..]).unwrap()[0]
    };
    for (at, landed) in [([7, 0, 0], 4), ([-3, 5, 0], 5), ([i32::MAX, -1, 0], 4), ([1, 1, 0], 6)] {
        let surface = of_format("u16x4", Geometry::D2, [5, 2, 1]);
        let before = surface.resource.to_packed();
        store(&plan(&surface, 4, ClampMode::Zero), at, [1; 4]).unwrap();
        let inside = at == [1, 1, 0];
        assert_eq!(surface.resource.to_packed() == before, !inside);
        let trapped = store(&plan(&surface, 4, ClampMode::Trap), at, [1; 4]);
        assert_eq!(trapped.is_ok(), inside);
        if let Err(fault) = trapped {
            assert!(
                matches!(fault, AccessFault::Outside { x, lane: 9, size: 8, .. } if x == at[0])
            );
        }
        store(&plan(&surface, 4, ClampMode::Clamp), at, [0xffff; 4]).unwrap();
        assert_eq!(texel(&surface, landed), 0xffff, "{at:?}");
    }
}

#[test]
fn plans_that_there_are_not() {
    let surface = of_format("u8", Geometry::D2, [4, 4, 1]);
    let of = |vector, geometry| {
        let kind = SurfaceKind::StoreFormatted { vector };
        SurfacePlan::new(SurfaceForm { kind, geometry, clamp: ClampMode::Zero }, &surface)
    };
    assert!(of(1, Geometry::D2).is_ok());
    assert!(of(3, Geometry::D2).is_err() && of(0, Geometry::D2).is_err());
    assert!(of(1, Geometry::D1).is_err() && of(1, Geometry::A1d).is_err());
    // The format is one of which `Surface::new` does not make surfaces.
    let shape = ArrayShape::d2("bc1".parse().unwrap(), 5, 5);
    let block = Arc::new(Block::new(64, "b").unwrap());
    let resource = Arc::new(Resource::array(&shape, block, "s").unwrap());
    let surface = Arc::new(Surface { resource });
    let kind = SurfaceKind::StoreFormatted { vector: 1 };
    let form = SurfaceForm { kind, geometry: Geometry::D2, clamp: ClampMode::Zero };
    let e = SurfacePlan::new(form, &surface).unwrap_err().to_string();
    assert!(e.ends_with("bc1 has no formatted store"), "{e}");
}
