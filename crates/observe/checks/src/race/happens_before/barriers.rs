//! Happens-before by the barriers of a CTA, and the joined clocks of lanes that synchronise with
//! each other.

use super::{Cta, Snapshot, threads};
use crate::race::clock::{Clock, ScopedClocks, Unit, join, join_each};
use std::mem::take;
use std::sync::Arc;

/// A barrier, with the joined state of the threads that have arrived.
#[derive(Clone, Debug, Default)]
pub(super) struct Barrier {
    arrived: Gathered,
    /// Whether the barrier is for all threads, and each thread that has arrived waits at it
    /// (`bar.sync`).
    is_whole: bool,
    /// Whether no thread has passed the barrier since its first arrival.
    is_new: bool,
}

impl Cta {
    /// The index of a barrier's state, which is added if the barrier was not used yet.
    fn barrier(&mut self, id: u32) -> usize {
        let found = self.barriers.iter().position(|barrier| barrier.0 == id);
        found.unwrap_or_else(|| {
            self.barriers.push((id, Barrier::default()));
            self.barriers.len() - 1
        })
    }

    /// Lanes arrive at a barrier, which is for `count` threads or for all (`None`).
    pub(in crate::race) fn arrives(
        &mut self,
        (warp, lanes): (u32, u32),
        id: u32,
        (count, waits): (Option<u32>, bool),
    ) {
        let whole = waits && count.is_none_or(|count| count >= self.threads);
        let i = self.barrier(id);
        let barrier = &mut self.barriers[i].1;
        if !barrier.is_new {
            *barrier = Barrier { is_new: true, is_whole: true, ..Barrier::default() };
        }
        barrier.is_whole &= whole;
        if !whole {
            let (together, _) = self.gather(warp, lanes);
            self.barriers[i].1.arrived.join(&together);
        }
    }

    /// Lanes continue behind a completed barrier.
    pub(in crate::race) fn passes(&mut self, warp: u32, lanes: u32, id: u32) {
        let Some(i) = self.barriers.iter().position(|barrier| barrier.0 == id) else { return };
        let barrier = &mut self.barriers[i].1;
        let is_new = take(&mut barrier.is_new);
        if barrier.is_whole {
            if is_new {
                self.meet();
            }
        } else {
            let given = barrier.arrived.clone();
            match self.whole_warp(warp, lanes) {
                Some(warp) if given.is_empty() => {
                    join(&mut warp.knows, &Arc::new(given.knows));
                    self.has_own = true;
                }
                _ => given.give(self, warp, lanes),
            }
        }
    }

    /// All threads have met at a barrier: their joined clock becomes the clock of each thread.
    fn meet(&mut self) {
        self.all = self.tick();
        if !take(&mut self.has_own) {
            return;
        }
        let mut together = Gathered::default();
        for i in 0..self.warps.len() as u32 {
            let warp = &self.warps[i as usize];
            let lanes = warp.lanes;
            match warp.own {
                Some(_) => threads(i, lanes).for_each(|thread| together.take(self, thread, 0)),
                None => warp.knows.iter().for_each(|clock| together.knows.join(clock)),
            }
            let warp = &mut self.warps[i as usize];
            (warp.knows, warp.own) = (None, None);
        }
        if !together.knows.is_empty() {
            join(&mut self.knows, &Arc::new(together.knows));
        }
        join_each(&mut self.seen, &together.seen);
        join_each(&mut self.fenced, &together.fenced);
    }
}

/// The joined state of lanes that synchronise.
#[derive(Clone, Debug, Default)]
pub(super) struct Gathered {
    pub(super) knows: Clock,
    pub(super) seen: ScopedClocks,
    pub(super) fenced: ScopedClocks,
}

impl Gathered {
    /// Joins the state of a thread; `own` is the time until which the joined clock contains the
    /// thread's own accesses, or 0 to leave them out.
    pub(super) fn take(&mut self, cta: &Cta, thread: u32, own: u32) {
        let [_, of_warp, own_clock] = cta.clocks(thread);
        of_warp.iter().chain(&own_clock).for_each(|clock| self.knows.join(clock));
        if own != 0 {
            self.knows.add(cta.serial, Unit::Warp(thread / 32), cta.of_warp(thread / 32));
            self.knows.add(cta.serial, Unit::Thread(thread), own);
        }
        let Some(lane) = cta.own(thread) else { return };
        join_each(&mut self.seen, &lane.seen);
        for (to, from) in self.fenced.iter_mut().zip(&lane.fenced) {
            from.iter().for_each(|snapshot| join(to, &Arc::new(cta.clock_of(snapshot, thread))));
        }
    }

    /// Whether no thread has read a clock or taken a snapshot. (The joined clock itself may be
    /// nonempty.)
    pub(super) fn is_empty(&self) -> bool {
        self.seen.iter().chain(&self.fenced).all(Option::is_none)
    }

    /// Joins the state of other lanes.
    pub(super) fn join(&mut self, other: &Self) {
        self.knows.join(&other.knows);
        join_each(&mut self.seen, &other.seen);
        join_each(&mut self.fenced, &other.fenced);
    }

    /// Joins this state to the state of each lane.
    pub(super) fn give(self, cta: &mut Cta, warp: u32, lanes: u32) {
        let knows = (!self.knows.is_empty()).then(|| Arc::new(self.knows));
        let of_fence = |clock: Arc<Clock>| {
            Box::new(Snapshot { of_others: [Some(clock), None, None], ..Snapshot::default() })
        };
        for thread in threads(warp, lanes) {
            let Some(lane) = cta.lane(thread) else { return };
            knows.iter().for_each(|clock| join(&mut lane.knows, clock));
            join_each(&mut lane.seen, &self.seen);
            for (to, from) in lane.fenced.iter_mut().zip(&self.fenced) {
                if let Some(clock) = from {
                    *to = Some(of_fence(Arc::clone(clock)));
                }
            }
        }
    }
}
