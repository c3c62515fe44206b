//! Jobs: TOML files that specify a kernel launch with its inputs and outputs.
//!
//! [`load`] reads the files, and [`spec`] is the parsed job. [`bind()`] creates its objects on a
//! device and matches them with the kernel's parameters; [`Bound`] has the arguments of the launch
//! and writes the outputs afterwards. Every error is a [`Problem`] with its position in the job,
//! and all are collected. The launch itself, printing and the command line belong to the caller.
//! docs/jobs.md describes all keys.

mod bind;
mod expect;
pub mod load;
mod output;
pub mod problem;
pub mod spec;
mod syntax;
mod texel_resource;

pub use bind::{Bound, Content, Output, WrongObject, bind};
pub use output::Written;
pub use problem::{InText, Problem, codes};
pub use spec::{Job, Settings, parse};
pub use texunit_spec::Problems;
