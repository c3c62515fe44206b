//! Traces a value backwards through a function to the loads, calls and uninitialised registers that
//! it may depend on.

use super::{LaunchInfo, Listing, Register};
use crate::code::{Inst, Op, Slot};
use crate::flow::{FunctionCode, reads};
use std::collections::HashSet;
use std::ops::Range;
use texunit_flow::{Cfg, Definitions, reaching_definitions, reaching_in_block};
use texunit_forms::sort_by_key;

/// Maximum number of operations visited for one register.
const MAX: usize = 1 << 16;

/// A possible origin of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The register was written by a load, a fetch or another access.
    Memory(u32, Register),
    /// The value was returned by this call.
    Call(u32),
    /// A register that is uninitialised since the start of the function; the operation that reads
    /// it.
    Unwritten(u32),
}

/// A step of a backward trace.
enum Source<'a> {
    Constant(Slot),
    /// The operation that reads a register which is unwritten on some path from the function's
    /// start.
    Unwritten(u32),
    /// The operation that writes a register.
    Written(u32, &'a Inst, Slot),
}

impl Listing<'_> {
    /// Possible origins of the value that an operation reads from a register, within its function.
    /// The list is incomplete if it would be too long.
    pub fn origins(&self, op: u32, register: Register) -> Vec<Origin> {
        let mut found = Vec::new();
        let memory = |at, slot| Some(Origin::Memory(at, Register::of(slot)?));
        self.trace(op, register.slot(), |source| {
            found.extend(match source {
                Source::Constant(_) => None,
                Source::Unwritten(reader) => Some(Origin::Unwritten(reader)),
                Source::Written(at, inst, slot) => match inst.op {
                    Op::Load(_) | Op::LoadQuad(_) | Op::Atomic(_) | Op::Matrix(_) => {
                        memory(at, slot)
                    }
                    Op::Fetch(_) | Op::SurfaceLoad(_) => memory(at, slot),
                    Op::Call(_) => Some(Origin::Call(at)),
                    _ => return true,
                },
            });
            false
        });
        found
    }

    /// Traces a value that an operation reads backwards over the operations that may have computed
    /// it. `visit` decides whether the trace continues with the operands of a writing operation.
    fn trace(&self, op: u32, slot: Slot, mut visit: impl FnMut(Source<'_>) -> bool) {
        let Some(code) = FunctionCode::around(self.code, op) else { return };
        let (cfg, definitions) = (Cfg::new(&code), Definitions::new(&code));
        let (mut seen, mut seen_writes, mut left) = (HashSet::new(), HashSet::new(), MAX);
        let mut open = vec![((op - code.first) as usize, slot.plain())];
        while let Some((reader, slot)) = open.pop() {
            if !seen.insert((reader, slot)) || slot.is_none() {
                continue;
            }
            let Some(register) = code.registers.number(slot) else {
                visit(Source::Constant(slot));
                continue;
            };
            let place = (register as u32, reader);
            let (mut writes, is_open) = reaching_in_block(&code, &cfg, &definitions, place);
            if is_open {
                let place = (register as u32, cfg.block_of(reader));
                let before = reaching_definitions(&code, &cfg, &definitions, place, &mut left);
                let Some(before) = before else { return };
                if before.unwritten {
                    visit(Source::Unwritten(code.first + reader as u32));
                }
                writes.extend(before.definitions);
            }
            for write in writes.into_iter().filter(|write| seen_writes.insert((*write, slot))) {
                let inst = &code.insts[write as usize];
                if visit(Source::Written(code.first + write, inst, slot)) {
                    reads(&inst.op, &mut |read| open.push((write as usize, read.plain())));
                }
            }
        }
    }

    /// The constants from which the address of a load, store or atomic may have been computed, and
    /// the size of an element of the access.
    fn constants(&self, op: u32) -> Option<(HashSet<Slot>, u64)> {
        let access = self.code.insts.get(op as usize)?.op.access()?;
        let mut found = HashSet::new();
        self.trace(op, access.at.base, |source| match source {
            Source::Constant(slot) => found.insert(slot),
            Source::Unwritten(_) => false,
            // A loaded value is an index or an unknown pointer, so the trace ends.
            Source::Written(_, inst, _) => {
                !matches!(inst.op, Op::Load(_) | Op::LoadQuad(_) | Op::Atomic(_))
            }
        });
        Some((found, access.size.into()))
    }
}

/// A variable in shared memory that an access refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedVariable<'a> {
    /// Name of the variable in the PTX.
    pub name: &'a str,
    /// Offsets of the variable in the CTA's shared memory.
    pub bytes: Range<u64>,
    /// Bytes of an element of the access.
    pub element: u64,
}

impl<'a> LaunchInfo<'a> {
    /// The shared variable that the address of a load, store or atomic was computed from, if it is
    /// unique.
    pub fn shared_base(&self, op: u32) -> Option<SharedVariable<'a>> {
        let (constants, element) = self.listing.constants(op)?;
        let patches = self.listing.code.patches.iter();
        let mut all: Vec<_> = patches.filter(|p| constants.contains(&p.slot)).collect();
        sort_by_key(&mut all, |patch| patch.variable);
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
