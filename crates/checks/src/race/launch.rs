//! A launch among those of a process.

use super::shadow::Shadow;
use crate::sink::{Sink, Spot};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// What all launches of a process share: the shadow of global memory, and numbers of CTAs.
#[derive(Debug)]
pub struct Memory {
    pub(super) shadow: Shadow,
    /// The next CTA's number.
    next: AtomicU32,
}

impl Default for Memory {
    fn default() -> Self {
        Self { shadow: Shadow::default(), next: AtomicU32::new(1) }
    }
}

/// What is known of a launch as a whole.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Order {
    /// Number of its first CTA.
    first: u32,
    /// How many it has.
    ctas: u32,
    /// All that has a lower number comes before it.
    pub(super) below: u32,
}

impl Memory {
    /// A launch of so many CTAs begins. What was launched before it has ended.
    pub(super) fn begin(&self, ctas: u64) -> Order {
        let ctas = u32::try_from(ctas).unwrap_or(u32::MAX / 2).min(u32::MAX / 2);
        let mut first = self.next.fetch_add(ctas, Relaxed);
        if first == 0 || first.checked_add(ctas).is_none() {
            // All numbers have been used: from the first one on again.
            self.shadow.clear();
            first = 1;
            self.next.store(1 + ctas, Relaxed);
        } else if self.shadow.is_large() {
            self.shadow.clear();
        }
        Order { first, ctas, below: first }
    }
}

impl Order {
    /// The number of a CTA.
    pub(super) fn serial(&self, index: u64) -> u32 {
        self.first.wrapping_add(index as u32)
    }

    /// Whether a number is that of one of its CTAs.
    pub(super) fn has(&self, serial: u32) -> bool {
        serial.wrapping_sub(self.first) < self.ctas
    }

    /// Whether what another launch has done comes before it.
    pub(super) fn is_after(&self, serial: u32) -> bool {
        serial < self.below
    }
}

/// The launch of a worker.
pub(super) struct Launch<'a> {
    pub(super) sink: Arc<Sink>,
    pub(super) shadow: &'a Shadow,
    pub(super) order: Order,
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
}

impl Launch<'_> {
    /// Number of a CTA in the grid.
    pub(super) fn index(&self, cta: [u32; 3]) -> u64 {
        let ([x, y, z], [w, h, _]) = (cta.map(u64::from), self.grid.map(u64::from));
        x + w * (y + h * z)
    }

    /// A thread of a CTA of the launch, at an operation.
    pub(super) fn spot(&self, serial: u32, thread: u32, op: u32) -> Spot {
        let index = u64::from(serial.wrapping_sub(self.order.first));
        let [x, y, _] = self.grid.map(|n| u64::from(n.max(1)));
        let cta = [index % x, index / x % y, index / x / y].map(|n| n as u32);
        let [w, h, _] = self.block.map(|n| n.max(1));
        Spot { cta, thread: [thread % w, thread / w % h, thread / w / h], op }
    }
}
