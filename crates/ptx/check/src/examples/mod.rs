//! An example for every diagnostic code: a text that causes the code, and a corrected text.
//! `texunit explain-code` and docs/diagnostics.md show the examples; a test checks each of them.
//! The texts are in files in this folder.
//!
//! Codes that only extremely long texts cause, and codes for syntax trees that no text produces,
//! have no example ([`WITHOUT`] lists them with the reason).

use std::sync::LazyLock;

use texunit_syntax::examples::read;
pub use texunit_syntax::examples::{Example, ExampleSite};

/// Codes without an example, each with the reason.
#[rustfmt::skip]
pub const WITHOUT: &[(&str, &str)] = &[
    ("E0060", "the example would be too long"),
    ("E0061", "the example would be too long"),
    ("E0101", "in a file the parser finds this mistake first, as E0003 or E0005"),
    ("E0108", "no file is wrong: the machine that is assembled for (`--arch`) is another one"),
    ("E0501", "no file is wrong: the device's memory is full"),
    ("E0504", "no file is wrong: only CUDA's driver does not load it"),
];

/// The example for a diagnostic code.
pub fn example(code: &str) -> Option<&'static Example> {
    all().find(|e| e.code == code)
}

/// All examples; those of a file are in the order of their codes.
pub fn all() -> impl Iterator<Item = &'static Example> {
    static ALL: LazyLock<Vec<Example>> =
        LazyLock::new(|| NOT_TEXT.into_iter().chain(PARTS.into_iter().flat_map(read)).collect());
    ALL.iter()
}

/// Examples with characters that a text editor does not show or keep.
const NOT_TEXT: [Example; 2] = [
    Example {
        code: "E0001",
        place: ExampleSite::File,
        wrong: "\u{7f}ELF\u{2}\u{1}\u{1}",
        right: ".version 8.8\n.target sm_75\n.visible .entry kernel() { ret; }",
    },
    Example {
        code: "E0002",
        place: ExampleSite::File,
        wrong: "\u{feff}.version 8.8\n.target sm_75",
        right: ".version 8.8\n.target sm_75",
    },
];

/// The contents of the files with examples.
const PARTS: [&str; 7] = [
    include_str!("syntax.txt"),
    include_str!("declarations.txt"),
    include_str!("instructions.txt"),
    include_str!("texture.txt"),
    include_str!("not_run.txt"),
    include_str!("warnings.txt"),
    include_str!("lints.txt"),
];
