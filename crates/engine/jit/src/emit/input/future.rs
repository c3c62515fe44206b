//! Future uses of a register in its block: the analysis by which copy propagation decides whether
//! all readers of a copy can read the input instead.

use super::can_read_input;
use crate::ir::{Action, Block};
use crate::operand::{Predicate, VReg};
use std::collections::HashMap;

/// The uses of a register's value in the rest of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct FutureUses {
    /// Whether all readers of the value could read an input instead.
    pub(super) fits: bool,
    /// The last step that reads the value.
    pub(super) last: Option<usize>,
    /// Whether the register still has the value at the end of the block.
    pub(super) reaches_end: bool,
}

impl Default for FutureUses {
    fn default() -> Self {
        Self { fits: true, last: None, reaches_end: true }
    }
}

/// The future uses of registers in a block: at its beginning, and after each step that may be, or
/// become, a copy of an input.
pub(super) struct BlockFutureUses {
    pub(super) at_start: HashMap<VReg, FutureUses>,
    pub(super) after: HashMap<usize, FutureUses>,
}

pub(super) fn future_uses(block: &Block) -> BlockFutureUses {
    let mut now: HashMap<VReg, FutureUses> = HashMap::new();
    let mut after = HashMap::new();
    for (i, step) in block.steps.iter().enumerate().rev() {
        if let Action::Compute { .. } | Action::Load(_) = step.action {
            step.each_written(&mut |to| {
                after.insert(i, now.get(&to).copied().unwrap_or_default());
            });
        }
        if step.guard == Predicate::Always {
            step.each_written(&mut |vreg| {
                now.insert(vreg, FutureUses { reaches_end: false, ..FutureUses::default() });
            });
        }
        step.each_read(&mut |vreg| {
            let future = now.entry(vreg).or_default();
            future.fits &= can_read_input(step, vreg);
            future.last = future.last.max(Some(i));
        });
    }
    BlockFutureUses { at_start: now, after }
}
