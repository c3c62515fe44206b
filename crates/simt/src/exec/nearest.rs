//! Out-of-bounds faults with the object that is nearest to the address.

use super::context::{Context, Trouble, trouble};
use super::memory::Kind;
use super::warp::Warp;
use crate::fault::FaultKind;
use texunit_memory::{AddressError, SpaceKind};

/// An object in a space: name, first byte, size.
type Object<'a> = (&'a str, u64, u64);

/// Says what lies nearest at or below `address`, or first.
fn describe(objects: &[Object<'_>], address: u64, empty: &str) -> String {
    let below = objects.iter().filter(|o| o.1 <= address).max_by_key(|o| o.1);
    match below.or_else(|| objects.iter().min_by_key(|o| o.1)) {
        None => empty.to_owned(),
        Some((name, at, size)) => {
            let what = format!("`{name}` ({size} bytes at {at:#x})");
            match address.checked_sub(at + size) {
                Some(0) => format!("{what}, which ends just before this address"),
                Some(past) => format!("{what}, which ends {past} bytes before this address"),
                None => format!("{what}, whose end the access crosses"),
            }
        }
    }
}

impl Context<'_> {
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
        let launch = self.launch;
        let nearest = match space {
            SpaceKind::Shared => {
                let layout = &launch.shared;
                let mut objects: Vec<Object<'_>> = Vec::new();
                for (v, &at) in &layout.offsets {
                    if let Some(variable) = launch.program.variables.get(v.0 as usize) {
                        let dynamic = launch.shared_size as u64 - at.min(launch.shared_size as u64);
                        let size = if variable.size == 0 { dynamic } else { variable.size };
                        objects.push((&variable.name, at, size));
                    }
                }
                describe(&objects, address, "the kernel has no shared memory")
            }
            SpaceKind::Local => {
                let function = warp.frames.get(warp.running).function;
                let objects: Vec<Object<'_>> = launch.code.funcs[function as usize]
                    .objects
                    .iter()
                    .map(|(n, at, size)| {
                        (n.as_str(), warp.local_base + u64::from(*at), u64::from(*size))
                    })
                    .collect();
                describe(&objects, address, "the function has no local memory")
            }
            SpaceKind::Param => {
                let params = launch.program.kernel_params(launch.kernel);
                let objects: Vec<Object<'_>> = params
                    .iter()
                    .map(|p| (p.name.as_str(), u64::from(p.offset), u64::from(p.size)))
                    .collect();
                describe(&objects, address, "the kernel has no parameters")
            }
            SpaceKind::Const => "the address is not one of constant memory".to_owned(),
            SpaceKind::Global => String::new(),
        };
        trouble(lane, FaultKind::OutOfBounds { access: kind.name, space, address, size, nearest })
    }

    /// An access outside every allocation.
    #[cold]
    pub(super) fn outside_global<T>(
        &self,
        lane: usize,
        address: u64,
        size: u32,
        kind: Kind,
        error: &AddressError,
    ) -> Result<T, Box<Trouble>> {
        let nearest = match &error.nearest {
            None => "there is no allocation at or below this address".to_owned(),
            Some((name, at, size)) => describe(&[(name, *at, *size)], address, ""),
        };
        let space = texunit_memory::space_of(address);
        trouble(lane, FaultKind::OutOfBounds { access: kind.name, space, address, size, nearest })
    }
}
