//! Structures and directions of copies, and their driver equivalents.

use super::*;

/// `cudaMemcpyKind`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    HostToHost,
    HostToDevice,
    DeviceToHost,
    DeviceToDevice,
    /// The driver infers the direction from the addresses.
    Default,
}

impl Direction {
    /// `cudaErrorInvalidMemcpyDirection` for an unknown number.
    pub(crate) fn of(kind: u32) -> Answer<Self> {
        Ok(match kind {
            0 => Self::HostToHost,
            1 => Self::HostToDevice,
            2 => Self::DeviceToHost,
            3 => Self::DeviceToDevice,
            4 => Self::Default,
            _ => bail!(
                INVALID_MEMCPY_DIRECTION,
                "kind {kind} is not a cudaMemcpyKind: those are 0 to 4"
            ),
        })
    }

    /// `cudaErrorInvalidMemcpyDirection` unless the destination is device memory, an array or a
    /// variable.
    pub(crate) fn writes_device(self) -> Answer {
        self.check(self.destination(), "written: that is HostToDevice")
    }

    /// `cudaErrorInvalidMemcpyDirection` unless the source is device memory, an array or a
    /// variable.
    pub(crate) fn reads_device(self) -> Answer {
        self.check(self.source(), "read: that is DeviceToHost")
    }

    fn check(self, side: u32, what: &str) -> Answer {
        ensure!(
            side != CU_MEMORYTYPE_HOST,
            INVALID_MEMCPY_DIRECTION,
            "kind is {self:?}, but device memory, an array or a variable is {what}, DeviceToDevice or Default"
        );
        Ok(())
    }

    /// `CU_MEMORYTYPE_*` of the source.
    pub(crate) fn source(self) -> u32 {
        self.sides()[0]
    }

    /// `CU_MEMORYTYPE_*` of the destination.
    pub(crate) fn destination(self) -> u32 {
        self.sides()[1]
    }

    fn sides(self) -> [u32; 2] {
        match self {
            Self::HostToHost => [CU_MEMORYTYPE_HOST; 2],
            Self::HostToDevice => [CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE],
            Self::DeviceToHost => [CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST],
            Self::DeviceToDevice => [CU_MEMORYTYPE_DEVICE; 2],
            Self::Default => [CU_MEMORYTYPE_UNIFIED; 2],
        }
    }
}

/// Memory as source or destination of a driver copy.
pub(crate) fn memory_side(kind: u32, address: u64, pitch: usize) -> CopySide3D {
    let mut side = CopySide3D { memory_type: kind, pitch, ..CopySide3D::default() };
    if kind == CU_MEMORYTYPE_HOST {
        side.host = address;
    } else {
        side.device = address;
    }
    side
}

/// An array as source or destination of a driver copy.
pub(crate) fn array_side(array: Array, x_in_bytes: usize, y: usize) -> CopySide3D {
    CopySide3D { memory_type: CU_MEMORYTYPE_ARRAY, array, x_in_bytes, y, ..CopySide3D::default() }
}
