//! Copy propagation of inputs, which never change during a run: kernel parameters, constants,
//! uniform values of the CTA and per-lane inputs. [`read_in_place`] is given a region, and returns
//! a region whose steps read the inputs directly.
//!
//! A step that only copies an input to a register is dropped, and later steps read the input. The
//! copy is then *pending*: the register file does not have the value yet. An exit materialises
//! pending copies, and so does the end of the block, unless all successors know the register's
//! value ([`Region::params`]). In code for some lanes no copy stays pending across blocks, because
//! waiting lanes need their registers in the register file.

mod future;
mod pending;

use super::affine::{self, Plan};
use crate::ir::{Action, Block, End, Load, Region, Shuffle, Space, Step, Target, written};
use crate::op::Op;
use crate::operand::{Predicate, Source, VReg};
use future::{BlockFutureUses, FutureUses, future_uses};
use std::collections::{BTreeMap, HashMap, HashSet};

/// A register, and the input whose value it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InputCopy {
    vreg: VReg,
    source: Source,
    /// Whether the register already had this value at the beginning of the block.
    from_before: bool,
}

/// Pending copies of a block at its exits.
#[derive(Debug, Default)]
pub(super) struct PendingCopies {
    /// Copies that are pending at the beginning of the block.
    start: Vec<InputCopy>,
    /// Copies that are pending before each step that may exit.
    steps: HashMap<usize, Vec<InputCopy>>,
    /// Copies that are materialised at the end of the block, and copies that stay pending there.
    fills: Vec<InputCopy>,
    end: Vec<InputCopy>,
}

/// Rewrites a region so that steps read inputs directly, and returns the pending copies of each
/// block.
fn read_in_place(region: &Region) -> (Region, Vec<PendingCopies>) {
    let written = written(region.blocks.iter().flat_map(|block| &block.steps));
    let future_uses: Vec<_> = region.blocks.iter().map(future_uses).collect();
    // A parameter is not propagated if some step must read it in a register.
    let wanted = future_uses.iter().enumerate().flat_map(|(b, future)| {
        let params = region.params.get(b).into_iter().flatten();
        params.filter(|param| future.at_start.get(&param.0).is_some_and(|a| !a.fits))
    });
    let wanted: HashSet<VReg> = wanted.map(|param| param.0).collect();
    let mut known = Propagation { region, facts: Vec::new(), future_uses: &future_uses };
    for b in 0..region.blocks.len() {
        let params = region.params.get(b).into_iter().flatten();
        let params = params.filter(|param| !wanted.contains(&param.0));
        let source = |vreg, at| match vreg {
            VReg::B64(_) => Source::Bytes64(at),
            _ => Source::Bytes32(at),
        };
        known.facts.push(params.map(|&(vreg, at)| (vreg, source(vreg, at))).collect());
    }
    let mut new = Region { blocks: Vec::new(), ..region.clone() };
    let mut copies = Vec::new();
    for b in 0..region.blocks.len() {
        let (block, of) = known.rewritten(b, &written);
        new.blocks.push(block);
        copies.push(of);
    }
    (new, copies)
}

/// The region with propagated copies, its pending copies, and its affine addresses.
pub(super) fn prepared(region: &Region) -> (Region, Vec<PendingCopies>, Vec<Plan>) {
    let (mut new, copies) = read_in_place(region);
    let is_pending = |b: usize, vreg: VReg| copies[b].at_start().any(|copy| copy == vreg);
    let plans = affine::plans(region, &mut new, &is_pending);
    (new, copies, plans)
}

/// If a step only copies an input: the destination register and the input.
fn copied(step: &Step) -> Option<(VReg, Source)> {
    if step.guard != Predicate::Always {
        return None;
    }
    match &step.action {
        Action::Compute { op: Op::Copy, to: to @ VReg::B32(_), from } => {
            is_input(from[0], false).then_some((*to, from[0]))
        }
        Action::Compute { op: Op::CopyWide, to: to @ VReg::B64(_), from } => {
            is_input(from[0], true).then_some((*to, from[0]))
        }
        Action::Load(load) => parameter(load),
        _ => None,
    }
}

/// If a load only copies a whole parameter: the destination register and the parameter.
pub(super) fn parameter(load: &Load) -> Option<(VReg, Source)> {
    let access = &load.access;
    if access.space != Space::Param || access.base.is_some() || access.count != 1 {
        return None;
    }
    let at = u32::try_from(access.offset).ok()?;
    match (access.size, load.to[..].first()?.as_ref()?) {
        (8, to @ VReg::B64(_)) if load.keep == u64::MAX => Some((*to, Source::Bytes64(at))),
        (4, to @ VReg::B32(_)) if load.keep as u32 == u32::MAX => Some((*to, Source::Bytes32(at))),
        _ => None,
    }
}

fn is_input(source: Source, wide: bool) -> bool {
    match source {
        Source::Literal(_) => true,
        Source::WideConstant(_) | Source::Bytes64(_) | Source::FrameAt => wide,
        Source::Constant(_) | Source::PerLane(_) | Source::Uniform(_) => !wide,
        Source::Bytes32(_) | Source::Lane => !wide,
        Source::B32(_) | Source::B64(_) => false,
    }
}

/// Whether a step that reads this register could read an input instead.
fn can_read_input(step: &Step, vreg: VReg) -> bool {
    let of = |source: &Source| source.vreg() == Some(vreg);
    if step.writes(vreg) && step.guard != Predicate::Always {
        return false;
    }
    match &step.action {
        // The affine analysis recognises addresses by their index register ([`super::affine`]).
        Action::Compute { op, from, .. } => match op {
            Op::ExtendU | Op::ExtendS => false,
            Op::ProductU | Op::ProductS | Op::ProductAddU | Op::ProductAddS => {
                !from[..2].iter().any(of)
            }
            _ => true,
        },
        Action::Compare { .. } | Action::Shuffle(_) => true,
        Action::Load(load) => load.access.space == Space::Global,
        _ => false,
    }
}

