//! The outer loop of the interpreter: executes the splits of a warp, instruction by instruction.

use super::context::Context;
use super::decoded::{self, Progress, WarpInputs};
use super::groups::{diverge, join};
use super::limits::TURN;
use super::machine::stepper::StepAnswer;
use super::outcome::{At, Flow, Next, Resume, Stop, Turn, fault_of_all};
use super::warp::{self, Split, Warp, guarded, is_converged};
use crate::code::{Inst, NONE, Op};
use crate::fault::FaultKind;
use crate::observe::{CallEvent, Events};
use texunit_jit::region::FIRST_TURN;

impl Warp {
    /// Begins a turn. Fetches and barriers also end turns, but the budget is renewed only if it is
    /// used up.
    #[inline(always)]
    pub(super) fn begin_turn(&mut self, budget: u64) {
        (self.atomics, self.shared_turn) = (0, FIRST_TURN);
        if self.end == 0 {
            self.end = budget;
        }
    }
}

impl Context<'_> {
    /// Executes a warp to the end of its turn ([`Warp::begin_turn`]).
    pub(crate) fn run(&mut self, warp: &mut Warp, resume: Option<Resume>) -> Result<Turn, At> {
        let end = warp.end;
        // Mask of the lanes that have yielded.
        let mut yielded = resume.map_or(0, |resume| resume.yielded);
        let mut next = resume.map(|resume| (warp.splits.remove(0), resume));
        while let Some((mut split, Resume { mut limit, over, .. })) = next.take().or_else(|| {
            let split = warp.pick()?;
            let is_divided = warp.is_divided(split.mask);
            let limit = if is_divided { end.min(warp.steps + warp.split_turn()) } else { end };
            Some((split, Resume { limit, over: false, yielded: 0 }))
        }) {
            warp.enter(split.frame);
            let flow =
                if over { Ok(Flow::Pauses) } else { self.run_split(warp, &mut split, &mut limit) };
            if matches!(flow, Ok(Flow::Stops)) {
                warp.splits.insert(0, split);
                self.stopped(Resume { limit, over: false, yielded });
                return Ok(Turn::Stopped);
            }
            let yields = matches!(flow, Ok(Flow::Yields));
            yielded = if yields { yielded | split.mask } else { yielded & !split.mask };
            match flow {
                Ok(Flow::Yields) => {
                    warp.splits.push(split);
                    warp.has_yielded();
                }
                Ok(Flow::Continues | Flow::Diverges | Flow::Pauses) => {
                    warp.shared_turn = (2 * warp.shared_turn).min(TURN);
                    warp.splits.push(split);
                }
                Ok(Flow::AtUnit) => {
                    warp.splits.push(split);
                    return Ok(Turn::AtUnit);
                }
                Ok(Flow::Stops) => {}
                Ok(Flow::Retired) if warp.live == 0 => return Ok(Turn::Done),
                Ok(Flow::Retired) => {}
                Ok(Flow::Waits(state)) => {
                    split.state = state;
                    warp.splits.push(split);
                }
                Err(pending) => return Err(At { split, pending }),
            }
            if self.cta.completed {
                return Ok(Turn::Blocked);
            }
            warp.open_stale(self.fixed.code.uses_activemask);
            let none_goes = yields && warp.only(yielded);
            if (warp.steps >= end || none_goes) && warp.live != 0 {
                return Ok(Turn::Over);
            }
        }
        Ok(if warp.live == 0 { Turn::Done } else { Turn::Blocked })
    }

    fn run_split(&mut self, warp: &mut Warp, split: &mut Split, limit: &mut u64) -> Next {
        let insts = &self.launch.code.insts[..];
        self.arrives(warp, split);
        loop {
            if self.advance(warp, split, limit) == Stop::Over {
                return Ok(Flow::Pauses);
            }
            let (from, inst) = (split.pc, &insts[split.pc as usize]);
            if self.waits_at_unit && is_converged(warp, split) && inst.calls_unit() {
                return Ok(Flow::AtUnit);
            }
            // A turn ends only at a backward jump or a barrier; regions keep the same rule.
            if warp.steps >= *limit && matches!(inst.op, Op::Barrier(_)) {
                return Ok(Flow::Pauses);
            }
            match self.step(warp, split, inst)? {
                // A debugger mark is not an instruction.
                Flow::Continues if self.debug.is_some() && matches!(inst.op, Op::Mark(_)) => {}
                Flow::Continues if self.is_random && warp.steps >= *limit => {
                    return Ok(Flow::Pauses);
                }
                // No other split waits to be executed.
                Flow::Continues if matches!(inst.op, Op::Join) && !warp.is_divided(split.mask) => {
                    *limit = warp.end;
                }
                Flow::Continues => {}
                Flow::Diverges => {
                    if warp.is_divided(split.mask) {
                        *limit = (*limit).min(warp.steps + warp.split_turn());
                    }
                    if warp.steps >= *limit && (split.pc <= from || self.is_random) {
                        return Ok(Flow::Pauses);
                    }
                }
                flow => return Ok(flow),
            }
        }
    }

    /// Executes the next instruction of a split.
    #[inline]
    pub(super) fn step(&mut self, warp: &mut Warp, split: &mut Split, inst: &Inst) -> Next {
        let mask = guarded(warp, split, inst);
        // The instruction of lanes that wait for others is counted after those have arrived.
        if mask == 0 || inst.op.members().is_none() {
            self.count(warp, inst, mask);
        }
        if mask == 0 {
            split.pc += 1;
            return Ok(Flow::Continues);
        }
        match &inst.op {
            Op::Branch { target, reconverge } => {
                diverge(warp, split, mask, *target, *reconverge);
                self.arrives(warp, split);
                return Ok(Flow::Diverges);
            }
            Op::Join => return Ok(join(warp, split)),
            op @ (Op::Count { .. } | Op::Issue { .. }) => self.count_op(warp, op, mask),
            op if ends_block(op) => {
                let flow = self.control(warp, split, inst, mask)?;
                if matches!(op, Op::Call(_) | Op::Return | Op::BranchIndexed { .. }) {
                    self.arrives(warp, split);
                }
                return Ok(if flow == Flow::Continues { Flow::Diverges } else { flow });
            }
            Op::Fetch(fetch) => self.fetch(warp, fetch, mask)?,
            Op::Mark(mark) => {
                match self.stops(warp, mark, split.pc, mask) {
                    StepAnswer::Continues => {}
                    StepAnswer::Stops => return Ok(Flow::Stops),
                    StepAnswer::Ends => return fault_of_all(FaultKind::Cancelled),
                }
                self.mark(warp, mark, mask);
            }
            Op::Atomic(_) | Op::Mbarrier(_) | Op::Yield => {
                let flow = self.meeting(warp, &inst.op, mask)?;
                self.fill_missed(split.pc);
                split.pc += 1;
                return Ok(flow);
            }
            op => {
                match op {
                    Op::Load(access) => self.load(warp, access, mask)?,
                    Op::Store(access) => self.store(warp, access, mask)?,
                    Op::Query(query) => self.query(warp, query, mask)?,
                    _ => self.rare_op(warp, op, mask)?,
                }
                self.fill_missed(split.pc);
            }
        }
        if self.sites.bad.has_news() {
            self.note_bad(warp, *split);
        }
        split.pc += 1;
        Ok(Flow::Continues)
    }

    /// Records the location of fetches that are incompatible with their texture.
    #[cold]
    fn note_bad(&mut self, warp: &Warp, split: Split) {
        for pending in self.sites.bad.take_pending() {
            let fault = self.fault(warp, At { split, pending: Box::new(pending) });
            self.sites.bad.record(*fault);
        }
    }

    /// Counts an instruction that the lanes of a mask have executed.
    #[inline]
    pub(super) fn count(&mut self, warp: &mut Warp, inst: &Inst, mask: u32) {
        self.counters.executed.count_lanes(warp, inst.count.into(), mask);
    }

    /// Executes instructions in the inner loop.
    #[inline(never)]
    pub(super) fn run_decoded(&mut self, warp: &mut Warp, split: &mut Split, limit: u64) -> Stop {
        let mut place = Progress {
            pc: split.pc,
            mask: split.mask,
            grouped: split.group != NONE,
            steps: warp.steps,
            limit,
            threads: 0,
            turns: self.compiles(),
            stop: Stop::Instruction,
        };
        let first = 3 * warp.index as usize;
        let (tid, counts) = (&self.tids[first..first + 3], &self.counts);
        let values = WarpInputs { fixed: &self.fixed, of_cta: &self.of_cta, tid, counts };
        decoded::run(self.level, &values, warp, &mut place);
        self.counters.executed.count(warp, place.steps - warp.steps, place.threads);
        split.pc = place.pc;
        place.stop
    }

    /// Exits a warp all of whose lanes are in one split.
    pub(super) fn exit_all(&mut self, warp: &mut Warp, split: &mut Split, inst: &Inst) {
        let live = warp.live;
        self.count(warp, inst, live);
        if split.frame != 0 {
            self.exit(warp, split, live);
            return;
        }
        // The call frame of the kernel is kept, and no lane waits for those that exit.
        self.cta.live -= warp::count(live) as u32;
        warp.live = 0;
        self.notify_exit(warp, live, split.pc);
    }

    fn notify_exit(&mut self, warp: &Warp, lanes: u32, pc: u32) {
        if self.events.intersects(Events::CALLS) {
            let at = self.at(warp, lanes, pc);
            self.notify_call(at, &CallEvent::Exits { last: warp.live == 0 });
        }
    }

    /// Exits lanes of a split.
    pub(super) fn exit(&mut self, warp: &mut Warp, split: &mut Split, mask: u32) -> Flow {
        self.cta.live -= mask.count_ones();
        warp.exit(split, mask);
        self.notify_exit(warp, mask, split.pc);
        if split.mask == 0 {
            self.barrier_without(warp);
            return Flow::Retired;
        }
        split.pc += 1;
        Flow::Continues
    }

    /// Executes instructions at which lanes can diverge, wait or exit.
    fn control(&mut self, warp: &mut Warp, split: &mut Split, inst: &Inst, mask: u32) -> Next {
        match &inst.op {
            Op::Exit => Ok(self.exit(warp, split, mask)),
            Op::Return => self.ret(warp, split),
            Op::Call(call) => self.call(warp, split, call),
            Op::BranchIndexed { index, targets, reconverge } => {
                self.branch_indexed(warp, split, *index, targets, *reconverge)
            }
            Op::Barrier(barrier) => self.barrier(warp, split, barrier),
            Op::Builtin(call) => self.builtin(warp, split, call, mask),
            Op::ClusterBarrier { waits } => self.cluster_barrier(warp, split, *waits),
            _ => self.collective(warp, split, inst),
        }
    }
}

/// Whether [`Context::control`] executes an operation.
#[inline]
fn ends_block(op: &Op) -> bool {
    matches!(
        op,
        Op::Exit
            | Op::Return
            | Op::Call(_)
            | Op::BranchIndexed { .. }
            | Op::Barrier(_)
            | Op::Builtin(_)
            | Op::ClusterBarrier { .. }
    ) || op.is_collective()
}
