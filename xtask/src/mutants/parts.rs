//! Parts of the code whose mutants are judged, and by what.

/// A part: some files of a crate.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) name: &'static str,
    /// Its crate, as its folder is called.
    pub(super) package: &'static str,
    /// Its files, as a pattern.
    pub(super) files: &'static str,
    /// What judges: tests of the crate that end within a minute, and those of another one that look at what this part
    /// says in words. Crate, and option of `cargo test`; one is only built if all before it have passed.
    pub(super) tests: &'static [Tests],
}

/// A crate and an option of `cargo test`, which names tests of it.
pub(super) type Tests = (&'static str, &'static str);

/// Tests that do not judge: they take 20 s, look for panics in garbage, and notice little else.
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

/// The package of a crate.
pub(super) fn package(name: &str) -> String {
    format!("texunit-{name}")
}

/// The folder of a crate: below `crates/`, in that of its part of the house.
pub(super) fn folder(name: &str) -> String {
    let part = match name {
        "texel" | "unit" | "explain" => "unit",
        "check" => "ptx",
        _ => unreachable!("no part of the code here is judged by {name}"),
    };
    format!("crates/{part}/{name}")
}
