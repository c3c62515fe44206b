//! Structures and numbers of arrays: descriptors, formats, flags, sparse arrays.

/// Parameters of `cuArrayCreate` (`CUDA_ARRAY_DESCRIPTOR`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUDA_ARRAY_DESCRIPTOR {
    /// Width of the array in elements.
    pub width: usize,
    /// Height of the array in rows; 0 for a one-dimensional array.
    pub height: usize,
    /// Format of a channel, or of a whole element (`CU_AD_FORMAT_*`).
    pub format: u32,
    /// Number of channels of an element.
    pub num_channels: u32,
}

/// Parameters of `cuArrayCreate` before CUDA 3.2 (`CUDA_ARRAY_DESCRIPTOR_v1`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUDA_ARRAY_DESCRIPTOR_v1 {
    /// Width of the array in elements.
    pub width: u32,
    /// Height of the array in rows; 0 for a one-dimensional array.
    pub height: u32,
    /// Format of a channel, or of a whole element (`CU_AD_FORMAT_*`).
    pub format: u32,
    /// Number of channels of an element.
    pub num_channels: u32,
}

/// Parameters of `cuArray3DCreate` and `cuMipmappedArrayCreate` (`CUDA_ARRAY3D_DESCRIPTOR`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUDA_ARRAY3D_DESCRIPTOR {
    /// Width of the array in elements.
    pub width: usize,
    /// Height of the array in rows; 0 for a one-dimensional array.
    pub height: usize,
    /// Number of slices, layers, or faces of all cubes; 0 for a one- or two-dimensional array.
    pub depth: usize,
    /// Format of a channel, or of a whole element (`CU_AD_FORMAT_*`).
    pub format: u32,
    /// Number of channels of an element.
    pub num_channels: u32,
    /// Flags of the array (`CUDA_ARRAY3D_*`).
    pub flags: u32,
}

/// Parameters of `cuArray3DCreate` before CUDA 3.2 (`CUDA_ARRAY3D_DESCRIPTOR_v1`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUDA_ARRAY3D_DESCRIPTOR_v1 {
    /// Width of the array in elements.
    pub width: u32,
    /// Height of the array in rows; 0 for a one-dimensional array.
    pub height: u32,
    /// Number of slices, layers, or faces of all cubes; 0 for a one- or two-dimensional array.
    pub depth: u32,
    /// Format of a channel, or of a whole element (`CU_AD_FORMAT_*`).
    pub format: u32,
    /// Number of channels of an element.
    pub num_channels: u32,
    /// Flags of the array (`CUDA_ARRAY3D_*`).
    pub flags: u32,
}

/// Tile size and mip tail of a sparse array (`CUDA_ARRAY_SPARSE_PROPERTIES`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUDA_ARRAY_SPARSE_PROPERTIES {
    /// Size of a tile in elements along x, y and z.
    pub tile_extent: [u32; 3],
    /// First level of the mip tail: the levels that are too small for tiles and share one piece of
    /// memory.
    pub miptail_first_level: u32,
    /// Size of the mip tail in bytes.
    pub miptail_size: u64,
    /// `CU_ARRAY_SPARSE_PROPERTIES_SINGLE_MIPTAIL` if all layers share one mip tail, else 0.
    pub flags: u32,
    /// Reserved zeros.
    pub reserved: [u32; 4],
}

/// Memory requirements of an array that is created without memory
/// (`CUDA_ARRAY_MEMORY_REQUIREMENTS`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUDA_ARRAY_MEMORY_REQUIREMENTS {
    /// Size of the required memory in bytes.
    pub size: usize,
    /// Required alignment of the address.
    pub alignment: usize,
    /// Reserved zeros.
    pub reserved: [u32; 4],
}

/// Mapping or unmapping of memory in a sparse array (`CUarrayMapInfo`).
///
/// The header has a union of a region of a level (eight numbers: level, layer, offset, extent) and
/// of a mip tail (layer; 64-bit offset and size); both are eight numbers here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUarrayMapInfo {
    /// Type of the sparse resource: `CU_RESOURCE_TYPE_ARRAY` or `CU_RESOURCE_TYPE_MIPMAPPED_ARRAY`.
    pub resource_type: u32,
    /// Handle of the array or mipmapped array.
    pub resource: usize,
    /// Whether a region of a level or a mip tail is mapped (`CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_*`).
    pub subresource_type: u32,
    /// Padding for the 64-bit alignment of the union.
    pub padding: u32,
    /// For a region: level, layer, x, y, z, width, height, depth. For a mip tail: layer, padding,
    /// offset and size, each with the low half first.
    pub subresource: [u32; 8],
    /// Whether memory is mapped or unmapped (`CU_MEM_OPERATION_TYPE_*`).
    pub mem_operation_type: u32,
    /// Type of `mem_handle`; always `CU_MEM_HANDLE_TYPE_GENERIC`.
    pub mem_handle_type: u32,
    /// Handle of the memory to map (`cuMemCreate`); 0 to unmap.
    pub mem_handle: u64,
    /// Offset in the memory of `mem_handle` at which the mapping begins.
    pub offset: u64,
    /// Bit mask of the devices for which the mapping is made.
    pub device_bit_mask: u32,
    /// Reserved, 0.
    pub flags: u32,
    /// Reserved zeros.
    pub reserved: [u32; 2],
}

/// Properties of an allocation of `cuMemCreate` (`CUmemAllocationProp`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUmemAllocationProp {
    /// Kind of memory, such as pinned (`CU_MEM_ALLOCATION_TYPE_*`).
    pub kind: u32,
    /// `CU_MEM_HANDLE_TYPE_*` flags of the handles that the memory can be exported as.
    pub requested_handle_types: u32,
    /// Location of the memory.
    pub location: crate::CUmemLocation,
    /// Security attributes of exported handles on Windows; null elsewhere.
    pub win32_handle_meta_data: u64,
    /// Whether the memory may be compressed (`CU_MEM_ALLOCATION_COMP_*`).
    pub compression_type: u8,
    /// Nonzero if the memory should be accessible by other PCI devices (GPUDirect RDMA); a hint.
    pub gpu_direct_rdma_capable: u8,
    /// Intended use of the memory (`CU_MEM_CREATE_USAGE_*`).
    pub usage: u16,
    /// Reserved zeros.
    pub reserved: [u8; 4],
}
