//! Patterns with wildcards for the names of kernels, rules and source files.

use std::fmt;

/// A pattern in which `*` matches any number of characters and `?` matches one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(String);

impl Pattern {
    /// Makes a pattern from its text.
    pub fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Whether the pattern matches a text.
    // Backtracks only to the last star: if the characters behind a star do not match, the star
    // takes one character more.
    pub fn matches(&self, text: &str) -> bool {
        let (pattern, text) = (self.0.as_bytes(), text.as_bytes());
        let (mut p, mut t, mut star) = (0, 0, None);
        while t < text.len() {
            match pattern.get(p) {
                Some(b'*') => {
                    star = Some((p, t));
                    p += 1;
                }
                Some(&c) if c == b'?' || c == text[t] => (p, t) = (p + 1, t + 1),
                _ => match star {
                    Some((at, from)) => {
                        star = Some((at, from + 1));
                        (p, t) = (at + 1, from + 1);
                    }
                    None => return false,
                },
            }
        }
        pattern[p..].iter().all(|&c| c == b'*')
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_question_marks() {
        let matches = |pattern: &str, text: &str| Pattern::new(pattern).matches(text);
        assert!(matches("*", "") && matches("", "") && !matches("", "a"));
        assert!(matches("reduce*", "reduce_all") && !matches("reduce", "reduce_all"));
        assert!(matches("*/a.cu:1?", "src/a.cu:12") && !matches("*/a.cu:1?", "src/a.cu:1"));
        assert!(matches("a*b*c", "aXbXbc") && !matches("a*b*c", "aXbXb"));
        assert!(matches("put(int*, int)", "put(int*, int)"));
        // With many stars the time is quadratic in the length, not exponential.
        assert!(!matches(&"*a".repeat(200), &"a".repeat(199)));
    }
}
