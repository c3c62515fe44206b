//! Functions from before CUDA 3.2, with 32-bit addresses and sizes: bindings that look functions up
//! by their plain names (`dlsym`, ctypes) find these. Memory that they allocate is in the lower 4
//! GiB; memory from other functions is out of their reach.

use super::copy::{boxes, copy_2d, copy_3d, done};
use super::{copy::*, host::*, memory::*, module::*};
use crate::api::*;
use crate::call::typed;
use crate::context;
use crate::memory::{self, AllocationKind};
use texunit_device::Placement;

/// Address range for these allocations, above the sections of programs that are not
/// position-independent.
const PLACE: std::ops::Range<u64> = 0x8000_0000..0xffe0_0000;
/// Alignment of allocations.
const ALIGNMENT: u64 = 512;

/// Widens a 32-bit number to 64 bits; other types stay as they are.
trait Widen<T> {
    fn widen(self) -> T;
}

impl<T> Widen<T> for T {
    fn widen(self) -> T {
        self
    }
}

impl Widen<u64> for u32 {
    fn widen(self) -> u64 {
        self.into()
    }
}

impl Widen<usize> for u32 {
    fn widen(self) -> usize {
        self as usize
    }
}

/// Structures of copies whose members are widened one by one.
macro_rules! structures {
    ($($from:ident => $to:ident { $($member:ident)* };)*) => {$(
        impl Widen<$to> for $from {
            fn widen(self) -> $to {
                $to { $($member: self.$member.widen()),* }
            }
        }
    )*};
}
structures! {
    CopySide2D_v1 => CopySide2D { x_in_bytes y memory_type host device array pitch };
    CUDA_MEMCPY2D_v1 => CUDA_MEMCPY2D { src dst width_in_bytes height };
    CopySide3D_v1 => CopySide3D {
        x_in_bytes y z lod memory_type host device array context pitch height
    };
    CUDA_MEMCPY3D_v1 => CUDA_MEMCPY3D { src dst width_in_bytes height depth };
}

/// Defines functions that widen their arguments and call the current version.
macro_rules! widened {
    ($(fn $name:ident $args:tt = $today:ident;)*) => {
        $(typed!($name widened $args $today);)*
    };
    (@ [$($type:ty),*] $name:ident ($($arg:ident),*) $today:ident) => {
        /// As the current version of the function, with 32-bit numbers.
        ///
        /// # Safety
        /// The arguments satisfy the safety contract of the function's current version.
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, unreachable_pub)]
        pub unsafe extern "C" fn $name($($arg: $type),*) -> CUresult {
            // SAFETY: the caller upholds this function's safety contract.
            unsafe { $today($($arg.widen()),*) }
        }
    };
}

widened! {
    fn cuMemAllocHost(pp, bytesize) = cuMemAllocHost_v2;
    fn cuMemFree(dptr) = cuMemFree_v2;
    fn cuMemcpyHtoD(dst, src, count) = cuMemcpyHtoD_v2;
    fn cuMemcpyHtoDAsync(dst, src, count, stream) = cuMemcpyHtoDAsync_v2;
    fn cuMemcpyDtoH(dst, src, count) = cuMemcpyDtoH_v2;
    fn cuMemcpyDtoHAsync(dst, src, count, stream) = cuMemcpyDtoHAsync_v2;
    fn cuMemcpyDtoD(dst, src, count) = cuMemcpyDtoD_v2;
    fn cuMemcpyDtoDAsync(dst, src, count, stream) = cuMemcpyDtoDAsync_v2;
    fn cuMemcpyHtoA(dst, offset, src, count) = cuMemcpyHtoA_v2;
    fn cuMemcpyHtoAAsync(dst, offset, src, count, stream) = cuMemcpyHtoAAsync_v2;
    fn cuMemcpyAtoH(dst, src, offset, count) = cuMemcpyAtoH_v2;
    fn cuMemcpyAtoHAsync(dst, src, offset, count, stream) = cuMemcpyAtoHAsync_v2;
    fn cuMemcpyDtoA(dst, offset, src, count) = cuMemcpyDtoA_v2;
    fn cuMemcpyAtoD(dst, src, offset, count) = cuMemcpyAtoD_v2;
    fn cuMemcpyAtoA(dst, to, src, from, count) = cuMemcpyAtoA_v2;
    fn cuMemsetD8(dst, value, count) = cuMemsetD8_v2;
    fn cuMemsetD16(dst, value, count) = cuMemsetD16_v2;
    fn cuMemsetD32(dst, value, count) = cuMemsetD32_v2;
    fn cuMemsetD2D8(dst, pitch, value, width, height) = cuMemsetD2D8_v2;
    fn cuMemsetD2D16(dst, pitch, value, width, height) = cuMemsetD2D16_v2;
    fn cuMemsetD2D32(dst, pitch, value, width, height) = cuMemsetD2D32_v2;
}

