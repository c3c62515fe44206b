//! Accesses to shared memory: its shadow is of one CTA alone, and what other CTAs have left there is past.

use super::access::{Raced, Stored, Warp, lanes};
use super::line::{LINE, Line};
use super::phase::Phase;
use super::view::View;

/// More shared memory than any CTA has.
const MAX: u64 = 1 << 20;

/// The shadow.
#[derive(Default)]
pub(super) struct Memory {
    lines: Lines,
    /// What is no access yet.
    phase: Phase,
}

impl Memory {
    /// What is listed of a phase, and whether loads that are told together need not be.
    #[inline]
    pub(super) fn phase(&mut self) -> &mut Phase {
        &mut self.phase
    }

    /// A load that is made as a whole. False: it is to be made by [`Self::access`].
    #[inline]
    pub(super) fn whole(&mut self, warp: &Warp<'_>, view: &View<'_>) -> bool {
        self.phase.note(warp, view) || self.settled(view).whole(warp, view, view.epoch())
    }

    /// An access of a warp; what it races with is added.
    #[inline]
    pub(super) fn access(&mut self, warp: &Warp<'_>, view: &View<'_>, races: &mut Vec<Raced>) {
        if !self.phase.note(warp, view) {
            let stored = Stored::of(warp.access);
            let warp = warp.storing(&stored);
            self.settled(view).access(&warp, view, view.epoch(), races);
        }
    }

    /// The shadow with all that has been accessed.
    #[inline]
    pub(super) fn settled(&mut self, view: &View<'_>) -> &mut Lines {
        self.phase.settle(&mut self.lines, view.epoch(), view.order);
        &mut self.lines
    }
}

/// Its lines.
#[derive(Default)]
pub(super) struct Lines(Vec<Line>);

impl Lines {
    /// The line of an offset, if there can be one.
    #[inline]
    pub(super) fn at(&mut self, offset: u64) -> Option<&mut Line> {
        let i = (offset / LINE) as usize;
        if i >= self.0.len() && offset < MAX {
            self.0.resize_with(i + 1, Line::default);
        }
        self.0.get_mut(i)
    }

    /// An access that is made as a whole, by how its addresses lie. False: it is to be made lane by lane.
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
        let Some(eights) = warp.in_eights() else { return false };
        let line = self.at(eights[0].at);
        line.is_some_and(|line| warp.eights(line, view, (eights, epoch)))
    }

    /// An access of a warp, in a time in which nobody comes to know anything; what it races with is added.
    pub(super) fn access(
        &mut self,
        warp: &Warp<'_>,
        view: &View<'_>,
        epoch: u64,
        races: &mut Vec<Raced>,
    ) {
        if self.whole(warp, view, epoch) {
            return;
        }
        let mut rest = warp.at.lanes;
        while rest != 0 {
            let of = warp.of_line(rest);
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
