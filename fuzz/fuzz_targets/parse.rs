//! Fuzzes the parser and the printer of PTX: no input may panic, diagnostics must lie in the text,
//! and a text without errors must parse to the same tree after it has been printed.

#![no_main]

use libfuzzer_sys::fuzz_target;
use texunit_syntax::{MAX_ERRORS, SourceFile, parse};

fuzz_target!(|bytes: &[u8]| {
    let source = SourceFile::from_bytes("input", bytes);
    let parsed = parse(&source);
    assert!(parsed.diagnostics.len() <= MAX_ERRORS + 1);
    for diagnostic in &parsed.diagnostics {
        for label in std::iter::once(&diagnostic.primary).chain(&diagnostic.secondary) {
            assert!(source.text().get(label.span.range()).is_some(), "{:?}", label.span);
        }
    }
    if parsed.diagnostics.is_empty() {
        let printed = parsed.module.to_string();
        let again = SourceFile::new("printed", printed.as_str());
        let reparsed = parse(&again);
        assert!(reparsed.diagnostics.is_empty(), "{:?}\n{printed}", reparsed.diagnostics);
        assert_eq!(reparsed.module.to_string(), printed);
    }
});
