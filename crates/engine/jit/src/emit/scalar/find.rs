//! Which loops lanes can go through one after the other, and what of them has to be done for a lane.

use super::kinds::{self, Kind};
use super::look::look;
use super::rename::{LaneBlock, LaneStep, Names};
use crate::emit::affine::{Affine, Plan};
use crate::emit::frame::SCRATCH;
use crate::emit::index;
use crate::emit::live::{Numbers, Uses};
use crate::op::Op;
use crate::operand::{Combine, Place, Predicate};
use crate::region::{Action, Block, End, Load, Region, Space, Step, Target};
use std::collections::HashSet;

/// Blocks that such a loop may have.
pub(super) const MOST_BLOCKS: usize = 4;

/// Steps that it may have: of each the result may need a word on the stack.
const MOST_STEPS: usize = 256;

/// Where a lane alone has to compute more than this for a load, lanes are faster together, even if each load takes one after the other.
const COMPUTED_FOR_A_LOAD: usize = 3;

/// A loop, as a chain of blocks: each goes on with the next one and the last one with the first, or leaves the loop for
/// the same place as all others.
#[derive(Clone, Debug)]
pub(in crate::emit) struct Loop {
    pub(in crate::emit) head: usize,
    pub(in crate::emit) last: usize,
    pub(super) exit: Target,
    /// By what it is seen whether lanes go along rows of their own; none: only a lane without others goes alone.
    pub(super) walk: Option<Walk>,
    /// Where it is noted that it was tried in vain: the site of its first load.
    pub(super) site: u32,
    /// What has to be done, of values that have registers of their own.
    pub(super) blocks: Vec<LaneBlock>,
    /// Registers that have to be there when a lane begins, with their values, and those that have to go home when all have
    /// ended.
    pub(super) begins: Vec<(Place, Place)>,
    pub(super) results: Vec<Place>,
    /// Values that are held as floats.
    pub(super) floats: HashSet<Place>,
}

/// A register that a loop counts up, and by which it loads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk {
    pub(super) place: Place,
    /// How far the next lane is, where lanes load what lies one behind the other.
    pub(super) unit: u32,
}

/// What is known of a region.
pub(in crate::emit) struct Finder<'a> {
    pub(in crate::emit) region: &'a Region,
    pub(in crate::emit) plans: &'a [Plan],
    pub(in crate::emit) uses: &'a [Uses],
    pub(in crate::emit) numbers: &'a Numbers,
}

/// Which way a block goes on in the loop and which way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// It always goes on.
    Never,
    /// It goes out where the branch is taken.
    Taken,
    /// It goes out where it is not.
    Untaken,
}

/// How the `b`-th block of a chain ends.
pub(super) fn turn(
    region: &Region,
    (head, last): (usize, usize),
    b: usize,
) -> Option<(Turn, Option<Target>)> {
    let on = Target::Block(if b == last { head } else { b + 1 } as u32);
    match region.blocks[b].end {
        End::Jump(to) | End::Branch { taken: Predicate::Always, to, .. } => {
            (to == on).then_some((Turn::Never, None))
        }
        End::Branch { taken: Predicate::If(_) | Predicate::Unless(_), to, next, meets, .. } => {
            let (turn, exit) = if to == on {
                (Turn::Untaken, next)
            } else if next == on {
                (Turn::Taken, to)
            } else {
                return None;
            };
            let number = match exit {
                Target::Block(i) => region.blocks.get(i as usize)?.at,
                Target::Leave(at) => at,
            };
            // Those that have left wait there for the others: so lanes go through it in step when they go together.
            (number == meets).then_some((turn, Some(exit)))
        }
        _ => None,
    }
}

/// The index by which a step loads, if its site knows all indices.
pub(super) fn by_index(plans: &[Plan], block: usize, i: usize, step: &Step) -> Option<Affine> {
    index::index_of(plans.get(block)?, i, step)
}

impl Loop {
    /// Whether the last step of a block is a comparison that nothing looks at but the branch of the block.
    pub(super) fn is_for_branch(&self, block: &LaneBlock, last: &LaneStep) -> bool {
        let Action::Compare { to: [Some(to), None], with, .. } = last.step.action else {
            return false;
        };
        let is_plain =
            with == (Combine::And, Predicate::Always) && last.step.guard == Predicate::Always;
        let value = Place::Predicate(to);
        let reads = self.blocks.iter().map(|block| {
            let mut reads = usize::from(block.taken.place() == Some(value));
            reads += block.results.iter().filter(|&&result| result == value).count();
            for of in &block.steps {
                reads += usize::from(of.step.guard.place() == Some(value));
                of.step.each_read(|place| reads += usize::from(place == value));
            }
            reads
        });
        is_plain
            && block.taken.place() == Some(value)
            && reads.sum::<usize>() == 1
            && self.begins.iter().all(|of| of.1 != value)
    }
}

