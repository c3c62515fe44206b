//! `texunit lsp`: a language server over standard input and output.
//!
//! Diagnostics with corrections, hover, definitions, references, highlights, outline, completion
//! and renaming, of the documents that the editor has opened; each is looked at alone. Formatting
//! and files that are not open are left out. docs/lsp.md is for users.

mod actions;
mod answers;
mod completion;
mod config;
mod definition;
mod doc;
mod document;
mod hover;
mod index;
mod instruction;
mod scan;
mod server;
mod symbols;
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
    server::serve(stdin, BufWriter::new(stdout().lock()))
}
