//! Tests that docs/diagnostics.md lists every code of the tables with its example;
//! `UPDATE=1 cargo test -p texunit-device` writes it. The examples of crates `simt` and `device`
//! are tested here, those of the crates below in crate `check`.

use std::fmt::Write;
use std::path::Path;

use texunit_check::{CODES, Code, Options, check_with, examples};
use texunit_device::{Device, DeviceOptions, Module};
use texunit_simt::{Symbols, lower};
use texunit_syntax::{SourceFile, parse};

#[test]
fn the_page_lists_every_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/diagnostics.md");
    let page = page();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &page).expect("docs/diagnostics.md can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "docs/diagnostics.md is out of date: run with UPDATE=1");
}

fn page() -> String {
    let mut page = String::from(
        "# Diagnostics\n\n\
         Every mistake that texunit finds in a PTX module has a code. Codes do not change their\n\
         meaning. `texunit explain-code E0110` prints one entry, and links can name it: `#E0110`. Each has\n\
         an example: PTX that produces the code, and what to write instead; statements are in the body of a\n\
         kernel. This page\n\
         is generated from the tables of codes of the crates `syntax`, `check`, `simt` and `device` and\n\
         from `crates/ptx/check/src/examples`; run `UPDATE=1 cargo test -p texunit-device` after a change\n\
         there.\n",
    );
    let (warnings, errors): (Vec<&Code>, Vec<&Code>) =
        CODES.iter().partition(|c| c.code.starts_with('W'));
    let group =
        |prefix: &str| errors.iter().copied().filter(|c| c.code.starts_with(prefix)).collect();
    section(&mut page, "Syntax", texunit_syntax::codes::CODES.iter().collect());
    section(&mut page, "Names, declarations, constants", group("E01"));
    section(&mut page, "Instructions and operands", group("E02"));
    section(&mut page, "Textures and surfaces", group("E03"));
    section(&mut page, "Not executed", texunit_simt::CODES.iter().collect());
    section(&mut page, "Loading", texunit_device::CODES.iter().collect());
    section(&mut page, "Warnings", warnings);
    page
}

fn section(page: &mut String, title: &str, codes: Vec<&Code>) {
    writeln!(page, "\n## {title}").expect("strings grow");
    for code in codes {
        let (id, title) = (code.code, code.title);
        let text = code.explanation;
        writeln!(page, "\n<a id=\"{id}\"></a>\n\n### {id}: {title}\n\n{text}")
            .expect("strings grow");
        if let Some(example) = examples::example(id) {
            let (wrong, right) = (printable(example.wrong), printable(example.right));
            writeln!(page, "\n```ptx\n// {id}\n{wrong}\n\n// right\n{right}\n```")
                .expect("strings grow");
        }
    }
}

/// The text with unprintable characters escaped as in Rust.
fn printable(text: &str) -> String {
    let hidden = |c: char| c.is_control() && c != '\n' && c != '\t' || c == '\u{feff}';
    let escaped = |c: char| match hidden(c) {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    text.chars().map(escaped).collect()
}

/// The errors of loading a module, or the codes of instructions that its kernel cannot execute.
fn loaded(text: &str) -> Vec<&'static str> {
    let device = Device::new(&DeviceOptions::default());
    if let Err(error) = Module::load(&device, "example.ptx", text) {
        return error.diagnostics.iter().filter(|d| d.is_error()).map(|d| d.code).collect();
    }
    executed(text, Options::default())
}

fn executed(text: &str, options: Options) -> Vec<&'static str> {
    let source = SourceFile::new("example.ptx", text);
    let parsed = parse(&source);
    let checked = check_with(&source, &parsed.module, options);
    assert!(!checked.diagnostics.iter().any(|d| d.is_error()), "{:?}", checked.diagnostics);
    let program = lower(checked.module, Symbols::default(), source);
    let kernel = program.kernel("kernel");
    kernel.map_or(Vec::new(), |k| program.unsupported(k).iter().map(|d| d.code).collect())
}

#[test]
fn examples_of_what_is_not_executed_or_loaded() {
    let codes = texunit_simt::CODES.iter().chain(texunit_device::CODES);
    for code in codes.map(|c| c.code) {
        let Some(example) = examples::example(code) else {
            assert!(examples::WITHOUT.iter().any(|(c, _)| *c == code), "no example for {code}");
            continue;
        };
        let (wrong, right) = (example.wrong_module(), example.right_module());
        let found = match code.starts_with("E05") {
            true => loaded(&wrong),
            // What ptxas translates incorrectly is an error, unless ptxas's own verdicts are
            // requested.
            false => executed(&wrong, Options::PTXAS),
        };
        assert_eq!(found, [code], "{wrong}");
        assert_eq!(loaded(&right), [""; 0], "{right}");
    }
}
