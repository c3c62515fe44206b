//! The case files of the texture and surface unit (`tests/fetch/*.toml`): one format for every
//! resource, sampler and instruction, with the answers that must come out and where they come
//! from.
//!
//! [`load`] reads a file; [`Case::build`] makes the texture or surface of a case; the built case
//! runs on the reference and on the planned path and tells the first disagreement. [`to_toml`]
//! writes cases back. [`random_case`] makes new ones without answers, and [`why_no_driver`] tells
//! which cases no graphics card can be asked about. tests/fetch/README.md describes the keys.
//!
//! A file is data from outside: whatever it says is an error with file and case, never a panic,
//! and no case allocates more than [`MAX_BYTES`] of texels.

mod driver;
mod error;
mod fetch;
mod file;
mod hash;
mod op;
mod random;
mod raw;
mod resource;
mod surface;

pub use driver::why_no_driver;
pub use error::CaseError;
pub use fetch::{Answer, BuiltFetch, Disagreement, Expected, ExpectedValue, FetchCase};
pub use file::{Access, Addressed, Built, Case, CaseFile, load, load_address, parse, to_toml};
pub use op::SurfaceOp;
pub use random::{random_case, random_unit_case};
pub use resource::{MAX_BYTES, ResourceSpec};
pub use surface::{BuiltSurface, Fault, SurfaceAccess, SurfaceCase, SurfaceRun};
pub use texunit_spec::Texels;
