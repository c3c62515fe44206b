//! Counts in messages: a number with the singular or plural of a noun.

use std::fmt::{self, Display, Formatter};

/// A count in a message: `1 byte`, `2 bytes`, `1 fetch`, `3 fetches`. The noun is singular; the
/// number may be formatted text such as `1,088`.
#[derive(Clone, Copy, Debug)]
pub struct Count<N, W = &'static str>(pub N, pub W);

impl<N: Display, W> Count<N, W> {
    /// `is` for one, `are` for other numbers.
    pub fn are(&self) -> &'static str {
        if self.0.to_string() == "1" { "is" } else { "are" }
    }
}

impl<N: Display, W: Display> Display for Count<N, W> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write(&self.0, &self.1, f)
    }
}

/// Writes the count. The function is not generic, so that it is compiled once for all number types.
fn write(number: &dyn Display, word: &dyn Display, f: &mut Formatter<'_>) -> fmt::Result {
    let (number, word) = (number.to_string(), word.to_string());
    if number == "1" {
        return write!(f, "1 {word}");
    }
    if let Some(stem) = word.strip_suffix("axis") {
        return write!(f, "{number} {stem}axes");
    }
    let hisses = ["s", "x", "ch", "sh"].iter().any(|end| word.ends_with(end));
    write!(f, "{number} {word}{}", if hisses { "es" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::Count;

    #[test]
    fn one_thing_is_no_plural() {
        for (number, word, expected) in [
            (1, "byte", "1 byte"),
            (0, "byte", "0 bytes"),
            (2, "CTA", "2 CTAs"),
            (1, "fetch", "1 fetch"),
            (3, "fetch", "3 fetches"),
            (2, "surface access", "2 surface accesses"),
            (3, "axis", "3 axes"),
        ] {
            assert_eq!(Count(number, word).to_string(), expected);
        }
        assert_eq!([Count(1, "byte").are(), Count(0, "byte").are()], ["is", "are"]);
        assert_eq!(Count("1,088", "time").to_string(), "1,088 times");
        assert_eq!(Count(&&1_u64, String::from("byte of x")).to_string(), "1 byte of x");
    }
}
