//! Finds registers that hold a kernel parameter where blocks begin, which `simt` passes to the JIT
//! for kernels, by a simple data-flow analysis.

use std::collections::BTreeSet;
use texunit_jit::region::{Action, Block, End, Region, Space, Step, Target};
use texunit_jit::{Op, Predicate, Source, VReg};

/// Registers, with the offsets of the parameters that they hold.
type Facts = BTreeSet<(VReg, u32)>;

/// Computes [`Region::params`] of a region that is entered at its first block.
pub(crate) fn of(region: &Region) -> Vec<Vec<(VReg, u32)>> {
    // `None` if no path to the block is known yet.
    let mut all: Vec<Option<Facts>> = vec![None; region.blocks.len()];
    all[0] = Some(Facts::new());
    let mut changes = true;
    while changes {
        changes = false;
        for (b, block) in region.blocks.iter().enumerate() {
            let Some(mut facts) = all[b].clone() else { continue };
            block.steps.iter().for_each(|step| behind(step, &mut facts));
            for to in targets(block) {
                let both = match &all[to] {
                    Some(there) => there & &facts,
                    None => facts.clone(),
                };
                changes |= all[to].as_ref() != Some(&both);
                all[to] = Some(both);
            }
        }
    }
    all.into_iter().map(|facts| facts.unwrap_or_default().into_iter().collect()).collect()
}

fn targets(block: &Block) -> Vec<usize> {
    let all = match block.end {
        End::Jump(to) | End::Yield { next: to, .. } => vec![to],
        End::Branch { to, next, .. } => vec![to, next],
        End::Leave { .. } => vec![],
    };
    let block = |to| match to {
        Target::Block(to) => Some(to as usize),
        Target::Leave(_) => None,
    };
    all.into_iter().filter_map(block).collect()
}

fn behind(step: &Step, facts: &mut Facts) {
    let new = copied(step, facts).filter(|_| step.guard == Predicate::Always);
    step.each_written(&mut |place| facts.retain(|fact| fact.0 != place));
    facts.extend(new);
}

/// The register that a step sets to a parameter, and the parameter's offset.
fn copied(step: &Step, facts: &Facts) -> Option<(VReg, u32)> {
    let of = |place| facts.iter().find(|fact| fact.0 == place).map(|fact| fact.1);
    match &step.action {
        Action::Compute { op: Op::Copy | Op::CopyWide, to, from } => {
            let at = match (to, from[0]) {
                (VReg::B32(_), Source::Bytes32(at)) | (VReg::B64(_), Source::Bytes64(at)) => {
                    Some(at)
                }
                (VReg::B32(_), Source::B32(i)) => of(VReg::B32(i)),
                (VReg::B64(_), Source::B64(i)) => of(VReg::B64(i)),
                _ => None,
            };
            Some((*to, at?))
        }
        Action::Load(load) if load.access.space == Space::Param && load.access.count == 1 => {
            let at = load.access.offset as u32;
            match (load.access.size, load.to[..].first()?.as_ref()?) {
                (8, to @ VReg::B64(_)) if load.keep == u64::MAX => Some((*to, at)),
                (4, to @ VReg::B32(_)) if load.keep as u32 == u32::MAX => Some((*to, at)),
                _ => None,
            }
        }
        _ => None,
    }
}
