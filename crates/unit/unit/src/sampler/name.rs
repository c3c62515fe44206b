//! Names of sampler settings in jobs, cases and messages.

use super::{AddressMode, CompareFunction, Filter, ReadMode};
use std::str::FromStr;

/// Defines the names of the values of settings.
macro_rules! names {
    ($($(#[$doc:meta])* $type:ident: $count:literal [$($name:literal $value:ident,)*];)*) => {
        $(impl $type {
            $(#[$doc])*
            pub const NAMES: [(&str, Self); $count] = [$(($name, Self::$value)),*];

            /// The name in [`Self::NAMES`].
            pub fn name(self) -> &'static str {
                let row = Self::NAMES.iter().find(|row| row.1 == self);
                row.expect("the tables have every value").0
            }
        }

        impl FromStr for $type {
            type Err = UnknownWord;

            fn from_str(word: &str) -> Result<Self, UnknownWord> {
                let row = Self::NAMES.iter().find(|row| row.0 == word);
                row.map(|row| row.1).ok_or_else(|| UnknownWord {
                    found: word.to_owned(),
                    expected: Self::NAMES.map(|row| row.0).to_vec(),
                })
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        })*
    };
}

names! {
    /// All address modes with their names. The names `clamp` and `border` stand for PTX's
    /// `clamp_to_edge` and `clamp_to_border`.
    AddressMode: 5 [
        "wrap" Wrap, "mirror" Mirror, "clamp" Clamp, "border" Border, "clamp_ogl" ClampOgl,
    ];
    /// Both filters with their names.
    Filter: 2 ["point" Point, "linear" Linear,];
    /// All compare functions with their names.
    CompareFunction: 8 [
        "never" Never, "less" Less, "equal" Equal, "less_equal" LessEqual,
        "greater" Greater, "not_equal" NotEqual, "greater_equal" GreaterEqual, "always" Always,
    ];
    /// Both read modes with their names.
    ReadMode: 2 ["element" Element, "normalized" NormalizedFloat,];
}

/// The error for a word that is not the name of a value of the setting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {}, found `{found}`", .expected.join(", "))]
#[non_exhaustive]
pub struct UnknownWord {
    /// The word that was given.
    pub found: String,
    /// All valid names.
    pub expected: Vec<&'static str>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The `match` has no wildcard, so that this test fails to compile when a value is added
    /// without a name.
    #[test]
    fn every_value_has_a_name() {
        for (n, (name, mode)) in AddressMode::NAMES.into_iter().enumerate() {
            let place = match mode {
                AddressMode::Wrap => 0,
                AddressMode::Mirror => 1,
                AddressMode::Clamp => 2,
                AddressMode::Border => 3,
                AddressMode::ClampOgl => 4,
            };
            assert_eq!((n, name), (place, mode.name()));
        }
        for (n, (name, function)) in CompareFunction::NAMES.into_iter().enumerate() {
            assert_eq!((n, name), (function as usize, function.name()));
        }
        assert_eq!([Filter::Point, Filter::Linear].map(Filter::name), ["point", "linear"]);
        assert_eq!("mirror".parse(), Ok(AddressMode::Mirror));
        assert_eq!(
            "normalized".parse::<ReadMode>().map(|mode| mode.to_string()).as_deref(),
            Ok("normalized")
        );
        let error = "bilinear".parse::<Filter>().expect_err("not a filter");
        assert_eq!(error.to_string(), "expected point, linear, found `bilinear`");
        let words: std::collections::HashSet<_> = AddressMode::NAMES.map(|row| row.0).into();
        assert_eq!(words.len(), AddressMode::NAMES.len());
    }
}
