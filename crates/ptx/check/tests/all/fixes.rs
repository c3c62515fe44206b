//! A fix corrects its mistake and makes no other: the fix of every diagnostic of every case of
//! tests/check and of every example is made, one at a time, and the text checked again.

#![allow(clippy::unwrap_used, clippy::print_stderr)] // the numbers are shown

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use texunit_check::{Options, check_source, examples};
use texunit_syntax::{Diagnostic, SourceFile, fix, parse};

/// How the diagnostics of a text are found.
type Find = fn(&str) -> Vec<Diagnostic>;

/// Cases of syntax errors are no modules otherwise: only the parser looks at them.
fn of_syntax(text: &str) -> Vec<Diagnostic> {
    parse(&SourceFile::new("case.ptx", text)).diagnostics
}

fn of_all(text: &str) -> Vec<Diagnostic> {
    let compat = text.starts_with("// options: ptxas-compat");
    let options = if compat { Options::PTXAS } else { Options::default() };
    check_source(&SourceFile::new("case.ptx", text), &options)
}

fn cases() -> Vec<(String, String, Find)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/check");
    let mut cases = Vec::new();
    for (kind, find) in [("syntax", of_syntax as Find), ("semantics", of_all as Find)] {
        let mut paths: Vec<PathBuf> =
            fs::read_dir(folder.join(kind)).unwrap().map(|e| e.unwrap().path()).collect();
        paths.sort();
        for path in paths.into_iter().filter(|p| p.extension().is_some_and(|e| e == "ptx")) {
            let bytes = fs::read(&path).unwrap();
            let name = format!("{kind}/{}", path.file_name().unwrap().to_string_lossy());
            cases.push((name, String::from_utf8_lossy(&bytes).into_owned(), find));
        }
    }
    for example in examples::all() {
        cases.push((format!("example {}", example.code), example.wrong_module(), of_all));
    }
    cases
}

/// How often each code and message is given.
fn count(diagnostics: &[Diagnostic], errors: bool) -> BTreeMap<(&'static str, String), usize> {
    let mut counts = BTreeMap::new();
    for d in diagnostics.iter().filter(|d| !errors || d.is_error()) {
        *counts.entry((d.code, d.message.clone())).or_default() += 1;
    }
    counts
}

#[test]
fn each_fix_corrects_its_mistake_and_makes_no_other() {
    let mut faults = Vec::new();
    let mut fixed: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, text, find) in cases() {
        let before = find(&text);
        let had = count(&before, false);
        for diagnostic in before.iter().filter(|d| !d.fix.is_empty()) {
            let source = SourceFile::new("case.ptx", text.as_str());
            let line = source.location(diagnostic.primary.span.start).line;
            let place = format!("{name}:{line} {}: {}", diagnostic.code, diagnostic.message);
            let ordered = diagnostic.fix.is_sorted_by_key(|e| e.span);
            let Some(new) = fix::apply(&text, &diagnostic.fix).filter(|_| ordered) else {
                faults.push(format!("{place}: the edits do not fit: {:?}", diagnostic.fix));
                continue;
            };
            let after = find(&new);
            let of_this = |counts: &BTreeMap<(&'static str, String), usize>| {
                let key = (diagnostic.code, diagnostic.message.clone());
                counts.get(&key).copied().unwrap_or_default()
            };
            if of_this(&count(&after, false)) >= of_this(&had) {
                faults.push(format!("{place}: still there after {:?}", diagnostic.fix));
            }
            let had = count(&before, true);
            for (key, times) in count(&after, true) {
                if times > had.get(&key).copied().unwrap_or_default() {
                    faults.push(format!("{place}: the fix makes {key:?}"));
                }
            }
            *fixed.entry(diagnostic.code).or_default() += 1;
        }
    }
    eprintln!("{fixed:?}");
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
    assert!(fixed.len() > 20, "fixes of {} codes only", fixed.len());
}

#[test]
fn all_fixes_of_a_text_come_to_an_end() {
    for (name, text, find) in cases() {
        let mut now = text;
        let mut rounds = 0;
        loop {
            let diagnostics = find(&now);
            let (next, fixed) = fix::apply_all(&now, &diagnostics);
            if fixed == 0 {
                assert!(next == now && diagnostics.iter().all(|d| d.fix.is_empty()), "{name}");
                break;
            }
            now = next;
            rounds += 1;
            assert!(rounds < 20, "{name} is never done:\n{now}");
        }
    }
}

#[test]
fn the_fix_of_an_example_makes_it_right() {
    for example in examples::all() {
        let text = example.wrong_module();
        let diagnostics = of_all(&text);
        let of_code = diagnostics.iter().filter(|d| d.code == example.code);
        let (fixed, count) = fix::apply_all(&text, of_code);
        if count > 0 {
            let left = of_all(&fixed);
            assert!(!left.iter().any(Diagnostic::is_error), "{}: {left:?}\n{fixed}", example.code);
        }
    }
}
