//! What the host does through pointers, and asynchronous copies and fills, among what it has not waited for.

use super::launch::Memory;
use super::line::LINE;
use super::shadow::PAGE;
use super::stamp::Stamp;
use super::streams::Queue;
use crate::finding::End;
use std::sync::atomic::Ordering::Relaxed;

/// What work that the host has not waited for does with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Touched {
    /// Nothing.
    No,
    /// It reads it.
    Read,
    /// It writes it.
    Written,
}

/// Work that the host has not waited for.
#[derive(Debug)]
pub struct Pending<'m> {
    memory: &'m Memory,
    /// CTAs of launches, in order.
    launches: Vec<(u32, u32)>,
    /// Ranges of copies and fills, and whether they write them.
    copies: Vec<(u64, u64, bool)>,
}

/// What an access of the host through a pointer races with.
#[derive(Clone, Debug)]
pub enum HostRace {
    /// A thread of a kernel, which is named if its text is known, and whether it stores.
    Kernel(Option<Box<End>>, bool),
    /// A copy or fill, in words, and whether it writes.
    Copy(String, bool),
}

/// A copy or fill in a stream.
#[derive(Clone, Debug)]
pub(super) struct Copied {
    pub(super) queue: Queue,
    pub(super) at: u64,
    what: String,
    /// Address, length, whether it is written.
    pieces: Vec<(u64, u64, bool)>,
}

/// Ranges of a copy that are kept one by one.
const MAX_PIECES: usize = 64;

impl Copied {
    pub(super) fn new(
        (queue, at): (Queue, u64),
        what: String,
        pieces: &[(u64, u64, bool)],
    ) -> Self {
        let pieces = pieces.iter().copied().take(MAX_PIECES).collect();
        Self { queue, at, what, pieces }
    }
}

/// Whether a number is in one of some ranges, which are in order.
fn has(ranges: &[(u32, u32)], serial: u32) -> bool {
    let i = ranges.partition_point(|range| range.1 < serial);
    ranges.get(i).is_some_and(|range| range.0 <= serial)
}

impl Pending<'_> {
    /// Whether there is nothing that the host has not waited for.
    pub fn is_empty(&self) -> bool {
        self.launches.is_empty() && self.copies.is_empty()
    }

    /// What it does with each page of a range, which begins with one.
    pub fn pages(&self, (address, len): (u64, u64), page: u64) -> Vec<Touched> {
        let end = address.saturating_add(len);
        let mut all = vec![Touched::No; len.div_ceil(page) as usize];
        for &(at, len, writes) in &self.copies {
            let (from, to) = (at.max(address), at.saturating_add(len).min(end));
            if from >= to {
                continue;
            }
            let touch = if writes { Touched::Written } else { Touched::Read };
            let pages = (from - address) / page..(to - address).div_ceil(page);
            for one in &mut all[pages.start as usize..pages.end as usize] {
                *one = touch.max(*one);
            }
        }
        if self.launches.is_empty() {
            return all;
        }
        self.memory.settle();
        self.memory.shadow.each((address, len), |number, kept| {
            let i = (number * PAGE).saturating_sub(address) / page;
            let Some(one) = all.get_mut(i as usize) else { return };
            for stamp in kept.lines.iter().flat_map(|line| line.stamps(0..LINE)) {
                if *one == Touched::Written {
                    return;
                }
                if has(&self.launches, stamp.serial) {
                    let writes = stamp.kind().writes();
                    *one = if writes { Touched::Written } else { Touched::Read };
                }
            }
        });
        all
    }
}

impl Memory {
    /// The host is watched: where kernels of the default stream stand is kept, too.
    pub fn watch_host(&self) {
        self.is_host_watched.store(true, Relaxed);
    }

    /// Work that the host has not waited for.
    pub fn pending(&self) -> Pending<'_> {
        let streams = self.streams();
        let mut launches = streams.not_before(None);
        launches.sort_unstable();
        let copies = streams.copies_not_before_host();
        let copies = copies.flat_map(|copy| copy.pieces.iter().copied()).collect();
        Pending { memory: self, launches, copies }
    }

    /// A copy or fill, in words, has been submitted to a stream, of ranges that are read or (`true`) written and that
    /// the host may access through pointers.
    pub fn copies(&self, queue: Queue, what: String, pieces: &[(u64, u64, bool)]) {
        self.streams().copies(queue, what, pieces);
    }

    /// The host has read or (`writes`) written a byte through a pointer: what it races with.
    ///
    /// What a kernel has stored as a flag (volatile, relaxed, atomic) may be read at any time, and who has read it
    /// has waited for that kernel.
    pub fn host_accessed(&self, address: u64, writes: bool) -> Option<HostRace> {
        let mut streams = self.streams();
        let meets = |piece: &&(u64, u64, bool)| {
            (piece.0..piece.0.saturating_add(piece.1)).contains(&address) && (writes || piece.2)
        };
        for copy in streams.copies_not_before_host() {
            if let Some(piece) = copy.pieces.iter().find(meets) {
                return Some(HostRace::Copy(copy.what.clone(), piece.2));
            }
        }
        let mut others = streams.not_before(None);
        others.sort_unstable();
        self.settle();
        let mut flag = None;
        let found = self.shadow.find((address, 1), |stamp: Stamp| {
            let kind = stamp.kind();
            if !has(&others, stamp.serial) || !(writes || kind.writes()) {
                return false;
            }
            if kind.strength() == 2 {
                flag = flag.or(kind.writes().then_some(stamp.serial));
                return false;
            }
            true
        });
        if let Some(serial) = flag {
            streams.host_saw(serial);
        }
        let stamp = found?;
        let end = streams.end(stamp.serial, stamp.thread(), stamp.op());
        Some(HostRace::Kernel(end.map(Box::new), stamp.kind().writes()))
    }
}
