//! Structures and numbers of arrays: descriptors, formats, flags, sparse arrays.

/// What `cuArrayCreate` makes (`CUDA_ARRAY_DESCRIPTOR`).
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUDA_ARRAY_DESCRIPTOR {
    /// Elements of a row.
    pub width: usize,
    /// Rows; 0: the array has one axis.
    pub height: usize,
    /// `CU_AD_FORMAT_*`.
    pub format: u32,
    /// Channels of an element.
    pub num_channels: u32,
}

/// What an array was made with before CUDA 3.2 (`CUDA_ARRAY_DESCRIPTOR_v1`).
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUDA_ARRAY_DESCRIPTOR_v1 {
    /// Elements of a row.
    pub width: u32,
    /// Rows; 0: the array has one axis.
    pub height: u32,
    /// `CU_AD_FORMAT_*`.
    pub format: u32,
    /// Channels of an element.
    pub num_channels: u32,
}

/// What `cuArray3DCreate` and `cuMipmappedArrayCreate` make (`CUDA_ARRAY3D_DESCRIPTOR`).
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUDA_ARRAY3D_DESCRIPTOR {
    /// Elements of a row.
    pub width: usize,
    /// Rows; 0: the array has one axis.
    pub height: usize,
    /// Slices, layers, or faces of all cubes; 0: none of these.
    pub depth: usize,
    /// `CU_AD_FORMAT_*`.
    pub format: u32,
    /// Channels of an element.
    pub num_channels: u32,
    /// `CUDA_ARRAY3D_*`.
    pub flags: u32,
}

/// What an array was made with before CUDA 3.2 (`CUDA_ARRAY3D_DESCRIPTOR_v1`).
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUDA_ARRAY3D_DESCRIPTOR_v1 {
    /// Elements of a row.
    pub width: u32,
    /// Rows; 0: the array has one axis.
    pub height: u32,
    /// Slices, layers, or faces of all cubes; 0: none of these.
    pub depth: u32,
    /// `CU_AD_FORMAT_*`.
    pub format: u32,
    /// Channels of an element.
    pub num_channels: u32,
    /// `CUDA_ARRAY3D_*`.
    pub flags: u32,
}

/// How a sparse array lies in memory (`CUDA_ARRAY_SPARSE_PROPERTIES`).
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
    /// Zeros.
    pub reserved: [u32; 4],
}

/// Memory that an array without memory needs (`CUDA_ARRAY_MEMORY_REQUIREMENTS`).
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUDA_ARRAY_MEMORY_REQUIREMENTS {
    /// Bytes.
    pub size: usize,
    /// What its address is a multiple of.
    pub alignment: usize,
    /// Zeros.
    pub reserved: [u32; 4],
}

/// A change of a sparse array (`CUarrayMapInfo`).
///
/// The header has a union of a region of a level (eight numbers: level, layer, offset, extent) and
/// of a mip tail (layer; offset and size, of 64 bits each); both are eight numbers here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUarrayMapInfo {
    /// `CU_RESOURCE_TYPE_ARRAY` or `CU_RESOURCE_TYPE_MIPMAPPED_ARRAY`.
    pub resource_type: u32,
    /// Handle of the array or mipmapped array.
    pub resource: usize,
    /// `CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_*`.
    pub subresource_type: u32,
    /// 64-bit alignment of the union.
    pub padding: u32,
    /// Level, layer, x, y, z, width, height, depth; or layer, nothing, offset and size with the low
    /// half first.
    pub subresource: [u32; 8],
    /// `CU_MEM_OPERATION_TYPE_*`.
    pub mem_operation_type: u32,
    /// `CU_MEM_HANDLE_TYPE_GENERIC`.
    pub mem_handle_type: u32,
    /// Handle of the memory; 0 to unmap.
    pub mem_handle: u64,
    /// First byte of the memory.
    pub offset: u64,
    /// A bit for the device.
    pub device_bit_mask: u32,
    /// 0.
    pub flags: u32,
    /// Zeros.
    pub reserved: [u32; 2],
}

/// The depth is a number of layers.
pub const CUDA_ARRAY3D_LAYERED: u32 = 0x01;
/// Surfaces of the array can be made.
pub const CUDA_ARRAY3D_SURFACE_LDST: u32 = 0x02;
/// The depth is a number of faces.
pub const CUDA_ARRAY3D_CUBEMAP: u32 = 0x04;
/// `tld4` reads the array.
pub const CUDA_ARRAY3D_TEXTURE_GATHER: u32 = 0x08;
/// A depth texture of a graphics API.
pub const CUDA_ARRAY3D_DEPTH_TEXTURE: u32 = 0x10;
/// A colour target of a graphics API.
pub const CUDA_ARRAY3D_COLOR_ATTACHMENT: u32 = 0x20;
/// Made without memory, which is mapped tile by tile.
pub const CUDA_ARRAY3D_SPARSE: u32 = 0x40;
/// Made without memory, which is mapped as a whole.
pub const CUDA_ARRAY3D_DEFERRED_MAPPING: u32 = 0x80;
/// Used by the video units.
pub const CUDA_ARRAY3D_VIDEO_ENCODE_DECODE: u32 = 0x100;

/// A region of a level is mapped.
pub const CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL: u32 = 0;
/// A mip tail is mapped.
pub const CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL: u32 = 1;
/// Memory is given.
pub const CU_MEM_OPERATION_TYPE_MAP: u32 = 1;
/// Memory is taken away.
pub const CU_MEM_OPERATION_TYPE_UNMAP: u32 = 2;
/// A handle of `cuMemCreate`.
pub const CU_MEM_HANDLE_TYPE_GENERIC: u32 = 0;
/// The memory of `cuMemCreate` is for tiles (a flag of its usage).
pub const CU_MEM_CREATE_USAGE_TILE_POOL: u16 = 1;

/// Formats that name only the type of a channel; 1, 2 or 4 of them make an element.
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
/// Planes of 8-bit video.
pub const CU_AD_FORMAT_NV12: u32 = 0xb0;

/// What `cuMemCreate` makes (`CUmemAllocationProp`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUmemAllocationProp {
    /// `CU_MEM_ALLOCATION_TYPE_*`.
    pub kind: u32,
    /// `CU_MEM_HANDLE_TYPE_*` that it can be exported as.
    pub requested_handle_types: u32,
    /// Where the memory is.
    pub location: crate::CUmemLocation,
    /// Of Windows only; null.
    pub win32_handle_meta_data: u64,
    /// `CU_MEM_ALLOCATION_COMP_*`.
    pub compression_type: u8,
    /// A hint.
    pub gpu_direct_rdma_capable: u8,
    /// `CU_MEM_CREATE_USAGE_*`.
    pub usage: u16,
    /// Zeros.
    pub reserved: [u8; 4],
}
