//! Sets of event kinds, with which an observer subscribes.

use std::ops::{BitOr, BitOrAssign};
use texunit_memory::SpaceKind;

/// A set of event kinds.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Events(u32);

/// Defines the kinds of events: one bit each, in the order of their numbers.
macro_rules! kinds {
    ($($(#[$doc:meta])* $vis:vis $name:ident = $bit:literal;)*) => {
        impl Events {
            $($(#[$doc])* $vis const $name: Self = Self(1 << $bit);)*

            const NAMES: &[&str] = &[$(stringify!($name)),*];
        }
    };
}

kinds! {
    /// Loads, stores, atomics, `cp.async` and matrix accesses, before execution, except loads of
    /// kernel parameters and of constant memory.
    pub ACCESSES = 0;
    /// Values that loads and atomics have returned.
    pub RESULTS = 1;
    /// Loads of kernel parameters, reported as accesses.
    pub PARAMETERS = 2;
    /// Barriers, `.sync` instructions, fences, mbarriers, groups of `cp.async`.
    pub SYNCHRONIZATION = 3;
    /// `bra`, `brx`, and branches around guarded instructions that lanes must execute together (not
    /// PTX instructions, see [`crate::observe::Listing::counts`]).
    pub BRANCHES = 4;
    /// Starts of basic blocks.
    pub BLOCKS = 5;
    /// Executions of all operations.
    pub OPERATIONS = 6;
    /// Calls, returns, exits, `malloc` and `free`.
    pub CALLS = 7;
    /// Fetches and surface accesses with their operands, before execution.
    pub FETCHES = 8;
    /// Fetches and surface accesses with their operands and results.
    pub ANSWERS = 9;
    /// Numbers of lanes that enter each block and take each branch
    /// ([`crate::observe::BlockCounters`]).
    pub COUNTS = 10;
    /// The subset of [`Self::RESULTS`] from atomics and from loads with a memory order, which shows
    /// the stores that they observed.
    pub STRONG_RESULTS = 11;
    /// Uses of uninitialised data ([`crate::observe::Probe::undefined`]). The code computes shadows
    /// of all registers.
    pub DEFINED = 12;
    /// The subset of [`Self::CALLS`] for `malloc` and `free`.
    pub HEAP = 13;
    /// Of the events of [`Self::CALLS`], only those at which a function starts.
    pub ENTERS = 14;
    /// Possible stops of a debugger before each PTX instruction ([`crate::debug`]); observers are
    /// not notified.
    pub(crate) STEPS = 15;
    /// With [`Self::COUNTS`], also numbers of issued instructions, of divergent branches, and of
    /// lanes for which guards hold ([`crate::observe::Listing::issues`]).
    pub ISSUES = 16;
    /// For an observer that adds up memory costs: of the weak loads and stores in
    /// [`Self::ACCESSES`], only those whose cost is neither counted nor that of another access
    /// ([`crate::observe::Listing::costs`]), in any order, without values, and without CTA
    /// ([`crate::observe::At::cta`] is undefined). Requires [`Self::ISSUES`]. An observer combined
    /// with others that do not want this receives all accesses.
    pub COSTS = 17;
    /// Loads of constant memory, reported as accesses.
    pub CONSTANTS = 18;
}

impl Events {
    /// No events except begin and end of CTAs.
    pub const NONE: Self = Self(0);
    /// All events that observers can subscribe to, except [`Self::COSTS`].
    pub const ALL: Self = Self(((1 << 15) - 1) | (1 << 16) | (1 << 18));

    /// Events reported by marks in the code.
    pub(crate) const BY_MARKS: Self = Self(0b111_1001_1100_0111_1111);

    /// Accesses to memory of any kind.
    pub(crate) const ANY_ACCESS: Self =
        Self(Self::ACCESSES.0 | Self::PARAMETERS.0 | Self::CONSTANTS.0);

    /// The events of accesses to a state space.
    pub(crate) fn of_space(space: SpaceKind) -> Self {
        match space {
            SpaceKind::Param => Self::PARAMETERS,
            SpaceKind::Const => Self::CONSTANTS,
            _ => Self::ACCESSES,
        }
    }

    /// Whether the set has an element of another set.
    #[inline]
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether the set is a subset of another set.
    pub(crate) fn is_within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// The intersection of two sets.
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The difference of two sets.
    pub(crate) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether the set is empty.
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
        let names = Self::NAMES.iter().enumerate().filter(|(i, _)| self.0 >> i & 1 == 1);
        f.debug_set().entries(names.map(|(_, name)| name)).finish()
    }
}
