//! What a region is made of: the compilable part of a function as a graph of blocks.
//!
//! A region runs for a fixed set of *active* lanes of a warp, from an entry until it *leaves*
//! ([`crate::region::Left`]). Whoever runs it then does what stands at the instruction `at` by itself, and may enter
//! again behind it. A region never faults: before an access that it cannot make for certain it leaves, with
//! nothing of the instruction done in any lane.

#[cfg(target_arch = "x86_64")]
pub use crate::compiled::{Function, Running, compile};
pub use crate::machine::{Entry, Group, Inputs, Level, Mode, Parted, Sites};
#[cfg(not(target_arch = "x86_64"))]
pub use crate::nowhere::{Function, Running, Series, compile};
use crate::op::Op;
use crate::operand::{Combine, Place, Predicate, Source, Test};
#[cfg(target_arch = "x86_64")]
pub use crate::series::Series;
use crate::{Narrow, Wide};
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

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
}

/// A step of a block, taken by the active lanes of its guard.
#[derive(Clone, Debug)]
pub struct Step {
    /// Number of the instruction. Behind a step that may leave ([`Step::may_leave`]) the region can be entered
    /// at `at + 1`.
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

/// Where an access goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Global memory, also by a generic address: an address of no block that the site knows leaves.
    Global,
    /// Shared memory of the CTA, by offsets.
    Shared,
    /// Local memory of a lane, by offsets.
    Local,
    /// A known offset of the running frame in local memory ([`Memory::frame`]); there is no base.
    Frame,
    /// A known offset of [`crate::region::Inputs::bytes`]; there is no base, and all lanes have the same.
    Param,
}

/// An access of all lanes that take a step: `count` elements behind each other in each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Where.
    pub space: Space,
    /// Bytes of an element: 1, 2, 4 or 8.
    pub size: u8,
    /// Elements: 1, 2, 4 or 8. The address is a multiple of the size of all, but in frames and parameters.
    pub count: u8,
    /// The address is this, of 64 bits or of 32, and `offset`: of a number of 32 bits the sum has 32 bits too.
    pub base: Option<Source>,
    /// See `base`.
    pub offset: u64,
    /// The number of its site ([`Space::Global`] alone), which no other access has.
    pub site: u32,
    /// Which memory the addresses of [`Space::Global`] are of: accesses to another one know nothing of its sites.
    pub map: u8,
}

/// A load.
#[derive(Clone, Debug)]
pub struct Load {
    /// From where.
    pub access: Access,
    /// Whether elements are extended by their signs, to 64 bits. Else by zeros.
    pub signed: bool,
    /// The bits of the extended number that remain.
    pub keep: u64,
    /// Registers, narrow or wide, one for each element; what is none is not wanted.
    pub to: Vec<Option<Place>>,
}

/// A store.
#[derive(Clone, Debug)]
pub struct Store {
    /// To where.
    pub access: Access,
    /// A number for each element, whose low bytes are stored; one of 32 bits has zeros above.
    pub from: Vec<Source>,
}

/// How an atomic changes a number, from `old`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// old + b
    Add,
    /// old and b
    And,
    /// old or b
    Or,
    /// old exclusive-or b
    Xor,
    /// b
    Exchange,
    /// c if old = b
    Compare,
    /// The lesser signed number.
    MinS,
    /// The greater signed number.
    MaxS,
    /// The lesser unsigned number.
    MinU,
    /// The greater unsigned number.
    MaxU,
    /// old + 1, or 0 if old ≥ b
    Inc,
    /// old - 1, or b if old = 0 or old > b
    Dec,
    /// old + b of floats, as `atom` adds them: f32 in global memory with subnormals as zeros, a NaN of f32 is
    /// 0x7fffffff.
    AddFloat,
}

/// An atomic access of one element of 4 or 8 bytes, in global or shared memory.
#[derive(Clone, Debug)]
pub struct Atomic {
    /// Where.
    pub access: Access,
    /// How the number changes.
    pub change: Change,
    /// Where the old number goes, as wide as the element.
    pub to: Option<Place>,
    /// b
    pub b: Source,
    /// c
    pub c: Option<Source>,
}

