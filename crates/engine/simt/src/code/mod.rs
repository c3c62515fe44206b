//! Warp code: what lowering makes of a typed module and the executor runs.
//!
//! Every PTX instruction becomes one counted [`Inst`] and perhaps some uncounted helpers. Operands
//! are [`Slot`]s: register windows of the running frame, or constants spread over 32 lanes.

mod decoded;
mod forms;
mod shadow;
mod slot;
mod special_memory;

pub(crate) use decoded::{Decoded, OF_CTA, PRODUCTS, of_cta};
pub use forms::HandleSource;
pub(crate) use forms::*;
pub(crate) use shadow::{Check, FetchShadow, Shadow, SurfaceShadow};
pub(crate) use slot::Slot;
pub use special_memory::MbarrierAction;
pub(crate) use special_memory::*;

use crate::observe::mark::Mark;
use std::ops::Range;
use texunit_alu::{Alu, L32, L64, MAX, Row, Temporaries};
use texunit_check::ir::VarId;
use texunit_isa::{AtomOp, BoolOp, MatchMode, ScalarType, SpecialReg, VoteMode};
use texunit_syntax::Span;

/// No branch target, reconvergence point, frame or group.
pub(crate) const NONE: u32 = u32::MAX;
/// As a reconvergence point: where the function returns.
pub(crate) const AT_RETURN: u32 = u32::MAX - 1;

pub(crate) type Lop3Fn = fn(&mut L32, &L32, &L32, &L32, u8);

/// Where the results of a comparison go: `p = r op c`, `q = !r op c`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompareTo {
    pub(crate) p: Slot,
    pub(crate) q: Slot,
    pub(crate) op: BoolOp,
    pub(crate) c: Slot,
}

/// An arithmetic instruction with data of its own, or with carries.
#[derive(Clone, Debug)]
pub(crate) struct Rare {
    pub(crate) alu: Alu,
    pub(crate) d: Slot,
    pub(crate) s: [Slot; 4],
    /// Bits of the result that the destination keeps.
    pub(crate) mask: u64,
    /// Whether a carry is written.
    pub(crate) write_carry: bool,
}

/// An instruction of a warp.
#[derive(Clone, Debug)]
pub(crate) struct Inst {
    pub(crate) op: Op,
    /// Lanes that take part; of a branch: lanes that jump.
    pub(crate) guard: Slot,
    /// 1 for PTX instructions, 0 for helpers.
    pub(crate) count: u8,
    /// Which source instruction.
    pub(crate) span: Span,
}

impl Inst {
    /// Whether it asks the unit for all lanes that come to it: warps with all their lanes wait for each other there. A
    /// reduction on a surface is an atomic.
    #[inline]
    pub(crate) fn asks_unit(&self) -> bool {
        let asks = match &self.op {
            Op::Fetch(_) => true,
            Op::SurfaceLoad(access) | Op::SurfaceStore(access) => !access.is_reduction(),
            _ => false,
        };
        asks && self.guard == Slot::TRUE
    }
}

