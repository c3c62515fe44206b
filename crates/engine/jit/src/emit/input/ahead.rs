//! What is ahead of the value of a register.

use super::{can_read_input, copied};
use crate::operand::{Place, Predicate};
use crate::region::{Action, Block};
use std::collections::HashMap;

/// What the rest of a block does with the value of a register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ahead {
    /// Whether all that reads it can read an input in its place.
    pub(super) fits: bool,
    /// The last step that reads it.
    pub(super) last: Option<usize>,
    /// Whether it is there at the end.
    pub(super) reaches_end: bool,
}

impl Default for Ahead {
    fn default() -> Self {
        Self { fits: true, last: None, reaches_end: true }
    }
}

/// What is ahead where a block begins, of registers that it names and of others, and behind the steps that copy
/// inputs.
pub(super) struct Aheads {
    pub(super) at_start: HashMap<Place, Ahead>,
    pub(super) other: Ahead,
    pub(super) copies: HashMap<usize, Ahead>,
}

pub(super) fn aheads(block: &Block) -> Aheads {
    let mut now: HashMap<Place, Ahead> = HashMap::new();
    let mut copies = HashMap::new();
    // What a register that is not named yet has ahead.
    let mut other = Ahead::default();
    for (i, step) in block.steps.iter().enumerate().rev() {
        if let Action::Leave { .. } = step.action {
            // It needs all registers, and may write any.
            now.clear();
            other = Ahead { fits: true, last: Some(i), reaches_end: false };
        }
        if let Some((to, _)) = copied(step) {
            copies.insert(i, now.get(&to).copied().unwrap_or(other));
        }
        if step.guard == Predicate::Always {
            step.each_written(|place| {
                now.insert(place, Ahead { reaches_end: false, ..Ahead::default() });
            });
        }
        step.each_read(|place| {
            let ahead = now.entry(place).or_insert(other);
            ahead.fits &= can_read_input(step, place);
            ahead.last = ahead.last.max(Some(i));
        });
    }
    Aheads { at_start: now, other, copies }
}
