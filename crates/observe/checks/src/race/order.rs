//! Happens-before between launches: which other launches are ordered before a launch.
//!
//! A grid that a kernel launches (dynamic parallelism) is ordered after the accesses that were
//! ordered before its launch in the launching thread, and is concurrent with the rest of its parent
//! grid. It has a stream of its own, which is ordered after the work that precedes the parent grid.
//! The vector clock of the launching thread adds the accesses of the parent that are ordered before
//! the launch.

use super::clock::{Clock, Epoch};
use super::queue::Queue;
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The CTAs of launches, as ascending ranges of serial numbers.
#[derive(Clone, Debug)]
pub(super) struct CtaRanges(Arc<[RangeInclusive<u32>]>);

impl FromIterator<RangeInclusive<u32>> for CtaRanges {
    fn from_iter<I: IntoIterator<Item = RangeInclusive<u32>>>(ranges: I) -> Self {
        Self(ranges.into_iter().collect())
    }
}

impl Default for CtaRanges {
    fn default() -> Self {
        Self::from_iter([])
    }
}

impl CtaRanges {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The lowest serial number of the launches' CTAs.
    pub(super) fn first(&self) -> Option<u32> {
        self.0.first().map(|range| *range.start())
    }

    /// Whether one of the launches has the CTA with this serial number.
    pub(super) fn has(&self, serial: u32) -> bool {
        let i = self.0.partition_point(|range| *range.end() < serial);
        self.0.get(i).is_some_and(|range| range.contains(&serial))
    }
}

/// Which other launches are ordered before a launch.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    /// Serial number of the launch's first CTA.
    pub(super) first: u32,
    /// Number of the launch's CTAs.
    pub(super) ctas: u32,
    /// The serial number below which all accesses of CTAs are ordered before the launch.
    pub(super) below: u32,
    /// The CTAs of concurrent launches.
    pub(super) others: CtaRanges,
    /// The vector clock of the launching thread, if a kernel launched the grid.
    pub(super) knows: Option<Arc<Clock>>,
}

impl Order {
    /// The serial number of a CTA of the launch, by its number in the grid.
    pub(super) fn serial(&self, index: u64) -> u32 {
        self.first.wrapping_add(index as u32)
    }

    /// The order for loads that were made during the launch and are entered into the shadow memory
    /// later: launches that have begun since are concurrent with the launch.
    pub(super) fn before_later(&self) -> Self {
        let later = self.first.saturating_add(self.ctas)..=u32::MAX;
        let others = self.others.0.iter().cloned().chain([later]).collect();
        Self { others, ..self.clone() }
    }

    /// Whether a serial number belongs to a CTA of this launch.
    pub(super) fn has(&self, serial: u32) -> bool {
        serial.wrapping_sub(self.first) < self.ctas
    }

    /// Whether an access of another launch is ordered before this launch. Copies (`is_async`) of a
    /// concurrent launch never are.
    pub(super) fn knows(&self, access: Epoch, is_async: bool) -> bool {
        let knows = |clock: &Arc<Clock>| !is_async && clock.knows(access);
        !self.others.has(access.serial) || self.knows.as_ref().is_some_and(knows)
    }
}

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
