//! Faults of addresses, with the object that is nearest or holds the address.

use super::context::{Context, Trouble, trouble};
use super::memory::Kind;
use super::warp::Warp;
use crate::fault::FaultKind;
use texunit_check::ir::VarId;
use texunit_memory::{AddressError, SpaceKind};

/// An object in a space: name, first byte, size.
type Object<'a> = (&'a str, u64, u64);

/// An address that is farther from every object than this is meant for none of them.
const FAR: u64 = 1 << 30;

/// An object with its place.
fn named((name, at, size): &Object<'_>) -> String {
    format!("`{name}` ({size} bytes at {at:#x})")
}

/// Says what lies nearest to `address`.
fn describe(objects: &[Object<'_>], address: u64, empty: &str) -> String {
    let distance = |&(_, at, size): &Object<'_>| match address.checked_sub(at) {
        Some(offset) => offset.saturating_sub(size),
        None => at - address,
    };
    // Addresses wrap around: -8 is near the beginning of a space.
    let wrapped = |&(_, at, _): &Object<'_>| at.wrapping_sub(address);
    let nearest = objects.iter().min_by_key(|o| distance(o).min(wrapped(o)));
    let Some(object @ (_, at, size)) = nearest else { return empty.to_owned() };
    let what = named(object);
    let (past, before) = (distance(object), wrapped(object));
    match address.checked_sub(*at) {
        _ if past.min(before) > FAR => "nothing is near this address".to_owned(),
        Some(0) if *size == 0 => format!("{what}: the launch gives it no dynamic memory"),
        Some(offset) if offset < *size => format!("{what}, whose end the access crosses"),
        _ if past == 0 => format!("{what}, which ends just before this address"),
        _ if before <= past => format!("{what}, which begins {before} bytes after this address"),
        _ => format!("{what}, which ends {past} bytes before this address"),
    }
}

impl Context<'_> {
    /// The objects of a space that belong to the CTA or to the running function.
    fn objects(&self, warp: &Warp, space: SpaceKind) -> Vec<Object<'_>> {
        let launch = self.launch;
        match space {
            SpaceKind::Shared => {
                let variable = |(v, &at): (&VarId, &u64)| {
                    let variable = launch.program.variables.get(v.0 as usize)?;
                    let dynamic = (launch.shared_size as u64).saturating_sub(at);
                    let size = if variable.size == 0 { dynamic } else { variable.size };
                    Some((variable.name.as_str(), at, size))
                };
                let mut objects: Vec<_> =
                    launch.shared.offsets.iter().filter_map(variable).collect();
                // A map has no order, and messages must not change.
                objects.sort_by_key(|o| (o.1, o.0));
                objects
            }
            SpaceKind::Local => {
                let function = warp.frames.get(warp.running).function as usize;
                let objects = launch.code.funcs[function].objects.iter();
                let placed = |at: u32| warp.local_base + u64::from(at);
                objects.map(|(n, at, size)| (n.as_str(), placed(*at), u64::from(*size))).collect()
            }
            SpaceKind::Param => {
                let params = launch.program.kernel_params(launch.kernel).iter();
                params.map(|p| (p.name.as_str(), p.offset.into(), p.size.into())).collect()
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
    ) -> Result<T, Box<Trouble>> {
        let map = self.launch.config.memory;
        let resource = match space {
            SpaceKind::Const | SpaceKind::Global => map.find(address, 1, 0).ok().map(|(i, _)| {
                let block = map.block(i);
                named(&(block.name(), map.base(i), block.size() as u64))
            }),
            space => {
                let objects = self.objects(warp, space);
                objects.iter().find(|o| address.wrapping_sub(o.1) < o.2).map(named)
            }
        };
        let access = kind.name;
        trouble(lane, FaultKind::Misaligned { access, space, address, size, resource })
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
    ) -> Result<T, Box<Trouble>> {
        let nearest = match space {
            SpaceKind::Const if texunit_memory::space_of(address) != SpaceKind::Const => {
                "constant memory has no such address".to_owned()
            }
            space => {
                describe(&self.objects(warp, space), address, "there is nothing in this space")
            }
        };
        let unnoticed = space == SpaceKind::Shared && self.is_unnoticed_in_shared(address, size);
        let access = kind.name;
        trouble(lane, FaultKind::OutOfBounds { access, space, address, size, nearest, unnoticed })
    }

    /// A store or atomic to a space that kernels do not write.
    #[cold]
    pub(super) fn read_only<T>(
        &self,
        lane: usize,
        space: SpaceKind,
        address: u64,
    ) -> Result<T, Box<Trouble>> {
        trouble(lane, FaultKind::ReadOnly { space, address, resource: None })
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
    ) -> Result<T, Box<Trouble>> {
        let space = texunit_memory::space_of(address);
        let map = self.launch.config.memory;
        if let (true, Some((name, at, of))) = (error.read_only, &error.nearest) {
            let resource = Some(named(&(name.as_str(), *at, *of)));
            return trouble(lane, FaultKind::ReadOnly { space, address, resource });
        }
        if let Some(gone) = map.gone(address) {
            let access = FaultKind::access(kind.name, space, address, size);
            let memory = gone.to_string();
            return trouble(lane, FaultKind::Freed { user: access, memory });
        }
        let nearest = match &error.nearest {
            _ if !matches!(space, SpaceKind::Global | SpaceKind::Const) => {
                let space = space.name();
                format!("the instruction is for .global memory, and the address points to {space}")
            }
            None => "there is no allocation at all".to_owned(),
            Some((name, at, size)) => describe(&[(name, *at, *size)], address, ""),
        };
        let unnoticed = map.find_rounded(address, size.into()).is_some();
        let access = kind.name;
        trouble(lane, FaultKind::OutOfBounds { access, space, address, size, nearest, unnoticed })
    }
}