/// How a lane is found by `shfl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shuffling {
    /// Below.
    Up,
    /// Above.
    Down,
    /// By exclusive or.
    Butterfly,
    /// By its number in the segment.
    Index,
}

/// shfl: PTX ISA 9.7.9.6; a lane that is not active gives 0.
#[derive(Clone, Debug)]
pub struct Shuffle {
    /// How.
    pub mode: Shuffling,
    /// The number of 32 bits.
    pub a: Source,
    /// Which lane.
    pub b: Source,
    /// Clamp and segment.
    pub c: Source,
    /// The membermask; none: without `.sync`.
    pub members: Option<Source>,
    /// The narrow register that is written.
    pub to: Option<u32>,
    /// The predicate that says whether the lane was inside.
    pub valid: Option<u32>,
}

/// What a vote gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vote {
    /// The lanes where it holds.
    Ballot,
    /// Whether it holds in all.
    All,
    /// Whether it does in one.
    Any,
    /// Whether it is the same in all.
    Uniform,
}

/// match: of each active lane, the active lanes with the same number.
#[derive(Clone, Debug)]
pub struct Match {
    /// Whether all must have the same: then all active lanes, else 0, and the predicate says which.
    pub all: bool,
    /// The number, of 32 or 64 bits.
    pub of: Source,
    /// The membermask.
    pub members: Source,
    /// The narrow register that is written.
    pub to: Option<u32>,
    /// The predicate that `all` writes.
    pub same: Option<u32>,
}

/// How `redux` makes one number of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduce {
    /// a + b
    Add,
    /// The lesser signed number.
    MinS,
    /// The greater signed number.
    MaxS,
    /// The lesser unsigned number.
    MinU,
    /// The greater unsigned number.
    MaxU,
    /// a and b
    And,
    /// a or b
    Or,
    /// a exclusive-or b
    Xor,
}

/// A function of whole rows. All 32 lanes are computed; those that do not take the step are not used. Where
/// it takes or gives numbers of 64 bits, a narrow source has zeros above, and a narrow result is the low half.
#[derive(Clone)]
pub enum Routine {
    /// Of 32 bits.
    Narrow(fn(&mut Narrow, &Narrow, &Narrow, &Narrow)),
    /// Of 32 bits, with four sources.
    Narrow4(fn(&mut Narrow, &Narrow, &Narrow, &Narrow, &Narrow)),
    /// Of 64 bits.
    Wide(fn(&mut Wide, &Wide, &Wide, &Wide)),
    /// Of 64 bits, with four sources.
    Wide4(fn(&mut Wide, &Wide, &Wide, &Wide, &Wide)),
    /// From two of 32 and one of 64 bits.
    Widen(fn(&mut Wide, &Narrow, &Narrow, &Wide)),
    /// From 64 bits to 32.
    Cut(fn(&mut Narrow, &Wide)),
    /// What has data of its own, of 64 bits.
    Data(Arc<Rows>),
    /// Lanes for a predicate, from 32 bits. The result goes to a predicate.
    Test(fn(&Narrow, &Narrow) -> u32),
    /// Lanes for a predicate, from 64 bits.
    TestWide(fn(&Wide, &Wide) -> u32),
}

/// A function of four rows of 64 bits.
pub type Rows = dyn Fn(&mut Wide, [&Wide; 4]) + Send + Sync;

impl fmt::Debug for Routine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Narrow(_) => "Narrow",
            Self::Narrow4(_) => "Narrow4",
            Self::Wide(_) => "Wide",
            Self::Wide4(_) => "Wide4",
            Self::Widen(_) => "Widen",
            Self::Cut(_) => "Cut",
            Self::Data(_) => "Data",
            Self::Test(_) => "Test",
            Self::TestWide(_) => "TestWide",
        })
    }
}

impl Routine {
    /// How many sources it has.
    pub fn sources(&self) -> usize {
        match self {
            Self::Narrow4(_) | Self::Wide4(_) | Self::Data(_) => 4,
            Self::Narrow(_) | Self::Wide(_) | Self::Widen(_) => 3,
            Self::Test(_) | Self::TestWide(_) => 2,
            Self::Cut(_) => 1,
        }
    }
}

