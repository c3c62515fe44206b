//! A just-in-time compiler for kernels. It is given a [`region::Region`], the compilable part of a
//! kernel as a control-flow graph over registers of 32 lanes, and gives a [`region::Function`]:
//! x86-64 code with AVX2 or AVX-512 that runs warps of 32 lanes. It does not know PTX.
//!
//! ```text
//!  region::Region    blocks of steps on registers of 32 lanes; each block has one terminator
//!       |  emit::input         copies of launch constants are propagated (PendingCopies)
//!       |  emit::affine        addresses `base + scale * index` are not computed (DeferredAddress)
//!       |  emit::base_groups   accesses with one base register share one bounds check
//!       |  emit::index         accesses whose index is checked instead of their addresses
//!       |  emit::uniform       loads whose lanes are expected to have one address; steps that
//!       |                      compute one value for all lanes
//!       |  emit::live          next use and last use of each register
//! |  emit::nans          registers whose NaNs are canonical on every path, so that values may
//!       |                      have any NaN from block to block
//!       v
//!  emit::flow        emission, block by block; emit::register_cache: which processor register
//!       |            holds which value; emit::edge reconciles the caches of two blocks;
//!       |            emit::vector emits the steps, and emit::memory loads and stores, with
//!       |            primitives of emit::{avx2, avx512}
//!       v
//!  emit::stub        entries and exits, after the blocks; emit::divergence; emit::warps: the
//!       |            loop over warps; emit::asm: the hot section and the cold section behind it
//!       v
//!  mapping::Code     executable pages; compiled::Function enters them, with a frame::Frame
//! ```
//!
//! **Modes.** [`region::Mode::Live`] is code for all live lanes: nobody reads exited lanes, and the
//! code may overwrite them. [`region::Mode::Some`] is code for an active mask: it preserves the
//! values of inactive lanes. A function of mode `Some` whose branches can diverge contains both
//! versions, and changes to `Live` when all live lanes have reconverged.
//!
//! **Divergence.** A branch that only some active lanes take narrows the active mask. The
//! fall-through side runs first; the taken side waits at the reconvergence point, or is pending at
//! its target. When the last lanes arrive at the reconvergence point, the whole group continues. If
//! that point is behind a loop (of a branch around a `break` or `return`), sides stay in the loop:
//! they take turns, which end at backward jumps, and merge at the same block (`diverged`).
//!
//! **Exits.** A region never faults and never executes half of an instruction. It exits *before* an
//! instruction, with all live registers in the register files and all instructions and threads
//! counted ([`region::ExitReason`]):
//!
//! | reason | why |
//! |---|---|
//! | `Instruction` | the instruction is not compiled, or not for these operands |
//! | `Site` | an address is outside the site's allocation or misaligned, or the site is empty |
//! | `Diverges` | a branch diverges, and the function has no room or no code for it |
//! | `Reconverges` | the lanes are where the caller's group reconverges |
//! | `Limit` | [`region::WarpStart::limit`] is reached; tested at backward jumps |
//! | `Outside` | the next instruction is not part of the region |
//! | `Yield` | the warp waits at a yield point; it has not exited yet, and can resume |
//!
//! **Sites.** Each access to global memory has a site: the bounds and the host address of the
//! allocation that the access hit last. The caller fills a site after a `Site` exit
//! ([`region::Function::fill`]).
//!
//! **Warps and CTAs.** [`region::WarpTable`] is the one way into a function. The caller adds warps,
//! each with its register files, memory, lanes and limits, and names an entry; the code runs one
//! warp after the other, without returning in between:
//!
//! ```text
//!               caller                |                code (`emit::warps`)
//! Running::table, WarpTable::add      |
//! WarpTable::run(from, retire_at)  ---+--> start: load the slot, jump to the entry
//!                                     |      ...
//!                                     |    yield point, or exit at `retire_at` with all lanes:
//!                                     |      save the slot, go to the next slot
//!                                     |    all slots wait at one yield point: all resume after
//!                                     |      the barrier, or after the call of the runtime
//! Runtime::execute    <---------------+----> the instruction, for all warps in one call
//!                                     |    any other exit: save the slot, return
//! WarpTable::exit(i)  <---------------+--- one exit record per warp: instruction, reason, lanes
//! WarpTable::run_series  -------------+--> one slot for all warps of some CTAs, none of which
//!                                     |    waits: they share the register files, and only
//!                                     |    per-lane inputs and uniform values of the CTA change
//! ```
//!
//! Warps run in the interpreter's order: in the order of their numbers, each to the end of its
//! turn. The first warp that exits in the middle of its turn ends the run; the warps after it have
//! not run.
//!
//! **Yield points.** A block can end at an instruction that the runtime executes for several warps
//! in one call ([`region::End::Yield`]: fetches, surface accesses, barriers). When all warps of the
//! table wait at one, the code calls [`region::Runtime::execute`]; it releases a barrier itself if
//! the caller says that no other thread can arrive at it ([`region::WarpTable::pass_barriers`]).
//!
//! **Rare steps.** A step can say which lanes need the steps after it
//! ([`region::Action::Rarely`]): special cases of a function, for example. The code jumps over
//! these steps where no lane needs them.
//!
//! Every operation gives the same bits as an interpreter of the region: [`Op`], [`Test`] and
//! [`region::Action`] define them.

