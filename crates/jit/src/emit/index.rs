//! Indices of which a site says all: accesses whose addresses are made of one ([`super::affine`]), as large as its scale.
//!
//! What is added to the index is the same as long as the site is filled, so that the site knows where index 0 lies and
//! which indices there are ([`crate::machine::Site::indices`]). What an access has found out of the indices of a register
//! stays in the frame until the register changes: whether each lane's is one more than that of the lane before, from
//! which first one on ([`ROW`]), or they are anything ([`NEITHER`]). Whoever enters the code clears that. Only code for all
//! live lanes looks for it, where all 32 are.

use super::Emitter;
use super::affine::{Affine, Plan};
use super::asm::at;
use super::backend::Backend;
use super::frame::Frame;
use super::near;
use crate::machine::Mode;
use crate::operand::{Place, Predicate, Source};
use crate::region::{Access, Action, Region, Step};
use iced_x86::{Code as C, Instruction as I, Register as R};
use std::collections::HashMap;

/// Of how many registers something can be known.
pub(crate) const INDICES: usize = 8;

/// What is known of one: 0 is nothing.
pub(super) const ROW: i32 = 1;
pub(super) const NEITHER: i32 = 2;

/// An access by an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Indexed {
    /// Where the frame says what is known of the register.
    pub(super) slot: Option<usize>,
    /// Whether it can be one of all lanes beside each other.
    pub(super) rows: bool,
    /// Whether the register has been loaded: then it is not looked at what it has.
    pub(super) is_loaded: bool,
}

/// Registers of which something is known, by block and step.
#[derive(Debug, Default)]
pub(super) struct Indices {
    slots: HashMap<u32, usize>,
    /// By block: slots that something looks at where it begins, and behind each step; before they change.
    start: Vec<u8>,
    behind: Vec<Vec<u8>>,
}

/// The access of a step.
fn access(step: &Step) -> Option<&Access> {
    match &step.action {
        Action::Load(load) => Some(&load.access),
        Action::Store(store) => Some(&store.access),
        _ => None,
    }
}

/// Whether the site of an access can say which indices there are.
fn fits(step: &Step, value: Affine) -> bool {
    let size = access(step).and_then(near::base).map(|base| base.1);
    size == Some(1 << value.shift) && matches!(value.add, Source::Literal(_) | Source::Bytes64(_))
}

/// The index by which a step makes its access.
fn index_of(plan: &Plan, i: usize, step: &Step) -> Option<Affine> {
    plan.get(i)?.base.filter(|&value| fits(step, value))
}

impl Indices {
    /// Those of a region.
    pub(super) fn of(region: &Region, plans: &[Plan]) -> Self {
        let mut counts: HashMap<u32, usize> = HashMap::new();
        let blocks = || region.blocks.iter().zip(plans);
        for (block, plan) in blocks() {
            for (i, step) in block.steps.iter().enumerate() {
                if let Some(value) = index_of(plan, i, step).filter(|_| is_row(step))
                    && !plan[i].is_loaded
                {
                    *counts.entry(value.index).or_default() += 1;
                }
            }
        }
        let mut all: Vec<(usize, u32)> = counts.into_iter().map(|(index, n)| (n, index)).collect();
        all.retain(|of| of.0 > 1);
        all.sort_unstable_by(|a, b| b.cmp(a));
        let slots = all.iter().take(INDICES).zip(0..).map(|(of, slot)| (of.1, slot)).collect();
        let mut indices = Self { slots, ..Self::default() };
        if !indices.slots.is_empty() {
            indices.follow(region, plans);
        }
        indices
    }

    /// The slot that a step looks at, and those of registers that it changes, as bits.
    fn effects(&self, plan: &Plan, i: usize, step: &Step) -> (u8, u8) {
        let index = index_of(plan, i, step).filter(|_| is_row(step));
        let slot = index.and_then(|value| self.slots.get(&value.index));
        let mut changes = 0;
        step.each_written(|place| {
            if let Place::Narrow(index) = place
                && let Some(slot) = self.slots.get(&index)
            {
                changes |= 1 << slot;
            }
        });
        (slot.map_or(0, |slot| 1 << slot), changes)
    }

    /// Finds out where slots are looked at.
    fn follow(&mut self, region: &Region, plans: &[Plan]) {
        let n = region.blocks.len();
        self.start = vec![0; n];
        self.behind = region.blocks.iter().map(|block| vec![0; block.steps.len()]).collect();
        let mut changes = true;
        while changes {
            changes = false;
            for (b, block) in region.blocks.iter().enumerate().rev() {
                let mut now = block.end.blocks().fold(0, |bits, to| bits | self.start[to]);
                for (i, step) in block.steps.iter().enumerate().rev() {
                    self.behind[b][i] = now;
                    let (looks, writes) = self.effects(&plans[b], i, step);
                    now = now & !writes | looks;
                }
                changes |= self.start[b] != now;
                self.start[b] = now;
            }
        }
    }

    /// Slots that something looks at behind the beginning of a block.
    pub(super) fn at_start(&self, block: usize) -> u8 {
        self.start.get(block).copied().unwrap_or(0)
    }

    /// The same behind a step.
    pub(super) fn behind(&self, block: usize, step: usize) -> u8 {
        self.behind.get(block).and_then(|steps| steps.get(step)).copied().unwrap_or(0)
    }
}

/// Whether all lanes make the access of a step.
fn is_row(step: &Step) -> bool {
    step.guard == Predicate::Always
}

impl<B: Backend> Emitter<'_, B> {
    /// The access of the step, if it is one of these.
    pub(super) fn indexed(&self) -> Option<Indexed> {
        let step = &self.region.blocks[self.block].steps[self.step];
        let plan = self.plans.get(self.block)?;
        let value = index_of(plan, self.step, step)?;
        let rows = self.mode == Mode::Live && is_row(step);
        let slot = self.indices.slots.get(&value.index).copied().filter(|_| rows);
        Some(Indexed { slot, rows, is_loaded: plan[self.step].is_loaded })
    }

    /// What is known of some registers is known no longer.
    pub(super) fn forget_indices(&mut self, slots: u8) {
        for slot in (0..INDICES).filter(|slot| slots >> slot & 1 != 0) {
            self.asm.put(I::with2(C::Mov_rm32_imm32, at(R::RDI, Frame::index(slot)), 0));
        }
    }

    /// Forgets what is known of registers that steps have changed and that something looks at behind them.
    pub(super) fn forget_changed(&mut self, steps: std::ops::Range<usize>) {
        if self.mode != Mode::Live || self.indices.slots.is_empty() || steps.is_empty() {
            return;
        }
        let open = self.indices.behind(self.block, steps.end - 1);
        let all = &self.region.blocks[self.block].steps[steps];
        let mut changed = 0;
        for step in all {
            step.each_written(|place| {
                if let Place::Narrow(index) = place
                    && let Some(slot) = self.indices.slots.get(&index)
                {
                    changed |= 1 << slot;
                }
            });
        }
        self.forget_indices(changed & open);
    }
}

/// What the sites of accesses by indices are made of, by their numbers.
pub(super) fn sites(region: &Region, plans: &[Plan]) -> Vec<(u32, Source)> {
    let mut sites = Vec::new();
    for (block, plan) in region.blocks.iter().zip(plans) {
        for (i, step) in block.steps.iter().enumerate() {
            if let (Some(value), Some(access)) = (index_of(plan, i, step), access(step)) {
                sites.push((access.site, value.add));
            }
        }
    }
    sites
}
