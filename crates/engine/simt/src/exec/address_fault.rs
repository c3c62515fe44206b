//! Makes the faults of memory accesses, whose messages name the object at the address or nearest to
//! it.

use super::context::Context;
use super::memory::Kind;
use super::outcome::{Done, fault_at};
use super::warp::Warp;
use crate::fault::{Described, FaultKind};
use crate::nearest::{Object, describe, described, outside};
use texunit_check::ir::VarId;
use texunit_forms::sort_by_key;
use texunit_memory::{AddressError, MemoryMap, SpaceKind};

impl Context<'_> {
    /// The objects of a state space that belong to the CTA or to the running function.
    fn objects(&self, warp: &Warp, space: SpaceKind) -> Vec<Object<'_>> {
        let launch = self.launch;
        match space {
            SpaceKind::Shared => {
                let variable = |(v, &at): (&VarId, &u64)| {
                    let variable = launch.program.variable(*v)?;
                    let dynamic = (launch.shared_size as u64).saturating_sub(at);
                    let size = if variable.size == 0 { dynamic } else { variable.size };
                    Some(Object::new(&variable.name, at, size))
                };
                let mut objects: Vec<_> =
                    launch.shared.offsets.iter().filter_map(variable).collect();
                // The order of a hash map differs from run to run, and messages must not.
                sort_by_key(&mut objects, |o| (o.at, o.name));
                objects
            }
            SpaceKind::Local => {
                let function = warp.frames.get(warp.running).function as usize;
                let objects = launch.code.funcs[function].objects.iter();
                let placed = |at: u32| warp.local_base + u64::from(at);
                objects.map(|(n, at, size)| Object::new(n, placed(*at), u64::from(*size))).collect()
            }
            SpaceKind::Param => {
                let params = launch.program.kernel_params(launch.kernel).iter();
                params.map(|p| Object::new(&p.name, p.offset.into(), p.size.into())).collect()
            }
            SpaceKind::Const | SpaceKind::Global => Vec::new(),
        }
    }

    /// The fault of an address that is not a multiple of the access size.
    #[cold]
    pub(super) fn misaligned<T>(
        &self,
        warp: &Warp,
        lane: usize,
        (space, address): (SpaceKind, u64),
        size: u32,
        access: Kind,
    ) -> Done<T> {
        let map = self.launch.config.memory;
        let resource = match space {
            SpaceKind::Const | SpaceKind::Global => {
                map.find(address, 1, 0).ok().map(|(i, _)| object(map, i))
            }
            space => {
                let objects = self.objects(warp, space);
                objects.iter().find(|o| address.wrapping_sub(o.at) < o.size).map(described)
            }
        };
        fault_at(lane, FaultKind::Misaligned { access, space, address, size, resource })
    }

    /// The fault of an access outside shared, local, constant or parameter memory.
    #[cold]
    pub(super) fn outside<T>(
        &self,
        warp: &Warp,
        lane: usize,
        (space, address): (SpaceKind, u64),
        size: u32,
        access: Kind,
    ) -> Done<T> {
        let peer = if space == SpaceKind::Shared { self.describe_peer(address) } else { None };
        let nearest = match space {
            _ if peer.is_some() => peer.unwrap_or_default(),
            SpaceKind::Const if texunit_memory::space_of(address) != SpaceKind::Const => {
                "constant memory has no such address".to_owned()
            }
            space => {
                describe(&self.objects(warp, space), address, "there is nothing in this space")
            }
        };
        let unnoticed = space == SpaceKind::Shared && self.is_unnoticed_in_shared(address, size);
        let nearest = nearest.into();
        fault_at(lane, FaultKind::OutOfBounds { access, space, address, size, nearest, unnoticed })
    }

    /// The fault of a store or atomic to a space that kernels cannot write.
    #[cold]
    pub(super) fn read_only<T>(&self, lane: usize, space: SpaceKind, address: u64) -> Done<T> {
        fault_at(lane, FaultKind::ReadOnly { space, address, resource: None })
    }

    /// The fault of a global access outside every allocation, or of a write to read-only memory.
    #[cold]
    pub(super) fn outside_global<T>(
        &self,
        lane: usize,
        address: u64,
        size: u32,
        kind: Kind,
        error: &AddressError,
    ) -> Done<T> {
        let map = self.launch.config.memory;
        let gone = map.freed_block(address);
        let unnoticed = || map.find_rounded(address, size.into()).is_some();
        fault_at(lane, outside(kind, (address, size), (error, gone.as_ref()), unnoticed))
    }
}

/// Description of an allocation of a memory map.
pub(super) fn object(map: &MemoryMap, index: usize) -> Described {
    let block = map.block(index);
    let object = Object::new(block.name(), map.base(index), block.size() as u64);
    described(&Object { number: Some(block.number()), ..object })
}
