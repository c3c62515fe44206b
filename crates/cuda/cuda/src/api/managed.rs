//! Managed memory: advice, prefetches, and their attributes. Pages never migrate, so that advice is
//! recorded without effect.

use crate::api::*;
use crate::memory::{self, Allocation};
use crate::stream;

driver_api! {
    /// Records advice about a range; the location is a device number or `CU_DEVICE_CPU`.
    fn cuMemAdvise(devPtr, count, advice, location) {
        current()?;
        advise(devPtr, count, advice, of_device(location))
    }

    /// Records advice about a range.
    fn cuMemAdvise_v2(devPtr, count, advice, location) {
        current()?;
        advise(devPtr, count, advice, location)
    }

    /// Records the location to which a range was prefetched.
    fn cuMemPrefetchAsync(devPtr, count, dstDevice, hStream) {
        Order::of(hStream)?;
        prefetch(devPtr, count, of_device(dstDevice))
    }

    /// Records the location to which a range was prefetched. Flags must be 0.
    fn cuMemPrefetchAsync_v2(devPtr, count, location, flags, hStream) {
        Order::of(hStream)?;
        ensure!(flags == 0, "flags {flags:#x} is not 0");
        prefetch(devPtr, count, location)
    }

    /// Discards the contents of managed memory, which stay unchanged here.
    fn cuMemDiscardBatchAsync(dptrs[count], sizes[count], count, flags, hStream) {
        Order::of(hStream)?;
        ensure!(flags == 0, "flags {flags:#x} is not 0");
        check_ranges(dptrs, sizes)
    }

    /// Records the locations to which ranges of managed memory were prefetched. Discarded contents
    /// stay unchanged.
    fn cuMemPrefetchBatchAsync | cuMemDiscardAndPrefetchBatchAsync(
        dptrs[count], sizes[count], count, prefetchLocs[numPrefetchLocs],
        prefetchLocIdxs[numPrefetchLocs], numPrefetchLocs, flags, hStream,
    ) {
        Order::of(hStream)?;
        ensure!(flags == 0, "flags {flags:#x} is not 0");
        check_ranges(dptrs, sizes)?;
        // Each location applies from the range on that its index names.
        let groups = numPrefetchLocs;
        ensure!(
            groups != 0 && groups <= count && prefetchLocIdxs.at(0)? == 0,
            "numPrefetchLocs {groups} is not from 1 to count, {count}, or prefetchLocIdxs[0] is not 0"
        );
        for group in 0..groups {
            let first = prefetchLocIdxs.at(group)?;
            let end = if group + 1 < groups { prefetchLocIdxs.at(group + 1)? } else { count };
            ensure!(
                first < end && end <= count,
                "prefetchLocIdxs[{group}] is {first}: each is more than the one before, and less than count, {count}"
            );
            for i in first..end {
                prefetch(dptrs.at(i)?, sizes.at(i)?, prefetchLocs.at(group)?)?;
            }
        }
        Ok(())
    }

    /// An attribute of a range of managed memory.
    fn cuMemRangeGetAttribute(data, dataSize, attribute, devPtr, count) {
        current()?;
        // SAFETY: the caller guarantees a buffer of this capacity.
        let data = unsafe { data.room(dataSize) };
        range_attribute(data, attribute, devPtr, count)
    }

    /// Several attributes of a range of managed memory.
    fn cuMemRangeGetAttributes(
        data[numAttributes], dataSizes[numAttributes], attributes[numAttributes], numAttributes, devPtr,
        count,
    ) {
        current()?;
        ensure!(numAttributes != 0, "numAttributes is 0: at least one is asked for");
        for i in 0..numAttributes {
            // SAFETY: the caller guarantees a buffer of this capacity.
            let data = unsafe { data.at(i)?.room(dataSizes.at(i)?) };
            range_attribute(data, attributes.at(i)?, devPtr, count)?;
        }
        Ok(())
    }

    /// Attaches managed memory to one stream, to all, or to the host, which has no effect here.
    fn cuStreamAttachMemAsync(hStream, dptr, length, flags) {
        Order::of(hStream)?;
        let allocation = memory::find(dptr).ok_or_else(|| invalid!(
            "dptr {dptr:#x} is not in an allocation"
        ))?;
        let whole = allocation.base == dptr && (length == 0 || length as u64 == allocation.size);
        let flag = match flags {
            CU_MEM_ATTACH_GLOBAL | CU_MEM_ATTACH_HOST => true,
            CU_MEM_ATTACH_SINGLE => stream::find(hStream)?.is_some(),
            _ => false,
        };
        ensure!(
            allocation.is_managed(),
            "dptr {dptr:#x} is {}, not managed memory",
            allocation.words()
        );
        ensure!(
            whole,
            "dptr {dptr:#x}, length {length} are not a whole allocation, which begins at {:#x} and has {} (or length 0)",
            allocation.base,
            Count(allocation.size, "byte")
        );
        ensure!(
            flag,
            "flags {flags} is not CU_MEM_ATTACH_GLOBAL (1), CU_MEM_ATTACH_HOST (2), or with a stream that was created \
             CU_MEM_ATTACH_SINGLE (4)"
        );
        Ok(())
    }
}

