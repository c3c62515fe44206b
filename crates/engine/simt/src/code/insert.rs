//! Insertion of instructions into warp code: the last step of all passes that add joins, yields,
//! shadows, marks and counters.

use super::{Callee, Code, Inst, Op};
use std::collections::HashMap;

/// An instruction of the code after the insertion (new code); the code before it is the old code.
pub(crate) struct Item {
    pub(crate) inst: Inst,
    /// Number of the instruction in the old code. An inserted instruction has the number of the
    /// instruction that it belongs to.
    pub(crate) op: u32,
    pub(crate) role: Role,
}

/// Role of an instruction in the new code.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The instruction of the old code.
    Itself,
    /// An instruction inserted before or after an instruction of the old code.
    Inserted,
    /// An instruction executed only when the function is called; branches to its first instruction
    /// skip it.
    AtEntry,
}

/// Sets the instructions of a code, which are all that it had and inserted ones, and adjusts branch
/// targets, reconvergence points and entries, which are numbers of the old code. Returns the number
/// of each instruction in the old code.
///
/// A branch to an instruction leads to the first one inserted before it.
pub(crate) fn assemble(code: &mut Code, items: Vec<Item>) -> Vec<u32> {
    let old = items.last().map_or(0, |item| item.op as usize + 1);
    let mut out: Vec<Inst> = Vec::with_capacity(items.len());
    let mut origin = Vec::with_capacity(items.len());
    // For each instruction of the old code, two numbers of the new code: the target of branches to
    // it, and the instruction itself.
    let mut moved = vec![u32::MAX; old + 1];
    let mut itself = vec![0; old];
    // Entry points of functions with instructions that branches to their first one must skip.
    let mut entries: HashMap<u32, u32> = HashMap::new();
    for Item { inst, op, role } in items {
        let place = out.len() as u32;
        match role {
            Role::AtEntry => {
                entries.entry(op).or_insert(place);
            }
            role => {
                let to = &mut moved[op as usize];
                *to = (*to).min(place);
                if role == Role::Itself {
                    itself[op as usize] = place;
                }
            }
        }
        out.push(inst);
        origin.push(op);
    }
    moved[old] = out.len() as u32;
    // Special values (such as `NONE`) stay unchanged.
    let to = |pc: &mut u32| *pc = moved.get(*pc as usize).copied().unwrap_or(*pc);
    for inst in &mut out {
        match &mut inst.op {
            Op::Mark(mark) => mark.target = itself[mark.op as usize],
            Op::Branch { target, reconverge } => {
                to(target);
                to(reconverge);
            }
            Op::IssueIndexed { targets, .. } => targets.iter_mut().for_each(to),
            Op::BranchIndexed { targets, reconverge, .. } => {
                targets.iter_mut().for_each(to);
                to(reconverge);
            }
            Op::Call(call) => {
                if let Callee::Indirect { reconverge, .. } = &mut call.callee {
                    to(reconverge);
                }
            }
            _ => {}
        }
    }
    for func in &mut code.funcs {
        match entries.get(&func.entry) {
            Some(&entry) => func.entry = entry,
            None => to(&mut func.entry),
        }
    }
    code.insts = out;
    origin
}
