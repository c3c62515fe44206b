//! Every `.ptx` file of tests/check/semantics says on the offending lines what the checker reports:
//! `// error[E0110]: part of the message` or `// warning[W0101]: ...`, once or more. The set of
//! lines and codes must match exactly. A first line `// options: ptxas-compat` asks for that. Files
//! of tests/check/lints say in the same way what the lints say too. Programs of examples and
//! tests/programs must be accepted without errors, and the lints must have nothing against them.

#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use common::ptx_files;
use libtest_mimic::{Arguments, Failed, Trial};
use texunit_check::{CODES, Options, check, check_source, check_with, find_code};
use texunit_syntax::{Diagnostic, SourceFile, parse};

/// Codes that options give, not texts; tests/options.rs has them.
const OF_OPTIONS: &[&str] = &["E0101", "E0108"];

/// Programs that show forms and do not make sense: the lints are right about them.
const SUSPICIOUS: &[&str] = &["tests/programs/ptx/extras.ptx"];

fn main() {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let mut trials = vec![Trial::test("every_code_has_a_case", every_code_has_a_case)];
    for path in ptx_files(&root.join("tests/check/semantics")) {
        let name = format!("semantics/{}", path.file_name().unwrap().to_string_lossy());
        trials.push(Trial::test(name, move || expected(&path)));
    }
    for path in ptx_files(&root.join("tests/check/lints")) {
        let name = format!("lints/{}", path.file_name().unwrap().to_string_lossy());
        trials.push(Trial::test(name, move || expected(&path)));
    }
    for folder in ["examples", "tests/programs"] {
        for path in ptx_files(&root.join(folder)) {
            let name = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
            trials.push(Trial::test(name, move || accepted(&path)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// Line, `error` or `warning`, code, part of the message.
type Expected = (u32, String, String, String);

fn expectations(text: &str) -> Vec<Expected> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for part in line.split("// ").skip(1) {
            let Some((kind, rest)) = part.split_once('[') else { continue };
            if !matches!(kind, "error" | "warning") {
                continue;
            }
            let (code, message) = rest.split_once("]: ").expect("`// error[code]: message`");
            found.push((index as u32 + 1, kind.into(), code.into(), message.trim_end().into()));
        }
    }
    found
}

fn diagnostics(path: &Path, text: &str) -> (SourceFile, Vec<Diagnostic>) {
    let source = SourceFile::new(path.to_string_lossy(), text);
    let compat = text.starts_with("// options: ptxas-compat");
    let options = if compat { Options::PTXAS } else { Options::default() };
    if path.parent().is_some_and(|p| p.ends_with("lints")) {
        let all = check_source(&source, &options);
        return (source, all);
    }
    let parsed = parse(&source);
    let mut all = parsed.diagnostics.clone();
    all.extend(check_with(&source, &parsed.module, options).diagnostics);
    drop(parsed);
    (source, all)
}

fn expected(path: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(path)?;
    let mut expected = expectations(&text);
    let (source, found) = diagnostics(path, &text);
    let mut faults = Vec::new();
    for diagnostic in &found {
        let line = source.location(diagnostic.primary.span.start).line;
        let kind = if diagnostic.is_error() { "error" } else { "warning" };
        let matching = expected.iter().position(|(l, k, code, message)| {
            *l == line
                && k == kind
                && code == diagnostic.code
                && diagnostic.message.contains(message.as_str())
        });
        match matching {
            Some(index) => drop(expected.remove(index)),
            None => faults.push(format!(
                "line {line}: unexpected {kind} {}: {}",
                diagnostic.code, diagnostic.message
            )),
        }
        if diagnostic.help.as_deref().unwrap_or("").is_empty() {
            faults.push(format!("line {line}: {} has no help", diagnostic.code));
        }
    }
    faults.extend(expected.iter().map(|e| format!("not reported: {e:?}")));
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n").into()) }
}

fn accepted(path: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(path)?;
    let source = SourceFile::new(path.to_string_lossy(), text);
    let parsed = parse(&source);
    if parsed.diagnostics.iter().any(Diagnostic::is_error) {
        // Programs that are about syntax errors are the parser's.
        return Ok(());
    }
    let errors: Vec<String> = check(&source, &parsed.module)
        .diagnostics
        .iter()
        .filter(|d| d.is_error())
        .map(|d| format!("{:?} {}", source.location(d.primary.span.start), d.message))
        .collect();
    let lints = check_source(&source, &Options::default())
        .into_iter()
        .filter(|d| d.code.starts_with("W02") && !SUSPICIOUS.iter().any(|s| path.ends_with(s)))
        .map(|d| format!("{:?} {} {}", source.location(d.primary.span.start), d.code, d.message));
    let errors: Vec<String> = errors.into_iter().chain(lints).collect();
    if errors.is_empty() { Ok(()) } else { Err(errors.join("\n").into()) }
}

fn every_code_has_a_case() -> Result<(), Failed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/check");
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut cases = 0;
    for path in ptx_files(&root.join("semantics")).into_iter().chain(ptx_files(&root.join("lints")))
    {
        let expected = expectations(&fs::read_to_string(path)?);
        cases += expected.len();
        seen.extend(expected.into_iter().map(|e| e.2));
    }
    seen.extend(OF_OPTIONS.iter().map(ToString::to_string));
    let missing: Vec<_> = CODES.iter().map(|c| c.code).filter(|c| !seen.contains(*c)).collect();
    let unknown: Vec<_> = seen.iter().filter(|code| find_code(code).is_none()).collect();
    let is_sorted = CODES.is_sorted_by(|a, b| a.code < b.code);
    if !missing.is_empty() || !unknown.is_empty() || !is_sorted || cases < 200 {
        return Err(format!("{cases} cases; no case for {missing:?}, no code {unknown:?}").into());
    }
    Ok(())
}
