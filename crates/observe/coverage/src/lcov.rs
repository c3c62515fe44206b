//! Tracefiles of lcov, which genhtml and coverage services read.
//!
//! [`text`] writes the records of lcov 1 (`man geninfo`), which lcov 2 also reads. [`parse`] reads
//! the records of lcov 1, accepts the function end lines that lcov 2 adds, and ignores other
//! records. Branches are numbered within their line, and after reading they are identified by that
//! number only.

use crate::data::{BranchKey, Coverage, File};
use std::fmt::Write;
use std::io;
use std::path::Path;

/// Formats coverage as a tracefile.
pub fn text(coverage: &Coverage) -> String {
    let mut out = String::new();
    // genhtml rejects files without lines, which have only functions without bodies.
    let has_lines = |file: &File| !file.lines.is_empty() || !file.functions.is_empty();
    for (name, file) in coverage.files.iter().filter(|(_, file)| has_lines(file)) {
        // Writing to a `String` cannot fail.
        let _ = record(&mut out, name, file);
    }
    out
}

/// Writes a tracefile, as [`texunit_evidence::write`] writes reports.
///
/// # Errors The tracefile cannot be written.
pub fn write(path: &Path, coverage: &Coverage) -> io::Result<()> {
    texunit_evidence::write(path, text(coverage).as_bytes())
}

fn record(out: &mut String, name: &str, file: &File) -> std::fmt::Result {
    writeln!(out, "TN:\nSF:{name}")?;
    for (name, function) in &file.functions {
        writeln!(out, "FN:{},{name}", function.line)?;
    }
    for (name, function) in &file.functions {
        writeln!(out, "FNDA:{},{name}", function.lanes)?;
    }
    let hit = file.functions.values().filter(|function| function.lanes > 0).count();
    writeln!(out, "FNF:{}\nFNH:{hit}", file.functions.len())?;
    branches(out, file)?;
    for (line, lanes) in &file.lines {
        writeln!(out, "DA:{line},{lanes}")?;
    }
    let hit = file.lines.values().filter(|&&lanes| lanes > 0).count();
    writeln!(out, "LF:{}\nLH:{hit}\nend_of_record", file.lines.len())
}

fn branches(out: &mut String, file: &File) -> std::fmt::Result {
    let (mut before, mut block) = (0, 0);
    let (mut found, mut hit) = (0, 0);
    for (key, ways) in &file.branches {
        block = if key.line == before { block + 1 } else { 0 };
        before = key.line;
        let is_reached = ways.iter().any(|&lanes| lanes > 0);
        for (way, lanes) in ways.iter().enumerate() {
            write!(out, "BRDA:{},{block},{way},", key.line)?;
            match is_reached {
                true => writeln!(out, "{lanes}")?,
                false => writeln!(out, "-")?,
            }
        }
        found += ways.len();
        hit += ways.iter().filter(|&&lanes| lanes > 0).count();
    }
    if found > 0 {
        writeln!(out, "BRF:{found}\nBRH:{hit}")?;
    }
    Ok(())
}

/// Maximum number of directions of a branch.
const MAX_WAYS: u32 = 1 << 16;

/// Parses a tracefile. Several records of one file are added.
///
/// # Errors
/// The message names the first line that cannot be parsed.
pub fn parse(text: &str) -> Result<Coverage, String> {
    let mut all = Coverage::default();
    let mut current: Option<(String, File)> = None;
    for (i, line) in text.lines().enumerate() {
        let line = line.trim_end();
        if line == "end_of_record" {
            if let Some((name, file)) = current.take() {
                all.add(&Coverage { files: [(name, file)].into() });
            }
            continue;
        }
        let wrong = || format!("line {} is not a record of lcov", i + 1);
        let (kind, rest) = line.split_once(':').ok_or_else(wrong)?;
        match (kind, &mut current) {
            ("SF", _) => current = Some((rest.to_owned(), File::default())),
            (_, Some((_, file))) => {
                item(file, kind, rest).ok_or_else(wrong)?;
            }
            _ => {}
        }
    }
    Ok(all)
}

/// Parses a line between `SF` and `end_of_record`; `None` if it is malformed.
fn item(file: &mut File, kind: &str, rest: &str) -> Option<()> {
    let (first, behind) = rest.split_once(',').unwrap_or((rest, ""));
    match kind {
        "DA" => {
            // A checksum of the source line may follow the count.
            let lanes = behind.split(',').next()?.parse().ok()?;
            file.line(first.parse().ok()?, lanes);
        }
        "FN" => {
            let name = match behind.split_once(',') {
                Some((end, name)) if end.parse::<u32>().is_ok() => name,
                _ => behind,
            };
            let line = first.parse().ok()?;
            let function = file.functions.entry(name.to_owned()).or_default();
            function.line = if function.line == 0 { line } else { function.line.min(line) };
        }
        "FNDA" => {
            let function = file.functions.entry(behind.to_owned()).or_default();
            function.lanes = function.lanes.saturating_add(first.parse().ok()?);
        }
        "BRDA" => {
            let mut parts = behind.split(',');
            let mut next = || parts.next();
            let number = next()?.trim_start_matches('e').parse().ok()?;
            let way: u32 = next()?.parse().ok().filter(|&way| way < MAX_WAYS)?;
            let lanes = match next()? {
                "-" => 0,
                lanes => lanes.parse().ok()?,
            };
            let key = BranchKey { line: first.parse().ok()?, owner: 0, number };
            let ways = file.branches.entry(key).or_default();
            ways.resize(ways.len().max(way as usize + 1), 0);
            ways[way as usize] = ways[way as usize].saturating_add(lanes);
        }
        _ => {}
    }
    Some(())
}
