//! What a region is made of: the compilable part of a function as a graph of blocks.
//!
//! A region runs for a fixed set of *active* lanes of a warp, from an entry until it *leaves*
//! ([`crate::region::Left`]). Whoever runs it then does what stands at the instruction `at` by itself, and may enter
//! again behind it. A region never faults: before an access that it cannot make for certain it leaves, with
//! nothing of the instruction done in any lane.

mod calls;
mod cross;
mod memory;
mod run;
mod uses;

#[cfg(all(feature = "jit", target_arch = "x86_64"))]
pub use crate::compiled::{Function, Running, compile};
#[cfg(all(feature = "jit", target_arch = "x86_64"))]
pub use crate::links::Links;
pub use crate::machine::{Entry, Group, Inputs, Level, Mode, Parted, Sites};
use crate::op::Op;
use crate::operand::{Combine, Place, Predicate, Source, Test};
#[cfg(all(feature = "jit", target_arch = "x86_64"))]
pub use crate::series::{Series, WithFiles};
#[cfg(not(all(feature = "jit", target_arch = "x86_64")))]
pub use crate::unsupported_target::{Function, Links, Running, Series, WithFiles, compile};
pub use calls::{Call, Listener, Routine, Row, Rows, Tell};
pub use cross::{Match, Reduce, Shuffle, Shuffling, Vote};
pub use memory::{Access, Atomic, Change, Load, Space, Store};
pub use run::{Apart, Files, Left, MOST, Memory, Stands, Until, Warps, Way, Why};
use std::collections::HashSet;

/// A graph of blocks.
#[derive(Clone, Debug, Default)]
pub struct Region {
    /// Blocks, in an order in which those of a loop lie together; a jump to the block itself or to one before it is
    /// a backward jump.
    pub blocks: Vec<Block>,
    /// How many access sites there are: their numbers are below.
    pub sites: u32,
    /// By block, if it is known: registers that have a number of [`Inputs::bytes`] in all lanes where the block
    /// begins, and its offset.
    pub params: Vec<Vec<(Place, u32)>>,
    /// What is known of [`Inputs::words`]: two of them, and the one that is their product.
    pub products: Vec<[u32; 3]>,
}

/// Steps that follow each other, and where it goes on.
#[derive(Clone, Debug)]
pub struct Block {
    /// Number of its first instruction: what [`Left::at`] says, and entries are looked up by.
    pub at: u32,
    /// Whether it may be entered from outside.
    pub is_entry: bool,
    /// Whether lanes may have to wait for others before the block: those that are to meet at `at`
    /// ([`Until::meets`]) leave before it ([`Why::Meets`]).
    pub joins: bool,
    /// What it does.
    pub steps: Vec<Step>,
    /// Where it goes on.
    pub end: End,
    /// Registers whose values something behind the block may read: in the region or, wherever it leaves behind the
    /// block, outside. What a leaving step in the block leaves behind is what is live there, by these and by the
    /// steps behind it.
    pub kept: HashSet<Place>,
}

/// Where a block goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// At a block, by its index.
    Block(u32),
    /// Outside, at an instruction ([`Why::Outside`]).
    Leave(u32),
}

/// How a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All lanes go on there. It does not count; a branch that counts is one that all lanes take.
    Jump(Target),
    /// A branch: if all active lanes take it, at `to`; if none does, at `next`. Else those that do not go on at `next`,
    /// and the others are at `to`, until all meet at `meets`; but for lanes that are there at once, which wait. Or
    /// it leaves at `at` ([`Why::Divides`]), with the branch not done and not counted.
    Branch {
        /// Lanes that take it.
        taken: Predicate,
        /// Where they go on.
        to: Target,
        /// Where the others do.
        next: Target,
        /// Number of the instruction.
        at: u32,
        /// Whether it counts.
        counted: bool,
        /// The instruction of a block that joins, before which lanes meet that part here; [`u32::MAX`]: nowhere, then it
        /// leaves.
        meets: u32,
    },
    /// An instruction that is not compiled ([`Why::Instruction`]).
    Leave {
        /// Its number.
        at: u32,
    },
    /// An instruction that is not compiled ([`Why::Instruction`]), where warps that run together ([`Links`]) may wait for each
    /// other: they go on at the block behind it when somebody has done it for all. What it reads is at home then, but registers of which is known where that block
    /// begins that they have a parameter ([`Region::params`]).
    Pause {
        /// Its number.
        at: u32,
        /// The block behind it.
        next: Target,
    },
}

/// A step of a block, taken by the active lanes of its guard.
#[derive(Clone, Debug)]
pub struct Step {
    /// Number of the instruction. Behind a step that may leave ([`Step::may_leave`]), and the other steps of its
    /// instruction that follow, the region can be entered at `at + 1`.
    pub at: u32,
    /// Lanes that take it.
    pub guard: Predicate,
    /// Whether it counts as an instruction, and its lanes as threads.
    pub counted: bool,
    /// What it does.
    pub action: Action,
}

/// What a step does.
#[derive(Clone, Debug)]
pub enum Action {
    /// Nothing.
    Nothing,
    /// Computes a register.
    Compute {
        /// How.
        op: Op,
        /// The register: of 64-bit lanes where the operation is.
        to: Place,
        /// Sources; those that the operation does not have are not looked at.
        from: [Source; 3],
    },
    /// Computes predicates of a comparison r: the first is r combined with a predicate, the second not-r combined
    /// with it.
    Compare {
        /// The comparison.
        test: Test,
        /// What is compared.
        from: [Source; 2],
        /// Numbers of the predicates that are written.
        to: [Option<u32>; 2],
        /// How a result is combined, and with what.
        with: (Combine, Predicate),
    },
    /// Computes a predicate of two: bit `2a + b` of the table.
    Logic {
        /// The table.
        table: u8,
        /// The predicate that is written.
        to: u32,
        /// Sources.
        from: [Predicate; 2],
    },
    /// Loads registers.
    Load(Box<Load>),
    /// Stores registers.
    Store(Box<Store>),
    /// Changes memory, lanes one after the other.
    Atomic(Box<Atomic>),
    /// Calls a function of rows: what the operations do not have.
    Call(Box<Call>),
    /// shfl.
    Shuffle(Box<Shuffle>),
    /// vote.
    Vote {
        /// How.
        mode: Vote,
        /// Where the result goes, 0 or 1, or the lanes.
        to: Place,
        /// What is asked.
        of: Predicate,
        /// The membermask; none: without `.sync`.
        members: Option<Source>,
    },
    /// match.
    Match(Box<Match>),
    /// redux.
    Redux {
        /// How two numbers become one.
        op: Reduce,
        /// Where the result goes.
        to: u32,
        /// A number of 32 bits of each lane.
        of: Source,
        /// The membermask.
        members: Source,
    },
    /// bar.warp.sync: goes on if all lanes of the membermask are active, else leaves.
    Sync {
        /// The membermask.
        members: Source,
    },
    /// activemask: the lanes that take the step.
    ActiveMask {
        /// Where it goes.
        to: Place,
    },
    /// Adds the lanes that take the step to a counter ([`crate::region::Inputs::counts`]), and those of a predicate to the next.
    Count {
        /// The counter.
        counter: u32,
        /// The predicate, if there is one.
        of: Option<Predicate>,
    },
    /// Adds the lanes that take the step and whose number of 64 bits (or 32, with zeros) is zero to
    /// [`Left::zeros`].
    CountZeros(Source),
    /// Leaves ([`Why::Instruction`]): the instruction is not compiled.
    Leave {
        /// Registers that it reads: they have their values where the region is left.
        reads: Vec<Place>,
    },
}