#![cfg_attr(
    not(all(feature = "jit", target_arch = "x86_64")),
    allow(dead_code, unused_imports, reason = "only machine code uses it")
)]

mod code;
mod compiled;
mod diverged;
#[cfg(all(feature = "jit", target_arch = "x86_64"))]
mod emit;
#[cfg(not(all(feature = "jit", target_arch = "x86_64")))]
#[path = "no_code.rs"]
mod emit;
mod frame;
mod ir;
#[cfg(all(feature = "jit", target_arch = "x86_64"))]
mod listing;
mod machine;
#[cfg(all(feature = "jit", target_arch = "x86_64"))]
mod mapping;
mod needs;
mod op;
mod operand;
pub mod region;
#[cfg(all(feature = "jit", target_arch = "x86_64"))]
mod routine;
mod run;
#[cfg(all(feature = "jit", target_arch = "x86_64"))]
pub mod text;
mod waiting;
mod warp_slot;
mod warp_table;

#[cfg(not(all(feature = "jit", target_arch = "x86_64")))]
use emit::{mapping, routine};
pub use op::{Float, Op, Rounding};
pub use operand::{Combine, Predicate, Relation, Source, Test, VReg};

/// A register with 32 bits in each of 32 lanes.
pub type B32 = [u32; 32];
/// A register with 64 bits in each of 32 lanes.
pub type B64 = [u64; 32];

/// The register files of a warp.
#[derive(Debug)]
pub struct Registers<'a> {
    /// Registers of 32-bit lanes.
    pub narrow: &'a mut [B32],
    /// Registers of 64-bit lanes.
    pub wide: &'a mut [B64],
    /// Predicate registers: one bit for each lane.
    pub predicates: &'a mut [u32],
    /// Inputs that differ between lanes, such as `%tid`; code only reads them.
    pub per_lane: &'a [B32],
}

/// Why a region cannot be compiled. An interpreter can still execute it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// This processor is not an x86-64, or lacks the instructions of the level.
    #[error("the processor does not have the instructions")]
    Processor,
    /// A register number is above the limit, which keeps displacements within 32 bits.
    #[error("{0:?} is above the limit")]
    RegisterLimit(VReg),
    /// An input number is above the limit.
    #[error("{0:?} is above the limit")]
    InputLimit(Source),
    /// A counter number is above the limit.
    #[error("counter {0} is above the limit")]
    Counter(u32),
    /// An offset in the local frame or in the parameters is above the limit.
    #[error("offset {0} is above the limit")]
    Offset(u64),
    /// The end of a block names a block that does not exist.
    #[error("there is no block {0}")]
    Target(u32),
    /// The site number of an access does not exist, or two accesses share it.
    #[error("site {0} is not there, or of two accesses")]
    Site(u32),
    /// The region exceeds the limit of steps or sites.
    #[error("more than code is made for")]
    Size,
    /// A step has operands that its operation does not take.
    #[error("step {0} has operands of the wrong kinds")]
    Operands(usize),
    /// The operating system gives no executable memory.
    #[error("no executable memory: {0}")]
    Memory(String),
    /// An instruction could not be encoded.
    #[error("an instruction cannot be encoded: {0}")]
    Encoding(String),
}
