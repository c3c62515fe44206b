//! What is read behind an instruction: backward data flow over the instructions of a function, for each
//! thread by itself. What is not known to read certain registers is taken to read all of them.

mod params;
mod visit;

use params::Held;
pub(crate) use visit::{Use, each_slot, each_slot_mut, each_successor, starts};

use crate::bits::Set;
use crate::code::{Code, Inst, Op, Slot};
use params::Params;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Passes over a function: loops need as many as they are deep, and a few more.
const ROUNDS: usize = 32;

/// Registers of a function as numbers.
#[derive(Clone, Copy, Debug)]
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

/// What is live in a function, without its instructions.
#[derive(Debug)]
pub(crate) struct Facts {
    numbers: Numbers,
    /// First instructions of blocks.
    starts: Vec<usize>,
    /// What is live where each block begins.
    live: Vec<Set>,
    /// Registers with parameters there: found out when somebody asks.
    params: OnceLock<Params>,
}

/// The flow of a function.
pub(crate) struct Flow<'a> {
    pub(crate) insts: &'a [Inst],
    /// The number of the first instruction.
    pub(crate) first: u32,
    pub(crate) numbers: Numbers,
    facts: Arc<Facts>,
}

/// The number of the first instruction of a function, and all of them.
fn instructions(code: &Code, function: usize) -> Option<(u32, &[Inst])> {
    let entry = code.funcs.get(function)?.entry;
    let next = code.funcs.get(function + 1).map_or(code.insts.len(), |f| f.entry as usize);
    Some((entry, code.insts.get(entry as usize..next)?))
}

impl<'a> Flow<'a> {
    /// None: registers times blocks are more than `most`, or loops are too deep.
    pub(crate) fn of(code: &'a Code, function: usize, most: usize) -> Option<Self> {
        let f = &code.funcs[function];
        let (first, insts) = instructions(code, function)?;
        let [narrow, wide, predicates] = [f.narrow, f.wide, f.predicates].map(|n| n as usize);
        let numbers = Numbers { narrow, wide, all: narrow + wide + predicates };
        let starts = starts(insts, f.entry);
        if starts.len().saturating_mul(numbers.all) > most {
            return None;
        }
        let live = vec![Set::new(numbers.all); starts.len()];
        let mut facts = Facts { numbers, starts, live, params: OnceLock::new() };
        facts.settle(first, insts).then(|| Self { insts, first, numbers, facts: Arc::new(facts) })
    }

    /// The flow of a function of which this has been found out.
    pub(crate) fn with(code: &'a Code, function: usize, facts: &Arc<Facts>) -> Option<Self> {
        let (first, insts) = instructions(code, function)?;
        Some(Self { insts, first, numbers: facts.numbers, facts: Arc::clone(facts) })
    }

    /// What has been found out.
    pub(crate) fn facts(&self) -> Arc<Facts> {
        Arc::clone(&self.facts)
    }

    /// Instructions of the blocks.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = Range<usize>> {
        let len = self.insts.len();
        (0..self.facts.starts.len()).map(move |block| self.facts.block(block, len))
    }

    /// The block that an instruction is in.
    pub(crate) fn block_of(&self, inst: usize) -> usize {
        self.facts.starts.partition_point(|&start| start <= inst).saturating_sub(1)
    }

    /// Instructions of a block.
    pub(crate) fn block(&self, block: usize) -> Range<usize> {
        self.facts.block(block, self.insts.len())
    }

    /// Registers that have parameters before an instruction.
    pub(crate) fn params_at(&self, inst: usize) -> Option<Held> {
        let find = || Params::of(&self.facts, self.numbers, self.first, self.insts);
        let block = self.block_of(inst);
        let mut held = self.facts.params.get_or_init(find).at_start(block)?.clone();
        (self.block(block).start..inst).for_each(|i| held.behind(&self.insts[i]));
        Some(held)
    }

    /// What is live where a block begins.
    pub(crate) fn at_start(&self, block: usize) -> &Set {
        &self.facts.live[block]
    }

    /// What is live behind a block.
    pub(crate) fn at_end(&self, block: usize) -> Set {
        self.facts.at_end(block, self.first, self.insts)
    }

    /// Takes an instruction back.
    pub(crate) fn before(&self, inst: &Inst, live: &mut Set) {
        self.facts.before(inst, live);
    }
}

impl Facts {
    fn block(&self, block: usize, len: usize) -> Range<usize> {
        self.starts[block]..self.starts.get(block + 1).copied().unwrap_or(len)
    }

    fn at_end(&self, block: usize, first: u32, insts: &[Inst]) -> Set {
        let mut live = Set::new(self.numbers.all);
        let last = self.block(block, insts.len()).end - 1;
        each_successor(&insts[last], first as usize + last, |pc| {
            let to = self.starts.binary_search(&(pc.wrapping_sub(first) as usize));
            if let Ok(to) = to {
                live.add(&self.live[to]);
            }
        });
        live
    }

    fn before(&self, inst: &Inst, live: &mut Set) {
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
        // A mark tells what the instruction beside it reads or has written.
        let is_known = marked(Use::Reads) && !matches!(inst.op, Op::Mark(_));
        mark(&inst.guard, true);
        if !is_known {
            (0..self.numbers.all).for_each(|i| live.put(i, true));
        }
    }

    /// Finds what is live where each block begins. False: not in good time.
    fn settle(&mut self, first: u32, insts: &[Inst]) -> bool {
        for _ in 0..ROUNDS {
            let mut changed = false;
            for block in (0..self.starts.len()).rev() {
                let mut live = self.at_end(block, first, insts);
                for i in self.block(block, insts.len()).rev() {
                    self.before(&insts[i], &mut live);
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
