//! Measures surface accesses of whole warps, in which the lanes access 32 consecutive elements.

use super::Table;
use std::sync::Arc;
use texunit_texel::Format;
use texunit_unit::{
    AddressMode, ClampMode, Coordinates, Filter, Geometry, ReduceOp, ReduceType, Surface,
    SurfaceAnswer, SurfaceForm, SurfaceKind, SurfacePlan, SurfaceRequest, ZERO_LANES,
};
use texunit_workloads::cases::plane;
use texunit_workloads::measure::{Via, time};
use texunit_workloads::workload::Effort;

/// Width and height of the surface in texels.
const SIZE: u32 = 1024;

/// Measured accesses: name, texel format, kind, and the distance of two elements in the units of
/// the instruction's x coordinate.
const ROWS: [(&str, &str, SurfaceKind, u32); 5] = {
    use SurfaceKind::{Load, Reduce, Store, StoreFormatted};
    [
        ("suld.b.2d.b32 u8x4", "u8x4", Load { element_size: 4, vector: 1 }, 4),
        ("suld.b.2d.v4.b32 f32x4", "f32x4", Load { element_size: 4, vector: 4 }, 16),
        ("sust.b.2d.b32 u8x4", "u8x4", Store { element_size: 4, vector: 1 }, 4),
        ("sust.p.2d.v4.b32 u8x4", "u8x4", StoreFormatted { vector: 4 }, 1),
        (
            "sured.b.add.2d.u32 u32",
            "u32",
            Reduce { op: ReduceOp::Add, ty: ReduceType::U32, formatted: false },
            4,
        ),
    ]
};

pub(crate) fn all(effort: &Effort, table: &mut Table) -> Result<(), String> {
    for (name, format, kind, stride) in ROWS {
        if !table.wants(name) {
            continue;
        }
        let format = Format::from_name(format).unwrap();
        let texture = plane(name, format, Filter::Point, AddressMode::Clamp).texture()?;
        let surface = Arc::new(Surface { resource: Arc::clone(&texture.resource) });
        let form = SurfaceForm { kind, geometry: Geometry::D2, clamp: ClampMode::Trap };
        let plan = SurfacePlan::new(form, &surface).map_err(|e| e.to_string())?;
        let rate = time(*effort, || access(&plan, kind, stride, effort.fetches));
        table.row(name, Via::Api, effort, rate);
    }
    Ok(())
}

/// Makes `count` accesses, row by row; after the last row it continues with the first.
fn access(plan: &SurfacePlan, kind: SurfaceKind, stride: u32, count: u32) {
    let values = [[7; 32]; 4];
    let mut answer = SurfaceAnswer::default();
    for warp in 0..count / 32 {
        let first = warp * 32;
        let x = std::array::from_fn(|lane| (first % SIZE + lane as u32) * stride);
        let y = [first / SIZE % SIZE; 32];
        let coords = Coordinates::at([&x, &y, &ZERO_LANES], &ZERO_LANES);
        let request = SurfaceRequest { active: u32::MAX, coords };
        let done = match kind {
            SurfaceKind::Load { .. } => plan.load(&request, &mut answer),
            _ => plan.store(&request, &values),
        };
        done.unwrap();
        std::hint::black_box(&answer);
    }
}