/// Operations.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// Reconvergence point of some branch.
    Join,
    /// Nothing: fences, prefetches.
    Nop,
    /// Tells an observer something (`observe::marks`).
    Mark(Box<Mark>),
    /// Follows uninitialised data (`observe::shadow`).
    Shadow(Box<Shadow>),
    /// Counts lanes (`observe::counts`): all at this counter, and those of the predicate at the next unless it is
    /// always true.
    Count {
        counter: u32,
        of: Slot,
    },
    /// Counts 1 at this counter, as a warp comes by; where the predicate is not always true, also at the next one, if it
    /// holds for some of the lanes and not for others (`observe::issues`).
    Issue {
        counter: u32,
        of: Slot,
    },
    /// Counts lanes by the index of the `brx` behind it, from this counter on.
    CountIndexed {
        counter: u32,
        index: Slot,
        targets: u32,
    },
    /// Counts 1 at this counter if the `brx` behind it, which has this guard, divides the lanes.
    IssueIndexed {
        counter: u32,
        of: Slot,
        index: Slot,
        targets: Box<[u32]>,
    },
    /// Arithmetic. Sources that the row lacks are zero.
    Compute {
        row: &'static Row,
        d: Slot,
        s: [Slot; 4],
    },
    Lop3 {
        f: Lop3Fn,
        d: Slot,
        s: [Slot; 3],
        table: u8,
    },
    /// Arithmetic with data of its own, or with carries.
    Rare(Box<Rare>),
    Compare {
        row: &'static Row,
        a: Slot,
        b: Slot,
        to: CompareTo,
    },
    /// Comparison of halves: `to.p` is of the low, `to.q` of the high ones.
    ComparePair {
        row: &'static Row,
        a: Slot,
        b: Slot,
        to: CompareTo,
    },
    /// Counts the lanes whose divisor is zero; stands before a division.
    CountZero {
        divisor: Slot,
    },
    MovNarrow {
        d: Slot,
        a: Slot,
    },
    MovWide {
        d: Slot,
        a: Slot,
    },
    /// Predicate logic.
    Logic {
        f: fn(u32, u32) -> u32,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    SelectNarrow {
        d: Slot,
        a: Slot,
        b: Slot,
        p: Slot,
    },
    SelectWide {
        d: Slot,
        a: Slot,
        b: Slot,
        p: Slot,
    },
    /// 0 or 1 of a predicate, or a register's bits in one of another width: zero-extended, then
    /// cut to `mask`.
    Convert {
        d: Slot,
        a: Slot,
        mask: u64,
    },
    /// Elements of `bits` bits each, lowest first, into one register.
    Pack {
        d: Slot,
        parts: Box<[Slot]>,
        bits: u8,
    },
    Unpack {
        parts: Box<[Slot]>,
        a: Slot,
        bits: u8,
    },
    Special {
        d: Slot,
        reg: SpecialReg,
        component: u8,
    },
    /// Address in local memory of a place in the frame.
    FrameAddress {
        d: Slot,
        offset: u64,
    },
    Load(Box<Access>),
    Store(Box<Access>),
    /// Accesses of 16 bytes in one piece.
    LoadQuad(Box<Access>),
    StoreQuad(Box<Access>),
    Atomic(Box<Atomic>),
    /// txq, suq.
    Query(Box<Query>),
    /// istypep: whether a handle has this kind bit.
    IsType {
        d: Slot,
        a: Slot,
        bit: u64,
    },
    /// Between a space's own addresses and generic ones; `to`: from generic.
    Cvta {
        d: Slot,
        a: Slot,
        window: u64,
        to: bool,
    },
    /// mapa: an address of shared memory, as it is for the CTA of the cluster with a rank. `window`: where generic addresses
    /// of shared memory begin, 0 of addresses in `.shared::cluster`.
    MapShared {
        d: Slot,
        a: Slot,
        rank: Slot,
        window: u64,
    },
    /// getctarank, likewise.
    SharedRank {
        d: Slot,
        a: Slot,
        window: u64,
    },
    IsSpace {
        d: Slot,
        a: Slot,
        space: texunit_memory::SpaceKind,
    },
    /// nanosleep, a look at %globaltimer, and where a loop only waits (`lower::spin`): others go first.
    Yield,
    Branch {
        target: u32,
        reconverge: u32,
    },
    BranchIndexed {
        index: Slot,
        targets: Box<[u32]>,
        reconverge: u32,
    },
    Call(Box<Call>),
    Return,
    Exit,
    Trap,
    Breakpoint,
    Printf(Box<Printf>),
    AssertFail(Box<AssertFail>),
    HeapCall(Box<HeapCall>),
    Runtime(Box<RuntimeCall>),
    AsyncCopy(Box<AsyncCopy>),
    Mbarrier(Box<Mbarrier>),
    Matrix(Box<Matrix>),
    Mma(Box<Mma>),
    /// Lanes meet: what stands behind is done by all of them together.
    Converge {
        members: Slot,
    },
    Stack(Stack),
    Elect {
        d: Slot,
        p: Slot,
        members: Slot,
    },
    /// `%envreg<n>`.
    EnvReg {
        d: Slot,
        number: u8,
    },
    Barrier(Box<Barrier>),
    /// `barrier.cluster`: lanes arrive, or wait for all threads of the cluster.
    ClusterBarrier {
        waits: bool,
    },
    WarpSync {
        mask: Slot,
    },
    ActiveMask {
        d: Slot,
    },
    Shuffle(Box<Shuffle>),
    Vote {
        mode: VoteMode,
        d: Slot,
        p: Slot,
        members: Slot,
    },
    Match {
        mode: MatchMode,
        d: Slot,
        p: Slot,
        a: Slot,
        members: Slot,
    },
    Redux {
        op: AtomOp,
        ty: ScalarType,
        d: Slot,
        a: Slot,
        members: Slot,
    },
    Fetch(Box<Fetch>),
    /// suld.
    SurfaceLoad(Box<SurfaceAccess>),
    /// sust, sured.
    SurfaceStore(Box<SurfaceAccess>),
    /// Found before the launch; here for code that is reached all the same.
    Unsupported,
}

