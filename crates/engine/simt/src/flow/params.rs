//! Which registers hold a parameter of the kernel, of 64 or of 32 bits: then all threads have the same there.

use super::visit::each_slot;
use super::{FunctionCode, Registers};
use crate::code::{Inst, Op, Place, Slot};
use texunit_flow::{Access, Cfg, forward};

/// The register holds another value, or an unknown one.
const OTHER: u32 = u32::MAX;

/// By register of 32 or 64 bits: the offset of the parameter that it holds.
#[derive(Clone, Debug)]
pub(crate) struct ParamValues {
    registers: Registers,
    offsets: Vec<u32>,
}

impl ParamValues {
    fn number(&self, slot: Slot) -> Option<usize> {
        self.registers.number(slot).filter(|&number| number < self.offsets.len())
    }

    /// The offset of the parameter that a register holds.
    pub(crate) fn get(&self, slot: Slot) -> Option<u32> {
        self.number(slot).map(|number| self.offsets[number]).filter(|&offset| offset != OTHER)
    }

    /// All registers that hold parameters, with the offsets of these.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Slot, u32)> {
        let slot = |i: usize| match i.checked_sub(self.registers.narrow) {
            Some(wide) => Slot::wide(wide as u32),
            None => Slot::narrow(i as u32),
        };
        let held = self.offsets.iter().enumerate().filter(|(_, offset)| **offset != OTHER);
        held.map(move |(i, &offset)| (slot(i), offset))
    }

    /// From what registers hold before an instruction to what they hold behind it.
    pub(crate) fn step(&mut self, inst: &Inst) {
        let (value, wide) = match &inst.op {
            Op::Load(of)
                if of.place == Place::KernelParam && of.base.is_none() && of.parts.len() == 1 =>
            {
                let whole = match of.size {
                    8 => of.mask == u64::MAX,
                    4 => of.mask as u32 == u32::MAX,
                    _ => false,
                };
                (u32::try_from(of.offset).ok().filter(|_| whole), of.size == 8)
            }
            Op::MovWide { a, .. } | Op::MovNarrow { a, .. } => (self.get(*a), a.is_wide()),
            _ => (None, false),
        };
        let is_known = each_slot(&inst.op, |access, slot| {
            let value = value.filter(|_| slot.is_wide() == wide).unwrap_or(OTHER);
            if access == Access::Def
                && let Some(number) = self.number(slot)
            {
                let held = &mut self.offsets[number];
                *held = if inst.guard == Slot::TRUE || *held == value { value } else { OTHER };
            }
        });
        if !is_known {
            self.offsets.fill(OTHER);
        }
    }

    /// Adds what registers hold on another path. Whether that changes anything.
    fn join(&mut self, other: &Self) -> bool {
        let mut changes = false;
        for (here, &there) in self.offsets.iter_mut().zip(&other.offsets) {
            if *here != there && *here != OTHER {
                (*here, changes) = (OTHER, true);
            }
        }
        changes
    }
}

/// What registers hold where each block begins.
pub(super) fn find(code: &FunctionCode<'_>, cfg: &Cfg) -> Option<Vec<Option<ParamValues>>> {
    let registers = code.registers;
    let unknown =
        ParamValues { registers, offsets: vec![OTHER; registers.narrow + registers.wide] };
    let step = |block, values: &mut ParamValues| {
        cfg.range(block).for_each(|i| values.step(&code.insts[i]));
    };
    forward(cfg, unknown, step, ParamValues::join)
}
