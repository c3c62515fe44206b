//! Resources and samplers in TOML: the one dialect of jobs, case files and the states of Maxwell's texture unit.
//! docs/resources.md describes its keys.
//!
//! [`Table`] reads a table key by key, and collects in a [`Context`] every mistake, with the path of its key and its place in
//! the text, and a note on each name that is no longer the key's. (It is not serde, which stops at the first mistake.)
//! [`SamplerSpec`], [`ShapeSpec`] and [`Texels`] are what files say; [`SamplerSpec::build`] makes a sampler of it. [`mod@write`] has
//! the same keys for those who write such files.

pub mod formats;
pub mod hex;
pub mod keys;
pub mod number;
pub mod problem;
pub mod rng;
mod sampler;
mod shape;
pub mod table;
mod texels;
mod words;
pub mod write;

pub use problem::{Problem, codes};
pub use sampler::{SamplerSpec, read_mode};
pub use shape::{ExtentSpec, Place, Region, ShapeSpec, TilesSpec, ViewSpec, extent, format, view};
pub use table::{At, Context, Found, Problems, Table};
pub use texels::Texels;
pub use texunit_unit::{Layout, per_axis};
pub use words::READ_MODES;