/// A call of a function of rows.
#[derive(Clone, Debug)]
pub struct Call {
    /// The function.
    pub routine: Routine,
    /// Where the result goes: a predicate's lanes are combined as a comparison's are.
    pub to: Option<Place>,
    /// Bits of the result that remain.
    pub keep: u64,
    /// Sources; those that the function does not have are not looked at.
    pub from: [Source; 4],
}

/// Why a region was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// `at` is an instruction that is not compiled, or one that it cannot do with these numbers.
    Instruction,
    /// `at` is an access and its site has another allocation, or none: see [`crate::region::Function::fill`].
    Site(u32),
    /// `at` is a branch that some lanes take.
    Divides,
    /// The lanes are to meet at `at`.
    Meets,
    /// So many steps are done; it goes on at `at`.
    Limit,
    /// It goes on outside, at `at`.
    Outside,
}

/// Where a region has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left {
    /// The instruction that comes next: nothing of it has been done or counted.
    pub at: u32,
    /// Why.
    pub why: Why,
    /// Instructions that have counted.
    pub steps: u64,
    /// Lanes that have taken them, in all.
    pub threads: u64,
    /// Atomics among them.
    pub atomics: u32,
    /// Steps when the last one was done, which is counted.
    pub last_atomic: u64,
    /// What [`Action::CountZeros`] has counted.
    pub zeros: u64,
    /// The lanes that stand before the instruction.
    pub mask: u32,
    /// Whether others stand or wait elsewhere ([`crate::region::Running::parted`]).
    pub parted: bool,
    /// The steps up to which the turn of these goes ([`Until::steps`], or less where lanes have parted).
    pub limit: u64,
}

/// How long lanes run that part in a region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Apart {
    /// Steps from which on no turn goes, of whatever lanes.
    pub end: u64,
    /// Steps of a turn of divided lanes.
    pub turn: u64,
    /// Steps that the groups of the region may wait for lanes, before somebody else says who goes next.
    pub waits: u64,
    /// Steps from which on somebody else says in any case who goes next.
    pub patience: u64,
}

/// How far a region may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Until {
    /// Steps from which on it leaves at a backward jump.
    pub steps: u64,
    /// Where the lanes are to meet others; [`u32::MAX`]: nowhere.
    pub meets: u32,
    /// Atomics that may be done; before one more it leaves.
    pub atomics: u32,
    /// What lanes do that part.
    pub apart: Apart,
}

/// Memory of a warp.
#[derive(Debug)]
pub struct Memory<'a> {
    /// Shared memory of the CTA, which nobody else uses meanwhile.
    pub shared: &'a mut [u8],
    /// Local memory by words of 4 bytes.
    pub local: &'a mut [Narrow],
    /// The first byte of the running frame in local memory, and the first one behind it.
    pub frame: std::ops::Range<u64>,
}

impl Access {
    /// Whether it is certain that it can be made: it goes to a frame or to parameters, and each element lies in one
    /// word, or in words that it fills.
    pub(crate) fn is_known(&self) -> bool {
        let powers = self.size.is_power_of_two() && self.count.is_power_of_two();
        let (size, count) = (u64::from(self.size), u64::from(self.count));
        let in_word = self.offset % 4;
        powers
            && self.base.is_none()
            && size <= 8
            && count <= 8
            && match self.space {
                Space::Frame => {
                    self.offset.is_multiple_of(size)
                        && (in_word == 0 || in_word + size * count <= 4)
                }
                Space::Param => true,
                _ => false,
            }
    }
}

impl Step {
    /// Whether the region can be left at the step, and so be entered behind it.
    pub fn may_leave(&self) -> bool {
        match &self.action {
            Action::Load(load) => !load.access.is_known(),
            Action::Store(store) => store.access.space == Space::Param || !store.access.is_known(),
            Action::Atomic(_) | Action::Sync { .. } | Action::Leave { .. } => true,
            Action::Shuffle(_) | Action::Vote { .. } | Action::Match(_) | Action::Redux { .. } => {
                true
            }
            _ => false,
        }
    }

