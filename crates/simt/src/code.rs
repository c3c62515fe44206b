//! Warp code: what lowering makes of a typed module and the executor runs.
//!
//! Every PTX instruction becomes one counted [`Inst`] and perhaps some uncounted helpers. Operands
//! are [`Slot`]s: register windows of the running frame, or constants spread over 32 lanes.

use crate::alu::{Alu, L32, L64};
use texunit_check::ir::VarId;
use texunit_isa::{AtomOp, BoolOp, MatchMode, ScalarType, ShflMode, SpecialReg, VoteMode};
use texunit_syntax::Span;
use texunit_unit::{FetchForm, SurfaceForm};

/// No branch target, reconvergence point, frame or group.
pub(crate) const NONE: u32 = u32::MAX;
/// As a reconvergence point: where the function returns.
pub(crate) const AT_RETURN: u32 = u32::MAX - 1;

const CONSTANT: u32 = 1 << 31;
const WIDE: u32 = 1 << 30;
const PREDICATE: u32 = 1 << 29;
const INDEX: u32 = PREDICATE - 1;

/// An operand: a register of the frame's window or a constant; narrow (up to 32 bits), wide
/// (64 bits) or a predicate, possibly negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Slot(u32);

impl Slot {
    /// No operand: reads as nothing, writes go nowhere.
    pub(crate) const NONE: Slot = Slot(u32::MAX);
    /// The predicate that always holds.
    pub(crate) const TRUE: Slot = Slot(CONSTANT | PREDICATE);
    /// The predicate that never holds.
    pub(crate) const FALSE: Slot = Slot(CONSTANT | PREDICATE | 1);

    pub(crate) fn narrow(index: u32) -> Self {
        Slot(index)
    }

    pub(crate) fn wide(index: u32) -> Self {
        Slot(index | WIDE)
    }

    pub(crate) fn predicate(index: u32) -> Self {
        Slot(index << 1 | PREDICATE)
    }

    pub(crate) fn narrow_constant(index: u32) -> Self {
        Slot(index | CONSTANT)
    }

    pub(crate) fn wide_constant(index: u32) -> Self {
        Slot(index | CONSTANT | WIDE)
    }

    /// The other value of a predicate.
    pub(crate) fn negated(self) -> Self {
        Slot(self.0 ^ 1)
    }

    #[inline]
    pub(crate) fn is_constant(self) -> bool {
        self.0 & CONSTANT != 0
    }

    #[inline]
    pub(crate) fn is_wide(self) -> bool {
        self.0 & WIDE != 0
    }

    #[inline]
    pub(crate) fn is_predicate(self) -> bool {
        self.0 & (WIDE | PREDICATE) == PREDICATE
    }

    pub(crate) fn is_none(self) -> bool {
        self == Self::NONE
    }

    #[inline]
    pub(crate) fn is_negated(self) -> bool {
        self.0 & 1 != 0
    }

    /// Index in the window or pool of its kind.
    #[inline]
    pub(crate) fn index(self) -> usize {
        (self.0 & INDEX) as usize
    }

    /// Index of a predicate in its window.
    #[inline]
    pub(crate) fn predicate_index(self) -> usize {
        (self.0 & INDEX) as usize >> 1
    }
}

pub(crate) type NarrowFn = fn(&mut L32, &L32, &L32, &L32);
pub(crate) type WideFn = fn(&mut L64, &L64, &L64, &L64);
pub(crate) type WidenFn = fn(&mut L64, &L32, &L32, &L64);
pub(crate) type CutFn = fn(&mut L32, &L64);
pub(crate) type Lop3Fn = fn(&mut L32, &L32, &L32, &L32, u8);
pub(crate) type ComparePairFn = fn(&L32, &L32) -> (u32, u32);
pub(crate) type CompareNarrowFn = fn(&L32, &L32) -> u32;
pub(crate) type CompareWideFn = fn(&L64, &L64) -> u32;

/// Where the results of a comparison go: `p = r op c`, `q = !r op c`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompareTo {
    pub(crate) p: Slot,
    pub(crate) q: Slot,
    pub(crate) op: BoolOp,
    pub(crate) c: Slot,
}

/// An arithmetic instruction of one of the rarer kinds of [`Alu`].
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

