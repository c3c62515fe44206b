//! Notifies observers: executes marks, and reports events of the executor.
//!
//! None of this code runs in a launch without an observer.

mod accesses;
mod probe_adapter;

use super::context::Context;
use super::warp::{Warp, lanes_by, lanes_by_value};
use crate::clock::Moment;
use crate::code::{Inst, Mark, Op, Slot};
use crate::observe::event::ValueSource;
use crate::observe::{At, Branch, CallEvent, CtaInfo, Events, Probe, Synchronization, Values};
use crate::stats::Fault;
pub(super) use probe_adapter::ProbeAdapter;
use std::time::Duration;
use texunit_alu::L32;

/// Minimum time between two reports of block and branch counters by a worker.
const COUNTS_AFTER: Duration = Duration::from_millis(250);

type DynProbe<'p> = dyn Probe + 'p;

impl<'a> Context<'a> {
    /// The position of lanes that observers are given: CTA, warp, lanes and operation. `pc`: index
    /// of the instruction in the executed code, which may contain marks.
    pub(super) fn at(&self, warp: &Warp, lanes: u32, pc: u32) -> At {
        let op = self.launch.observed.map_or(pc, |observed| observed.op(pc));
        At { cta: self.cta.id, warp: warp.index, lanes, op }
    }

    /// As [`Self::at`], given the number of a texture or surface instruction.
    pub(super) fn at_site(&self, warp: &Warp, lanes: u32, site: usize) -> At {
        let op = self.launch.observed.map_or(0, |observed| observed.site(site));
        At { cta: self.cta.id, warp: warp.index, lanes, op }
    }

    fn cta_info(&self) -> CtaInfo {
        let config = self.launch.config;
        CtaInfo {
            id: self.cta.id,
            index: self.cta_number(),
            block: config.block,
            warps: self.launch.warps,
            shared: self.launch.shared_size as u64,
        }
    }

    #[inline]
    pub(super) fn notify_begin(&mut self) {
        if self.probe.is_some() {
            let cta = self.cta_info();
            self.probe.iter_mut().for_each(|probe| probe.cta_begins(&cta));
        }
    }

    #[inline]
    pub(super) fn notify_end(&mut self, fault: Option<&Fault>) {
        if self.probe.is_some() {
            let cta = self.cta_info();
            self.probe.iter_mut().for_each(|probe| probe.cta_ends(&cta, fault));
        }
    }

    /// Executes an operation that counts lanes or warps.
    #[inline]
    pub(super) fn count_op(&self, warp: &Warp, op: &Op, lanes: u32) {
        let (&Op::Count { counter, of } | &Op::Issue { counter, of }) = op else { return };
        let those = if of == Slot::TRUE { lanes } else { warp.p(of) };
        match op {
            Op::Count { .. } => self.counts.add((counter, of), lanes, those),
            _ => self.counts.issue((counter, of), lanes, those),
        }
    }

    /// Reports the counters of blocks and branches to the probe.
    pub(super) fn notify_counts(&mut self) {
        let counts = self.counts.take();
        self.probe.iter_mut().for_each(|probe| probe.counted(&counts));
        self.counts_reported = Moment::now();
    }

    /// As [`Self::notify_counts`], if [`COUNTS_AFTER`] has passed since the last report. Called
    /// between turns and CTAs.
    pub(super) fn notify_counts_at_times(&mut self) {
        if !self.counts.is_empty() && self.counts_reported.elapsed() > COUNTS_AFTER {
            self.notify_counts();
        }
    }

    /// Mask of the lanes of a fetch or surface access whose results the probe wants.
    pub(super) fn answer_lanes(&mut self, at: &At) -> u32 {
        match &mut self.probe {
            Some(probe) if self.events.intersects(Events::ANSWERS) => probe.answer_lanes(at),
            _ => 0,
        }
    }

    /// Reports a synchronisation of lanes, given the index of their instruction in the executed
    /// code.
    #[inline]
    pub(super) fn notify_synchronized(
        &mut self,
        warp: &Warp,
        (lanes, pc): (u32, u32),
        what: &Synchronization<'_>,
    ) {
        if self.events.intersects(Events::SYNCHRONIZATION) {
            let at = self.at(warp, lanes, pc);
            self.probe.iter_mut().for_each(|probe| probe.synchronized(&at, what));
        }
    }

