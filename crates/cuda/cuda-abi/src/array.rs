//! Structures and numbers of arrays: descriptors, formats, flags, sparse arrays.

/// Parameters of `cuArrayCreate` (`CUDA_ARRAY_DESCRIPTOR`).
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUDA_ARRAY_DESCRIPTOR {
    /// Elements of a row.
    pub width: usize,
    /// Number of rows; 0 for a one-dimensional array.
    pub height: usize,
    /// `CU_AD_FORMAT_*`.
    pub format: u32,
    /// Channels per element.
    pub num_channels: u32,
}

/// Parameters of `cuArrayCreate` before CUDA 3.2 (`CUDA_ARRAY_DESCRIPTOR_v1`).
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUDA_ARRAY_DESCRIPTOR_v1 {
    /// Elements of a row.
    pub width: u32,
    /// Number of rows; 0 for a one-dimensional array.
    pub height: u32,
    /// `CU_AD_FORMAT_*`.
    pub format: u32,
    /// Channels per element.
    pub num_channels: u32,
}

/// Parameters of `cuArray3DCreate` and `cuMipmappedArrayCreate` (`CUDA_ARRAY3D_DESCRIPTOR`).
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUDA_ARRAY3D_DESCRIPTOR {
    /// Elements of a row.
    pub width: usize,
    /// Number of rows; 0 for a one-dimensional array.
    pub height: usize,
    /// Number of slices, layers, or faces of all cubes; 0 for a one- or two-dimensional array.
    pub depth: usize,
    /// `CU_AD_FORMAT_*`.
    pub format: u32,
    /// Channels per element.
    pub num_channels: u32,
    /// `CUDA_ARRAY3D_*`.
    pub flags: u32,
}

/// Parameters of `cuArray3DCreate` before CUDA 3.2 (`CUDA_ARRAY3D_DESCRIPTOR_v1`).
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUDA_ARRAY3D_DESCRIPTOR_v1 {
    /// Elements of a row.
    pub width: u32,
    /// Number of rows; 0 for a one-dimensional array.
    pub height: u32,
    /// Number of slices, layers, or faces of all cubes; 0 for a one- or two-dimensional array.
    pub depth: u32,
    /// `CU_AD_FORMAT_*`.
    pub format: u32,
    /// Channels per element.
    pub num_channels: u32,
    /// `CUDA_ARRAY3D_*`.
    pub flags: u32,
}

/// Tile size and mip tail of a sparse array (`CUDA_ARRAY_SPARSE_PROPERTIES`).
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUDA_ARRAY_SPARSE_PROPERTIES {
    /// Elements of a tile along x, y, z.
    pub tile_extent: [u32; 3],
    /// First level of the mip tail.
    pub miptail_first_level: u32,
    /// Bytes of the mip tail.
    pub miptail_size: u64,
    /// 0, or `CU_ARRAY_SPARSE_PROPERTIES_SINGLE_MIPTAIL`.
    pub flags: u32,
    /// Reserved zeros.
    pub reserved: [u32; 4],
}

/// Memory requirements of an array that is created without memory
/// (`CUDA_ARRAY_MEMORY_REQUIREMENTS`).
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUDA_ARRAY_MEMORY_REQUIREMENTS {
    /// Size in bytes.
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
    /// `CU_RESOURCE_TYPE_ARRAY` or `CU_RESOURCE_TYPE_MIPMAPPED_ARRAY`.
    pub resource_type: u32,
    /// Handle of the array or mipmapped array.
    pub resource: usize,
    /// `CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_*`.
    pub subresource_type: u32,
    /// Padding for the 64-bit alignment of the union.
    pub padding: u32,
    /// For a region: level, layer, x, y, z, width, height, depth. For a mip tail: layer, padding,
    /// offset and size, each with the low half first.
    pub subresource: [u32; 8],
    /// `CU_MEM_OPERATION_TYPE_*`.
    pub mem_operation_type: u32,
    /// `CU_MEM_HANDLE_TYPE_GENERIC`.
    pub mem_handle_type: u32,
    /// Handle of the memory; 0 to unmap.
    pub mem_handle: u64,
    /// Offset of the first byte in the memory.
    pub offset: u64,
    /// Bit mask of devices.
    pub device_bit_mask: u32,
    /// Reserved, 0.
    pub flags: u32,
    /// Reserved zeros.
    pub reserved: [u32; 2],
}

