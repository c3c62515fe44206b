//! Every example of `texunit explain-code` gives its code, and its correction gives no error and
//! not that code. Those of the crates above are tested there
//! (crates/engine/device/tests/all/diagnostics.rs).

use std::collections::BTreeSet;

use texunit_check::{CODES, Options, check_source, examples};
use texunit_syntax::SourceFile;

/// Code, whether an error, message.
fn found(text: &str) -> Vec<(&'static str, bool, String)> {
    let source = SourceFile::new("example.ptx", text);
    check_source(&source, &Options::default())
        .into_iter()
        .map(|d| (d.code, d.is_error(), d.message))
        .collect()
}

/// Of crates `simt` and `device`.
fn elsewhere(code: &str) -> bool {
    code.starts_with("E04") || code.starts_with("E05")
}

#[test]
fn the_wrong_text_gives_its_code_and_the_right_one_nothing() {
    let mut faults = Vec::new();
    for example in examples::all().filter(|e| !elsewhere(e.code)) {
        let wrong = found(&example.wrong_module());
        if !wrong.iter().any(|(code, ..)| *code == example.code) {
            faults.push(format!("{} is not reported, but {wrong:?}", example.code));
        }
        // Codes of errors are not shown with the help of other mistakes.
        let others = wrong.iter().filter(|(code, error, _)| *error && *code != example.code);
        if others.count() > 0 {
            faults.push(format!("{} comes with others: {wrong:?}", example.code));
        }
        let right = found(&example.right_module());
        if right.iter().any(|(code, error, _)| *error || *code == example.code) {
            faults.push(format!("{}: the correction gives {right:?}", example.code));
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn every_code_has_one_example_or_a_reason() {
    let mut seen = BTreeSet::new();
    for example in examples::all() {
        assert!(seen.insert(example.code), "{} has two examples", example.code);
        assert_eq!(examples::example(example.code), Some(example));
    }
    for (code, reason) in examples::WITHOUT {
        assert!(!reason.is_empty() && seen.insert(code), "{code} has an example");
        assert_eq!(examples::example(code), None);
    }
    let codes = CODES.iter().chain(texunit_syntax::codes::CODES.iter());
    let missing: Vec<_> = codes.map(|c| c.code).filter(|c| !seen.contains(c)).collect();
    assert!(missing.is_empty(), "no example in crates/ptx/check/src/examples for {missing:?}");
    let known = |code: &str| texunit_check::find_code(code).is_some() || elsewhere(code);
    assert!(seen.iter().all(|c| known(c)), "an example of an unknown code");
}