/// The analyses that the rewriting needs: future uses, and the registers whose inputs are known
/// where blocks begin.
struct Propagation<'a> {
    region: &'a Region,
    future_uses: &'a [BlockFutureUses],
    facts: Vec<Vec<(VReg, Source)>>,
}

impl Propagation<'_> {
    fn rewritten(&self, b: usize, written: &HashSet<VReg>) -> (Block, PendingCopies) {
        let future_uses = &self.future_uses[b];
        let mut block = self.region.blocks[b].clone();
        let mut copies = PendingCopies::default();
        let mut now: BTreeMap<VReg, (InputCopy, FutureUses)> = BTreeMap::new();
        for &(vreg, source) in &self.facts[b] {
            let future = future_uses.at_start.get(&vreg).copied().unwrap_or_default();
            now.insert(vreg, (InputCopy { vreg, source, from_before: true }, future));
        }
        let kept = |vreg| self.region.blocks[b].kept.contains(&vreg);
        // The register file already has the values of registers that the region never writes.
        let is_pending = |of: &InputCopy| written.contains(&of.vreg);
        let lives = |(of, future): &(InputCopy, FutureUses), first: usize| {
            future.last.is_some_and(|last| last >= first) || future.reaches_end && kept(of.vreg)
        };
        let all = now.values().filter(|of| is_pending(&of.0) && lives(of, 0));
        copies.start = all.map(|of| of.0).collect();
        let mut first = 0;
        for i in 0..block.steps.len() {
            if i != 0 && block.steps[i].at != block.steps[i - 1].at {
                first = i;
            }
            if block.steps[i].may_exit() {
                now.retain(|_, of| lives(of, first));
                let all = now.values().map(|of| of.0).filter(is_pending);
                copies.steps.insert(i, all.collect());
            }
            let (step, joins) = (&mut block.steps[i], block.joins && i == 0);
            read(step, &now);
            multiply(step, &self.region.products);
            step.each_written(&mut |vreg| {
                now.remove(&vreg);
            });
            // The rewritten step may now be a copy of an input itself.
            let Some((vreg, source)) = copied(step).filter(|_| !joins) else { continue };
            let future = future_uses.after.get(&i).copied().unwrap_or_default();
            if future.fits {
                step.action = Action::Nothing;
                now.insert(vreg, (InputCopy { vreg, source, from_before: false }, future));
            }
        }
        for (of, future) in now.values() {
            if is_pending(of) && future.reaches_end && kept(of.vreg) {
                let list =
                    if self.is_known_after(b, of) { &mut copies.end } else { &mut copies.fills };
                list.push(*of);
            }
        }
        (block, copies)
    }

    /// Whether all successors that read the register know that it has the input's value.
    fn is_known_after(&self, b: usize, of: &InputCopy) -> bool {
        let end = self.region.blocks[b].end;
        // The runtime reads the operands of a yield point's instruction from registers, even if
        // they are dead after it.
        let waits = matches!(end, End::Yield { .. });
        let known = |to| match to {
            Target::Block(to) => {
                let to = to as usize;
                let is_dead = || !waits && !self.lives_in(to, of.vreg);
                self.facts[to].contains(&(of.vreg, of.source)) || is_dead()
            }
            Target::Leave(_) => false,
        };
        !matches!(end, End::Leave { .. }) && end.targets().all(known)
    }

    /// Whether a register is live at the beginning of a block.
    fn lives_in(&self, b: usize, vreg: VReg) -> bool {
        let future = self.future_uses[b].at_start.get(&vreg).copied().unwrap_or_default();
        future.last.is_some() || future.reaches_end && self.region.blocks[b].kept.contains(&vreg)
    }
}

/// Replaces source registers that have the value of an input by the input.
fn read(step: &mut Step, now: &BTreeMap<VReg, (InputCopy, FutureUses)>) {
    let change = |source: &mut Source| {
        if let Some((of, _)) = source.vreg().and_then(|vreg| now.get(&vreg)) {
            *source = of.source;
        }
    };
    match &mut step.action {
        Action::Compute { op, from, .. } => from.iter_mut().take(op.sources()).for_each(change),
        Action::Compare { from, .. } => from.iter_mut().for_each(change),
        // Constant lanes and membermasks make a shuffle a known permutation.
        Action::Shuffle(shuffle) => {
            let Shuffle { a, b, c, members, .. } = &mut **shuffle;
            [a, b, c].into_iter().chain(members).for_each(change);
        }
        Action::Load(load) if load.access.space == Space::Global => {
            load.access.base.iter_mut().for_each(change);
        }
        _ => {}
    }
}

/// Replaces a product of two uniform values by the uniform value that equals it.
fn multiply(step: &mut Step, products: &[[u32; 3]]) {
    let Action::Compute { op, from, .. } = &mut step.action else { return };
    let [Source::Uniform(a), Source::Uniform(b), c] = *from else { return };
    let is = |of: &&[u32; 3]| of[..2] == [a, b] || of[..2] == [b, a];
    let Some(product) = products.iter().find(is).map(|of| Source::Uniform(of[2])) else { return };
    match op {
        Op::Mul => (*op, from[0]) = (Op::Copy, product),
        Op::MulAdd => (*op, *from) = (Op::Add, [product, c, Source::Literal(0)]),
        _ => {}
    }
}

impl PendingCopies {
    /// Registers with a pending copy at the beginning of the block that exits need.
    pub(super) fn at_start(&self) -> impl Iterator<Item = VReg> {
        self.start.iter().map(|of| of.vreg)
    }
}
