//! Describes the object nearest to an invalid address, for the messages of faults.

use crate::fault::{Described, FaultKind};
use texunit_forms::Count;
use texunit_memory::{AddressError, FreedBlock, NearestBlock, SpaceKind};

/// An allocated object in a state space.
#[derive(Clone, Copy)]
pub(crate) struct Object<'a> {
    pub(crate) name: &'a str,
    /// Address of its first byte.
    pub(crate) at: u64,
    pub(crate) size: u64,
    /// Number of the allocation, if the object is one.
    pub(crate) number: Option<u64>,
}

impl<'a> Object<'a> {
    pub(crate) fn new(name: &'a str, at: u64, size: u64) -> Self {
        Self { name, at, size, number: None }
    }
}

impl<'a> From<&'a NearestBlock> for Object<'a> {
    fn from(near: &'a NearestBlock) -> Self {
        let NearestBlock { name, address, size, number } = near;
        Self { name, at: *address, size: *size, number: Some(*number) }
    }
}

/// An address farther than this from every object is reported without naming an object.
const FAR: u64 = 1 << 30;

/// Name, size, address and allocation number of an object.
fn named(Object { name, at, size, number }: &Object<'_>) -> String {
    let number = number.map_or_else(String::new, |number| format!(", allocation {number}"));
    format!("`{name}` ({} at {at:#x}{number})", Count(size, "byte"))
}

pub(crate) fn described(object: &Object<'_>) -> Described {
    Described { text: named(object), allocation: object.number }
}

/// Describes the position of `address` relative to the nearest object.
pub(crate) fn describe(objects: &[Object<'_>], address: u64, empty: &str) -> String {
    let distance = |o: &Object<'_>| match address.checked_sub(o.at) {
        Some(offset) => offset.saturating_sub(o.size),
        None => o.at - address,
    };
    // Distances wrap around, so that address -8 is near the start of a space.
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

/// The fault of a global access that is out of bounds, uses freed or unreachable memory, or writes
/// to read-only memory.
pub(crate) fn outside(
    access: &'static str,
    (address, size): (u64, u32),
    (error, gone): (&AddressError, Option<&FreedBlock>),
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
            // An object that is too far away is not named, so its allocation is not either.
            let allocation = text.starts_with('`').then_some(near.number);
            Described { text, allocation }
        }
    };
    let unnoticed = unnoticed();
    FaultKind::OutOfBounds { access, space, address, size, nearest, unnoticed }
}
