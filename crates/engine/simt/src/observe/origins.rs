//! Where a value may come from: backward over the instructions of a function.

use super::shadow::{reads, writes};
use super::{Listing, Register};
use crate::code::{Op, Slot};
use crate::flow::each_successor;
use std::collections::{HashMap, HashSet};

/// Places that are looked at for one register.
const MAX: usize = 1 << 16;

/// What a value was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A load, a fetch or another access of this operation has put it into this register.
    Memory(u32, Register),
    /// A function has returned it at this call.
    Call(u32),
    /// A register that nothing has written since the function began; the operation that reads it.
    Unwritten(u32),
}

impl Listing<'_> {
    /// What the value that an operation reads in a register may have been computed from or copied of, in the function around
    /// it; not all, if they are very many.
    pub fn origins(&self, op: u32, register: Register) -> Vec<Origin> {
        let function = self.operations(self.function(op));
        let insts = &self.code.insts;
        let mut before: HashMap<u32, Vec<u32>> = HashMap::new();
        for pc in function.clone() {
            let Some(inst) = insts.get(pc as usize) else { continue };
            each_successor(inst, pc as usize, |next| before.entry(next).or_default().push(pc));
        }
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        // A register before an operation, and the operation that reads it.
        let mut open = vec![(op, register.slot().plain(), op)];
        while let Some((pc, slot, reader)) = open.pop() {
            if slot.is_constant() || !seen.insert((pc, slot)) || seen.len() > MAX {
                continue;
            }
            if pc == function.start {
                found.push(Origin::Unwritten(reader));
            }
            for &at in before.get(&pc).into_iter().flatten() {
                let inst = &insts[at as usize];
                let mut is_written = false;
                writes(&inst.op, |written| {
                    is_written |= !written.is_none() && written.plain() == slot;
                });
                if !is_written || inst.guard != Slot::TRUE {
                    open.push((at, slot, reader));
                }
                if is_written {
                    match &inst.op {
                        Op::Load(_)
                        | Op::LoadQuad(_)
                        | Op::Atomic(_)
                        | Op::Matrix(_)
                        | Op::Fetch(_)
                        | Op::SurfaceLoad(_) => {
                            let register = Register::of(slot);
                            found.extend(register.map(|register| Origin::Memory(at, register)));
                        }
                        Op::Call(_) => found.push(Origin::Call(at)),
                        op => reads(op, |read| {
                            if !read.is_none() {
                                open.push((at, read.plain(), at));
                            }
                        }),
                    }
                }
            }
        }
        found.dedup();
        found
    }
}
