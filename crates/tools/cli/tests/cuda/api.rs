//! Programs with wrong API calls: `tests/findings/api`. Each names its expected findings in the
//! same form as the kernels there, makes no mistake if it gets an argument, and prints the same
//! with and without checks.

use crate::commands::{SHARED, same};
use crate::evidence::{file, json};
use crate::process::succeed;
use crate::program::build;
use crate::tools::Setup;
use libtest_mimic::{Failed, Trial};
use serde_json::Value;
use std::path::Path;
use texunit_testkit::findings::{Expected, expected};

/// A test for each program.
pub(crate) fn trials(setup: &Setup) -> Vec<Trial> {
    let skipped = !setup.has(&["nvcc"]);
    let folder = setup.root.join("tests/findings/api");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "cu")).collect();
    all.sort();
    assert!(all.len() >= 6, "{all:?}");
    let trial = |path: std::path::PathBuf| {
        let (name, setup) =
            (path.file_stem().unwrap().to_string_lossy().into_owned(), setup.clone());
        Trial::test(format!("check/api/{name}"), move || test(&setup, &path))
            .with_ignored_flag(skipped)
    };
    all.into_iter().map(trial).collect()
}

/// The rest of a line that begins with a word.
fn said<'t>(text: &'t str, word: &str) -> Result<&'t str, Failed> {
    let found = text.lines().find_map(|line| line.strip_prefix(word)?.strip_prefix(": "));
    Ok(found.ok_or_else(|| format!("no line `{word}: ...`"))?)
}

fn test(setup: &Setup, source: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(source)?;
    let wanted = expected(&text);
    let groups: usize = said(&text, "// groups")?.parse()?;
    let name = source.file_name().unwrap().to_string_lossy();
    let program = build(setup, source, SHARED, &["-lineinfo", "-g"].map(str::to_owned))?;
    for words in [&[][..], &["right"]] {
        let plain = succeed(setup.run().arg(&program).args(words), &program)?;
        let report = file(setup, &format!("api-{name}.json"));
        let mut command = setup.run();
        command.args(["--host-backtrace", "--check"]).args(said(&text, "// check")?.split(' '));
        command.arg("--report").arg(&report).arg(&program).args(words);
        let ended = succeed(&mut command, &program)?;
        same(&*ended.stdout, &*plain.stdout, &ended)?;
        let found = json(&report)?["findings"].as_array().cloned().unwrap_or_default();
        let shown = found.iter().map(|found| format!("{}: {}\n", found["kind"], found["message"]));
        let shown: String = shown.collect();
        let expected = if words.is_empty() { groups } else { 0 };
        if found.len() != expected {
            return Err(format!("{words:?}: {expected} findings are expected, not\n{shown}").into());
        }
        for wanted in wanted.iter().filter(|_| words.is_empty()) {
            if !found.iter().any(|found| is(found, wanted, &name)) {
                return Err(format!("not found: {wanted:?}, but\n{shown}{}", ended.stderr).into());
            }
        }
    }
    Ok(())
}

fn is(found: &Value, wanted: &Expected, name: &str) -> bool {
    found["kind"] == *wanted.code
        && found.to_string().contains(&wanted.words)
        && is_at(found, name, wanted.line)
}

/// Whether a finding names a line: of kernels as a frame, of the host as a place of the program.
fn is_at(value: &Value, name: &str, line: u32) -> bool {
    match value {
        Value::Array(all) => all.iter().any(|value| is_at(value, name, line)),
        Value::Object(all) => {
            let file = ["file", "path"].iter().find_map(|key| all.get(*key)?.as_str());
            let here = file.is_some_and(|file| file.ends_with(name))
                && all.get("line").is_some_and(|n| *n == line);
            here || all.values().any(|value| is_at(value, name, line))
        }
        Value::String(text) => {
            let place = format!("{name}:{line}");
            let ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_digit());
            text.split(&place).skip(1).any(ends)
        }
        _ => false,
    }
}
