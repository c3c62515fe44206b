//! Generates random surface cases: a surface, an instruction that is valid for it, and accesses.

use super::Scope;
use super::resource::{array, format};
use crate::file::Access;
use crate::op::SurfaceOp;
use crate::surface::{SurfaceAccess, SurfaceCase};
use std::sync::Arc;
use texunit_spec::rng::Random;
use texunit_texel::{Channel, Format};
use texunit_unit::{
    ClampMode, Coordinates, Geometry, ReduceOp, ReduceType, SurfaceForm, SurfaceKind,
};

const ACCESSES: u32 = 32;
const GEOMETRIES: [Geometry; 5] =
    [Geometry::D1, Geometry::D2, Geometry::D3, Geometry::A1d, Geometry::A2d];

pub(super) fn case(random: &mut Random, scope: Scope) -> Access {
    let kind = kind(random);
    let reduces = matches!(kind, SurfaceKind::Reduce { .. });
    // Reductions do not support layered geometries.
    let geometry = random.pick(&GEOMETRIES[..if reduces { 3 } else { 5 }]);
    let accepts = match kind {
        SurfaceKind::Reduce { .. } => |f: Format| matches!(f.name(), "u32" | "s32"),
        SurfaceKind::StoreFormatted { .. } => stores,
        _ => |f: Format| !f.is_block() && !f.is_depth(),
    };
    let format = format(random, scope, accepts);
    let kind = match kind {
        SurfaceKind::Reduce { op, formatted, .. } => {
            SurfaceKind::Reduce { op, ty: reduced_type(random, op, format, formatted), formatted }
        }
        kind => kind,
    };
    // A surface of a mipmapped array is one of its levels, which this generator does not cover.
    let resource = array(random, geometry, format, false);
    // A layered instruction sees a surface without layers as one layer (docs/numerics.md 10.10).
    // Reductions are excluded.
    let geometry = geometry.layered().filter(|_| !reduces && random.once_in(6)).unwrap_or(geometry);
    let clamps = [ClampMode::Clamp, ClampMode::Zero, ClampMode::Trap];
    let clamp = random.pick(if scope == Scope::Driver { &clamps[..2] } else { &clamps });
    let form = SurfaceForm { kind, geometry, clamp };
    let shape = resource.shape;
    let (size, count) = kind.elements();
    let bytes = u32::from(size) * u32::from(count);
    // The step between valid x coordinates, which count bytes, or texels in formatted accesses.
    let (unit, row) = match kind {
        SurfaceKind::StoreFormatted { .. } | SurfaceKind::Reduce { formatted: true, .. } => {
            (1, shape.extent.width)
        }
        _ => (bytes, shape.extent.width * format.texel_size()),
    };
    // With `.clamp`, a row that is shorter than the access has no valid position to which the
    // access could be moved.
    let stores = !matches!(kind, SurfaceKind::Load { .. });
    let accesses = (0..ACCESSES).map(|_| {
        let mut coords = Coordinates::default();
        if geometry.is_array() {
            coords.layer = random.below(shape.layers + 1);
        }
        let columns = row.div_ceil(unit);
        coords.point[0] = (random.below(columns + 4) as i32 - 2).wrapping_mul(unit as i32) as u32;
        for axis in 1..geometry.axes() {
            coords.point[axis] = (random.below(shape.extent.axes()[axis] + 2) as i32 - 1) as u32;
        }
        SurfaceAccess {
            size: None,
            coords,
            bytes: stores.then(|| (0..bytes).map(|_| random.word() as u8).collect()),
            fault: None,
        }
    });
    let (accesses, resource) = (accesses.collect(), Arc::new(resource));
    let op = SurfaceOp::Form(form);
    Access::Surface(SurfaceCase { resource, op, accesses, warp: false, after: None, error: None })
}

/// Whether the conversion of `sust.p` to this format is fully known (docs/numerics.md).
fn stores(format: Format) -> bool {
    !format.is_normalized_kind() && format.plain_channel().is_some() && !format.is_depth()
}

fn kind(random: &mut Random) -> SurfaceKind {
    let element_size = random.pick(&[1, 2, 4, 8]);
    let vectors: &[u8] = if element_size == 8 { &[1, 2] } else { &[1, 2, 4] };
    let vector = random.pick(vectors);
    let op =
        random.pick(&[ReduceOp::Add, ReduceOp::Min, ReduceOp::Max, ReduceOp::And, ReduceOp::Or]);
    match random.below(4) {
        0 => SurfaceKind::Load { element_size, vector },
        1 => SurfaceKind::Store { element_size, vector },
        2 => SurfaceKind::StoreFormatted { vector: random.pick(&[1, 2, 4]) },
        _ => SurfaceKind::Reduce { op, ty: ReduceType::B32, formatted: random.once_in(2) },
    }
}

/// A random type that the reduction supports.
fn reduced_type(random: &mut Random, op: ReduceOp, format: Format, formatted: bool) -> ReduceType {
    let signed = format.plain_channel() == Some(Channel::S32);
    match op {
        _ if formatted => ReduceType::B32,
        ReduceOp::And | ReduceOp::Or => ReduceType::B32,
        ReduceOp::Add => random.pick(&[ReduceType::U32, ReduceType::S32]),
        _ if signed => ReduceType::S32,
        _ => ReduceType::U32,
    }
}
