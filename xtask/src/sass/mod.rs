//! Compares Maxwell code with NVIDIA's tools: the text of machine words with that of nvdisasm, and
//! the lowering of `tex.grad` with that of ptxas.

mod gradients;
mod lowering;
mod words;

use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

use texunit_check::Ptxas;

use crate::tools;

/// Number of processes of NVIDIA's tools that run at the same time.
const WORKERS: usize = 2;
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
    tools: tools::Choice,
}

/// Runs the comparison of machine words and of lowered modules.
pub(crate) fn run(request: &Request) -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let default = root.join("target/nvidia");
    let (found, missing) = tools::find(request.tools.folder.clone(), &default);
    for line in &missing {
        eprintln!("WARNING: {line}");
    }
    let assemblers: Vec<_> = found
        .into_iter()
        // Releases from 13.5 on are left out, because they do not support Maxwell.
        .filter(|tool| tool.release < Ptxas::V13_5)
        .filter(|tool| request.tools.wants(tool.release))
        .collect();
    let disassembler = tools::nvdisasm(request.tools.folder.as_deref().unwrap_or(&default));
    if let Err(why) = &disassembler {
        eprintln!("WARNING: nvdisasm is not here: {why}");
    }
    let scratch = root.join(format!("target/oracle/sass-{}", std::process::id()));
    let compared = std::fs::create_dir_all(&scratch).and_then(|()| {
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
        std::fs::remove_dir_all(&scratch)?;
        Ok(words + modules)
    });
    match compared {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Calls `work` for items 0 to `count` in several threads, and returns the results in the order of
/// the items. The second argument of `work` is the number of the thread.
fn each<T: Send>(
    count: usize,
    work: impl Fn(usize, usize) -> io::Result<T> + Sync,
) -> io::Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let (next, work) = (&next, &work);
    let mut done: Vec<(usize, T)> = Vec::new();
    std::thread::scope(|scope| {
        let worker = |slot| {
            scope.spawn(move || {
                let mut own = Vec::new();
                loop {
                    let item = next.fetch_add(1, Ordering::Relaxed);
                    if item >= count {
                        return io::Result::Ok(own);
                    }
                    own.push((item, work(item, slot)?));
                }
            })
        };
        let workers: Vec<_> = (0..WORKERS).map(worker).collect();
        for worker in workers {
            match worker.join() {
                Ok(own) => done.extend(own?),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        io::Result::Ok(())
    })?;
    done.sort_by_key(|(item, _)| *item);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}
