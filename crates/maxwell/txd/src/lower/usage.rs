//! Which components of a result are used: the others are not fetched.

use super::access::{destinations, each, is_pure, next, reads, writes};
use std::cell::Cell;
use std::collections::HashSet;
use texunit_check::ir::{Function, Instruction, Operand, RegId};
use texunit_isa::Opcode;

/// Instructions that are looked at for all results of a function together: some, and some for each
/// instruction, so that the time is linear in the length of the text. After that a result counts as
/// used if anything reads its register.
const STEPS: (usize, usize) = (10_000, 64);

/// The instructions of a function that do something, or that one of them needs.
pub(super) struct Usage<'a> {
    function: &'a Function,
    body: &'a [Instruction],
    /// Whether each instruction is needed.
    needed: Vec<bool>,
    /// Whether a needed instruction reads each register.
    wanted: Vec<bool>,
    /// An instruction is known by its name only: everything may be used.
    foreign: bool,
    left: Cell<usize>,
}

/// Halves of a register that are used; lower, upper.
pub(super) type Halves = [bool; 2];

impl<'a> Usage<'a> {
    pub(super) fn new(function: &'a Function) -> Self {
        let body = function.body.as_deref().unwrap_or_default();
        let mut usage = Self {
            function,
            body,
            needed: vec![false; body.len()],
            wanted: vec![false; function.regs.len()],
            foreign: body.iter().any(|i| destinations(i).is_none()),
            left: Cell::new(STEPS.0 + STEPS.1 * body.len()),
        };
        usage.mark();
        usage
    }

    /// Finds what is needed, from what does something backwards.
    fn mark(&mut self) {
        let (starts, writers) = self.writers();
        let mut new: Vec<RegId> = Vec::new();
        for (n, i) in self.body.iter().enumerate() {
            if !is_pure(i) {
                self.needed[n] = true;
                reads(i, &mut |reg| new.push(reg));
            }
        }
        new.extend(self.function.returns.iter().filter_map(|param| param.reg));
        while let Some(RegId(reg)) = new.pop() {
            let Some(wanted) = self.wanted.get_mut(reg as usize) else { continue };
            if std::mem::replace(wanted, true) {
                continue;
            }
            for &n in &writers[starts[reg as usize]..starts[reg as usize + 1]] {
                if !std::mem::replace(&mut self.needed[n], true) {
                    reads(&self.body[n], &mut |reg| new.push(reg));
                }
            }
        }
    }

    /// The instructions that write each register: where they begin in the list, and the list.
    fn writers(&self) -> (Vec<usize>, Vec<usize>) {
        let mut starts = vec![0; self.function.regs.len() + 2];
        let each_write = |f: &mut dyn FnMut(usize, usize)| {
            for (n, i) in self.body.iter().enumerate() {
                writes(i, &mut |RegId(reg)| f(n, reg as usize));
            }
        };
        each_write(&mut |_, reg| starts[reg + 2] += 1);
        for reg in 2..starts.len() {
            starts[reg] += starts[reg - 1];
        }
        let mut list = vec![0; starts.last().copied().unwrap_or(0)];
        each_write(&mut |n, reg| {
            list[starts[reg + 1]] = n;
            starts[reg + 1] += 1;
        });
        (starts, list)
    }

    /// Whether anything reads what instruction `at` leaves in a register, by halves.
    pub(super) fn of(&self, reg: RegId, at: usize) -> Halves {
        if self.foreign {
            return [true; 2];
        }
        if !self.wanted.get(reg.0 as usize).copied().unwrap_or(true) {
            return [false; 2];
        }
        let mut used = [false; 2];
        let mut seen = HashSet::new();
        let mut ways = vec![at + 1];
        self.after(at, &mut ways);
        while let Some(mut n) = ways.pop() {
            while n < self.body.len() && seen.insert(n) {
                if self.left.get() == 0 {
                    return [true; 2];
                }
                self.left.set(self.left.get() - 1);
                let i = &self.body[n];
                self.reads(n, reg, &mut used);
                if used == [true; 2] {
                    return used;
                }
                let mut written = false;
                writes(i, &mut |r| written |= r == reg);
                if written && i.guard.is_none() {
                    break;
                }
                self.after(n, &mut ways);
                if !next(i).falls {
                    break;
                }
                n += 1;
            }
        }
        used
    }

    /// Adds the places that an instruction jumps to.
    fn after(&self, n: usize, ways: &mut Vec<usize>) {
        let labels = next(&self.body[n]).labels.iter();
        ways.extend(labels.filter_map(|l| self.function.labels.get(l.0 as usize)).map(|l| l.1));
    }

    /// Adds the halves of a register that an instruction needs.
    fn reads(&self, n: usize, reg: RegId, used: &mut Halves) {
        let i = &self.body[n];
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
                each(part, &mut |r| *used |= self.wanted.get(r.0 as usize).is_none_or(|w| *w));
            }
            return;
        }
        reads(i, &mut |r| {
            if r == reg {
                *used = [true; 2];
            }
        });
    }
}