driver_api! {
    /// Allocates device memory in the lower 4 GiB.
    fn cuMemAlloc(dptr, bytesize) {
        dptr.give(|| allocate(bytesize.into()))
    }

    /// Allocates device memory for rows with a pitch that is a multiple of 512 bytes.
    fn cuMemAllocPitch(dptr, pPitch, WidthInBytes, Height, ElementSizeBytes) {
        dptr.check()?;
        pPitch.check()?;
        ensure!(
            matches!(ElementSizeBytes, 4 | 8 | 16),
            "ElementSizeBytes {ElementSizeBytes} is not 4, 8 or 16"
        );
        let pitch = u64::from(WidthInBytes).next_multiple_of(ALIGNMENT);
        dptr.set(allocate(pitch * u64::from(Height))?)?;
        pPitch.set(pitch as c_uint)
    }

    /// Base and size of the allocation that contains an address.
    fn cuMemGetAddressRange(pbase, psize, dptr) {
        let range = memory_range(dptr.into())?;
        if !pbase.is_null() {
            pbase.set(narrow(range.start)?)?;
        }
        psize.set_if(narrow(range.end - range.start)?);
        Ok(())
    }

    /// Free and total device memory, limited to 32 bits.
    fn cuMemGetInfo(free, total) {
        let [left, all] = free_and_total()?.map(|bytes| c_uint::try_from(bytes).unwrap_or(c_uint::MAX));
        free.set(left)?;
        total.set(all)
    }

    /// The device address of host memory, if it fits into 32 bits.
    fn cuMemHostGetDevicePointer(pdptr, p, Flags) {
        pdptr.give(|| narrow(device_pointer(p, Flags)?))
    }

    /// Address and size of a variable, if the address fits into 32 bits.
    fn cuModuleGetGlobal(dptr, bytes, hmod, name) {
        let (address, size) = global(hmod, name, dptr.is_null() && bytes.is_null())?;
        if !dptr.is_null() {
            dptr.set(narrow(address)?)?;
        }
        bytes.set_if(size as c_uint);
        Ok(())
    }
}

boxes! {
    /// Copies rows between host memory, device memory and arrays.
    fn cuMemcpy2D | cuMemcpy2DUnaligned, cuMemcpy2DAsync = wide_2d;
    /// Copies a 3D region between host memory, device memory and arrays.
    fn cuMemcpy3D, cuMemcpy3DAsync = wide_3d;
}

/// # Safety
/// The arguments satisfy the safety contract of [`copy_2d`].
unsafe fn wide_2d(copy: &CUDA_MEMCPY2D_v1, order: &Order) -> Answer {
    // SAFETY: the caller upholds this function's safety contract.
    unsafe { copy_2d(&(*copy).widen(), order) }
}

/// # Safety
/// The arguments satisfy the safety contract of [`copy_3d`].
unsafe fn wide_3d(copy: &CUDA_MEMCPY3D_v1, order: &Order) -> Answer {
    // SAFETY: the caller upholds this function's safety contract.
    unsafe { copy_3d(&(*copy).widen(), order) }
}

/// Converts an address to 32 bits, or refuses it.
fn narrow(address: CUdeviceptr) -> Answer<c_uint> {
    c_uint::try_from(address).map_err(|_| {
        invalid!(
            "{address:#x} has more than the 32 bits that this function of CUDA 3.1 has room for: call the one with _v2"
        )
    })
}

fn allocate(size: u64) -> Answer<c_uint> {
    let context = context::current()?;
    ensure!(size != 0, "bytesize is 0: an allocation has at least one byte");
    let (gpu, kind) = (&context.gpu, AllocationKind::Device);
    let mut taken: Vec<(u64, u64)> = memory::all(|one| one.base < PLACE.end)
        .iter()
        .map(|one| (one.base, one.base.saturating_add(one.size)))
        .collect();
    taken.sort_unstable();
    let mut address = PLACE.start;
    for (base, end) in taken {
        if address.saturating_add(size) <= base {
            break;
        }
        address = address.max(end.next_multiple_of(ALIGNMENT));
    }
    if address.saturating_add(size) > PLACE.end {
        let wanted = texunit_forms::Count(size, "byte");
        bail!(CUresult::OUT_OF_MEMORY, "the lower 4 GiB have no room for {wanted}");
    }
    let name = kind.made_by();
    let buffer = memory::with_room(gpu, || {
        let made = gpu.device.alloc_at(&Placement { address, size, name, number: None });
        made.map_err(|error| memory::no_room(&gpu.device, size, error))
    })?;
    narrow(memory::take_in(&context, gpu, (address, size), buffer, kind)?)
}
