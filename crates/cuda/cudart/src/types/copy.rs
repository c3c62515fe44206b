//! Structures and directions of copies, their driver equivalents, and structures of graph nodes
//! that differ from the driver's.

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
    let [host, device] = if kind == CU_MEMORYTYPE_HOST { [address, 0] } else { [0, address] };
    CopySide3D { memory_type: kind, host, device, pitch, ..CopySide3D::default() }
}

/// An array as source or destination of a driver copy.
pub(crate) fn array_side(array: Array, x_in_bytes: usize, y: usize) -> CopySide3D {
    CopySide3D { memory_type: CU_MEMORYTYPE_ARRAY, array, x_in_bytes, y, ..CopySide3D::default() }
}

// SAFETY: structures of plain numbers, whose sizes the assertions check.
unsafe impl NodeParams for cudaKernelNodeParamsV2 {}
// SAFETY: a structure of plain numbers, whose size the assertion checks.
unsafe impl NodeParams for cudaMemcpyNodeParams {}
const _: () = assert!(size_of::<cudaKernelNodeParamsV2>() <= 232);
const _: () = assert!(size_of::<cudaMemcpyNodeParams>() <= 232);

/// Translates a driver copy for the runtime. `unit` is the element size of its arrays.
pub(crate) fn of_driver(copy: &CUDA_MEMCPY3D, unit: usize) -> cudaMemcpy3DParms {
    let kind = |side: &CopySide3D| match side.memory_type {
        CU_MEMORYTYPE_HOST => 0,
        CU_MEMORYTYPE_UNIFIED => 2,
        _ => 1,
    };
    let direction = match (kind(&copy.src), kind(&copy.dst)) {
        (2, _) | (_, 2) => 4,
        (from, to) => 2 * from + to,
    };
    let mut parms = cudaMemcpy3DParms { kind: direction, ..cudaMemcpy3DParms::default() };
    let has_array =
        [&copy.src, &copy.dst].iter().any(|side| side.memory_type == CU_MEMORYTYPE_ARRAY);
    let sides = [
        (&copy.src, &mut parms.src_array, &mut parms.src_pos, &mut parms.src_ptr),
        (&copy.dst, &mut parms.dst_array, &mut parms.dst_pos, &mut parms.dst_ptr),
    ];
    for (side, array, pos, memory) in sides {
        (pos.y, pos.z) = (side.y, side.z);
        if side.memory_type == CU_MEMORYTYPE_ARRAY {
            *array = side.array;
            pos.x = side.x_in_bytes / unit.max(1);
        } else {
            pos.x = side.x_in_bytes;
            memory.ptr =
                if side.memory_type == CU_MEMORYTYPE_HOST { side.host } else { side.device };
            memory.pitch = if side.pitch == 0 { copy.width_in_bytes } else { side.pitch };
            memory.xsize = copy.width_in_bytes;
            memory.ysize = if side.height == 0 { copy.height } else { side.height };
        }
    }
    parms.extent.width =
        if has_array { copy.width_in_bytes / unit.max(1) } else { copy.width_in_bytes };
    (parms.extent.height, parms.extent.depth) = (copy.height, copy.depth);
    parms
}

/// A copy of contiguous bytes, for the driver.
pub(crate) fn line(
    (to, to_kind): (u64, u32),
    (from, from_kind): (u64, u32),
    count: usize,
) -> CUDA_MEMCPY3D {
    CUDA_MEMCPY3D {
        src: memory_side(from_kind, from, 0),
        dst: memory_side(to_kind, to, 0),
        width_in_bytes: count,
        height: 1,
        depth: 1,
    }
}
