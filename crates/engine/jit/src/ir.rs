//! The representation of a region: the compilable part of a function as a control-flow graph.
//!
//! A region runs for the *active* lanes of a warp, from an entry until it exits
//! ([`crate::region::Exit`]). The caller then executes the instruction at which the region exited,
//! and may enter the region again after it. A region never faults: it exits before an access that
//! could, when no lane has executed any part of the instruction.

mod calls;
mod cross;
mod memory;
mod uses;

use crate::op::Op;
use crate::operand::{Combine, Predicate, Source, Test, VReg};
pub use calls::{Call, Cost, LaneValues, Listener, Notification, Routine, RoutineFn};
pub use cross::{Match, Reduce, Shuffle, Shuffling, Vote};
pub use memory::{Access, Atomic, Change, Load, Space, Store};
use std::collections::HashSet;
pub(crate) use uses::written;

/// The region's control-flow graph, and what the caller knows about registers where blocks begin.
#[derive(Clone, Debug, Default)]
pub struct Region {
    /// Blocks, in an order in which the blocks of a loop are contiguous. A jump to the same or an
    /// earlier block is a backward jump.
    pub blocks: Vec<Block>,
    /// Number of access sites (memory instructions with bounds to check) in the region.
    pub sites: u32,
    /// For each block, registers that hold a kernel parameter in all lanes where the block begins,
    /// with the parameter's offset in [`crate::region::Inputs::bytes`]. May be shorter than the
    /// list of blocks.
    pub params: Vec<Vec<(VReg, u32)>>,
    /// For each block, 32-bit registers whose values have a known stride where the block begins
    /// (the wrapping difference between a lane and the lane before; 0 if all lanes have one value).
    /// May be shorter than [`Self::blocks`].
    pub strides: Vec<Vec<(u32, u32)>>,
    /// Instructions whose 32-bit result has a known stride, with the stride, in ascending order.
    pub stride_makers: Vec<(u32, u32)>,
    /// Triples of indices into [`crate::region::Inputs::uniforms`]: the third value is the product
    /// of the first two (`%ctaid.x` and `%ntid.x`).
    pub products: Vec<[u32; 3]>,
}

impl Region {
    /// The known stride of the 32-bit result of an instruction.
    pub(crate) fn made_stride(&self, at: u32) -> Option<u32> {
        let maker = self.stride_makers.binary_search_by_key(&at, |maker| maker.0).ok()?;
        Some(self.stride_makers[maker].1)
    }
}

/// A basic block.
#[derive(Clone, Debug)]
pub struct Block {
    /// Number of the first instruction of the block, by which its entry is looked up.
    pub at: u32,
    /// Whether control can come here from elsewhere than the ends of the region's blocks: from code
    /// outside the region, or from an instruction that is not compiled. Each block is an entry of
    /// the function.
    pub is_entry: bool,
    /// Whether a reconvergence point lies before the block: lanes of the group that reconverges at
    /// `at` ([`crate::region::Running::table`]) exit before it
    /// ([`crate::region::ExitReason::Reconverges`]).
    pub joins: bool,
    /// The steps of the block, in the order of execution.
    pub steps: Vec<Step>,
    /// The terminator, which says where the lanes continue after the steps.
    pub end: End,
    /// Live-out registers: later blocks read them, or the caller after an exit in later blocks. The
    /// registers that are live at an exit inside the block follow from these and from the later
    /// steps.
    pub kept: HashSet<VReg>,
}

/// The target of a terminator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// A block of the region, by its index.
    Block(u32),
    /// An instruction outside the region ([`crate::region::ExitReason::Outside`]).
    Leave(u32),
}

/// The terminator of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// An unconditional jump that does not count as an instruction. The instruction `bra` is a
    /// `Branch` that all lanes take.
    Jump(Target),
    /// A conditional branch. On divergence the fall-through side runs first and the taken side is
    /// pending until both reconverge at `reconverge_at`; a side whose target is the reconvergence
    /// point waits there. If the function cannot follow, the region exits before the branch
    /// ([`crate::region::ExitReason::Diverges`]).
    Branch {
        /// The predicate of lanes that take the branch.
        taken: Predicate,
        /// The target of lanes that take the branch.
        to: Target,
        /// The target of lanes that do not take the branch.
        next: Target,
        /// Number of the branch instruction.
        at: u32,
        /// Whether the branch counts as an executed instruction.
        counted: bool,
        /// The instruction before which diverged lanes reconverge; [`u32::MAX`]: none, divergence
        /// exits.
        reconverge_at: u32,
    },
    /// An instruction that is not compiled ([`crate::region::ExitReason::Instruction`]).
    Leave {
        /// Number of the instruction.
        at: u32,
    },
    /// Yield point: an instruction that the runtime executes for all warps of a
    /// [`crate::region::WarpTable`] in one call, before they resume at the next block. Live
    /// registers are in the register files there, except those that are known to hold a parameter
    /// where the next block begins ([`Region::params`]). Where warps may not wait, the region exits
    /// ([`crate::region::ExitReason::Instruction`]).
    Yield {
        /// Number of the instruction.
        at: u32,
        /// The target at which the warps resume.
        next: Target,
        /// If the instruction is a barrier for all threads of the CTA: the number of instructions
        /// that it counts as. When all warps of the table wait at the barrier, the code can release
        /// it without the runtime ([`crate::region::WarpTable::pass_barriers`]).
        barrier: Option<u32>,
    },
}

