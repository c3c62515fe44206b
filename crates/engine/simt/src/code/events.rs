//! Sets of event kinds, with which an observer subscribes.

use texunit_memory::SpaceKind;

bitflags::bitflags! {
    /// A set of event kinds.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Events: u32 {
        /// Loads, stores, atomics, `cp.async` and matrix accesses, before execution, except loads
        /// of kernel parameters and of constant memory.
        const ACCESSES = 1 << 0;
        /// Values that loads and atomics have returned.
        const RESULTS = 1 << 1;
        /// Loads of kernel parameters, reported as accesses.
        const PARAMETERS = 1 << 2;
        /// Barriers, `.sync` instructions, fences, mbarriers, groups of `cp.async`.
        const SYNCHRONIZATION = 1 << 3;
        /// `bra`, `brx`, and branches around guarded instructions that lanes must execute together
        /// (not PTX instructions, see [`crate::observe::Listing::counts`]).
        const BRANCHES = 1 << 4;
        /// Starts of basic blocks.
        const BLOCKS = 1 << 5;
        /// Executions of all operations.
        const OPERATIONS = 1 << 6;
        /// Calls, returns, exits, `malloc` and `free`.
        const CALLS = 1 << 7;
        /// Fetches and surface accesses with their operands, before execution.
        const FETCHES = 1 << 8;
        /// Fetches and surface accesses with their operands and results.
        const ANSWERS = 1 << 9;
        /// Numbers of lanes that enter each block and take each branch
        /// ([`crate::observe::BlockCounters`]).
        const COUNTS = 1 << 10;
        /// The subset of [`Self::RESULTS`] from atomics and from loads with a memory order, which
        /// shows the stores that they observed.
        const STRONG_RESULTS = 1 << 11;
        /// Uses of uninitialised data ([`crate::observe::Probe::undefined`]). The code computes
        /// shadows of all registers.
        const DEFINED = 1 << 12;
        /// The subset of [`Self::CALLS`] for `malloc` and `free`.
        const HEAP = 1 << 13;
        /// Of the events of [`Self::CALLS`], only those at which a function starts.
        const ENTERS = 1 << 14;
        /// Possible stops of a debugger before each PTX instruction ([`crate::debug`]); observers
        /// are not notified.
        const STEPS = 1 << 15;
        /// With [`Self::COUNTS`], also numbers of issued instructions, of divergent branches, and
        /// of lanes for which guards hold ([`crate::observe::Listing::issues`]).
        const ISSUES = 1 << 16;
        /// For an observer that adds up memory costs: of the weak loads and stores in
        /// [`Self::ACCESSES`], only those whose cost is neither counted nor that of another access
        /// ([`crate::observe::Listing::costs`]), in any order, without values, and without CTA
        /// ([`crate::observe::At::cta`] is undefined). Requires [`Self::ISSUES`]. An observer
        /// combined with others that do not want this receives all accesses.
        const COSTS = 1 << 17;
        /// Loads of constant memory, reported as accesses.
        const CONSTANTS = 1 << 18;
    }
}

impl Events {
    /// No events except begin and end of CTAs.
    pub const NONE: Self = Self::empty();
    /// All events that observers can subscribe to, except [`Self::COSTS`].
    pub const ALL: Self = Self::STEPS.union(Self::COSTS).complement();

    /// Events reported by marks in the code.
    pub(crate) const BY_MARKS: Self = Self::CALLS
        .union(Self::FETCHES)
        .union(Self::ANSWERS)
        .union(Self::HEAP)
        .union(Self::ENTERS)
        .complement();

    /// Accesses to memory of any kind.
    pub(crate) const ANY_ACCESS: Self =
        Self::ACCESSES.union(Self::PARAMETERS).union(Self::CONSTANTS);

    /// The events of accesses to a state space.
    pub(crate) fn of_space(space: SpaceKind) -> Self {
        match space {
            SpaceKind::Param => Self::PARAMETERS,
            SpaceKind::Const => Self::CONSTANTS,
            _ => Self::ACCESSES,
        }
    }
}
