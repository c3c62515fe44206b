//! The message when a process cannot write events for `texunit run`, with the consequences.

use std::io::{Error, ErrorKind};
use std::path::Path;

/// The message about an error of the event file.
pub(super) fn sentence(folder: &Path, error: &Error) -> String {
    let folder = folder.display();
    // The process or the system has too many open files.
    let has_no_files = matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE));
    let lost = ". What happens in this process is not in the report, which says so: it is evidence lost, for --error-exitcode, too";
    let why = match error.kind() {
        _ if has_no_files => {
            return format!(
                "no file can be opened to report to `texunit run` what happens here ({error}; `ulimit -n`): it is reported \
                 when one can be, or else is evidence lost for --error-exitcode and the report"
            );
        }
        ErrorKind::NotFound => {
            format!(
                "the `texunit run` that this process was started in has ended: {folder} is gone"
            )
        }
        ErrorKind::PermissionDenied => format!(
            "this process has no permission to write to {folder}, the folder of its `texunit run` (it has become another \
             user, by setuid or sudo?)"
        ),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            return format!(
                "no room is left in {folder}, the folder of this `texunit run` (TMPDIR names another disk){lost}"
            );
        }
        _ => {
            return format!(
                "{folder}, the folder of this `texunit run`, cannot be written to: {error}{lost}"
            );
        }
    };
    format!(
        "{why}. What happens in this process is not in the report, and its faults do not count for --error-exitcode"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes() {
        let of = |error: Error| sentence(Path::new("/tmp/run"), &error);
        let number = Error::from_raw_os_error;
        for (error, part) in [
            (number(libc::ENOENT), "has ended: /tmp/run is gone. What happens"),
            (number(libc::EACCES), "no permission to write to /tmp/run"),
            (number(libc::EMFILE), "`ulimit -n`"),
            (number(libc::ENOSPC), "no room is left in /tmp/run"),
            (Error::other("magic"), "cannot be written to: magic"),
        ] {
            let text = of(error);
            assert!(text.contains(part) && text.contains("for --error-exitcode"), "{text}");
        }
    }
}
