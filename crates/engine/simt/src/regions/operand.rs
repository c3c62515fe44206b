//! Translates operands of warp code to operands of regions.

use crate::code::{Code, Events, Func, Inst, Mark, Op, Slot};
use std::collections::HashSet;
use texunit_alu::Temporaries;
use texunit_jit::region::Space;
use texunit_jit::{Predicate, Source, VReg};

/// Translates the operands of a function, and assigns access sites.
pub(super) struct Operands<'c> {
    code: &'c Code,
    /// Constants whose values depend on the kernel.
    patched: HashSet<Slot>,
    /// Whether the function is a kernel, whose call frame begins at the start of local memory.
    pub(super) is_entry: bool,
    /// Registers for intermediate values of operations.
    pub(super) temporaries: Temporaries,
    /// Number of access sites so far.
    pub(super) sites: u32,
}

/// A destination register.
pub(super) fn vreg(slot: Slot) -> VReg {
    if slot.is_predicate() {
        VReg::Predicate(slot.predicate_index() as u32)
    } else if slot.is_wide() {
        VReg::B64(slot.index() as u32)
    } else {
        VReg::B32(slot.index() as u32)
    }
}

/// A predicate operand, possibly negated.
pub(super) fn predicate(slot: Slot) -> Predicate {
    let i = slot.predicate_index() as u32;
    match (slot.is_constant(), slot.is_negated()) {
        (true, false) => Predicate::Always,
        (true, true) => Predicate::Never,
        (false, false) => Predicate::If(i),
        (false, true) => Predicate::Unless(i),
    }
}

impl<'c> Operands<'c> {
    /// Translates operands of a function of the code.
    pub(super) fn new(code: &'c Code, function: usize) -> Self {
        let func = code.funcs.get(function);
        let is_entry = func.is_some_and(|f| f.is_entry);
        let temporaries = func.map_or(Temporaries::default(), Func::temporaries);
        let patched = code.patches.iter().map(|patch| patch.slot).collect();
        Self { code, patched, is_entry, temporaries, sites: 0 }
    }

    /// An instruction of the code.
    pub(super) fn inst(&self, at: u32) -> Option<&'c Inst> {
        self.code.insts.get(at as usize)
    }

    /// A source operand; an absent operand is zero.
    pub(super) fn source(&self, slot: Slot) -> Source {
        if slot.is_none() {
            return Source::Literal(0);
        }
        let i = slot.index() as u32;
        let constant = |number: Option<u64>, row| match number {
            Some(number) if !self.patched.contains(&slot) => Source::Literal(number),
            _ => row,
        };
        let constants = &self.code.constants;
        match (slot.is_constant(), slot.is_wide()) {
            (false, false) => Source::B32(i),
            (false, true) => Source::B64(i),
            (true, false) => {
                let row = constants.narrow.get(slot.index());
                constant(row.map(|row| row[0].into()), Source::Constant(i))
            }
            (true, true) => {
                let row = constants.wide.get(slot.index());
                constant(row.map(|row| row[0]), Source::WideConstant(i))
            }
        }
    }

    /// A source operand that is not a predicate.
    pub(super) fn number(&self, slot: Slot) -> Option<Source> {
        (slot.is_none() || !slot.is_predicate()).then(|| self.source(slot))
    }

    /// The base of an address, if any.
    pub(super) fn base(&self, slot: Slot) -> Option<Option<Source>> {
        if slot.is_none() { Some(None) } else { self.number(slot).map(Some) }
    }

    /// Whether an observer is notified of the synchronisation at an instruction.
    pub(super) fn notifies(&self, at: u32) -> bool {
        let before = self.code.insts.get(..at as usize).unwrap_or_default();
        // Other uncounted operations may be between the mark and its instruction.
        let mut own = before.iter().rev().take_while(|inst| inst.count == 0);
        let tells = |mark: &Mark| mark.reports.intersects(Events::SYNCHRONIZATION);
        own.any(|inst| matches!(&inst.op, Op::Mark(mark) if tells(mark)))
    }

    /// The site number of an access: a new one for global accesses, 0 for others.
    pub(super) fn site(&mut self, space: Space) -> u32 {
        if space != Space::Global {
            return 0;
        }
        self.sites += 1;
        self.sites - 1
    }
}
