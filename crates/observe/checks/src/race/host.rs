//! Races of the host program: its accesses through pointers, and asynchronous copies and fills, may
//! race with work that the host has not waited for (pending work).

use super::fasttrack::AccessRecord;
use super::memory::Memory;
use super::order::CtaRanges;
use super::shadow::PAGE;
use super::shape::LINE;
use crate::end::End;
use std::sync::atomic::Ordering::Relaxed;

/// How pending work accesses a page of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PendingAccess {
    /// The work does not access the memory.
    No,
    /// The work reads the memory.
    Read,
    /// The work writes the memory.
    Written,
}

/// The work that the host has not waited for.
#[derive(Debug)]
pub struct Pending<'m> {
    memory: &'m Memory,
    /// The CTAs of pending launches.
    launches: CtaRanges,
    /// The ranges of pending copies and fills: address, length, and whether the range is written.
    copies: Vec<(u64, u64, bool)>,
}

/// The pending work that a host access races with.
#[derive(Clone, Debug)]
pub enum HostRace {
    /// A thread of a kernel (`None` if its source location is not known), and whether it stores.
    Kernel(Option<Box<End>>, bool),
    /// The description of a copy or fill, and whether it writes.
    Copy(String, bool),
}

impl Pending<'_> {
    /// Whether there is no pending work.
    pub fn is_empty(&self) -> bool {
        self.launches.is_empty() && self.copies.is_empty()
    }

    /// How pending work accesses each page of a range of memory, which starts at a page boundary.
    /// `page` is the size of a page.
    pub fn pages(&self, (address, len): (u64, u64), page: u64) -> Vec<PendingAccess> {
        let end = address.saturating_add(len);
        let mut all = vec![PendingAccess::No; len.div_ceil(page) as usize];
        for &(at, len, writes) in &self.copies {
            let (from, to) = (at.max(address), at.saturating_add(len).min(end));
            if from >= to {
                continue;
            }
            let touch = if writes { PendingAccess::Written } else { PendingAccess::Read };
            let pages = (from - address) / page..(to - address).div_ceil(page);
            for one in &mut all[pages.start as usize..pages.end as usize] {
                *one = touch.max(*one);
            }
        }
        if self.launches.is_empty() {
            return all;
        }
        self.memory.materialize();
        self.memory.shadow.each((address, len), |number, kept| {
            let i = (number * PAGE).saturating_sub(address) / page;
            let Some(one) = all.get_mut(i as usize) else { return };
            for stamp in kept.lines.iter().flat_map(|line| line.stamps(0..LINE)) {
                if *one == PendingAccess::Written {
                    return;
                }
                if self.launches.has(stamp.serial) {
                    let writes = stamp.kind().writes();
                    *one = if writes { PendingAccess::Written } else { PendingAccess::Read };
                }
            }
        });
        all
    }
}

impl Memory {
    /// Enables the checks of host accesses. Their reports need the source locations of kernels,
    /// which are otherwise not recorded if only the default stream is used.
    pub fn watch_host(&self) {
        self.is_host_watched.store(true, Relaxed);
    }

    /// The work that the host has not waited for.
    pub fn pending(&self) -> Pending<'_> {
        let streams = self.streams();
        let launches = streams.not_before(None);
        let copies = streams.copies_not_before_host();
        let copies = copies.flat_map(|copy| copy.pieces.iter().copied()).collect();
        Pending { memory: self, launches, copies }
    }

    /// The host has read or (if `writes`) written a byte through a pointer. Returns the pending
    /// work that the access races with.
    ///
    /// The host may read a flag that a kernel stores (volatile, relaxed or atomic) at any time. By
    /// reading the flag the host has synchronised with the kernel.
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
        let others = streams.not_before(None);
        self.materialize();
        let mut flag = None;
        let found = self.shadow.find((address, 1), |stamp: AccessRecord| {
            let kind = stamp.kind();
            if !others.has(stamp.serial) || !(writes || kind.writes()) {
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