/// A function's code and the size of its frame.
#[derive(Clone, Debug)]
pub(crate) struct Func {
    pub(crate) name: String,
    pub(crate) is_entry: bool,
    pub(crate) entry: u32,
    /// Registers of each kind.
    pub(crate) narrow: u32,
    pub(crate) wide: u32,
    pub(crate) predicates: u32,
    /// Bytes in local memory: results, parameters, variables.
    pub(crate) frame: u32,
    /// Sizes of results and parameters.
    pub(crate) shape: (Vec<u32>, Vec<u32>),
    /// Names, offsets and sizes of what is in the frame, for messages.
    pub(crate) objects: Vec<(String, u32, u32)>,
    pub(crate) has_body: bool,
    /// Of a kernel: whether its registers must be zero at the start, and whether its predicates must.
    pub(crate) cleared: bool,
    pub(crate) clears_predicates: bool,
    /// Where the registers of the PTX are, by their numbers; known of code for a debugger only.
    pub(crate) registers: Vec<Slot>,
}

impl Func {
    /// Adds the registers that compiled operations of several steps use between them.
    pub(crate) fn add_temporaries(&mut self) {
        self.narrow += MAX.narrow;
        self.wide += MAX.wide;
        self.predicates += MAX.predicates;
    }

    /// Those registers: the last ones.
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

/// Constants, spread over the lanes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Constants {
    pub(crate) narrow: Vec<L32>,
    pub(crate) wide: Vec<L64>,
}

/// All code of a module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub(crate) insts: Vec<Inst>,
    /// The same for the inner loop.
    pub(crate) decoded: Vec<Decoded>,
    pub(crate) funcs: Vec<Func>,
    pub(crate) constants: Constants,
    pub(crate) patches: Vec<SharedPatch>,
    /// Texture and surface instructions.
    pub(crate) sites: usize,
    /// Whether there are instructions without `.sync` whose results depend on which lanes execute them together.
    pub(crate) uses_activemask: bool,
    /// Whether it waits for the CTAs of its cluster.
    pub(crate) has_cluster_barrier: bool,
}

impl Code {
    /// The function that an instruction is in.
    #[inline]
    pub(crate) fn function_at(&self, pc: u32) -> Option<usize> {
        self.funcs.partition_point(|f| f.entry <= pc).checked_sub(1)
    }

    /// The instructions of a function.
    pub(crate) fn range(&self, function: usize) -> Option<Range<u32>> {
        let next = self.funcs.get(function + 1).map_or(self.insts.len() as u32, |f| f.entry);
        Some(self.funcs.get(function)?.entry..next)
    }
}
