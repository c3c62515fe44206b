//! Records accesses to shared memory. Each worker thread has one shadow memory for the shared
//! memory of its CTAs: the records of earlier CTAs are ordered before the current CTA.

use super::access::{LaneRace, Stored, Warp};
use super::line::{LINE, Line};
use super::phase::Phase;
use super::view::View;
use crate::lanes;
use texunit_simt::observe::GroupedLoad;

/// An upper bound for the size of a CTA's shared memory in bytes.
const MAX: u64 = 1 << 20;

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
    pub(super) fn whole(&mut self, warp: &Warp<'_>, view: &View<'_>) -> bool {
        self.phase.note(warp, &[], view) || self.materialized(view).whole(warp, view, view.epoch())
    }

    /// Records an access of a warp, and adds its races.
    #[inline]
    pub(super) fn access(&mut self, warp: &Warp<'_>, view: &View<'_>, races: &mut Vec<LaneRace>) {
        if !self.phase.note(warp, &[], view) {
            let (stored, mut warp) = (Stored::of(warp.access), *warp);
            warp.store(&stored);
            self.materialized(view).access(&warp, view, view.epoch(), races);
        }
    }

    /// The shadow memory, in which all listed accesses have been recorded.
    #[inline]
    pub(super) fn materialized(&mut self, view: &View<'_>) -> &mut Lines {
        self.phase.materialize(&mut self.lines, view.epoch(), view.order);
        &mut self.lines
    }
}

/// The lines of the shadow memory for shared memory.
#[derive(Default)]
pub(super) struct Lines(Vec<Line>);

impl Lines {
    /// The line that contains an offset in shared memory; `None` if the offset exceeds the limit.
    #[inline]
    pub(super) fn at(&mut self, offset: u64) -> Option<&mut Line> {
        let i = (offset / LINE) as usize;
        if i >= self.0.len() && offset < MAX {
            self.0.resize_with(i + 1, Line::default);
        }
        self.0.get_mut(i)
    }

    /// Records an access in one step for all its lanes, if their addresses allow this. Returns
    /// false if each lane has to be recorded by itself.
    #[inline]
    pub(super) fn whole(&mut self, warp: &Warp<'_>, view: &View<'_>, epoch: u64) -> bool {
        if let Some((first, shift)) = warp.lines() {
            return (0..1 << shift).all(|number| {
                let line = self.at(first.wrapping_add(u64::from(number) * LINE));
                line.is_some_and(|line| warp.row(line, view, ((number, shift), epoch)))
            });
        }
        if let Some(of @ (first, _)) = warp.quarters() {
            let line = self.at(first);
            return line.is_some_and(|line| warp.narrow_row(line, view, (of, epoch)));
        }
        if let Some(at) = warp.place() {
            return self.at(at).is_some_and(|line| warp.one(line, view, (at % LINE, epoch)));
        }
        let Some(octets) = warp.octets_in_line() else { return false };
        let line = self.at(octets[0].at);
        line.is_some_and(|line| warp.octets(line, view, (octets, epoch)))
    }

    /// Records an access of a warp in a synchronisation interval, and adds its races.
    pub(super) fn access(
        &mut self,
        warp: &Warp<'_>,
        view: &View<'_>,
        epoch: u64,
        races: &mut Vec<LaneRace>,
    ) {
        if self.whole(warp, view, epoch) {
            return;
        }
        let mut rest = warp.at.lanes;
        while rest != 0 {
            let of = warp.line_lanes(rest);
            rest &= !of.lanes;
            let Some(line) = self.at(of.at) else { continue };
            let done = warp.part(line, view, (&of, epoch));
            for lane in lanes(of.lanes & !done) {
                let at = warp.access.addresses[lane as usize];
                races.extend(warp.lane(line, view, ((lane, at % LINE), epoch)));
            }
        }
    }
}
