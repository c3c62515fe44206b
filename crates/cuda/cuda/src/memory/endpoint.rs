//! Where a copy reads or writes: memory of a device, of the program, or an array.

use crate::args::{Answer, InBytes, OutBytes, Raw};
use crate::error::refusal;
use crate::memory;
use crate::state;
use crate::virtual_memory;
use std::sync::Arc;
use texunit_cuda_abi::CUresult;
use texunit_device::{Array, Linear};
use texunit_forms::Count;

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
    /// The parameter of an address of this space.
    pub(crate) fn parameter(self, side: Side) -> String {
        let side = side.name();
        match self {
            Self::Host => format!("{side}Host"),
            Self::Device => format!("{side}Device"),
            Self::Unified => side.to_owned(),
        }
    }
}

/// The end of a copy that an address is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Where it reads.
    Src,
    /// Where it writes.
    Dst,
}

impl Side {
    /// What parameters of this side begin with.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Src => "src",
            Self::Dst => "dst",
        }
    }
}

/// One end of a copy. What it leads to of the program's own memory is there for the lifetime.
#[derive(Clone, Debug)]
pub(crate) enum Endpoint<'a> {
    /// Memory that devices can reach.
    Linear(Linear),
    /// Any other memory of the program that is read.
    HostRead(InBytes<'a>),
    /// Any other memory of the program that is written.
    HostWritten(OutBytes<'a>),
    /// An array.
    Array(Array),
    /// What was read of the program's memory before.
    Staged(Arc<[u8]>),
}

impl<'a> Endpoint<'a> {
    /// The memory of `len` bytes, at least one, at an address.
    ///
    /// `CUDA_ERROR_INVALID_VALUE` if it is not inside one allocation, or not of the space.
    ///
    /// # Safety
    /// If the space is not that of devices, and the driver does not know the memory, it is the program's, and is there for the
    /// lifetime, as the side wants it: bytes to be read, or room to which nobody has a reference.
    pub(crate) unsafe fn at(side: Side, space: Space, address: u64, len: u64) -> Answer<Self> {
        let name = space.parameter(side);
        let refused = |reason: String| Err(CUresult::INVALID_VALUE.because(reason));
        if address == 0 {
            return refused(format!("{name} is null"));
        }
        if address.checked_add(len).is_none() {
            return refused(format!(
                "{} from {name} {address:#x} on pass the end of the addresses",
                Count(len, "byte")
            ));
        }
        let gpus = state::gpus()?;
        let mut found = gpus.iter().filter_map(|gpu| memory::linear(gpu, address, len)).peekable();
        let first = found.peek().cloned();
        // One device may only read what another may write.
        let writes = |linear: &Linear| side == Side::Src || !linear.is_read_only();
        if let Some(linear) = found.find(writes).or(first) {
            let of_device = space == Space::Host
                && memory::is_device_address(address)?
                && !virtual_memory::is_shown(address);
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
        let is_ours = memory::touches(address, len)? && !virtual_memory::is_shown_all(address, len);
        if space == Space::Device || is_ours {
            return refused(memory::not_inside(&name, address, len));
        }
        // SAFETY: it is no memory of ours, so that it is the program's, as the caller promises.
        Ok(unsafe {
            let (memory, len) = (Raw::of(address), len as usize);
            match side {
                Side::Src => Self::HostRead(memory.bytes(len)),
                Side::Dst => Self::HostWritten(memory.room(len)),
            }
        })
    }

    /// Copies bytes out. `at` is byte, row and slice of an array; of memory, only the byte.
    pub(crate) fn read(&self, at: [u64; 3], out: &mut [u8]) -> Answer {
        match self {
            Self::Linear(linear) => linear.read(at[0], out).map_err(refusal),
            Self::HostRead(bytes) => bytes.read(at[0] as usize, out),
            Self::HostWritten(_) => {
                Err(CUresult::INVALID_VALUE.because("what is to be written is not read"))
            }
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
    pub(crate) fn undefined_mask(&self, at: [u64; 3], out: &mut [u8]) -> bool {
        match self {
            Self::Linear(linear) => linear.undefined_mask(at[0], out),
            Self::HostRead(_) | Self::HostWritten(_) | Self::Staged(_) => false,
            Self::Array(array) => array.row_states(at, out),
        }
    }

    /// What has been copied in was as undefined as that.
    pub(crate) fn set_states(&self, at: [u64; 3], states: &[u8]) {
        match self {
            Self::Linear(linear) => linear.set_states(at[0], states),
            Self::HostRead(_) | Self::HostWritten(_) | Self::Staged(_) => {}
            Self::Array(array) => array.set_row_states(at, states),
        }
    }

    /// Whether it is memory of the program that devices cannot reach.
    pub(crate) fn is_host(&self) -> bool {
        matches!(self, Self::HostRead(_) | Self::HostWritten(_))
    }

    /// What lives as long as it is kept; `None`: it is memory of the program.
    pub(crate) fn kept(&self) -> Option<Endpoint<'static>> {
        match self {
            Self::Linear(linear) => Some(Endpoint::Linear(linear.clone())),
            Self::Array(array) => Some(Endpoint::Array(array.clone())),
            Self::Staged(bytes) => Some(Endpoint::Staged(bytes.clone())),
            Self::HostRead(_) | Self::HostWritten(_) => None,
        }
    }

    /// Whether the program can read it without a copy.
    pub(crate) fn is_of_host(&self) -> bool {
        match self {
            Self::Linear(linear) => linear.is_of_host(),
            Self::HostRead(_) | Self::HostWritten(_) | Self::Staged(_) => true,
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
                (
                    number,
                    format!(
                        "byte {offset} of allocation {number} ({} of `{name}`)",
                        Count(size, "byte")
                    ),
                )
            }
            Self::HostRead(_) | Self::HostWritten(_) | Self::Staged(_) => {
                (0, "memory of the host".to_owned())
            }
            Self::Array(array) => {
                let (number, bytes) = (array.number(), Count(array.size(), "byte"));
                let (texel, format) = (texel(array, at), array.format());
                (number, format!("{texel} of array {number} ({bytes}, {format})"))
            }
        }
    }

    /// Copies bytes in. `at` is byte, row and slice of an array; of memory, only the byte.
    pub(crate) fn write(&self, at: [u64; 3], bytes: &[u8]) -> Answer {
        match self {
            Self::Linear(linear) => linear.write(at[0], bytes).map_err(refusal),
            Self::HostWritten(room) => room.write(at[0] as usize, bytes),
            Self::Array(array) => array.write_row(at, bytes).map_err(refusal),
            Self::HostRead(_) | Self::Staged(_) => {
                Err(CUresult::INVALID_VALUE.because("what was read is not written"))
            }
        }
    }
}

/// The texel, or the block of texels, that holds a byte of an array.
fn texel(array: &Array, [x, y, z]: [u64; 3]) -> String {
    let (format, is_layered) = (array.format(), array.planes() > 1);
    let at = [x / u64::from(format.texel_size()), y, z].map(|number| number.to_string());
    let axes = if is_layered { 2 } else { array.geometry().axes() };
    let what = if format.is_block() { "block" } else { "texel" };
    let layer = if is_layered { format!(" of layer {z}") } else { String::new() };
    format!("{what} ({}){layer}", at[..axes.clamp(1, 3)].join(", "))
}
