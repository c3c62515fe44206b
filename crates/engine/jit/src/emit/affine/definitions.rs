//! Definitions of affine values in the blocks of a region: where a value is known, which steps read
//! it, and which definitions need not be computed.

use super::values::{AffineResult, Registers};
use super::{Affine, base};
use crate::ir::{Action, Block, End, Region, Step, Target};
use crate::operand::VReg;
use std::collections::{BTreeMap, HashMap};

/// A definition of a register by an affine value, and the readers of the register in the block
/// while the index has not changed.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    /// The step that defines the register; `None` if it has the value where the block begins.
    pub(super) step: Option<usize>,
    pub(super) vreg: VReg,
    pub(super) value: Affine,
    /// The definition of the index, if it is also affine.
    product: Option<usize>,
    pub(super) readers: Vec<usize>,
    /// Whether no reader needs the register itself.
    pub(super) is_deferred: bool,
    /// Whether the register has the value at the end of the block, and is live there.
    pub(super) is_live_out: bool,
    /// Whether a later block computes the address from the index.
    pub(super) is_used_later: bool,
}

impl Definition {
    pub(super) fn is_from_before(&self) -> bool {
        self.step.is_none()
    }

    /// Whether the step is an access that can use the affine value instead of the register as its
    /// base.
    pub(super) fn is_base_of(&self, step: &Step) -> bool {
        base(step, self.value.shift).map(VReg::B64) == Some(self.vreg)
    }
}

/// The affine values that registers have where a block begins.
type Facts = BTreeMap<VReg, Affine>;

/// The definitions of affine values in all blocks of a region.
pub(super) struct Flow<'a> {
    region: &'a Region,
    pub(super) definitions: Vec<Vec<Definition>>,
}

impl<'a> Flow<'a> {
    pub(super) fn of(
        original: &Region,
        region: &'a Region,
        is_pending: &dyn Fn(usize, VReg) -> bool,
    ) -> Self {
        let mut flow = Self { region, definitions: vec![Vec::new(); region.blocks.len()] };
        flow.propagate(original, is_pending);
        flow.repeat(Self::choose_deferred);
        flow.repeat(Self::note_used);
        flow
    }

    /// Calls `visit` for the blocks from last to first, again and again until no call returns true.
    fn repeat(&mut self, visit: impl Fn(&mut Self, usize) -> bool) {
        let mut changes = true;
        while changes {
            let blocks = (0..self.region.blocks.len()).rev();
            changes = blocks.filter(|&b| visit(self, b)).count() != 0;
        }
    }

    /// Finds the definitions of each block. A register has an affine value where the block begins
    /// if all paths to the block agree about the value.
    fn propagate(&mut self, original: &Region, is_pending: &dyn Fn(usize, VReg) -> bool) {
        let blocks = &self.region.blocks;
        // The facts of a block are `None` until a path to the block has been walked.
        let mut starts: Vec<Option<Facts>> = vec![None; blocks.len()];
        let mut changed = self.region.entered();
        for (start, _) in starts.iter_mut().zip(&changed).filter(|of| *of.1) {
            *start = Some(Facts::new());
        }
        while let Some(b) = changed.iter().position(|&is| is) {
            changed[b] = false;
            let (block, mut start) = (&blocks[b], starts[b].clone().unwrap_or_default());
            let is_pending = |vreg| is_pending(b, vreg);
            start.retain(|&vreg, value| !is_pending(vreg) && !is_pending(VReg::B32(value.index)));
            let params = self.region.params.get(b).map_or(&[][..], |params| params);
            let (all, end) = definitions((block, &original.blocks[b]), params, start);
            self.definitions[b] = all;
            for to in block.end.successors() {
                let new = match &starts[to] {
                    _ if block.end.writes_registers() => Facts::new(),
                    None => end.clone(),
                    Some(known) => meet(known, &end),
                };
                if starts[to].as_ref() != Some(&new) {
                    (starts[to], changed[to]) = (Some(new), true);
                }
            }
        }
    }

    /// Whether no path from the end of a block needs the register of a definition to be computed.
    fn can_be_deferred_after(&self, end: End, d: &Definition) -> bool {
        let can = |to| match to {
            Target::Block(to) => {
                let to = to as usize;
                let of = self.at_start(to, d);
                of.is_some_and(|of| self.definitions[to][of].is_deferred)
                    || !lives_in(&self.region.blocks[to], d.vreg)
            }
            Target::Leave(_) => false,
        };
        match end {
            End::Jump(_) | End::Branch { .. } => end.targets().all(can),
            End::Yield { .. } | End::Leave { .. } => false,
        }
    }

    /// The definition at the beginning of a block that carries on a definition from a preceding
    /// block.
    fn at_start(&self, block: usize, d: &Definition) -> Option<usize> {
        let mut all = self.definitions[block].iter();
        all.position(|of| of.is_from_before() && (of.vreg, of.value) == (d.vreg, d.value))
    }

    /// Whether a block, or one after it, computes the address of a definition, or an address of a
    /// definition that is derived from it, from the index.
    fn is_used(&self, block: usize, d: usize) -> bool {
        let (steps, all) = (&self.region.blocks[block].steps, &self.definitions[block]);
        let of = &all[d];
        let uses = |&reader: &usize| {
            // Definitions are sorted by their steps.
            let result = all.binary_search_by_key(&Some(reader), |other| other.step);
            let is_derived = |i: usize| all[i].product == Some(d) && self.is_used(block, i);
            of.is_base_of(&steps[reader]) || result.is_ok_and(is_derived)
        };
        of.is_deferred || of.is_used_later || of.readers.iter().any(uses)
    }

