//! The debugger's side in this process (`texunit debug`, `texunit dap`): the engine runs in the
//! launching thread, and the user interface is connected through a socket named by the environment.
//! In a process that is not debugged, one variable is read once.

use crate::prelude::*;
use crate::signals;
use texunit_debug::remote::{Remote, VARIABLE};
use texunit_debug::{Debugging, LaunchDebugger};

static SESSION: OnceLock<Option<(Debugging, u32)>> = OnceLock::new();

/// The session, if this process is debugged: it is taken by the first process that launches, unless
/// another was requested. Forked child processes are not debugged.
fn session() -> Option<&'static Debugging> {
    let session = SESSION.get_or_init(|| {
        let path = PathBuf::from(std::env::var_os(VARIABLE)?);
        let spawn = |take: Box<dyn FnOnce() + Send>| {
            // The new thread blocks all signals, which are the program's.
            if let Err(error) = signals::spawn(take) {
                say(format_args!("the debugger does not hear anything: {error}"));
            }
        };
        let (remote, settings) = Remote::connect(&path, spawn)?;
        Some((Debugging::new(settings, Box::new(remote)), std::process::id()))
    });
    session.as_ref().filter(|(_, process)| *process == std::process::id()).map(|(of, _)| of)
}

/// Whether this process is debugged.
pub(crate) fn is_on() -> bool {
    session().is_some()
}

/// The debugger of a kernel's launch, given whether the launch is checked.
pub(crate) fn of_launch(kernel: &str, is_checked: bool) -> Option<LaunchDebugger<'static>> {
    let debugging = session().filter(|debugging| debugging.wants(kernel))?;
    let findings = if is_checked { crate::check_log::log() } else { None };
    Some(LaunchDebugger { debugging, findings })
}

/// After a launch, ends the process if the user requested that.
pub(crate) fn launched() {
    if SESSION.get().is_some() && session().is_some_and(Debugging::is_killed) {
        // SAFETY: `kill` is called for the own process, as a debugger would end it.
        unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
    }
}
