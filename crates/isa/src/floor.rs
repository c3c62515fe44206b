//! The `.version` and `.target` that texture and surface instructions need, feature by feature:
//! an instruction needs the floors of everything it uses. Measured with ptxas 12.9; the sets are
//! exact for every form in the documentation.

use crate::types::{AtomOp, ClampMode, Geometry, MipMode, Query};
use crate::{Modifiers, Opcode};

/// A feature with what it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Floor {
    /// What the user would call it.
    pub feature: &'static str,
    /// `.version`, times ten.
    pub version: u32,
    /// Number of `.target`; 0: any.
    pub target: u32,
}

const fn floor(feature: &'static str, version: u32, target: u32) -> Floor {
    Floor { feature, version, target }
}

/// Handles in registers.
pub const INDIRECT: Floor = floor("indirect access through a register", 31, 20);
/// Handles in registers, `texmode_independent`.
pub const INDIRECT_INDEPENDENT: Floor = floor("indirect access with texmode_independent", 43, 30);
/// Offset operand.
pub const OFFSET: Floor = floor("a texture offset", 43, 30);
/// Depth compare operand.
pub const COMPARE: Floor = floor("depth compare", 43, 30);
/// `d|p`.
pub const RESIDENCY: Floor = floor("a destination predicate", 71, 60);
/// `ld.v4.b64` and `.v8`.
pub const WIDE: Floor = floor("256-bit loads and stores", 88, 100);
/// Opaque types, `.target` texturing modes.
pub const OPAQUE: Floor = floor("opaque types", 15, 0);

/// Features that the modifiers of an instruction use.
pub fn features(opcode: Opcode, mods: &Modifiers, has_cache_operator: bool) -> Vec<Floor> {
    let mut list = Vec::new();
    match opcode {
        Opcode::Tex => tex(mods, &mut list),
        Opcode::Tld4 if mods.geometry != Some(Geometry::D2) => {
            list.push(floor("tld4 on arrays and cube maps", 43, 30));
        }
        Opcode::Txq | Opcode::Suq => query(opcode, mods.query, &mut list),
        Opcode::Suld | Opcode::Sust | Opcode::Sured => surface(opcode, mods, &mut list),
        _ => {}
    }
    if has_cache_operator && matches!(opcode, Opcode::Suld | Opcode::Sust) {
        list.push(floor("a cache operator", 20, 20));
    }
    list
}

fn tex(mods: &Modifiers, list: &mut Vec<Floor>) {
    let geometry = mods.geometry;
    match geometry {
        Some(Geometry::A1d | Geometry::A2d) => list.push(floor("texture arrays", 23, 0)),
        Some(Geometry::Cube) => list.push(floor("cube maps", 30, 0)),
        Some(Geometry::Acube) => list.push(floor("cube map arrays", 30, 20)),
        Some(Geometry::D2ms | Geometry::A2dms) => {
            list.push(floor("multi-sample textures", 32, 30));
        }
        _ => {}
    }
    let cube = matches!(geometry, Some(Geometry::Cube | Geometry::Acube));
    match mods.mip {
        Some(MipMode::Grad) if cube => list.push(floor("tex.grad on cube maps", 43, 20)),
        Some(_) => list.push(floor("mipmaps", 31, 20)),
        None => {}
    }
}

fn query(opcode: Opcode, query: Option<Query>, list: &mut Vec<Floor>) {
    match query {
        Some(Query::ChannelDataType | Query::ChannelOrder) => {
            list.push(floor("channel queries", 21, 0));
        }
        Some(Query::ForceUnnormalizedCoords) => {
            list.push(floor("the query force_unnormalized_coords", 22, 0));
        }
        Some(Query::ArraySize) => list.push(floor("the query array_size", 41, 0)),
        Some(Query::NumMipmapLevels) => list.push(floor("the query num_mipmap_levels", 41, 20)),
        Some(Query::NumSamples) => list.push(floor("the query num_samples", 41, 30)),
        Some(Query::MemoryLayout) if opcode == Opcode::Suq => {
            list.push(floor("the query memory_layout", 42, 0));
        }
        _ => {}
    }
}

fn surface(opcode: Opcode, mods: &Modifiers, list: &mut Vec<Floor>) {
    let array = matches!(mods.geometry, Some(Geometry::A1d | Geometry::A2d));
    if array && mods.formatted {
        list.push(floor("sust.p on arrays", 41, 30));
    } else if array || mods.geometry == Some(Geometry::D3) {
        list.push(floor("3d surfaces and surface arrays", 30, 20));
    }
    if opcode != Opcode::Sured && mods.clamp != Some(ClampMode::Trap) {
        list.push(floor("clamp modes other than .trap", 20, 0));
    }
    let wide = mods.types.first().is_some_and(|t| t.bits() == 64);
    if opcode == Opcode::Sured && wide && mods.atom != Some(AtomOp::Add) {
        list.push(floor("64-bit sured", 81, 50));
    }
}
