//! Which registers may be undefined before each operation of a function, for each thread by itself.

use super::arithmetic;
use super::operands::{reads, sinks, writes};
use crate::code::{Code, Inst, Op, Place, Slot};
use crate::flow::{each_successor, starts};
use std::ops::Range;

/// What a register may hold, as bits.
pub(super) type State = u8;
/// A copy of undefined memory.
const COPY: State = 1;
/// Something that was computed from it.
pub(super) const COMPUTED: State = 2;
/// Nobody has written it.
pub(super) const UNWRITTEN: State = 4;

/// Registers of a function times its blocks that are looked at one by one; where there are more, all may be undefined.
const MAX: usize = 1 << 25;
/// Passes over a function.
const ROUNDS: usize = 64;

/// Registers of a function as numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Files {
    pub(super) narrow: usize,
    pub(super) wide: usize,
    pub(super) predicates: usize,
}

impl Files {
    pub(super) fn len(self) -> usize {
        self.narrow + self.wide + self.predicates
    }

    /// The number of a register; `None`: it is none, or a constant.
    pub(super) fn number(self, slot: Slot) -> Option<usize> {
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

/// What is known of a function.
pub(super) struct States {
    files: Files,
    /// Number of its first instruction.
    first: u32,
    starts: Vec<usize>,
    /// Where each block begins; none: not looked at, all may be undefined.
    at_start: Vec<Vec<State>>,
}

impl States {
    pub(super) fn of(code: &Code, range: Range<u32>, files: Files) -> Self {
        let insts = &code.insts[range.start as usize..range.end as usize];
        let starts = starts(insts, range.start);
        let mut states = Self { files, first: range.start, at_start: Vec::new(), starts };
        if states.starts.len().saturating_mul(files.len()) <= MAX {
            states.at_start = vec![vec![0; files.len()]; states.starts.len()];
            states.at_start.first_mut().into_iter().for_each(|first| first.fill(UNWRITTEN));
            if !states.settle(code, insts) {
                states.at_start = Vec::new();
            }
        }
        states
    }

    fn block(&self, block: usize, len: usize) -> Range<usize> {
        self.starts[block]..self.starts.get(block + 1).copied().unwrap_or(len)
    }

    /// False: not in good time.
    fn settle(&mut self, code: &Code, insts: &[Inst]) -> bool {
        for _ in 0..ROUNDS {
            let mut changed = false;
            for block in 0..self.starts.len() {
                let range = self.block(block, insts.len());
                let mut state = self.at_start[block].clone();
                for inst in &insts[range.clone()] {
                    behind(code, self.files, inst, &mut state);
                }
                let last = range.end - 1;
                each_successor(&insts[last], self.first as usize + last, |pc| {
                    let at = pc.wrapping_sub(self.first) as usize;
                    if let Ok(to) = self.starts.binary_search(&at) {
                        for (to, &from) in self.at_start[to].iter_mut().zip(&state) {
                            changed |= *to | from != *to;
                            *to |= from;
                        }
                    }
                });
            }
            if !changed {
                return true;
            }
        }
        false
    }

    /// Calls `f` with each instruction, and what its registers may be before it.
    pub(super) fn each(&self, code: &Code, mut f: impl FnMut(u32, &Inst, &[State])) {
        let end = code.insts.len();
        let mut state = vec![COPY | UNWRITTEN; self.files.len()];
        for (block, &start) in self.starts.iter().enumerate() {
            if let Some(known) = self.at_start.get(block) {
                state.clone_from(known);
            }
            let stop = self.starts.get(block + 1).copied();
            for at in start.. {
                let op = self.first as usize + at;
                if stop.is_some_and(|stop| at >= stop) || op >= end {
                    break;
                }
                let inst = &code.insts[op];
                f(op as u32, inst, &state);
                if !self.at_start.is_empty() {
                    behind(code, self.files, inst, &mut state);
                }
            }
        }
    }
}

/// The state of a register; constants are defined.
pub(super) fn of(files: Files, state: &[State], slot: Slot) -> State {
    files.number(slot).map_or(0, |number| state[number])
}

/// A number in the code. Addresses of variables are numbers, too, which are not looked at.
pub(super) fn literal(code: &Code, slot: Slot) -> Option<u64> {
    if slot.is_none() || !slot.is_constant() || slot.is_predicate() {
        return None;
    }
    if slot.is_wide() {
        code.constants.wide.get(slot.index()).map(|row| row[0])
    } else {
        code.constants.narrow.get(slot.index()).map(|row| row[0].into())
    }
}

/// Whether a load brings what is always defined: parameters and constants.
pub(super) fn is_constant_load(op: &Op) -> bool {
    matches!(op, Op::Load(access) | Op::LoadQuad(access)
        if access.place == Place::KernelParam || access.constant)
}

/// What an instruction leaves in the registers that it writes.
fn result(code: &Code, files: Files, inst: &Inst, state: &[State]) -> State {
    let of = |slot: Slot| of(files, state, slot);
    let any = |slots: &[Slot]| slots.iter().fold(0, |all, &slot| all | of(slot));
    let computed = |all: State| if all == 0 { 0 } else { COMPUTED };
    let copied = |all: State| if all & UNWRITTEN != 0 { all & !UNWRITTEN | COPY } else { all };
    match &inst.op {
        Op::MovNarrow { a, .. } | Op::MovWide { a, .. } => copied(of(*a)),
        Op::Convert { a, .. } | Op::Cvta { a, .. } | Op::Unpack { a, .. } => copied(of(*a)),
        Op::Pack { parts, .. } => copied(any(parts)),
        Op::SelectNarrow { a, b, p, .. } | Op::SelectWide { a, b, p, .. } => {
            copied(of(*a) | of(*b)) | computed(of(*p))
        }
        Op::Shuffle(shuffle) => copied(of(shuffle.a)),
        Op::Matrix(matrix) => match matrix.action {
            crate::code::MatrixAction::Transpose => copied(any(&matrix.parts)),
            _ => COPY,
        },
        Op::Mma(mma) => computed(mma.sources.iter().fold(0, |all, slots| all | any(slots))),
        Op::Load(_) | Op::LoadQuad(_) => {
            if is_constant_load(&inst.op) {
                0
            } else {
                COPY
            }
        }
        Op::Atomic(atomic) if atomic.op == texunit_isa::AtomOp::Exch => COPY,
        // Filtered or not: texels are where they come from.
        Op::Call(_) | Op::Fetch(_) | Op::SurfaceLoad(_) => COPY,
        Op::Compute { row, s, .. } => {
            let amounts = amounts(code, row, s);
            let is_copy = arithmetic::is_copy(row, &amounts);
            if is_copy { copied(any(s)) } else { computed(any(s)) }
        }
        Op::Lop3 { .. }
        | Op::Rare(_)
        | Op::Compare { .. }
        | Op::ComparePair { .. }
        | Op::Logic { .. }
        | Op::IsSpace { .. }
        | Op::IsType { .. } => {
            let mut all = 0;
            reads(&inst.op, |slot| all |= of(slot));
            // Carries are not followed one by one.
            let carries = matches!(&inst.op, Op::Rare(rare) if matches!(rare.alu, texunit_alu::Alu::Carry(_)));
            computed(all) | if carries { COMPUTED } else { 0 }
        }
        _ => 0,
    }
}

/// Sources of a row that are no data, as far as they are numbers in the code; of `and` all.
fn amounts(code: &Code, row: &texunit_alu::Row, s: &[Slot; 4]) -> Vec<Option<u64>> {
    let data: &[usize] = match arithmetic::rule(row) {
        arithmetic::Rule::Moves(data) => data,
        _ => &[],
    };
    let others = s.iter().enumerate().filter(|(i, slot)| !data.contains(i) && !slot.is_none());
    others.map(|(_, &slot)| literal(code, slot)).collect()
}

/// What there is behind an instruction.
fn behind(code: &Code, files: Files, inst: &Inst, state: &mut [State]) {
    let result = result(code, files, inst, state);
    let whole = inst.guard == Slot::TRUE;
    // What has been told counts as defined from there on.
    sinks(inst, |sink, slot| {
        if (whole || matches!(sink, super::Sink::Guard | super::Sink::Branch))
            && let Some(number) = files.number(slot)
        {
            state[number] = 0;
        }
    });
    writes(&inst.op, |slot| {
        if let Some(number) = files.number(slot) {
            state[number] = if whole { result } else { state[number] | result };
        }
    });
}
