//! Happens-before of grids that kernels launch (dynamic parallelism): such a grid is ordered after
//! what the launching thread knew at the launch, and runs concurrently with the rest of its parent.
//!
//! It has a stream of its own, in which it follows the work that preceded its parent; the clock of
//! the launch adds the accesses of the parent that are ordered before it.

use super::clock::Clock;
use super::shadow::lock;
use super::{Memory, Queue};
use std::collections::HashMap;
use std::sync::Arc;

/// Maximum number of recorded launches; a further child grid counts as ordered after its whole
/// parent.
const MAX: usize = 1 << 16;

/// The clocks of grids that kernels have launched.
#[derive(Debug, Default)]
pub(super) struct Children {
    /// The clock of each launched grid, by the parent's stream and the number of the launch there.
    launched: HashMap<(Queue, u64), Arc<Clock>>,
    /// The clocks of child grids, by the child grid's stream.
    streams: HashMap<Queue, Arc<Clock>>,
}

impl Children {
    /// Records the clock of a thread that launches a grid.
    pub(super) fn launched(&mut self, work: (Queue, u64), clock: Clock) {
        if self.launched.len() < MAX {
            self.launched.insert(work, Arc::new(clock));
        }
    }

    /// The clock with which a grid in a stream begins.
    pub(super) fn of(&self, queue: Queue) -> Option<Arc<Clock>> {
        self.streams.get(&queue).cloned()
    }
}

impl Memory {
    /// A child grid begins in a stream of its own, ordered after the work in the streams `behind`.
    pub fn child_begins(&self, queue: Queue, (parent, work): (Queue, u64), behind: &[Queue]) {
        let mut children = lock(&self.children);
        let own = children.launched.remove(&(parent, work));
        let mut clock = own.map_or_else(Clock::all, |own| (*own).clone());
        for other in behind {
            children.streams.get(other).iter().for_each(|known| clock.join(known));
        }
        children.streams.insert(queue, Arc::new(clock));
    }

    /// The child grids of a parent have ended.
    pub fn children_end(&self, parent: Queue, queues: &[Queue]) {
        let mut children = lock(&self.children);
        children.launched.retain(|(of, _), _| *of != parent);
        queues.iter().for_each(|queue| drop(children.streams.remove(queue)));
    }
}
