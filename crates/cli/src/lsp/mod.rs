//! `texunit lsp`: the language server of the crate `texunit-lsp` over standard input and output.
//!
//! Here are frames, threads and exit codes; what is said to the messages is there. docs/lsp.md is for
//! users.

mod serve;
mod transport;
mod worker;

use clap::Args;
use std::io::{BufWriter, stdin, stdout};

/// Arguments of `texunit lsp`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Settings are sent by the editor as initializationOptions: target, \
                        ptxVersion, ptxasCompat, ptxas, arch, allow, deny. docs/lsp.md shows how \
                        editors are set up.\n\nExit codes: 0 after the request `shutdown`; 1 if \
                        the editor went away without it; 2 wrong usage, or a bug of texunit.")]
pub struct LspArgs {
    /// Talk over standard input and output; this is always so.
    #[arg(long)]
    pub stdio: bool,
}

/// Runs the command; the exit code.
pub fn run(_args: &LspArgs) -> u8 {
    serve::serve(stdin, BufWriter::new(stdout().lock()))
}
