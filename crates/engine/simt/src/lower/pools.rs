//! Constant pools of a module, and the allocation of a function's registers.

use crate::code::{Constants, SharedPatch, Slot};
use std::collections::HashMap;
use texunit_alu::{L32, L64};
use texunit_check::ir;

/// The constants of all functions, without duplicates.
#[derive(Default)]
pub(crate) struct Pools {
    narrow: Vec<L32>,
    wide: Vec<L64>,
    narrow_at: HashMap<u32, u32>,
    wide_at: HashMap<u64, u32>,
    shared_at: HashMap<(ir::VarId, u64, bool), Slot>,
    patches: Vec<SharedPatch>,
    pub(crate) sites: usize,
}

impl Pools {
    pub(crate) fn narrow(&mut self, value: u32) -> Slot {
        let pool = &mut self.narrow;
        Slot::narrow_constant(*self.narrow_at.entry(value).or_insert_with(|| {
            pool.push([value; 32]);
            pool.len() as u32 - 1
        }))
    }

    pub(crate) fn wide(&mut self, value: u64) -> Slot {
        let pool = &mut self.wide;
        Slot::wide_constant(*self.wide_at.entry(value).or_insert_with(|| {
            pool.push([value; 32]);
            pool.len() as u32 - 1
        }))
    }

    /// A constant for the address of a shared variable, which is patched for each kernel.
    pub(crate) fn shared(&mut self, variable: ir::VarId, addend: u64, wide: bool) -> Slot {
        if let Some(slot) = self.shared_at.get(&(variable, addend, wide)) {
            return *slot;
        }
        let slot = if wide {
            self.wide.push([0; 32]);
            Slot::wide_constant(self.wide.len() as u32 - 1)
        } else {
            self.narrow.push([0; 32]);
            Slot::narrow_constant(self.narrow.len() as u32 - 1)
        };
        self.shared_at.insert((variable, addend, wide), slot);
        self.patches.push(SharedPatch { slot, variable, addend });
        slot
    }

    pub(crate) fn finish(self) -> (Constants, Vec<SharedPatch>) {
        (Constants { narrow: self.narrow, wide: self.wide }, self.patches)
    }
}

/// Allocator of the registers of one kind, with the temporaries of the current instruction.
#[derive(Default)]
pub(super) struct RegisterAllocator {
    pub(super) count: u32,
    temporaries: Vec<Slot>,
    pub(super) used: usize,
}

impl RegisterAllocator {
    pub(super) fn take(&mut self, make: fn(u32) -> Slot) -> Slot {
        self.count += 1;
        make(self.count - 1)
    }

    pub(super) fn temporary(&mut self, make: fn(u32) -> Slot) -> Slot {
        if self.used == self.temporaries.len() {
            let slot = self.take(make);
            self.temporaries.push(slot);
        }
        self.used += 1;
        self.temporaries[self.used - 1]
    }
}
