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
    /// Offset in the row in bytes.
    pub x_in_bytes: usize,
    /// Offset in rows.
    pub y: usize,
    /// `CU_MEMORYTYPE_*`, which selects one of the next three fields.
    pub memory_type: u32,
    /// Host address.
    pub host: u64,
    /// Device address.
    pub device: CUdeviceptr,
    /// Array handle.
    pub array: usize,
    /// Row pitch in bytes; not for arrays.
    pub pitch: usize,
}

/// A 2D copy (`CUDA_MEMCPY2D`).
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct CUDA_MEMCPY2D {
    /// Source.
    pub src: CopySide2D,
    /// Destination.
    pub dst: CopySide2D,
    /// Bytes of a row.
    pub width_in_bytes: usize,
    /// Number of rows.
    pub height: usize,
}

/// Source or destination of a [`CUDA_MEMCPY3D`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct CopySide3D {
    /// Offset in the row in bytes.
    pub x_in_bytes: usize,
    /// Offset in rows.
    pub y: usize,
    /// Offset in slices, or in layers of an array.
    pub z: usize,
    /// Reserved, 0.
    pub lod: usize,
    /// `CU_MEMORYTYPE_*`, which selects one of the next three fields.
    pub memory_type: u32,
    /// Host address.
    pub host: u64,
    /// Device address.
    pub device: CUdeviceptr,
    /// Array handle.
    pub array: usize,
    /// Context handle in a `CUDA_MEMCPY3D_PEER`; null otherwise.
    pub context: usize,
    /// Row pitch in bytes; not for arrays.
    pub pitch: usize,
    /// Rows between slices; not for arrays.
    pub height: usize,
}

/// A 3D copy (`CUDA_MEMCPY3D`, `CUDA_MEMCPY3D_PEER`).
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct CUDA_MEMCPY3D {
    /// Source.
    pub src: CopySide3D,
    /// Destination.
    pub dst: CopySide3D,
    /// Bytes of a row.
    pub width_in_bytes: usize,
    /// Rows per slice.
    pub height: usize,
    /// Number of slices.
    pub depth: usize,
}

/// Attributes of copies in a batch (`CUmemcpyAttributes`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUmemcpyAttributes {
    /// `CU_MEMCPY_SRC_ACCESS_ORDER_*`.
    pub src_access_order: u32,
    /// Hint about the source's location.
    pub src_loc_hint: CUmemLocation,
    /// Hint about the destination's location.
    pub dst_loc_hint: CUmemLocation,
    /// `CU_MEMCPY_FLAG_*`.
    pub flags: u32,
}

/// The highest access order; 0 is invalid.
pub const CU_MEMCPY_SRC_ACCESS_ORDER_ANY: u32 = 3;

/// Source or destination of a [`CUDA_MEMCPY3D_BATCH_OP`] (`CUmemcpy3DOperand`).
///
/// The header has a union of a pointer (address, row length, layer height, location) and an array
/// (handle, offset of three numbers); both are four numbers here.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct CUmemcpy3DOperand {
    /// `CU_MEMCPY_OPERAND_TYPE_*`.
    pub kind: u32,
    /// Address or array handle.
    pub what: u64,
    /// For memory: elements per row, rows per layer, location. For an array: x, y, z in elements.
    pub numbers: [usize; 3],
}

/// The operand is memory.
pub const CU_MEMCPY_OPERAND_TYPE_POINTER: u32 = 1;
/// The operand is an array.
pub const CU_MEMCPY_OPERAND_TYPE_ARRAY: u32 = 2;

/// One copy of a batch (`CUDA_MEMCPY3D_BATCH_OP`).
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct CUDA_MEMCPY3D_BATCH_OP {
    /// Source.
    pub src: CUmemcpy3DOperand,
    /// Destination.
    pub dst: CUmemcpy3DOperand,
    /// Extent in elements, rows and layers (`CUextent3D`).
    pub extent: [usize; 3],
    /// `CU_MEMCPY_SRC_ACCESS_ORDER_*`.
    pub src_access_order: u32,
    /// `CU_MEMCPY_FLAG_*`.
    pub flags: u32,
}
