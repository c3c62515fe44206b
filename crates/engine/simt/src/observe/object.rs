//! What lies at an address, for messages.

use super::LaunchInfo;
use texunit_check::ir::Storage;
use texunit_memory::SpaceKind;

/// A variable or an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryObject<'a> {
    /// Name in the PTX of a variable (those of function bodies: `function.name`), else what made it.
    pub name: &'a str,
    /// What it is.
    pub kind: ObjectKind,
    /// Bytes of it before the address.
    pub offset: u64,
    /// All of its bytes.
    pub size: u64,
}

/// What lies somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// A variable of shared memory.
    Shared,
    /// Shared memory that the launch asked for: the name is that of the first variable there.
    DynamicShared,
    /// A variable of the module in global or constant memory.
    Variable,
    /// An allocation, with its number.
    Allocation(u64),
}

impl<'a> LaunchInfo<'a> {
    /// What lies at an address of shared memory (from the CTA's own memory on), of global or of constant memory.
    pub fn object(&self, space: SpaceKind, address: u64) -> Option<MemoryObject<'a>> {
        match space {
            SpaceKind::Shared => self.shared_object(address),
            SpaceKind::Global | SpaceKind::Const => self.global_object(address),
            SpaceKind::Local | SpaceKind::Param => None,
        }
    }

    fn shared_object(&self, address: u64) -> Option<MemoryObject<'a>> {
        let program = self.listing.program;
        let layout = program.shared_layout(program.kernel(self.kernel)?);
        let dynamic = u64::from(self.config.dynamic_shared);
        let found = layout.offsets.iter().filter_map(|(id, &at)| {
            let variable = program.variable(*id)?;
            let (kind, size) = match variable.storage {
                Storage::DynamicShared => (ObjectKind::DynamicShared, dynamic),
                _ => (ObjectKind::Shared, variable.size),
            };
            let offset = address.checked_sub(at).filter(|&offset| offset < size)?;
            Some(MemoryObject { name: &variable.name, kind, offset, size })
        });
        // Several names of the dynamic part are one place, and a map has no order.
        found.min_by_key(|object| object.name)
    }

    fn global_object(&self, address: u64) -> Option<MemoryObject<'a>> {
        let (map, program) = (self.config.memory, self.listing.program);
        let (index, offset) = map.find(address, 1, 0).ok()?;
        let block = map.block(index);
        let kind = match program.has_variable(block.name()) {
            true => ObjectKind::Variable,
            false => ObjectKind::Allocation(block.number()),
        };
        Some(MemoryObject { name: block.name(), kind, offset, size: block.size() as u64 })
    }
}
