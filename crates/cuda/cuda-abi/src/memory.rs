//! Structures and numbers of memory: locations, pools, access, attributes.

/// Where memory is (`CUmemLocation`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUmemLocation {
    /// `CU_MEM_LOCATION_TYPE_*`.
    pub kind: u32,
    /// Number of a device or of a NUMA node.
    pub id: i32,
}

/// No location.
pub const CU_MEM_LOCATION_TYPE_INVALID: u32 = 0;
/// A device.
pub const CU_MEM_LOCATION_TYPE_DEVICE: u32 = 1;
/// The host.
pub const CU_MEM_LOCATION_TYPE_HOST: u32 = 2;
/// A NUMA node of the host.
pub const CU_MEM_LOCATION_TYPE_HOST_NUMA: u32 = 3;
/// The NUMA node of the calling thread.
pub const CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT: u32 = 4;

/// A device number that is none (`CU_DEVICE_INVALID`).
pub const CU_DEVICE_INVALID: i32 = -2;
/// The host, where a device number is wanted (`CU_DEVICE_CPU`).
pub const CU_DEVICE_CPU: i32 = -1;

/// Access of a device to memory (`CUmemAccessDesc`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUmemAccessDesc {
    /// Who.
    pub location: CUmemLocation,
    /// `CU_MEM_ACCESS_FLAGS_PROT_*`.
    pub flags: u32,
}

/// No access.
pub const CU_MEM_ACCESS_FLAGS_PROT_NONE: u32 = 0;
/// Reads only.
pub const CU_MEM_ACCESS_FLAGS_PROT_READ: u32 = 1;
/// Reads and writes.
pub const CU_MEM_ACCESS_FLAGS_PROT_READWRITE: u32 = 3;

/// What a memory pool is made with (`CUmemPoolProps`).
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct CUmemPoolProps {
    /// `CU_MEM_ALLOCATION_TYPE_*`.
    pub alloc_type: u32,
    /// `CU_MEM_HANDLE_TYPE_*` that the pool can be exported as.
    pub handle_types: u32,
    /// Where its memory is.
    pub location: CUmemLocation,
    /// Of Windows only; null.
    pub win32_security_attributes: u64,
    /// Most bytes; 0: no limit.
    pub max_size: usize,
    /// Usage flags.
    pub usage: u16,
    /// A hint.
    pub gpu_direct_rdma_capable: u8,
    /// Zeros.
    pub reserved: [u8; 53],
}

impl Default for CUmemPoolProps {
    fn default() -> Self {
        Self {
            alloc_type: 0,
            handle_types: 0,
            location: CUmemLocation::default(),
            win32_security_attributes: 0,
            max_size: 0,
            usage: 0,
            gpu_direct_rdma_capable: 0,
            reserved: [0; 53],
        }
    }
}

/// What stands for memory or an event of another process (`CUipcMemHandle`, `CUipcEventHandle`), by value.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CUipcHandle(pub [u8; 64]);

/// Memory that stays where it is.
pub const CU_MEM_ALLOCATION_TYPE_PINNED: u32 = 1;
/// Managed memory.
pub const CU_MEM_ALLOCATION_TYPE_MANAGED: u32 = 2;
/// A pool or allocation that cannot be exported.
pub const CU_MEM_HANDLE_TYPE_NONE: u32 = 0;
/// A file descriptor of Linux.
pub const CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR: u32 = 1;
/// The least that sizes and addresses are multiples of.
pub const CU_MEM_ALLOC_GRANULARITY_MINIMUM: u32 = 0;
/// What is best for speed.
pub const CU_MEM_ALLOC_GRANULARITY_RECOMMENDED: u32 = 1;

/// Memory of the host (`CU_MEMORYTYPE_HOST`).
pub const CU_MEMORYTYPE_HOST: u32 = 1;
/// Memory of a device.
pub const CU_MEMORYTYPE_DEVICE: u32 = 2;
/// An array.
pub const CU_MEMORYTYPE_ARRAY: u32 = 3;
/// An address whose memory the driver finds out.
pub const CU_MEMORYTYPE_UNIFIED: u32 = 4;

/// Flag of `cuMemHostAlloc`: for all contexts.
pub const CU_MEMHOSTALLOC_PORTABLE: u32 = 1;
/// Flag of `cuMemHostAlloc`: kernels can use it.
pub const CU_MEMHOSTALLOC_DEVICEMAP: u32 = 2;
/// Flag of `cuMemHostAlloc`: written by the host, read by the device.
pub const CU_MEMHOSTALLOC_WRITECOMBINED: u32 = 4;
/// Flag of `cuMemHostRegister`: for all contexts.
pub const CU_MEMHOSTREGISTER_PORTABLE: u32 = 1;
/// Flag of `cuMemHostRegister`: kernels can use it.
pub const CU_MEMHOSTREGISTER_DEVICEMAP: u32 = 2;
/// Flag of `cuMemHostRegister`: memory of another device.
pub const CU_MEMHOSTREGISTER_IOMEMORY: u32 = 4;
/// Flag of `cuMemHostRegister`: kernels only read it.
pub const CU_MEMHOSTREGISTER_READ_ONLY: u32 = 8;

/// Flag of `cuMemAllocManaged`: every stream can use it.
pub const CU_MEM_ATTACH_GLOBAL: u32 = 1;
/// Flag: the host only.
pub const CU_MEM_ATTACH_HOST: u32 = 2;
/// Flag: one stream.
pub const CU_MEM_ATTACH_SINGLE: u32 = 4;
