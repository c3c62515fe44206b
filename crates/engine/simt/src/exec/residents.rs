//! CTAs that run concurrently in turns on one worker: those of a cluster, all of a cooperative
//! launch (which can synchronise with `grid.sync()`), or some in a random order.
//!
//! The turns of a round have about equal length, so a CTA that waits in a loop executes about as
//! many instructions as the CTAs that it waits for, and the step limit keeps its meaning.

use super::context::{Context, Launch};
use super::counters::Counts;
use super::limits::RESIDENT_TURN;
use super::outcome::CtaTurn;
use super::resident::{Resident, Stage};
use super::schedule::Random;
use super::turns::Policy;
use super::{Shared, cluster};
use crate::launch::CtaRange;
use crate::observe::{coordinates, linear_index};
use crate::stats::Fault;
use std::ops::Range;
use std::sync::PoisonError;
use std::sync::atomic::Ordering::Relaxed;

/// Maximum number of concurrent CTAs in a random order, unless all of them must be resident.
const MAX: u64 = 32;

/// The order in which CTAs get turns, and how far the current round has proceeded.
#[derive(Clone, Debug)]
pub(super) struct Order {
    /// CTAs that have not begun, numbered by cluster and rank.
    pub(super) left: Range<u64>,
    random: Option<Random>,
    /// All slots in the order of the last shuffle, and the slots that have turns in this round.
    places: Vec<usize>,
    round: Vec<usize>,
    /// Number of turns of the round that are over.
    at: usize,
}

/// CTAs that run in turns.
pub(super) struct Residents<'a> {
    pub(super) all: Vec<Resident<'a>>,
    pub(super) order: Order,
    /// Counters of the worker, which are passed to the running CTA.
    counts: Counts,
}

/// The number in the grid of a CTA, given its number by cluster and rank. Clusters are ordered like
/// CTAs.
fn number_in_grid(launch: &Launch<'_>, number: u64) -> u64 {
    let (shape, grid) = (launch.cluster_shape(), launch.config.grid);
    let (cluster, rank) = (number / launch.cluster_size(), number % launch.cluster_size());
    let cluster = coordinates(cluster, [0, 1, 2].map(|axis| grid[axis] / shape[axis]));
    let place = coordinates(rank, shape);
    let cta = [0, 1, 2].map(|axis| cluster[axis] * shape[axis] + place[axis]);
    linear_index(cta, grid)
}

impl<'a> Residents<'a> {
    /// Slots for a range of CTAs: for all CTAs of a cooperative launch, for one cluster, or for
    /// some CTAs in a random order.
    pub(super) fn new(launch: &'a Launch<'a>, worker: usize, left: Range<u64>) -> Self {
        let (all, size) = (left.end - left.start, launch.cluster_size());
        let most = match (launch.config.cooperative, launch.config.schedule) {
            (true, _) => all,
            (false, Some(_)) => all.min(MAX).min(launch.fit),
            (false, None) => size,
        };
        // The CTAs of a cluster have adjacent slots.
        let most = most.max(1).next_multiple_of(size) as usize;
        let random = launch.config.schedule.map(Random::new);
        let order = Order { left, random, places: (0..most).collect(), round: Vec::new(), at: 0 };
        let all = (0..most).map(|_| Resident::new(launch, worker)).collect();
        Self { all, order, counts: Counts::new(launch.counters) }
    }

    /// The slots of the cluster that a slot belongs to.
    fn members(&self, place: usize) -> Range<usize> {
        let size = self.all[place].context.launch.cluster_size() as usize;
        let first = place / size * size;
        first..first + size
    }

