//! Data exchange between lanes: shuffles, votes, matches, reductions.

use super::atomic::apply;
use super::context::Context;
use super::warp::{Split, State, Warp, lanes};
use crate::code::{Op, Shuffle, Slot};
use texunit_alu::L32;
use texunit_isa::{AtomOp, MatchMode, ScalarType, ShflMode, VoteMode};

impl Context<'_> {
    /// Executes a shuffle for the lanes of a mask, with the values of the executing lanes.
    pub(super) fn shuffle(
        &mut self,
        warp: &mut Warp,
        op: &Shuffle,
        mask: u32,
        (values, executing): (&L32, u32),
    ) {
        let constants = &self.launch.constants;
        let (b, c) = (warp.n(constants, op.b), warp.n(constants, op.c));
        let mut valid = 0;
        for lane in 0..32 {
            let (from, ok) = shuffle_source(op.mode, lane as u32, b[lane], c[lane]);
            self.narrow[lane] = shuffled(values, from, executing);
            valid |= u32::from(ok) << lane;
        }
        if !op.d.is_none() {
            warp.put_n(op.d, &self.narrow, mask);
        }
        warp.put_p(op.p, valid, mask);
    }

    /// Whether the lanes of a split and the lanes that wait at other shuffles with the same member
    /// mask are all its members. If so, they exchange values as in a single shuffle
    /// (docs/numerics.md, 13.11), and the waiting lanes continue. The split is in the running call
    /// frame.
    pub(super) fn shuffle_apart(&mut self, warp: &mut Warp, split: &Split, wanted: u32) -> bool {
        let launch = self.launch;
        let shuffle = |split: &Split| match &launch.code.insts[split.pc as usize].op {
            Op::Shuffle(shuffle) => Some(&**shuffle),
            _ => None,
        };
        let mut waiting: Vec<(usize, Split, &Shuffle)> = Vec::new();
        for i in 0..warp.splits.len() {
            let other = warp.splits[i];
            let op = shuffle(&other).filter(|_| other.state == State::Sync);
            let Some(op) = op else { continue };
            warp.enter(other.frame);
            let masks = warp.n(&launch.constants, op.members);
            if lanes(other.mask).all(|lane| masks[lane] == wanted) {
                waiting.push((i, other, op));
            }
        }
        let all = waiting.iter().fold(split.mask, |mask, (_, other, _)| mask | other.mask);
        let is_there = wanted & warp.live & !all == 0;
        if is_there && let Some(op) = shuffle(split) {
            let mut values = [0; 32];
            let others = waiting.iter().map(|(_, other, op)| (other, *op));
            for (place, op) in others.chain([(split, op)]) {
                warp.enter(place.frame);
                let a = warp.n(&launch.constants, op.a);
                lanes(place.mask).for_each(|lane| values[lane] = a[lane]);
            }
            for (i, place, op) in waiting {
                warp.enter(place.frame);
                self.shuffle(warp, op, place.mask, (&values, all));
                self.count(warp, &launch.code.insts[place.pc as usize], place.mask);
                let other = &mut warp.splits[i];
                (other.state, other.pc) = (State::Ready, other.pc + 1);
            }
            warp.enter(split.frame);
            self.shuffle(warp, op, split.mask, (&values, all));
        }
        warp.enter(split.frame);
        is_there
    }

    pub(super) fn matching(
        &mut self,
        warp: &mut Warp,
        mode: MatchMode,
        [d, p, a]: [Slot; 3],
        mask: u32,
    ) {
        warp.read(&self.launch.constants, a, &mut self.wide);
        let equal =
            |v: u64| lanes(mask).filter(|&l| self.wide[l] == v).fold(0_u32, |m, l| m | 1 << l);
        match mode {
            MatchMode::Any => {
                for lane in lanes(mask) {
                    self.narrow[lane] = equal(self.wide[lane]);
                }
            }
            MatchMode::All => {
                let first = self.wide[mask.trailing_zeros() as usize & 31];
                let all = equal(first) == mask;
                self.narrow = [if all { mask } else { 0 }; 32];
                warp.put_p(p, if all { u32::MAX } else { 0 }, mask);
            }
        }
        if !d.is_none() {
            warp.put_n(d, &self.narrow, mask);
        }
    }
}

/// The value that `shfl` returns from a lane: 0 if the lane does not execute it (docs/numerics.md,
/// rule 13.11).
#[inline]
fn shuffled(values: &L32, from: u32, executing: u32) -> u32 {
    if executing >> from & 1 == 1 { values[from as usize] } else { 0 }
}

/// The source lane of `shfl`, and whether it is inside the segment (PTX ISA 9.7.9.6).
fn shuffle_source(mode: ShflMode, lane: u32, b: u32, c: u32) -> (u32, bool) {
    let (by, clamp, segment) = (b & 31, c & 31, c >> 8 & 31);
    let last = (lane & segment) | (clamp & !segment);
    let (from, inside) = match mode {
        ShflMode::Up => {
            let from = i64::from(lane) - i64::from(by);
            (from, from >= i64::from(last))
        }
        ShflMode::Down => (i64::from(lane + by), lane + by <= last),
        ShflMode::Bfly => (i64::from(lane ^ by), lane ^ by <= last),
        ShflMode::Idx => {
            let from = (lane & segment) | (by & !segment);
            (i64::from(from), from <= last)
        }
    };
    match u32::try_from(from) {
        Ok(from) if inside && from < 32 => (from, true),
        _ => (lane, false),
    }
}

pub(super) fn vote(warp: &mut Warp, mode: VoteMode, d: Slot, p: Slot, mask: u32) {
    let yes = warp.p(p) & mask;
    let value = match mode {
        VoteMode::Ballot => yes,
        VoteMode::All => u32::from(yes == mask),
        VoteMode::Any => u32::from(yes != 0),
        VoteMode::Uni => u32::from(yes == mask || yes == 0),
    };
    warp.put(d, &[u64::from(value); 32], u64::MAX, mask);
}

pub(super) fn reduce(op: AtomOp, ty: ScalarType, values: &L32, mask: u32) -> u32 {
    let join = |a: u32, b: u32| apply(op, ty, a.into(), (b.into(), 0), false) as u32;
    lanes(mask).map(|l| values[l]).reduce(join).unwrap_or(0)
}
