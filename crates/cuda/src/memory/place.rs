//! Where a copy reads or writes: memory of a device, of the program, or an array.

use crate::args::{Answer, Raw};
use crate::error::refusal;
use crate::memory;
use crate::state;
use texunit_cuda_abi::CUresult;
use texunit_device::{Array, Linear};

/// What the caller says of an address (`CUmemorytype`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    /// `CU_MEMORYTYPE_HOST`: the program can use it.
    Host,
    /// `CU_MEMORYTYPE_DEVICE`: devices can use it.
    Device,
    /// `CU_MEMORYTYPE_UNIFIED`: the driver finds out.
    Unified,
}

impl Space {
    /// The parameter of an address of this space; `side` is what it begins with: `src`, `dst`.
    pub(crate) fn parameter(self, side: &str) -> String {
        match self {
            Self::Host => format!("{side}Host"),
            Self::Device => format!("{side}Device"),
            Self::Unified => side.to_owned(),
        }
    }
}

/// One end of a copy.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// Memory that devices can reach.
    Linear(Linear),
    /// Any other memory of the program.
    Host(Raw),
    /// An array.
    Array(Array),
}

impl Place {
    /// The memory of `len` bytes, at least one, at an address.
    ///
    /// `CUDA_ERROR_INVALID_VALUE` if it is not inside one allocation, or not of the space.
    pub(crate) fn at(side: &str, space: Space, address: u64, len: u64) -> Answer<Self> {
        let name = space.parameter(side);
        let refused = |reason: String| Err(CUresult::INVALID_VALUE.because(reason));
        if address == 0 {
            return refused(format!("{name} is null"));
        }
        if address.checked_add(len).is_none() {
            return refused(format!(
                "{len} bytes from {name} {address:#x} on pass the end of the addresses"
            ));
        }
        let gpus = state::gpus()?;
        if let Some(linear) = gpus.iter().find_map(|gpu| memory::linear(gpu, address, len)) {
            let of_device = space == Space::Host && memory::is_device_address(address)?;
            return if of_device {
                refused(format!(
                    "{name} {address:#x} is device memory, where host memory is wanted"
                ))
            } else {
                Ok(Self::Linear(linear))
            };
        }
        // What has a part in an allocation and is not inside crosses its beginning or its end: memory is
        // registered wholly or not at all.
        if space == Space::Device || memory::touches(address, len)? {
            return refused(memory::not_inside(&name, address, len));
        }
        // SAFETY: it is no memory of ours, so that it is the program's, whose pointer the caller says
        // is valid for the copy.
        Ok(Self::Host(unsafe { Raw::of(address) }))
    }

    /// Copies bytes out. `at` is byte, row and slice of an array; of memory, only the byte.
    pub(crate) fn read(&self, at: [u64; 3], out: &mut [u8]) -> Answer {
        match self {
            Self::Linear(linear) => linear.read(at[0], out).map_err(refusal),
            Self::Host(raw) => raw.read(at[0] as usize, out),
            Self::Array(array) => array.read_row(at, out).map_err(refusal),
        }
    }

    /// Copies bytes in, likewise.
    pub(crate) fn write(&self, at: [u64; 3], bytes: &[u8]) -> Answer {
        match self {
            Self::Linear(linear) => linear.write(at[0], bytes).map_err(refusal),
            Self::Host(raw) => raw.write(at[0] as usize, bytes),
            Self::Array(array) => array.write_row(at, bytes).map_err(refusal),
        }
    }
}
