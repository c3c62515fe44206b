//! Options of the checker.

use std::fmt;
use std::str::FromStr;
use texunit_forms::words;

/// How a module is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether verdicts of texunit or of a ptxas release are reported.
    pub verdicts: Verdicts,
    /// Replaces the architecture of `.target`.
    pub target: Option<Architecture>,
    /// Replaces `.version`: major, minor.
    pub version: Option<(u32, u32)>,
    /// The GPU for which to assemble, which determines the limits of a kernel. Default: `.target`.
    pub arch: Option<Architecture>,
}

impl Options {
    /// No replacements, and the verdicts of the oldest release of ptxas that supports the module's
    /// version.
    pub const PTXAS: Self =
        Self { verdicts: Verdicts::Ptxas(None), target: None, version: None, arch: None };

    /// The release of ptxas whose rules apply to a module with this `.version`.
    pub(crate) fn release(&self, version: (u32, u32)) -> Ptxas {
        match self.verdicts {
            Verdicts::Texunit => Ptxas::V13_5,
            Verdicts::Ptxas(Some(release)) => release,
            Verdicts::Ptxas(None) => Ptxas::for_version(version),
        }
    }

    /// Whether the verdicts of a release of ptxas are reported.
    pub const fn ptxas_compat(&self) -> bool {
        matches!(self.verdicts, Verdicts::Ptxas(_))
    }
}

/// Parses a version of the PTX ISA, such as `8.8`, for [`Options::version`].
///
/// # Errors
///
/// The text is not two numbers separated by a dot; the message says what was expected.
pub fn parse_version(text: &str) -> Result<(u32, u32), &'static str> {
    const WANTED: &str = "expected a version of the PTX ISA, such as 8.8";
    let number = |part: &str| {
        let digits = part.bytes().all(|b| b.is_ascii_digit()) && (1..=2).contains(&part.len());
        part.parse().ok().filter(|_| digits)
    };
    let (major, minor) = text.split_once('.').ok_or(WANTED)?;
    number(major).zip(number(minor)).ok_or(WANTED)
}

/// Whether the checker reports verdicts of texunit or of a ptxas release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Verdicts {
    /// The verdicts of texunit: all that ptxas accepts, except where it miscompiles or crashes.
    #[default]
    Texunit,
    /// The verdicts of a release of ptxas; `None`: the oldest release that supports the module's
    /// `.version`. Errors that only texunit reports become warnings.
    Ptxas(Option<Ptxas>),
}

words! {
    /// A release of ptxas whose verdicts have been measured, by its CUDA release; the oldest first.
    Ptxas { V11_8 = "11.8", V12_4 = "12.4", V12_9 = "12.9", V13_5 = "13.5" }
}

impl Ptxas {
    /// The release as a number, such as 129 for `12.9`.
    pub(crate) const fn number(self) -> u32 {
        match self {
            Self::V11_8 => 118,
            Self::V12_4 => 124,
            Self::V12_9 => 129,
            Self::V13_5 => 135,
        }
    }

    /// The newest version of the PTX ISA that the release supports.
    pub const fn newest_version(self) -> (u32, u32) {
        match self {
            Self::V11_8 => (7, 8),
            Self::V12_4 => (8, 4),
            Self::V12_9 => (8, 8),
            Self::V13_5 => (9, 5),
        }
    }

    /// The oldest release that supports a version of the PTX ISA; the newest release if none does.
    pub fn for_version(version: (u32, u32)) -> Self {
        Self::ALL.iter().copied().find(|p| version <= p.newest_version()).unwrap_or(Self::V13_5)
    }
}

impl FromStr for Ptxas {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::from_name(text).ok_or_else(|| {
            let names: Vec<&str> = Self::NAMES.iter().map(|(name, _)| *name).collect();
            format!("expected a release of ptxas: {}", names.join(", "))
        })
    }
}

/// An architecture as in `.target`: `sm_75`, `sm_90a`, `sm_120f`; `compute_75` is the same as
/// `sm_75`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Architecture {
    /// The number of the architecture, such as 75 for `sm_75`.
    pub number: u32,
    /// The suffix of the architecture: `a` or `f`.
    pub suffix: Option<char>,
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sm_{}", self.number)?;
        self.suffix.map_or(Ok(()), |c| write!(f, "{c}"))
    }
}

impl FromStr for Architecture {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let number = text.strip_prefix("sm_").or_else(|| text.strip_prefix("compute_"));
        let digits = number.ok_or("expected an architecture, such as sm_75")?;
        let suffix = digits.chars().last().filter(|c| matches!(c, 'a' | 'f'));
        let digits = digits.strip_suffix(['a', 'f']).unwrap_or(digits);
        let number = digits.bytes().all(|b| b.is_ascii_digit()) && (2..=3).contains(&digits.len());
        match digits.parse() {
            Ok(digits) if number => Ok(Self { number: digits, suffix }),
            _ => Err("expected an architecture, such as sm_75"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn architectures() {
        for text in ["sm_10", "sm_75", "sm_90a", "sm_120f"] {
            assert_eq!(text.parse::<Architecture>().unwrap().to_string(), text);
        }
        assert_eq!("compute_75".parse::<Architecture>().unwrap().to_string(), "sm_75");
        for wrong in ["", "75", "sm_", "sm_7", "sm_7500", "sm_a", "sm_+5", "SM_75", "sm_75aa"] {
            assert!(wrong.parse::<Architecture>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn versions() {
        assert_eq!(parse_version("8.8"), Ok((8, 8)));
        assert_eq!(parse_version("9.10"), Ok((9, 10)));
        for wrong in ["", "8", "8.", ".8", "8.8.8", "8.+8", "8.888", "8.x", "8. 8"] {
            assert!(parse_version(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_oldest_release_that_knows_a_version() {
        assert_eq!(Ptxas::for_version((1, 0)), Ptxas::V11_8);
        assert_eq!(Ptxas::for_version((7, 8)), Ptxas::V11_8);
        assert_eq!(Ptxas::for_version((8, 0)), Ptxas::V12_4);
        assert_eq!(Ptxas::for_version((8, 5)), Ptxas::V12_9);
        assert_eq!(Ptxas::for_version((9, 0)), Ptxas::V13_5);
        assert_eq!(Ptxas::for_version((9, 9)), Ptxas::V13_5);
        for ptxas in Ptxas::ALL {
            assert_eq!(ptxas.name().parse(), Ok(*ptxas));
        }
        assert!("12".parse::<Ptxas>().is_err());
    }
}
