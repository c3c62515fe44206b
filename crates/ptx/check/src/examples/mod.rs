//! An example for every diagnostic code: text that causes it, and a corrected version. `texunit
//! explain-code` and docs/diagnostics.md show them; a test checks each.
//!
//! Codes that only texts of absurd length cause, and codes for syntax trees that no text produces,
//! have no example ([`WITHOUT`] lists them with the reason).

mod declarations;
mod instructions;
mod lints;
mod not_run;
mod syntax;
mod texture;
mod warnings;

pub use texunit_syntax::examples::{Example, ExampleSite};

/// Codes without an example, and the reason.
#[rustfmt::skip]
pub const WITHOUT: &[(&str, &str)] = &[
    ("E0060", "the example would be too long"),
    ("E0061", "the example would be too long"),
    ("E0100", "in a file the parser finds this mistake first, as E0003"),
    ("E0101", "in a file the parser finds this mistake first, as E0005"),
    ("E0104", "in a file the parser finds this mistake first, as E0007"),
    ("E0106", "in a file the parser finds this mistake first, as E0006"),
    ("E0108", "no file is wrong: the machine that is assembled for (`--arch`) is another one"),
    ("E0120", "in a file the parser finds this mistake first, as E0041 or E0047"),
    ("E0122", "in a file the parser finds this mistake first, as E0060"),
    ("E0150", "in a file the parser finds this mistake first, as E0050"),
    ("E0501", "no file is wrong: the device's memory is full"),
    ("E0504", "no file is wrong: only CUDA's driver does not load it"),
];

/// The example of a code.
pub fn example(code: &str) -> Option<&'static Example> {
    all().find(|e| e.code == code)
}

/// All examples; within each part, in the order of their codes.
pub fn all() -> impl Iterator<Item = &'static Example> {
    let parts = [
        syntax::EXAMPLES,
        declarations::EXAMPLES,
        instructions::EXAMPLES,
        texture::EXAMPLES,
        not_run::EXAMPLES,
        warnings::EXAMPLES,
        lints::EXAMPLES,
    ];
    parts.into_iter().flatten()
}

const fn new(
    code: &'static str,
    place: ExampleSite,
    wrong: &'static str,
    right: &'static str,
) -> Example {
    Example { code, place, wrong, right }
}
