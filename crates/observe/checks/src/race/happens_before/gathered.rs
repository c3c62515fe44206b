//! The joined clocks of lanes that synchronise with each other.

use super::{Cta, Snapshot, threads};
use crate::race::clock::{Clock, ScopedClocks, Unit, join, join_each};
use std::sync::Arc;

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

    /// Joins this state to that of each lane.
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
