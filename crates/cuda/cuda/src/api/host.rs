//! Page-locked host memory, which kernels can access: allocated by the driver, or registered by the
//! program.

use crate::api::*;
use crate::memory::{self, Allocation, AllocationKind};
use std::ptr::NonNull;
use texunit_device::{Block, Rights, rights_to_pin};

driver_api! {
    /// Allocates host memory with flags. All host memory is mapped and portable (unified
    /// addressing).
    fn [cuMemAllocHost_v2] cuMemHostAlloc(pp, bytesize, [Flags = 0]) {
        const ALL: u32 =
            CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
        let context = current()?;
        pp.check()?;
        ensure!(
            Flags & !ALL == 0,
            "Flags {Flags:#x} has bits that are not CU_MEMHOSTALLOC flags: those are 1 (portable), 2 (device map) \
             and 4 (write-combined)"
        );
        pp.set(memory::allocate_host(&context, bytesize, AllocationKind::Host(Flags))?)
    }

    /// Frees host memory.
    fn cuMemFreeHost(p) {
        super::memory::check_if_any()?;
        if p.is_null() {
            return Ok(());
        }
        memory::free("p", p.address(), |kind| matches!(kind, AllocationKind::Host(_)))
    }

    /// The device address of host memory, which equals its host address. Flags must be 0.
    fn cuMemHostGetDevicePointer_v2(pdptr, p, Flags) {
        pdptr.set(device_pointer(p, Flags)?)
    }

    /// The flags with which host memory was allocated or registered.
    fn cuMemHostGetFlags(pFlags, p) {
        current()?;
        match host_allocation(p)?.kind {
            AllocationKind::Host(flags) | AllocationKind::Registered(flags) => pFlags.set(flags),
            _ => Err(invalid!("p {p:?} is not memory of cuMemHostAlloc or cuMemHostRegister")),
        }
    }

    /// Registers the program's memory for access by kernels. It must stay mapped until it is
    /// unregistered, and kernels may write it unless it is registered as read-only.
    fn cuMemHostRegister | cuMemHostRegister_v2(p, bytesize, Flags) {
        const ALL: u32 = CU_MEMHOSTREGISTER_PORTABLE
            | CU_MEMHOSTREGISTER_DEVICEMAP
            | CU_MEMHOSTREGISTER_IOMEMORY
            | CU_MEMHOSTREGISTER_READ_ONLY;
        let (context, address) = (current()?, p.address());
        ensure!(bytesize != 0, "bytesize is 0: at least one byte is registered");
        ensure!(
            address.checked_add(bytesize as u64).is_some(),
            "bytesize {bytesize} from p {address:#x} on passes the end of the addresses"
        );
        ensure!(
            Flags & !ALL == 0,
            "Flags {Flags:#x} has bits that are not CU_MEMHOSTREGISTER flags: {:#x}",
            Flags & !ALL
        );
        ensure!(
            !memory::is_device_address(address)?,
            "p {address:#x} is an address of a device, not of host memory"
        );
        // Memory of another PCI device does not exist here.
        ensure!(
            Flags & CU_MEMHOSTREGISTER_IOMEMORY == 0,
            CUresult::NOT_SUPPORTED,
            "Flags has CU_MEMHOSTREGISTER_IOMEMORY: there is no memory of other devices of the machine"
        );
        let data = NonNull::new(std::ptr::with_exposed_provenance_mut::<u8>(address as usize));
        p.check()?;
        let Some(data) = data else { return Err(invalid!("p is null")) };
        let writable = Flags & CU_MEMHOSTREGISTER_READ_ONLY == 0;
        check_rights(address, bytesize as u64, writable)?;
        // SAFETY: the memory is mapped with these access rights, as far as the system can be asked.
        // `memory::free` ends the block. The contract of `foreign` holds, because launches, copies
        // and objects look the block up each time, and the caller guarantees that the memory stays
        // mapped until it is unregistered and that no references to it exist.
        let block = unsafe { Block::foreign(data, bytesize, writable, "registered host memory") };
        memory::map_host(&context, Arc::new(block), AllocationKind::Registered(Flags))?;
        if writable {
            crate::host_access::registered(address, bytesize as u64);
        }
        Ok(())
    }

    /// Unregisters host memory, which kernels and textures can no longer access.
    fn cuMemHostUnregister(p) {
        super::memory::check_if_any()?;
        p.check()?;
        memory::free("p", p.address(), |kind| matches!(kind, AllocationKind::Registered(_)))
            .map_err(|refusal| refusal.with_code(CUresult::HOST_MEMORY_NOT_REGISTERED))
    }
}

/// Checks that the program may access memory that it registers, and write it unless it is
/// registered as read-only.
///
/// `CUDA_ERROR_INVALID_VALUE` with the reason if it may not. If the system cannot be asked, the
/// check passes.
fn check_rights(address: u64, size: u64, writable: bool) -> Answer {
    let why = match rights_to_pin(&(address..address + size)) {
        Some(Rights::None) => "not all of it is mapped and can be read",
        Some(Rights::Read) if writable => {
            "it cannot be written, and CU_MEMHOSTREGISTER_READ_ONLY (cudaHostRegisterReadOnly) is not given"
        }
        _ => return Ok(()),
    };
    let (bytes, are) = (Count(size, "byte"), Count(size, "byte").are());
    let reason = format!("{bytes} of host memory at {address:#x} {are} not registered: {why}");
    Err(printed_refusal(CUresult::INVALID_VALUE, reason))
}

/// The device address of host memory.
pub(super) fn device_pointer(p: Raw<'_>, flags: c_uint) -> Answer<CUdeviceptr> {
    current()?;
    ensure!(flags == 0, "Flags {flags:#x} is not 0");
    host_allocation(p)?;
    Ok(p.address())
}

/// The host allocation that contains an address.
fn host_allocation(pointer: Raw<'_>) -> Answer<Arc<Allocation>> {
    let address = pointer.address();
    pointer.check()?;
    let allocation = memory::find(address).ok_or_else(|| {
        invalid!(
            "p {address:#x} is not host memory that was allocated (cuMemHostAlloc) or registered (cuMemHostRegister)"
        )
    })?;
    match allocation.kind {
        AllocationKind::Host(_) | AllocationKind::Registered(_) => Ok(allocation),
        _ => Err(invalid!(
            "p {address:#x} is {}, not host memory that was allocated or registered",
            allocation.words()
        )),
    }
}
