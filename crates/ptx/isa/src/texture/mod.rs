//! Operands of texture and surface instructions: one row per form of tex and tld4, geometry and
//! option. The checker, `texunit isa`, docs/isa.md and the tests use these rows; modifiers are
//! parsed with the instruction table, which has the forms of all instructions.
//!
//! Where ptxas (11.8 to 13.5) differs from the PTX ISA, the rows follow ptxas as measured. What
//! instructions compute is defined in other crates.

mod fetch;
mod geometry;
mod operands;
mod query;
mod requirements;

pub use fetch::{FETCHES, Fetch, fetch_of};
pub use geometry::{GEOMETRIES, GeometryRow, geometry};
pub use operands::{
    COORDINATES, DATA, QUERY_LEVEL, Registers, SURFACE_COORDINATES, SURFACE_DATA, TEXELS, Texel,
    registers, texel_of,
};
pub use query::handles;
pub use requirements::{OPTIONS, TextureOption, requirement_of};

#[cfg(test)]
mod tests;
