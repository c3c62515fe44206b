//! Control flow and data flow of a function.
//!
//! The analyses are written over one trait, [`Code`], which says what an instruction reads and
//! writes and where control goes behind it. Three forms of PTX implement it: the typed IR (crate
//! `check`), warp code (crate `simt`) and the regions that become machine code (crate `jit`).
//!
//! | question | answer |
//! |---|---|
//! | blocks, edges between them | [`Cfg`] |
//! | which block is on every path to which | [`DominatorTree`], [`Cfg::immediate_post_dominators`] |
//! | which branches decide whether a block runs | [`control_dependence`] |
//! | which registers are read later | [`Liveness`] |
//! | which writes reach a read, which reads a write | [`Definitions`], [`reaching_definitions`], [`reached_uses`] |
//! | any other fact that holds where a block begins | [`forward`] |
//! | how a value differs between threads | [`Variation`] |
//!
//! Instructions, blocks and registers are numbers from 0 on. Costs are bounded for any code that a
//! user can write (irreducible, endless, 100,000 blocks): dominators take O(n log n), and the
//! analyses that may need more take a limit, beyond which they return nothing.

mod cfg;
mod chains;
mod dominators;
mod edges;
mod forward;
mod liveness;
mod set;
mod variation;

pub use cfg::Cfg;
pub use chains::{Definitions, Reaching, reached_uses, reaching_definitions, reaching_in_block};
pub use dominators::{DominatorTree, UNREACHABLE, control_dependence, with_exits};
pub use edges::Edges;
pub use forward::forward;
pub use liveness::{LiveSet, Liveness};
pub use set::Set;
pub use variation::Variation;

/// What an instruction does with a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads it.
    Use,
    /// Writes all of it, in each thread in which the instruction's guard holds.
    Def,
}

/// How control leaves an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// To the next instruction.
    Next,
    /// To one of its targets, or to the next instruction.
    Branch,
    /// To one of its targets.
    Jump,
}

/// The code of a function.
pub trait Code {
    /// Number of instructions.
    fn instructions(&self) -> usize;

    /// Number of registers.
    fn registers(&self) -> usize;

    /// How control leaves an instruction. Calls `target` with each instruction it may jump to; with
    /// [`Self::instructions`], or more, where it leaves the function.
    fn control(&self, inst: usize, target: impl FnMut(usize)) -> Control;

    /// Calls `f` with each register that an instruction reads, its guard among them, then with each
    /// that it writes. False: it may read others, too.
    fn operands(&self, inst: usize, f: impl FnMut(u32, Access)) -> bool;

    /// Whether threads may come past an instruction without executing it. Registers that it
    /// writes keep their values there.
    fn is_guarded(&self, inst: usize) -> bool;

    /// Whether an instruction need not be executed if nothing reads what it writes.
    fn is_removable(&self, _inst: usize) -> bool {
        false
    }

    /// Calls `f` with each register that is read when the function is left.
    fn results(&self, _f: impl FnMut(u32)) {}
}

#[cfg(test)]
mod tests;
