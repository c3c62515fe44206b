//! Determines which components of a fetch's result are used; others are not fetched.

use super::flow::{Flow, is_pure};
use std::cell::Cell;
use std::ops::ControlFlow;
use texunit_check::ir::{Operand, RegId};
use texunit_flow::{Access, Code, reached_uses};
use texunit_isa::Opcode;

/// Limit on the instructions examined for all results of a function: a constant, and a number per
/// instruction, so that the time is linear. Beyond the limit, a result counts as used if any
/// instruction reads its register.
const STEPS: (usize, usize) = (10_000, 64);

/// The live instructions of a function. An instruction is live if it has side effects, or a live
/// instruction needs its result.
pub(super) struct Usage<'a> {
    flow: &'a Flow<'a>,
    /// For each instruction, whether it is live.
    needed: Vec<bool>,
    /// For each register, whether a live instruction or the caller reads it.
    wanted: Vec<bool>,
    /// Whether the function has unknown instructions, which might use every register.
    foreign: bool,
    left: Cell<usize>,
}

/// Whether the lower and the upper half of a 64-bit register are used.
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

    /// Marks the live instructions, backwards from those with side effects.
    fn mark(&mut self) {
        let Flow { code, definitions, .. } = self.flow;
        let mut new: Vec<u32> = Vec::new();
        let read = |at: usize, new: &mut Vec<u32>| {
            code.operands(at, &mut |reg, access| {
                new.extend((access == Access::Use).then_some(reg))
            });
        };
        for (at, i) in code.body.iter().enumerate() {
            if !is_pure(i) {
                self.needed[at] = true;
                read(at, &mut new);
            }
        }
        code.results(&mut |reg| new.push(reg));
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

    /// The used halves of the value that instruction `at` writes to a register.
    pub(super) fn of(&self, reg: RegId, at: usize) -> Halves {
        if self.foreign {
            return [true; 2];
        }
        if !self.wanted.get(reg.0 as usize).copied().unwrap_or(true) {
            return [false; 2];
        }
        let code = &self.flow.code;
        let (mut used, mut left) = ([false; 2], self.left.get());
        code.results(&mut |result| used = [used[0] || result == reg.0; 2]);
        let flow = reached_uses(code, (reg.0, at), &mut left, &mut |read| {
            self.reads(read, reg, &mut used);
            if used == [true; 2] { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        self.left.set(left);
        if flow.is_break() { [true; 2] } else { used }
    }

    /// Adds the halves of a register that a live instruction reads.
    fn reads(&self, n: usize, reg: RegId, used: &mut Halves) {
        let i = &self.flow.code.body[n];
        if !self.needed[n] {
            return;
        }
        // An instruction that unpacks a pair uses only the halves whose destinations are read.
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
