//! How long each register of a block is needed.

use crate::block::{Block, Place};
use std::collections::{HashMap, HashSet};

/// What happens to a register behind a step that mentions it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// Nothing reads this value any more.
    Dropped(Place),
    /// Only what is behind the block reads it.
    Settled(Place),
}

/// Uses of the registers of a block.
#[derive(Debug)]
pub(crate) struct Uses {
    /// Whether nothing reads what a step writes.
    pub(crate) is_dead: Vec<bool>,
    /// Registers that a step mentions last, or that are overwritten before they are read again.
    pub(crate) after: Vec<Vec<After>>,
    /// Steps that mention a register, in order.
    mentions: HashMap<Place, Vec<usize>>,
}

impl Uses {
    pub(crate) fn of(block: &Block) -> Self {
        let n = block.steps.len();
        let mut uses =
            Self { is_dead: vec![false; n], after: vec![Vec::new(); n], mentions: HashMap::new() };
        let mut live = block.kept.clone();
        let mut later = HashSet::new();
        for (i, step) in block.steps.iter().enumerate().rev() {
            let (mut reads, mut writes) = (Vec::new(), Vec::new());
            step.each_written(|p| writes.push(p));
            uses.is_dead[i] = writes.iter().all(|p| !live.contains(p));
            if !uses.is_dead[i] {
                step.each_read(|p| reads.push(p));
            }
            reads.extend(step.guard.place());
            let mut mentioned: Vec<Place> = writes.iter().chain(&reads).copied().collect();
            mentioned.sort_unstable();
            mentioned.dedup();
            for &place in &mentioned {
                if !live.contains(&place) {
                    uses.after[i].push(After::Dropped(place));
                } else if !later.contains(&place) {
                    uses.after[i].push(After::Settled(place));
                }
                uses.mentions.entry(place).or_default().push(i);
            }
            later.extend(mentioned);
            for place in writes {
                live.remove(&place);
            }
            live.extend(reads);
        }
        uses.mentions.values_mut().for_each(|steps| steps.reverse());
        uses
    }

    /// The first step behind `at` that mentions a register.
    pub(crate) fn next(&self, place: Place, at: usize) -> usize {
        let steps = self.mentions.get(&place).map_or(&[][..], |steps| steps);
        steps.get(steps.partition_point(|&s| s <= at)).copied().unwrap_or(usize::MAX)
    }
}
