//! Saves and restores the state of a debugged launch, except the contents of global memory.

use super::super::cluster::state::{Barrier, Cluster};
use super::super::context::Cta;
use super::super::counters::Counters;
use super::super::idle::state_of;
use super::super::output::{Output, Printed};
use super::super::resident::Stage;
use super::super::residents::Order;
use super::super::turns::Round;
use super::super::warp::Warp;
use super::{Machine, Position, StopPoint};
use crate::stats::Fault;
use texunit_memory::SavedHeap;

struct SavedResident {
    index: u64,
    stage: Stage,
    warps: Vec<Warp>,
    cta: Option<Cta>,
    output: Output,
    counters: Counters,
    round: Round,
    cluster: Option<Barrier>,
}

/// The state of a launch, without the contents of global memory and arrays.
pub struct Saved {
    residents: Vec<SavedResident>,
    order: Order,
    position: Position,
    passes: bool,
    stop_point: StopPoint,
    printed: Printed,
    has_ended: bool,
    fault: Option<(StopPoint, Box<Fault>)>,
    heap: Option<SavedHeap>,
}

impl std::fmt::Debug for Saved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Saved").field("position", &self.position).finish_non_exhaustive()
    }
}

impl Saved {
    /// The position at which the state was saved.
    pub fn position(&self) -> Position {
        self.position
    }

    /// Approximate size of the saved state in bytes.
    pub fn bytes(&self) -> u64 {
        let warp = |warp: &Warp| {
            let rows = warp.narrow.len() * 128 + warp.wide.len() * 256 + warp.local.len() * 128;
            (rows + warp.predicates.len() * 4 + 512) as u64
        };
        let resident = |resident: &SavedResident| {
            let shared = resident.cta.as_ref().map_or(0, |cta| cta.shared.len() as u64);
            resident.warps.iter().map(warp).sum::<u64>() + shared + 512
        };
        self.residents.iter().map(resident).sum()
    }

    /// Whether two states are equal in all registers of threads that have not exited, all memory of
    /// CTAs, and the scheduling state. Lanes without a thread may have any bits: vector code writes
    /// them.
    pub fn is_same(&self, other: &Self) -> bool {
        let state = |saved: &Self| {
            let of_resident = |r: &SavedResident| {
                let state = r.cta.as_ref().map(|cta| state_of(cta, r.cluster.as_ref(), &r.warps));
                let calls: Vec<_> = r.warps.iter().map(|w| (&w.frames, w.steps, w.end)).collect();
                (r.index, state, format!("{:?} {:?} {calls:?}", r.stage, r.round))
            };
            let residents: Vec<_> = saved.residents.iter().map(of_resident).collect();
            (residents, saved.position, saved.passes, format!("{:?}", saved.order))
        };
        state(self) == state(other)
    }
}

impl Machine<'_> {
    /// Saves the current state.
    pub fn save(&self) -> Saved {
        let residents = self.residents.all.iter().map(|resident| {
            let runs = resident.runs();
            SavedResident {
                index: resident.index,
                stage: resident.stage,
                warps: if runs { resident.warps.clone() } else { Vec::new() },
                cta: runs.then(|| resident.context.cta.clone()),
                output: resident.context.output.clone(),
                counters: resident.context.counters,
                round: resident.round.clone(),
                cluster: resident.context.cluster.as_ref().map(|of| of.barrier.clone()),
            }
        });
        Saved {
            residents: residents.collect(),
            order: self.residents.order.clone(),
            position: self.stepper.position,
            passes: self.stepper.passes,
            stop_point: self.stepper.stop_point,
            printed: self.collected.printed.clone(),
            has_ended: self.has_ended,
            fault: self.fault.clone(),
            heap: self.launch.config.heap.map(texunit_memory::Heap::save),
        }
    }

    /// Restores a saved state. The caller restores the contents of memory.
    pub fn restore(&mut self, saved: &Saved) {
        for (resident, saved) in self.residents.all.iter_mut().zip(&saved.residents) {
            (resident.index, resident.stage) = (saved.index, saved.stage);
            resident.round = saved.round.clone();
            if let Some(cta) = &saved.cta {
                resident.warps.clone_from(&saved.warps);
                resident.context.name_cta(saved.index);
                resident.context.cta = cta.clone();
            }
            if let (Some(barrier), launch) = (&saved.cluster, self.launch) {
                let mut of = Cluster::of(launch.config, launch.warps, saved.index);
                of.barrier = barrier.clone();
                resident.context.cluster = Some(Box::new(of));
            }
            resident.context.output = saved.output.clone();
            resident.context.counters = saved.counters;
            // The wait detector is reset, so that it counts steps from the restored state on.
            resident.wait_detector.end(&mut resident.context);
        }
        self.residents.order = saved.order.clone();
        self.stepper.position = saved.position;
        self.stepper.passes = saved.passes;
        self.stepper.stop_point = saved.stop_point;
        self.collected.printed = saved.printed.clone();
        self.has_ended = saved.has_ended;
        self.fault = saved.fault.clone();
        if let (Some(heap), Some(state)) = (self.launch.config.heap, &saved.heap) {
            heap.restore(state);
        }
    }
}
