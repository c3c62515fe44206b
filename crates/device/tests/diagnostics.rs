//! docs/diagnostics.md lists every code of the tables; `UPDATE=1 cargo test -p texunit-device`
//! writes it.

use std::fmt::Write;
use std::path::Path;

use texunit_check::{CODES, Code};

#[test]
fn the_page_lists_every_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/diagnostics.md");
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
         meaning. This page is written from the tables `codes.rs` of the crates `syntax`, `check`,\n\
         `simt` and `device`; run `UPDATE=1 cargo test -p texunit-device` after a change there.\n",
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
    writeln!(page, "\n## {title}\n").expect("strings grow");
    for code in codes {
        writeln!(page, "**{}: {}.** {}\n", code.code, code.title, code.explanation)
            .expect("strings grow");
    }
    page.pop();
}
