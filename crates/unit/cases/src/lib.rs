//! Case files of the texture and surface unit (`tests/fetch/*.toml`, or `.toml.gz`): one format for
//! every resource, sampler and instruction, with the expected results and their source.
//!
//! [`load`] reads a file, and [`find_files`] finds those of a folder. [`Case::build`] makes the
//! texture or surface of a case, and [`Case::verdict`] runs the case on the reference and on the
//! planned path and reports each value that differs. [`to_toml`] writes cases. [`random_case`]
//! makes new ones without results, and [`why_no_driver`] says which cases cannot be executed on a
//! GPU. tests/fetch/README.md describes the keys.
//!
//! A file is untrusted: any mistake in it is an error with file and case, never a panic, and no
//! case allocates more than [`MAX_BYTES`] of texels.

mod driver;
mod engine;
mod error;
mod fetch;
mod file;
mod op;
mod random;
mod raw;
mod resource;
mod surface;
mod verdict;

pub use driver::why_no_driver;
pub use engine::{Engine, Wrong};
pub use error::{CaseError, Result};
pub use fetch::{Answer, BuiltFetch, Expected, ExpectedValue, FetchCase, hash};
pub use file::{
    Access, Addressed, Built, Case, CaseFile, compress, find_files, is_case_file, load,
    load_address, parse, read_text, stem, to_toml,
};
pub use op::SurfaceOp;
pub use random::{random_case, random_case_of, random_unit_case};
pub use resource::{MAX_BYTES, ResourceSpec};
pub use surface::{BuiltSurface, Fault, SurfaceAccess, SurfaceCase, SurfaceRun};
pub use texunit_spec::Texels;
pub use verdict::Verdict;
