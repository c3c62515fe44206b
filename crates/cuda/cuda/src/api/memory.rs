//! Device and managed memory (driver API, "Memory Management" and "Unified Addressing"), and memory
//! sets with 8, 16 and 32-bit values, contiguous or in rows.

use crate::api::*;
use crate::context::{current, current_even_if_faulty};
use crate::graph::capture::fill;
use crate::memory::{self, AllocationKind, virtual_memory};

driver_api! {
    /// Free and total device memory in bytes.
    fn cuMemGetInfo_v2(free, total) {
        let [left, all] = free_and_total()?;
        free.set(left as usize)?;
        total.set(all as usize)
    }

    /// Allocates device memory, aligned to 512 bytes, to 4096 from that size on, and to 2 MiB from
    /// 1 MiB on.
    fn cuMemAlloc_v2(dptr, bytesize) {
        let context = current()?;
        dptr.give(|| memory::allocate(&context, bytesize))
    }

    /// Allocates device memory for rows with a pitch that is a multiple of 512 bytes.
    fn cuMemAllocPitch_v2(dptr, pPitch, WidthInBytes, Height, ElementSizeBytes) {
        let context = current()?;
        dptr.check()?;
        pPitch.check()?;
        ensure!(
            matches!(ElementSizeBytes, 4 | 8 | 16),
            "ElementSizeBytes {ElementSizeBytes} is not 4, 8 or 16"
        );
        let pitch = WidthInBytes.checked_next_multiple_of(PITCH).ok_or_else(|| invalid!("WidthInBytes {WidthInBytes} is more than any memory has"))?;
        let size = pitch.checked_mul(Height).ok_or_else(|| invalid!(
            "{Height} rows of {} are more than any memory has", Count(pitch, "byte")
        ))?;
        dptr.set(memory::allocate(&context, size)?)?;
        pPitch.set(pitch)
    }

    /// Frees device memory, also of a pool, and managed memory.
    fn cuMemFree_v2(dptr) {
        check_if_any()?;
        if dptr == 0 {
            return Ok(());
        }
        memory::free("dptr", dptr, |kind| matches!(kind, AllocationKind::Device | AllocationKind::External | AllocationKind::Graph | AllocationKind::Pool(_) | AllocationKind::Managed))
    }

    /// Base and size of the allocation that contains an address.
    fn cuMemGetAddressRange_v2(pbase, psize, dptr) {
        let range = memory_range(dptr)?;
        pbase.set_if(range.start);
        psize.set_if((range.end - range.start) as usize);
        Ok(())
    }

    /// Allocates managed memory: host memory that all devices access in place.
    fn cuMemAllocManaged(dptr, bytesize, flags) {
        let context = current()?;
        dptr.check()?;
        ensure!(
            matches!(flags, CU_MEM_ATTACH_GLOBAL | CU_MEM_ATTACH_HOST),
            "flags {flags} is not CU_MEM_ATTACH_GLOBAL (1) or CU_MEM_ATTACH_HOST (2)"
        );
        dptr.set(memory::allocate_host(&context, bytesize, AllocationKind::Managed)?)
    }
}

/// Alignment of pitches, which satisfies textures, too.
const PITCH: usize = 512;

/// Returns the fault of the current context, if there is a context: memory can be freed without
/// one.
pub(crate) fn check_if_any() -> Answer {
    current_even_if_faulty().map_or(Ok(()), |context| context.check())
}

/// Free and total device memory in bytes.
pub(super) fn free_and_total() -> Answer<[u64; 2]> {
    let context = current()?;
    let memory = context.gpu.device.memory();
    Ok([memory.limit().saturating_sub(memory.used()), memory.limit()])
}

/// The allocation or variable that contains an address.
pub(super) fn memory_range(dptr: CUdeviceptr) -> Answer<Range<u64>> {
    let context = current()?;
    if let Some(allocation) = memory::find(dptr) {
        return Ok(allocation.base..allocation.base + allocation.size);
    }
    if let Some(found) = virtual_memory::find(dptr) {
        return Ok(found.range());
    }
    let linear = context.gpu.device.linear(dptr, 1);
    linear.map(|linear| linear.allocation()).map_err(|_| {
        CUresult::NOT_FOUND.because(format!(
            "dptr {dptr:#x} is not an address in memory that was allocated, nor in a variable of a module"
        ))
    })
}

/// Sets rows. A call without a stream waits only if the program can access the memory, too.
#[allow(non_snake_case, reason = "names of CUDA's headers")]
fn set<T: Into<u32>>(
    (dst, pitch): (CUdeviceptr, usize),
    value: T,
    [width, height]: [usize; 2],
    order: Answer<Order>,
) -> Answer {
    let order = order?;
    let (value, elementSize) = (value.into(), size_of::<T>() as u32);
    let ctx = order.context.handle.number();
    let params = CUDA_MEMSET_NODE_PARAMS { dst, pitch, value, elementSize, width, height, ctx };
    if fill(&params, &order)? && order.waits {
        checks::host_waited();
    }
    Ok(())
}

/// Defines the four functions for one value type.
macro_rules! memset {
    ($line:ident, $rows:ident, $line_async:ident, $rows_async:ident) => {
        driver_api! {
            /// Sets `N` values. The address is aligned to their size.
            fn $line(dstDevice, value, N) {
                set((dstDevice, 0), value, [N, 1], Order::current())
            }

            /// Sets rows of `Width` values with a pitch.
            fn $rows(dstDevice, dstPitch, value, Width, Height) {
                set((dstDevice, dstPitch), value, [Width, Height], Order::current())
            }

            /// Sets `N` contiguous values in stream order.
            fn $line_async(dstDevice, value, N, hStream) {
                set((dstDevice, 0), value, [N, 1], Order::capturable(hStream))
            }

            /// Sets rows of `Width` values with a pitch, in stream order.
            fn $rows_async(dstDevice, dstPitch, value, Width, Height, hStream) {
                set((dstDevice, dstPitch), value, [Width, Height], Order::capturable(hStream))
            }
        }
    };
}

memset!(cuMemsetD8_v2, cuMemsetD2D8_v2, cuMemsetD8Async, cuMemsetD2D8Async);
memset!(cuMemsetD16_v2, cuMemsetD2D16_v2, cuMemsetD16Async, cuMemsetD2D16Async);
memset!(cuMemsetD32_v2, cuMemsetD2D32_v2, cuMemsetD32Async, cuMemsetD2D32Async);
