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
    let program = std::env::current_exe().and_then(|program| program.canonicalize());
    let own = Path::new(&path).canonicalize();
    if matches!((program, own), (Ok(program), Ok(own)) if program == own) {
        return false;
    }
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

const HELP: &str = "have the program use another library for this, or link the library with -cudart shared or without \
                    stripping it";

fn message(path: &str) -> String {
    format!(
        "the library {path} cannot run: NVIDIA's CUDA runtime is linked into it without its symbols, and works on NVIDIA's driver \
         alone; calls of the library fail, and what they would compute is not there"
    )
}
