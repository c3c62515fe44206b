//! Happens-before by the barriers of a CTA.

use super::gathered::Gathered;
use super::{Cta, threads};
use crate::race::clock::{join, join_each};
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

    /// All threads have met at a barrier: the joined clock of all threads becomes that of each.
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
