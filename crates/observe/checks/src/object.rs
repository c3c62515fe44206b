//! Describes the variable or allocation at an address.

use texunit_forms::Count;
use texunit_report::place::function_name;
use texunit_simt::observe::{LaunchInfo, MemoryObject, ObjectKind, SharedVariable};
use texunit_simt::{Described, SpaceKind};

/// Describes an address as an offset in the object that contains it, with the object's size: ``the
/// shared variable `tile+0x40` (4096 bytes)``.
pub(crate) fn name(launch: &LaunchInfo<'_>, space: SpaceKind, address: u64) -> Described {
    let Some(object) = launch.object(space, address) else {
        return format!("{} memory at {address:#x}", space.name()).into();
    };
    let allocation = match object.kind {
        ObjectKind::Allocation(number) => Some(number),
        _ => None,
    };
    Described { text: words(&object, launch.kernel), allocation }
}

/// Describes the address of a shared-memory access that lies outside the variable from which the
/// address was computed: ``one past the end of `hist` (64 elements of 4 bytes)``. `None` if the
/// address lies in the variable.
pub(crate) fn beside(launch: &LaunchInfo<'_>, op: u32, address: u64) -> Option<String> {
    let SharedVariable { name, bytes, element } = launch.shared_base(op)?;
    let (name, size) = (variable(name, launch.kernel), bytes.end - bytes.start);
    if bytes.contains(&address) || size == 0 {
        return None;
    }
    let elements = Count(size / element.max(1), "element");
    let what = format!("`{name}` ({elements} of {})", Count(element, "byte"));
    Some(match address.checked_sub(bytes.end) {
        Some(past) if past < element => format!("one past the end of {what}"),
        Some(past) => format!("{} past the end of {what}", Count(past, "byte")),
        None => format!("{} before the beginning of {what}", Count(bytes.start - address, "byte")),
    })
}

fn words(object: &MemoryObject<'_>, kernel: &str) -> String {
    let MemoryObject { name, kind, offset, size } = *object;
    let at = if offset == 0 { String::new() } else { format!("+{offset:#x}") };
    let what = match kind {
        ObjectKind::Shared => "the shared variable",
        ObjectKind::DynamicShared => "dynamic shared memory,",
        ObjectKind::Variable => "the variable",
        ObjectKind::Allocation(number) => {
            return format!("`{name}{at}` ({}, allocation {number})", Count(size, "byte"));
        }
    };
    format!("{what} `{}{at}` ({})", variable(name, kernel), Count(size, "byte"))
}

/// The variable's name in the source, from its name in the PTX: `tile` for the mangled
/// `_ZZ4copyPfE4tile`, for `copy.tile`, and for `tile`.
fn variable(name: &str, kernel: &str) -> String {
    let own = name.strip_prefix(kernel).and_then(|rest| rest.strip_prefix('.'));
    let name = own.unwrap_or(name);
    let full = function_name(name);
    // The demangled name of a function's local variable begins with the function, whose parameter
    // types may contain `::` too.
    let last = full.rsplit("::").next().filter(|_| name.starts_with("_ZZ"));
    last.map_or_else(|| full.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_source() {
        for (name, expected) in [
            ("_ZZ4copyPfE4tile", "tile"),
            ("_ZZ1kIN2ns3BoxEEvPT_E4tile", "tile"),
            ("copy.tile", "tile"),
            ("copy._ZZ4copyE4tile", "tile"),
            ("other.tile", "other.tile"),
            ("_ZN2ns5countE", "ns::count"),
            ("count", "count"),
        ] {
            assert_eq!(variable(name, "copy"), expected);
        }
        let object = |kind, offset| MemoryObject { name: "copy.tile", kind, offset, size: 64 };
        for (kind, offset, expected) in [
            (ObjectKind::Shared, 16, "the shared variable `tile+0x10` (64 bytes)"),
            (ObjectKind::DynamicShared, 0, "dynamic shared memory, `tile` (64 bytes)"),
            (ObjectKind::Variable, 1, "the variable `tile+0x1` (64 bytes)"),
            (ObjectKind::Allocation(3), 8, "`copy.tile+0x8` (64 bytes, allocation 3)"),
        ] {
            assert_eq!(words(&object(kind, offset), "copy"), expected);
        }
    }
}
