//! Virtual memory management: address reservations, physical memory, and mappings with access
//! rights.
//!
//! All devices share one address space. A reservation keeps addresses free; a mapping places memory
//! at them, without access until devices or the host are given it. After each change, every device
//! gets a new view of the adjacent reservations around it ([`Space::publish_views`]): adjacent
//! mappings with equal access are one block, so that copies and textures may cross from one to the
//! next; the rest of the view tells which addresses are only reserved or mapped for others, and by
//! which reservation, for fault messages.

mod physical;
mod space;

use super::*;
use crate::allocation_trace;
pub(crate) use physical::{Physical, place};
use texunit_device::{End, FreedBlock, Mapped, Rights};

/// Minimum and recommended granularity of sizes and addresses: large pages of a device.
pub(crate) const GRANULARITY: u64 = 2 << 20;

/// Where memory is, or who holds an access right: a device or, for `None`, the host, that is, the
/// program itself.
pub(crate) type Place = Option<CUdevice>;

/// A reserved address range.
struct Reservation {
    reserved: Arc<Reserved>,
    /// Unique number, which messages use.
    number: u64,
}

/// Memory mapped at an address.
#[derive(Clone)]
pub(crate) struct Mapping {
    mapped: Arc<Mapped>,
    pub(crate) memory: Arc<Physical>,
    /// The access rights (`CU_MEM_ACCESS_FLAGS_PROT_*`) of each device, or the host, that was given
    /// access.
    pub(crate) access: BTreeMap<Place, u32>,
}

/// All reservations and mappings, by address.
struct Space {
    reservations: BTreeMap<u64, Reservation>,
    mappings: BTreeMap<u64, Mapping>,
}

static SPACE: Mutex<Space> =
    Mutex::new(Space { reservations: BTreeMap::new(), mappings: BTreeMap::new() });

fn space() -> MutexGuard<'static, Space> {
    lock(&SPACE)
}

/// Reserves an address range (`cuMemAddressReserve`).
pub(crate) fn reserve(size: u64, align: u64, wanted: u64) -> Answer<u64> {
    let reserved = Reserved::new(wanted, size, align).ok_or_else(|| {
        CUresult::OUT_OF_MEMORY
            .because(format!("there are no free addresses for {} in a row", Count(size, "byte")))
    })?;
    let range = reserved.range();
    let number = Block::next_number();
    allocation_trace::allocated(number);
    let reservation = Reservation { reserved: Arc::new(reserved), number };
    let mut space = space();
    space.reservations.insert(range.start, reservation);
    space.publish_views(&range)?;
    Ok(range.start)
}

/// Frees a reserved address range (`cuMemAddressFree`).
pub(crate) fn free(address: u64, size: u64) -> Answer {
    let mut space = space();
    let Some(reservation) = space.reservations.get(&address) else {
        bail!(
            "ptr {address:#x} is not an address that cuMemAddressReserve returned, or it was freed before"
        );
    };
    let range = reservation.reserved.range();
    ensure!(
        range.end - range.start == size,
        "size {size} is not the size of the reservation at {address:#x}: {}",
        range.end - range.start
    );
    if let Some((at, _)) = space.mappings.range(range.clone()).next() {
        bail!("memory is mapped at {at:#x} still (cuMemUnmap)");
    }
    let Some(reservation) = space.reservations.remove(&address) else { return Ok(()) };
    allocation_trace::freed(reservation.number);
    let gone = reservation.freed_block(End::Freed);
    for gpu in state::gpus()? {
        gpu.device.memory().set_range(range.clone(), Vec::new(), Vec::new());
        gpu.device.memory().record_freed(address, gone.clone());
    }
    Ok(())
}

/// Maps physical memory at a reserved address (`cuMemMap`).
pub(crate) fn map(address: u64, size: u64, memory: &Arc<Physical>) -> Answer {
    let range = range_of(address, size)?;
    ensure!(
        size <= memory.size,
        "size {size} is more than the {} of the memory of handle",
        Count(memory.size, "byte")
    );
    let mut space = space();
    let Some(reservation) = space.reservation(&range) else {
        bail!(
            "{} at {address:#x} are not all in one reservation of cuMemAddressReserve",
            Count(size, "byte")
        );
    };
    if let Some(other) = space.mapping_in(&range) {
        bail!(
            "{} at {address:#x}: memory is mapped at {:#x} already",
            Count(size, "byte"),
            other.start
        );
    }
    let mapped = reservation.reserved.map(address, memory.pages(), size).ok_or_else(|| {
        CUresult::OUT_OF_MEMORY.because("the system has no room for more mappings of memory")
    })?;
    let (mapped, memory) = (Arc::new(mapped), Arc::clone(memory));
    space.mappings.insert(address, Mapping { mapped, memory, access: BTreeMap::new() });
    space.publish_views(&range)
}

/// Removes the mappings in an address range (`cuMemUnmap`).
pub(crate) fn unmap(address: u64, size: u64) -> Answer {
    let range = range_of(address, size)?;
    let mut space = space();
    space.check_whole(&range)?;
    let starts: Vec<u64> = space.mappings.range(range.clone()).map(|(&at, _)| at).collect();
    let ended: Vec<Mapping> = starts.iter().filter_map(|at| space.mappings.remove(at)).collect();
    ended.iter().for_each(|mapping| mapping.mapped.end());
    let told = space.publish_views(&range);
    drop(space);
    // Memory without mappings and handles is freed here, outside of the lock.
    drop(ended);
    told
}

