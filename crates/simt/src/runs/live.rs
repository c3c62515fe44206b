//! Which registers are read behind a run: only those need to be stored.
//!
//! Backward data flow over the instructions of a function, for each thread by itself. What is not
//! known to read certain registers is taken to read all of them.

use super::Run;
use super::visit::{each_read, each_successor, each_write, starts};
use crate::code::{Code, Inst, Op, Slot};
use std::collections::HashMap;
use texunit_jit::Place;

/// Bits that the sets of a function may have together; in larger functions all registers are kept.
const MOST: usize = 1 << 25;
/// Passes over a function: loops need as many as they are deep, and a few more.
const ROUNDS: usize = 32;

/// Registers of a function as numbers.
#[derive(Clone, Copy)]
struct Numbers {
    narrow: usize,
    wide: usize,
    all: usize,
}

impl Numbers {
    fn of(&self, slot: Slot) -> Option<usize> {
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

    fn place(&self, number: usize) -> Place {
        if number < self.narrow {
            Place::Narrow(number as u32)
        } else if number < self.narrow + self.wide {
            Place::Wide((number - self.narrow) as u32)
        } else {
            Place::Predicate((number - self.narrow - self.wide) as u32)
        }
    }
}

/// A set of registers.
#[derive(Clone, PartialEq, Eq)]
struct Set(Vec<u64>);

impl Set {
    fn new(registers: usize) -> Self {
        Self(vec![0; registers.div_ceil(64)])
    }

    fn put(&mut self, i: usize, is: bool) {
        let bit = 1 << (i % 64);
        let word = &mut self.0[i / 64];
        *word = if is { *word | bit } else { *word & !bit };
    }

    fn add(&mut self, other: &Set) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    fn has(&self, i: usize) -> bool {
        self.0[i / 64] >> (i % 64) & 1 == 1
    }
}

/// What is read behind each run of a function.
#[derive(Debug)]
pub(super) struct Live {
    /// Registers that a run writes and something behind it reads, by its first instruction. None: nothing
    /// is known.
    kept: Option<HashMap<u32, Vec<Place>>>,
}

impl Live {
    pub(super) fn of(code: &Code, function: usize) -> Self {
        Self { kept: Flow::new(code, function).and_then(Flow::kept) }
    }

    /// Registers that something behind a run may read, of those that it writes.
    pub(super) fn kept(&self, run: &Run) -> Option<&[Place]> {
        Some(self.kept.as_ref()?.get(&run.first)?)
    }
}

/// The flow of a function.
struct Flow<'a> {
    insts: &'a [Inst],
    /// The number of the first instruction.
    first: u32,
    numbers: Numbers,
    /// First instructions of blocks.
    starts: Vec<usize>,
    /// What is live where each block begins.
    live: Vec<Set>,
}

impl<'a> Flow<'a> {
    /// None: the function is too large.
    fn new(code: &'a Code, function: usize) -> Option<Self> {
        let f = &code.funcs[function];
        let next = code.funcs.get(function + 1).map_or(code.insts.len(), |f| f.entry as usize);
        let insts = code.insts.get(f.entry as usize..next)?;
        let [narrow, wide, predicates] = [f.narrow, f.wide, f.predicates].map(|n| n as usize);
        let numbers = Numbers { narrow, wide, all: narrow + wide + predicates };
        let starts = starts(insts, f.entry);
        if starts.len().saturating_mul(numbers.all) > MOST {
            return None;
        }
        let live = vec![Set::new(numbers.all); starts.len()];
        Some(Self { insts, first: f.entry, numbers, starts, live })
    }

    fn end(&self, block: usize) -> usize {
        self.starts.get(block + 1).copied().unwrap_or(self.insts.len())
    }

    /// What is live behind a block.
    fn at_end(&self, block: usize) -> Set {
        let mut live = Set::new(self.numbers.all);
        let last = self.end(block) - 1;
        each_successor(&self.insts[last], self.first as usize + last, |pc| {
            let to = self.starts.binary_search(&(pc.wrapping_sub(self.first) as usize));
            if let Ok(to) = to {
                live.add(&self.live[to]);
            }
        });
        live
    }

    /// Takes an instruction back.
    fn before(&self, inst: &Inst, live: &mut Set) {
        if inst.guard == Slot::TRUE {
            each_write(&inst.op, |slot| {
                self.numbers.of(slot).into_iter().for_each(|i| live.put(i, false));
            });
        }
        let mut read = |slot| self.numbers.of(slot).into_iter().for_each(|i| live.put(i, true));
        read(inst.guard);
        if !each_read(&inst.op, read) {
            (0..self.numbers.all).for_each(|i| live.put(i, true));
        }
    }

    /// Finds what is live where each block begins. False: not in good time.
    fn settle(&mut self) -> bool {
        for _ in 0..ROUNDS {
            let mut changed = false;
            for block in (0..self.starts.len()).rev() {
                let mut live = self.at_end(block);
                for i in (self.starts[block]..self.end(block)).rev() {
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

    /// What each run writes that is read behind it.
    fn kept(mut self) -> Option<HashMap<u32, Vec<Place>>> {
        if !self.settle() {
            return None;
        }
        // First instructions of runs, by where they end. No run goes past the end of a block.
        let runs: HashMap<usize, usize> = (0..)
            .zip(self.insts)
            .filter_map(|(i, inst)| match inst.op {
                Op::Run { length, .. } => Some((i + 1 + length as usize, i + 1)),
                _ => None,
            })
            .collect();
        let mut kept = HashMap::new();
        for block in 0..self.starts.len() {
            let mut live = self.at_end(block);
            for end in (self.starts[block] + 1..=self.end(block)).rev() {
                if let Some(&first) = runs.get(&end) {
                    let places = self.written(first..end, &live);
                    kept.insert(self.first + first as u32, places);
                }
                self.before(&self.insts[end - 1], &mut live);
            }
        }
        Some(kept)
    }

    /// The registers that instructions write, of those that are live.
    fn written(&self, run: std::ops::Range<usize>, live: &Set) -> Vec<Place> {
        let mut places = Vec::new();
        for inst in &self.insts[run] {
            each_write(&inst.op, |slot| {
                let number = self.numbers.of(slot).filter(|&i| live.has(i));
                places.extend(number.map(|i| self.numbers.place(i)));
            });
        }
        places
    }
}
