//! Resources and samplers in TOML: the dialect that jobs, case files and state files of Maxwell's
//! texture unit share. docs/resources.md describes its keys.
//!
//! [`Table`] reads a table key by key. It collects in a [`Context`] every mistake, with the path of
//! its key and its position in the text, and a note for each outdated name. (It does not use serde,
//! which stops at the first mistake.) [`SamplerSpec`], [`ShapeSpec`] and [`Texels`] are the parsed
//! contents; [`SamplerSpec::build`] makes a sampler. [`mod@write`] has the same keys for writers of
//! such files.

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
pub mod write;

pub use problem::{Problem, codes};
pub use sampler::{SamplerSpec, read_mode};
pub use shape::{
    ExtentSpec, Region, RegionPart, ShapeSpec, TilesSpec, ViewSpec, extent, format, view,
};
pub use table::{At, Context, Problems, Table, TomlValue};
pub use texels::Texels;
pub use texunit_unit::{Layout, per_axis};
