//! Registers that have an input, which nothing changes: a number that all lanes have, or a row of the lanes.
//!
//! A step that only copies an input to a register is not done: what is behind it reads the input itself. The register is
//! *owed* then: wherever the region is left it is filled first, and at the end of its block, unless all that
//! follows knows what it has ([`Region::params`]). In code for some lanes nothing is owed from block to block, as lanes
//! that wait have their registers at home.

mod ahead;
mod owe;

use crate::op::Op;
use crate::operand::{Place, Predicate, Source};
use crate::region::{Action, Block, End, Load, Region, Space, Step, Target};
use ahead::{Ahead, Aheads, aheads};
use std::collections::{BTreeMap, HashMap, HashSet};

/// A register and the input that it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Input {
    place: Place,
    source: Source,
    /// Whether it has had it since before the block.
    from_before: bool,
}

/// What is owed in a block.
#[derive(Debug, Default)]
pub(super) struct Owed {
    /// Where it begins.
    start: Vec<Input>,
    /// Before the steps that may leave.
    steps: HashMap<usize, Vec<Input>>,
    /// Where it ends: what is filled there, and what may go on being owed.
    fills: Vec<Input>,
    end: Vec<Input>,
}

/// The region with steps that read inputs, and what is owed, by block.
pub(super) fn read_in_place(region: &Region) -> (Region, Vec<Owed>) {
    let mut written = HashSet::new();
    let steps = region.blocks.iter().flat_map(|block| &block.steps);
    steps.for_each(|step| {
        step.each_written(|place| {
            written.insert(place);
        })
    });
    let aheads: Vec<_> = region.blocks.iter().map(aheads).collect();
    // Registers of which something wants the value itself stay what they are.
    let wanted = aheads.iter().enumerate().flat_map(|(b, ahead)| {
        let params = region.params.get(b).into_iter().flatten();
        params.filter(|param| ahead.at_start.get(&param.0).is_some_and(|a| !a.fits))
    });
    let wanted: HashSet<Place> = wanted.map(|param| param.0).collect();
    let mut known = Known { region, facts: Vec::new(), aheads: &aheads };
    for b in 0..region.blocks.len() {
        let params = region.params.get(b).into_iter().flatten();
        let params = params.filter(|param| !wanted.contains(&param.0));
        let source = |place, at| match place {
            Place::Wide(_) => Source::Bytes64(at),
            _ => Source::Bytes32(at),
        };
        known.facts.push(params.map(|&(place, at)| (place, source(place, at))).collect());
    }
    let mut new = Region { blocks: Vec::new(), ..region.clone() };
    let mut owed = Vec::new();
    for b in 0..region.blocks.len() {
        let (block, of) = known.rewritten(b, &written);
        new.blocks.push(block);
        owed.push(of);
    }
    (new, owed)
}

/// The register to which a step copies an input, and the input.
fn copied(step: &Step) -> Option<(Place, Source)> {
    if step.guard != Predicate::Always {
        return None;
    }
    match &step.action {
        Action::Compute { op: Op::Copy, to: to @ Place::Narrow(_), from } => {
            is_input(from[0], false).then_some((*to, from[0]))
        }
        Action::Compute { op: Op::CopyWide, to: to @ Place::Wide(_), from } => {
            is_input(from[0], true).then_some((*to, from[0]))
        }
        Action::Load(load) => parameter(load),
        _ => None,
    }
}

fn parameter(load: &Load) -> Option<(Place, Source)> {
    let access = &load.access;
    if access.space != Space::Param || access.base.is_some() || access.count != 1 {
        return None;
    }
    let at = u32::try_from(access.offset).ok()?;
    match (access.size, load.to[..].first()?.as_ref()?) {
        (8, to @ Place::Wide(_)) if load.keep == u64::MAX => Some((*to, Source::Bytes64(at))),
        (4, to @ Place::Narrow(_)) if load.keep as u32 == u32::MAX => {
            Some((*to, Source::Bytes32(at)))
        }
        _ => None,
    }
}

fn is_input(source: Source, wide: bool) -> bool {
    match source {
        Source::Literal(_) => true,
        Source::WideConstant(_) | Source::Bytes64(_) | Source::FrameAt => wide,
        Source::Constant(_)
        | Source::Row(_)
        | Source::Word(_)
        | Source::Bytes32(_)
        | Source::Lane => !wide,
        Source::Narrow(_) | Source::Wide(_) => false,
    }
}

/// Whether a step that reads a register can read an input in its place.
fn can_read_input(step: &Step, place: Place) -> bool {
    let of = |source: &Source| source.place() == Some(place);
    let mut writes = false;
    step.each_written(|written| writes |= written == place);
    if writes && step.guard != Predicate::Always {
        return false;
    }
    match &step.action {
        // Of an index an address is made, by its register ([`super::affine`]).
        Action::Compute { op, from, .. } => match op {
            Op::ExtendU | Op::ExtendS => false,
            Op::ProductU | Op::ProductS | Op::ProductAddU | Op::ProductAddS => {
                !from[..2].iter().any(of)
            }
            _ => true,
        },
        Action::Compare { .. } | Action::Leave { .. } => true,
        Action::Load(load) => load.access.space == Space::Global,
        _ => false,
    }
}

/// What is known where blocks begin.
struct Known<'a> {
    region: &'a Region,
    aheads: &'a [Aheads],
    facts: Vec<Vec<(Place, Source)>>,
}

