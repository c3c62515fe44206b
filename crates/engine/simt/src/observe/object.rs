//! Finds the variable or allocation at an address, for messages.

use super::LaunchInfo;
use texunit_check::ir::Storage;
use texunit_memory::SpaceKind;

/// A variable or allocation that contains an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryObject<'a> {
    /// Name of a variable in the PTX (`function.name` for those of function bodies), or the label
    /// of an allocation.
    pub name: &'a str,
    /// Kind of the object.
    pub kind: ObjectKind,
    /// Offset of the address from the object's start.
    pub offset: u64,
    /// Size of the object in bytes.
    pub size: u64,
}

/// Kind of an object in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// A static variable in shared memory.
    Shared,
    /// Dynamic shared memory, under the name of the first variable that refers to it.
    DynamicShared,
    /// A module variable in global or constant memory.
    Variable,
    /// An allocation with this number.
    Allocation(u64),
}

impl<'a> LaunchInfo<'a> {
    /// The object at an address of shared memory (as an offset in the CTA's own memory), global
    /// memory or constant memory.
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
        // Several names can refer to dynamic shared memory; taking the smallest one makes the
        // choice independent of the map's order.
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
