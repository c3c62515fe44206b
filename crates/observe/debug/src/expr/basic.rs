//! C's basic types, and generic addresses.

use crate::dwarf::{Base, TypeId, Types};
use texunit_memory::SpaceKind;

/// A basic type by its C name, which must be one.
pub(crate) fn basic(types: &mut Types, name: &str) -> TypeId {
    named_basic(types, name).unwrap_or_else(|| types.base(name, Base::Signed, 4))
}

/// The basic type with this C name; `None` for other names.
pub(crate) fn named_basic(types: &mut Types, name: &str) -> Option<TypeId> {
    let (base, size) = match name {
        "bool" => (Base::Bool, 1),
        "char" | "signed char" => (Base::SignedChar, 1),
        "unsigned char" => (Base::UnsignedChar, 1),
        "short" => (Base::Signed, 2),
        "unsigned short" => (Base::Unsigned, 2),
        "int" => (Base::Signed, 4),
        "unsigned int" => (Base::Unsigned, 4),
        "long" | "long long" => (Base::Signed, 8),
        "unsigned long" | "unsigned long long" => (Base::Unsigned, 8),
        "__half" => (Base::Float, 2),
        "float" => (Base::Float, 4),
        "double" => (Base::Float, 8),
        "void" => return Some(types.void()),
        _ => return None,
    };
    Some(types.base(name, base, size))
}

/// The generic address of a location.
pub(crate) fn generic(space: SpaceKind, address: u64) -> u64 {
    let window = match space {
        SpaceKind::Global | SpaceKind::Const => 0,
        SpaceKind::Shared => texunit_memory::SHARED_WINDOW,
        SpaceKind::Local => texunit_memory::LOCAL_WINDOW,
        SpaceKind::Param => texunit_memory::PARAM_WINDOW,
    };
    address.wrapping_add(window)
}

/// The state space of a generic address, and the address in it.
pub(crate) fn of_generic(address: u64) -> (SpaceKind, u64) {
    let space = texunit_memory::space_of(address);
    (space, address.wrapping_sub(generic(space, 0)))
}
