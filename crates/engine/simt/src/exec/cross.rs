//! What lanes take from each other: shuffles, votes, matches, reductions.

use super::context::Context;
use super::warp::{Warp, lanes};
use crate::code::{Shuffle, Slot};
use texunit_alu::L32;
use texunit_isa::{AtomOp, MatchMode, ScalarType, ShflMode, VoteMode};

impl Context<'_> {
    pub(super) fn shuffle(&mut self, warp: &mut Warp, op: &Shuffle, mask: u32) {
        let constants = &self.launch.constants;
        let (a, b, c) = (warp.n(constants, op.a), warp.n(constants, op.b), warp.n(constants, op.c));
        let mut valid = 0;
        for lane in 0..32 {
            let (from, ok) = shuffle_source(op.mode, lane as u32, b[lane], c[lane]);
            self.narrow[lane] = shuffled(a, from, mask);
            valid |= u32::from(ok) << lane;
        }
        if !op.d.is_none() {
            warp.put_n(op.d, &self.narrow, mask);
        }
        warp.put_p(op.p, valid, mask);
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

/// What `shfl` brings from a lane: 0 of one that does not execute it (docs/numerics.md, rule 13.11).
#[inline]
fn shuffled(values: &L32, from: u32, executing: u32) -> u32 {
    if executing >> from & 1 == 1 { values[from as usize] } else { 0 }
}

/// Where a lane's value of `shfl` comes from, and whether that is inside its segment
/// (PTX ISA 9.7.9.6).
pub(super) fn shuffle_source(mode: ShflMode, lane: u32, b: u32, c: u32) -> (u32, bool) {
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
    let join = |a: u32, b: u32| match op {
        AtomOp::Add => a.wrapping_add(b),
        AtomOp::Min if ty.is_signed() => (a as i32).min(b as i32) as u32,
        AtomOp::Max if ty.is_signed() => (a as i32).max(b as i32) as u32,
        AtomOp::Min => a.min(b),
        AtomOp::Max => a.max(b),
        AtomOp::And => a & b,
        AtomOp::Or => a | b,
        AtomOp::Xor => a ^ b,
        // redux has no others.
        AtomOp::Inc | AtomOp::Dec | AtomOp::Exch | AtomOp::Cas => b,
    };
    lanes(mask).map(|l| values[l]).reduce(join).unwrap_or(0)
}
