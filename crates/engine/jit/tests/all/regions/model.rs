//! A model of regions in plain Rust, step by step and lane by lane.

mod live;
mod memory;

use super::lanes;
pub(crate) use live::live;
use std::sync::Arc;
use texunit_jit::region::{
    Action, Call, End, Match, Reduce, Region, Routine, Shuffle, Shuffling, Step, Target, Vote,
};
use texunit_jit::{Combine, Op, Predicate, Source, VReg};
use texunit_memory::Block;

/// The numbers of registers of each kind, the 4-byte units of local memory, and the bytes of shared
/// memory and of each allocation.
pub(crate) const NARROW: usize = 12;
pub(crate) const WIDE: usize = 10;
pub(crate) const PREDICATES: usize = 7;
pub(crate) const LOCAL: usize = 40;
/// The byte range of the running function's frame in local memory.
pub(crate) const FRAME: std::ops::Range<u64> = 32..96;
pub(crate) const SHARED: usize = 600;
pub(crate) const GLOBAL: usize = 1200;
/// The device addresses of the allocations.
pub(crate) const BASES: [u64; 2] = [0x7000_0000_1000, 0x7000_0001_0000];

/// The inputs of all runs.
pub(crate) struct Fixed {
    pub(crate) constants: Vec<[u32; 32]>,
    pub(crate) wide_constants: Vec<[u64; 32]>,
    pub(crate) words: Vec<u32>,
    pub(crate) bytes: Vec<u8>,
    pub(crate) rows: Vec<[u32; 32]>,
}

/// The state of a warp and its memory.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) narrow: Vec<[u32; 32]>,
    pub(crate) wide: Vec<[u64; 32]>,
    pub(crate) predicates: Vec<u32>,
    pub(crate) local: Vec<[u32; 32]>,
    pub(crate) shared: Vec<u8>,
    pub(crate) global: Vec<Arc<Block>>,
    pub(crate) counts: Vec<u64>,
    pub(crate) steps: u64,
    pub(crate) threads: u64,
    pub(crate) zeros: u64,
    pub(crate) notified: Vec<Notified>,
}

/// A notification of the listener: the number, the lanes, and the values of the lanes in each
/// source.
pub(crate) type Notified = (u32, u32, Vec<Vec<u64>>);

fn bit(mask: u32, lane: usize) -> bool {
    mask >> lane & 1 != 0
}

fn ones(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |&lane| bit(mask, lane))
}

/// Where lanes continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Before a step of a block, or before its end.
    At(usize, usize),
    /// Outside the region, at this instruction.
    Out(u32),
    /// The lanes diverge.
    Divides,
}

impl World {
    pub(crate) fn copy(&self) -> Self {
        let global = self.global.iter().map(|block| {
            let mut bytes = vec![0; GLOBAL];
            block.read(0, &mut bytes).expect("inside");
            let copy = Block::new(GLOBAL, "copy").expect("memory");
            copy.write(0, &bytes).expect("inside");
            Arc::new(copy)
        });
        Self { global: global.collect(), ..self.clone() }
    }

    pub(crate) fn bytes(&self, block: usize) -> Vec<u8> {
        let mut bytes = vec![0; GLOBAL];
        self.global[block].read(0, &mut bytes).expect("inside");
        bytes
    }

    fn asked(&self, predicate: Predicate) -> u32 {
        match predicate {
            Predicate::Always => u32::MAX,
            Predicate::Never => 0,
            Predicate::If(i) => self.predicates[i as usize],
            Predicate::Unless(i) => !self.predicates[i as usize],
        }
    }

    fn source(&self, fixed: &Fixed, source: Source, lane: usize) -> u64 {
        let word = |at: u32, n: usize| {
            let mut word = [0; 8];
            word[..n].copy_from_slice(&fixed.bytes[at as usize..][..n]);
            u64::from_le_bytes(word)
        };
        match source {
            Source::B32(i) => self.narrow[i as usize][lane].into(),
            Source::B64(i) => self.wide[i as usize][lane],
            Source::Literal(number) => number,
            Source::Constant(i) => fixed.constants[i as usize][lane].into(),
            Source::WideConstant(i) => fixed.wide_constants[i as usize][lane],
            Source::PerLane(i) => fixed.rows[i as usize][lane].into(),
            Source::Uniform(i) => fixed.words[i as usize].into(),
            Source::Bytes32(i) => word(i, 4),
            Source::Bytes64(i) => word(i, 8),
            Source::FrameAt => FRAME.start,
            Source::Lane => lane as u64,
        }
    }

