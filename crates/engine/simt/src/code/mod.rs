//! Warp code: the executable form of a typed module.
//!
//! Lowering (`crate::lower`) produces it; the interpreter (`crate::exec`) executes it and
//! `crate::regions` translates it for the JIT. Every PTX instruction becomes one counted [`Inst`]
//! and possibly some uncounted helper instructions. Operands are [`Slot`]s: registers of the
//! running call frame, or constants broadcast to 32 lanes.

mod decoded;
mod events;
mod forms;
mod insert;
mod mark;
mod mbarrier;
mod order;
mod shadow;
mod slot;
mod special_memory;
mod word;

pub(crate) use decoded::{Decoded, OF_CTA, PRODUCTS, of_cta};
pub use events::Events;
pub use forms::HandleSource;
pub(crate) use forms::*;
pub(crate) use insert::{Item, Role, assemble};
pub(crate) use mark::Mark;
pub use mark::{GroupedLoad, Synchronization};
pub use mbarrier::MbarrierState;
pub(crate) use order::words;
pub use order::{Order, Scope, Semantics};
pub use shadow::Sink;
pub(crate) use shadow::{Check, FetchShadow, Shadow, SurfaceShadow};
pub(crate) use slot::Slot;
pub use special_memory::MbarrierAction;
pub(crate) use special_memory::*;
pub(crate) use word::Word;

use std::ops::Range;
use texunit_alu::{Alu, Kind, L32, L64, MAX, Row, Temporaries};
use texunit_check::ir::VarId;
use texunit_isa::{AtomOp, BoolOp, MatchMode, ScalarType, SpecialReg, VoteMode};
use texunit_syntax::Span;

/// Marks the absence of a branch target, reconvergence point, call frame or group.
pub(crate) const NONE: u32 = u32::MAX;
/// Stands for a reconvergence point: the lanes reconverge when the function returns.
pub(crate) const AT_RETURN: u32 = u32::MAX - 1;

/// Destinations of a comparison: `p = r op c`, `q = !r op c`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompareTo {
    pub(crate) p: Slot,
    pub(crate) q: Slot,
    pub(crate) op: BoolOp,
    pub(crate) c: Slot,
}

/// An arithmetic instruction with carries or with an immediate of its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rare {
    pub(crate) alu: Alu,
    pub(crate) d: Slot,
    pub(crate) s: [Slot; 4],
    /// Bits of the result that the destination register keeps.
    pub(crate) mask: u64,
    /// Whether the instruction writes the carry flag.
    pub(crate) write_carry: bool,
}

/// An instruction of a warp.
#[derive(Clone, Debug)]
pub(crate) struct Inst {
    pub(crate) op: Op,
    /// Predicate of the lanes that take part; for a branch, of the lanes that jump.
    pub(crate) guard: Slot,
    /// Number of PTX instructions that the instruction counts as: 1, or 0 for helpers.
    pub(crate) count: u8,
    /// Source location of the instruction.
    pub(crate) span: Span,
}

impl CompareTo {
    /// Destinations of a comparison that only writes the predicate `p`.
    pub(crate) fn only(p: Slot) -> Self {
        Self { p, q: Slot::NONE, op: BoolOp::And, c: Slot::TRUE }
    }
}

impl Op {
    /// An operation of the inner loop's table, with as many sources as it has.
    pub(crate) fn inner(kind: Kind, d: Slot, sources: &[Slot]) -> Self {
        let mut s = [Slot::NONE; 4];
        s.iter_mut().zip(sources).for_each(|(to, &slot)| *to = slot);
        Self::Compute { row: Row::inner(kind), d, s }
    }

    /// The access of a load, store or atomic.
    pub(crate) fn access(&self) -> Option<&Access> {
        match self {
            Self::Load(access) | Self::LoadQuad(access) => Some(access),
            Self::Store(access) | Self::StoreQuad(access) => Some(access),
            Self::Atomic(atomic) => Some(&atomic.access),
            _ => None,
        }
    }

