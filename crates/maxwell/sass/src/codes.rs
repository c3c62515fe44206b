//! The diagnostic codes of this crate: errors in the text of a machine instruction.

use std::sync::LazyLock;
use texunit_syntax::codes::{Code, read};
use texunit_syntax::examples::{self, Example};

/// Every diagnostic code of this crate in order, from codes.txt.
pub static CODES: LazyLock<Vec<Code>> = LazyLock::new(|| read(include_str!("codes.txt")));

/// For each diagnostic code, an example text that causes the diagnostic.
pub static EXAMPLES: LazyLock<Vec<Example>> =
    LazyLock::new(|| examples::read(include_str!("examples.txt")).collect());

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;
    use crate::{Arch, rules};

    fn codes(text: &str, arch: Arch) -> Vec<&'static str> {
        match parse(text) {
            Err(error) => vec![error.code],
            Ok(parsed) => {
                rules::check(&parsed.txd, &parsed.places, arch).iter().map(|d| d.code).collect()
            }
        }
    }

    #[test]
    fn codes_are_in_order_and_have_examples() {
        assert!(CODES.is_sorted_by(|a, b| a.code < b.code));
        assert!(EXAMPLES.iter().map(|e| e.code).eq(CODES.iter().map(|c| c.code)));
        for example in EXAMPLES.iter() {
            assert_eq!(codes(example.wrong, Arch::Sm50), [example.code], "{}", example.wrong);
            let none: [&str; 0] = [];
            assert_eq!(codes(example.right, Arch::Sm52), none, "{}", example.right);
        }
    }
}