    fn put(&mut self, to: VReg, lane: usize, value: u64) {
        match to {
            VReg::B32(i) => self.narrow[i as usize][lane] = value as u32,
            VReg::B64(i) => self.wide[i as usize][lane] = value,
            VReg::Predicate(i) => {
                let word = &mut self.predicates[i as usize];
                *word = *word & !(1 << lane) | u32::from(value != 0) << lane;
            }
        }
    }

    fn call(&mut self, fixed: &Fixed, call: &Call, mask: u32) {
        let wide = |i: usize| -> [u64; 32] {
            std::array::from_fn(|lane| self.source(fixed, call.from[i], lane))
        };
        let narrow = |i: usize| wide(i).map(|x| x as u32);
        let (mut n, mut w) = ([0; 32], [0; 32]);
        match &call.routine {
            Routine::B32(f) => f(&mut n, &narrow(0), &narrow(1), &narrow(2)),
            Routine::B64(f) => f(&mut w, &wide(0), &wide(1), &wide(2)),
            Routine::Narrow(f) => f(&mut n, &wide(0)),
            Routine::Closure(f) => f(&mut w, [&wide(0), &wide(1), &wide(2), &wide(3)]),
            Routine::TestWide(f) => {
                let lanes = f(&wide(0), &wide(1));
                n = std::array::from_fn(|l| lanes >> l & 1);
            }
            Routine::Notify(tell) => {
                let row =
                    |i: usize| if tell.narrow[i] { narrow(i).map(u64::from) } else { wide(i) };
                let of = |i| ones(mask).map(|lane| row(i)[lane]).collect();
                let rows: Vec<_> = (0..call.routine.sources()).map(of).collect();
                match super::costs::cost_of_notification(tell.number, mask, &rows) {
                    Some(cost) if mask != 0 => super::costs::add(&mut self.counts, cost),
                    _ => self.notified.extend((mask != 0).then_some((tell.number, mask, rows))),
                }
            }
        }
        let Some(to) = call.to else { return };
        for lane in ones(mask) {
            self.put(to, lane, (u64::from(n[lane]) | w[lane]) & call.keep);
        }
    }

    fn shuffle(&mut self, fixed: &Fixed, op: &Shuffle, mask: u32) {
        let before = self.clone();
        for lane in ones(mask) {
            let of = |s: Source| before.source(fixed, s, lane) as u32;
            let (b, c, l) = (of(op.b) & 31, of(op.c), lane as u32);
            let (clamp, segment) = (c & 31, c >> 8 & 31);
            let last = (l & segment) | (clamp & !segment);
            let (from, inside) = match op.mode {
                Shuffling::Up => (l.wrapping_sub(b), l as i32 - b as i32 >= last as i32),
                Shuffling::Down => (l + b, l + b <= last),
                Shuffling::Butterfly => (l ^ b, l ^ b <= last),
                Shuffling::Index => {
                    let from = (l & segment) | (b & !segment);
                    (from, from <= last)
                }
            };
            let ok = inside && from < 32;
            let from = if ok { from } else { l } as usize;
            let value = if bit(mask, from) { before.source(fixed, op.a, from) } else { 0 };
            if let Some(to) = op.to {
                self.put(VReg::B32(to), lane, value);
            }
            if let Some(to) = op.valid {
                self.put(VReg::Predicate(to), lane, ok.into());
            }
        }
    }

    /// An operation on numbers of `bits` bits.
    fn reduce(op: Reduce, bits: u32, a: u64, b: u64) -> u64 {
        let signed = |v: u64| ((v << (64 - bits)) as i64) >> (64 - bits);
        match op {
            Reduce::Add => a.wrapping_add(b),
            Reduce::MinS => signed(a).min(signed(b)) as u64,
            Reduce::MaxS => signed(a).max(signed(b)) as u64,
            Reduce::MinU => a.min(b),
            Reduce::MaxU => a.max(b),
            Reduce::And => a & b,
            Reduce::Or => a | b,
            Reduce::Xor => a ^ b,
        }
    }

    fn matching(&mut self, fixed: &Fixed, op: &Match, mask: u32) {
        let values: [u64; 32] = std::array::from_fn(|l| self.source(fixed, op.of, l));
        let equal = |v: u64| ones(mask).filter(|&l| values[l] == v).fold(0_u32, |m, l| m | 1 << l);
        let first = equal(values[mask.trailing_zeros() as usize]);
        for lane in ones(mask) {
            let all = first == mask;
            let value = if !op.all {
                equal(values[lane])
            } else if all {
                mask
            } else {
                0
            };
            if let Some(to) = op.to {
                self.put(VReg::B32(to), lane, value.into());
            }
            if let (Some(to), true) = (op.same, op.all) {
                self.put(VReg::Predicate(to), lane, all.into());
            }
        }
    }

