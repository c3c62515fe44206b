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
    values_at: HashMap<(u64, bool), Slot>,
    shared_at: HashMap<(ir::VarId, u64, bool), Slot>,
    patches: Vec<SharedPatch>,
    pub(crate) sites: usize,
}

impl Pools {
    fn push(&mut self, value: u64, wide: bool) -> Slot {
        if wide {
            self.wide.push([value; 32]);
            Slot::wide_constant(self.wide.len() as u32 - 1)
        } else {
            self.narrow.push([value as u32; 32]);
            Slot::narrow_constant(self.narrow.len() as u32 - 1)
        }
    }

    pub(crate) fn constant(&mut self, value: u64, wide: bool) -> Slot {
        let key = (if wide { value } else { u64::from(value as u32) }, wide);
        if let Some(slot) = self.values_at.get(&key) {
            return *slot;
        }
        let slot = self.push(value, wide);
        self.values_at.insert(key, slot);
        slot
    }

    /// A constant for the address of a shared variable, which is patched for each kernel.
    pub(crate) fn shared(&mut self, variable: ir::VarId, addend: u64, wide: bool) -> Slot {
        if let Some(slot) = self.shared_at.get(&(variable, addend, wide)) {
            return *slot;
        }
        let slot = self.push(0, wide);
        self.shared_at.insert((variable, addend, wide), slot);
        self.patches.push(SharedPatch { slot, variable, addend });
        slot
    }

    pub(crate) fn finish(self) -> (Constants, Vec<SharedPatch>) {
        (Constants { narrow: self.narrow, wide: self.wide }, self.patches)
    }
}

/// Allocator of the registers of one kind, with the temporaries of the current instruction.
pub(super) struct RegisterAllocator {
    /// The slot of a register.
    make: fn(u32) -> Slot,
    pub(super) count: u32,
    temporaries: Vec<Slot>,
    pub(super) used: usize,
}

impl RegisterAllocator {
    pub(super) fn new(make: fn(u32) -> Slot) -> Self {
        Self { make, count: 0, temporaries: Vec::new(), used: 0 }
    }

    pub(super) fn take(&mut self) -> Slot {
        self.count += 1;
        (self.make)(self.count - 1)
    }

    pub(super) fn temporary(&mut self) -> Slot {
        if self.used == self.temporaries.len() {
            let slot = self.take();
            self.temporaries.push(slot);
        }
        self.used += 1;
        self.temporaries[self.used - 1]
    }
}
