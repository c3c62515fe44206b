//! `texunit lsp`: the language server of the crate `texunit-lsp` over standard input and output.
//!
//! This module has framing, threads and exit codes; the crate answers messages. docs/lsp.md is the
//! user's documentation.

mod serve;
mod worker;

use clap::Args;
use std::io::{BufWriter, stdin, stdout};

/// Arguments of `texunit lsp`.
#[derive(Clone, Debug, Args)]
#[command(after_help = crate::examples::of("texunit lsp"))]
pub struct LspArgs {
    /// Communicate over standard input and output; this is always the case.
    #[arg(long)]
    pub stdio: bool,
}

/// Runs the command; returns the exit code.
pub fn run(_args: &LspArgs) -> u8 {
    serve::serve(stdin, BufWriter::new(stdout().lock()))
}
