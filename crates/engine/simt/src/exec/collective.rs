//! Executes operations of several lanes: `.sync` instructions, shuffles, votes, matches,
//! reductions, barriers.

use super::context::Context;
use super::cross::{reduce, vote};
use super::outcome::{Done, Flow, Next, bad_operand};
use super::warp::{Split, State, Warp, lanes, lanes_by, lanes_where};
use crate::code::{Barrier, BarrierKind, Inst, Op};
use crate::observe::{Events, Synchronization};
use texunit_alu::L32;
use texunit_forms::Count;
use texunit_isa::BoolOp;

/// Whether the lanes of a membermask have all arrived at the instruction.
enum Arrival {
    /// Some lanes of the membermask have not arrived yet.
    Incomplete,
    /// All lanes of the membermask are in the current split.
    Here,
    /// All lanes of the membermask have arrived in several splits, perhaps at several instructions.
    /// All of these instructions have been executed.
    Elsewhere,
}

impl Context<'_> {
    /// Executes an instruction that lanes of a warp execute together.
    pub(super) fn collective(&mut self, warp: &mut Warp, split: &mut Split, inst: &Inst) -> Next {
        let Some(members) = inst.op.members() else {
            self.together(warp, &inst.op, split.mask)?;
            split.pc += 1;
            return Ok(Flow::Continues);
        };
        let masks = *warp.n(&self.launch.constants, members);
        if let Some(lane) = lanes(split.mask).find(|&l| masks[l] >> l & 1 == 0) {
            let what = format!(
                "lane {lane} executes a `.sync` instruction with the membermask {:#010x}, which it is not in",
                masks[lane]
            );
            return bad_operand(lane, what);
        }
        let wanted = masks[split.mask.trailing_zeros() as usize];
        if lanes(split.mask).any(|lane| masks[lane] != wanted) {
            return self.groups(warp, split, inst, &masks);
        }
        let there = if wanted & warp.live & !split.mask != 0 {
            self.meet(warp, split, &inst.op, (wanted, &masks))
        } else {
            if matches!(inst.op, Op::WarpSync { .. }) {
                self.notify_synchronized(warp, (split.mask, split.pc), &Synchronization::Joined);
            }
            Arrival::Here
        };
        match there {
            // The last lane to arrive executes the instruction for all.
            Arrival::Incomplete => return Ok(Flow::Waits(State::Sync)),
            Arrival::Here => self.together(warp, &inst.op, split.mask)?,
            Arrival::Elsewhere => {}
        }
        self.count(warp, inst, split.mask);
        split.pc += 1;
        Ok(Flow::Continues)
    }

    /// Executes an instruction for lanes that have all arrived.
    fn together(&mut self, warp: &mut Warp, op: &Op, mask: u32) -> Done {
        match op {
            Op::Shuffle(shuffle) => {
                let values = *warp.n(&self.launch.constants, shuffle.a);
                self.shuffle(warp, shuffle, mask, (&values, mask));
            }
            Op::Matrix(matrix) => self.matrix(warp, matrix, mask, false)?,
            Op::Mma(mma) => self.mma(warp, mma, mask)?,
            Op::Elect { d, p, .. } => {
                let leader = mask.trailing_zeros();
                warp.put(*d, &[u64::from(leader); 32], u64::MAX, mask);
                warp.put_p(*p, 1 << (leader & 31), mask);
            }
            Op::Vote { mode, d, p, .. } => vote(warp, *mode, *d, *p, mask),
            Op::Match { mode, d, p, a, .. } => self.matching(warp, *mode, [*d, *p, *a], mask),
            Op::Redux { op, ty, d, a, .. } => {
                let values = warp.n(&self.launch.constants, *a);
                self.narrow = [reduce(*op, *ty, values, mask); 32];
                if !d.is_none() {
                    warp.put_n(*d, &self.narrow, mask);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// As [`Self::collective`], for a split whose lanes have different membermasks. Lanes that all
    /// have arrived for one membermask execute the instruction together and continue, one
    /// membermask after the other (docs/numerics.md, 13.11). The other lanes become separate
    /// splits.
    fn groups(&mut self, warp: &mut Warp, split: &mut Split, inst: &Inst, masks: &L32) -> Next {
        let mut there = 0;
        for (same, wanted) in lanes_by(split.mask, |lane| masks[lane]) {
            if wanted & warp.live & !same == 0 {
                there |= same;
                if matches!(inst.op, Op::WarpSync { .. }) {
                    self.notify_synchronized(warp, (same, split.pc), &Synchronization::Joined);
                }
                self.together(warp, &inst.op, same)?;
            } else {
                warp.frames.retain(split.frame);
                warp.splits.push(Split { mask: same, state: State::Ready, ..*split });
            }
        }
        split.mask = there;
        if there == 0 {
            warp.frames.release(split.frame);
            return Ok(Flow::Retired);
        }
        self.count(warp, inst, there);
        split.pc += 1;
        Ok(Flow::Continues)
    }

    /// Called when a split has arrived at an instruction: whether all live lanes of its membermask
    /// have arrived. Splits that wait at the same instruction are merged. For barriers and shuffles
    /// the lanes may wait at different instructions (docs/numerics.md, 13.11), which are then
    /// executed as well.
    fn meet(
        &mut self,
        warp: &mut Warp,
        split: &mut Split,
        op: &Op,
        (wanted, masks): (u32, &L32),
    ) -> Arrival {
        let elsewhere = |is: bool| if is { Arrival::Elsewhere } else { Arrival::Incomplete };
        if matches!(op, Op::WarpSync { .. }) {
            return elsewhere(self.warp_barrier(warp, split, wanted));
        }
        // Lanes with another member mask stay separate.
        let (others, kept): (Vec<Split>, Vec<Split>) = warp.splits.iter().partition(|o| {
            o.pc == split.pc
                && o.frame == split.frame
                && o.state == State::Sync
                && lanes(o.mask).all(|l| masks[l] == wanted)
        });
        if !others.is_empty() {
            warp.splits = others;
            let merged = warp.gather(*split, State::Sync);
            *split = merged;
            warp.splits.extend(kept);
        }
        if wanted & warp.live & !split.mask == 0 {
            return Arrival::Here;
        }
        elsewhere(matches!(op, Op::Shuffle(_)) && self.shuffle_apart(warp, split, wanted))
    }

    /// `bar.warp.sync`: lanes may wait at different instructions with the same mask. When all have
    /// arrived, all continue.
    fn warp_barrier(&mut self, warp: &mut Warp, split: &Split, wanted: u32) -> bool {
        let insts = &self.launch.code.insts;
        let waits = |o: &Split| {
            o.state == State::Sync
                && matches!(insts[o.pc as usize].op, Op::WarpSync { .. })
                && o.mask & !wanted == 0
        };
        let there = warp.splits.iter().filter(|o| waits(o)).fold(split.mask, |m, o| m | o.mask);
        if wanted & warp.live & !there != 0 {
            return false;
        }
        self.notify_synchronized(warp, (there, split.pc), &Synchronization::Joined);
        for i in 0..warp.splits.len() {
            let other = warp.splits[i];
            if waits(&other) {
                self.count(warp, &insts[other.pc as usize], other.mask);
                warp.splits[i] = Split { state: State::Ready, pc: other.pc + 1, ..other };
            }
        }
        true
    }

    /// Executes `bar` and `barrier`: threads arrive at a barrier of the CTA.
    pub(super) fn barrier(&mut self, warp: &mut Warp, split: &mut Split, op: &Barrier) -> Next {
        let constants = &self.launch.constants;
        let lane = split.mask.trailing_zeros() as usize;
        let ids = warp.n(constants, op.id);
        let counts = (!op.threads.is_none()).then(|| warp.n(constants, op.threads));
        let (id, count) = (ids[lane], counts.map(|c| c[lane]));
        let is_same = |lane| ids[lane] == id && counts.map(|c| c[lane]) == count;
        let same = lanes_where(split.mask, is_same);
        warp.part(split, same);
        if self.events.intersects(Events::SYNCHRONIZATION) {
            let waits = op.kind != BarrierKind::Arrive;
            if split.mask == warp.live {
                warp.released_early = 0;
            }
            let (barrier, threads) = (id, count);
            let released_early = split.mask & warp.released_early != 0;
            let what = Synchronization::Arrives { barrier, threads, waits, released_early };
            self.notify_synchronized(warp, (split.mask, split.pc), &what);
        }
        self.cta.has_barriers = true;
        let Some(state) = self.cta.barriers.get_mut(id as usize) else {
            return bad_operand(lane, format!("barrier {id}: a CTA has barriers 0 to 15"));
        };
        let expected = match count {
            None => 0,
            Some(n) if n > 0 && n % 32 == 0 => n,
            Some(n) => {
                let (n, what) = (Count(n, "thread"), "not a multiple of the warp size");
                return bad_operand(lane, format!("barrier {id} for {n}: {what}"));
            }
        };
        if state.arrived != 0 && state.expected != expected {
            let say = |n: u32| match n {
                0 => "all threads".to_owned(),
                n => Count(n, "thread").to_string(),
            };
            let (here, there) = (say(expected), say(state.expected));
            let what = format!("barrier {id} is for {here} here, but for {there} where others");
            return bad_operand(lane, what + " have arrived");
        }
        let threads = split.mask.count_ones();
        state.expected = expected;
        // A barrier with a thread count counts whole warps: the last lanes to arrive also count for
        // lanes that have exited or do not exist.
        let waiting = warp.waiting_at(id as u8);
        let last = expected != 0 && split.mask | waiting == warp.live;
        state.arrived += if last { 32 - waiting.count_ones() } else { threads };
        self.cta.completed |= state.arrived >= state.needed(self.cta.live);
        if matches!(op.kind, BarrierKind::Popc | BarrierKind::Reduce(_)) {
            state.votes += (warp.p(op.p) & split.mask).count_ones();
            state.voters += threads;
        }
        if op.kind == BarrierKind::Arrive {
            split.pc += 1;
            // The CTA opens the barrier, which may now be complete.
            return Ok(Flow::Pauses);
        }
        Ok(Flow::Waits(State::Barrier(id as u8)))
    }

    /// Called after lanes have exited. If all other lanes of the warp wait at a barrier with a
    /// thread count, the warp counts as arrived.
    pub(super) fn barrier_without(&mut self, warp: &Warp) {
        let Some(Split { state: State::Barrier(id), .. }) = warp.splits.first() else { return };
        let state = &mut self.cta.barriers[usize::from(*id)];
        if state.expected != 0 && warp.live != 0 && warp.waiting_at(*id) == warp.live {
            state.arrived += 32 - warp.live.count_ones();
            self.cta.completed |= state.arrived >= state.expected;
        }
    }

    /// Whether any barrier has all arrivals that it needs.
    pub(super) fn has_complete_barrier(&self) -> bool {
        let live = self.cta.live;
        self.cta.has_barriers && self.cta.barriers.iter().any(|of| of.is_complete(live))
    }

    /// Releases the threads at complete barriers. Returns whether there were any.
    pub(super) fn open_barriers(&mut self, warps: &mut [Warp]) -> bool {
        if !self.cta.has_barriers {
            return false;
        }
        let mut opened = false;
        self.cta.completed = false;
        for id in 0..self.cta.barriers.len() {
            let state = self.cta.barriers[id];
            if !state.is_complete(self.cta.live) {
                continue;
            }
            opened = true;
            self.cta.barriers[id] = Default::default();
            for warp in warps.iter_mut() {
                for i in 0..warp.splits.len() {
                    let split = warp.splits[i];
                    if split.state == State::Barrier(id as u8) {
                        let passes = Synchronization::Passes { barrier: id as u32 };
                        self.notify_synchronized(warp, (split.mask, split.pc), &passes);
                        self.pass_barrier(warp, split, state.votes, state.voters);
                        warp.released_early &= !split.mask;
                        warp.splits[i].state = State::Ready;
                        warp.splits[i].pc += 1;
                    }
                }
            }
        }
        opened
    }

    fn pass_barrier(&self, warp: &mut Warp, split: Split, votes: u32, voters: u32) {
        let Op::Barrier(op) = &self.launch.code.insts[split.pc as usize].op else { return };
        warp.enter(split.frame);
        let value = match op.kind {
            BarrierKind::Popc => votes,
            BarrierKind::Reduce(BoolOp::And) => u32::from(votes == voters),
            BarrierKind::Reduce(BoolOp::Or) => u32::from(votes != 0),
            BarrierKind::Reduce(BoolOp::Xor) => votes & 1,
            BarrierKind::Sync | BarrierKind::Arrive => return,
        };
        warp.put(op.d, &[u64::from(value); 32], u64::MAX, split.mask);
    }
}
