//! The names of the checks, and sets of checks, which the option `--check` takes as a list.

use std::fmt;
use std::ops::BitOr;

/// A check of launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Check {
    /// Accesses outside every allocation, to freed memory, or misaligned. These are faults and
    /// reported even without this check.
    Memory,
    /// Uses of uninitialised data.
    Init,
    /// Accesses of different threads that no synchronisation orders.
    Race,
    /// Checks of synchronisation: barriers, membermasks, mbarriers.
    Sync,
    /// Memory, textures, streams and the like that are still allocated when the program ends.
    Leak,
    /// Textures and surfaces that kernels use differently than the host created them.
    Texture,
}

impl Check {
    /// All checks, each with its name and the name of the compute-sanitizer tool that corresponds
    /// to it.
    pub const ALL: [(Self, &'static str, Option<&'static str>); 6] = [
        (Self::Memory, "memory", Some("memcheck")),
        (Self::Init, "init", Some("initcheck")),
        (Self::Race, "race", Some("racecheck")),
        (Self::Sync, "sync", Some("synccheck")),
        (Self::Leak, "leak", None),
        (Self::Texture, "texture", None),
    ];

    /// The name of the check, as in the option `--check`.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// The check with this name, which is texunit's or compute-sanitizer's.
    pub fn named(name: &str) -> Option<Self> {
        let is = |known: &str| known.eq_ignore_ascii_case(name);
        let row = Self::ALL.iter().find(|(_, own, alias)| is(own) || alias.is_some_and(is));
        row.map(|row| row.0)
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of checks.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Checks(u8);

impl Checks {
    /// The empty set, with which only faults are reported.
    pub const NONE: Self = Self(0);
    /// The set of all checks.
    pub const ALL: Self = Self((1 << Check::ALL.len()) - 1);
    /// The check `race` in its strict form, which also reports races that are harmless in practice
    /// and undefined by the letter of the PTX memory model.
    pub const STRICT_RACE: Self = Self(1 << 7 | 1 << Check::Race as u8);
    /// The name of [`Self::STRICT_RACE`] in a list of checks.
    const STRICT: &str = "race=strict";

    /// Parses names separated by commas; `all` stands for all checks. The error is a message.
    pub fn parse(list: &str) -> Result<Self, String> {
        let mut all = Self::NONE;
        for word in list.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            all = all
                | match Check::named(word) {
                    Some(check) => check.into(),
                    None if word.eq_ignore_ascii_case("all") => Self::ALL,
                    None if word.eq_ignore_ascii_case(Self::STRICT) => Self::STRICT_RACE,
                    None => {
                        let names = Check::ALL.map(|(_, name, _)| name).join(", ");
                        let (word, strict) = (texunit_report::visible(word), Self::STRICT);
                        return Err(format!(
                            "unknown check `{word}`; available: {names}, all, {strict}"
                        ));
                    }
                };
        }
        Ok(all)
    }

    /// Whether the set contains a check.
    pub fn has(self, check: Check) -> bool {
        self.0 >> check as u8 & 1 == 1
    }

    /// Whether the race check of the set is strict ([`Self::STRICT_RACE`]).
    pub fn is_strict(self) -> bool {
        self.0 & Self::STRICT_RACE.0 == Self::STRICT_RACE.0
    }

    /// Whether the set needs no observer: it is empty, or contains only `memory`, since faults are
    /// reported without an observer.
    pub fn is_none(self) -> bool {
        self.0 & !Self::from(Check::Memory).0 == 0
    }
}

impl From<Check> for Checks {
    fn from(check: Check) -> Self {
        Self(1 << check as u8)
    }
}

impl BitOr for Checks {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The names of the checks, separated by commas, as [`Checks::parse`] takes them.
impl fmt::Display for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |row: &(Check, &'static str, _)| match row.0 {
            Check::Race if self.is_strict() => Self::STRICT,
            _ => row.1,
        };
        let mut names = Check::ALL.iter().filter(|row| self.has(row.0)).map(name);
        f.write_str(names.next().unwrap_or(""))?;
        names.try_for_each(|name| write!(f, ",{name}"))
    }
}

impl fmt::Debug for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Checks({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        let list = Checks::parse("race, synccheck,Texture,").expect("three checks");
        assert_eq!(list.to_string(), "race,sync,texture");
        assert!(list.has(Check::Sync) && !list.has(Check::Leak) && !list.is_none());
        assert_eq!(Checks::parse("all"), Ok(Checks::ALL));
        assert_eq!(Checks::parse(&Checks::ALL.to_string()), Ok(Checks::ALL));
        assert!(Checks::parse("memcheck").is_ok_and(|list| list.is_none()));
        let error = Checks::parse("race,shader").expect_err("no check");
        let says = ["`shader`", "memory, init, race, sync"];
        assert!(says.iter().all(|words| error.contains(words)), "{error}");
        assert!(Checks::parse("initcheck").is_ok_and(|list| list.has(Check::Init)));
        let strict = Checks::parse("all,race=strict").expect("a list");
        assert!(strict.is_strict() && strict.has(Check::Race) && !Checks::ALL.is_strict());
        assert_eq!(Checks::parse(&strict.to_string()), Ok(strict));
        for (check, name, _) in Check::ALL {
            assert_eq!(check.name(), name);
        }
    }
}
