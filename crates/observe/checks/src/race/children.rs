//! Happens-before of grids that kernels launch (dynamic parallelism). Such a grid is ordered after
//! the accesses that were ordered before its launch in the launching thread, and is concurrent with
//! the rest of its parent grid.
//!
//! The child grid has a stream of its own, which is ordered after the work that precedes the parent
//! grid. The vector clock of the launching thread adds the accesses of the parent that are ordered
//! before the launch.

use super::clock::Clock;
use super::queue::Queue;
use std::collections::HashMap;
use std::sync::Arc;

/// Maximum number of recorded launches by kernels. A further child grid counts as ordered after its
/// whole parent, which can hide races.
const MAX: usize = 1 << 16;

/// The vector clocks with which child grids begin.
#[derive(Debug, Default)]
pub(super) struct Children {
    /// The vector clock of the thread that launches a child grid, by the stream of the parent grid
    /// and the number of the launch in that stream.
    launched: HashMap<(Queue, u64), Arc<Clock>>,
    /// The vector clock of the thread that launched the child grid, by the child grid's stream.
    streams: HashMap<Queue, Arc<Clock>>,
}

impl Children {
    /// Records the vector clock of a thread that launches a grid.
    pub(super) fn launched(&mut self, work: (Queue, u64), clock: Clock) {
        if self.launched.len() < MAX {
            self.launched.insert(work, Arc::new(clock));
        }
    }

    /// The vector clock of the thread that launched the grid in this stream; `None` if the host
    /// launched it.
    pub(super) fn of(&self, queue: Queue) -> Option<Arc<Clock>> {
        self.streams.get(&queue).cloned()
    }

    /// Begins a child grid in a stream of its own. The grid is ordered after launch number `work`
    /// in the stream `parent`, and after the work in the streams `behind`.
    pub(super) fn begin(&mut self, queue: Queue, parent: (Queue, u64), behind: &[Queue]) {
        let own = self.launched.remove(&parent);
        let mut clock = own.map_or_else(Clock::all, |own| (*own).clone());
        for other in behind {
            self.streams.get(other).iter().for_each(|known| clock.join(known));
        }
        self.streams.insert(queue, Arc::new(clock));
    }

    /// The child grids of a parent, in the streams `queues`, have ended.
    pub(super) fn end(&mut self, parent: Queue, queues: &[Queue]) {
        self.launched.retain(|(of, _), _| *of != parent);
        queues.iter().for_each(|queue| drop(self.streams.remove(queue)));
    }
}
