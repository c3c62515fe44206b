//! Runs genhtml, of the Debian package lcov, on a tracefile.

use std::path::Path;
use std::process::Command;

/// Generates pages of a tracefile, and compares the numbers of lines and branches with the
/// tracefile. Without genhtml, prints that this is skipped.
pub(crate) fn accepts(tracefile: &Path, folder: &Path) -> Result<(), String> {
    let is_there = Command::new("genhtml").arg("--version").output();
    if !is_there.is_ok_and(|done| done.status.success()) {
        texunit_testkit::skipped("there is no genhtml: the Debian package lcov has it");
        return Ok(());
    }
    let mut command = Command::new("genhtml");
    command.args(["--branch-coverage", "--output-directory"]).arg(folder).arg(tracefile);
    let done = command.output().map_err(|e| e.to_string())?;
    let said = format!("{}{}", text(&done.stdout), text(&done.stderr));
    if !done.status.success() || said.to_lowercase().contains("warning") {
        return Err(format!("{command:?}: {said}"));
    }
    let records = std::fs::read_to_string(tracefile).map_err(|e| e.to_string())?;
    let sum = |kind: &str| {
        let values = records.lines().filter_map(|line| line.strip_prefix(kind));
        values.filter_map(|value| value.strip_prefix(':')?.parse::<u64>().ok()).sum::<u64>()
    };
    for (hit, found, name) in [("LH", "LF", "lines"), ("BRH", "BRF", "branches")] {
        let expected = format!("({} of {} {name})", sum(hit), sum(found));
        if sum(found) > 0 && !said.contains(&expected) {
            return Err(format!("no {expected} in {said}"));
        }
    }
    Ok(())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
