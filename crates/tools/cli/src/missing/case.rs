//! `explain CASE.toml#N` in a build without the feature `cases`.

use crate::explain::args::ExplainFormat;
use crate::explain::{Failure, Output};

pub(crate) fn run(_: &str, _: Option<usize>, _: ExplainFormat) -> Result<Output, Failure> {
    Err(Failure::usage(format!("this build of texunit reads no case files: {}", super::HOW)))
}