/// A step of a block, executed by the active lanes whose guard holds.
#[derive(Clone, Debug)]
pub struct Step {
    /// Number of the instruction. After a step that may exit ([`Step::may_exit`]) and the later
    /// steps of the same instruction, the region can be entered at `at + 1`.
    pub at: u32,
    /// The guard: the predicate of the lanes that execute the step.
    pub guard: Predicate,
    /// Whether the step counts as an executed instruction: one step of each instruction does.
    pub counted: bool,
    /// The action that the step performs.
    pub action: Action,
}

/// The action of a step.
#[derive(Clone, Debug)]
pub enum Action {
    /// The step has no effect except that it is counted.
    Nothing,
    /// A hint: if the predicate is false in all lanes, the next steps change nothing that is read
    /// after them, and need not be executed.
    Rarely {
        /// The predicate of lanes that need the steps.
        of: Predicate,
        /// The number of steps. None of them may exit.
        steps: u32,
    },
    /// Computes a register by an operation on sources.
    Compute {
        /// The operation.
        op: Op,
        /// Destination, a register of the operation's width.
        to: VReg,
        /// Sources; those that the operation does not read are ignored.
        from: [Source; 3],
    },
    /// `setp`: the first destination is the result of the comparison combined with a predicate; the
    /// second is the negated result combined with that predicate.
    Compare {
        /// The comparison.
        test: Test,
        /// Operands of the comparison.
        from: [Source; 2],
        /// Destination predicates.
        to: [Option<u32>; 2],
        /// The combining operation, and its predicate.
        with: (Combine, Predicate),
    },
    /// A Boolean function of two predicates a and b: the result is bit `2a + b` of `table`.
    Logic {
        /// The truth table of the function, with one bit for each combination of the sources.
        table: u8,
        /// Destination predicate.
        to: u32,
        /// The source predicates.
        from: [Predicate; 2],
    },
    /// A load.
    Load(Box<Load>),
    /// A store.
    Store(Box<Store>),
    /// An atomic; lanes execute it in ascending order.
    Atomic(Box<Atomic>),
    /// A call of a host function, for operations that are not emitted as code.
    Call(Box<Call>),
    /// The instruction `shfl`.
    Shuffle(Box<Shuffle>),
    /// The instruction `vote`.
    Vote {
        /// The mode of `vote`.
        mode: Vote,
        /// Destination: a predicate register or a register with 0 or 1, or for a ballot the mask.
        to: VReg,
        /// The predicate that lanes vote with.
        of: Predicate,
        /// The membermask; `None` without `.sync`.
        members: Option<Source>,
    },
    /// The instruction `match`.
    Match(Box<Match>),
    /// The instruction `redux.sync`.
    Redux {
        /// The operation that combines the lanes' values.
        op: Reduce,
        /// Destination register.
        to: u32,
        /// The 32-bit operand.
        of: Source,
        /// The membermask of the instruction.
        members: Source,
    },
    /// `bar.warp.sync`: exits unless all lanes of the membermask are active.
    Sync {
        /// The membermask of the instruction.
        members: Source,
    },
    /// `activemask`: the mask of the active lanes whose guard holds.
    ActiveMask {
        /// Destination register.
        to: VReg,
    },
    /// Adds the number of lanes that execute the step to a counter
    /// ([`crate::region::Inputs::counts`]), and the number of those whose predicate holds to the
    /// next counter.
    Count {
        /// The counter.
        counter: u32,
        /// The predicate of the lanes that the second counter counts, if there is one.
        of: Option<Predicate>,
    },
    /// Adds 1 to a counter ([`crate::region::Inputs::counts`]) if lanes execute the step, and 1 to
    /// the next counter if the predicate holds for some of them and not for others.
    Issue {
        /// The counter.
        counter: u32,
        /// The predicate of the lanes that the second counter counts, if there is one.
        of: Option<Predicate>,
    },
    /// Adds the number of lanes that execute the step and whose operand is zero to
    /// [`crate::region::Running::zeros`].
    CountZeros(Source),
}
