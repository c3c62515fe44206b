//! The deferred loads of one worker thread: decides which loads are deferred, and leaves out
//! redundant ones.

use super::list::{AddressShape, ListedLoad, LoadList, MAX, WarpClock};
use super::{Allocation, Loads, MATERIALIZED, OPEN, Published, ReportRaces};
use crate::lanes;
use crate::lock;
use crate::race::happens_before::Cta;
use crate::race::shadow::Shadow;
use std::mem::take;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use texunit_simt::observe::{Access, AccessOp, Arrangement, At, Semantics};
use texunit_unit::Build;

/// Number of entries in the table of recently listed loads.
const SEEN: usize = 1 << 12;

/// An odd multiplier for hashing (2^64 divided by the golden ratio).
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// A load that was recently added to the list of deferred loads, by one warp or by two CTAs. The
/// same load of that warp, or of any third CTA, is redundant. The alignment keeps an entry in one
/// cache line, since the table is larger than the cache.
#[derive(Clone, Copy, Default)]
#[repr(align(32))]
struct RecentLoad {
    what: (u64, u32, u32),
    serials: [u32; 2],
    /// The time of the CTA; and the warp (32 at most) in the upper bits, with the operation in the
    /// lower ones.
    by: (u32, u32),
}

/// What has to be done with an access to global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::race) enum Deferral {
    /// Nothing: the access is listed.
    Listed,
    /// The access has to be recorded in the shadow memory. No listed load precedes it.
    Direct,
    /// The listed loads from the access's allocations have to be recorded in the shadow memory
    /// ([`DeferredLoads::record_listed`]). Then the access itself has to be recorded, unless it is
    /// in the list (`listed`).
    Ends { listed: bool },
}

/// The deferred loads of a worker thread.
pub(in crate::race) struct DeferredLoads {
    of: Option<Arc<Loads>>,
    /// The worker's published lists, which other workers see.
    shared: Published,
    /// The worker's lists while they are not published.
    own: Vec<LoadList>,
    /// The value of [`Loads::materialized`] when the worker last checked it.
    materialized: u32,
    /// For each operation, the allocation that it accessed last.
    last: Vec<u32>,
    seen: Vec<RecentLoad>,
    /// The offsets of the current access's lanes in its allocation.
    offsets: [u32; 32],
}

impl DeferredLoads {
    pub(in crate::race) fn new(of: Option<Arc<Loads>>, operations: usize) -> Self {
        let shared = Published::default();
        if let Some(of) = &of {
            lock(&shared).resize_with(of.allocations.len(), LoadList::default);
            lock(&of.published).push(Arc::clone(&shared));
        }
        let (last, seen) = (vec![0; operations], Vec::new());
        Self { of, shared, own: Vec::new(), materialized: 0, last, seen, offsets: [0; 32] }
    }

    /// Lists an access, if it is a load that can be deferred.
    #[inline]
    pub(in crate::race) fn defer(&mut self, at: &At, access: &Access<'_>, cta: &Cta) -> Deferral {
        let Some(of) = &self.of else { return Deferral::Direct };
        let first = access.addresses[at.lanes.trailing_zeros() as usize & 31];
        let mut i = self.last.get(at.op as usize).map_or(0, |&i| i as usize);
        if !of.allocations.get(i).is_some_and(|a| a.has(first)) {
            // An address outside every allocation is a fault, which the simulator reports.
            let Some(found) = of.find(first) else { return Deferral::Direct };
            self.last.get_mut(at.op as usize).into_iter().for_each(|i| *i = found as u32);
            i = found;
        }
        let allocation = &of.allocations[i];
        let ends = access.arrangement.ends(at.lanes, access.bytes());
        let (sum, is_inside) = match ends {
            Some([_, last]) => (0, allocation.has(last)),
            None => allocation.offsets(access.addresses, at.lanes, &mut self.offsets),
        };
        if !is_inside {
            return Deferral::Ends { listed: false };
        }
        let state = allocation.state.load(Ordering::Acquire);
        if state == MATERIALIZED && self.own.get(i).is_none_or(|list| list.all.is_empty()) {
            return Deferral::Direct;
        }
        let is_weak = access.order.semantics == Semantics::Weak;
        if state == MATERIALIZED || access.operation != AccessOp::Load || !is_weak {
            return Deferral::Ends { listed: false };
        }
        if self.seen.is_empty() {
            self.seen = vec![RecentLoad::default(); SEEN];
        }
        let (shape, place) = match access.arrangement {
            Arrangement::Row(first) => (AddressShape::Row, first),
            Arrangement::One(at) => (AddressShape::One, at),
            Arrangement::Other => (AddressShape::Any, sum),
        };
        let recent = RecentLoad::new(at, access, (shape, place), cta);
        let seen = &mut self.seen[(place.wrapping_mul(FACTOR) >> 52) as usize % SEEN];
        // The load is redundant: an equal one is in the list, or was recorded in the shadow memory.
        if seen.covers(&recent) {
            return Deferral::Listed;
        }
        if state != OPEN {
            return Deferral::Ends { listed: false };
        }
        if self.own.is_empty() {
            self.own = take(&mut *lock(&self.shared));
        }
        let (list, of_warp) = (&mut self.own[i], cta.of_warp(at.warp));
        let clock = WarpClock { serial: cta.serial, now: cta.now, all: cta.all, of_warp };
        let new = ListedLoad {
            first: place,
            shape,
            elements: (access.size as u8, access.elements as u8),
            warp: at.warp,
            lanes: at.lanes,
            op: at.op,
            count: 1,
            clock: 0,
        };
        if !list.extend_last(&new, &clock, of.warps) {
            seen.add(&recent);
            list.push(new, clock);
            if shape == AddressShape::Any {
                list.offsets.push(self.offsets);
            }
        }
        if list.bytes() > MAX {
            return Deferral::Ends { listed: true };
        }
        if of.are_interleaved {
            *lock(&self.shared) = take(&mut self.own);
        }
        Deferral::Listed
    }

