//! Which indices of a block are looked at together: one, and small numbers added to it.

use super::rename::{LaneBlock, LaneStep, Look};
use crate::emit::affine::{Affine, Plus};
use crate::operand::{Place, Predicate, Source};
use crate::region::{Action, Load};

/// Numbers that are small.
const SMALL: u32 = 64;

/// What is added to an index, if that is small.
fn behind(plus: Plus) -> Option<u32> {
    match plus.number {
        Source::Literal(0) => Some(0),
        Source::Literal(number) if !plus.minus => Some(number as u32).filter(|&n| n < SMALL),
        _ => None,
    }
}

/// A load by an index.
fn load(of: &LaneStep) -> Option<(&Load, Affine)> {
    match &of.step.action {
        Action::Load(load) => Some((load, of.by?)),
        _ => None,
    }
}

/// Whether two loads have the same addresses of the same indices.
fn are_alike(a: (&Load, Affine), b: (&Load, Affine)) -> bool {
    let of = |(load, by): (&Load, Affine)| {
        (load.access.map, load.access.size, load.access.offset, by.add, by.shift)
    };
    of(a) == of(b)
}

/// Finds out how the loads of a loop look at their indices.
///
/// A look that is meant for others may be one too many, where a guard keeps them from their loads: lanes go together then, as where
/// any other look is in vain.
pub(super) fn look(blocks: &mut [LaneBlock]) {
    let mut firsts: Vec<(LaneStep, u32)> = Vec::new();
    for block in blocks {
        // What has been looked at in the block: by which step, and the index.
        let mut looked: Vec<(usize, Affine)> = Vec::new();
        for i in 0..block.steps.len() {
            if let Some((of, by)) = load(&block.steps[i]) {
                let number = of.access.site;
                let first = firsts
                    .iter()
                    .find(|first| load(&first.0).is_some_and(|first| are_alike(first, (of, by))));
                let site = first.map_or(number, |first| first.1);
                let is_first = first.is_none();
                let behind = behind(by.plus);
                let before = looked.iter().copied().find(|&(at, index)| {
                    index.index == by.index
                        && load(&block.steps[at]).is_some_and(|at| are_alike(at, (of, by)))
                });
                let is_certain = block.steps[i].step.guard == Predicate::Always;
                // The site of a load that is not made may never be filled.
                if is_first && is_certain {
                    firsts.push((block.steps[i].clone(), number));
                }
                let covers = match (before, behind) {
                    (Some((at, _)), Some(behind)) => {
                        let covers = &mut block.steps[at].look.covers;
                        *covers = (*covers).max(Some(behind));
                        None
                    }
                    (_, behind) => {
                        if behind.is_some() && is_certain {
                            looked.push((i, by));
                        }
                        Some(behind.unwrap_or(0))
                    }
                };
                block.steps[i].look = Look { site, behind, covers };
            }
            block.steps[i].step.each_written(|place| {
                looked.retain(|&(_, by)| Place::Narrow(by.index) != place);
            });
        }
    }
}
