//! Jobs: a TOML file that says which kernel runs, with what, and where its results go.
//!
//! [`load`] reads the files, [`spec`] is what a job says, as data, [`bind()`] makes its objects on a device
//! and matches them with the kernel's parameters, and [`Bound`] has the arguments of the launch and
//! writes the outputs behind it. Every mistake is a [`Problem`] with its place in the job; all are
//! collected. The launch itself, what is printed, and the command line are the caller's. docs/jobs.md
//! describes every key.

mod bind;
mod expect;
pub mod load;
mod made;
mod names;
mod output;
pub mod problem;
pub mod spec;
mod syntax;

pub use bind::{Bound, Content, Output, Shape, WrongObject, bind, container_geometry};
pub use output::Written;
pub use problem::{InText, Problem, codes};
pub use spec::{Job, Settings, parse};
pub use texunit_spec::Problems;
