//! Attributes of pointers (driver API, "Unified Addressing"), from the driver's knowledge of
//! allocations, mappings and module variables.

use crate::api::*;
use crate::context;
use crate::memory::virtual_memory::{self, Mapping};
use crate::memory::{self, Allocation, AllocationKind};
use texunit_cuda_abi::pointer_attribute as attr;

driver_api! {
    /// An attribute of a pointer; `CUDA_ERROR_INVALID_VALUE` for memory unknown to the driver.
    fn cuPointerGetAttribute(data, attribute, ptr) {
        let pointer = Pointer::of(ptr)?.ok_or_else(|| invalid!(
            "ptr {ptr:#x} is not an address in memory that the driver knows: no allocation, registered memory or \
             variable of a module is there"
        ))?;
        let value = pointer.attribute(checked(attribute)?)?;
        // SAFETY: the caller's buffer has the size of the attribute's value.
        unsafe { value.write(data) }
    }

    /// Several attributes of a pointer. Attributes that it lacks, and all of memory unknown to the
    /// driver, are null; the device number is then -2.
    fn cuPointerGetAttributes(numAttributes, attributes[numAttributes], data[numAttributes], ptr) {
        ensure!(numAttributes != 0, "numAttributes is 0: at least one is asked for");
        let pointer = Pointer::of(ptr)?;
        for i in 0..attributes.len() {
            let attribute = checked(attributes.at(i)?)?;
            let value = pointer.as_ref().and_then(|pointer| pointer.attribute(attribute).ok());
            let value = value.unwrap_or_else(|| of_unknown(attribute));
            // SAFETY: the caller's buffer has the size of the attribute's value.
            unsafe { value.write(data.at(i)?)? };
        }
        Ok(())
    }

    /// Sets whether memory operations are synchronous (`CU_POINTER_ATTRIBUTE_SYNC_MEMOPS`), which
    /// they always are here.
    fn cuPointerSetAttribute(value, attribute, ptr) {
        context::current()?;
        ensure!(
            attribute == attr::SYNC_MEMOPS,
            "attribute {attribute} is not CU_POINTER_ATTRIBUTE_SYNC_MEMOPS (6), the only one that can be set"
        );
        // SAFETY: the value of this attribute has four bytes.
        let flag = unsafe { value.bytes(4) }.array::<4>(0)?;
        let allocation = memory::find(ptr).ok_or_else(|| invalid!(
            "ptr {ptr:#x} is not an address in memory that was allocated or registered"
        ))?;
        allocation.sync.store(flag != [0; 4], Ordering::Relaxed);
        Ok(())
    }
}

/// A value with the size of its attribute. Booleans of the header are `unsigned int` in a driver.
enum Value {
    Int(i32),
    Long(u64),
}

impl Value {
    /// # Safety
    /// The buffer has the size of the value.
    unsafe fn write(&self, to: Raw<'_>) -> Answer {
        // SAFETY: the caller upholds this function's safety contract.
        let write = |bytes: &[u8]| unsafe { to.room(bytes.len()) }.write(0, bytes);
        match *self {
            Value::Int(value) => write(&value.to_ne_bytes()),
            Value::Long(value) => write(&value.to_ne_bytes()),
        }
    }
}

/// A pointer to memory known to the driver.
struct Pointer {
    address: u64,
    /// Address range of the memory.
    range: Range<u64>,
    device: CUdevice,
    /// The allocation; `None` for mapped memory and variables of modules.
    allocation: Option<Arc<Allocation>>,
    mapped: Option<Mapping>,
}

impl Pointer {
    fn of(address: u64) -> Answer<Option<Self>> {
        let new = |range, device, allocation, mapped| {
            Some(Self { address, range, device, allocation, mapped })
        };
        if let Some(found) = memory::find(address) {
            let range = found.base..found.base + found.size;
            return Ok(new(range, found.gpu.ordinal, Some(found), None));
        }
        if let Some(found) = virtual_memory::find(address) {
            let device = found.memory.place().unwrap_or(CU_DEVICE_CPU);
            return Ok(new(found.range(), device, None, Some(found)));
        }
        let linear = |gpu: &Arc<Gpu>| Some((gpu.device.linear(address, 1).ok()?, gpu.ordinal));
        let found = state::gpus()?.iter().find_map(linear);
        Ok(found.and_then(|(linear, device)| new(linear.allocation(), device, None, None)))
    }

    fn kind(&self) -> Option<&AllocationKind> {
        self.allocation.as_ref().map(|allocation| &allocation.kind)
    }

    fn is_managed(&self) -> bool {
        match &self.allocation {
            Some(allocation) => allocation.is_managed(),
            None => self.is_managed_variable(),
        }
    }

    /// Whether the program can access the memory.
    fn on_host(&self) -> bool {
        match (&self.allocation, &self.mapped) {
            (Some(allocation), _) => allocation.on_host(),
            (None, Some(mapped)) => mapped.memory.place().is_none(),
            (None, None) => self.is_managed_variable(),
        }
    }

