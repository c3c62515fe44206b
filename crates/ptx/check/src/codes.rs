//! The diagnostic codes of this crate, each with a title and an explanation. docs/diagnostics.md is
//! generated from this table.

use std::sync::LazyLock;
pub use texunit_syntax::codes::Code;
use texunit_syntax::codes::read;

/// All codes in order, from codes.txt.
pub static CODES: LazyLock<Vec<Code>> = LazyLock::new(|| read(include_str!("codes.txt")));

/// The description of a diagnostic code of this crate or of the parser.
pub fn find_code(code: &str) -> Option<&'static Code> {
    CODES.iter().find(|c| c.code == code).or_else(|| texunit_syntax::codes::find(code))
}
