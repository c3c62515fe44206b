//! The edges of a region's control-flow graph.

use crate::ir::{End, Region, Target};
use crate::operand::Predicate;
use std::collections::HashSet;

impl End {
    /// The targets to which control can go after the terminator, including the target after a yield
    /// point.
    pub(super) fn targets(&self) -> impl Iterator<Item = Target> + use<> {
        let targets = match *self {
            End::Jump(to) | End::Yield { next: to, .. } => [Some(to), None],
            End::Branch { taken: Predicate::Always, to, .. } => [Some(to), None],
            End::Branch { taken: Predicate::Never, next, .. } => [Some(next), None],
            End::Branch { to, next, .. } => [Some(to), Some(next)],
            End::Leave { .. } => [None; 2],
        };
        targets.into_iter().flatten()
    }

    pub(super) fn successors(&self) -> impl Iterator<Item = usize> + use<> {
        self.targets().filter_map(|target| match target {
            Target::Block(i) => Some(i as usize),
            Target::Leave(_) => None,
        })
    }

    /// The blocks that control reaches without an entry, as it does after a yield point.
    pub(super) fn blocks(&self) -> impl Iterator<Item = usize> + use<> {
        let waits = matches!(self, End::Yield { .. });
        self.successors().filter(move |_| !waits)
    }

    /// Whether the runtime may write registers before control goes to the next block, as it may at
    /// all yield points except barriers.
    pub(super) fn writes_registers(&self) -> bool {
        matches!(self, End::Yield { barrier: None, .. })
    }
}

impl Region {
    /// For each block, whether control can come to it other than from the ends of blocks, so that
    /// nothing is known of registers where it begins.
    pub(super) fn entered(&self) -> Vec<bool> {
        let follows: HashSet<usize> =
            self.blocks.iter().flat_map(|block| block.end.successors()).collect();
        let blocks = self.blocks.iter().enumerate();
        blocks.map(|(b, block)| b == 0 || block.is_entry || !follows.contains(&b)).collect()
    }
}
