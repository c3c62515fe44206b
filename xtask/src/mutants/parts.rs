//! The parts of the code whose mutants are judged, and their tests.

/// A part of the code: some files of a crate.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) name: &'static str,
    /// The folder name of the part's crate.
    pub(super) package: &'static str,
    /// A pattern for the part's files.
    pub(super) files: &'static str,
    /// The tests that judge the part's mutants, as crate and `cargo test` option: those of its
    /// crate that end within a minute, and those of another crate that examine its messages. Each
    /// is built only if all previous ones pass.
    pub(super) tests: &'static [Tests],
}

/// A crate and an option of `cargo test` that selects tests.
pub(super) type Tests = (&'static str, &'static str);

/// Tests that are skipped: they take 20 s, search for panics on random input, and detect few
/// mutants.
pub(super) const SKIPPED: &[&str] = &["hostile::", "recovery::"];

#[rustfmt::skip]
pub(super) const PARTS: &[Part] = &[
    Part {
        name: "texel", package: "texel", files: "crates/unit/texel/src/**",
        tests: &[("texel", "--lib")],
    },
    Part {
        name: "reference", package: "unit", files: "crates/unit/unit/src/reference/**",
        tests: &[
            ("unit", "--test=fetch"), ("unit", "--test=stages"), ("unit", "--lib"), ("unit", "--test=properties"),
            ("explain", "--test=golden"),
        ],
    },
    Part {
        name: "check", package: "check", files: "crates/ptx/check/src/**",
        tests: &[("check", "--test=files"), ("check", "--test=all"), ("check", "--lib")],
    },
];

/// The package name of a crate.
pub(super) fn package(name: &str) -> String {
    format!("texunit-{name}")
}

/// The path of a crate below `crates/`.
pub(super) fn folder(name: &str) -> String {
    let part = match name {
        "texel" | "unit" | "explain" => "unit",
        "check" => "ptx",
        _ => unreachable!("no part of the code here is judged by {name}"),
    };
    format!("crates/{part}/{name}")
}
