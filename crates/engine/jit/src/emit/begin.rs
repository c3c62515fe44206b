//! An emitter that has made nothing yet.

use super::asm::Assembler;
use super::backend::Backend;
use super::index::Indices;
use super::input::Owed;
use super::live::{Numbers, Uses};
use super::part::Parting;
use super::same_base::Near;
use super::values::Values;
use super::{Emitter, Version};
use crate::machine::Mode;
use crate::operand::Predicate;
use crate::region::{End, Region, Target};
use std::collections::HashMap;

impl<'a, B: Backend> Emitter<'a, B> {
    /// That of a region.
    pub(super) fn new(region: &'a Region, owed: Vec<Owed>, mode: Mode, any_nans: bool) -> Self {
        let n = region.blocks.len();
        let mut asm = Assembler::new();
        let mut scratch = Vec::new();
        let numbers = Numbers::of(region);
        let plans = if B::AFFINE { super::affine::plans(region) } else { Vec::new() };
        let plan = |block: usize| plans.get(block).map_or(&[][..], |plan: &super::Plan| plan);
        let blocks = region.blocks.iter().enumerate();
        let mut uses: Vec<Uses> =
            blocks.map(|(i, b)| Uses::of(b, &numbers, plan(i), &mut scratch)).collect();
        for (uses, owed) in uses.iter_mut().zip(&owed) {
            owed.at_start().filter_map(|p| numbers.get(p)).for_each(|i| uses.live_in.insert(i));
        }
        let mut version = || Version {
            labels: (0..n).map(|_| asm.label()).collect(),
            bodies: (0..n).map(|_| asm.label()).collect(),
            doors: vec![None; n],
            states: vec![None; n],
            edges: vec![0; n],
        };
        let mut e = Self {
            versions: [version(), version()],
            both: mode == Mode::Some && Parting::any(region),
            again: asm.label(),
            exit: asm.label(),
            parts: asm.label(),
            arrives: asm.label(),
            pauses: Vec::new(),
            waits: asm.label(),
            next_link: asm.label(),
            links: asm.label(),
            asm,
            region,
            mode,
            block: 0,
            step: 0,
            next: vec![super::live::NEVER; numbers.len()],
            numbers,
            uses,
            values: Values::default(),
            pending: 0,
            guarded: None,
            pool: Vec::new(),
            pooled: HashMap::new(),
            routines: Vec::new(),
            loops: vec![None; n],
            stubs: Vec::new(),
            rare: Vec::new(),
            near: Near::of(region),
            indices: Indices::of(region, &plans),
            open_indices: 0,
            plans,
            late: Vec::new(),
            owed,
            owes: Vec::new(),
            open: 0,
            entries: Vec::new(),
            any_nans,
            contradiction: false,
            back: B::default(),
        };
        for (i, block) in region.blocks.iter().enumerate() {
            // Where lanes part, ways lead from both versions to that for some lanes.
            let apart = if Parting::of(region, &block.end).is_some() { 2 } else { 0 };
            for target in block.end.blocks() {
                e.versions[0].edges[target] += 1;
                e.versions[1].edges[target] += 1 + apart;
                if target <= i {
                    e.loops[target] = Some(i);
                }
            }
        }
        e
    }
}

impl End {
    /// The blocks where it goes on.
    pub(super) fn blocks(&self) -> impl Iterator<Item = usize> {
        let targets = match *self {
            End::Jump(to) => [Some(to), None],
            End::Branch { taken: Predicate::Always, to, .. } => [Some(to), None],
            End::Branch { taken: Predicate::Never, next, .. } => [Some(next), None],
            End::Branch { to, next, .. } => [Some(to), Some(next)],
            // It goes on behind it by an entry.
            End::Leave { .. } | End::Pause { .. } => [None; 2],
        };
        targets.into_iter().flatten().filter_map(|target| match target {
            Target::Block(i) => Some(i as usize),
            Target::Leave(_) => None,
        })
    }
}
