//! Selection of fatbin entries for a device, by its compute capability.

use texunit_device::ComputeCapability;
pub(crate) use texunit_fatbin::{
    Compatibility, Entry, EntryKind, FatbinError, HEADER, MAGIC, WRAPPER_MAGIC, entries,
    has_later_code, size,
};

/// Architecture number, 10 * major + minor.
pub(crate) fn architecture(capability: ComputeCapability) -> u32 {
    10 * u32::from(capability.major) + u32::from(capability.minor)
}

/// The PTX entry that the driver chooses for a device ([`texunit_fatbin::choose`]).
pub(crate) fn choose<'e, 'a>(
    entries: &'e [Entry<'a>],
    device: ComputeCapability,
) -> Option<&'e Entry<'a>> {
    texunit_fatbin::choose(entries, architecture(device))
}
