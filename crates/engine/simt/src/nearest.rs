//! What lies nearest to an address that is none, as faults say it.

use crate::fault::{Described, FaultKind};
use texunit_forms::Count;
use texunit_memory::{AddressError, EndedMemory, NearestBlock, SpaceKind};

/// An object in a space.
#[derive(Clone, Copy)]
pub(crate) struct Object<'a> {
    pub(crate) name: &'a str,
    /// Its first byte.
    pub(crate) at: u64,
    pub(crate) size: u64,
    /// Number of the allocation, if it is one.
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

/// An address that is farther from every object than this is meant for none of them.
const FAR: u64 = 1 << 30;

/// An object with its place.
fn named(Object { name, at, size, number }: &Object<'_>) -> String {
    let number = number.map_or_else(String::new, |number| format!(", allocation {number}"));
    format!("`{name}` ({} at {at:#x}{number})", Count(size, "byte"))
}

pub(crate) fn described(object: &Object<'_>) -> Described {
    Described { text: named(object), allocation: object.number }
}

/// Says what lies nearest to `address`.
pub(crate) fn describe(objects: &[Object<'_>], address: u64, empty: &str) -> String {
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

/// The fault of an access outside every allocation, or to one that may only be read.
pub(crate) fn outside(
    access: &'static str,
    (address, size): (u64, u32),
    (error, gone): (&AddressError, Option<&EndedMemory>),
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
