//! Operands of texture and surface instructions: one row per form, geometry, query and option. The
//! checker, `texunit isa`, docs/isa.md and the tests use these rows; modifiers are parsed with the
//! instruction table.
//!
//! Where ptxas (11.8 to 13.5) differs from the PTX ISA, the rows follow ptxas as measured. The
//! results of instructions are defined elsewhere.

mod fetch;
mod geometry;
mod operands;
mod query;
mod requirements;
mod surface;

pub use fetch::{FETCHES, Fetch, fetch_of};
pub use geometry::{GEOMETRIES, GeometryRow, geometry};
pub use operands::{
    COORDINATES, DATA, QUERY_LEVEL, Registers, SURFACE_COORDINATES, SURFACE_DATA, TEXELS, Texel,
    registers, texel_of,
};
pub use query::{QUERIES, QueryRow, query_of};
pub use requirements::{OPTIONS, TextureOption, option_requirements, requirement_of};
pub use surface::{SURFACES, Surface, surface_of};

#[cfg(test)]
mod tests;
