//! Records accesses to global memory: finds the pages of the shadow memory that belong to an
//! access, and locks them for the record.

use super::access::{LaneRace, Warp};
use super::fasttrack::View;
use super::shadow::{PAGE, Page, Shadow, Shared};
use super::shape::LINE;
use crate::lock;

/// Number of entries in a worker's page cache: at first, and at most.
const AT_HAND: [usize; 2] = [256, 4096];

/// The shadow memory of global memory, with a cache of the pages that a worker has accessed last.
pub(super) struct Pages<'s> {
    shadow: &'s Shadow,
    at_hand: Vec<Option<(u64, Shared)>>,
    /// Number of cache misses since the cache has grown.
    missed: usize,
}

impl<'s> Pages<'s> {
    pub(super) fn new(shadow: &'s Shadow) -> Self {
        Self { shadow, at_hand: vec![None; AT_HAND[0]], missed: 0 }
    }

    /// Calls `act` with the page of an address, which is locked.
    #[inline]
    pub(super) fn with<T>(&mut self, address: u64, act: impl FnOnce(&Shadow, &mut Page) -> T) -> T {
        if self.missed > self.at_hand.len() {
            self.grow();
        }
        // The number of entries is a power of two, so that a mask replaces the division.
        let (number, last) = (address / PAGE, self.at_hand.len() - 1);
        let slot = &mut self.at_hand[number as usize & last];
        let page = match slot {
            Some((of, page)) if *of == number => page,
            _ => {
                self.missed += 1;
                &mut slot.insert((number, self.shadow.page(number))).1
            }
        };
        act(self.shadow, &mut lock(page))
    }

    /// Makes the cache four times as large, up to the limit.
    #[cold]
    fn grow(&mut self) {
        self.missed = 0;
        if self.at_hand.len() < AT_HAND[1] {
            self.at_hand = vec![None; 4 * self.at_hand.len()];
        }
    }

    /// Records the lanes of an access that together access whole lines, for which no stored values
    /// are needed. `interval` is the number of the synchronisation interval. Returns the lanes that
    /// are not recorded.
    #[inline]
    pub(super) fn rows(&mut self, warp: &Warp<'_>, view: &View<'_>, interval: u64) -> u32 {
        let mut rest = warp.at.lanes;
        if let Some((first, shift)) = warp.lines() {
            // If all lines are in one page, the page is locked only once.
            let is_one = first % PAGE + (LINE << shift) <= PAGE;
            let step = if is_one { 1 << shift } else { 1 };
            for begin in (0..1 << shift).step_by(step) {
                let at = first.wrapping_add(begin as u64 * LINE);
                self.in_page(at, |page| {
                    for number in begin..begin + step {
                        let i = at % PAGE / LINE + (number - begin) as u64;
                        let of = ((number as u32, shift), interval);
                        if warp.row(page.line(i as usize), view, of) {
                            rest &= !lanes_of_line(number as u32, shift);
                        }
                    }
                });
            }
        } else if let Some(of @ (first, _)) = warp.quarters()
            && self.in_page(first, |page| {
                let line = page.line((first % PAGE / LINE) as usize);
                warp.narrow_row(line, view, (of, interval))
            })
        {
            rest = 0;
        }
        rest
    }

    /// Records the lanes in `rest` of an access, and adds their races.
    pub(super) fn access(
        &mut self,
        warp: &Warp<'_>,
        view: &View<'_>,
        (interval, mut rest): (u64, u32),
        races: &mut Vec<LaneRace>,
    ) {
        let mut full = false;
        while rest != 0 {
            let address = warp.access.addresses[rest.trailing_zeros() as usize];
            let mut left = rest;
            full |= self.with(address, |shadow, page| {
                lanes_of_page(warp, view, (page, interval), &mut left, races) && shadow.count(page)
            });
            rest = left;
        }
        // Races are reported in the order of lanes, but the lanes were recorded page by page.
        races.sort_by_key(|race| race.0);
        if full {
            self.shadow.forget();
        }
    }

    /// Calls `act` with the page of an address; `act` must not split the page's lines into cells.
    #[inline]
    fn in_page<T>(&mut self, at: u64, act: impl FnOnce(&mut Page) -> T) -> T {
        self.with(at, |shadow, page| {
            let is_new = page.lines.is_empty();
            let done = act(page);
            if is_new {
                shadow.count(page);
            }
            done
        })
    }
}

/// Records the lanes that access the same page as the first lane in `rest`, and removes them from
/// `rest`. Returns whether the page has grown.
fn lanes_of_page(
    warp: &Warp<'_>,
    view: &View<'_>,
    (page, interval): (&mut Page, u64),
    rest: &mut u32,
    races: &mut Vec<LaneRace>,
) -> bool {
    let mut grows = page.lines.is_empty();
    let number = |lane: u32| warp.access.addresses[lane as usize & 31] / PAGE;
    let first = number(rest.trailing_zeros());
    let mut here = (0..32).fold(0, |here, lane| here | u32::from(number(lane) == first) << lane);
    here &= *rest;
    *rest &= !here;
    while here != 0 {
        let of = warp.line_lanes(here);
        here &= !of.lanes;
        let line = page.line((of.at % PAGE / LINE) as usize);
        let before = line.len();
        warp.each(line, view, (&of, interval), races);
        grows |= line.len() != before;
    }
    grows
}

/// The lanes whose words are in line `number` of consecutive lines, where each lane has `1 <<
/// shift` words.
fn lanes_of_line(number: u32, shift: u32) -> u32 {
    let count = 32 >> shift;
    let low = if count == 32 { u32::MAX } else { (1 << count) - 1 };
    low << (number * count)
}
