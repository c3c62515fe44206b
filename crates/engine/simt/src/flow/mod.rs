//! Control flow and data flow of warp code, by the analyses of crate `flow`: for each thread by itself.

mod values;
mod visit;

pub(crate) use visit::{each_slot, each_slot_mut, reads, writes};

use crate::code::{Code, Func, Inst, Op, Slot};
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use texunit_flow::{Access, Cfg, Control, Liveness};
use values::Values;

/// Registers of a function as numbers: of 32 bits, then of 64, then predicates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Registers {
    pub(crate) narrow: usize,
    pub(crate) wide: usize,
    pub(crate) predicates: usize,
}

impl Registers {
    pub(crate) fn of(func: &Func) -> Self {
        let [narrow, wide, predicates] =
            [func.narrow, func.wide, func.predicates].map(|n| n as usize);
        Self { narrow, wide, predicates }
    }

    pub(crate) fn len(self) -> usize {
        self.narrow + self.wide + self.predicates
    }

    /// The number of a register. `None`: the slot is no operand, or a constant.
    pub(crate) fn number(self, slot: Slot) -> Option<usize> {
        if slot.is_none() || slot.is_constant() {
            return None;
        }
        let number = if slot.is_predicate() {
            self.narrow + self.wide + slot.predicate_index()
        } else if slot.is_wide() {
            self.narrow + slot.index()
        } else {
            slot.index()
        };
        (number < self.len()).then_some(number)
    }
}

/// The code of a function. Instructions are numbered from its first one on.
#[derive(Clone, Copy)]
pub(crate) struct FunctionCode<'a> {
    pub(crate) insts: &'a [Inst],
    /// The number of the first instruction in all code.
    pub(crate) first: u32,
    pub(crate) registers: Registers,
    /// All code, for its constants.
    code: Option<&'a Code>,
}

impl<'a> FunctionCode<'a> {
    pub(crate) fn new(code: &'a Code, function: usize) -> Option<Self> {
        let Range { start, end } = code.range(function)?;
        let insts = code.insts.get(start as usize..end as usize)?;
        let registers = Registers::of(&code.funcs[function]);
        Some(Self { insts, first: start, registers, code: Some(code) })
    }

    /// Some instructions, the first of which has this number, for their control flow alone: no operand is a register.
    pub(crate) fn without_registers(insts: &'a [Inst], first: u32) -> Self {
        let registers = Registers { narrow: 0, wide: 0, predicates: 0 };
        Self { insts, first, registers, code: None }
    }

    /// The number of 32 bits that an operand is in all kernels.
    fn number(&self, slot: Slot) -> Option<i32> {
        let code = self.code.filter(|_| slot.is_constant() && !slot.is_wide())?;
        let is_address = code.patches.iter().any(|patch| patch.slot == slot);
        let row = code.constants.narrow.get(slot.index()).filter(|_| !is_address)?;
        Some(row[0] as i32)
    }

    /// The code of the function that an instruction is in.
    pub(crate) fn around(code: &'a Code, pc: u32) -> Option<Self> {
        Self::new(code, code.function_at(pc)?)
    }

    /// The first instructions of blocks, by their numbers in all code.
    pub(crate) fn starts(&self) -> Vec<u32> {
        let cfg = Cfg::new(self);
        cfg.ranges().map(|range| self.first + range.start as u32).collect()
    }
}

impl texunit_flow::Code for FunctionCode<'_> {
    fn instructions(&self) -> usize {
        self.insts.len()
    }

    fn registers(&self) -> usize {
        self.registers.len()
    }

    /// Threads that an exit under a guard ends go nowhere: those that are left do not wait for them.
    fn control(&self, inst: usize, mut target: impl FnMut(usize)) -> Control {
        let mut to = |pc: &u32| target(pc.wrapping_sub(self.first) as usize);
        let is_guarded = self.is_guarded(inst);
        match &self.insts[inst].op {
            Op::Branch { target, .. } => to(target),
            Op::BranchIndexed { targets, .. } => targets.iter().for_each(to),
            Op::Exit if is_guarded => {}
            Op::Trap if is_guarded => return Control::Next,
            Op::Exit | Op::Return | Op::Trap => target(self.insts.len()),
            _ => return Control::Next,
        }
        if is_guarded { Control::Branch } else { Control::Jump }
    }

    fn operands(&self, inst: usize, mut f: impl FnMut(u32, Access)) -> bool {
        let Inst { op, guard, .. } = &self.insts[inst];
        let mut register = |access, slot| {
            self.registers.number(slot).into_iter().for_each(|number| f(number as u32, access));
        };
        register(Access::Use, *guard);
        // A mark tells what the instruction beside it reads or has written.
        each_slot(op, register) && !matches!(op, Op::Mark(_))
    }

    fn is_guarded(&self, inst: usize) -> bool {
        self.insts[inst].guard != Slot::TRUE
    }
}

/// What is known of a function, without its instructions.
#[derive(Debug)]
pub(crate) struct Facts {
    pub(crate) cfg: Cfg,
    pub(crate) liveness: Liveness,
    /// Whether the threads of a warp are beside each other in x.
    in_line: bool,
    /// By block: values of registers where it begins. Found out when somebody asks.
    values: OnceLock<Option<Vec<Option<Values>>>>,
}

/// The flow of a function.
pub(crate) struct Flow<'a> {
    pub(crate) code: FunctionCode<'a>,
    pub(crate) facts: Arc<Facts>,
}

impl<'a> Flow<'a> {
    /// None: registers times blocks are more than `limit`, or loops are too deep. `in_line`: it is a kernel of blocks whose
    /// warps have threads beside each other in x.
    pub(crate) fn of(code: &'a Code, function: usize, limit: usize, in_line: bool) -> Option<Self> {
        let code = FunctionCode::new(code, function)?;
        let cfg = Cfg::new(&code);
        if (cfg.exit() as usize).saturating_mul(code.registers.len()) > limit {
            return None;
        }
        let liveness = Liveness::new(&code, &cfg, usize::MAX);
        if !liveness.is_known() {
            return None;
        }
        let facts = Facts { cfg, liveness, in_line, values: OnceLock::new() };
        Some(Self { code, facts: Arc::new(facts) })
    }

    /// The flow of a function of which these facts have been found out.
    pub(crate) fn with(code: &'a Code, function: usize, facts: &Arc<Facts>) -> Option<Self> {
        Some(Self { code: FunctionCode::new(code, function)?, facts: Arc::clone(facts) })
    }

    /// Instructions of the blocks.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = Range<usize>> {
        self.facts.cfg.ranges()
    }

    /// Values of registers before an instruction.
    pub(crate) fn values_at(&self, inst: usize) -> Option<Values> {
        let Facts { cfg, values, in_line, .. } = &*self.facts;
        let values = values.get_or_init(|| values::find(&self.code, cfg, *in_line));
        let block = cfg.block_of(inst);
        let mut held = values.as_ref()?[block as usize].clone()?;
        (cfg.range(block).start..inst).for_each(|i| held.step(&self.code, i));
        Some(held)
    }
}
