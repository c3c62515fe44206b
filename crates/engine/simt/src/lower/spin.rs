//! Finds spin loops, which poll memory until another thread changes it.
//!
//! Such a loop loads memory (or tries an atomic), stores nothing, and its iterations depend on each
//! other only through memory. Other warps of the CTA should run between two iterations, so a
//! [`Op::Yield`] is inserted before the back edge. Correctness does not depend on finding all spin
//! loops, because the length of a warp's turn is limited anyway.

use super::joins::insert;
use crate::code::{Code, Inst, MemSpace, Op, Slot};
use crate::flow::each_slot;
use texunit_flow::Access;
use texunit_isa::AtomOp;

/// Maximum number of instructions of a loop that is considered.
const LONGEST: usize = 64;

/// Inserts a `Yield` before the back edge of each spin loop. Returns the numbers of the functions
/// that have any.
pub(crate) fn yield_in_loops(code: &mut Code) -> Vec<usize> {
    let insts = &code.insts;
    let waits = |at: usize, inst: &Inst| {
        let first = start(inst)?;
        let short = first <= at && at - first < LONGEST;
        (short && only_waits(&insts[first..=at], first)).then_some(at)
    };
    let found: Vec<usize> =
        insts.iter().enumerate().filter_map(|(at, inst)| waits(at, inst)).collect();
    let functions = found.iter().filter_map(|&at| code.function_at(at as u32)).collect();
    if !found.is_empty() {
        // A branch to the back edge executes the `Yield` as well.
        insert(code, |at| found.binary_search(&at).is_ok().then_some(Op::Yield));
    }
    functions
}

/// The target of a branch.
fn start(inst: &Inst) -> Option<usize> {
    match inst.op {
        Op::Branch { target, .. } => Some(target as usize),
        _ => None,
    }
}

/// Whether a loop, which begins at instruction `first`, is a spin loop.
fn only_waits(body: &[Inst], first: usize) -> bool {
    // `early`: registers that the loop reads before it writes them. `written`: registers that the
    // loop writes. `whole`: registers that all lanes have written.
    let (mut early, mut written, mut whole) = (Vec::new(), Vec::new(), Vec::new());
    let mut looks = false;
    // Reconvergence point of the last divergent branch in the loop; before it, some lanes may skip
    // writes.
    let mut meet = first;
    for (at, inst) in (first..).zip(body) {
        // A `cas` that compares with a value read in the same iteration is an update that is
        // retried.
        if let Op::Atomic(atomic) = &inst.op
            && atomic.op == AtomOp::Cas
            && atomic.b.iter().any(|b| written.iter().any(|(slot, _)| *slot == b.plain()))
        {
            return false;
        }
        looks |= match &inst.op {
            Op::Load(access) | Op::LoadQuad(access) => {
                matches!(
                    access.at.mem_space,
                    MemSpace::Global | MemSpace::Shared | MemSpace::Generic
                ) && !access.constant
            }
            Op::Atomic(_) => true,
            _ => false,
        };
        let all_lanes = inst.guard == Slot::TRUE && at >= meet;
        let mut read = |slot: Slot| {
            if !slot.is_none() && !slot.is_constant() && !whole.contains(&slot.plain()) {
                early.push(slot.plain());
            }
        };
        read(inst.guard);
        let known = each_slot(&inst.op, &mut |access, slot| match access {
            Access::Use => read(slot),
            Access::Def if slot.is_none() => {}
            Access::Def => written.push((slot.plain(), all_lanes)),
        });
        if !known || !is_harmless(&inst.op) {
            return false;
        }
        whole.extend(written.iter().filter(|(_, all)| *all).map(|&(slot, _)| slot));
        let to = start(inst).filter(|to| *to < first + body.len());
        meet = meet.max(to.unwrap_or(first));
    }
    looks && !written.iter().any(|(slot, _)| early.contains(slot))
}

/// Whether an operation changes nothing but registers. A successful atomic changes memory as well,
/// but then the loop ends.
fn is_harmless(op: &Op) -> bool {
    match op {
        Op::Store(_) | Op::StoreQuad(_) | Op::SurfaceStore(_) | Op::SurfaceLoad(_) => false,
        Op::Fetch(_) | Op::Query(_) | Op::Barrier(_) | Op::CountZero { .. } => false,
        Op::BranchIndexed { .. } | Op::Return | Op::Trap | Op::Breakpoint => false,
        _ => !op.is_collective(),
    }
}
