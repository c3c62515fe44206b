//! Accesses to shared memory. Its shadow belongs to one worker; records of earlier CTAs in it are
//! ordered before the current one.

use super::access::{LaneRace, Stored, Warp, lanes};
use super::line::{LINE, Line};
use super::phase::Phase;
use super::view::View;
use texunit_simt::observe::FurtherLoad;

/// An upper bound of a CTA's shared memory.
const MAX: u64 = 1 << 20;

/// The shadow of shared memory.
#[derive(Default)]
pub(super) struct Memory {
    lines: Lines,
    /// Accesses since the last barrier that are not in the shadow yet.
    phase: Phase,
}

impl Memory {
    /// Records loads that are reported together with one operation. Returns false if each has to be
    /// recorded.
    #[inline]
    pub(super) fn loads(&mut self, warp: &Warp<'_>, more: &[FurtherLoad], view: &View<'_>) -> bool {
        self.phase.note(warp, more, view)
    }

    /// Records a load with one operation. Returns false if [`Self::access`] has to record it.
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

    /// The shadow after all deferred accesses were entered.
    #[inline]
    pub(super) fn materialized(&mut self, view: &View<'_>) -> &mut Lines {
        self.phase.materialize(&mut self.lines, view.epoch(), view.order);
        &mut self.lines
    }
}

/// The lines of shared memory.
#[derive(Default)]
pub(super) struct Lines(Vec<Line>);

impl Lines {
    /// The line at an offset; `None` beyond the limit.
    #[inline]
    pub(super) fn at(&mut self, offset: u64) -> Option<&mut Line> {
        let i = (offset / LINE) as usize;
        if i >= self.0.len() && offset < MAX {
            self.0.resize_with(i + 1, Line::default);
        }
        self.0.get_mut(i)
    }

    /// Records an access with one operation if its addresses are arranged so. Returns false if it
    /// has to be recorded lane by lane.
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

    /// Records an access of a warp within a synchronisation interval, and adds its races.
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
