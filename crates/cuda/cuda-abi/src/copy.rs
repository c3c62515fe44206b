//! Structures of copies.
//!
//! The header lists the members of the source and then those of the destination (`srcXInBytes`,
//! `dstXInBytes` and so on). Here each side is a structure of its own, with the same layout.

use crate::CUdeviceptr;
use crate::memory::CUmemLocation;

/// One side of a [`CUDA_MEMCPY2D`].
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct CopySide2D {
    /// Bytes in the row before the first.
    pub x_in_bytes: usize,
    /// Rows before the first.
    pub y: usize,
    /// `CU_MEMORYTYPE_*`: which of the next three says where.
    pub memory_type: u32,
    /// Address in the program.
    pub host: u64,
    /// Address on a device.
    pub device: CUdeviceptr,
    /// Handle of an array.
    pub array: usize,
    /// Bytes from a row to the next; not of arrays.
    pub pitch: usize,
}

/// A copy of rows (`CUDA_MEMCPY2D`).
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct CUDA_MEMCPY2D {
    /// From where.
    pub src: CopySide2D,
    /// To where.
    pub dst: CopySide2D,
    /// Bytes of a row.
    pub width_in_bytes: usize,
    /// Rows.
    pub height: usize,
}

/// One side of a [`CUDA_MEMCPY3D`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct CopySide3D {
    /// Bytes in the row before the first.
    pub x_in_bytes: usize,
    /// Rows before the first.
    pub y: usize,
    /// Slices, or layers of an array, before the first.
    pub z: usize,
    /// 0.
    pub lod: usize,
    /// `CU_MEMORYTYPE_*`: which of the next three says where.
    pub memory_type: u32,
    /// Address in the program.
    pub host: u64,
    /// Address on a device.
    pub device: CUdeviceptr,
    /// Handle of an array.
    pub array: usize,
    /// Handle of a context, of a `CUDA_MEMCPY3D_PEER`; null otherwise.
    pub context: usize,
    /// Bytes from a row to the next; not of arrays.
    pub pitch: usize,
    /// Rows from a slice to the next; not of arrays.
    pub height: usize,
}

/// A copy of slices (`CUDA_MEMCPY3D`, `CUDA_MEMCPY3D_PEER`).
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct CUDA_MEMCPY3D {
    /// From where.
    pub src: CopySide3D,
    /// To where.
    pub dst: CopySide3D,
    /// Bytes of a row.
    pub width_in_bytes: usize,
    /// Rows of a slice.
    pub height: usize,
    /// Slices.
    pub depth: usize,
}

/// What is said of copies in a batch (`CUmemcpyAttributes`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUmemcpyAttributes {
    /// `CU_MEMCPY_SRC_ACCESS_ORDER_*`.
    pub src_access_order: u32,
    /// A hint.
    pub src_loc_hint: CUmemLocation,
    /// A hint.
    pub dst_loc_hint: CUmemLocation,
    /// `CU_MEMCPY_FLAG_*`.
    pub flags: u32,
}

/// The last of the orders; 0 is none.
pub const CU_MEMCPY_SRC_ACCESS_ORDER_ANY: u32 = 3;

/// One side of a [`CUDA_MEMCPY3D_BATCH_OP`] (`CUmemcpy3DOperand`).
///
/// The header has a union of a pointer (address, row length, layer height, location) and an array
/// (handle, offset of three numbers); both are four numbers here.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct CUmemcpy3DOperand {
    /// `CU_MEMCPY_OPERAND_TYPE_*`.
    pub kind: u32,
    /// Address, or handle of an array.
    pub what: u64,
    /// Elements of a row, rows of a layer, location; or x, y, z in elements.
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
    /// From where.
    pub src: CUmemcpy3DOperand,
    /// To where.
    pub dst: CUmemcpy3DOperand,
    /// Elements of a row, rows, layers (`CUextent3D`).
    pub extent: [usize; 3],
    /// `CU_MEMCPY_SRC_ACCESS_ORDER_*`.
    pub src_access_order: u32,
    /// `CU_MEMCPY_FLAG_*`.
    pub flags: u32,
}
