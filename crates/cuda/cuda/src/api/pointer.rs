//! Attributes of pointers (driver API, "Unified Addressing"), from the driver's knowledge of
//! allocations, mappings and module variables.

use crate::api::*;
use crate::context;
use crate::memory::virtual_memory::{self, Accessor, MappedAddress};
use crate::memory::{self, Allocation, AllocationKind};
use crate::state;
use std::ops::Range;
use std::sync::atomic::Ordering;

driver_api! {
    /// An attribute of a pointer; `CUDA_ERROR_INVALID_VALUE` for memory unknown to the driver.
    fn cuPointerGetAttribute(data: Raw, attribute: c_uint, ptr: CUdeviceptr) {
        let pointer = Pointer::of(ptr)?.ok_or_else(|| invalid!(
            "ptr {ptr:#x} is not an address in memory that the driver knows: no allocation, registered memory or \
             variable of a module is there"
        ))?;
        let value = Attribute::of(attribute)?.of_pointer(&pointer)?;
        // SAFETY: the caller's buffer has the size of the attribute's value.
        unsafe { value.write(data) }
    }

    /// Several attributes of a pointer. Attributes that it lacks, and all of memory unknown to the
    /// driver, are null; the device number is then -2.
    fn cuPointerGetAttributes(
        numAttributes: c_uint,
        attributes: In<c_uint>,
        data: In<Raw>,
        ptr: CUdeviceptr,
    ) {
        ensure!(numAttributes != 0, "numAttributes is 0: at least one is asked for");
        let pointer = Pointer::of(ptr)?;
        let count = numAttributes as usize;
        // SAFETY: the caller guarantees an array of this length.
        let (attributes, data) = unsafe { (attributes.elements(count), data.elements(count)) };
        for i in 0..count {
            let attribute = Attribute::of(attributes.at(i)?)?;
            let value = pointer.as_ref().and_then(|pointer| attribute.of_pointer(pointer).ok());
            let value = value.unwrap_or_else(|| attribute.of_unknown());
            // SAFETY: the caller's buffer has the size of the attribute's value.
            unsafe { value.write(data.at(i)?)? };
        }
        Ok(())
    }

    /// Sets whether memory operations are synchronous (`CU_POINTER_ATTRIBUTE_SYNC_MEMOPS`), which
    /// they always are here.
    fn cuPointerSetAttribute(value: Raw, attribute: c_uint, ptr: CUdeviceptr) {
        context::current()?;
        ensure!(
            attribute == Attribute::SyncMemops as u32,
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

macro_rules! attributes {
    ($($name:ident = $number:literal,)*) => {
        /// `CUpointer_attribute`, except for the tokens of peer-to-peer access by other drivers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        enum Attribute { $($name = $number,)* }

        impl Attribute {
            const ALL: &[Self] = &[$(Self::$name,)*];
        }
    };
}

attributes! {
    Context = 1,
    MemoryType = 2,
    DevicePointer = 3,
    HostPointer = 4,
    SyncMemops = 6,
    BufferId = 7,
    IsManaged = 8,
    DeviceOrdinal = 9,
    IsLegacyIpcCapable = 10,
    RangeStart = 11,
    RangeSize = 12,
    Mapped = 13,
    AllowedHandleTypes = 14,
    IsRdmaCapable = 15,
    AccessFlags = 16,
    MemPool = 17,
    MappingSize = 18,
    MappingBase = 19,
    BlockId = 20,
    IsDecompressCapable = 21,
    LocalityDomain = 22,
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
    mapped: Option<MappedAddress>,
}

impl Pointer {
    fn of(address: u64) -> Answer<Option<Self>> {
        if let Some(found) = memory::find(address) {
            let (range, device) = (found.base..found.base + found.size, found.gpu.ordinal);
            let allocation = Some(found);
            return Ok(Some(Self { address, range, device, allocation, mapped: None }));
        }
        if let Some(found) = virtual_memory::find(address) {
            let (range, device) = (found.range.clone(), found.memory.ordinal());
            let device = device.unwrap_or(CU_DEVICE_CPU);
            return Ok(Some(Self {
                address,
                range,
                device,
                allocation: None,
                mapped: Some(found),
            }));
        }
        for gpu in state::gpus()? {
            if let Ok(linear) = gpu.device.linear(address, 1) {
                let (range, device) = (linear.allocation(), gpu.ordinal);
                return Ok(Some(Self { address, range, device, allocation: None, mapped: None }));
            }
        }
        Ok(None)
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
            (None, Some(mapped)) => mapped.memory.ordinal().is_none(),
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
            let who = Accessor::Device(current.unwrap_or(self.device));
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
}

impl Attribute {
    fn of(number: u32) -> Answer<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|a| *a as u32 == number)
            .ok_or_else(|| invalid!(
                "attribute {number} is not a CUpointer_attribute that texunit has: those are 1 to 4 and 6 to 22"
            ))
    }

    fn of_pointer(self, pointer: &Pointer) -> Answer<Value> {
        let size = pointer.range.end - pointer.range.start;
        let host_only = pointer.on_host() && !pointer.is_managed();
        Ok(match self {
            Self::Context => Value::Long(pointer.context()),
            Self::MemoryType if host_only => Value::Int(CU_MEMORYTYPE_HOST as i32),
            Self::MemoryType => Value::Int(CU_MEMORYTYPE_DEVICE as i32),
            Self::HostPointer if !pointer.on_host() => bail!(
                "CU_POINTER_ATTRIBUTE_HOST_POINTER: ptr {:#x} is device memory, which has no address of the host",
                pointer.address
            ),
            Self::DevicePointer | Self::HostPointer => Value::Long(pointer.address),
            Self::SyncMemops => {
                let flag = pointer.allocation.as_ref().map(|a| a.sync.load(Ordering::Relaxed));
                Value::Int(flag.unwrap_or(false).into())
            }
            Self::BufferId | Self::BlockId => Value::Long(pointer.id()),
            Self::IsManaged => Value::Int(pointer.is_managed().into()),
            Self::DeviceOrdinal => Value::Int(pointer.device),
            Self::RangeStart | Self::MappingBase => Value::Long(pointer.range.start),
            Self::RangeSize | Self::MappingSize => Value::Long(size),
            Self::Mapped => Value::Int(1),
            Self::IsLegacyIpcCapable => {
                Value::Int(matches!(pointer.kind(), Some(AllocationKind::Device)).into())
            }
            Self::IsDecompressCapable | Self::IsRdmaCapable => Value::Int(0),
            Self::AllowedHandleTypes => Value::Long(match &pointer.mapped {
                Some(mapped) => mapped.memory.prop.requested_handle_types.into(),
                None => CU_MEM_HANDLE_TYPE_NONE.into(),
            }),
            Self::AccessFlags => Value::Int(pointer.access() as i32),
            Self::MemPool => Value::Long(match pointer.kind() {
                Some(AllocationKind::Pool(share)) => share.pool.handle.number() as u64,
                _ => 0,
            }),
            Self::LocalityDomain => Value::Int(-1),
        })
    }

    /// The attribute's value for memory unknown to the driver.
    fn of_unknown(self) -> Value {
        match self {
            Self::SyncMemops
            | Self::IsManaged
            | Self::IsLegacyIpcCapable
            | Self::Mapped
            | Self::IsDecompressCapable
            | Self::MemoryType
            | Self::IsRdmaCapable
            | Self::AccessFlags => Value::Int(0),
            Self::DeviceOrdinal => Value::Int(CU_DEVICE_INVALID),
            Self::LocalityDomain => Value::Int(-1),
            _ => Value::Long(0),
        }
    }
}
