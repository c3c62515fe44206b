//! Which registers are read behind a run: only those need to be stored.

use super::Run;
use crate::bits::Set;
use crate::code::{Code, Op};
use crate::flow::{Flow, Numbers, Use, each_slot};
use std::collections::HashMap;
use std::ops::Range;
use texunit_jit::Place;

/// Registers times blocks of a function up to which it is looked at: bits of the sets.
const MOST: usize = 1 << 25;

/// What is read behind each run of a function.
#[derive(Debug)]
pub(super) struct Live {
    /// Registers that a run writes and something behind it reads, by its first instruction. None: nothing
    /// is known.
    kept: Option<HashMap<u32, Vec<Place>>>,
}

impl Live {
    pub(super) fn of(code: &Code, function: usize) -> Self {
        Self { kept: Flow::of(code, function, MOST).as_ref().map(kept) }
    }

    /// Registers that something behind a run may read, of those that it writes.
    pub(super) fn kept(&self, run: &Run) -> Option<&[Place]> {
        Some(self.kept.as_ref()?.get(&run.first)?)
    }
}

/// What each run writes that is read behind it.
fn kept(flow: &Flow<'_>) -> HashMap<u32, Vec<Place>> {
    // First instructions of runs, by where they end. No run goes past the end of a block.
    let runs: HashMap<usize, usize> = (0..)
        .zip(flow.insts)
        .filter_map(|(i, inst)| match inst.op {
            Op::Run { length, .. } => Some((i + 1 + length as usize, i + 1)),
            _ => None,
        })
        .collect();
    let mut kept = HashMap::new();
    for (block, insts) in flow.blocks().enumerate() {
        let mut live = flow.at_end(block);
        for end in (insts.start + 1..=insts.end).rev() {
            if let Some(&first) = runs.get(&end) {
                let places = written(flow, first..end, &live);
                kept.insert(flow.first + first as u32, places);
            }
            flow.before(&flow.insts[end - 1], &mut live);
        }
    }
    kept
}

/// The registers that instructions write, of those that are live.
fn written(flow: &Flow<'_>, run: Range<usize>, live: &Set) -> Vec<Place> {
    let mut places = Vec::new();
    for inst in &flow.insts[run] {
        each_slot(&inst.op, |does, slot| {
            let number = flow.numbers.of(*slot).filter(|&i| does == Use::Writes && live.has(i));
            places.extend(number.map(|i| place(&flow.numbers, i)));
        });
    }
    places
}

fn place(numbers: &Numbers, number: usize) -> Place {
    let Numbers { narrow, wide, .. } = *numbers;
    if number < narrow {
        Place::Narrow(number as u32)
    } else if number < narrow + wide {
        Place::Wide((number - narrow) as u32)
    } else {
        Place::Predicate((number - narrow - wide) as u32)
    }
}
