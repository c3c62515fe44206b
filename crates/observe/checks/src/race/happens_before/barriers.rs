//! Happens-before by the barriers of a CTA.

use super::gathered::Gathered;
use super::{Cta, ScopedClocks, threads};
use crate::race::clock::{Clock, Unit};
use crate::race::shadow::join;
use std::mem::take;
use std::sync::Arc;

/// The joined state of the threads that have arrived at a barrier.
#[derive(Clone, Debug, Default)]
pub(super) struct Barrier {
    knows: Clock,
    seen: ScopedClocks,
    fenced: ScopedClocks,
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
            let mut barrier = take(barrier);
            let now = self.tick();
            let mut together = Gathered::default();
            let as_one = self.warps.get(warp as usize).is_some_and(|w| w.lanes == lanes);
            for thread in threads(warp, lanes) {
                together.take(self, thread, if as_one { 0 } else { now });
            }
            if as_one {
                together.knows.add(self.serial, Unit::Warp(warp), now);
            }
            barrier.knows.join(&together.knows);
            for (to, from) in barrier
                .seen
                .iter_mut()
                .chain(&mut barrier.fenced)
                .zip(together.seen.iter().chain(&together.fenced))
            {
                from.iter().for_each(|clock| join(to, clock));
            }
            self.barriers[i].1 = barrier;
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
            let whole = self.warps.get(warp as usize).is_some_and(|w| w.lanes == lanes);
            let given = Gathered {
                knows: barrier.knows.clone(),
                seen: barrier.seen.clone(),
                fenced: barrier.fenced.clone(),
            };
            match self.warps.get_mut(warp as usize) {
                Some(warp) if whole && given.is_empty() => {
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
        let mine = self.seen.iter_mut().chain(&mut self.fenced);
        for (to, from) in mine.zip(together.seen.iter().chain(&together.fenced)) {
            from.iter().for_each(|clock| join(to, clock));
        }
    }
}
