//! The report that a process writes itself when it ends, if it does not run under `texunit run`.

use crate::message::say;
use crate::prelude::*;
use crate::settings::settings;
use crate::signals::PipeSignal;
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
