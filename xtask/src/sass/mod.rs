//! Compares Maxwell code with NVIDIA's tools: the text of machine words with that of nvdisasm, and
//! the lowering of `tex.grad` with that of ptxas.

mod lowering;
mod words;

use crate::{oracle, ptxas};
use std::process::ExitCode;
use texunit_check::Ptxas;
use texunit_testkit::TempDir;

/// The maximum number of printed differences.
const SHOWN: usize = 20;

/// The arguments of `sass`.
#[derive(Debug, clap::Args)]
pub(crate) struct Request {
    /// Number of random modules
    modules: usize,
    /// Number of random machine words
    words: usize,
    /// Seed of both
    seed: u64,
    #[command(flatten)]
    tools: ptxas::Choice,
}

/// Runs the comparison of machine words and of lowered modules.
pub(crate) fn run(request: &Request) -> ExitCode {
    oracle::code(compare(request))
}

fn compare(request: &Request) -> std::io::Result<usize> {
    let mut assemblers = request.tools.found();
    // Releases from 13.5 on are left out, because they do not support Maxwell.
    assemblers.retain(|tool| tool.release < Ptxas::V13_5);
    let disassembler = request.tools.nvdisasm();
    if let Err(why) = &disassembler {
        eprintln!("WARNING: nvdisasm is not here: {why}");
    }
    let scratch = TempDir::new("sass");
    let words = match &disassembler {
        Ok(tool) if request.words > 0 => {
            words::compare(tool, request.words, request.seed, &scratch)?
        }
        _ => {
            eprintln!("WARNING: NO WORDS WERE COMPARED.");
            0
        }
    };
    let modules = if assemblers.is_empty() || request.modules == 0 {
        eprintln!("WARNING: NO MODULES WERE COMPARED.");
        0
    } else {
        lowering::compare(&assemblers, request.modules, request.seed, &scratch)?
    };
    Ok(words + modules)
}
