//! Cooperative launches: all CTAs are there at the same time and run in turns, so that they can
//! wait for each other (`grid.sync()`).
//!
//! The turns of a round are about equally long, so a CTA that waits in a loop executes about as
//! many instructions as those that it waits for: the limit of steps keeps its meaning.

use super::Shared;
use super::cluster;
use super::context::Launch;
use super::counters::Counts;
use super::resident::{Resident, Stage};
use super::waiting::WaitingCtas;
use std::sync::PoisonError;
use std::sync::atomic::Ordering::Relaxed;

/// Whether all CTAs that are there wait for somebody, who does not come: then the launch is over.
fn waits_in_vain(launch: &Launch<'_>, shared: &Shared, residents: &mut [Resident<'_>]) -> bool {
    let running = || residents.iter().filter(|r| r.stage == Stage::Runs);
    if running().next().is_none() || running().any(|r| r.patience.looks().is_none()) {
        shared.waits.go_on(0, launch.config.others);
        residents.iter_mut().for_each(|resident| resident.told = 0);
        return false;
    }
    // In the middle of a turn of its loop one may still go on.
    if running().any(|r| r.patience.looks().is_none_or(|looks| looks <= r.told)) {
        return false;
    }
    for resident in residents.iter_mut() {
        resident.told = resident.patience.looks().unwrap_or(0);
    }
    let waiting = residents.iter_mut().filter(|r| r.stage == Stage::Runs);
    let mut all: Vec<WaitingCtas<'_, '_>> =
        waiting.map(|r| (r.index, &mut r.context, &mut r.warps[..])).collect();
    let is_over = shared.end_if_in_vain((launch, 0), &mut all);
    if is_over {
        residents.iter_mut().for_each(|resident| resident.stage = Stage::Ended);
    }
    is_over
}

/// Runs all CTAs to their ends, or to the end of the round with the first fault.
pub(super) fn run(launch: &Launch<'_>, shared: &Shared, ctas: u64) {
    // Each worker has whole clusters.
    let size = cluster::size(launch);
    let share = (ctas / size).div_ceil(launch.workers as u64).max(1) * size;
    let mut counts: Vec<Counts> =
        (0..launch.workers).map(|_| Counts::new(launch.counters)).collect();
    let mut residents: Vec<Resident<'_>> =
        (0..ctas).map(|number| Resident::new(launch, (number / share) as usize)).collect();
    let members: Vec<usize> = (0..size as usize).collect();
    let begin = |part: &mut [Resident<'_>], counts: &mut Counts, first: u64| {
        for (resident, number) in part.iter_mut().zip(first..) {
            resident.begin_counted(cluster::cta_of(launch, number), shared, counts);
        }
    };
    let turns = |part: &mut [Resident<'_>], counts: &mut Counts| {
        for of in part.chunks_mut(size as usize) {
            cluster::round(of, &members, shared, counts);
        }
        if let (Some(first), true) = (part.first_mut(), launch.counters != 0) {
            first.context.counts = std::mem::take(counts);
            first.context.tell_counts_at_times();
            *counts = std::mem::take(&mut first.context.counts);
        }
    };
    let mut is_first = true;
    while is_first || residents.iter().any(|r| r.stage == Stage::Runs) {
        let parts = residents
            .chunks_mut(share as usize)
            .zip(&mut counts)
            .zip((0..).step_by(share as usize));
        texunit_threads::each(parts, |((part, counts), first)| {
            shared.timed(launch, || {
                if is_first {
                    begin(part, counts, first);
                }
                turns(part, counts);
            });
        });
        is_first = false;
        if shared.faulted.load(Relaxed) != u64::MAX || waits_in_vain(launch, shared, &mut residents)
        {
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
    residents.iter_mut().for_each(|resident| resident.collect(&mut state));
}
