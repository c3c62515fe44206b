//! Copies: directions, extents, and what they are for the driver.

use super::{Array, INVALID_MEMCPY_DIRECTION};
use texunit_cuda_abi::args::Answer;
use texunit_cuda_abi::{
    CU_MEMORYTYPE_ARRAY, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_UNIFIED,
    CopySide3D,
};

/// Elements or bytes of a row, rows, slices (`cudaExtent`).
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct cudaExtent {
    /// Of arrays in elements, of memory in bytes.
    pub(crate) width: usize,
    /// Rows.
    pub(crate) height: usize,
    /// Slices, layers or faces.
    pub(crate) depth: usize,
}

/// The first element or byte of a row, the first row, the first slice (`cudaPos`).
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct cudaPos {
    pub(crate) x: usize,
    pub(crate) y: usize,
    pub(crate) z: usize,
}

/// Memory of rows (`cudaPitchedPtr`).
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct cudaPitchedPtr {
    /// Address.
    pub(crate) ptr: u64,
    /// Bytes from a row to the next.
    pub(crate) pitch: usize,
    /// Width, as the program means it.
    pub(crate) xsize: usize,
    /// Rows from a slice to the next.
    pub(crate) ysize: usize,
}

/// A copy of slices (`cudaMemcpy3DParms`).
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct cudaMemcpy3DParms {
    /// From where: an array,
    pub(crate) src_array: Array,
    pub(crate) src_pos: cudaPos,
    /// or memory.
    pub(crate) src_ptr: cudaPitchedPtr,
    /// To where: an array,
    pub(crate) dst_array: Array,
    pub(crate) dst_pos: cudaPos,
    /// or memory.
    pub(crate) dst_ptr: cudaPitchedPtr,
    /// In elements, if there is an array.
    pub(crate) extent: cudaExtent,
    /// `cudaMemcpy*`.
    pub(crate) kind: u32,
}

/// A copy of slices between devices (`cudaMemcpy3DPeerParms`).
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct cudaMemcpy3DPeerParms {
    /// From where: an array,
    pub(crate) src_array: Array,
    pub(crate) src_pos: cudaPos,
    /// or memory.
    pub(crate) src_ptr: cudaPitchedPtr,
    /// Whose.
    pub(crate) src_device: i32,
    /// To where: an array,
    pub(crate) dst_array: Array,
    pub(crate) dst_pos: cudaPos,
    /// or memory.
    pub(crate) dst_ptr: cudaPitchedPtr,
    /// Whose.
    pub(crate) dst_device: i32,
    /// In elements, if there is an array.
    pub(crate) extent: cudaExtent,
}

/// `cudaMemcpyKind`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    HostToHost,
    HostToDevice,
    DeviceToHost,
    DeviceToDevice,
    /// Addresses say where they are.
    Default,
}

impl Direction {
    /// `cudaErrorInvalidMemcpyDirection` if the number is none.
    pub(crate) fn of(kind: u32) -> Answer<Self> {
        Ok(match kind {
            0 => Self::HostToHost,
            1 => Self::HostToDevice,
            2 => Self::DeviceToHost,
            3 => Self::DeviceToDevice,
            4 => Self::Default,
            _ => {
                return Err(INVALID_MEMCPY_DIRECTION
                    .because(format!("kind {kind} is not a cudaMemcpyKind: those are 0 to 4")));
            }
        })
    }

    /// `cudaErrorInvalidMemcpyDirection` unless device memory, an array or a variable is written.
    pub(crate) fn writes_device(self) -> Answer {
        match self {
            Self::HostToDevice | Self::DeviceToDevice | Self::Default => Ok(()),
            Self::HostToHost | Self::DeviceToHost => Err(INVALID_MEMCPY_DIRECTION.because(format!("kind is {self:?}, but device memory, an array or a variable is written: that is HostToDevice, DeviceToDevice or Default"))),
        }
    }

    /// `cudaErrorInvalidMemcpyDirection` unless device memory, an array or a variable is read.
    pub(crate) fn reads_device(self) -> Answer {
        match self {
            Self::DeviceToHost | Self::DeviceToDevice | Self::Default => Ok(()),
            Self::HostToHost | Self::HostToDevice => Err(INVALID_MEMCPY_DIRECTION.because(format!("kind is {self:?}, but device memory, an array or a variable is read: that is DeviceToHost, DeviceToDevice or Default"))),
        }
    }

    /// `CU_MEMORYTYPE_*` of memory that is read.
    pub(crate) fn source(self) -> u32 {
        match self {
            Self::HostToHost | Self::HostToDevice => CU_MEMORYTYPE_HOST,
            Self::DeviceToHost | Self::DeviceToDevice => CU_MEMORYTYPE_DEVICE,
            Self::Default => CU_MEMORYTYPE_UNIFIED,
        }
    }

    /// `CU_MEMORYTYPE_*` of memory that is written.
    pub(crate) fn destination(self) -> u32 {
        match self {
            Self::HostToHost | Self::DeviceToHost => CU_MEMORYTYPE_HOST,
            Self::HostToDevice | Self::DeviceToDevice => CU_MEMORYTYPE_DEVICE,
            Self::Default => CU_MEMORYTYPE_UNIFIED,
        }
    }
}

/// A side of a copy that is memory.
pub(crate) fn memory_side(kind: u32, address: u64, pitch: usize) -> CopySide3D {
    let mut side = CopySide3D { memory_type: kind, pitch, ..CopySide3D::default() };
    if kind == CU_MEMORYTYPE_HOST {
        side.host = address;
    } else {
        side.device = address;
    }
    side
}

/// A side of a copy that is an array.
pub(crate) fn array_side(array: Array, x_in_bytes: usize, y: usize) -> CopySide3D {
    CopySide3D { memory_type: CU_MEMORYTYPE_ARRAY, array, x_in_bytes, y, ..CopySide3D::default() }
}
