//! Which events there are.

use std::ops::{BitOr, BitOrAssign};
use texunit_memory::SpaceKind;

/// A set of kinds of events.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Events(u32);

impl Events {
    /// Nothing but the begins and ends of CTAs.
    pub const NONE: Self = Self(0);
    /// Loads, stores, atomics, `cp.async`, matrices, before they are made, but for loads of the kernel's parameters.
    pub const ACCESSES: Self = Self(1 << 0);
    /// What loads and atomics have brought.
    pub const RESULTS: Self = Self(1 << 1);
    /// Loads of the kernel's parameters, as accesses.
    pub const PARAMETERS: Self = Self(1 << 2);
    /// Barriers, `.sync` instructions, fences, mbarriers, groups of `cp.async`.
    pub const SYNCHRONIZATION: Self = Self(1 << 3);
    /// `bra`, `brx`, and branches around instructions with a guard that lanes execute together (those do not count,
    /// see [`super::Listing::counts`]).
    pub const BRANCHES: Self = Self(1 << 4);
    /// First operations of blocks.
    pub const BLOCKS: Self = Self(1 << 5);
    /// Every operation.
    pub const OPERATIONS: Self = Self(1 << 6);
    /// Calls, returns, exits, `malloc` and `free`.
    pub const CALLS: Self = Self(1 << 7);
    /// Fetches and surface accesses, by plan and lanes.
    pub const FETCHES: Self = Self(1 << 8);
    /// Fetches and surface accesses with their operands and answers.
    pub const ANSWERS: Self = Self(1 << 9);
    /// How many lanes come to each block and take each branch: [`super::Counting`].
    pub const COUNTS: Self = Self(1 << 10);
    /// Of [`Self::RESULTS`] those of atomics and of loads with a word for their order: which others they have seen.
    pub const STRONG_RESULTS: Self = Self(1 << 11);
    /// Uses of uninitialised data ([`super::Probe::undefined`]): shadows of all registers are computed beside them.
    pub const DEFINED: Self = Self(1 << 12);
    /// Of [`Self::CALLS`] those of `malloc` and `free`.
    pub const HEAP: Self = Self(1 << 13);
    /// Of [`Self::CALLS`] the begins of functions.
    pub const ENTERS: Self = Self(1 << 14);
    /// Before each PTX instruction, where a debugger may stop ([`crate::debug`]); no observer hears it.
    pub(crate) const STEPS: Self = Self(1 << 15);
    /// Of [`Self::COUNTS`] also how often warps issue instructions, how often branches divide them, and how many lanes guards
    /// let through: [`super::Listing::issues`].
    pub const ISSUES: Self = Self(1 << 16);
    /// For who adds up costs: of weak loads and stores in [`Self::ACCESSES`] only those whose costs are neither counted nor the
    /// costs of another one ([`super::Listing::costs`]), in any order, without the values, and no CTAs ([`super::At::cta`] says
    /// nothing). Needs [`Self::ISSUES`]. An observer among others that do not want that hears all that there is.
    pub const COSTS: Self = Self(1 << 17);
    /// All of them.
    pub const ALL: Self = Self(((1 << 15) - 1) | (1 << 16));

    /// Those that marks in the code tell.
    pub(crate) const BY_MARKS: Self = Self(0b11_1011_1100_0111_1111);

    /// Those of accesses to a space.
    pub(crate) fn of_space(space: SpaceKind) -> Self {
        if space == SpaceKind::Param { Self::PARAMETERS } else { Self::ACCESSES }
    }

    /// Whether it has one of these.
    #[inline]
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether it has none but these.
    pub(crate) fn is_within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// Those that both have.
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Those that the other has not.
    pub(crate) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether it is none.
    pub fn is_none(self) -> bool {
        self.0 == 0
    }
}

impl BitOr for Events {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Events {
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl std::fmt::Debug for Events {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const NAMES: [&str; 18] = [
            "accesses",
            "results",
            "parameters",
            "synchronization",
            "branches",
            "blocks",
            "operations",
            "calls",
            "fetches",
            "answers",
            "counts",
            "strong results",
            "defined",
            "heap",
            "enters",
            "steps",
            "issues",
            "costs",
        ];
        let names = NAMES.iter().enumerate().filter(|(i, _)| self.0 >> i & 1 == 1);
        f.debug_set().entries(names.map(|(_, name)| name)).finish()
    }
}
