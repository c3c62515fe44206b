//! Judges: each determines how a case fails in a first run, and then whether reduced cases fail in
//! the same way.

mod check;
mod command;
mod differ;
mod judge;
mod key;
mod launch;
mod workspace;

pub use check::CheckJudge;
pub use command::CommandJudge;
pub use differ::{Configuration, DifferJudge, Launcher};
pub use judge::LaunchJudge;
pub use key::FaultKey;
pub use launch::{Outcome, Results, Settings, contents, look};
pub use workspace::Workspace;

use std::cell::Cell;

thread_local! {
    static TRYING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is running an attempt, whose panics are caught. A panic hook that asks for
/// bug reports can then be silent.
pub fn is_trying() -> bool {
    TRYING.get()
}

/// Runs an attempt; a panic becomes an error with its message.
fn trying<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let outer = TRYING.replace(true);
    // Unwinding is safe, because an attempt shares no state that a panic could leave inconsistent.
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    TRYING.set(outer);
    result.map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message").to_owned()
    })
}
