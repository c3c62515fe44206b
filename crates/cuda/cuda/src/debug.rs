//! The debugger of this process (`texunit debug`, `texunit dap`): the engine is here, in the thread that launches, and
//! whoever asks is behind a socket that the environment names. Who is not debugged asks for one variable, once.

use crate::running::signals;
use std::path::PathBuf;
use std::sync::OnceLock;
use texunit_debug::remote::{Remote, VARIABLE};
use texunit_debug::{Debugging, LaunchDebugger};

static SESSION: OnceLock<Option<(Debugging, u32)>> = OnceLock::new();

/// The session, if this process is debugged: the first one that launches, unless another was asked for. Processes that
/// are forked from it are not.
fn session() -> Option<&'static Debugging> {
    let session = SESSION.get_or_init(|| {
        let path = PathBuf::from(std::env::var_os(VARIABLE)?);
        let spawn = |take: Box<dyn FnOnce() + Send>| {
            // All signals are the program's.
            let before = signals::block_all();
            let thread = std::thread::Builder::new().name("texunit".to_owned()).spawn(take);
            signals::restore(&before);
            if let Err(error) = thread {
                crate::call::say(format_args!("the debugger does not hear anything: {error}"));
            }
        };
        let (remote, settings) = Remote::connect(&path, spawn)?;
        Some((Debugging::new(settings, Box::new(remote)), std::process::id()))
    });
    session.as_ref().filter(|(_, process)| *process == std::process::id()).map(|(of, _)| of)
}

/// Who debugs a launch of a kernel, and whether that is checked.
pub(crate) fn of_launch(kernel: &str, is_checked: bool) -> Option<LaunchDebugger<'static>> {
    let debugging = session().filter(|debugging| debugging.wants(kernel))?;
    let findings = if is_checked { crate::checks::log() } else { None };
    Some(LaunchDebugger { debugging, findings })
}

/// A launch has ended: so does the program, if that was asked for.
pub(crate) fn launched() {
    if SESSION.get().is_some() && session().is_some_and(Debugging::is_killed) {
        // SAFETY: the process ends itself, as a debugger ends it.
        unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
    }
}
