//! Annotations of GitHub Actions: workflow commands, which the runner recognises in the output of a
//! step.

use super::{outcome, paragraph, repository_file, was_running};
use crate::run::Run;
use texunit_report::{CodeLocation, Severity, screen};

pub(super) fn annotations(run: &Run) -> String {
    let mut text = String::new();
    for finding in run.records.iter().flat_map(|record| record.findings.values()) {
        let level = match finding.severity {
            Severity::Note => "notice",
            severity => severity.name(),
        };
        text += &line(level, finding.place.as_ref(), &finding.kind, &paragraph(finding));
    }
    for running in run.records.iter().flat_map(|record| record.running.values()) {
        text += &line("error", running.place.as_ref(), "running", &was_running(running));
    }
    for outcome in outcome(run) {
        text += &line("error", None, "run", &outcome);
    }
    text
}

/// `::error file=a.cu,line=5,col=3,title=texunit%3A out-of-bounds::message`
fn line(level: &str, place: Option<&CodeLocation>, title: &str, message: &str) -> String {
    let mut properties = String::new();
    if let Some(place) = place {
        let file = property(&repository_file(place.file()));
        properties += &format!("file={file},line={},", place.line());
        if let Some(column) = place.column() {
            properties += &format!("col={column},");
        }
    }
    format!(
        "::{level} {properties}title={}::{}\n",
        property(&format!("texunit: {title}")),
        data(message)
    )
}

/// Escapes a command's message, which ends at the end of the line.
fn data(text: &str) -> String {
    // Control characters are replaced, because the runner shows the decoded text in its log.
    let lines: Vec<String> = text.lines().map(|line| screen(line, false).into_owned()).collect();
    lines.join("\n").replace('%', "%25").replace('\n', "%0A")
}

/// Escapes a command's property, which also ends at a comma.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use texunit_report::is_obeyed;

    /// With a hostile file name and message, the runner still sees exactly one command, without
    /// control characters.
    #[test]
    fn nothing_ends_a_command_or_reaches_the_log() {
        let hostile = "a\u{1b}[31m\u{7}\u{9b}b,c:%0A\r\n::error::x\u{7f}\u{202e}";
        let shown = line("error", None, hostile, hostile);
        assert_eq!(shown.lines().count(), 1);
        assert!(!shown.trim_end().contains(is_obeyed), "{shown:?}");
        let expected =
            "::error title=texunit%3A a␛[31m␇\u{fffd}b%2Cc%3A%250A%0A%3A%3Aerror%3A%3Ax␡\u{fffd}::";
        assert!(shown.starts_with(expected), "{shown}");
    }
}
