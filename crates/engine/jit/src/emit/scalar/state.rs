//! What the code of a loop for one lane after the other works with.

use super::find::{Loop, MOST_BLOCKS, Turn};
use super::places::Places;
use crate::emit::asm::{Label, at};
use iced_x86::{MemoryOperand, Register as R};
use std::rc::Rc;

/// What lies on the stack: lanes that have not begun, and the one that runs; iterations that a lane may have; steps and missed
/// lanes before the loop; iterations of all lanes but the last one of each, and steps that a guard has kept from one; by block, the
/// most iterations of a lane, and lanes that have gone out behind it; a word for a moment. Behind these are the words of
/// [`Places`].
pub(super) const LANES: usize = 0;
pub(super) const LANE: usize = 4;
pub(super) const BUDGET: usize = 8;
pub(super) const STEPS: usize = 16;
pub(super) const MISSED: usize = 24;
pub(super) const ITERATIONS: usize = 32;
pub(super) const SKIPPED: usize = 40;
pub(super) const MOST: usize = 48;
pub(super) const OUT: usize = MOST + 8 * MOST_BLOCKS;
const MOMENT: usize = OUT + 8 * MOST_BLOCKS;
const WORDS: usize = MOMENT + 8;

/// What counts the iterations of a lane, down; registers for moments.
pub(super) const LEFT: R = R::R8;
pub(super) const FIRST: R = R::RAX;
pub(super) const SECOND: R = R::RBX;

/// The making of a loop.
pub(super) struct Lane {
    pub(super) of: Rc<Loop>,
    pub(super) places: Places,
    /// Where it goes on if a lane cannot do something.
    pub(super) vain: Label,
}

impl Lane {
    /// A word of [`Places`].
    pub(super) fn word(&self, word: usize) -> MemoryOperand {
        stack(WORDS + 8 * word)
    }

    /// The word for a moment.
    pub(super) fn moment(&self) -> MemoryOperand {
        stack(MOMENT)
    }

    /// Bytes on the stack.
    pub(super) fn bytes(&self) -> i32 {
        (WORDS + 8 * self.places.words).next_multiple_of(16) as i32
    }
}

/// A word on the stack of the loop.
pub(super) fn stack(displacement: usize) -> MemoryOperand {
    at(R::RSP, displacement)
}

/// Steps of blocks that count, and where branches go out.
pub(super) struct Counted {
    /// By block: steps, its branch among them.
    pub(super) steps: Vec<i32>,
    /// By block: whether its branch counts.
    pub(super) branches: Vec<bool>,
    pub(super) turns: Vec<Turn>,
}

impl Counted {
    /// Blocks behind which lanes go out.
    pub(super) fn outs(&self) -> usize {
        self.turns.iter().filter(|&&turn| turn != Turn::Never).count()
    }

    /// Steps that a lane takes in an iteration, and how many more it takes in all if it goes out behind a block.
    pub(super) fn of_lane(&self, behind: usize) -> (i32, i32) {
        let (mut in_each, mut more) = (0, 0);
        for b in 0..self.steps.len() {
            let (steps, is_last) = (self.steps[b], b > behind);
            in_each += steps;
            more -= if is_last { steps } else { 0 };
            if !self.branches[b] {
                continue;
            }
            // Lanes do not take a branch in which they go on.
            match self.turns[b] {
                Turn::Taken => {
                    in_each -= 1;
                    more += i32::from(is_last || b == behind);
                }
                Turn::Untaken => more -= i32::from(b == behind),
                Turn::Never => {}
            }
        }
        (in_each, more)
    }
}
