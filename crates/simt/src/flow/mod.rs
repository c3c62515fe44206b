//! What is read behind an instruction: backward data flow over the instructions of a function, for each
//! thread by itself. What is not known to read certain registers is taken to read all of them.

mod visit;

pub(crate) use visit::{Use, each_slot, each_slot_mut, starts};

use crate::bits::Set;
use crate::code::{Code, Inst, Slot};
use std::ops::Range;
use visit::each_successor;

/// Passes over a function: loops need as many as they are deep, and a few more.
const ROUNDS: usize = 32;

/// Registers of a function as numbers.
#[derive(Clone, Copy)]
pub(crate) struct Numbers {
    pub(crate) narrow: usize,
    pub(crate) wide: usize,
    /// Predicates too.
    pub(crate) all: usize,
}

impl Numbers {
    pub(crate) fn of(&self, slot: Slot) -> Option<usize> {
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
        (number < self.all).then_some(number)
    }
}

/// The flow of a function.
pub(crate) struct Flow<'a> {
    pub(crate) insts: &'a [Inst],
    /// The number of the first instruction.
    pub(crate) first: u32,
    pub(crate) numbers: Numbers,
    /// First instructions of blocks.
    starts: Vec<usize>,
    /// What is live where each block begins.
    live: Vec<Set>,
}

impl<'a> Flow<'a> {
    /// None: registers times blocks are more than `most`, or loops are too deep.
    pub(crate) fn of(code: &'a Code, function: usize, most: usize) -> Option<Self> {
        let f = &code.funcs[function];
        let next = code.funcs.get(function + 1).map_or(code.insts.len(), |f| f.entry as usize);
        let insts = code.insts.get(f.entry as usize..next)?;
        let [narrow, wide, predicates] = [f.narrow, f.wide, f.predicates].map(|n| n as usize);
        let numbers = Numbers { narrow, wide, all: narrow + wide + predicates };
        let starts = starts(insts, f.entry);
        if starts.len().saturating_mul(numbers.all) > most {
            return None;
        }
        let live = vec![Set::new(numbers.all); starts.len()];
        let mut flow = Self { insts, first: f.entry, numbers, starts, live };
        flow.settle().then_some(flow)
    }

    /// Instructions of the blocks.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = Range<usize>> {
        (0..self.starts.len()).map(|block| self.block(block))
    }

    fn block(&self, block: usize) -> Range<usize> {
        self.starts[block]..self.starts.get(block + 1).copied().unwrap_or(self.insts.len())
    }

    /// What is live where a block begins.
    pub(crate) fn at_start(&self, block: usize) -> &Set {
        &self.live[block]
    }

    /// What is live behind a block.
    pub(crate) fn at_end(&self, block: usize) -> Set {
        let mut live = Set::new(self.numbers.all);
        let last = self.block(block).end - 1;
        each_successor(&self.insts[last], self.first as usize + last, |pc| {
            let to = self.starts.binary_search(&(pc.wrapping_sub(self.first) as usize));
            if let Ok(to) = to {
                live.add(&self.live[to]);
            }
        });
        live
    }

    /// Takes an instruction back.
    pub(crate) fn before(&self, inst: &Inst, live: &mut Set) {
        let mut mark = |slot: &Slot, is| {
            self.numbers.of(*slot).into_iter().for_each(|i| live.put(i, is));
        };
        // What is read is live, whether it is written too or not.
        let mut marked = |marks: Use| {
            each_slot(&inst.op, |does, slot| {
                if does == marks {
                    mark(slot, marks == Use::Reads);
                }
            })
        };
        if inst.guard == Slot::TRUE {
            marked(Use::Writes);
        }
        let is_known = marked(Use::Reads);
        mark(&inst.guard, true);
        if !is_known {
            (0..self.numbers.all).for_each(|i| live.put(i, true));
        }
    }

    /// Finds what is live where each block begins. False: not in good time.
    fn settle(&mut self) -> bool {
        for _ in 0..ROUNDS {
            let mut changed = false;
            for block in (0..self.starts.len()).rev() {
                let mut live = self.at_end(block);
                for i in self.block(block).rev() {
                    self.before(&self.insts[i], &mut live);
                }
                if live != self.live[block] {
                    self.live[block] = live;
                    changed = true;
                }
            }
            if !changed {
                return true;
            }
        }
        false
    }
}
