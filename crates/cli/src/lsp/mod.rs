//! `texunit lsp`.

use clap::Args;

/// Arguments of `texunit lsp`.
#[derive(Clone, Debug, Args)]
pub struct LspArgs {}

/// Runs the command; the exit code.
pub fn run(_args: &LspArgs) -> u8 {
    unimplemented!("lsp")
}
