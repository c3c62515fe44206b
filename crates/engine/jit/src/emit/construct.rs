//! Construction of an [`Emitter`]: runs the analyses of the region, and creates empty state.

use super::affine::Plan;
use super::asm::Assembler;
use super::backend::Backend;
use super::base_groups::BaseGroups;
use super::divergence::Divergence;
use super::index::Indices;
use super::input::PendingCopies;
use super::live::{Numbers, Uses};
use super::register_cache::RegisterCache;
use super::{Constants, Emitter, Facts, Labels, Pending, Version};
use super::{nans, uniform};
use crate::ir::Region;
use crate::machine::Mode;

impl<'a, B: Backend> Emitter<'a, B> {
    /// Creates the emitter of a region. [`super::input::prepared`] has made the region of
    /// `original`, together with `copies` and `plans`.
    pub(super) fn new(
        original: &Region,
        region: &'a Region,
        copies: Vec<PendingCopies>,
        plans: Vec<Plan>,
        mode: Mode,
    ) -> Self {
        let n = region.blocks.len();
        let mut asm = Assembler::new();
        let mut scratch = Vec::new();
        let numbers = Numbers::of(region);
        let blocks = region.blocks.iter().zip(&plans);
        let mut uses: Vec<Uses> =
            blocks.map(|(block, plan)| Uses::of(block, &numbers, plan, &mut scratch)).collect();
        for (uses, copies) in uses.iter_mut().zip(&copies) {
            copies.at_start().filter_map(|p| numbers.get(p)).for_each(|i| uses.live_in.insert(i));
        }
        let mut version = || Version {
            labels: (0..n).map(|_| asm.label()).collect(),
            bodies: (0..n).map(|_| asm.label()).collect(),
            block_entries: (0..n).map(|_| asm.label()).collect(),
            states: vec![None; n],
            edges: vec![0; n],
        };
        let mut e = Self {
            versions: [version(), version()],
            has_both_modes: mode == Mode::Some && Divergence::any(region),
            labels: Labels {
                start: asm.label(),
                restart: asm.label(),
                exit: asm.label(),
                diverge_routine: asm.label(),
                arrive_routine: asm.label(),
                turn_routine: asm.label(),
            },
            entries: Vec::new(),
            yield_points: Vec::new(),
            asm,
            region,
            mode,
            block: 0,
            step: 0,
            next: vec![super::live::NEVER; numbers.len()],
            facts: Facts {
                noncanonical: nans::noncanonical(original, &numbers),
                numbers,
                uses,
                loops: vec![None; n],
                base_groups: BaseGroups::of(region),
                indices: Indices::of(region, &plans),
                same: uniform::loads(original),
                plans,
                copies,
            },
            cache: RegisterCache::default(),
            uncounted: 0,
            guarded: None,
            constants: Constants::default(),
            stubs: Vec::new(),
            pending: Pending::default(),
            back: B::default(),
        };
        for (i, block) in region.blocks.iter().enumerate() {
            // A divergence continues in the version for some lanes, from both versions.
            let divergence = if Divergence::of(region, &block.end).is_some() { 2 } else { 0 };
            for target in block.end.blocks() {
                e.versions[0].edges[target] += 1;
                e.versions[1].edges[target] += 1 + divergence;
                if target <= i {
                    e.facts.loops[target] = Some(i);
                }
            }
        }
        e
    }
}
