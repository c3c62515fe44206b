//! The report that a process writes itself when it ends, if it does not run under `texunit run`.

use crate::call::say;
use crate::settings::settings;
use std::path::Path;
use texunit_evidence::{Format, Record, Run};

/// Writes the report; `%p` in its name is replaced by the process number.
pub(super) fn write(path: &Path, record: Record) {
    let format = settings().report_format.unwrap_or_else(|| Format::of(path));
    let path = texunit_evidence::name_of_process(path, record.process.pid);
    let (texunit, command) = (record.process.texunit.clone(), record.process.command.clone());
    let fail_on = settings().fail_on;
    let run = Run { texunit, command, fail_on, records: vec![record], ..Run::default() };
    let _ignored = PipeSignal::ignore();
    if let Err(error) = texunit_evidence::write(&path, format.render(&run).as_bytes()) {
        say(format_args!("the report {} cannot be written: {error}", path.display()));
    }
}

/// Ignores SIGPIPE until dropped, so that writing to a closed pipe is an error of the write.
pub(crate) struct PipeSignal {
    /// The program's handler, if it was replaced.
    before: Option<libc::sigaction>,
}

impl PipeSignal {
    /// Starts to ignore SIGPIPE until the value is dropped.
    pub(crate) fn ignore() -> Self {
        // SAFETY: zeros are a valid value, with no flags and an empty mask.
        let mut ignored: libc::sigaction = unsafe { std::mem::zeroed() };
        ignored.sa_sigaction = libc::SIG_IGN;
        let mut before = ignored;
        // SAFETY: both structures are local variables; the previous handler is restored on drop.
        let failed = unsafe { libc::sigaction(libc::SIGPIPE, &raw const ignored, &raw mut before) };
        Self { before: (failed == 0).then_some(before) }
    }
}

impl Drop for PipeSignal {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // SAFETY: the structure was returned by the first call.
            unsafe { libc::sigaction(libc::SIGPIPE, before, std::ptr::null_mut()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    extern "C" fn handler(_: libc::c_int, _: *mut libc::siginfo_t, _: *mut libc::c_void) {}

    /// The program's handler and its flags are restored; with other flags, a handler that takes
    /// `siginfo_t` would read an invalid pointer.
    #[test]
    fn the_handler_is_put_back_as_it_was() {
        let now = || {
            // SAFETY: zeros are a valid value; the structure is only written to.
            unsafe {
                let mut now: libc::sigaction = std::mem::zeroed();
                libc::sigaction(libc::SIGPIPE, std::ptr::null(), &raw mut now);
                now
            }
        };
        let first = now();
        let mut own = now();
        own.sa_sigaction = handler as *const () as usize;
        own.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER;
        // SAFETY: the handler matches its flags; the first handler is restored below.
        unsafe { libc::sigaction(libc::SIGPIPE, &raw const own, std::ptr::null_mut()) };
        let own = now();
        let ignored = PipeSignal::ignore();
        assert_eq!(now().sa_sigaction, libc::SIG_IGN);
        drop(ignored);
        let after = now();
        assert_eq!((after.sa_sigaction, after.sa_flags), (own.sa_sigaction, own.sa_flags));
        assert_ne!(after.sa_flags & libc::SA_SIGINFO, 0);
        // SAFETY: `first` is the valid action that was set before.
        unsafe { libc::sigaction(libc::SIGPIPE, &raw const first, std::ptr::null_mut()) };
    }
}