    /// Calls `f` with each register that is written.
    pub fn each_written(&self, mut f: impl FnMut(Place)) {
        match &self.action {
            Action::Compute { to, .. } | Action::Vote { to, .. } | Action::ActiveMask { to } => {
                f(*to);
            }
            Action::Compare { to, .. } => {
                to.iter().flatten().for_each(|&p| f(Place::Predicate(p)));
            }
            Action::Logic { to, .. } => f(Place::Predicate(*to)),
            Action::Load(load) => load.to.iter().flatten().for_each(|&to| f(to)),
            Action::Atomic(atomic) => atomic.to.into_iter().for_each(f),
            Action::Call(call) => call.to.into_iter().for_each(f),
            Action::Shuffle(shuffle) => {
                shuffle.to.into_iter().for_each(|i| f(Place::Narrow(i)));
                shuffle.valid.into_iter().for_each(|i| f(Place::Predicate(i)));
            }
            Action::Match(of) => {
                of.to.into_iter().for_each(|i| f(Place::Narrow(i)));
                of.same.filter(|_| of.all).into_iter().for_each(|i| f(Place::Predicate(i)));
            }
            Action::Redux { to, .. } => f(Place::Narrow(*to)),
            Action::Store(_)
            | Action::Sync { .. }
            | Action::Count { .. }
            | Action::CountZeros(_)
            | Action::Leave { .. }
            | Action::Nothing => {}
        }
    }
}

impl Step {
    /// Calls `f` with each source that the action reads.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn each_source(&self, mut f: impl FnMut(Source)) {
        let mut access = |access: &Access| access.base.into_iter().for_each(&mut f);
        match &self.action {
            Action::Load(load) => access(&load.access),
            Action::Store(store) => {
                access(&store.access);
                store.from.iter().copied().for_each(f);
            }
            Action::Atomic(atomic) => {
                access(&atomic.access);
                f(atomic.b);
                atomic.c.into_iter().for_each(f);
            }
            Action::Compute { op, from, .. } => {
                from.iter().take(op.sources()).copied().for_each(f);
            }
            Action::Compare { from, .. } => from.iter().copied().for_each(f),
            Action::Call(call) => {
                call.from.iter().take(call.routine.sources()).copied().for_each(f);
            }
            Action::Shuffle(shuffle) => {
                [shuffle.a, shuffle.b, shuffle.c].into_iter().for_each(&mut f);
                shuffle.members.into_iter().for_each(f);
            }
            Action::Vote { members, .. } => members.iter().copied().for_each(f),
            Action::Match(of) => [of.of, of.members].into_iter().for_each(f),
            Action::Redux { of, members, .. } => [*of, *members].into_iter().for_each(f),
            Action::Sync { members } => f(*members),
            Action::CountZeros(of) => f(*of),
            Action::Logic { .. }
            | Action::ActiveMask { .. }
            | Action::Count { .. }
            | Action::Leave { .. }
            | Action::Nothing => {}
        }
    }

    /// Calls `f` with each register that the action reads, the guard not among them.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn each_read(&self, mut f: impl FnMut(Place)) {
        self.each_source(|source| source.place().into_iter().for_each(&mut f));
        let mut asked = |p: Predicate| p.place().into_iter().for_each(&mut f);
        match &self.action {
            Action::Compute { op: Op::Select(p) | Op::SelectWide(p), .. } => asked(*p),
            Action::Compare { with, .. } => asked(with.1),
            Action::Logic { from, .. } => from.iter().copied().for_each(asked),
            Action::Vote { of, .. } => asked(*of),
            Action::Count { of, .. } => of.iter().copied().for_each(asked),
            Action::Leave { reads } => reads.iter().copied().for_each(&mut f),
            _ => {}
        }
        // Lanes that do not take it keep what they have.
        if self.guard != Predicate::Always {
            self.each_written(f);
        }
    }

    /// Whether it does something besides writing registers.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn has_effects(&self) -> bool {
        matches!(self.action, Action::Store(_) | Action::Count { .. } | Action::CountZeros(_))
    }

    /// Calls `f` with each register that the step mentions.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn each_place(&self, mut f: impl FnMut(Place)) {
        self.each_read(&mut f);
        self.guard.place().into_iter().for_each(&mut f);
        self.each_written(f);
    }
}
