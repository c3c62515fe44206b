//! Happens-before between launches: which other launches are ordered before a launch.

use super::clock::{Clock, Epoch};
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

    /// The lowest serial number.
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
    /// All accesses of CTAs with lower serial numbers are ordered before the launch.
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
