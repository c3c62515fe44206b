//! The streams of devices, which of them wait for each other, and the positions of work in them. A
//! set of positions is a vector clock of streams.

use std::collections::{BTreeMap, HashSet};

/// A stream to which the host submits work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Queue {
    /// The number of the stream's device.
    pub device: u32,
    /// The stream's handle (or another unique number), and whether the stream is blocking: it and
    /// the default stream wait for each other. `None` for the default stream of the device.
    pub own: Option<(u64, bool)>,
}

impl Queue {
    /// The default stream of the first device.
    pub const DEFAULT: Self = Self { device: 0, own: None };

    /// A stream of the first device that is not the default stream, by its handle or another unique
    /// number.
    pub const fn new(id: u64, is_blocking: bool) -> Self {
        Self { device: 0, own: Some((id, is_blocking)) }
    }

    /// Whether the stream is the default stream of its device.
    pub fn is_default(self) -> bool {
        self.own.is_none()
    }

    /// Whether the two streams wait for each other: one is the default stream of a device, and the
    /// other is a blocking stream of that device.
    pub fn waits_for(self, other: Self) -> bool {
        let is_blocking = match (self.own, other.own) {
            (None, Some((_, is_blocking))) | (Some((_, is_blocking)), None) => is_blocking,
            _ => false,
        };
        self.device == other.device && is_blocking
    }
}

/// The position of a launch, copy or allocation in its stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position {
    pub(super) queue: Queue,
    /// Number of the launch, copy or allocation among the work of its stream, from 1.
    pub(super) at: u64,
}

/// For each stream, a position: the stream's work until this position is ordered before an event or
/// a launch.
#[derive(Clone, Debug, Default)]
pub(super) struct Positions(BTreeMap<Queue, u64>);

impl Positions {
    /// Whether `work` is at or before the position of its stream.
    pub(super) fn knows(&self, work: Position) -> bool {
        self.0.get(&work.queue).is_some_and(|&at| at >= work.at)
    }

    /// Adds the work of a stream until a position.
    pub(super) fn add(&mut self, work: Position) {
        let own = self.0.entry(work.queue).or_default();
        *own = work.at.max(*own);
    }

    /// Adds the work until the positions of another set.
    pub(super) fn join(&mut self, other: &Self) {
        other.0.iter().for_each(|(&queue, &at)| self.add(Position { queue, at }));
    }

    /// Moves the position of a stream back by one, so that the last work is not included.
    pub(super) fn step_back(&mut self, queue: Queue) {
        self.0.entry(queue).and_modify(|at| *at = at.saturating_sub(1));
    }

    /// Removes the positions of some streams.
    pub(super) fn forget(&mut self, queues: &HashSet<Queue>) {
        self.0.retain(|queue, _| !queues.contains(queue));
    }

    /// Number of streams with a position.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}
