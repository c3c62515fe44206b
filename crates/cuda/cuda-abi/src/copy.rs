//! Structures of memory copies.
//!
//! The header lists the members of the source and then those of the destination (`srcXInBytes`,
//! `dstXInBytes` and so on). Here source and destination are structures of their own, with the same
//! layout.

use crate::CUdeviceptr;
use crate::memory::CUmemLocation;

/// Source or destination of a [`CUDA_MEMCPY2D`].
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct CopySide2D {
    /// Offset in bytes from the start of a row at which the copy begins.
    pub x_in_bytes: usize,
    /// First row of the copy.
    pub y: usize,
    /// `CU_MEMORYTYPE_*`, which selects one of the next three fields.
    pub memory_type: u32,
    /// Host address, if `memory_type` is the host.
    pub host: u64,
    /// Device address, if `memory_type` is a device or unified.
    pub device: CUdeviceptr,
    /// Array handle, if `memory_type` is an array.
    pub array: usize,
    /// Distance between rows in bytes; unused for arrays.
    pub pitch: usize,
}

/// A 2D copy (`CUDA_MEMCPY2D`).
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct CUDA_MEMCPY2D {
    /// Source of the copy.
    pub src: CopySide2D,
    /// Destination of the copy.
    pub dst: CopySide2D,
    /// Number of bytes copied of each row.
    pub width_in_bytes: usize,
    /// Number of rows copied.
    pub height: usize,
}

/// Source or destination of a [`CUDA_MEMCPY3D`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct CopySide3D {
    /// Offset in bytes from the start of a row at which the copy begins.
    pub x_in_bytes: usize,
    /// First row of the copy.
    pub y: usize,
    /// First slice of the copy, or first layer of a layered array.
    pub z: usize,
    /// Reserved, 0.
    pub lod: usize,
    /// `CU_MEMORYTYPE_*`, which selects one of the next three fields.
    pub memory_type: u32,
    /// Host address, if `memory_type` is the host.
    pub host: u64,
    /// Device address, if `memory_type` is a device or unified.
    pub device: CUdeviceptr,
    /// Array handle, if `memory_type` is an array.
    pub array: usize,
    /// Context handle in a `CUDA_MEMCPY3D_PEER`; null otherwise.
    pub context: usize,
    /// Distance between rows in bytes; unused for arrays.
    pub pitch: usize,
    /// Distance between slices in rows; unused for arrays.
    pub height: usize,
}

/// A 3D copy (`CUDA_MEMCPY3D`, `CUDA_MEMCPY3D_PEER`).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct CUDA_MEMCPY3D {
    /// Source of the copy.
    pub src: CopySide3D,
    /// Destination of the copy.
    pub dst: CopySide3D,
    /// Number of bytes copied of each row.
    pub width_in_bytes: usize,
    /// Number of rows copied of each slice.
    pub height: usize,
    /// Number of slices copied.
    pub depth: usize,
}

/// Attributes of copies in a batch (`CUmemcpyAttributes`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUmemcpyAttributes {
    /// When the source may be read, relative to the work of the stream
    /// (`CU_MEMCPY_SRC_ACCESS_ORDER_*`).
    pub src_access_order: u32,
    /// Hint about the source's location.
    pub src_loc_hint: CUmemLocation,
    /// Hint about the destination's location.
    pub dst_loc_hint: CUmemLocation,
    /// Flags of the copy (`CU_MEMCPY_FLAG_*`).
    pub flags: u32,
}

/// Source or destination of a [`CUDA_MEMCPY3D_BATCH_OP`] (`CUmemcpy3DOperand`).
///
/// The header has a union of a pointer (address, row length, layer height, location) and an array
/// (handle, offset of three numbers); both are four numbers here.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct CUmemcpy3DOperand {
    /// Whether the operand is memory or an array (`CU_MEMCPY_OPERAND_TYPE_*`).
    pub kind: u32,
    /// Address of the memory, or handle of the array.
    pub what: u64,
    /// For memory: elements per row, rows per layer, location. For an array: x, y, z in elements.
    pub numbers: [usize; 3],
}

/// One copy of a batch (`CUDA_MEMCPY3D_BATCH_OP`).
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct CUDA_MEMCPY3D_BATCH_OP {
    /// Source of the copy.
    pub src: CUmemcpy3DOperand,
    /// Destination of the copy.
    pub dst: CUmemcpy3DOperand,
    /// Size of the copied box in elements, rows and layers (`CUextent3D`).
    pub extent: [usize; 3],
    /// When the source may be read, relative to the work of the stream
    /// (`CU_MEMCPY_SRC_ACCESS_ORDER_*`).
    pub src_access_order: u32,
    /// Flags of the copy (`CU_MEMCPY_FLAG_*`).
    pub flags: u32,
}
