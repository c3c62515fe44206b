//! A CTA that runs in turns beside others, with a context, warps and memory of its own.

use super::Shared;
use super::cluster::{self, Cluster};
use super::context::{Context, Launch};
use super::counters::Counts;
use super::idle::Patience;
use super::turns::Begun;
use super::warp::Warp;
use std::sync::MutexGuard;

/// Steps of a warp in a turn.
pub(super) const TURN: u64 = 4 * 1024;

/// How far a CTA has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// It has not begun, or its place is free.
    Idle,
    Runs,
    Ended,
}

/// The context of a CTA beside which others run.
pub(super) fn context<'a>(launch: &'a Launch<'a>, worker: usize) -> Context<'a> {
    let mut context = Context::new(launch, worker);
    context.cluster = cluster::is_needed(launch).then(Default::default);
    context
}

/// A place for a CTA.
pub(super) struct Resident<'a> {
    pub(super) index: u64,
    pub(super) context: Context<'a>,
    pub(super) warps: Vec<Warp>,
    pub(super) stage: Stage,
    pub(super) patience: Patience<'a>,
    /// Looks without a change (`Patience::looks`) that the CTA had made when its worker last reported them.
    pub(super) told: u64,
}

impl<'a> Resident<'a> {
    /// A free place, of a worker.
    pub(super) fn new(launch: &'a Launch<'a>, worker: usize) -> Self {
        let context = context(launch, worker);
        let warps = (0..launch.warps).map(|_| Warp::default()).collect();
        let patience = Patience::default();
        Self { index: 0, context, warps, stage: Stage::Idle, patience, told: 0 }
    }

    /// Puts the threads of a CTA at the beginning of the kernel.
    pub(super) fn begin(&mut self, index: u64, shared: &Shared) {
        (self.index, self.stage) = (index, Stage::Runs);
        let launch = self.context.launch;
        if let Some(cluster) = &mut self.context.cluster {
            **cluster = Cluster::of(launch, index);
        }
        if let Err(fault) = self.context.begin_cta(index, &mut self.warps) {
            self.end(Err(fault), shared);
        }
    }

    /// Begins a CTA with the counters of its worker.
    pub(super) fn begin_counted(&mut self, index: u64, shared: &Shared, counts: &mut Counts) {
        self.context.counts = std::mem::take(counts);
        self.begin(index, shared);
        *counts = std::mem::take(&mut self.context.counts);
    }

    /// A turn of a CTA that runs, with the counters of its worker.
    pub(super) fn turn(&mut self, shared: &Shared, counts: &mut Counts) {
        if self.stage != Stage::Runs {
            return;
        }
        self.context.counts = std::mem::take(counts);
        let result = self.context.turn_cta(&mut self.warps, Begun::default(), TURN, || false);
        if !matches!(result, Ok(false)) {
            self.end(result.map(|_| ()), shared);
        } else if self.context.launch.config.cooperative && self.context.cluster.is_none() {
            // What others of a cluster may store to its memory is not looked at.
            self.patience.round(&mut self.context, &mut self.warps);
        }
        *counts = std::mem::take(&mut self.context.counts);
    }

    /// The CTA has come to its end, or to a fault.
    pub(super) fn end(&mut self, result: Result<(), Box<crate::stats::Fault>>, shared: &Shared) {
        self.stage = Stage::Ended;
        self.patience.end(&mut self.context);
        shared.end_of_cta(self.index, result, &mut self.context);
    }

    /// The launch is over: adds what this place has counted, and what a CTA has printed that the fault of another one
    /// has ended.
    pub(super) fn collect(&mut self, state: &mut MutexGuard<'_, super::Collected>) {
        state.add(&mut self.context);
        if self.stage == Stage::Runs {
            self.context.tell_end(None);
            let limit = self.context.launch.config.printf_limit;
            state.printed.take(self.index, &mut self.context.output, limit);
        }
    }
}