/// Sets the access rights of devices and the host to an address range (`cuMemSetAccess`).
pub(crate) fn set_access(address: u64, size: u64, access: &[(Place, u32)]) -> Answer {
    let range = range_of(address, size)?;
    let mut space = space();
    space.check_whole(&range)?;
    for (at, mapping) in space.mappings.range(range.clone()) {
        for (who, flags) in access {
            if let (Some(device), Some(own)) = (who, mapping.memory.place())
                && *device != own
                && !state::gpu(*device)?.can_reach(state::gpu(own)?)
            {
                bail!(
                    CUresult::INVALID_DEVICE,
                    "memory at {at:#x} is of device {own}, which device {device} cannot reach (cuDeviceCanAccessPeer)"
                );
            }
            ensure!(
                who.is_some() || mapping.memory.place().is_none() || *flags == 0,
                "memory at {at:#x} is of a device: the host can be given access to memory of its own only"
            );
        }
    }
    for (_, mapping) in space.mappings.range_mut(range.clone()) {
        for &(who, flags) in access {
            mapping.access.insert(who, flags);
            let rights = match flags {
                CU_MEM_ACCESS_FLAGS_PROT_NONE => Rights::None,
                CU_MEM_ACCESS_FLAGS_PROT_READ => Rights::Read,
                _ => Rights::ReadWrite,
            };
            ensure!(
                who.is_some() || mapping.mapped.set_host_rights(rights),
                CUresult::OUT_OF_MEMORY,
                "the system has no room for more mappings of memory"
            );
        }
    }
    space.publish_views(&range)
}

/// The mapping that contains an address.
pub(crate) fn find(address: u64) -> Option<Mapping> {
    let space = space();
    let (_, mapping) = space.mappings.range(..=address).next_back()?;
    mapping.range().contains(&address).then(|| mapping.clone())
}

/// Whether an address is reserved.
pub(crate) fn is_reserved(address: u64) -> bool {
    let space = space();
    let below = space.reservations.range(..=address).next_back();
    below.is_some_and(|(_, reservation)| reservation.reserved.range().contains(&address))
}

/// Whether the program itself may access all bytes of a nonempty range.
pub(crate) fn is_shown(address: u64, len: u64) -> bool {
    let (mut at, end) = (address, address.saturating_add(len));
    while at < end {
        let shown = find(at).filter(|found| found.access.get(&None).is_some_and(|&f| f != 0));
        let Some(found) = shown else { return false };
        at = found.range().end;
    }
    true
}

/// The reason why bytes at a reserved address cannot be copied.
pub(crate) fn reason(address: u64) -> Option<String> {
    if let Some(found) = find(address) {
        return Some(format!(
            "is memory of cuMemCreate ({} mapped at {:#x}), to which no device was given access that goes so far \
             (cuMemSetAccess)",
            Count(found.range().end - found.range().start, "byte"),
            found.range().start
        ));
    }
    let reserved = is_reserved(address);
    reserved.then(|| "is reserved (cuMemAddressReserve), and no memory is mapped there".to_owned())
}

/// Numbers of the reservations that were not freed.
pub(crate) fn reservations() -> Vec<u64> {
    space().reservations.values().map(|of| of.number).collect()
}

/// All memory that is mapped or has handles.
pub(crate) fn memories() -> Vec<Arc<Physical>> {
    let mut all = Physical::registry().all(|_| true);
    let space = space();
    all.extend(space.mappings.values().map(|mapping| Arc::clone(&mapping.memory)));
    all.sort_by_key(|memory| memory.number);
    all.dedup_by_key(|memory| memory.number);
    all
}

fn range_of(address: u64, size: u64) -> Answer<Range<u64>> {
    ensure!(
        size != 0 && size.is_multiple_of(GRANULARITY) && address.is_multiple_of(GRANULARITY),
        "ptr {address:#x} and size {size} are not multiples of {GRANULARITY}, size at least that many bytes \
         (cuMemGetAllocationGranularity)"
    );
    match address.checked_add(size) {
        Some(end) => Ok(address..end),
        None => bail!("size {size} passes the end of the addresses"),
    }
}

/// The description of inaccessible addresses for fault messages.
fn freed_block(name: &str, range: &Range<u64>, number: u64, how: End) -> FreedBlock {
    let (address, size) = (Some(range.start), range.end - range.start);
    FreedBlock { name: name.to_owned(), address, size, number, how }
}

impl Reservation {
    fn freed_block(&self, how: End) -> FreedBlock {
        freed_block("cuMemAddressReserve", &self.reserved.range(), self.number, how)
    }
}

impl Mapping {
    pub(crate) fn range(&self) -> Range<u64> {
        self.mapped.range()
    }

    fn flags(&self, gpu: &Gpu) -> u32 {
        let flags = self.access.get(&Some(gpu.ordinal));
        flags.copied().unwrap_or(CU_MEM_ACCESS_FLAGS_PROT_NONE)
    }
}
