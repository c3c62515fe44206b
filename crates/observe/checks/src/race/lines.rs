//! The shadow memory of shared memory: a line for each 128 bytes.

use super::access::{LaneRace, Warp};
use super::fasttrack::View;
use super::line::Line;
use super::shape::LINE;

/// An upper bound for the size of a CTA's shared memory in bytes.
const MAX: u64 = 1 << 20;

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
    pub(super) fn record_all_lanes(
        &mut self,
        warp: &Warp<'_>,
        view: &View<'_>,
        interval: u64,
    ) -> bool {
        if let Some((first, shift)) = warp.lines() {
            return (0..1 << shift).all(|number| {
                let line = self.at(first.wrapping_add(u64::from(number) * LINE));
                line.is_some_and(|line| warp.row(line, view, ((number, shift), interval)))
            });
        }
        if let Some(of @ (first, _)) = warp.quarters() {
            let line = self.at(first);
            return line.is_some_and(|line| warp.narrow_row(line, view, (of, interval)));
        }
        let Some(octets) = warp.octets_in_line() else { return false };
        let line = self.at(octets[0].at);
        line.is_some_and(|line| warp.octets(line, view, (octets, interval)))
    }

    /// Records an access of a warp in a synchronisation interval, and adds its races.
    pub(super) fn access(
        &mut self,
        warp: &Warp<'_>,
        view: &View<'_>,
        interval: u64,
        races: &mut Vec<LaneRace>,
    ) {
        if self.record_all_lanes(warp, view, interval) {
            return;
        }
        let mut rest = warp.at.lanes;
        while rest != 0 {
            let of = warp.line_lanes(rest);
            rest &= !of.lanes;
            let Some(line) = self.at(of.at) else { continue };
            warp.each(line, view, (&of, interval), races);
        }
    }
}