    /// Records the listed loads from all allocations that an access touches in the shadow memory.
    #[cold]
    pub(in crate::race) fn record_listed(
        &mut self,
        (at, access): (&At, &Access<'_>),
        shadow: &Shadow,
        tell: ReportRaces<'_>,
    ) {
        self.publish(shadow, tell);
        let Some(of) = &self.of else { return };
        for lane in lanes(at.lanes) {
            let found = of.find(access.addresses[lane as usize]);
            found.into_iter().for_each(|i| of.materialize(i, shadow));
        }
    }

    /// Whether another worker may have recorded listed loads in the shadow memory, and missed those
    /// that this worker owns.
    #[inline]
    pub(in crate::race) fn may_be_missed(&self) -> bool {
        !self.own.is_empty()
            && self
                .of
                .as_ref()
                .is_some_and(|of| of.materialized.load(Ordering::Relaxed) != self.materialized)
    }

    /// Publishes the lists that the worker owns. If another worker has recorded the loads from an
    /// allocation in the shadow memory meanwhile, the published ones are recorded there, too.
    pub(in crate::race) fn publish(&mut self, shadow: &Shadow, tell: ReportRaces<'_>) {
        let Some(of) = self.of.as_ref().filter(|_| !self.own.is_empty()) else { return };
        let left: Vec<(usize, LoadList)> = {
            let mut shared = lock(&self.shared);
            *shared = take(&mut self.own);
            // A worker that records the loads of an allocation increments the counter before it
            // reads the published lists. If it has found this list empty, the new value is seen
            // here.
            let materialized = of.materialized.load(Ordering::SeqCst);
            if materialized == self.materialized {
                return;
            }
            self.materialized = materialized;
            let is_left = |i: usize| of.allocations[i].state.load(Ordering::SeqCst) != OPEN;
            let left = shared.iter_mut().enumerate();
            let left = left.filter(|(i, list)| !list.all.is_empty() && is_left(*i));
            left.map(|(i, list)| (i, take(list))).collect()
        };
        let order = of.order.before_later();
        left.iter().for_each(|(i, list)| of.record((*i, list), shadow, &order, tell));
    }
}

impl Allocation {
    /// Stores the offset of each lane in the allocation, 0 for inactive lanes. Returns a hash of
    /// the offsets, and whether all lanes are inside the allocation.
    #[inline(never)]
    fn offsets(&self, addresses: &[u64; 32], lanes: u32, offsets: &mut [u32; 32]) -> (u64, bool) {
        Build::current().run(
            #[inline(always)]
            || {
                let (mut sum, mut most, mut factor) = (self.base, 0, FACTOR);
                for (lane, (to, &address)) in offsets.iter_mut().zip(addresses).enumerate() {
                    let here = 0_u64.wrapping_sub(u64::from(lanes >> lane & 1));
                    let offset = address.wrapping_sub(self.base) & here;
                    most = most.max(offset);
                    *to = offset as u32;
                    sum = sum.wrapping_add((offset & 0xffff_ffff).wrapping_mul(factor));
                    factor = factor.wrapping_add(2_u64.wrapping_mul(FACTOR));
                }
                (sum, most < self.len)
            },
        )
    }
}

impl RecentLoad {
    fn new(at: &At, access: &Access<'_>, (shape, place): (AddressShape, u64), cta: &Cta) -> Self {
        let how = shape as u32 | access.size << 8 | access.elements << 16;
        let by = (cta.now, at.warp << 27 | at.op);
        Self { what: (place, at.lanes, how), serials: [cta.serial, 0], by }
    }

    /// Whether a load is redundant: an equal load was listed by two CTAs, or by the same warp at
    /// the same time.
    fn covers(&self, load: &Self) -> bool {
        let [first, second] = self.serials;
        let again = first == load.serials[0] && self.by == load.by;
        self.what == load.what && (second != 0 || again)
    }

    /// Adds a load to the table of recently listed loads.
    fn add(&mut self, load: &Self) {
        if self.what != load.what {
            *self = *load;
        } else if self.serials[0] == load.serials[0] {
            self.by = load.by;
        } else {
            self.serials[1] = load.serials[0];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_is_redundant_if_repeated_or_listed_by_two_ctas() {
        let load = |serial, op| RecentLoad { what: (128, 1, 4), serials: [serial, 0], by: (1, op) };
        let mut seen = RecentLoad::default();
        assert!(!seen.covers(&load(1, 0)));
        seen.add(&load(1, 0));
        assert!(seen.covers(&load(1, 0)) && !seen.covers(&load(1, 1)) && !seen.covers(&load(2, 0)));
        seen.add(&load(1, 1));
        assert!(seen.covers(&load(1, 1)) && !seen.covers(&load(1, 0)));
        seen.add(&load(2, 0));
        assert!(seen.covers(&load(3, 2)));
        seen.add(&RecentLoad { what: (256, 1, 4), ..load(3, 2) });
        assert!(!seen.covers(&load(3, 2)));
    }
}
