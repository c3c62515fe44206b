//! The report that a process writes by itself when it ends, where no `texunit run` does.

use crate::call::say;
use crate::settings::settings;
use std::ffi::c_int;
use std::path::Path;
use texunit_evidence::{Format, Record, Run};

/// Writes the report; `%p` in its name is the number of the process.
pub(super) fn write(path: &Path, record: Record) {
    let format = settings().report_format.unwrap_or_else(|| Format::of(path));
    let path = texunit_evidence::name_of_process(path, record.process.pid);
    let (texunit, command) = (record.process.texunit.clone(), record.process.command.clone());
    let run = Run { texunit, command, records: vec![record], ..Run::default() };
    let _ignored = PipeSignal::ignore();
    if let Err(error) = texunit_evidence::write(&path, format.render(&run).as_bytes()) {
        say(format_args!("the report {} cannot be written: {error}", path.display()));
    }
}

unsafe extern "C" {
    fn signal(number: c_int, handler: usize) -> usize;
}

/// SIGPIPE, ignored as long as this lives: a pipe that nobody reads any more is an error of the write.
pub(crate) struct PipeSignal {
    before: usize,
}

impl PipeSignal {
    const NUMBER: c_int = 13;
    /// `SIG_IGN`
    const IGNORED: usize = 1;
    /// `SIG_ERR`
    const FAILED: usize = usize::MAX;

    /// From now on.
    pub(crate) fn ignore() -> Self {
        // SAFETY: a number and a constant; what was there before is put back.
        Self { before: unsafe { signal(Self::NUMBER, Self::IGNORED) } }
    }
}

impl Drop for PipeSignal {
    fn drop(&mut self) {
        if self.before != Self::FAILED {
            // SAFETY: what the first call has answered.
            unsafe { signal(Self::NUMBER, self.before) };
        }
    }
}
