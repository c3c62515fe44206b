//! Cooperative launches: all CTAs are there at the same time and run in turns, so that they can
//! wait for each other (`grid.sync()`).
//!
//! The turns of a round are about equally long, so a CTA that waits in a loop executes about as
//! many instructions as those that it waits for: the limit of steps keeps its meaning.

use super::Shared;
use super::context::{Context, Launch};
use super::counters::Counts;
use super::idle::Patience;
use super::turns::Begun;
use super::waiting::WaitingCtas;
use super::warp::Warp;
use std::sync::PoisonError;
use std::sync::atomic::Ordering::Relaxed;

/// Steps of a warp in a round.
const TURN: u64 = 4 * 1024;

/// A CTA of a cooperative launch.
struct Resident<'a> {
    index: u64,
    context: Context<'a>,
    warps: Vec<Warp>,
    patience: Patience<'a>,
    begun: bool,
    ended: bool,
    /// How often it had looked in vain when that was told last.
    told: u64,
}

impl<'a> Resident<'a> {
    /// A turn of this CTA, with the counters of its worker.
    fn turn(&mut self, shared: &Shared, counts: &mut Counts) {
        if self.ended {
            return;
        }
        self.context.counts = std::mem::take(counts);
        self.run(shared);
        *counts = std::mem::take(&mut self.context.counts);
    }

    fn run(&mut self, shared: &Shared) {
        let mut result = Ok(false);
        if !self.begun {
            self.begun = true;
            result = self.context.begin_cta(self.index, &mut self.warps).map(|()| false);
        }
        if result.is_ok() {
            result = self.context.turn_cta(&mut self.warps, Begun::default(), TURN, || false);
        }
        self.ended = !matches!(result, Ok(false));
        if !self.ended {
            self.patience.round(&mut self.context, &mut self.warps);
        }
        if self.ended {
            self.patience.end(&mut self.context);
            shared.end_of_cta(self.index, result.map(|_| ()), &mut self.context);
            // Its memory is not needed any more.
            self.warps = Vec::new();
            self.context.cta.shared = Vec::new();
            self.context.cta.tail = Vec::new();
        }
    }
}

/// Runs all CTAs to their ends, or to the end of the round with the first fault.
pub(super) fn run(launch: &Launch<'_>, shared: &Shared, ctas: u64) {
    let share = ctas.div_ceil(launch.workers as u64).max(1);
    let mut residents: Vec<Resident<'_>> = (0..ctas)
        .map(|index| Resident {
            index,
            context: Context::new(launch, (index / share) as usize),
            warps: (0..launch.warps).map(|_| Warp::default()).collect(),
            patience: Patience::default(),
            begun: false,
            ended: false,
            told: 0,
        })
        .collect();
    let mut counts: Vec<Counts> =
        (0..launch.workers).map(|_| Counts::new(launch.counters)).collect();
    let turns = |part: &mut [Resident<'_>], counts: &mut Counts| {
        part.iter_mut().for_each(|r| r.turn(shared, counts));
        if let (Some(first), true) = (part.first_mut(), launch.counters != 0) {
            first.context.counts = std::mem::take(counts);
            first.context.tell_counts_at_times();
            *counts = std::mem::take(&mut first.context.counts);
        }
    };
    while residents.iter().any(|r| !r.ended) && shared.faulted.load(Relaxed) == u64::MAX {
        let parts = residents.chunks_mut(share as usize).zip(&mut counts);
        texunit_threads::each(parts, |(part, counts)| {
            shared.timed(launch, || turns(part, counts));
        });
        let running = || residents.iter().filter(|r| !r.ended);
        if running().next().is_none() || running().any(|r| r.patience.looks().is_none()) {
            shared.waits.go_on(0, launch.config.others);
            residents.iter_mut().for_each(|resident| resident.told = 0);
            continue;
        }
        // In the middle of a turn of its loop one may still go on.
        if running().any(|r| r.patience.looks().is_none_or(|looks| looks <= r.told)) {
            continue;
        }
        for resident in &mut residents {
            resident.told = resident.patience.looks().unwrap_or(0);
        }
        let waiting = residents.iter_mut().filter(|r| !r.ended);
        let mut all: Vec<WaitingCtas<'_, '_>> =
            waiting.map(|r| (r.index, &mut r.context, &mut r.warps[..])).collect();
        if shared.end_if_in_vain((launch, 0), &mut all) {
            residents.iter_mut().for_each(|resident| (resident.begun, resident.ended) = (true, true));
            break;
        }
    }
    if launch.counters != 0 {
        for (part, counts) in residents.chunks_mut(share as usize).zip(counts) {
            part[0].context.counts = counts;
            part[0].context.tell_counts();
        }
    }
    let mut state = shared.state.lock().unwrap_or_else(PoisonError::into_inner);
    for resident in &mut residents {
        state.add(&mut resident.context);
        if !resident.ended {
            // A fault has ended it; what it printed until then counts.
            if resident.begun {
                resident.context.tell_end(None);
            }
            let limit = launch.config.printf_limit;
            state.printed.take(resident.index, &mut resident.context.output, limit);
        }
    }
}
