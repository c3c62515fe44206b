//! Control-flow and data-flow analysis of a function.
//!
//! The analyses are written for one trait, [`Code`], which tells the operands of an instruction and
//! its successors. Three representations of PTX implement it: the typed IR (crate `check`), warp
//! code (crate `simt`) and the regions that become machine code (crate `jit`).
//!
//! | question | answer |
//! |---|---|
//! | basic blocks and edges | [`Cfg`] |
//! | dominators, post-dominators | [`DominatorTree`], [`Cfg::immediate_post_dominators`] |
//! | which branches decide whether a block runs | [`control_dependence`] |
//! | which registers are live | [`Liveness`] |
//! | use-definition chains | [`Definitions`], [`reaching_definitions`], [`reached_uses`] |
//! | other facts at the beginning of each block | [`forward()`] |
//! | how a value differs between threads | [`Variation`] |
//!
//! Instructions, blocks and registers are numbers from 0 on. Time is bounded for all code that a
//! program can have (irreducible, infinite loops, 100,000 blocks): dominators take O(n log n), and
//! analyses that may need more have a limit, beyond which they return no result.

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

/// How an instruction accesses a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The instruction reads the register.
    Use,
    /// The instruction writes the whole register, in each thread in which its guard is true.
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

/// The code of a function, as the analyses see it.
pub trait Code {
    /// The number of instructions.
    fn instructions(&self) -> usize;

    /// The number of registers.
    fn registers(&self) -> usize;

    /// How control leaves an instruction. Calls `target` with each instruction that it may jump to;
    /// [`Self::instructions`] or a larger number means that it leaves the function.
    fn control(&self, inst: usize, target: &mut dyn FnMut(usize)) -> Control;

    /// Calls `f` with each register that an instruction reads, including its guard, and then with
    /// each register that it writes. Returns false if the instruction may read registers that are
    /// not listed.
    fn operands(&self, inst: usize, f: &mut dyn FnMut(u32, Access)) -> bool;

    /// Whether threads may skip an instruction because its guard is false. Registers that it writes
    /// keep their values in these threads.
    fn is_guarded(&self, inst: usize) -> bool;

    /// Whether an instruction has no effect other than writing registers, so that it can be removed
    /// if they are dead.
    fn is_removable(&self, _inst: usize) -> bool {
        false
    }

    /// Calls `f` with each register that is read after the function returns.
    fn results(&self, _f: &mut dyn FnMut(u32)) {}
}

#[cfg(test)]
mod tests;