/// Operations.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// Reconvergence point of some branch.
    Join,
    /// Nothing: fences, prefetches.
    Nop,
    Narrow { f: NarrowFn, d: Slot, s: [Slot; 3] },
    Wide { f: WideFn, d: Slot, s: [Slot; 3] },
    Widen { f: WidenFn, d: Slot, s: [Slot; 3] },
    Cut { f: CutFn, d: Slot, a: Slot },
    Lop3 { f: Lop3Fn, d: Slot, s: [Slot; 3], table: u8 },
    /// Every other arithmetic form.
    Rare(Box<Rare>),
    CompareNarrow { f: CompareNarrowFn, a: Slot, b: Slot, to: CompareTo },
    CompareWide { f: CompareWideFn, a: Slot, b: Slot, to: CompareTo },
    /// Comparison of halves: `to.p` is of the low, `to.q` of the high ones.
    ComparePair { f: ComparePairFn, a: Slot, b: Slot, to: CompareTo },
    /// Counts the lanes whose divisor is zero; stands before a division.
    CountZero { divisor: Slot },
    MovNarrow { d: Slot, a: Slot },
    MovWide { d: Slot, a: Slot },
    /// Predicate logic.
    Logic { f: fn(u32, u32) -> u32, d: Slot, a: Slot, b: Slot },
    SelectNarrow { d: Slot, a: Slot, b: Slot, p: Slot },
    SelectWide { d: Slot, a: Slot, b: Slot, p: Slot },
    /// 0 or 1 of a predicate, or a register's bits in one of another width: zero-extended, or
    /// sign-extended from `from` bits when that is not 0, then cut to `mask`.
    Convert { d: Slot, a: Slot, from: u8, mask: u64 },
    /// Elements of `bits` bits each, lowest first, into one register.
    Pack { d: Slot, parts: Box<[Slot]>, bits: u8 },
    Unpack { parts: Box<[Slot]>, a: Slot, bits: u8 },
    Special { d: Slot, reg: SpecialReg, component: u8 },
    /// Address in local memory of a place in the frame.
    FrameAddress { d: Slot, offset: u64 },
    Load(Box<Access>),
    Store(Box<Access>),
    Atomic(Box<Atomic>),
    /// Between a space's own addresses and generic ones; `to`: from generic.
    Cvta { d: Slot, a: Slot, window: u64, to: bool },
    IsSpace { d: Slot, a: Slot, space: texunit_memory::SpaceKind },
    Branch { target: u32, reconverge: u32 },
    BranchIndexed { index: Slot, targets: Box<[u32]>, reconverge: u32 },
    Call(Box<Call>),
    Return,
    Exit,
    Trap,
    Breakpoint,
    Printf(Box<Printf>),
    AssertFail(Box<AssertFail>),
    Barrier(Box<Barrier>),
    WarpSync { mask: Slot },
    ActiveMask { d: Slot },
    Shuffle(Box<Shuffle>),
    Vote { mode: VoteMode, d: Slot, p: Slot, members: Slot },
    Match { mode: MatchMode, d: Slot, p: Slot, a: Slot, members: Slot },
    Redux { op: AtomOp, ty: ScalarType, d: Slot, a: Slot, members: Slot },
    Fetch(Box<Fetch>),
    SurfaceLoad(Box<SurfaceAccess>),
    SurfaceStore(Box<SurfaceAccess>),
    /// Found before the launch; here for code that is reached all the same.
    Unsupported,
}

/// State space of an access as far as it is known before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// `.global`, `.const`: addresses are generic ones.
    Global,
    Generic,
    Shared,
    Local,
    /// `[register]` of `.param`: the kernel's parameters, or a frame's by generic address.
    Param,
    /// A known offset of the kernel's parameters.
    KernelParam,
    /// A known offset of the running frame in local memory.
    Frame,
}

/// A load or store.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) place: Place,
    /// Bytes of an element: 1, 2, 4, 8.
    pub(crate) size: u8,
    /// Sign-extend loaded elements.
    pub(crate) signed: bool,
    /// Registers, or sources of a store; `Slot::NONE` is not wanted.
    pub(crate) parts: Vec<Slot>,
    /// What remains of an element in its register.
    pub(crate) mask: u64,
    /// Address: this register or constant (or none) plus `offset`.
    pub(crate) base: Slot,
    pub(crate) offset: u64,
    /// `.const` access: checked to be one.
    pub(crate) constant: bool,
}

