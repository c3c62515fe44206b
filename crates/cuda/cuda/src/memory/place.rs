//! Where a copy reads or writes: memory of a device, of the program, or an array.

use crate::args::{Answer, Raw, RawBytes};
use crate::error::refusal;
use crate::memory;
use crate::state;
use std::sync::Arc;
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
    Host(RawBytes),
    /// An array.
    Array(Array),
    /// What was read of the program's memory before.
    Staged(Arc<[u8]>),
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
        Ok(Self::Host(unsafe { Raw::of(address).bytes(len as usize) }))
    }

    /// Copies bytes out. `at` is byte, row and slice of an array; of memory, only the byte.
    pub(crate) fn read(&self, at: [u64; 3], out: &mut [u8]) -> Answer {
        match self {
            Self::Linear(linear) => linear.read(at[0], out).map_err(refusal),
            Self::Host(raw) => raw.read(at[0] as usize, out),
            Self::Array(array) => array.read_row(at, out).map_err(refusal),
            Self::Staged(bytes) => {
                let start = at[0] as usize;
                let part = bytes.get(start..start.saturating_add(out.len()));
                let inside = part.map(|part| out.copy_from_slice(part));
                inside
                    .ok_or_else(|| CUresult::INVALID_VALUE.because("more is copied than was read"))
            }
        }
    }

    /// Whether some of the bytes are undefined; then `out` says which (check `init`).
    pub(crate) fn states(&self, at: [u64; 3], out: &mut [u8]) -> bool {
        match self {
            Self::Linear(linear) => linear.states(at[0], out),
            Self::Host(_) | Self::Staged(_) => false,
            Self::Array(array) => array.row_states(at, out),
        }
    }

    /// What has been copied in was as undefined as that.
    pub(crate) fn set_states(&self, at: [u64; 3], states: &[u8]) {
        match self {
            Self::Linear(linear) => linear.set_states(at[0], states),
            Self::Host(_) | Self::Staged(_) => {}
            Self::Array(array) => array.set_row_states(at, states),
        }
    }

    /// Whether the program can read it without a copy.
    pub(crate) fn is_of_host(&self) -> bool {
        match self {
            Self::Linear(linear) => linear.is_of_host(),
            Self::Host(_) | Self::Staged(_) => true,
            Self::Array(_) => false,
        }
    }

    /// Device addresses of `len` bytes; `None`: it is no memory that kernels reach by address.
    pub(crate) fn range(&self, at: [u64; 3], len: u64) -> Option<(u64, u64)> {
        match self {
            Self::Linear(linear) => Some((linear.address() + at[0], len)),
            _ => None,
        }
    }

    /// The array that it is, by its memory on the host, and where in it a part of a row is.
    pub(crate) fn in_array(&self, at: [u64; 3], len: u64) -> Option<(usize, u64)> {
        match self {
            Self::Array(array) => array.row_place(at, len),
            _ => None,
        }
    }

    /// What messages call it, with the byte at a place in it.
    pub(crate) fn named(&self, at: [u64; 3]) -> (u64, String) {
        match self {
            Self::Linear(linear) => {
                let range = linear.allocation();
                let (number, size) = (linear.number(), range.end - range.start);
                let offset = linear.address() + at[0] - range.start;
                let name = linear.name();
                (number, format!("byte {offset} of allocation {number} ({size} bytes of `{name}`)"))
            }
            Self::Host(_) | Self::Staged(_) => (0, "memory of the host".to_owned()),
            Self::Array(array) => {
                let ([x, y, z], number) = (at, array.number());
                let size = array.size();
                (number, format!("byte {x} of row {y}, slice {z} of array {number} ({size} bytes)"))
            }
        }
    }

    /// Copies bytes in, likewise.
    pub(crate) fn write(&self, at: [u64; 3], bytes: &[u8]) -> Answer {
        match self {
            Self::Linear(linear) => linear.write(at[0], bytes).map_err(refusal),
            Self::Host(raw) => raw.write(at[0] as usize, bytes),
            Self::Array(array) => array.write_row(at, bytes).map_err(refusal),
            Self::Staged(_) => Err(CUresult::INVALID_VALUE.because("what was read is not written")),
        }
    }
}
