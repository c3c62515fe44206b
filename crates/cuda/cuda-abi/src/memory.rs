//! Structures and numbers of memory: locations, pools, access, attributes.

/// Location of memory (`CUmemLocation`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUmemLocation {
    /// Kind of location (`CU_MEM_LOCATION_TYPE_*`).
    pub kind: u32,
    /// Number of a device or of a NUMA node.
    pub id: i32,
}

/// Location type: no location.
pub const CU_MEM_LOCATION_TYPE_INVALID: u32 = 0;
/// Location type: a device.
pub const CU_MEM_LOCATION_TYPE_DEVICE: u32 = 1;
/// Location type: the host, without a particular NUMA node.
pub const CU_MEM_LOCATION_TYPE_HOST: u32 = 2;
/// Location type: a NUMA node of the host.
pub const CU_MEM_LOCATION_TYPE_HOST_NUMA: u32 = 3;
/// Location type: the NUMA node of the calling thread.
pub const CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT: u32 = 4;

/// An invalid device number (`CU_DEVICE_INVALID`).
pub const CU_DEVICE_INVALID: i32 = -2;
/// The host as a device number (`CU_DEVICE_CPU`).
pub const CU_DEVICE_CPU: i32 = -1;

/// Access rights of a device to memory (`CUmemAccessDesc`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUmemAccessDesc {
    /// The device that gets the access rights.
    pub location: CUmemLocation,
    /// Permitted accesses (`CU_MEM_ACCESS_FLAGS_PROT_*`).
    pub flags: u32,
}

/// Access rights: none.
pub const CU_MEM_ACCESS_FLAGS_PROT_NONE: u32 = 0;
/// Access rights: reads only.
pub const CU_MEM_ACCESS_FLAGS_PROT_READ: u32 = 1;
/// Access rights: reads and writes.
pub const CU_MEM_ACCESS_FLAGS_PROT_READWRITE: u32 = 3;

/// Memory to import (`CUDA_EXTERNAL_MEMORY_HANDLE_DESC`, `cudaExternalMemoryHandleDesc`), without
/// the reserved fields at its end.
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
    /// Type of the handle (`CU_EXTERNAL_MEMORY_HANDLE_TYPE_*`).
    pub kind: u32,
    /// The handle, whose members depend on its type; the first four bytes are a file descriptor.
    pub handle: [u64; 2],
    /// Size of the memory in bytes.
    pub size: u64,
    /// Flags: 0 or `CUDA_EXTERNAL_MEMORY_DEDICATED`.
    pub flags: u32,
}

/// Handle type: a file descriptor.
pub const CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD: u32 = 1;
/// The last handle type (`CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD`).
pub const CU_EXTERNAL_MEMORY_HANDLE_TYPE_LAST: u32 = 9;
/// Flag: the memory is dedicated to one resource.
pub const CUDA_EXTERNAL_MEMORY_DEDICATED: u32 = 1;

/// A range of imported memory (`CUDA_EXTERNAL_MEMORY_BUFFER_DESC`,
/// `cudaExternalMemoryBufferDesc`), without the reserved fields at its end.
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC {
    /// Offset of the first byte.
    pub offset: u64,
    /// Size in bytes.
    pub size: u64,
    /// Flags, which must be 0.
    pub flags: u32,
}

/// A mipmapped array in imported memory (`CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC`), without the
/// reserved fields at its end.
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC {
    /// Offset of the first byte.
    pub offset: u64,
    /// Properties of the array.
    pub array: crate::CUDA_ARRAY3D_DESCRIPTOR,
    /// Number of levels.
    pub levels: u32,
}

/// Properties of a memory pool (`CUmemPoolProps`).
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct CUmemPoolProps {
    /// Kind of the pool's memory, such as pinned (`CU_MEM_ALLOCATION_TYPE_*`).
    pub alloc_type: u32,
    /// `CU_MEM_HANDLE_TYPE_*` flags of the handles that the pool can be exported as.
    pub handle_types: u32,
    /// Location of the pool's memory.
    pub location: CUmemLocation,
    /// Security attributes of exported handles on Windows; null elsewhere.
    pub win32_security_attributes: u64,
    /// Maximum size in bytes; 0 for no limit.
    pub max_size: usize,
    /// Flags for the intended use of the pool.
    pub usage: u16,
    /// Nonzero if the memory should be accessible by other PCI devices (GPUDirect RDMA); a hint.
    pub gpu_direct_rdma_capable: u8,
    /// Reserved zeros.
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

/// Handle, passed by value, of memory or an event of another process (`CUipcMemHandle`,
/// `CUipcEventHandle`).
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CUipcHandle(pub [u8; 64]);

/// Allocation type: memory that does not migrate.
pub const CU_MEM_ALLOCATION_TYPE_PINNED: u32 = 1;
/// Allocation type: managed memory, which migrates between host and devices.
pub const CU_MEM_ALLOCATION_TYPE_MANAGED: u32 = 2;
/// Handle type: the pool or allocation cannot be exported to other processes.
pub const CU_MEM_HANDLE_TYPE_NONE: u32 = 0;
/// Handle type: a file descriptor of Linux.
pub const CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR: u32 = 1;
/// Option of `cuMemGetAllocationGranularity`: the minimum granularity of sizes and addresses.
pub const CU_MEM_ALLOC_GRANULARITY_MINIMUM: u32 = 0;
/// Option of `cuMemGetAllocationGranularity`: the recommended granularity of sizes and addresses.
pub const CU_MEM_ALLOC_GRANULARITY_RECOMMENDED: u32 = 1;

/// Memory type in a copy: memory of the host.
pub const CU_MEMORYTYPE_HOST: u32 = 1;
/// Memory type in a copy: memory of a device.
pub const CU_MEMORYTYPE_DEVICE: u32 = 2;
/// Memory type in a copy: an array.
pub const CU_MEMORYTYPE_ARRAY: u32 = 3;
/// Memory type in a copy: an address whose kind of memory the driver determines.
pub const CU_MEMORYTYPE_UNIFIED: u32 = 4;

/// Flag of `cuMemHostAlloc`: pinned for all contexts.
pub const CU_MEMHOSTALLOC_PORTABLE: u32 = 1;
/// Flag of `cuMemHostAlloc`: mapped for kernels.
pub const CU_MEMHOSTALLOC_DEVICEMAP: u32 = 2;
/// Flag of `cuMemHostAlloc`: write-combining memory, which the host writes and the device reads.
pub const CU_MEMHOSTALLOC_WRITECOMBINED: u32 = 4;
/// Flag of `cuMemHostRegister`: pinned for all contexts.
pub const CU_MEMHOSTREGISTER_PORTABLE: u32 = 1;
/// Flag of `cuMemHostRegister`: mapped for kernels.
pub const CU_MEMHOSTREGISTER_DEVICEMAP: u32 = 2;
/// Flag of `cuMemHostRegister`: memory of another PCI device.
pub const CU_MEMHOSTREGISTER_IOMEMORY: u32 = 4;
/// Flag of `cuMemHostRegister`: read-only for kernels.
pub const CU_MEMHOSTREGISTER_READ_ONLY: u32 = 8;

/// Attachment of managed memory: accessible from every stream.
pub const CU_MEM_ATTACH_GLOBAL: u32 = 1;
/// Attachment of managed memory: accessible from the host only.
pub const CU_MEM_ATTACH_HOST: u32 = 2;
/// Attachment of managed memory: accessible from one stream.
pub const CU_MEM_ATTACH_SINGLE: u32 = 4;
