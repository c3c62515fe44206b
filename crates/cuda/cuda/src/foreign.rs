//! Libraries that cannot run: NVIDIA's runtime is linked into them without the names of its functions, so that texunit's
//! cannot take its place, and it works on NVIDIA's driver alone. It asks for a table of functions that texunit does not have, at
//! the first call that anybody makes of it, and refuses all calls by itself from then on. Their callers may not look at the
//! answers; a library that nobody calls does no harm.

use crate::asked;
use crate::call::say;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use texunit_evidence::Finding;

/// Libraries that were named: few programs have so many.
const MAX_NAMED: usize = 100;

/// Somebody has asked for a table of functions that is not there. If that was a library, it is named, once: to the user, and as
/// a failure in the report. Whether it was one, and not the program itself.
pub(crate) fn has_named_library() -> bool {
    let Some(path) = asked::caller() else { return false };
    // Libraries may be loaded by paths from the folder that the program is in.
    let path = Path::new(&path).canonicalize().unwrap_or_else(|_| path.into());
    crate::crash::explain(&path.display().to_string());
    let program = std::env::current_exe().and_then(|program| program.canonicalize());
    if program.is_ok_and(|program| program == path) {
        return false;
    }
    let path = path.display().to_string();
    static NAMED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    {
        let mut named = NAMED.lock().unwrap_or_else(PoisonError::into_inner);
        if named.len() >= MAX_NAMED || !named.insert(path.clone()) {
            return true;
        }
    }
    let message = message(&path);
    say(format_args!("{message}; {HELP}"));
    crate::report::library(Finding {
        kind: texunit_report::LIBRARY.code.to_owned(),
        message,
        help: Some(HELP.to_owned()),
        object: Some(path),
        ..Finding::default()
    });
    true
}

const HELP: &str = "a library of NVIDIA's is delivered so, and the program has to do without it; another one can be linked with \
                    -cudart shared, or left unstripped";

fn message(path: &str) -> String {
    format!(
        "the library {path} cannot run: NVIDIA's CUDA runtime is linked into it without its symbols, and works on NVIDIA's driver \
         alone; calls of the library fail, and what they should compute is not there"
    )
}