    #[cold]
    pub(super) fn notify_call(&mut self, at: At, called: &CallEvent<'_>) {
        self.probe.iter_mut().for_each(|probe| probe.call(&at, called));
    }

    /// Executes a mark for the active lanes.
    #[cold]
    pub(super) fn mark(&mut self, warp: &Warp, mark: &Mark, mask: u32) {
        self.marked_op = (mark.op, mark.order);
        let Some(mut probe) = self.probe.take() else { return };
        let inst = &self.launch.code.insts[mark.target as usize];
        let guard = if inst.guard == Slot::TRUE { u32::MAX } else { warp.p(inst.guard) };
        let at = At { cta: self.cta.id, warp: warp.index, lanes: mask, op: mark.op };
        if mark.after {
            self.after(&mut *probe, warp, inst, mark, At { lanes: mask & guard, ..at });
        } else {
            self.before(&mut *probe, warp, (inst, guard), mark, at);
        }
        self.probe = Some(probe);
    }

    fn after(&self, probe: &mut DynProbe<'_>, warp: &Warp, inst: &Inst, mark: &Mark, at: At) {
        if at.lanes == 0 {
            return;
        }
        let parts = match &inst.op {
            Op::Load(access) | Op::LoadQuad(access) => &access.parts,
            Op::Atomic(atomic) => &atomic.access.parts,
            _ if mark.reports.intersects(Events::SYNCHRONIZATION) => {
                return meet(probe, mark, &at, None);
            }
            _ => return,
        };
        let registers = warp.registers(&self.launch.constants);
        probe.result(&at, &Values(ValueSource::Registers { registers, parts }));
    }

    fn before(
        &mut self,
        probe: &mut DynProbe<'_>,
        warp: &Warp,
        (inst, guard): (&Inst, u32),
        mark: &Mark,
        at: At,
    ) {
        if mark.reports.intersects(Events::BLOCKS) {
            probe.block(&at);
        }
        let launch = self.launch;
        let target = |pc| launch.observed.map_or(pc, |observed| observed.op(pc));
        let branches = mark.reports.intersects(Events::BRANCHES);
        if let Op::Branch { target: to, .. } = &inst.op {
            if mark.reports.intersects(Events::OPERATIONS) {
                probe.operation(&at, &warp.registers(&launch.constants));
            }
            if branches {
                let (taken, target) = (at.lanes & guard, target(*to));
                probe.branch(&at, &Branch { taken, target, indexed: false });
            }
            return;
        }
        let at = At { lanes: at.lanes & guard, ..at };
        if at.lanes == 0 {
            return;
        }
        if mark.reports.intersects(Events::OPERATIONS) {
            probe.operation(&at, &warp.registers(&launch.constants));
        }
        if let (true, Op::BranchIndexed { index, targets, .. }) = (branches, &inst.op) {
            let index = warp.n(&launch.constants, *index);
            for (taken, to) in lanes_by(at.lanes, |lane| targets.get(index[lane] as usize)) {
                // An index past the end is a fault.
                if let Some(&to) = to {
                    let target = target(to);
                    let at = At { lanes: taken, ..at };
                    probe.branch(&at, &Branch { taken, target, indexed: true });
                }
            }
        }
        if mark.reports.intersects(Events::SYNCHRONIZATION) {
            let members = inst.op.members().map(|members| warp.n(&launch.constants, members));
            meet(probe, mark, &at, members);
        }
        if mark.reports.intersects(Events::ANY_ACCESS) {
            self.accesses(probe, warp, &inst.op, at);
        }
    }
}

/// Reports a fence, the arrival of lanes at a `.sync` instruction with their member masks, or their
/// continuation.
fn meet(probe: &mut DynProbe<'_>, mark: &Mark, at: &At, members: Option<&L32>) {
    if let Some(fence) = &mark.fence {
        return probe.synchronized(at, fence);
    }
    if mark.after {
        return probe.synchronized(at, &Synchronization::Joined);
    }
    for (lanes, members) in members.into_iter().flat_map(|masks| lanes_by_value(at.lanes, masks)) {
        probe.synchronized(&At { lanes, ..*at }, &Synchronization::Joins { members });
    }
}
