//! Indexed accesses: affine accesses whose bounds check is on the index instead of the address,
//! because the scale is the size of the accessed element. The analysis [`Indices`] is given a
//! region and its affine addresses, and says which accesses are indexed and which index registers
//! have cached shapes.
//!
//! The uniform base does not change while the site is filled, so the site holds the host address of
//! element 0 and the number of elements ([`crate::machine::Site::indices`]). The first access by an
//! index register tests whether its lanes are consecutive, and caches the answer in the frame:
//! [`CONSECUTIVE`] and the index of the first lane, or [`SCATTERED`]. The answer holds until the
//! register changes; a uniform value that is added to all lanes only moves the first index. Entries
//! clear the cached shapes. Only code for all live lanes tests for
//! consecutive lanes, and only if all 32 lanes are live. Code for some lanes reads and writes only
//! whether lanes are scattered, by which it skips the test of their addresses.

mod cache;

use super::affine::{Addend, Affine, Plan};
use super::base_groups;
use crate::frame::INDICES;
use crate::ir::{Action, Region, Space, Step};
use crate::op::Op;
use crate::operand::{Predicate, Source, VReg};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use texunit_forms::sort_by_key;

/// Numbers of the cached shapes of an index register: consecutive lanes, or other lanes; 0 if the
/// shape is not known.
pub(super) const CONSECUTIVE: i32 = 1;
pub(super) const SCATTERED: i32 = 2;

/// An indexed access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Indexed {
    /// The slot of the cached shape, if the register is tracked.
    pub(super) slot: Option<usize>,
    /// The uniform value added to the index.
    pub(super) addend: Addend,
    /// Whether the access may test for consecutive indices: the code is for all live lanes, and all
    /// of them execute the access.
    pub(super) rows: bool,
    /// Whether the analysis knows that the lanes are consecutive ([`Region::strides`]).
    pub(super) is_row: bool,
    /// Whether each lane steps through a range of memory of its own: instructions add small numbers
    /// to its index.
    pub(super) walks: bool,
}

/// A set of slots of cached shapes, as bits.
type Slots = u8;

/// The tracked index registers of a region.
#[derive(Debug, Default)]
pub(super) struct Indices {
    slots: HashMap<u32, usize>,
    /// For each block, the slots whose shapes are live at its beginning, and after each of its
    /// steps.
    start: Vec<Slots>,
    live_after: Vec<Vec<Slots>>,
    /// Accesses (block and step) whose lanes are known to be contiguous, and accesses of shared
    /// memory whose lanes are known to be at a greater distance.
    rows: HashSet<(usize, usize)>,
    strided: HashSet<(usize, usize)>,
    /// Index registers to which steps add small numbers.
    walking: HashSet<u32>,
}

/// A register to which a step adds a uniform value in all active lanes, and the value.
fn increment(step: &Step) -> Option<(u32, Addend)> {
    let Action::Compute { op: op @ (Op::Add | Op::Sub), to: VReg::B32(to), from } = step.action
    else {
        return None;
    };
    Addend::of(op, &from).filter(|of| of.0 == to && all_lanes_execute(step))
}

/// Finds accesses that need no test of their lanes ([`Indices::rows`], [`Indices::strided`]): those
/// with indices whose stride is known to be 1, and accesses of shared memory at addresses with a
/// known stride.
fn known_strides(region: &Region, plans: &[Plan]) -> [HashSet<(usize, usize)>; 2] {
    let (mut rows, mut strided) = (HashSet::new(), HashSet::new());
    for (b, (block, plan)) in region.blocks.iter().zip(plans).enumerate() {
        let held = region.strides.get(b).into_iter().flatten().copied();
        let mut strides: HashMap<u32, u32> = held.collect();
        for (i, step) in block.steps.iter().enumerate() {
            let is_index = index_of(plan, i, step).map(|value| (value.index, 1));
            let contiguous = is_index.or_else(|| shared_address(step));
            match contiguous.and_then(|(of, unit)| Some((*strides.get(&of)?, unit))) {
                Some((stride, unit)) if stride == unit => rows.insert((b, i)),
                Some((stride, _)) if stride != 0 && is_index.is_none() => strided.insert((b, i)),
                _ => false,
            };
            let made = region.made_stride(step.at);
            step.each_written(&mut |vreg| {
                if let VReg::B32(register) = vreg {
                    strides.remove(&register);
                    strides.extend(made.map(|stride| (register, stride)));
                }
            });
        }
    }
    [rows, strided]
}

/// The address register of an access of shared memory, and the stride at which its lanes are
/// contiguous.
fn shared_address(step: &Step) -> Option<(u32, u32)> {
    let is_atomic = matches!(step.action, Action::Atomic(_));
    let (access, _) = step.access().filter(|of| of.0.space == Space::Shared && !is_atomic)?;
    let Some(Source::B32(base)) = access.base else { return None };
    Some((base, u32::from(access.size) * u32::from(access.count)))
}

/// Whether the bounds of a site can be checked by the index: the scale is the access's size, and
/// the base is the same during the launch.
fn fits(step: &Step, value: Affine) -> bool {
    let size = step.access().and_then(|of| base_groups::base(of.0)).map(|base| base.1);
    size == Some(1 << value.shift) && matches!(value.add, Source::Literal(_) | Source::Bytes64(_))
}

/// The affine address of an access whose index is checked.
fn index_of(plan: &Plan, i: usize, step: &Step) -> Option<Affine> {
    plan.get(i)?.base.filter(|&value| fits(step, value))
}