    pub(super) fn running(&mut self) -> impl Iterator<Item = &mut Resident<'a>> {
        self.all.iter_mut().filter(|resident| resident.runs())
    }

    /// Starts clusters in free slots, and distributes the turns of the next round. Returns false if
    /// there are no turns.
    pub(super) fn begin_round(
        &mut self,
        mut begin: impl FnMut(&mut Resident<'a>, u64) -> Result<(), Box<Fault>>,
    ) -> Result<bool, Box<Fault>> {
        for i in 0..self.order.places.len() {
            let members = self.members(self.order.places[i]);
            if self.order.left.is_empty() || self.all[members.clone()].iter().any(Resident::runs) {
                continue;
            }
            for (resident, number) in self.all[members].iter_mut().zip(&mut self.order.left) {
                let index = number_in_grid(resident.context.launch, number);
                resident.context.counts = std::mem::take(&mut self.counts);
                let result = begin(resident, index);
                self.counts = std::mem::take(&mut resident.context.counts);
                result?;
            }
        }
        let (Self { all, order, .. }, mut part) = (self, usize::MAX);
        let is_over = !all.iter().any(Resident::runs);
        if let Some(random) = order.random.as_mut().filter(|_| !is_over) {
            random.shuffle(&mut order.places);
            part = 1 + random.below(order.places.len() as u64) as usize;
        }
        let running = order.places.iter().copied().filter(|&place| all[place].runs());
        (order.round, order.at) = (running.take(part).collect(), 0);
        Ok(!is_over)
    }

    /// Executes the next turn by calling `turn`; `None` if the round is over. A fault is returned
    /// with its slot.
    pub(super) fn turn(
        &mut self,
        budget: u64,
        turn: impl FnOnce(&mut Resident<'a>, Policy<'_>) -> Result<CtaTurn, Box<Fault>>,
    ) -> Option<Result<CtaTurn, (usize, Box<Fault>)>> {
        let place = *self.order.round.get(self.order.at)?;
        let members = self.members(place);
        let Self { all, order, counts } = self;
        let outcome = cluster::take_turn(all, members.clone(), place, |resident| {
            // The CTA may have been ended by a fault or the end of another CTA.
            if !resident.runs() {
                return Ok(CtaTurn::Over);
            }
            resident.context.counts = std::mem::take(counts);
            // In a random order a waiting loop rarely returns to the same state, so a CTA under
            // observation runs in order.
            let is_watched = resident.wait_detector.is_checking(&resident.context);
            let random = order.random.as_mut().filter(|_| !is_watched);
            let policy = random.map_or(Policy::InOrder(budget), Policy::Random);
            let outcome = turn(resident, policy);
            *counts = std::mem::take(&mut resident.context.counts);
            outcome
        });
        if !matches!(outcome, Ok(CtaTurn::Stopped)) {
            order.at += 1;
        }
        Some(match cluster::deadlock(&all[members.clone()]) {
            Some((rank, fault)) => Err((members.start + rank, fault)),
            None => outcome.map_err(|fault| (place, fault)),
        })
    }

    /// Adds slots for another cluster, which the running ones may wait for. Returns false if there
    /// is no memory for it or all have begun.
    fn grow(&mut self) -> bool {
        let Context { launch, worker, .. } = self.all[0].context;
        let (size, places) = (launch.cluster_size(), self.all.len() as u64);
        let most = launch.fit / launch.workers as u64;
        if self.order.left.is_empty() || places + size > most {
            return false;
        }
        self.all.extend((0..size).map(|_| Resident::new(launch, worker)));
        self.order.places.extend((places..places + size).map(|place| place as usize));
        true
    }

    /// Whether there is a free slot for a cluster.
    fn has_room(&self) -> bool {
        let size = self.all[0].context.launch.cluster_size() as usize;
        self.all.chunks(size).any(|members| !members.iter().any(Resident::runs))
    }

    /// Executes a round; a fault ends the launch. Returns false if no CTAs are left.
    fn run_round(&mut self, shared: &Shared) -> bool {
        let begun = self.begin_round(|resident, index| {
            if let Err(fault) = resident.begin(index) {
                resident.end(Err(fault), shared);
            }
            Ok(())
        });
        let turn = |resident: &mut Resident<'a>, policy: Policy<'_>| {
            let result = resident.turn(policy);
            if !matches!(result, Ok(CtaTurn::Over)) {
                resident.end(result.map(|_| ()), shared);
            } else if !resident.waits_for_cluster() {
                resident.wait_detector.round(&mut resident.context, &mut resident.warps);
            }
            Ok(CtaTurn::Over)
        };
        while let Some(outcome) = self.turn(RESIDENT_TURN, turn) {
            if let Err((place, fault)) = outcome {
                self.all[place].end(Err(fault), shared);
            }
        }
        self.notify_counts(false);
        begun.unwrap_or(false)
    }

    /// Reports the counters to the observer if enough time has passed, or if they are the last
    /// ones.
    fn notify_counts(&mut self, are_last: bool) {
        let context = &mut self.all[0].context;
        if context.launch.counters == 0 {
            return;
        }
        context.counts = std::mem::take(&mut self.counts);
        if are_last {
            context.notify_counts();
        } else {
            context.notify_counts_at_times();
        }
        self.counts = std::mem::take(&mut context.counts);
    }

    /// Ends the launch: adds the counters of all CTAs, and the text printed by CTAs that were ended
    /// by another one's fault.
    fn collect(&mut self, shared: &Shared) {
        self.notify_counts(true);
        let mut state = shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        for resident in &mut self.all {
            state.add(&mut resident.context);
            if resident.runs() {
                resident.context.notify_end(None);
                state.take_text(resident.index, &mut resident.context);
            }
        }
    }
}

