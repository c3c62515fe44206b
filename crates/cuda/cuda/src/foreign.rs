//! Libraries that cannot run: NVIDIA's runtime is linked into them without the names of its functions, so that texunit's
//! cannot take its place, and it works on NVIDIA's driver alone. It asks for tables of functions at the first call that anybody makes
//! of it, does not get one of them, and refuses all calls by itself from then on. Their callers may not look at the
//! answers; a library that nobody calls does no harm.

use crate::asked;
use crate::call::say;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use texunit_evidence::Finding;

/// Files that are remembered: few programs have so many runtimes.
const MAX_KNOWN: usize = 100;

/// Files that have asked for a table of the runtime's, and whether one was missing since then. nvrtc asks for another one
/// alone, and works without it.
static RUNTIMES: Mutex<BTreeMap<PathBuf, bool>> = Mutex::new(BTreeMap::new());

/// Somebody asks for a table of functions. A library with a runtime inside that does not get it is named, once: to the user, and as
/// a failure in the report. Of the program itself the end of the report says it.
pub(crate) fn asked_for_table(is_there: bool) {
    let Some(path) = asked::caller() else { return };
    // Libraries may be loaded by paths from the folder that the program is in.
    let path = Path::new(&path).canonicalize().unwrap_or_else(|_| path.into());
    {
        let mut runtimes = RUNTIMES.lock().unwrap_or_else(PoisonError::into_inner);
        if is_there {
            if runtimes.len() < MAX_KNOWN {
                runtimes.entry(path).or_default();
            }
            return;
        }
        match runtimes.get_mut(&path) {
            Some(lacks) if !*lacks => *lacks = true,
            _ => return,
        }
    }
    crate::crash::explain(&path.display().to_string());
    let program = std::env::current_exe().and_then(|program| program.canonicalize());
    if program.is_ok_and(|program| program == path) {
        return crate::refused::lacks_table();
    }
    let path = path.display().to_string();
    let message = message(&path);
    say(format_args!("{message}; {HELP}"));
    crate::report::library(Finding {
        kind: texunit_report::LIBRARY.code.to_owned(),
        message,
        help: Some(HELP.to_owned()),
        object: Some(path),
        ..Finding::default()
    });
}

/// Whether calls of a library fail: it has asked for a table, and not got it.
pub(crate) fn fails(path: &Path) -> bool {
    RUNTIMES.lock().unwrap_or_else(PoisonError::into_inner).get(path).is_some_and(|lacks| *lacks)
}

const HELP: &str = "a library of NVIDIA's is delivered so, and the program has to do without it; another one can be linked with \
                    -cudart shared, or left unstripped";

fn message(path: &str) -> String {
    format!(
        "the library {path} cannot run: NVIDIA's CUDA runtime is linked into it without its symbols, and works on NVIDIA's driver \
         alone; calls of the library fail, and what they should compute is not there"
    )
}