    /// The member mask of an instruction that lanes execute together; [`Slot::NONE`] if its members
    /// are the active lanes.
    #[inline]
    fn member_slot(&self) -> Option<Slot> {
        Some(match self {
            Self::WarpSync { mask } => *mask,
            Self::Shuffle(shuffle) => shuffle.members,
            Self::Matrix(matrix) => matrix.members,
            Self::Mma(mma) => mma.members,
            Self::Elect { members, .. } | Self::Converge { members } => *members,
            Self::Vote { members, .. } | Self::Match { members, .. } => *members,
            Self::Redux { members, .. } => *members,
            _ => return None,
        })
    }

    /// The member mask of a `.sync` instruction.
    #[inline]
    pub(crate) fn members(&self) -> Option<Slot> {
        self.member_slot().filter(|members| !members.is_none())
    }

    /// Whether lanes execute the instruction together.
    #[inline]
    pub(crate) fn is_collective(&self) -> bool {
        self.member_slot().is_some()
    }
}

impl Inst {
    /// Whether the instruction calls the texture unit for all lanes of the warp, which makes it a
    /// yield point: warps whose lanes are all active wait for each other there. Surface reductions
    /// are excluded because they are atomics.
    #[inline]
    pub(crate) fn calls_unit(&self) -> bool {
        let asks = match &self.op {
            Op::Fetch(_) => true,
            Op::SurfaceLoad(access) | Op::SurfaceStore(access) => !access.is_reduction(),
            _ => false,
        };
        asks && self.guard == Slot::TRUE
    }
}