impl Finder<'_> {
    /// The loop from one block to another, if it is one of these.
    pub(in crate::emit) fn find(&self, head: usize, last: usize) -> Option<Loop> {
        let blocks = self.region.blocks.get(head..=last)?;
        let exit = self.exit(head, last)?;
        if blocks.len() > MOST_BLOCKS || blocks.iter().any(|block| block.joins) {
            return None;
        }
        let steps = || blocks.iter().flat_map(|block| &block.steps);
        if steps().count() > MOST_STEPS || !steps().all(fits) {
            return None;
        }
        let site = self.loads(head, last).next()?.2.access.site;
        let out: HashSet<Place> = self.live_out(blocks, exit);
        let (begins, needed) = self.needed(head, last, Some(&out));
        let mut results: Vec<Place> = Vec::new();
        for (of, block) in needed.iter().zip(blocks) {
            of.iter().for_each(|&i| {
                block.steps[i].each_written(|place| {
                    if out.contains(&place) && !results.contains(&place) {
                        results.push(place);
                    }
                });
            });
        }
        let (chain, begins) = self.chain(head, (blocks, &needed), begins, &results);
        let steps = || chain.iter().flat_map(|block| &block.steps);
        let floats = kinds::floats(&steps().collect::<Vec<_>>())?;
        let loads = steps().filter(|of| matches!(of.step.action, Action::Load(_))).count();
        let computed = steps().count() - loads;
        let walk =
            (computed <= COMPUTED_FOR_A_LOAD * loads).then(|| self.walk(head, last)).flatten();
        let fits = results.len() <= SCRATCH;
        let blocks = chain;
        fits.then_some(Loop { head, last, exit, walk, site, blocks, begins, results, floats })
    }

    /// What has to be done, with values that have registers of their own, and which of them a lane begins with.
    fn chain(
        &self,
        head: usize,
        (blocks, needed): (&[Block], &[Vec<usize>]),
        begins: HashSet<Place>,
        results: &[Place],
    ) -> (Vec<LaneBlock>, Vec<(Place, Place)>) {
        let mut names = Names::default();
        let mut begins: Vec<Place> = begins.into_iter().collect();
        begins.sort_unstable();
        let mut begins: Vec<_> =
            begins.into_iter().map(|place| (place, names.of(place, true))).collect();
        let mut chain = Vec::new();
        for ((b, block), needed) in (head..).zip(blocks).zip(needed) {
            let steps = needed.iter().map(|&i| {
                let step = &block.steps[i];
                names.step(step, by_index(self.plans, b, i, step))
            });
            let steps = steps.collect();
            let (taken, goes_out) = match block.end {
                End::Branch { taken, .. } => (taken, taken != Predicate::Always),
                _ => (Predicate::Always, false),
            };
            let taken = names.taken(taken);
            let results = results.iter().filter(|_| goes_out);
            let results = results.map(|&place| names.of(place, false)).collect();
            chain.push(LaneBlock { steps, taken, results });
        }
        names.close(&begins);
        names.settle(&mut chain);
        begins.iter_mut().for_each(|of| of.1 = names.settled(of.1));
        look(&mut chain);
        (chain, begins)
    }

    /// Where all its blocks leave it for: behind it.
    fn exit(&self, head: usize, last: usize) -> Option<Target> {
        let mut all = None;
        for b in head..=last {
            let (_, exit) = turn(self.region, (head, last), b)?;
            if let Some(exit) = exit {
                all = Some(exit).filter(|_| all.is_none_or(|other| other == exit));
                all?;
            }
        }
        all.filter(|&exit| !matches!(exit, Target::Block(i) if i as usize <= last))
    }

    /// Loads, with their blocks and steps.
    pub(super) fn loads(
        &self,
        head: usize,
        last: usize,
    ) -> impl Iterator<Item = (usize, usize, &Load)> {
        let blocks = (head..).zip(&self.region.blocks[head..=last]);
        blocks.flat_map(|(b, block)| {
            block.steps.iter().enumerate().filter_map(move |(i, step)| match &step.action {
                Action::Load(load) => Some((b, i, &**load)),
                _ => None,
            })
        })
    }

    /// Registers of the loop that something behind it reads.
    fn live_out(&self, blocks: &[Block], exit: Target) -> HashSet<Place> {
        let lives = |place: Place| match exit {
            Target::Block(to) => {
                self.numbers.get(place).is_some_and(|i| self.uses[to as usize].live_in.has(i))
            }
            Target::Leave(_) => blocks.iter().any(|block| block.kept.contains(&place)),
        };
        let mut out = HashSet::new();
        for step in blocks.iter().flat_map(|block| &block.steps) {
            step.each_written(|place| {
                if lives(place) {
                    out.insert(place);
                }
            });
        }
        out
    }

    /// Registers that a lane begins with, and the steps that have to be done: loads, and what they, branches and the registers that
    /// are read behind the loop need. Without these (`out`): what the addresses of loads need alone.
    pub(super) fn needed(
        &self,
        head: usize,
        last: usize,
        out: Option<&HashSet<Place>>,
    ) -> (HashSet<Place>, Vec<Vec<usize>>) {
        let mut before = HashSet::new();
        loop {
            let (mut live, mut needed) = (before.clone(), Vec::new());
            for b in (head..=last).rev() {
                let block = &self.region.blocks[b];
                if let (Some(out), End::Branch { taken, .. }) = (out, block.end) {
                    live.extend(out);
                    live.extend(taken.place());
                }
                let mut of_block = Vec::new();
                for (i, step) in block.steps.iter().enumerate().rev() {
                    // What a guard keeps from a step is counted.
                    let mut is_needed = matches!(step.action, Action::Load(_))
                        || step.counted && step.guard != Predicate::Always;
                    step.each_written(|place| is_needed |= live.contains(&place));
                    if !is_needed {
                        continue;
                    }
                    of_block.push(i);
                    if step.guard == Predicate::Always {
                        step.each_written(|place| {
                            live.remove(&place);
                        });
                    }
                    // Of a load that a guard may keep from it, only the address hangs on nothing else.
                    let is_address = out.is_none() && matches!(step.action, Action::Load(_));
                    if !is_address && step.guard != Predicate::Always {
                        live.extend(step.guard.place());
                        step.each_written(|place| {
                            live.insert(place);
                        });
                    }
                    match by_index(self.plans, b, i, step) {
                        Some(value) => {
                            live.insert(Place::Narrow(value.index));
                        }
                        None => step.each_source(|source| live.extend(source.place())),
                    }
                    live.extend(predicates(step));
                }
                of_block.reverse();
                needed.push(of_block);
            }
            needed.reverse();
            if live == before {
                return (live, needed);
            }
            before.extend(live);
        }
    }
}

