//! `texunit check`.

use clap::Args;

/// Arguments of `texunit check`.
#[derive(Clone, Debug, Args)]
pub struct CheckArgs {}

/// Runs the command; the exit code.
pub fn run(_args: &CheckArgs) -> u8 {
    unimplemented!("check")
}