impl Known<'_> {
    /// A block that reads inputs, and what is owed there.
    fn rewritten(&self, b: usize, written: &HashSet<Place>) -> (Block, Owed) {
        let aheads = &self.aheads[b];
        let mut block = self.region.blocks[b].clone();
        let mut owed = Owed::default();
        let mut now: BTreeMap<Place, (Input, Ahead)> = BTreeMap::new();
        for &(place, source) in &self.facts[b] {
            let ahead = aheads.at_start.get(&place).copied().unwrap_or(aheads.other);
            now.insert(place, (Input { place, source, from_before: true }, ahead));
        }
        let kept = |place| self.region.blocks[b].kept.contains(&place);
        // Registers that nothing here writes have at home what they have.
        let is_owed = |of: &Input| written.contains(&of.place);
        let lives = |(of, ahead): &(Input, Ahead), first: usize| {
            ahead.last.is_some_and(|last| last >= first) || ahead.reaches_end && kept(of.place)
        };
        let all = now.values().filter(|of| is_owed(&of.0) && lives(of, 0));
        owed.start = all.map(|of| of.0).collect();
        let mut first = 0;
        for i in 0..block.steps.len() {
            if i != 0 && block.steps[i].at != block.steps[i - 1].at {
                first = i;
            }
            if block.steps[i].may_leave() {
                now.retain(|_, of| lives(of, first));
                let all = now.values().map(|of| of.0).filter(is_owed);
                owed.steps.insert(i, all.collect());
            }
            let (step, joins) = (&mut block.steps[i], block.joins && i == 0);
            read(step, &now);
            multiply(step, &self.region.products);
            step.each_written(|place| {
                now.remove(&place);
            });
            if let Action::Leave { .. } = step.action {
                now.clear();
            }
            // What has come to be a copy of an input is one, too.
            let Some((place, source)) = copied(step).filter(|_| !joins) else { continue };
            let ahead = aheads.copies.get(&i).copied().unwrap_or_else(|| self.ahead(b, i, place));
            if ahead.fits {
                step.action = Action::Nothing;
                now.insert(place, (Input { place, source, from_before: false }, ahead));
            }
        }
        for (of, ahead) in now.values() {
            if is_owed(of) && ahead.reaches_end && kept(of.place) {
                let list =
                    if self.is_known_behind(b, of) { &mut owed.end } else { &mut owed.fills };
                list.push(*of);
            }
        }
        (block, owed)
    }

    /// What is ahead of a step that copies what has turned out to be an input.
    fn ahead(&self, b: usize, i: usize, to: Place) -> Ahead {
        let steps = &self.region.blocks[b].steps;
        let mut ahead = Ahead::default();
        for (i, step) in steps.iter().enumerate().skip(i + 1) {
            if let Action::Leave { .. } = step.action {
                return Ahead { last: Some(i), reaches_end: false, ..ahead };
            }
            let (mut reads, mut writes) = (false, false);
            step.each_read(|place| reads |= place == to);
            step.each_written(|place| writes |= place == to);
            if reads {
                ahead.fits &= can_read_input(step, to);
                ahead.last = Some(i);
            }
            if writes && step.guard == Predicate::Always {
                ahead.reaches_end = false;
                break;
            }
        }
        ahead
    }

    /// Whether all blocks behind one that read a register know what it has.
    fn is_known_behind(&self, b: usize, of: &Input) -> bool {
        let known = |to: Target| match to {
            Target::Block(to) => {
                let to = to as usize;
                self.facts[to].contains(&(of.place, of.source)) || !self.lives_in(to, of.place)
            }
            Target::Leave(_) => false,
        };
        match self.region.blocks[b].end {
            End::Jump(to) => known(to),
            // Who does the instruction reads its registers, also those that nothing reads behind it.
            End::Pause { next: Target::Block(to), .. } => {
                self.facts[to as usize].contains(&(of.place, of.source))
            }
            End::Pause { next: Target::Leave(_), .. } => false,
            End::Branch { to, next, .. } => known(to) && known(next),
            End::Leave { .. } => false,
        }
    }
}

impl Known<'_> {
    /// Whether something in a block or behind it reads what a register has at its beginning.
    fn lives_in(&self, b: usize, place: Place) -> bool {
        let ahead = self.aheads[b].at_start.get(&place).unwrap_or(&self.aheads[b].other);
        ahead.last.is_some() || ahead.reaches_end && self.region.blocks[b].kept.contains(&place)
    }
}

/// A step reads inputs in place of registers that have them.
fn read(step: &mut Step, now: &BTreeMap<Place, (Input, Ahead)>) {
    let change = |source: &mut Source| {
        if let Some((of, _)) = source.place().and_then(|place| now.get(&place)) {
            *source = of.source;
        }
    };
    match &mut step.action {
        Action::Compute { op, from, .. } => from.iter_mut().take(op.sources()).for_each(change),
        Action::Compare { from, .. } => from.iter_mut().for_each(change),
        Action::Load(load) if load.access.space == Space::Global => {
            load.access.base.iter_mut().for_each(change);
        }
        _ => {}
    }
}

/// The product of two words is one, if it is known.
fn multiply(step: &mut Step, products: &[[u32; 3]]) {
    let Action::Compute { op, from, .. } = &mut step.action else { return };
    let [Source::Word(a), Source::Word(b), c] = *from else { return };
    let is = |of: &&[u32; 3]| of[..2] == [a, b] || of[..2] == [b, a];
    let Some(product) = products.iter().find(is).map(|of| Source::Word(of[2])) else { return };
    match op {
        Op::Mul => (*op, from[0]) = (Op::Copy, product),
        Op::MulAdd => (*op, *from) = (Op::Add, [product, c, Source::Literal(0)]),
        _ => {}
    }
}

impl Owed {
    /// Registers whose inputs are known where the block begins, and which are needed where it is left.
    pub(super) fn at_start(&self) -> impl Iterator<Item = Place> {
        self.start.iter().map(|of| of.place)
    }
}