/// Whether each CTA has repeated its waiting loop since this function last returned `Some(true)`.
/// Returns `None` if one of the CTAs does not wait.
pub(super) fn have_polled(ctas: &mut [&mut Resident<'_>]) -> Option<bool> {
    if ctas.is_empty() || ctas.iter().any(|cta| cta.polls().is_none()) {
        ctas.iter_mut().for_each(|cta| cta.reported_polls = 0);
        return None;
    }
    // A CTA in the middle of an iteration of its loop might still continue.
    let all = ctas.iter().all(|cta| cta.polls().is_some_and(|polls| polls > cta.reported_polls));
    if all {
        ctas.iter_mut().for_each(|cta| cta.reported_polls = cta.polls().unwrap_or(0));
    }
    Some(all)
}

/// Whether all running CTAs of a worker wait in vain, which ends the launch. CTAs that have not
/// begun are started first, as far as there is memory for them.
fn waits_in_vain(
    (launch, shared, worker): (&Launch<'_>, &Shared, usize),
    parts: &mut [Residents<'_>],
) -> bool {
    let mut running: Vec<_> = parts.iter_mut().flat_map(Residents::running).collect();
    match have_polled(&mut running) {
        None => {
            shared.waits.go_on(worker, launch.config.external_writers);
            // CTAs that poll without a recurring state may wait for CTAs that have not begun.
            if running.iter().all(|cta| cta.is_aside()) {
                parts.iter_mut().any(Residents::grow);
            }
            return false;
        }
        Some(false) => return false,
        Some(true) => {}
    }
    if parts.iter_mut().any(Residents::grow) {
        return false;
    }
    let mut running: Vec<_> = parts.iter_mut().flat_map(Residents::running).collect();
    let is_over = shared.end_if_in_vain((launch, worker), &mut running);
    if is_over {
        running.iter_mut().for_each(|resident| resident.stage = Stage::Ended);
    }
    is_over
}

/// Executes CTAs in turns to their end, or to the end of the round with the first fault.
pub(super) fn run(launch: &Launch<'_>, shared: &Shared, ctas: CtaRange) {
    let size = launch.cluster_size();
    let is_faulted = || shared.faulted.load(Relaxed) != u64::MAX;
    if launch.config.schedule.is_none() && !launch.config.cooperative {
        texunit_threads::each(0..launch.workers, |worker| {
            shared.timed(launch, || run_clusters(launch, shared, worker, ctas));
        });
        return;
    }
    // Each worker has whole clusters.
    let workers = if launch.config.schedule.is_some() { 1 } else { launch.workers as u64 };
    let share = (ctas.len() / size).div_ceil(workers).max(1) * size;
    let parts = (ctas.begin..ctas.end).step_by(share as usize).enumerate();
    let mut parts: Vec<Residents<'_>> = parts
        .map(|(worker, at)| Residents::new(launch, worker, at..ctas.end.min(at + share)))
        .collect();
    loop {
        texunit_threads::each(&mut parts, |part| {
            shared.timed(launch, || {
                part.run_round(shared);
            });
        });
        let is_over = !parts.iter().any(|part| part.all.iter().any(Resident::runs))
            && parts.iter().all(|part| part.order.left.is_empty());
        if is_faulted() || waits_in_vain((launch, shared, 0), &mut parts) || is_over {
            break;
        }
    }
    parts.iter_mut().for_each(|part| part.collect(shared));
}

/// Executes clusters on a worker one after the other. The next cluster is started beside clusters
/// that wait.
fn run_clusters(launch: &Launch<'_>, shared: &Shared, worker: usize, ctas: CtaRange) {
    let size = launch.cluster_size();
    let mut residents = Residents::new(launch, worker, 0..0);
    let mut clusters = std::iter::repeat_with(|| shared.next.fetch_add(size, Relaxed))
        .take_while(|&first| first < ctas.end)
        .map(|first| first..first + size)
        .fuse();
    let is_over = || shared.faulted.load(Relaxed) != u64::MAX || launch.is_cancelled();
    let mut all_waited = true;
    while !is_over() {
        if residents.order.left.is_empty() && (residents.has_room() || all_waited) {
            residents.order.left = clusters.next().unwrap_or(0..0);
        }
        let runs = residents.run_round(shared);
        if !runs && residents.order.left.is_empty() {
            break;
        }
        // The other workers are notified only when a wait begins, continues or ends.
        let all_wait = residents.running().all(|cta| cta.is_aside());
        if (all_wait || all_waited)
            && waits_in_vain((launch, shared, worker), std::slice::from_mut(&mut residents))
        {
            break;
        }
        all_waited = all_wait;
    }
    shared.waits.done(worker);
    residents.collect(shared);
}