/// Flag: the depth is a number of layers.
pub const CUDA_ARRAY3D_LAYERED: u32 = 0x01;
/// Flag: surface objects of the array can be created.
pub const CUDA_ARRAY3D_SURFACE_LDST: u32 = 0x02;
/// Flag: the depth is a number of cube faces.
pub const CUDA_ARRAY3D_CUBEMAP: u32 = 0x04;
/// Flag: `tld4` may read the array.
pub const CUDA_ARRAY3D_TEXTURE_GATHER: u32 = 0x08;
/// Flag: a depth texture of a graphics API.
pub const CUDA_ARRAY3D_DEPTH_TEXTURE: u32 = 0x10;
/// Flag: a colour target of a graphics API.
pub const CUDA_ARRAY3D_COLOR_ATTACHMENT: u32 = 0x20;
/// Flag: a sparse array, created without memory, which is mapped tile by tile.
pub const CUDA_ARRAY3D_SPARSE: u32 = 0x40;
/// Flag: the array is created without memory, which is mapped later as a whole.
pub const CUDA_ARRAY3D_DEFERRED_MAPPING: u32 = 0x80;
/// Flag: the array is used by the video units.
pub const CUDA_ARRAY3D_VIDEO_ENCODE_DECODE: u32 = 0x100;

/// A region of a level is mapped or unmapped.
pub const CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL: u32 = 0;
/// A mip tail is mapped or unmapped.
pub const CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL: u32 = 1;
/// Memory is mapped.
pub const CU_MEM_OPERATION_TYPE_MAP: u32 = 1;
/// Memory is unmapped.
pub const CU_MEM_OPERATION_TYPE_UNMAP: u32 = 2;
/// The memory is a handle of `cuMemCreate`.
pub const CU_MEM_HANDLE_TYPE_GENERIC: u32 = 0;
/// Usage flag of `cuMemCreate`: memory for the tiles of sparse arrays.
pub const CU_MEM_CREATE_USAGE_TILE_POOL: u16 = 1;

/// 8-bit unsigned integers. Formats of this group give the type of a channel; an element has 1, 2
/// or 4 channels.
pub const CU_AD_FORMAT_UNSIGNED_INT8: u32 = 0x01;
/// 16-bit unsigned integers.
pub const CU_AD_FORMAT_UNSIGNED_INT16: u32 = 0x02;
/// 32-bit unsigned integers.
pub const CU_AD_FORMAT_UNSIGNED_INT32: u32 = 0x03;
/// 8-bit signed integers.
pub const CU_AD_FORMAT_SIGNED_INT8: u32 = 0x08;
/// 16-bit signed integers.
pub const CU_AD_FORMAT_SIGNED_INT16: u32 = 0x09;
/// 32-bit signed integers.
pub const CU_AD_FORMAT_SIGNED_INT32: u32 = 0x0a;
/// Half precision.
pub const CU_AD_FORMAT_HALF: u32 = 0x10;
/// Single precision.
pub const CU_AD_FORMAT_FLOAT: u32 = 0x20;
/// Three channels of 10 bits and one of 2.
pub const CU_AD_FORMAT_UNORM_INT_101010_2: u32 = 0x50;
/// 8-bit video in planes.
pub const CU_AD_FORMAT_NV12: u32 = 0xb0;

/// Properties of an allocation of `cuMemCreate` (`CUmemAllocationProp`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUmemAllocationProp {
    /// `CU_MEM_ALLOCATION_TYPE_*`.
    pub kind: u32,
    /// `CU_MEM_HANDLE_TYPE_*` flags of the handles that the memory can be exported as.
    pub requested_handle_types: u32,
    /// Location of the memory.
    pub location: crate::CUmemLocation,
    /// Windows only; null.
    pub win32_handle_meta_data: u64,
    /// `CU_MEM_ALLOCATION_COMP_*`.
    pub compression_type: u8,
    /// Hint about RDMA.
    pub gpu_direct_rdma_capable: u8,
    /// `CU_MEM_CREATE_USAGE_*`.
    pub usage: u16,
    /// Reserved zeros.
    pub reserved: [u8; 4],
}
