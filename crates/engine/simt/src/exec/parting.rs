//! Divergence of a split's lanes at a branch, and their reconvergence.

use super::outcome::Flow;
use super::warp::{Split, Warp};
use crate::code::NONE;

/// Diverges the lanes of a split: `taken` go to `target`, the others to the next instruction.
/// `meets`: their reconvergence point.
pub(super) fn diverge(warp: &mut Warp, split: &mut Split, taken: u32, target: u32, meets: u32) {
    let group = warp.group_for(split, meets);
    let rest = split.mask & !taken;
    split.group = group;
    let next = split.pc + 1;
    // Lanes that are at the reconvergence point immediately need no split.
    if target == meets {
        let _ = warp.arrive(group, taken, target);
        (split.mask, split.pc) = (rest, next);
    } else if next == meets {
        let _ = warp.arrive(group, rest, next);
        (split.mask, split.pc) = (taken, target);
    } else {
        warp.frames.retain(split.frame);
        warp.splits.push(Split { pc: target, mask: taken, ..*split });
        (split.mask, split.pc) = (rest, next);
    }
}

/// Handles the arrival of a split at an instruction that may be its reconvergence point.
pub(super) fn join(warp: &mut Warp, split: &mut Split) -> Flow {
    let flow = join_at(warp, split, split.pc);
    if flow == Flow::Continues {
        split.pc += 1;
    }
    flow
}

/// Handles the arrival of a split at `point`, which is its instruction, or
/// [`AT_RETURN`](crate::code::AT_RETURN) at the return of a function.
pub(super) fn join_at(warp: &mut Warp, split: &mut Split, point: u32) -> Flow {
    while split.group != NONE && warp.meets(split, point) {
        match warp.arrive(split.group, split.mask, split.pc) {
            Some((mask, group)) => (split.mask, split.group) = (mask, group),
            None => {
                warp.frames.release(split.frame);
                return Flow::Retired;
            }
        }
    }
    Flow::Continues
}