    /// Whether the memory is a managed variable of a module, which is at a host address.
    fn is_managed_variable(&self) -> bool {
        memory::is_device_address(self.address).is_ok_and(|of_device| !of_device)
    }

    fn id(&self) -> u64 {
        let mapped = self.mapped.as_ref().map(|mapped| mapped.memory.number);
        let id = self.allocation.as_ref().map(|allocation| allocation.id);
        id.or(mapped).unwrap_or(self.range.start)
    }

    /// The context of the memory; null for memory of pools and for mapped memory, which belong to
    /// no context.
    fn context(&self) -> u64 {
        match &self.allocation {
            None if self.mapped.is_some() => 0,
            Some(allocation) if matches!(allocation.kind, AllocationKind::Pool(_)) => 0,
            Some(allocation) => allocation.context.number() as u64,
            None => context::current_handle().number() as u64,
        }
    }

    /// Access rights of the current context, or without one of the memory's own device.
    fn access(&self) -> u32 {
        if let Some(mapped) = &self.mapped {
            let current = context::current_even_if_faulty().map(|context| context.gpu.ordinal);
            let who = Some(current.unwrap_or(self.device));
            return mapped.access.get(&who).copied().unwrap_or(CU_MEM_ACCESS_FLAGS_PROT_NONE);
        }
        match self.kind() {
            Some(AllocationKind::Registered(flags))
                if flags & CU_MEMHOSTREGISTER_READ_ONLY != 0 =>
            {
                CU_MEM_ACCESS_FLAGS_PROT_READ
            }
            _ => CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
        }
    }

    fn attribute(&self, number: u32) -> Answer<Value> {
        let size = self.range.end - self.range.start;
        let host_only = self.on_host() && !self.is_managed();
        Ok(match number {
            attr::CONTEXT => Value::Long(self.context()),
            attr::MEMORY_TYPE if host_only => Value::Int(CU_MEMORYTYPE_HOST as i32),
            attr::MEMORY_TYPE => Value::Int(CU_MEMORYTYPE_DEVICE as i32),
            attr::HOST_POINTER if !self.on_host() => bail!(
                "CU_POINTER_ATTRIBUTE_HOST_POINTER: ptr {:#x} is device memory, which has no address of the host",
                self.address
            ),
            attr::DEVICE_POINTER | attr::HOST_POINTER => Value::Long(self.address),
            attr::SYNC_MEMOPS => {
                let flag = self.allocation.as_ref().map(|a| a.sync.load(Ordering::Relaxed));
                Value::Int(flag.unwrap_or(false).into())
            }
            attr::BUFFER_ID | attr::BLOCK_ID => Value::Long(self.id()),
            attr::IS_MANAGED => Value::Int(self.is_managed().into()),
            attr::DEVICE_ORDINAL => Value::Int(self.device),
            attr::RANGE_START | attr::MAPPING_BASE => Value::Long(self.range.start),
            attr::RANGE_SIZE | attr::MAPPING_SIZE => Value::Long(size),
            attr::MAPPED => Value::Int(1),
            attr::IS_LEGACY_IPC_CAPABLE => {
                Value::Int(matches!(self.kind(), Some(AllocationKind::Device)).into())
            }
            attr::IS_DECOMPRESS_CAPABLE | attr::IS_RDMA_CAPABLE => Value::Int(0),
            attr::ALLOWED_HANDLE_TYPES => Value::Long(match &self.mapped {
                Some(mapped) => mapped.memory.prop.requested_handle_types.into(),
                None => CU_MEM_HANDLE_TYPE_NONE.into(),
            }),
            attr::ACCESS_FLAGS => Value::Int(self.access() as i32),
            attr::MEM_POOL => Value::Long(match self.kind() {
                Some(AllocationKind::Pool(share)) => share.pool.handle.number() as u64,
                _ => 0,
            }),
            // The locality domain.
            _ => Value::Int(-1),
        })
    }
}

/// Refuses numbers that are no attribute, and the tokens of peer-to-peer access by other drivers.
fn checked(attribute: u32) -> Answer<u32> {
    match attribute {
        1..=4 | 6..=22 => Ok(attribute),
        _ => Err(invalid!(
            "attribute {attribute} is not a CUpointer_attribute that texunit has: those are 1 to 4 and 6 to 22"
        )),
    }
}

/// The attribute's value for memory unknown to the driver.
fn of_unknown(number: u32) -> Value {
    match number {
        attr::SYNC_MEMOPS
        | attr::IS_MANAGED
        | attr::IS_LEGACY_IPC_CAPABLE
        | attr::MAPPED
        | attr::IS_DECOMPRESS_CAPABLE
        | attr::MEMORY_TYPE
        | attr::IS_RDMA_CAPABLE
        | attr::ACCESS_FLAGS => Value::Int(0),
        attr::DEVICE_ORDINAL => Value::Int(CU_DEVICE_INVALID),
        attr::LOCALITY_DOMAIN => Value::Int(-1),
        _ => Value::Long(0),
    }
}
