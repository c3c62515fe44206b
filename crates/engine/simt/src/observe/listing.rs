//! The code of a program as observers see it: operations by their numbers.

use crate::code::{Code, Op, Place, Slot};
use crate::flow::{FunctionCode, each_slot};
use crate::launch::{Arithmetic, LaunchConfig};
use crate::lower::{Program, Unit};
use crate::observe::{Costs, Counting, Issues};
use std::ops::Range;
use std::sync::Arc;
use texunit_check::sources::{SourcePlace, Sources};
use texunit_flow::Access;
use texunit_syntax::{SourceFile, Span};

/// The operations that a kernel and all that it can call were lowered to, or all functions of a program, by the numbers
/// that events have. A PTX instruction is one
/// operation that counts, and perhaps some that do not (they prepare its operands, or finish its results).
#[derive(Clone, Copy)]
pub struct Listing<'a> {
    pub(super) program: &'a Program,
    pub(super) code: &'a Code,
}

/// A register of a function, or a constant of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Register {
    /// Of up to 32 bits.
    Narrow(u32),
    /// Of 64 bits.
    Wide(u32),
    /// A predicate.
    Predicate(u32),
    /// A number in the code.
    Constant(Constant),
}

/// Which number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Constant(Slot);

impl Register {
    /// The register of an operand, negated or not; `None`: there is no operand.
    pub(crate) fn of(slot: Slot) -> Option<Self> {
        Some(match slot {
            _ if slot.is_none() => return None,
            _ if slot.is_constant() => Self::Constant(Constant(slot)),
            _ if slot.is_predicate() => Self::Predicate(slot.predicate_index() as u32),
            _ if slot.is_wide() => Self::Wide(slot.index() as u32),
            _ => Self::Narrow(slot.index() as u32),
        })
    }

    pub(super) fn slot(self) -> Slot {
        match self {
            Self::Narrow(i) => Slot::narrow(i),
            Self::Wide(i) => Slot::wide(i),
            Self::Predicate(i) => Slot::predicate(i),
            Self::Constant(Constant(slot)) => slot,
        }
    }
}

/// Registers of an operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Operands {
    /// What it reads, its guard first if it has one.
    pub reads: Vec<Register>,
    /// What it writes in the lanes that take part.
    pub writes: Vec<Register>,
    /// Whether these are all: operands of calls may be places of a frame, and shuffles read what other lanes have.
    pub all: bool,
}

impl<'a> Listing<'a> {
    /// Those of all functions, which are lowered for it; arithmetic as of launches. The
    /// events of launches with an observer from then on have these numbers.
    pub fn of(program: &'a Program, arithmetic: Arithmetic) -> Self {
        Self { program, code: program.code(arithmetic) }
    }

    /// Those of what runs in a launch.
    pub(crate) fn of_unit(program: &'a Program, unit: &'a Unit) -> Self {
        Self { program, code: &unit.code }
    }

    /// How many operations there are.
    pub fn len(&self) -> u32 {
        self.code.insts.len() as u32
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.code.insts.is_empty()
    }

