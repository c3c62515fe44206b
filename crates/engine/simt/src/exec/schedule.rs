//! Launches in a random order that can be repeated (`LaunchConfig::schedule`): CTAs begin in the order of the grid, as
//! on hardware, and take turns; so do the warps of each. All of them get turns, but which one is next and for how
//! long is drawn from a seed. What a race does shows in such an order, and a program that waits for others goes on.
//!
//! One worker does it all, and everything is interpreted: a turn may end behind any instruction that accesses memory.

use super::Shared;
use super::cluster;
use super::context::{Context, Launch};
use super::counters::Counts;
use super::cta::progress_of;
use super::outcome::Turn;
use super::resident::{Resident, Stage};
use super::warp::Warp;
use crate::launch::CtaRange;
use crate::stats::Fault;
use std::sync::PoisonError;
use std::sync::atomic::Ordering::Relaxed;

/// CTAs that are there at the same time, if they need not all be.
pub(super) const MAX: u64 = 32;

/// Numbers that follow from a seed (splitmix64).
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Below a number that is not 0.
    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    pub(super) fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i as u64 + 1) as usize);
        }
    }

    /// Steps of a turn: often a few, now and then many.
    pub(super) fn budget(&mut self) -> u64 {
        let most = [4, 32, 256, 4096][self.below(4) as usize];
        1 + self.below(most)
    }
}

impl Context<'_> {
    /// Runs warps of a CTA in a random order. True: all threads have exited.
    fn turn_at_random(
        &mut self,
        warps: &mut [Warp],
        random: &mut Random,
    ) -> Result<bool, Box<Fault>> {
        let mut order: Vec<usize> = (0..warps.len()).filter(|&i| warps[i].live != 0).collect();
        random.shuffle(&mut order);
        // A part of the warps, so that some get ahead; but all of them where none of the part can go on.
        let part = 1 + random.below(order.len().max(1) as u64) as usize;
        let mut progress = false;
        for (n, &i) in order.iter().enumerate() {
            if n >= part && progress {
                break;
            }
            let warp = &mut warps[i];
            let before = progress_of(std::slice::from_ref(warp));
            let max_steps = self.launch.config.max_steps;
            let budget = random.budget().min(max_steps.saturating_sub(warp.steps)).max(1);
            (warp.atomics, warp.end) = (0, warp.steps.saturating_add(budget));
            let turn = match self.run(warp, None) {
                Ok(turn) => turn,
                Err(at) => return Err(self.fault(warp, at)),
            };
            progress |= before != progress_of(std::slice::from_ref(warp));
            if turn == Turn::Over && warp.steps >= max_steps {
                return Err(self.step_limit(warp, max_steps));
            }
            if turn != Turn::Over {
                progress |= self.open_barriers(warps);
            }
            if self.is_cancelled() {
                return Err(self.cancelled(&warps[i]));
            }
        }
        if warps.iter().all(|w| w.live == 0) {
            return Ok(true);
        }
        if !progress && !self.open_barriers(warps) && !self.waits_for_cluster(warps) {
            return Err(self.deadlock(warps));
        }
        Ok(false)
    }
}

/// Runs all CTAs to their ends, or to the end of the round with the first fault.
pub(super) fn run(launch: &Launch<'_>, shared: &Shared, ctas: CtaRange, seed: u64) {
    let (all, size) = (ctas.len(), cluster::size(launch));
    let most = if launch.config.cooperative { all } else { all.min(MAX).min(launch.fit) };
    // Clusters have places beside each other.
    let most = most.max(1).next_multiple_of(size);
    let mut residents: Vec<Resident<'_>> = (0..most).map(|_| Resident::new(launch, 0)).collect();
    let mut order: Vec<usize> = (0..residents.len()).collect();
    let mut counts = Counts::new(launch.counters);
    let (mut random, mut next) = (Random::new(seed), ctas.begin);
    loop {
        for &place in &order {
            let members = cluster::members(launch, place);
            let is_free = members.iter().all(|&i| residents[i].stage != Stage::Runs);
            if is_free && next < ctas.end && shared.faulted.load(Relaxed) == u64::MAX {
                for i in members {
                    let index = cluster::cta_of(launch, next);
                    residents[i].begin_counted(index, shared, &mut counts);
                    next += 1;
                }
            }
        }
        if residents.iter().all(|resident| resident.stage != Stage::Runs)
            || shared.faulted.load(Relaxed) != u64::MAX
        {
            break;
        }
        random.shuffle(&mut order);
        let part = 1 + random.below(most) as usize;
        let runs = |&place: &usize| residents[place].stage == Stage::Runs;
        let chosen: Vec<usize> = order.iter().copied().filter(runs).take(part).collect();
        for place in chosen {
            let members = cluster::members(launch, place);
            cluster::take_turn(&mut residents, &members, place, |resident| {
                resident.context.counts = std::mem::take(&mut counts);
                let result = resident.context.turn_at_random(&mut resident.warps, &mut random);
                if !matches!(result, Ok(false)) {
                    resident.end(result.map(|_| ()), shared);
                }
                resident.context.tell_counts_at_times();
                counts = std::mem::take(&mut resident.context.counts);
            });
            cluster::tell_deadlock(&mut residents, &members, shared);
        }
    }
    if launch.counters != 0 {
        residents[0].context.counts = counts;
        residents[0].context.tell_counts();
    }
    let mut state = shared.state.lock().unwrap_or_else(PoisonError::into_inner);
    residents.iter_mut().for_each(|resident| resident.collect(&mut state));
}
