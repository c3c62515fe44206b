//! What grids know that kernels launch: what the thread knows that launches them, at that time.
//!
//! Such a grid runs beside its parent, whose other accesses it has no order with. It has a stream of its own, in which it comes behind what
//! came before the parent, and the clock of the launch says what of the parent it comes behind, too.

use super::clock::Clock;
use super::shadow::lock;
use super::{Memory, Queue};
use std::collections::HashMap;
use std::sync::Arc;

/// Work that is kept at most: of more, everything of the parent counts as known.
const MAX: usize = 1 << 16;

/// What is known of work that kernels have asked for.
#[derive(Debug, Default)]
pub(super) struct Children {
    /// By the stream of the parent and the number of the work there.
    launched: HashMap<(Queue, u64), Arc<Clock>>,
    /// By the stream of the work.
    streams: HashMap<Queue, Arc<Clock>>,
}

impl Children {
    /// A thread has asked for work.
    pub(super) fn launched(&mut self, work: (Queue, u64), clock: Clock) {
        if self.launched.len() < MAX {
            self.launched.insert(work, Arc::new(clock));
        }
    }

    /// What a grid in a stream knows.
    pub(super) fn of(&self, queue: Queue) -> Option<Arc<Clock>> {
        self.streams.get(&queue).cloned()
    }
}

impl Memory {
    /// Work that a grid has asked for begins in a stream of its own, behind other work, by the streams of that.
    pub fn child_begins(&self, queue: Queue, (parent, work): (Queue, u64), behind: &[Queue]) {
        let mut children = lock(&self.children);
        let own = children.launched.remove(&(parent, work));
        let mut clock = own.map_or_else(Clock::all, |own| (*own).clone());
        for other in behind {
            children.streams.get(other).iter().for_each(|known| clock.join(known));
        }
        children.streams.insert(queue, Arc::new(clock));
    }

    /// The work of a grid is over, by its streams.
    pub fn children_end(&self, parent: Queue, queues: &[Queue]) {
        let mut children = lock(&self.children);
        children.launched.retain(|(of, _), _| *of != parent);
        queues.iter().for_each(|queue| drop(children.streams.remove(queue)));
    }
}
