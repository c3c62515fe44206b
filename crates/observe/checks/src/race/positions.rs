//! The positions of work in streams. A set of positions is a vector clock of streams.

use super::queue::Queue;
use std::collections::{BTreeMap, HashSet};

/// The position of a launch, copy or allocation in its stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position {
    pub(super) queue: Queue,
    /// Number among the work of the stream, from 1.
    pub(super) at: u64,
}

/// For each stream, a position: the stream's work until this position is ordered before an event or
/// a launch.
#[derive(Clone, Debug, Default)]
pub(super) struct Positions(BTreeMap<Queue, u64>);

impl Positions {
    /// Whether work is among that until the positions.
    pub(super) fn knows(&self, work: Position) -> bool {
        self.0.get(&work.queue).is_some_and(|&at| at >= work.at)
    }

    /// Adds the work of a stream until a position.
    pub(super) fn add(&mut self, work: Position) {
        let own = self.0.entry(work.queue).or_default();
        *own = work.at.max(*own);
    }

    /// Adds the work until other positions.
    pub(super) fn join(&mut self, other: &Self) {
        other.0.iter().for_each(|(&queue, &at)| self.add(Position { queue, at }));
    }

    /// Removes the last work of a stream.
    pub(super) fn step_back(&mut self, queue: Queue) {
        self.0.entry(queue).and_modify(|at| *at = at.saturating_sub(1));
    }

    /// Removes streams.
    pub(super) fn forget(&mut self, queues: &HashSet<Queue>) {
        self.0.retain(|queue, _| !queues.contains(queue));
    }

    /// Number of streams.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}