fn all_lanes_execute(step: &Step) -> bool {
    step.guard == Predicate::Always
}

impl Indices {
    /// Analyses a region. An index register is tracked if several accesses use it, and for one of
    /// these accesses the lanes are not known to be consecutive.
    pub(super) fn of(region: &Region, plans: &[Plan]) -> Self {
        let mut counts: HashMap<u32, usize> = HashMap::new();
        let mut looked_at: HashSet<u32> = HashSet::new();
        let [rows, strided] = known_strides(region, plans);
        for (b, (block, plan)) in region.blocks.iter().zip(plans).enumerate() {
            for (i, step) in block.steps.iter().enumerate() {
                let by_index = index_of(plan, i, step).filter(|_| all_lanes_execute(step));
                if let Some(value) = by_index {
                    *counts.entry(value.index).or_default() += 1;
                    if !rows.contains(&(b, i)) {
                        looked_at.insert(value.index);
                    }
                }
            }
        }
        let mut all: Vec<(usize, u32)> = counts.into_iter().map(|(index, n)| (n, index)).collect();
        all.retain(|of| of.0 > 1 && looked_at.contains(&of.1));
        sort_by_key(&mut all, |&of| Reverse(of));
        let slots: HashMap<u32, usize> =
            all.iter().take(INDICES).zip(0..).map(|(of, slot)| (of.1, slot)).collect();
        let steps = region.blocks.iter().flat_map(|block| &block.steps);
        let walking =
            steps.filter_map(increment).filter(|of| of.1.is_near()).map(|of| of.0).collect();
        let mut indices = Self { slots, rows, strided, walking, ..Self::default() };
        if !indices.slots.is_empty() {
            indices.compute_liveness(region, plans);
        }
        indices
    }

    /// How a step's access is indexed; `None` if it has no index.
    pub(super) fn access(
        &self,
        plan: &Plan,
        (block, i): (usize, usize),
        step: &Step,
    ) -> Option<Indexed> {
        let value = index_of(plan, i, step)?;
        Some(Indexed {
            slot: self.slots.get(&value.index).copied(),
            addend: value.addend,
            rows: true,
            is_row: self.rows.contains(&(block, i)),
            walks: self.walking.contains(&value.index),
        })
    }

    /// Whether a step accesses shared memory at addresses that are known to be contiguous.
    pub(super) fn is_shared_row(&self, at: (usize, usize), step: &Step) -> bool {
        self.rows.contains(&at) && shared_address(step).is_some()
    }

    /// Whether a step accesses shared memory at addresses that are known to be apart.
    pub(super) fn is_strided(&self, at: (usize, usize)) -> bool {
        self.strided.contains(&at)
    }

    /// The slots whose shapes a step reads, and the slots whose shapes it makes unknown.
    fn effects(&self, plan: &Plan, at: (usize, usize), step: &Step) -> (Slots, Slots) {
        let indexed = self.access(plan, at, step);
        let indexed = indexed.filter(|of| !of.is_row && all_lanes_execute(step));
        let looks = indexed.and_then(|of| of.slot).map_or(0, |slot| 1 << slot);
        let mut changes = 0;
        let increment = self.increment(step).map(|of| of.0);
        step.each_written(&mut |vreg| {
            let slot = match vreg {
                VReg::B32(index) => self.slots.get(&index).copied(),
                _ => None,
            };
            changes |= slot.filter(|_| increment != slot).map_or(0, |slot| 1 << slot);
        });
        (looks, changes)
    }

    /// The slot of an index register to which a step adds a uniform value, and the value. The
    /// addition does not change the register's shape.
    fn increment(&self, step: &Step) -> Option<(usize, Addend)> {
        let (register, addend) = increment(step)?;
        Some((self.slots.get(&register).copied()?, addend))
    }

    /// Computes for each block and step which slots have shapes that are read later.
    fn compute_liveness(&mut self, region: &Region, plans: &[Plan]) {
        let n = region.blocks.len();
        self.start = vec![0; n];
        self.live_after = region.blocks.iter().map(|block| vec![0; block.steps.len()]).collect();
        let mut changes = true;
        while changes {
            changes = false;
            for (b, block) in region.blocks.iter().enumerate().rev() {
                let mut now = block.end.blocks().fold(0, |bits, to| bits | self.start[to]);
                for (i, step) in block.steps.iter().enumerate().rev() {
                    self.live_after[b][i] = now;
                    let (looks, writes) = self.effects(&plans[b], (b, i), step);
                    now = now & !writes | looks;
                }
                changes |= self.start[b] != now;
                self.start[b] = now;
            }
        }
    }

    /// The slots whose shapes are live at the beginning of a block.
    pub(super) fn at_start(&self, block: usize) -> Slots {
        self.start.get(block).copied().unwrap_or(0)
    }

    /// The slots whose shapes are live after a step.
    pub(super) fn live_after(&self, block: usize, step: usize) -> Slots {
        self.live_after.get(block).and_then(|steps| steps.get(step)).copied().unwrap_or(0)
    }
}

/// The sites of indexed accesses, with the uniform base of each.
pub(super) fn sites(region: &Region, plans: &[Plan]) -> Vec<(u32, Source)> {
    let mut sites = Vec::new();
    for (block, plan) in region.blocks.iter().zip(plans) {
        for (i, step) in block.steps.iter().enumerate() {
            let value = index_of(plan, i, step);
            sites.extend(value.and_then(|value| Some((step.access()?.0.site, value.add))));
        }
    }
    sites
}
