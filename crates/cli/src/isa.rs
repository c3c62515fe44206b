//! `texunit isa`.

use clap::Args;

/// Arguments of `texunit isa`.
#[derive(Clone, Debug, Args)]
pub struct IsaArgs {}

/// Runs the command; the exit code.
pub fn run(_args: &IsaArgs) -> u8 {
    unimplemented!("isa")
}
