//! Accesses to global memory: finds the pages of the shared shadow for an access, and records it
//! there.

use super::access::{LaneRace, Warp, lanes};
use super::line::{LINE, Line};
use super::shadow::{PAGE, Page, Shadow, Shared, lock};
use super::view::View;

/// Number of slots in a worker's page cache.
const AT_HAND: usize = 1024;

/// The shadow, with a cache of the pages that a worker has accessed last.
pub(super) struct Pages<'s> {
    shadow: &'s Shadow,
    at_hand: Vec<Option<(u64, Shared)>>,
}

impl<'s> Pages<'s> {
    pub(super) fn new(shadow: &'s Shadow) -> Self {
        Self { shadow, at_hand: vec![None; AT_HAND] }
    }

    /// Calls `act` with the page of an address, locked.
    #[inline]
    pub(super) fn with<T>(&mut self, address: u64, act: impl FnOnce(&Shadow, &mut Page) -> T) -> T {
        let number = address / PAGE;
        let slot = &mut self.at_hand[number as usize % AT_HAND];
        let page = match slot {
            Some((of, page)) if *of == number => page,
            _ => &mut slot.insert((number, self.shadow.page(number))).1,
        };
        act(self.shadow, &mut lock(page))
    }

    /// Records the part of an access that consists of whole lines, which needs no stored values.
    /// `epoch` is the current synchronisation interval. Returns the remaining lanes.
    #[inline]
    pub(super) fn rows(&mut self, warp: &Warp<'_>, view: &View<'_>, epoch: u64) -> u32 {
        let mut rest = warp.at.lanes;
        if let Some((first, shift)) = warp.lines() {
            for number in 0..1 << shift {
                let at = first.wrapping_add(u64::from(number) * LINE);
                if self.in_line(at, |line| warp.row(line, view, ((number, shift), epoch))) {
                    rest &= !lanes_of_line(number, shift);
                }
            }
        } else if let Some(of @ (first, _)) = warp.quarters()
            && self.in_line(first, |line| warp.narrow_row(line, view, (of, epoch)))
        {
            rest = 0;
        }
        rest
    }

    /// Records the remaining lanes of an access, and adds its races.
    pub(super) fn access(
        &mut self,
        warp: &Warp<'_>,
        view: &View<'_>,
        (epoch, mut rest): (u64, u32),
        races: &mut Vec<LaneRace>,
    ) {
        let mut full = false;
        if let Some(at) = warp.place()
            && rest != 0
        {
            let done = self.with(at, |shadow, page| {
                let line = page.line((at % PAGE / LINE) as usize);
                let before = line.len();
                let done = warp.one(line, view, (at % LINE, epoch));
                let grows = line.len() != before;
                full |= grows && shadow.count(page);
                done
            });
            rest = if done { 0 } else { rest };
        }
        while rest != 0 {
            let address = warp.access.addresses[rest.trailing_zeros() as usize];
            let mut left = rest;
            full |= self.with(address, |shadow, page| {
                lanes_of_page(warp, view, (page, epoch), &mut left, races) && shadow.count(page)
            });
            rest = left;
        }
        if full {
            self.shadow.forget();
        }
    }

    /// Calls `act` with the line of an address; `act` must not split it.
    #[inline]
    fn in_line(&mut self, at: u64, act: impl FnOnce(&mut Line) -> bool) -> bool {
        self.with(at, |shadow, page| {
            let is_new = page.lines.is_empty();
            let done = act(page.line((at % PAGE / LINE) as usize));
            if is_new {
                shadow.count(page);
            }
            done
        })
    }
}

/// Records the lanes that access the first lane's page, up to the first lane in another page.
/// Returns whether the page has grown.
fn lanes_of_page(
    warp: &Warp<'_>,
    view: &View<'_>,
    (page, epoch): (&mut Page, u64),
    rest: &mut u32,
    races: &mut Vec<LaneRace>,
) -> bool {
    let mut grows = page.lines.is_empty();
    let number = warp.access.addresses[rest.trailing_zeros() as usize & 31] / PAGE;
    while *rest != 0 && warp.access.addresses[rest.trailing_zeros() as usize] / PAGE == number {
        let of = warp.line_lanes(*rest);
        *rest &= !of.lanes;
        let line = page.line((of.at % PAGE / LINE) as usize);
        let before = line.len();
        let done = warp.part(line, view, (&of, epoch));
        for lane in lanes(of.lanes & !done) {
            let at = warp.access.addresses[lane as usize];
            races.extend(warp.lane(line, view, ((lane, at % LINE), epoch)));
        }
        grows |= line.len() != before;
    }
    grows
}

/// Lanes whose words are in line `number` of a row.
fn lanes_of_line(number: u32, shift: u32) -> u32 {
    let count = 32 >> shift;
    let low = if count == 32 { u32::MAX } else { (1 << count) - 1 };
    low << (number * count)
}
