//! A resident CTA: its context, warps, memory and progress. A resident is also the slot that CTAs
//! reuse one after the other.

use super::Shared;
use super::cluster::state::Cluster;
use super::context::{Context, Launch};
use super::idle::WaitDetector;
use super::outcome::CtaTurn;
use super::turns::{Policy, Round};
use super::warp::Warp;
use crate::stats::Fault;

/// Progress of a CTA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// The CTA has not begun, or the slot is free.
    Idle,
    Runs,
    Ended,
}

/// A slot for a resident CTA.
pub(super) struct Resident<'a> {
    pub(super) index: u64,
    pub(super) context: Context<'a>,
    pub(super) warps: Vec<Warp>,
    pub(super) stage: Stage,
    pub(super) round: Round,
    pub(super) wait_detector: WaitDetector<'a>,
    /// Number of unsuccessful polls (`WaitDetector::polls`) when the worker last reported them.
    pub(super) reported_polls: u64,
}

impl<'a> Resident<'a> {
    /// A free slot of a worker.
    pub(super) fn new(launch: &'a Launch<'a>, worker: usize) -> Self {
        let mut context = Context::new(launch, worker);
        context.cluster = launch.has_clusters().then(Default::default);
        let warps = (0..launch.warps).map(|_| Warp::default()).collect();
        let (index, stage, reported_polls) = (0, Stage::Idle, 0);
        let (round, wait_detector) = (Round::default(), WaitDetector::default());
        Self { index, context, warps, stage, round, wait_detector, reported_polls }
    }

    /// How often the CTA has polled since it began to wait (at memory, or at the barrier of its
    /// cluster); `None` if it does not wait.
    pub(super) fn polls(&self) -> Option<u64> {
        if self.waits_for_cluster() {
            Some(self.reported_polls + 1)
        } else {
            self.wait_detector.polls()
        }
    }

    /// Whether the CTA waits or may wait, so that others may have to run first.
    pub(super) fn is_aside(&self) -> bool {
        self.polls().is_some() || self.wait_detector.shares()
    }

    /// Whether no thread of the CTA can do anything before the barrier of its cluster opens.
    pub(super) fn waits_for_cluster(&self) -> bool {
        self.context.cluster.as_ref().is_some_and(|cluster| cluster.barrier.is_idle)
    }

    pub(super) fn runs(&self) -> bool {
        self.stage == Stage::Runs
    }

    /// Starts a CTA in this slot.
    pub(super) fn begin(&mut self, index: u64) -> Result<(), Box<Fault>> {
        (self.index, self.stage, self.round) = (index, Stage::Runs, Round::default());
        let launch = self.context.launch;
        if let Some(cluster) = &mut self.context.cluster {
            **cluster = Cluster::of(launch.config, launch.warps, index);
        }
        self.context.begin_cta(index, &mut self.warps)
    }

    /// Continues the turn of the CTA.
    pub(super) fn turn(&mut self, policy: Policy<'_>) -> Result<CtaTurn, Box<Fault>> {
        self.context.turn_cta(&mut self.warps, &mut self.round, policy, || false)
    }

    /// Ends the CTA, with or without a fault.
    pub(super) fn end(&mut self, result: Result<(), Box<Fault>>, shared: &Shared) {
        self.stage = Stage::Ended;
        self.wait_detector.end(&mut self.context);
        shared.end_of_cta(self.index, result, &mut self.context);
    }
}
