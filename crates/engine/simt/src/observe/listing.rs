//! The program's code as observers see it: numbered operations with their source locations and
//! registers.

use super::LaunchConfig;
use crate::code::{Code, MemSpace, Op, Slot, words};
use crate::flow::{FunctionCode, each_slot};
use crate::launch::Arithmetic;
use crate::lower::{Program, Unit};
use crate::marks::{BlockCounters, Costs, Issues};
use std::ops::Range;
use std::sync::Arc;
use texunit_check::sources::{SourcePlace, Sources};
use texunit_flow::Access;
use texunit_syntax::{SourceFile, Span};

/// The operations of a kernel and its possible callees, or of all functions of a program, with the
/// numbers that events use. A PTX instruction is one operation that counts and possibly some that
/// do not, which prepare operands or finish results.
#[derive(Clone, Copy)]
pub struct Listing<'a> {
    pub(super) program: &'a Program,
    pub(super) code: &'a Code,
}

/// A register of a function, or a constant in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Register {
    /// A register of up to 32 bits.
    Narrow(u32),
    /// A register of 64 bits.
    Wide(u32),
    /// A predicate register.
    Predicate(u32),
    /// A constant.
    Constant(Constant),
}

/// Identifies a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Constant(Slot);

impl Register {
    /// The register of an operand, without negation; `None` if there is no operand.
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

/// The registers of an operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Operands {
    /// Registers that it reads, beginning with the guard, if any.
    pub reads: Vec<Register>,
    /// Registers that it writes in the active lanes.
    pub writes: Vec<Register>,
    /// Whether the lists are complete. Operands of calls may be locations in a call frame, and
    /// shuffles read registers of other lanes.
    pub all: bool,
}

impl<'a> Listing<'a> {
    /// Lists all functions, lowered for the arithmetic of later launches. Events of launches with
    /// an observer from then on use these numbers.
    pub fn of(program: &'a Program, arithmetic: Arithmetic) -> Self {
        Self { program, code: program.code(arithmetic) }
    }

    /// Lists the code that a launch executes.
    pub(crate) fn of_unit(program: &'a Program, unit: &'a Unit) -> Self {
        Self { program, code: &unit.code }
    }

    /// Number of operations.
    pub fn len(&self) -> u32 {
        self.code.insts.len() as u32
    }

    /// Whether the code is empty.
    pub fn is_empty(&self) -> bool {
        self.code.insts.is_empty()
    }

    /// The PTX source that spans refer to.
    pub fn source(&self) -> &'a SourceFile {
        &self.program.source
    }

    /// Source locations of the instructions, from `.file` and `.loc`.
    pub fn sources(&self) -> &'a Arc<Sources> {
        self.program.sources()
    }

    /// Source span of the PTX instruction that an operation was lowered from.
    pub fn span(&self, op: u32) -> Span {
        self.code.insts.get(op as usize).map_or_else(Span::default, |inst| inst.span)
    }

    /// Location of that instruction in the PTX and in the source that it was compiled from.
    pub fn place(&self, op: u32) -> SourcePlace<'a> {
        self.program.place(self.span(op))
    }

    /// Opcode and modifiers of the PTX instruction, in order.
    pub fn words(&self, op: u32) -> impl Iterator<Item = &'a str> {
        words(self.source(), self.span(op))
    }

    /// Whether the code reads the workspace address of a cooperative grid (%envreg1 and %envreg2).
    pub fn asks_for_workspace(&self) -> bool {
        let asks = |op: &Op| matches!(op, Op::EnvReg { number: 1 | 2, .. });
        self.code.insts.iter().any(|inst| asks(&inst.op))
    }

    /// Whether an operation stands for a PTX instruction; helpers and inserted operations do not.
    pub fn counts(&self, op: u32) -> bool {
        self.code.insts.get(op as usize).is_some_and(|inst| inst.count != 0)
    }

    /// Whether an operation has an effect besides computing registers from registers, constants and
    /// kernel parameters. Compilers move operations without effects to where they need not be
    /// executed.
    pub fn has_effects(&self, op: u32) -> bool {
        let Some(inst) = self.code.insts.get(op as usize) else { return false };
        match &inst.op {
            Op::Load(access) => access.at.mem_space != MemSpace::KernelParam,
            Op::Compute { .. } | Op::Lop3 { .. } | Op::Logic { .. } | Op::Rare(_) => false,
            Op::Compare { .. } | Op::ComparePair { .. } => false,
            Op::Mov { .. } | Op::CountZero { .. } => false,
            Op::Select { .. } | Op::Special { .. } | Op::EnvReg { .. } => false,
            Op::FrameAddress { .. } | Op::Cvta { .. } | Op::Query(_) => false,
            Op::IsSpace { .. } => false,
            _ => true,
        }
    }

    /// Whether an operation has a guard.
    pub fn is_guarded(&self, op: u32) -> bool {
        self.code.insts.get(op as usize).is_some_and(|inst| inst.guard != Slot::TRUE)
    }

    /// Name of the function that contains an operation.
    pub fn function(&self, op: u32) -> &'a str {
        self.code.function_at(op).map_or("", |i| &self.code.funcs[i].name)
    }

    /// Range of operations of a function, by name; empty if it has no body.
    pub fn operations(&self, function: &str) -> Range<u32> {
        let found = self.code.funcs.iter().position(|f| f.name == function && f.has_body);
        found.and_then(|i| self.code.range(i)).unwrap_or(0..0)
    }

    /// Basic blocks of a function: operations that are executed by all lanes that reach the first
    /// one, apart from guards and faults. [`super::Probe::block`] is called for an operation of the
    /// block, the first one that has an effect.
    pub fn blocks(&self, function: &str) -> Vec<Range<u32>> {
        let all = self.operations(function);
        let code = FunctionCode::around(self.code, all.start).filter(|_| !all.is_empty());
        code.map_or_else(Vec::new, |code| code.blocks())
    }

    /// The counters of blocks and branches ([`super::Events::COUNTS`]).
    pub fn counting(&self) -> BlockCounters {
        BlockCounters::of(self.code)
    }

    /// The counters of issued instructions and guards ([`super::Events::ISSUES`]).
    pub fn issues(&self) -> Issues {
        Issues::of(self.code, &self.counting())
    }

    /// Groups of accesses with equal cost, and their counters ([`super::Events::COSTS`]).
    pub fn costs(&self) -> Costs {
        Costs::new(self.source(), self.code, &self.issues())
    }

    /// The registers of an operation.
    pub fn operands(&self, op: u32) -> Operands {
        let mut operands = Operands::default();
        let Some(inst) = self.code.insts.get(op as usize) else { return operands };
        if inst.guard != Slot::TRUE {
            operands.reads.extend(Register::of(inst.guard));
        }
        operands.all = each_slot(&inst.op, &mut |access, slot| match access {
            Access::Use => operands.reads.extend(Register::of(slot)),
            Access::Def => operands.writes.extend(Register::of(slot)),
        });
        operands.all &= !matches!(inst.op, Op::Unsupported);
        operands
    }
}

/// Description of a launch, as given to observers.
#[derive(Clone, Copy)]
pub struct LaunchInfo<'a> {
    /// Name of the kernel.
    pub kernel: &'a str,
    /// Configuration of the launch.
    pub config: &'a LaunchConfig<'a>,
    /// The code that is executed.
    pub listing: Listing<'a>,
    /// Number of the worker that requests a probe, below [`Self::workers`]; 0 for the launch
    /// itself.
    pub worker: usize,
    /// Number of workers.
    pub workers: usize,
}
