//! Parses numbers of the command line. The error names the quantity and the allowed range; clap
//! names the option.

use clap::builder::TypedValueParser;
use std::fmt::Display;
use std::hash::{BuildHasher, RandomState};
use std::ops::RangeInclusive;
use std::str::FromStr;
use texunit_device::{CtaRange, Fill, InvalidFill};

/// Whole numbers in a range. `what` is the quantity: `host threads`.
pub fn integer<T>(what: &'static str, range: RangeInclusive<T>) -> impl TypedValueParser<Value = T>
where
    T: FromStr + Display + PartialOrd + Clone + Send + Sync + 'static,
{
    move |text: &str| read(text, what, &range)
}

fn read<T: FromStr + Display + PartialOrd>(
    text: &str,
    what: &str,
    range: &RangeInclusive<T>,
) -> Result<T, String> {
    // Rust accepts a plus sign, which a count should not have.
    let digits = !text.starts_with('+');
    text.parse().ok().filter(|number| digits && range.contains(number)).ok_or_else(|| {
        format!("expected {what}: a whole number from {} to {}", range.start(), range.end())
    })
}

/// Numbers with a fraction. `what` is the quantity: `a level`.
pub fn real(what: &'static str) -> impl TypedValueParser<Value = f32> {
    move |text: &str| {
        text.parse::<f32>().map_err(|_| format!("expected {what}: a number such as 1.5"))
    }
}

/// The fill pattern of memory. `random` draws a seed.
pub fn fill(text: &str) -> Result<Fill, InvalidFill> {
    Fill::parse(text, || RandomState::new().hash_one(0))
}

/// A range of CTAs such as `0..128`.
#[cfg(feature = "ranges")]
pub fn cta_range(text: &str) -> Result<CtaRange, &'static str> {
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        text.parse::<u64>().ok().filter(|_| digits)
    };
    let ends = text.split_once("..").and_then(|(a, b)| Some((number(a)?, number(b)?)));
    match ends {
        Some((begin, end)) if begin < end => Ok(CtaRange { begin, end }),
        _ => Err("expected a range of CTAs, such as 0..128: the first, and the one after the last"),
    }
}

/// Ranges of CTAs in a build without the feature `ranges`.
#[cfg(not(feature = "ranges"))]
pub fn cta_range(_: &str) -> Result<CtaRange, String> {
    Err(crate::missing::option())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_says_what_it_counts() {
        let threads = |text| read::<u16>(text, "host threads", &(0..=1024));
        assert_eq!(threads("1024"), Ok(1024));
        for wrong in ["-1", "+1", "1025", "99999999999999999999", "", "x", "1.5"] {
            let message = threads(wrong).expect_err(wrong);
            assert_eq!(message, "expected host threads: a whole number from 0 to 1024");
        }
    }

    #[cfg(feature = "ranges")]
    #[test]
    fn ranges_have_a_first_and_an_end() {
        assert_eq!(cta_range("3..7"), Ok(CtaRange { begin: 3, end: 7 }));
        for wrong in ["", "3", "3..", "..3", "3..3", "4..3", "+1..3", "0x1..2", "1...3", "1..3..5"]
        {
            assert!(cta_range(wrong).is_err(), "{wrong}");
        }
    }
}