    /// The source that spans are of.
    pub fn source(&self) -> &'a SourceFile {
        &self.program.source
    }

    /// What its instructions come from, as `.file` and `.loc` say.
    pub fn sources(&self) -> &'a Sources {
        self.program.sources()
    }

    /// The sources, to be kept.
    pub fn shared_sources(&self) -> &'a Arc<Sources> {
        self.program.sources()
    }

    /// The PTX instruction that an operation comes from.
    pub fn span(&self, op: u32) -> Span {
        self.code.insts.get(op as usize).map_or_else(Span::default, |inst| inst.span)
    }

    /// Where that instruction stands in the PTX, and in the source that it was compiled from.
    pub fn place(&self, op: u32) -> SourcePlace<'a> {
        self.program.place(self.span(op))
    }

    /// Opcode and modifiers of the PTX instruction that an operation comes from, in their order.
    pub fn words(&self, op: u32) -> impl Iterator<Item = &'a str> {
        super::order::words(self.source(), self.span(op))
    }

    /// Whether it reads where the workspace of a cooperative grid is (%envreg1 and %envreg2).
    pub fn asks_for_workspace(&self) -> bool {
        let asks = |op: &Op| matches!(op, Op::EnvReg { number: 1 | 2, .. });
        self.code.insts.iter().any(|inst| asks(&inst.op))
    }

    /// Whether it stands for a PTX instruction: helpers and what the executor has put in do not.
    pub fn counts(&self, op: u32) -> bool {
        self.code.insts.get(op as usize).is_some_and(|inst| inst.count != 0)
    }

    /// Whether it does more than give registers values that follow from other registers, constants and the kernel's
    /// parameters: compilers move all else to where it need not be done.
    pub fn has_effects(&self, op: u32) -> bool {
        let Some(inst) = self.code.insts.get(op as usize) else { return false };
        match &inst.op {
            Op::Load(access) => access.place != Place::KernelParam,
            Op::Compute { .. } | Op::Lop3 { .. } | Op::Logic { .. } | Op::Rare(_) => false,
            Op::Compare { .. } | Op::ComparePair { .. } => false,
            Op::MovNarrow { .. } | Op::MovWide { .. } | Op::CountZero { .. } => false,
            Op::SelectNarrow { .. } | Op::SelectWide { .. } | Op::Convert { .. } => false,
            Op::Pack { .. } | Op::Unpack { .. } | Op::Special { .. } | Op::EnvReg { .. } => false,
            Op::FrameAddress { .. } | Op::Cvta { .. } | Op::Query(_) => false,
            Op::IsSpace { .. } | Op::IsType { .. } => false,
            _ => true,
        }
    }

    /// Whether only some of the lanes that come to it may take part.
    pub fn is_guarded(&self, op: u32) -> bool {
        self.code.insts.get(op as usize).is_some_and(|inst| inst.guard != Slot::TRUE)
    }

    /// Name of the function that an operation is of.
    pub fn function(&self, op: u32) -> &'a str {
        self.code.function_at(op).map_or("", |i| &self.code.funcs[i].name)
    }

    /// Operations of the function with this name; empty if it has no code.
    pub fn operations(&self, function: &str) -> Range<u32> {
        let found = self.code.funcs.iter().position(|f| f.name == function && f.has_body);
        found.and_then(|i| self.code.range(i)).unwrap_or(0..0)
    }

    /// Blocks of a function: operations that all lanes execute that come to the first one, as far as their guards
    /// let them and nothing faults. [`super::Probe::block`] names one of them, the first that does something.
    pub fn blocks(&self, function: &str) -> Vec<Range<u32>> {
        let all = self.operations(function);
        let Some(code) = FunctionCode::around(self.code, all.start).filter(|_| !all.is_empty())
        else {
            return Vec::new();
        };
        let starts = code.starts();
        let ends = starts.iter().skip(1).copied().chain([all.end]);
        starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
    }

    /// What is counted of blocks and branches ([`super::Events::COUNTS`]).
    pub fn counting(&self) -> Counting {
        Counting::of(self.code)
    }

    /// What is counted of warps and guards besides ([`super::Events::ISSUES`]).
    pub fn issues(&self) -> Issues {
        Issues::of(self.code, &self.counting())
    }

    /// Which loads and stores cost the same, and what is counted of that ([`super::Events::COSTS`]).
    pub fn costs(&self) -> Costs {
        Costs::new(self.program, self.code, &self.issues())
    }

    /// Registers of an operation.
    pub fn operands(&self, op: u32) -> Operands {
        let mut operands = Operands::default();
        let Some(inst) = self.code.insts.get(op as usize) else { return operands };
        if inst.guard != Slot::TRUE {
            operands.reads.extend(Register::of(inst.guard));
        }
        operands.all = each_slot(&inst.op, |access, slot| match access {
            Access::Use => operands.reads.extend(Register::of(slot)),
            Access::Def => operands.writes.extend(Register::of(slot)),
        });
        operands.all &= !matches!(inst.op, Op::Unsupported);
        operands
    }
}

/// What a probe may know of its launch.
#[derive(Clone, Copy)]
pub struct LaunchInfo<'a> {
    /// Name of the kernel.
    pub kernel: &'a str,
    /// How it is launched.
    pub config: &'a LaunchConfig<'a>,
    /// The code that runs.
    pub listing: Listing<'a>,
    /// Number of the worker that asks, below [`Self::workers`]; 0 for the launch itself.
    pub worker: usize,
    /// How many workers there are.
    pub workers: usize,
}
