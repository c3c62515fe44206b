//! Which components of a result are used: the others are not fetched.

use super::flow::{Flow, is_pure};
use std::cell::Cell;
use std::ops::ControlFlow;
use texunit_check::ir::{Operand, RegId};
use texunit_flow::{Access, Code, reached_uses};
use texunit_isa::Opcode;

/// Instructions that are looked at for all results of a function together: some, and some for each
/// instruction, so that the time is linear in the length of the text. After that a result counts as
/// used if anything reads its register.
const STEPS: (usize, usize) = (10_000, 64);

/// The instructions of a function that do something, or that one of them needs.
pub(super) struct Usage<'a> {
    flow: &'a Flow<'a>,
    /// Whether each instruction is needed.
    needed: Vec<bool>,
    /// Whether a needed instruction, or the caller, reads each register.
    wanted: Vec<bool>,
    /// An instruction is known by its name only: everything may be used.
    foreign: bool,
    left: Cell<usize>,
}

/// Halves of a register that are used; lower, upper.
pub(super) type Halves = [bool; 2];

impl<'a> Usage<'a> {
    pub(super) fn new(flow: &'a Flow<'a>) -> Self {
        let body = flow.code.body;
        let mut usage = Self {
            flow,
            needed: vec![false; body.len()],
            wanted: vec![false; flow.code.registers()],
            foreign: !body.iter().all(|i| i.is_known()),
            left: Cell::new(STEPS.0 + STEPS.1 * body.len()),
        };
        usage.mark();
        usage
    }

    /// Finds what is needed, from what does something backwards.
    fn mark(&mut self) {
        let Flow { code, definitions, .. } = self.flow;
        let mut new: Vec<u32> = Vec::new();
        let read = |at: usize, new: &mut Vec<u32>| {
            code.operands(at, |reg, access| new.extend((access == Access::Use).then_some(reg)));
        };
        for (at, i) in code.body.iter().enumerate() {
            if !is_pure(i) {
                self.needed[at] = true;
                read(at, &mut new);
            }
        }
        code.results(|reg| new.push(reg));
        while let Some(reg) = new.pop() {
            if std::mem::replace(&mut self.wanted[reg as usize], true) {
                continue;
            }
            for &at in definitions.of(reg) {
                if !std::mem::replace(&mut self.needed[at as usize], true) {
                    read(at as usize, &mut new);
                }
            }
        }
    }

    /// Whether anything reads what instruction `at` leaves in a register, by halves.
    pub(super) fn of(&self, reg: RegId, at: usize) -> Halves {
        if self.foreign {
            return [true; 2];
        }
        if !self.wanted.get(reg.0 as usize).copied().unwrap_or(true) {
            return [false; 2];
        }
        let code = &self.flow.code;
        let (mut used, mut left) = ([false; 2], self.left.get());
        code.results(|result| used = [used[0] || result == reg.0; 2]);
        let flow = reached_uses(code, (reg.0, at), &mut left, |read| {
            self.reads(read, reg, &mut used);
            if used == [true; 2] { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        self.left.set(left);
        if flow.is_break() { [true; 2] } else { used }
    }

    /// Adds the halves of a register that an instruction needs.
    fn reads(&self, n: usize, reg: RegId, used: &mut Halves) {
        let i = &self.flow.code.body[n];
        if !self.needed[n] {
            return;
        }
        // A pair that is taken apart.
        if let (Opcode::Mov, [Operand::Vector(parts), Operand::Reg(pair)]) =
            (i.opcode, i.operands.as_slice())
            && *pair == reg
            && parts.len() == 2
        {
            for (used, part) in used.iter_mut().zip(parts) {
                part.each_register(&mut |r| *used |= self.wanted[r.0 as usize]);
            }
            return;
        }
        *used = [true; 2];
    }
}