/// An operation with its operands.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// The reconvergence point of at least one branch, at which diverged lanes wait for each other.
    Join,
    /// An instruction without effect in the interpreter, such as a fence or a prefetch.
    Nop,
    /// Notifies an observer of an event (`crate::marks`).
    Mark(Box<Mark>),
    /// Propagates shadows of uninitialised data (`marks::shadow`).
    Shadow(Box<Shadow>),
    /// Counts lanes (`marks::counts`): active lanes at this counter and, unless the predicate is
    /// always true, lanes where it holds at the next counter.
    Count { counter: u32, of: Slot },
    /// Counts warps (`marks::issues`): 1 at this counter and, unless the predicate is always
    /// true, 1 at the next counter if the predicate differs among the active lanes.
    Issue { counter: u32, of: Slot },
    /// Counts the lanes of each target of the `brx` that follows, in counters that begin with this
    /// one.
    CountIndexed { counter: u32, index: Slot, targets: u32 },
    /// Counts 1 at this counter if the `brx` that follows, which has this guard, diverges.
    IssueIndexed { counter: u32, of: Slot, index: Slot, targets: Box<[u32]> },
    /// Arithmetic. Sources that the operation does not have are zero.
    Compute { row: &'static Row, d: Slot, s: [Slot; 4] },
    /// `lop3`, with its truth table.
    Lop3 { d: Slot, s: [Slot; 3], table: u8 },
    /// Arithmetic with carries or with an immediate of its own.
    Rare(Box<Rare>),
    /// A comparison.
    Compare { row: &'static Row, a: Slot, b: Slot, to: CompareTo },
    /// Comparison of packed halves: `to.p` receives the result of the low halves, `to.q` that of
    /// the high halves.
    ComparePair { row: &'static Row, a: Slot, b: Slot, to: CompareTo },
    /// Counts the lanes whose divisor is zero; precedes an integer division.
    CountZero { divisor: Slot },
    /// Copies a register or constant of the same width.
    Mov { d: Slot, a: Slot },
    /// Boolean operation on predicates, given by its truth table ([`texunit_alu::logic`]).
    Logic { table: u8, d: Slot, a: Slot, b: Slot },
    /// Selects one of two operands of the destination's width.
    Select { d: Slot, a: Slot, b: Slot, p: Slot },
    /// Reads a special register.
    Special { d: Slot, reg: SpecialReg, component: u8 },
    /// Local-memory address of an offset in the call frame.
    FrameAddress { d: Slot, offset: u64 },
    /// A load.
    Load(Box<Access>),
    /// A store.
    Store(Box<Access>),
    /// A load of 16 bytes per lane, made as one access.
    LoadQuad(Box<Access>),
    /// A store of 16 bytes per lane, made as one access.
    StoreQuad(Box<Access>),
    /// `atom` or `red`.
    Atomic(Box<Atomic>),
    /// A query of texture or surface properties (`txq`, `suq`).
    Query(Box<Query>),
    /// `cvta`: converts an address between a state space's own addresses and generic ones; `to`:
    /// from generic.
    Cvta { d: Slot, a: Slot, window: u64, to: bool },
    /// `mapa`: the address of the same variable in the shared memory of the CTA with a given rank
    /// in the cluster. `window`: base of generic addresses of shared memory, 0 for addresses in
    /// `.shared::cluster`.
    MapShared { d: Slot, a: Slot, rank: Slot, window: u64 },
    /// `getctarank`; `window`: as in `MapShared`.
    SharedRank { d: Slot, a: Slot, window: u64 },
    /// `isspacep`.
    IsSpace { d: Slot, a: Slot, space: texunit_memory::SpaceKind },
    /// `nanosleep`, a read of `%globaltimer`, or the back edge of a spin loop (`lower::spin`):
    /// other warps run first.
    Yield,
    /// `bra`, or a branch around instructions with a guard.
    Branch { target: u32, reconverge: u32 },
    /// `brx.idx`.
    BranchIndexed { index: Slot, targets: Box<[u32]>, reconverge: u32 },
    /// `call` of a function with a body.
    Call(Box<Call>),
    /// `ret` of a function.
    Return,
    /// `exit`, or `ret` of a kernel.
    Exit,
    /// `trap`.
    Trap,
    /// `brkpt`.
    Breakpoint,
    /// A call of a built-in function.
    Builtin(Box<BuiltinCall>),
    /// `cp.async`, or a bulk copy.
    AsyncCopy(Box<AsyncCopy>),
    /// An mbarrier instruction.
    Mbarrier(Box<Mbarrier>),
    /// `ldmatrix`, `stmatrix` or `movmatrix`.
    Matrix(Box<Matrix>),
    /// `mma` or `wmma.mma`.
    Mma(Box<Mma>),
    /// Lanes reconverge, because all of them must execute the next instruction together.
    Converge { members: Slot },
    /// `alloca`, `stacksave` or `stackrestore`.
    Stack(Stack),
    /// `elect`.
    Elect { d: Slot, p: Slot, members: Slot },
    /// Reads `%envreg<n>`.
    EnvReg { d: Slot, number: u8 },
    /// `bar` or `barrier`.
    Barrier(Box<Barrier>),
    /// `barrier.cluster`: lanes arrive, or wait for all threads of the cluster.
    ClusterBarrier { waits: bool },
    /// `bar.warp.sync`.
    WarpSync { mask: Slot },
    /// `activemask`.
    ActiveMask { d: Slot },
    /// `shfl`.
    Shuffle(Box<Shuffle>),
    /// `vote`.
    Vote { mode: VoteMode, d: Slot, p: Slot, members: Slot },
    /// `match`.
    Match { mode: MatchMode, d: Slot, p: Slot, a: Slot, members: Slot },
    /// `redux` of integers.
    Redux { op: AtomOp, ty: ScalarType, d: Slot, a: Slot, members: Slot },
    /// A fetch (`tex`, `tld4`).
    Fetch(Box<Fetch>),
    /// A surface load (`suld`).
    SurfaceLoad(Box<SurfaceAccess>),
    /// A surface store or reduction (`sust`, `sured`).
    SurfaceStore(Box<SurfaceAccess>),
    /// An unsupported instruction. The launch is refused before execution if it can reach one;
    /// executing this operation is a fault.
    Unsupported,
}

/// A function: its range of instructions, the numbers of its registers, and the size of its call
/// frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct Func {
    pub(crate) name: String,
    pub(crate) is_entry: bool,
    pub(crate) entry: u32,
    /// Number of registers of each kind.
    pub(crate) narrow: u32,
    pub(crate) wide: u32,
    pub(crate) predicates: u32,
    /// Bytes of the call frame in local memory: results, parameters, variables.
    pub(crate) frame: u32,
    /// Bytes of the frame for results and parameters, its own and those of its calls, which a card
    /// passes in registers.
    pub(crate) passed: u32,
    /// Alignment of the call frame in bytes, if it is more than that of all frames, 16 bytes.
    pub(crate) frame_align: u32,
    /// Sizes of results and parameters.
    pub(crate) shape: (Vec<u32>, Vec<u32>),
    /// Names, offsets and sizes of the variables in the call frame, for messages.
    pub(crate) objects: Vec<(String, u32, u32)>,
    pub(crate) has_body: bool,
    /// For a kernel: whether its registers have to be cleared at the start, and whether its
    /// predicates have to be.
    pub(crate) cleared: bool,
    pub(crate) clears_predicates: bool,
    /// Slots of the PTX registers, by their numbers; only in code for a debugger.
    pub(crate) registers: Vec<Slot>,
}

impl Func {
    /// Adds the temporaries that compiled operations of several steps use.
    pub(crate) fn add_temporaries(&mut self) {
        self.narrow += MAX.narrow;
        self.wide += MAX.wide;
        self.predicates += MAX.predicates;
    }

    /// The temporaries, which are the last registers of each kind.
    pub(crate) fn temporaries(&self) -> Temporaries {
        Temporaries {
            narrow: self.narrow.saturating_sub(MAX.narrow),
            wide: self.wide.saturating_sub(MAX.wide),
            predicates: self.predicates.saturating_sub(MAX.predicates),
        }
    }
}

/// A constant that depends on the kernel: the address of a shared variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedPatch {
    pub(crate) slot: Slot,
    pub(crate) variable: VarId,
    pub(crate) addend: u64,
}