fn of_device(device: CUdevice) -> CUmemLocation {
    let host = device == CU_DEVICE_CPU;
    let kind = if host { CU_MEM_LOCATION_TYPE_HOST } else { CU_MEM_LOCATION_TYPE_DEVICE };
    CUmemLocation { kind, id: device }
}

/// Checks that a location exists. The host has one NUMA node here.
fn check(location: CUmemLocation) -> Answer {
    match location.kind {
        CU_MEM_LOCATION_TYPE_DEVICE => state::gpu(location.id).map(|_| ()),
        CU_MEM_LOCATION_TYPE_HOST | CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT => Ok(()),
        CU_MEM_LOCATION_TYPE_HOST_NUMA if location.id == 0 => Ok(()),
        _ => Err(invalid!(
            "location type {}, id {} is not a place: a device (1), the host (2), or its only NUMA node (3, 0)",
            location.kind,
            location.id
        )),
    }
}

/// The managed allocation that contains a range of at least one byte.
fn managed(address: u64, count: usize) -> Answer<(Arc<Allocation>, Range<u64>)> {
    let len = count as u64;
    let Some(allocation) = memory::find(address) else {
        bail!("devPtr {address:#x} is not in an allocation");
    };
    ensure!(len != 0, "count is 0: a range has at least one byte");
    ensure!(
        allocation.is_managed(),
        "devPtr {address:#x} is {}, not managed memory",
        allocation.words()
    );
    ensure!(
        allocation.holds(address, len),
        "count {count} from devPtr {address:#x} on passes the end of the allocation: {} from {:#x} on",
        Count(allocation.size, "byte"),
        allocation.base
    );
    Ok((allocation, address..address + len))
}

fn advise(address: u64, count: usize, advice: u32, location: CUmemLocation) -> Answer {
    let (allocation, range) = managed(address, count)?;
    ensure!((1..=6).contains(&advice), "advice {advice} is not a CUmem_advise: those are 1 to 6");
    if matches!(advice, 3 | 5 | 6) {
        check(location)?;
    }
    allocation.advice().change(range, |said| match advice {
        1 | 2 => said.read_mostly = advice == 1,
        3 => said.preferred = Some(location),
        4 => said.preferred = None,
        _ => {
            said.accessed_by.retain(|other| *other != location);
            if advice == 5 {
                said.accessed_by.push(location);
            }
        }
    });
    Ok(())
}

fn prefetch(address: u64, count: usize, location: CUmemLocation) -> Answer {
    let (allocation, range) = managed(address, count)?;
    check(location)?;
    allocation.advice().change(range, |said| said.prefetched = Some(location));
    Ok(())
}

fn check_ranges(addresses: Elements<'_, u64>, sizes: Elements<'_, usize>) -> Answer {
    ensure!(!addresses.is_empty(), "count is 0: at least one range is given");
    (0..addresses.len()).try_for_each(|i| {
        let found = managed(addresses.at(i)?, sizes.at(i)?);
        found.map(|_| ()).map_err(|refusal| refusal.within(|| format!("range {i}"), &[]))
    })
}

/// The device number of a location.
fn number(location: Option<CUmemLocation>) -> i32 {
    match location {
        None => CU_DEVICE_INVALID,
        Some(CUmemLocation { kind: CU_MEM_LOCATION_TYPE_DEVICE, id }) => id,
        Some(_) => CU_DEVICE_CPU,
    }
}

fn range_attribute(data: OutBytes<'_>, attribute: u32, address: u64, count: usize) -> Answer {
    let (allocation, range) = managed(address, count)?;
    let said = allocation.advice();
    let preferred = || said.common(range.clone(), |said| said.preferred).flatten();
    let prefetched = || said.common(range.clone(), |said| said.prefetched).flatten();
    let kind = |location: Option<CUmemLocation>| location.map_or(0, |at| at.kind as i32);
    let id = |location: Option<CUmemLocation>| location.map_or(0, |at| at.id);
    if attribute == 3 {
        return accessed_by(data, &said, range);
    }
    let value = match attribute {
        1 => said.common(range, |said| said.read_mostly).unwrap_or(false).into(),
        2 => number(preferred()),
        4 => number(prefetched()),
        5 => kind(preferred()),
        6 => id(preferred()),
        7 => kind(prefetched()),
        8 => id(prefetched()),
        _ => bail!(
            "attribute {attribute} is not a CUmem_range_attribute that texunit has: those are 1 to 8"
        ),
    };
    ensure!(data.len() == 4, "dataSize {} is not 4, the size of attribute {attribute}", data.len());
    data.write(0, &value.to_ne_bytes())
}

/// Writes the devices that the whole range was advised to be accessed by, and fills the array with
/// the invalid device.
fn accessed_by(data: OutBytes<'_>, said: &memory::advice::AdviceMap, range: Range<u64>) -> Answer {
    let size = data.len();
    ensure!(
        size != 0 && size.is_multiple_of(4),
        "dataSize {size} is not a multiple of 4, at least 4: CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY is an array of \
         int"
    );
    let each = said.of(range).map(|advice| advice.accessed_by.clone());
    let common = each.reduce(|mut all, others| {
        all.retain(|location| others.contains(location));
        all
    });
    let all = common.unwrap_or_default();
    for i in 0..size / 4 {
        data.write(4 * i, &number(all.get(i).copied()).to_ne_bytes())?;
    }
    Ok(())
}
