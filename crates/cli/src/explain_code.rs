//! `texunit explain-code`.

use clap::Args;

/// Arguments of `texunit explain-code`.
#[derive(Clone, Debug, Args)]
pub struct ExplainCodeArgs {}

/// Runs the command; the exit code.
pub fn run(_args: &ExplainCodeArgs) -> u8 {
    unimplemented!("explain-code")
}