/// Constants, broadcast to all lanes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Constants {
    pub(crate) narrow: Vec<L32>,
    pub(crate) wide: Vec<L64>,
}

/// The code of a module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub(crate) insts: Vec<Inst>,
    /// The compact forms of `insts`, for the inner loop.
    pub(crate) decoded: Vec<Decoded>,
    pub(crate) funcs: Vec<Func>,
    pub(crate) constants: Constants,
    pub(crate) patches: Vec<SharedPatch>,
    /// Number of texture and surface instructions.
    pub(crate) sites: usize,
    /// Whether the code has instructions without `.sync` whose results depend on the active mask.
    pub(crate) uses_activemask: bool,
    /// Whether the code has a barrier of the cluster.
    pub(crate) has_cluster_barrier: bool,
}

impl Code {
    /// Sets the fields that are derived from the instructions.
    pub(crate) fn complete(&mut self) {
        self.decoded = self.insts.iter().map(Decoded::of).collect();
        for inst in &self.insts {
            match &inst.op {
                Op::ClusterBarrier { .. } => self.has_cluster_barrier = true,
                Op::ActiveMask { .. } => self.uses_activemask = true,
                Op::Shuffle(shuffle) => self.uses_activemask |= shuffle.members.is_none(),
                Op::Vote { members, .. } => self.uses_activemask |= members.is_none(),
                Op::Fetch(fetch) => self.sites = self.sites.max(fetch.site + 1),
                Op::SurfaceLoad(access) | Op::SurfaceStore(access) => {
                    self.sites = self.sites.max(access.site + 1);
                }
                _ => {}
            }
        }
    }

    /// The code without instructions: its functions, constants and properties.
    pub(crate) fn without_instructions(&self) -> Self {
        let (insts, decoded) = (Vec::new(), Vec::new());
        let (funcs, constants) = (self.funcs.clone(), self.constants.clone());
        Self { insts, decoded, funcs, constants, patches: self.patches.clone(), ..*self }
    }

    /// Number of the function that contains an instruction.
    #[inline]
    pub(crate) fn function_at(&self, pc: u32) -> Option<usize> {
        self.funcs.partition_point(|f| f.entry <= pc).checked_sub(1)
    }

    /// The range of instructions of a function.
    pub(crate) fn range(&self, function: usize) -> Option<Range<u32>> {
        let next = self.funcs.get(function + 1).map_or(self.insts.len() as u32, |f| f.entry);
        Some(self.funcs.get(function)?.entry..next)
    }
}