    /// Decides which definitions of a block are deferred: those whose readers are all accesses that
    /// use the affine value, or deferred definitions. Returns whether fewer are than before.
    fn choose_deferred(&mut self, b: usize) -> bool {
        let (block, mut changes) = (&self.region.blocks[b], false);
        let mut all = self.definitions[b].clone();
        for d in (0..all.len()).rev() {
            let (before, later) = all.split_at(d + 1);
            let of = &before[d];
            let can = |&i: &usize| {
                let step = |b: &Definition| b.step == Some(i) && b.product == Some(d);
                of.is_base_of(&block.steps[i]) || later.iter().any(|b| b.is_deferred && step(b))
            };
            let is_deferred = of.is_deferred
                && (of.is_live_out || !of.readers.is_empty())
                && of.readers.iter().all(can)
                && (!of.is_live_out || self.can_be_deferred_after(block.end, of));
            changes |= is_deferred != of.is_deferred;
            all[d].is_deferred = is_deferred;
        }
        self.definitions[b] = all;
        changes
    }

    /// Records which definitions of a block later blocks use. Returns whether there are more than
    /// before.
    fn note_used(&mut self, b: usize) -> bool {
        let (block, mut changes) = (&self.region.blocks[b], false);
        let mut all = self.definitions[b].clone();
        for d in all.iter_mut().filter(|d| d.is_live_out && !d.is_used_later) {
            d.is_used_later = block
                .end
                .successors()
                .any(|to| self.at_start(to, d).is_some_and(|of| self.is_used(to, of)));
            changes |= d.is_used_later;
        }
        self.definitions[b] = all;
        changes
    }
}

/// The facts that two paths to a block agree about.
fn meet(a: &Facts, b: &Facts) -> Facts {
    a.iter().filter(|&(vreg, value)| b.get(vreg) == Some(value)).map(|(&a, &b)| (a, b)).collect()
}

/// Whether a block, or one after it, reads the value that a register has where the block begins.
fn lives_in(block: &Block, vreg: VReg) -> bool {
    for step in &block.steps {
        let mut reads = step.guard.vreg() == Some(vreg);
        step.each_read(&mut |read| reads |= read == vreg);
        if reads || step.writes(vreg) {
            return reads;
        }
    }
    block.kept.contains(&vreg)
}

/// The definitions of a block, up to a step.
struct Walk {
    all: Vec<Definition>,
    /// For each register, the definition that reaches the step.
    current: HashMap<VReg, usize>,
    known: Registers,
}

impl Walk {
    fn define(&mut self, step: Option<usize>, of: AffineResult) {
        let (AffineResult { vreg, value, product }, d) = (of, self.all.len());
        self.known.products.insert(vreg, (d, value));
        self.current.insert(vreg, d);
        self.all.push(Definition {
            step,
            vreg,
            value,
            product,
            readers: Vec::new(),
            is_deferred: true,
            is_live_out: false,
            is_used_later: false,
        });
    }

    /// Walks over a step. `original` is the step before copies of inputs are propagated: a copy
    /// changes its register though it is not emitted.
    fn step(&mut self, i: usize, step: &Step, original: &Step) {
        let (new, same) = (self.known.value(step), self.known.same(step));
        step.each_read(&mut |vreg| {
            if let Some(&d) = self.current.get(&vreg) {
                // A reader cannot recompute the value once its index register has been overwritten.
                match self.known.products.contains_key(&vreg) {
                    true => self.all[d].readers.push(i),
                    false => self.all[d].is_deferred = false,
                }
            }
        });
        // An exit must compute the registers whose definitions are deferred. The exits of loads and
        // stores do so, but those of other steps do not, so that no definition is deferred across
        // them.
        if step.may_exit() && !matches!(step.action, Action::Load(_) | Action::Store(_)) {
            self.known.products.clear();
        }
        original.each_written(&mut |vreg| {
            self.current.remove(&vreg);
            self.known.forget(vreg);
        });
        self.known.same.extend(same);
        if let Some(new) = new {
            self.define(Some(i), new);
        }
    }
}

/// Collects the definitions of a block, with their readers, and the facts at its end.
fn definitions(
    (block, original): (&Block, &Block),
    params: &[(VReg, u32)],
    start: Facts,
) -> (Vec<Definition>, Facts) {
    let known = Registers::new(params);
    let mut walk = Walk { all: Vec::new(), current: HashMap::new(), known };
    for (vreg, value) in start {
        walk.define(None, AffineResult { vreg, value, product: None });
    }
    for (i, (step, original)) in block.steps.iter().zip(&original.steps).enumerate() {
        walk.step(i, step, original);
    }
    let Walk { mut all, current, known } = walk;
    let mut end = Facts::new();
    for (&vreg, &d) in current.iter().filter(|(vreg, _)| block.kept.contains(vreg)) {
        let d = &mut all[d];
        d.is_live_out = known.products.contains_key(&vreg);
        d.is_deferred &= d.is_live_out;
        if d.is_live_out {
            end.insert(vreg, d.value);
        }
    }
    (all, end)
}
