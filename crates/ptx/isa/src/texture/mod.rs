//! What texture and surface instructions take: one row a form, one row a geometry, one row a
//! query, one row an option. The checker, `texunit isa`, docs/isa.md and the tests read these
//! rows; the modifiers themselves are read by the rows of the instruction table.
//!
//! Everything is as measured with NVIDIA's assembler (11.8 to 13.5), where it differs from the
//! text of the PTX ISA. What an instruction computes is not here.

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
pub use query::{Handles, QUERIES, QueryRow, query_of};
pub use requirements::{OPTIONS, TextureOption, option_requirements, requirement_of};
pub use surface::{SURFACES, Surface, surface_of};

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
