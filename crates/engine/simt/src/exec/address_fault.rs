//! Faults of addresses, with the object that is nearest or holds the address.

use super::context::Context;
use super::memory::Kind;
use super::outcome::{PendingFault, fault_at};
use super::warp::Warp;
use crate::fault::{Described, FaultKind};
use texunit_check::ir::VarId;
use texunit_forms::Count;
use texunit_memory::{AddressError, Gone, MemoryMap, Near, SpaceKind};

/// An object in a space.
#[derive(Clone, Copy)]
struct Object<'a> {
    name: &'a str,
    /// Its first byte.
    at: u64,
    size: u64,
    /// Number of the allocation, if it is one.
    number: Option<u64>,
}

impl<'a> Object<'a> {
    fn new(name: &'a str, at: u64, size: u64) -> Self {
        Self { name, at, size, number: None }
    }
}

impl<'a> From<&'a Near> for Object<'a> {
    fn from(near: &'a Near) -> Self {
        let Near { name, address, size, number } = near;
        Self { name, at: *address, size: *size, number: Some(*number) }
    }
}

/// An address that is farther from every object than this is meant for none of them.
const FAR: u64 = 1 << 30;

/// An object with its place.
fn named(Object { name, at, size, number }: &Object<'_>) -> String {
    let number = number.map_or_else(String::new, |number| format!(", allocation {number}"));
    format!("`{name}` ({} at {at:#x}{number})", Count(size, "byte"))
}

fn described(object: &Object<'_>) -> Described {
    Described { text: named(object), allocation: object.number }
}

/// Says what lies nearest to `address`.
fn describe(objects: &[Object<'_>], address: u64, empty: &str) -> String {
    let distance = |o: &Object<'_>| match address.checked_sub(o.at) {
        Some(offset) => offset.saturating_sub(o.size),
        None => o.at - address,
    };
    // Addresses wrap around: -8 is near the beginning of a space.
    let wrapped = |o: &Object<'_>| o.at.wrapping_sub(address);
    let nearest = objects.iter().min_by_key(|o| distance(o).min(wrapped(o)));
    let Some(object @ Object { at, size, .. }) = nearest else { return empty.to_owned() };
    let what = named(object);
    let (past, before) = (distance(object), wrapped(object));
    match address.checked_sub(*at) {
        _ if past.min(before) > FAR => "nothing is near this address".to_owned(),
        Some(0) if *size == 0 => format!("{what}: the launch gives it no dynamic memory"),
        Some(offset) if offset < *size => format!("{what}, whose end the access crosses"),
        _ if past == 0 => format!("{what}, which ends just before this address"),
        _ if before <= past => {
            format!("{what}, which begins {} after this address", Count(before, "byte"))
        }
        _ => format!("{what}, which ends {} before this address", Count(past, "byte")),
    }
}

impl Context<'_> {
    /// The objects of a space that belong to the CTA or to the running function.
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
                // A map has no order, and messages must not change.
                objects.sort_by_key(|o| (o.at, o.name));
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

    /// An address that is not a multiple of the access size.
    #[cold]
    pub(super) fn misaligned<T>(
        &self,
        warp: &Warp,
        lane: usize,
        address: u64,
        size: u32,
        space: SpaceKind,
        kind: Kind,
    ) -> Result<T, Box<PendingFault>> {
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
        let access = kind.name;
        fault_at(lane, FaultKind::Misaligned { access, space, address, size, resource })
    }

    /// An access outside shared, local, constant or parameter memory.
    #[cold]
    pub(super) fn outside<T>(
        &self,
        warp: &Warp,
        lane: usize,
        address: u64,
        size: u32,
        space: SpaceKind,
        kind: Kind,
    ) -> Result<T, Box<PendingFault>> {
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
        let access = kind.name;
        let nearest = nearest.into();
        fault_at(lane, FaultKind::OutOfBounds { access, space, address, size, nearest, unnoticed })
    }

    /// A store or atomic to a space that kernels do not write.
    #[cold]
    pub(super) fn read_only<T>(
        &self,
        lane: usize,
        space: SpaceKind,
        address: u64,
    ) -> Result<T, Box<PendingFault>> {
        fault_at(lane, FaultKind::ReadOnly { space, address, resource: None })
    }

    /// An access outside every allocation, or to one that may only be read.
    #[cold]
    pub(super) fn outside_global<T>(
        &self,
        lane: usize,
        address: u64,
        size: u32,
        kind: Kind,
        error: &AddressError,
    ) -> Result<T, Box<PendingFault>> {
        let map = self.launch.config.memory;
        let gone = map.gone(address);
        let unnoticed = || map.find_rounded(address, size.into()).is_some();
        fault_at(lane, outside(kind.name, (address, size), (error, gone.as_ref()), unnoticed))
    }
}

/// A block of a map, in words.
pub(super) fn object(map: &MemoryMap, index: usize) -> Described {
    let block = map.block(index);
    let object = Object::new(block.name(), map.base(index), block.size() as u64);
    described(&Object { number: Some(block.number()), ..object })
}

/// The fault of an access outside every allocation, or to one that may only be read.
pub(crate) fn outside(
    access: &'static str,
    (address, size): (u64, u32),
    (error, gone): (&AddressError, Option<&Gone>),
    unnoticed: impl FnOnce() -> bool,
) -> FaultKind {
    let space = texunit_memory::space_of(address);
    if let (true, Some(near)) = (error.read_only, &error.nearest) {
        let resource = Some(described(&near.into()));
        return FaultKind::ReadOnly { space, address, resource };
    }
    if let Some(gone) = gone {
        return FaultKind::of_gone(FaultKind::access(access, space, address, size), gone);
    }
    let nearest = match &error.nearest {
        _ if !matches!(space, SpaceKind::Global | SpaceKind::Const) => {
            let space = space.name();
            format!("the instruction is for .global memory, and the address points to {space}")
                .into()
        }
        None => "nothing is allocated".into(),
        Some(near) => {
            let text = describe(&[near.into()], address, "");
            // Far away it is not named.
            let allocation = text.starts_with('`').then_some(near.number);
            Described { text, allocation }
        }
    };
    let unnoticed = unnoticed();
    FaultKind::OutOfBounds { access, space, address, size, nearest, unnoticed }
}
