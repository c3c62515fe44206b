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

/// Access rights of a device to memory (`CUmemAccessDesc`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUmemAccessDesc {
    /// The device that gets the access rights.
    pub location: CUmemLocation,
    /// Permitted accesses (`CU_MEM_ACCESS_FLAGS_PROT_*`).
    pub flags: u32,
}

/// Memory to import (`CUDA_EXTERNAL_MEMORY_HANDLE_DESC`, `cudaExternalMemoryHandleDesc`), without
/// the reserved fields at its end.
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

/// A range of imported memory (`CUDA_EXTERNAL_MEMORY_BUFFER_DESC`,
/// `cudaExternalMemoryBufferDesc`), without the reserved fields at its end.
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