/// Predicates that an action reads.
fn predicates(step: &Step) -> Vec<Place> {
    let all = match &step.action {
        Action::Compute { op: Op::Select(p) | Op::SelectWide(p), .. } => vec![*p],
        Action::Compare { with, .. } => vec![with.1],
        Action::Logic { from, .. } => from.to_vec(),
        _ => Vec::new(),
    };
    all.into_iter().filter_map(Predicate::place).collect()
}

/// Whether a step can be done for a lane alone.
fn fits(step: &Step) -> bool {
    if step.guard == Predicate::Never {
        return false;
    }
    match &step.action {
        Action::Nothing | Action::Logic { .. } => true,
        Action::Compare { test, from, .. } => {
            from.iter().all(|&source| kinds::of_test(*test).fits(source))
        }
        Action::Compute { op, to, from } => {
            kinds::of(*op, from).is_some_and(|(kind, _)| match to {
                Place::Narrow(_) => !kind.is_wide(),
                Place::Wide(_) => kind.is_wide(),
                Place::Predicate(_) => false,
            })
        }
        Action::Load(load) => load_fits(load),
        _ => false,
    }
}

/// Whether a load is one of an element that goes to a register of its width without more than an extension.
fn load_fits(load: &Load) -> bool {
    let access = &load.access;
    let is_one = access.space == Space::Global && access.count == 1 && load.weak;
    let has_base = access.base.is_some_and(|base| Kind::Bits64.fits(base));
    let fits = match load.to[..] {
        [None] => true,
        [Some(Place::Narrow(_))] => access.size <= 4,
        [Some(Place::Wide(_))] => load.keep == u64::MAX,
        _ => false,
    };
    is_one && has_base && matches!(access.size, 1 | 2 | 4 | 8) && fits
}