    /// Executes a step for the active lanes.
    pub(crate) fn step(&mut self, fixed: &Fixed, step: &Step, active: u32) {
        let mask = active & self.asked(step.guard);
        if step.counted {
            self.steps += 1;
            self.threads += u64::from(mask.count_ones());
        }
        if mask == 0 {
            return;
        }
        let before = self.clone();
        let all = |to: VReg, value: u64, world: &mut Self| {
            ones(mask).for_each(|lane| world.put(to, lane, value));
        };
        match &step.action {
            Action::Compute { op, to, from } => {
                for lane in ones(mask) {
                    let holds = match op {
                        Op::Select(p) | Op::SelectWide(p) => bit(before.asked(*p), lane),
                        _ => false,
                    };
                    let sources = from.map(|s| before.source(fixed, s, lane));
                    self.put(*to, lane, lanes::compute(*op, sources, holds));
                }
            }
            Action::Compare { test, from, to, with } => {
                let (combine, with): (Combine, Predicate) = *with;
                for lane in ones(mask) {
                    let [a, b] = from.map(|s| before.source(fixed, s, lane));
                    let (r, w) = (lanes::test(*test, a, b), bit(before.asked(with), lane));
                    for (to, r) in to.iter().zip([r, !r]) {
                        if let Some(to) = to {
                            let value = lanes::combine(combine, r, w);
                            self.put(VReg::Predicate(*to), lane, value.into());
                        }
                    }
                }
            }
            Action::Logic { table, to, from } => {
                let [a, b] = from.map(|p| before.asked(p));
                for lane in ones(mask) {
                    let i = u8::from(bit(a, lane)) << 1 | u8::from(bit(b, lane));
                    self.put(VReg::Predicate(*to), lane, (table >> i & 1).into());
                }
            }
            Action::Load(_) | Action::Store(_) => self.accesses(fixed, &step.action, mask),
            Action::Atomic(atomic) => self.atomic(fixed, atomic, mask),
            Action::Call(call) => self.call(fixed, call, mask),
            Action::Shuffle(shuffle) => self.shuffle(fixed, shuffle, mask),
            Action::Vote { mode, to, of, .. } => {
                let yes = before.asked(*of) & mask;
                let value = match mode {
                    Vote::Ballot => yes,
                    Vote::All => u32::from(yes == mask),
                    Vote::Any => u32::from(yes != 0),
                    Vote::Uniform => u32::from(yes == mask || yes == 0),
                };
                all(*to, value.into(), self);
            }
            Action::Match(op) => self.matching(fixed, op, mask),
            Action::Redux { op, to, of, .. } => {
                let values = ones(mask).map(|l| before.source(fixed, *of, l) & 0xffff_ffff);
                let value = values.reduce(|a, b| Self::reduce(*op, 32, a, b)).unwrap_or(0);
                all(VReg::B32(*to), value, self);
            }
            Action::ActiveMask { to } => all(*to, mask.into(), self),
            Action::Count { counter, of } => {
                let counter = *counter as usize;
                self.counts[counter] += u64::from(mask.count_ones());
                if let Some(of) = of {
                    self.counts[counter + 1] += u64::from((before.asked(*of) & mask).count_ones());
                }
            }
            Action::Issue { counter, of } => {
                let counter = *counter as usize;
                self.counts[counter] += u64::from(mask != 0);
                if let Some(of) = of {
                    let those = before.asked(*of) & mask;
                    self.counts[counter + 1] += u64::from(those != 0 && those != mask);
                }
            }
            Action::CountZeros(of) => {
                let zero = |l: &usize| before.source(fixed, *of, *l) == 0;
                self.zeros += ones(mask).filter(zero).count() as u64;
            }
            Action::Sync { .. } | Action::Rarely { .. } | Action::Nothing => {}
        }
    }

    /// Executes one step, or the end of a block.
    pub(crate) fn go(
        &mut self,
        region: &Region,
        fixed: &Fixed,
        (b, i): (usize, usize),
        mask: u32,
    ) -> Next {
        let block = &region.blocks[b];
        let to = |target| match target {
            Target::Block(i) => Next::At(i as usize, 0),
            Target::Leave(at) => Next::Out(at),
        };
        if let Some(step) = block.steps.get(i) {
            self.step(fixed, step, mask);
            return Next::At(b, i + 1);
        }
        match block.end {
            End::Jump(target) => to(target),
            End::Leave { at } => Next::Out(at),
            // The runtime has executed the instruction.
            End::Yield { next, .. } => to(next),
            End::Branch { taken, to: target, next, counted, .. } => {
                let taken = self.asked(taken) & mask;
                if taken != 0 && taken != mask {
                    return Next::Divides;
                }
                self.steps += u64::from(counted);
                if taken != 0 {
                    self.threads += u64::from(counted) * u64::from(mask.count_ones());
                }
                to(if taken != 0 { target } else { next })
            }
        }
    }
}
