//! Where a value may come from: backward over the instructions of a function.

use super::shadow::{reads, writes};
use super::{LaunchInfo, Listing, Register};
use crate::code::{Inst, Op, Slot};
use crate::flow::each_successor;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

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
        let before = self.before(function.clone());
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
                let is_written = writes_to(inst, slot);
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

    /// The operations before each one of a function.
    fn before(&self, function: Range<u32>) -> HashMap<u32, Vec<u32>> {
        let mut before: HashMap<u32, Vec<u32>> = HashMap::new();
        for pc in function {
            let Some(inst) = self.code.insts.get(pc as usize) else { continue };
            each_successor(inst, pc as usize, |next| before.entry(next).or_default().push(pc));
        }
        before
    }

    /// The constants that the address of a load, store or atomic may have been computed from, and the size of an element.
    fn constants(&self, op: u32) -> Option<(HashSet<Slot>, u64)> {
        let insts = &self.code.insts;
        let (base, size) = match &insts.get(op as usize)?.op {
            Op::Load(access) | Op::Store(access) => (access.base, access.size.into()),
            Op::Atomic(atomic) => (atomic.base, atomic.ty.bytes().into()),
            _ => return None,
        };
        let before = self.before(self.operations(self.function(op)));
        let (mut found, mut seen) = (HashSet::new(), HashSet::new());
        let mut open = vec![(op, base.plain())];
        while let Some((pc, slot)) = open.pop() {
            if slot.is_constant() {
                found.insert(slot);
                continue;
            }
            if !seen.insert((pc, slot)) || seen.len() > MAX {
                continue;
            }
            for &at in before.get(&pc).into_iter().flatten() {
                let inst = &insts[at as usize];
                let is_written = writes_to(inst, slot);
                if !is_written || inst.guard != Slot::TRUE {
                    open.push((at, slot));
                }
                // What is loaded has been an index, or a pointer that nobody knows.
                let is_loaded = matches!(inst.op, Op::Load(_) | Op::LoadQuad(_) | Op::Atomic(_));
                if is_written && !is_loaded {
                    reads(&inst.op, |read| {
                        if !read.is_none() {
                            open.push((at, read.plain()));
                        }
                    });
                }
            }
        }
        Some((found, size))
    }
}

/// A variable of shared memory, as an access has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedVariable<'a> {
    /// Its name in the PTX.
    pub name: &'a str,
    /// Where it is in the CTA's own memory.
    pub bytes: Range<u64>,
    /// Bytes of an element of the access.
    pub element: u64,
}

impl<'a> LaunchInfo<'a> {
    /// The variable of shared memory that the address of a load, store or atomic was computed from, if that is one.
    pub fn shared_base(&self, op: u32) -> Option<SharedVariable<'a>> {
        let (constants, element) = self.listing.constants(op)?;
        let patches = self.listing.code.patches.iter();
        let mut all: Vec<_> = patches.filter(|p| constants.contains(&p.slot)).collect();
        all.sort_by_key(|patch| patch.variable);
        all.dedup_by_key(|patch| patch.variable);
        let [patch] = all[..] else { return None };
        let program = self.listing.program;
        let variable = program.variable(patch.variable)?;
        let layout = program.shared_layout(program.kernel(self.kernel)?);
        let start = *layout.offsets.get(&patch.variable)?;
        let bytes = start..start + variable.size;
        Some(SharedVariable { name: &variable.name, bytes, element })
    }
}

/// Whether an instruction writes to a register, in lanes where its guard holds.
fn writes_to(inst: &Inst, slot: Slot) -> bool {
    let mut is_written = false;
    writes(&inst.op, |written| is_written |= !written.is_none() && written.plain() == slot);
    is_written
}
