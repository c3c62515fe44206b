//! The case files of the texture and surface unit (`tests/fetch/*.toml`, or `.toml.gz`): one format
//! for every resource, sampler and instruction, with the answers that must come out and where they
//! come from.
//!
//! [`load`] reads a file, [`find_files`] those of a folder; [`Case::build`] makes the texture or
//! surface of a case, and [`Case::verdict`] runs it on the reference and on the planned path and
//! tells value by value what differs. [`to_toml`] writes cases back. [`random_case`] makes new ones
//! without answers, and [`why_no_driver`] tells which cases no graphics card can be asked about.
//! tests/fetch/README.md describes the keys.
//!
//! A file is data from outside: whatever it says is an error with file and case, never a panic,
//! and no case allocates more than [`MAX_BYTES`] of texels.

mod driver;
mod error;
mod fetch;
mod file;
mod folder;
mod hash;
mod op;
mod random;
mod raw;
mod resource;
mod surface;
mod verdict;

pub use driver::why_no_driver;
pub use error::CaseError;
pub use fetch::{Answer, BuiltFetch, Disagreement, Expected, ExpectedValue, FetchCase};
pub use file::{
    Access, Addressed, Built, Case, CaseFile, compress, load, load_address, parse, read_text,
    to_toml,
};
pub use folder::{find_files, is_case_file, stem};
pub use hash::hash;
pub use op::SurfaceOp;
pub use random::{random_case, random_case_of, random_unit_case};
pub use resource::{MAX_BYTES, ResourceSpec};
pub use surface::{BuiltSurface, Fault, SurfaceAccess, SurfaceCase, SurfaceRun};
pub use texunit_spec::Texels;
pub use verdict::{Engine, Verdict, Wrong};
