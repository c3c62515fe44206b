//! The codes of syntax errors, each with a title and an explanation. docs/diagnostics.md is
//! generated from this table.

use std::sync::LazyLock;

/// A diagnostic code and its description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// The code, such as `E0010`.
    pub code: &'static str,
    /// A short title of the diagnostic.
    pub title: &'static str,
    /// A paragraph that explains what the diagnostic means and how to correct the mistake.
    pub explanation: &'static str,
}

/// The description of a diagnostic code.
pub fn find(code: &str) -> Option<&'static Code> {
    CODES.iter().find(|c| c.code == code)
}

/// Reads a list of codes. Each has a line `== CODE TITLE`, and the lines of its explanation.
pub fn read(table: &str) -> Vec<Code> {
    let shared = |text: String| -> &'static str { text.leak() };
    let code = |part: &str| {
        let (head, explanation) = part.split_once('\n')?;
        let (code, title) = head.split_once(' ')?;
        let explanation = shared(explanation.trim_end().replace('\n', " "));
        Some(Code { code: shared(code.to_owned()), title: shared(title.to_owned()), explanation })
    };
    table.split("\n== ").skip(1).filter_map(code).collect()
}

/// Every code of this crate in order, from codes.txt.
pub static CODES: LazyLock<Vec<Code>> = LazyLock::new(|| read(include_str!("codes.txt")));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_and_explained() {
        assert!(CODES.windows(2).all(|pair| pair[0].code < pair[1].code));
        for code in CODES.iter() {
            assert_eq!(code.code.len(), 5, "{}", code.code);
            assert!(code.code.starts_with("E00"), "{}", code.code);
            assert!(
                !code.title.is_empty() && code.explanation.ends_with(['.', ')']),
                "{}",
                code.code
            );
            assert_eq!(find(code.code), Some(code));
        }
        assert_eq!(find("E9999"), None);
    }
}
