//! By which register the lanes of a loop go along rows.

use super::find::{Finder, Walk, by_index};
use crate::op::Op;
use crate::operand::{Place, Predicate, Source};
use crate::region::Action;
use std::collections::HashSet;

impl Finder<'_> {
    /// The register by which lanes go along rows, if no address hangs on what has been loaded in the iteration before: such loads
    /// wait for each other, and those of all lanes had better wait together.
    pub(super) fn walk(&self, head: usize, last: usize) -> Option<Walk> {
        let (carried, _) = self.needed(head, last, None);
        let loaded = self.loaded(head, last);
        if carried.iter().any(|place| loaded.contains(place)) {
            return None;
        }
        self.loads(head, last).find_map(|(b, i, load)| {
            let step = &self.region.blocks[b].steps[i];
            let walk = match (by_index(self.plans, b, i, step), load.access.base) {
                (Some(value), _) => Walk { place: Place::Narrow(value.index), unit: 1 },
                (None, Some(Source::Wide(base))) => {
                    Walk { place: Place::Wide(base), unit: load.access.size.into() }
                }
                _ => return None,
            };
            self.is_counted(head, last, walk.place).then_some(walk)
        })
    }

    /// Registers that hang on what has been loaded.
    fn loaded(&self, head: usize, last: usize) -> HashSet<Place> {
        let mut loaded = HashSet::new();
        loop {
            let before = loaded.len();
            for step in self.region.blocks[head..=last].iter().flat_map(|block| &block.steps) {
                let mut hangs = matches!(step.action, Action::Load(_));
                step.each_read(|place| hangs |= loaded.contains(&place));
                hangs |= step.guard.place().is_some_and(|place| loaded.contains(&place));
                if hangs {
                    step.each_written(|place| {
                        loaded.insert(place);
                    });
                }
            }
            if loaded.len() == before {
                return loaded;
            }
        }
    }

    /// Whether a loop does nothing with a register but to add to it, or to take away, what all lanes have, once.
    fn is_counted(&self, head: usize, last: usize, place: Place) -> bool {
        let mut writes = 0;
        let mut counts = false;
        for step in self.region.blocks[head..=last].iter().flat_map(|block| &block.steps) {
            step.each_written(|written| writes += u32::from(written == place));
            if let Action::Compute { op: Op::Add | Op::Sub | Op::AddWide | Op::SubWide, to, from } =
                &step.action
                && *to == place
                && step.guard == Predicate::Always
            {
                let other = if from[0].place() == Some(place) { from[1] } else { from[0] };
                counts = from[..2].iter().any(|of| of.place() == Some(place)) && is_alike(other);
            }
        }
        counts && writes == 1
    }
}

/// Whether all lanes have it.
fn is_alike(source: Source) -> bool {
    !matches!(source, Source::Narrow(_) | Source::Wide(_) | Source::Row(_) | Source::Lane)
}
