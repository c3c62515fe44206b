//! Control-flow and data-flow analyses of warp code.
//!
//! [`FunctionCode`] implements the trait of crate `texunit_flow` for a function of warp code;
//! [`Flow`] gives the control-flow graph, liveness and known register values, all from the view of
//! a single thread.

mod parts;
mod values;
mod visit;

pub(crate) use parts::{Parts, PartsMut};
pub(crate) use visit::{each_part, each_part_mut, each_slot, each_slot_mut, reads, writes};

use crate::code::{Code, Func, Inst, Op, Slot};
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use texunit_flow::{Access, Cfg, Control, Liveness};
use values::Values;

/// Numbering of a function's registers: 32-bit ones first, then 64-bit ones, then predicates.
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

    /// The number of a register, or `None` for an absent operand or a constant.
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

/// The code of a function, with instructions numbered from 0.
#[derive(Clone, Copy)]
pub(crate) struct FunctionCode<'a> {
    pub(crate) insts: &'a [Inst],
    /// Index of the function's first instruction in the module's code.
    pub(crate) first: u32,
    pub(crate) registers: Registers,
    /// The module's code, for its constants.
    code: Option<&'a Code>,
}

impl<'a> FunctionCode<'a> {
    pub(crate) fn new(code: &'a Code, function: usize) -> Option<Self> {
        let Range { start, end } = code.range(function)?;
        let insts = code.insts.get(start as usize..end as usize)?;
        let registers = Registers::of(&code.funcs[function]);
        Some(Self { insts, first: start, registers, code: Some(code) })
    }

    /// The code of all functions that have instructions, with the functions' numbers.
    pub(crate) fn all(code: &'a Code) -> impl Iterator<Item = (usize, Self)> {
        let functions = (0..code.funcs.len()).filter_map(|n| Some((n, Self::new(code, n)?)));
        functions.filter(|(_, function)| !function.insts.is_empty())
    }

    /// A sequence of instructions for control-flow analysis alone, beginning with instruction
    /// number `first`; no operand counts as a register.
    pub(crate) fn without_registers(insts: &'a [Inst], first: u32) -> Self {
        let registers = Registers { narrow: 0, wide: 0, predicates: 0 };
        Self { insts, first, registers, code: None }
    }

    /// The 32-bit value of a constant operand that is equal in all kernels.
    fn number(&self, slot: Slot) -> Option<i32> {
        let code = self.code.filter(|_| slot.is_constant() && !slot.is_wide())?;
        let is_address = code.patches.iter().any(|patch| patch.slot == slot);
        let row = code.constants.narrow.get(slot.index()).filter(|_| !is_address)?;
        Some(row[0] as i32)
    }

    /// The range of the function's instructions in the module's code.
    pub(crate) fn range(&self) -> Range<u32> {
        self.first..self.first + self.insts.len() as u32
    }

    /// The function that contains an instruction.
    pub(crate) fn around(code: &'a Code, pc: u32) -> Option<Self> {
        Self::new(code, code.function_at(pc)?)
    }

    /// The instructions of each basic block, by their indices in the module's code.
    pub(crate) fn blocks(&self) -> Vec<Range<u32>> {
        let at = |inst: usize| self.first + inst as u32;
        Cfg::new(self).ranges().map(|range| at(range.start)..at(range.end)).collect()
    }

    /// The first instruction of each basic block.
    pub(crate) fn starts(&self) -> Vec<u32> {
        self.blocks().iter().map(|block| block.start).collect()
    }
}

impl texunit_flow::Code for FunctionCode<'_> {
    fn instructions(&self) -> usize {
        self.insts.len()
    }

    fn registers(&self) -> usize {
        self.registers.len()
    }

    /// For the threads that a guarded exit ends, the control-flow graph has no edge, because the
    /// remaining threads do not wait for them.
    fn control(&self, inst: usize, target: &mut dyn FnMut(usize)) -> Control {
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

    fn operands(&self, inst: usize, f: &mut dyn FnMut(u32, Access)) -> bool {
        let Inst { op, guard, .. } = &self.insts[inst];
        let mut register = |access, slot| {
            self.registers.number(slot).into_iter().for_each(|number| f(number as u32, access));
        };
        register(Access::Use, *guard);
        // A mark only refers to operands of the neighbouring instruction, so its operands are not
        // uses.
        each_slot(op, &mut register) && !matches!(op, Op::Mark(_))
    }

    fn is_guarded(&self, inst: usize) -> bool {
        self.insts[inst].guard != Slot::TRUE
    }
}

/// Results of the analyses of a function, without its instructions.
#[derive(Debug)]
pub(crate) struct Facts {
    pub(crate) cfg: Cfg,
    pub(crate) liveness: Liveness,
    /// Whether the threads of each warp are consecutive in x.
    in_line: bool,
    /// For each block: known register values at its start. Computed on demand.
    values: OnceLock<Option<Vec<Option<Values>>>>,
}

/// A function's code together with the results of its analyses.
pub(crate) struct Flow<'a> {
    pub(crate) code: FunctionCode<'a>,
    pub(crate) facts: Arc<Facts>,
}

impl<'a> Flow<'a> {
    /// Analyses a function. Returns `None` if the number of registers times that of blocks is above
    /// `limit`, or if loops are nested too deeply. `in_line`: the function is a kernel whose warps
    /// have threads that are consecutive in x.
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

    /// Combines a function's code with analysis results that were computed before.
    pub(crate) fn with(code: &'a Code, function: usize, facts: &Arc<Facts>) -> Option<Self> {
        Some(Self { code: FunctionCode::new(code, function)?, facts: Arc::clone(facts) })
    }

    /// The range of instructions of each block.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = Range<usize>> {
        self.facts.cfg.ranges()
    }

    /// Known register values before an instruction.
    pub(crate) fn values_at(&self, inst: usize) -> Option<Values> {
        let Facts { cfg, values, in_line, .. } = &*self.facts;
        let values = values.get_or_init(|| values::find(&self.code, cfg, *in_line));
        let block = cfg.block_of(inst);
        let mut held = values.as_ref()?[block as usize].clone()?;
        (cfg.range(block).start..inst).for_each(|i| held.step(&self.code, i));
        Some(held)
    }
}