/// atom, red.
#[derive(Clone, Debug)]
pub(crate) struct Atomic {
    pub(crate) place: Place,
    pub(crate) op: AtomOp,
    pub(crate) ty: ScalarType,
    pub(crate) d: Slot,
    pub(crate) base: Slot,
    pub(crate) offset: u64,
    pub(crate) b: Slot,
    pub(crate) c: Slot,
}

/// Who is called.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Callee {
    /// Index of a function.
    Direct(u32),
    /// A register with a function's address; lanes meet again at `reconverge`.
    Indirect { address: Slot, reconverge: u32 },
}

/// An argument or result of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    /// Offset in the caller's frame.
    Frame(u32),
    /// A register or constant.
    Register(Slot),
}

/// A value that passes between caller and callee.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passed {
    pub(crate) value: Value,
    /// Offset in the callee's frame.
    pub(crate) offset: u32,
    /// Bytes.
    pub(crate) size: u32,
}

/// A call.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) callee: Callee,
    pub(crate) arguments: Vec<Passed>,
    pub(crate) results: Vec<Passed>,
    /// Sizes of results and arguments, which an indirect callee must have too.
    pub(crate) shape: (Vec<u32>, Vec<u32>),
}

/// A call of vprintf.
#[derive(Clone, Debug)]
pub(crate) struct Printf {
    pub(crate) format: Value,
    pub(crate) arguments: Value,
    pub(crate) result: Option<Value>,
}

/// A call of __assertfail.
#[derive(Clone, Debug)]
pub(crate) struct AssertFail {
    pub(crate) message: Value,
    pub(crate) file: Value,
    pub(crate) line: Value,
    pub(crate) function: Value,
}

/// What a barrier does besides counting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BarrierKind {
    Sync,
    Arrive,
    Popc,
    Reduce(BoolOp),
}

/// bar, barrier.
#[derive(Clone, Debug)]
pub(crate) struct Barrier {
    pub(crate) kind: BarrierKind,
    pub(crate) id: Slot,
    /// Threads, if written.
    pub(crate) threads: Slot,
    pub(crate) d: Slot,
    pub(crate) p: Slot,
}

/// shfl.
#[derive(Clone, Debug)]
pub(crate) struct Shuffle {
    pub(crate) mode: ShflMode,
    pub(crate) d: Slot,
    pub(crate) p: Slot,
    pub(crate) a: Slot,
    pub(crate) b: Slot,
    pub(crate) c: Slot,
    /// `Slot::NONE` without `.sync`.
    pub(crate) members: Slot,
}

/// A texture, sampler or surface operand.
#[derive(Clone, Debug)]
pub(crate) struct Handle {
    pub(crate) slot: Slot,
    /// Of a reference: keyword and name, for messages.
    pub(crate) name: Option<String>,
}

/// tex.
#[derive(Clone, Debug)]
pub(crate) struct Fetch {
    /// Number of the instruction among all texture and surface instructions.
    pub(crate) site: usize,
    pub(crate) form: FetchForm,
    pub(crate) texture: Handle,
    pub(crate) sampler: Option<Handle>,
    pub(crate) coords: [Slot; 4],
    pub(crate) parts: [Slot; 4],
    pub(crate) components: u8,
}

/// suld.b, sust.b.
#[derive(Clone, Debug)]
pub(crate) struct SurfaceAccess {
    pub(crate) site: usize,
    pub(crate) form: SurfaceForm,
    pub(crate) surface: Handle,
    pub(crate) coords: [Slot; 3],
    pub(crate) parts: Vec<Slot>,
    /// Bits of an element.
    pub(crate) mask: u64,
    /// What remains of a loaded element in its register.
    pub(crate) register_mask: u64,
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
    pub(crate) funcs: Vec<Func>,
    pub(crate) constants: Constants,
    pub(crate) patches: Vec<SharedPatch>,
    /// Texture and surface instructions.
    pub(crate) sites: usize,
}
