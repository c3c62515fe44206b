//! Records accesses to shared memory. Each worker thread has one shadow memory for the shared
//! memory of its CTAs: the records of earlier CTAs are ordered before the current CTA.

use super::access::{LaneRace, Stored, Warp};
use super::fasttrack::View;
use super::lines::Lines;
use super::phase::Phase;
use texunit_simt::observe::GroupedLoad;

/// The shadow memory for shared memory, with the accesses that are not recorded in it yet.
#[derive(Default)]
pub(super) struct Memory {
    lines: Lines,
    /// The accesses since the last barrier that are only listed.
    phase: Phase,
}

impl Memory {
    /// Records loads that the simulator reports together, all in one step. Returns false if each
    /// load has to be recorded by itself.
    #[inline]
    pub(super) fn loads(&mut self, warp: &Warp<'_>, more: &[GroupedLoad], view: &View<'_>) -> bool {
        self.phase.note(warp, more, view)
    }

    /// Records a load in one step for all its lanes. Returns false if [`Self::access`] has to
    /// record it.
    #[inline]
    pub(super) fn record_all_lanes(&mut self, warp: &Warp<'_>, view: &View<'_>) -> bool {
        self.phase.note(warp, &[], view)
            || self.materialized(view).record_all_lanes(warp, view, view.interval())
    }

    /// Records an access of a warp, and adds its races.
    #[inline]
    pub(super) fn access(&mut self, warp: &Warp<'_>, view: &View<'_>, races: &mut Vec<LaneRace>) {
        if !self.phase.note(warp, &[], view) {
            let (stored, mut warp) = (Stored::of(warp.access), *warp);
            warp.store(&stored);
            self.materialized(view).access(&warp, view, view.interval(), races);
        }
    }

    /// The shadow memory, in which all listed accesses have been recorded.
    #[inline]
    pub(super) fn materialized(&mut self, view: &View<'_>) -> &mut Lines {
        self.phase.materialize(&mut self.lines, view.interval(), view.order);
        &mut self.lines
    }
}
