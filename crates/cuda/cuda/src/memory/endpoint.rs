//! Ends of a copy: device memory, the program's memory, or an array, with reads and writes of
//! contiguous pieces.

use super::*;
use crate::memory;
use texunit_device::Array;

/// The memory space that the caller declares for an address (`CUmemorytype`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    /// `CU_MEMORYTYPE_HOST`: accessible by the program.
    Host,
    /// `CU_MEMORYTYPE_DEVICE`: accessible by devices.
    Device,
    /// `CU_MEMORYTYPE_UNIFIED`: determined by the driver.
    Unified,
}

impl Space {
    /// Name of the parameter for an address of this space.
    pub(crate) fn parameter(self, side: Side) -> String {
        let side = side.name();
        match self {
            Self::Host => format!("{side}Host"),
            Self::Device => format!("{side}Device"),
            Self::Unified => side.to_owned(),
        }
    }
}

/// Side of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The source of the copy.
    Src,
    /// The destination of the copy.
    Dst,
}

impl Side {
    /// Prefix of this side's parameter names.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Src => "src",
            Self::Dst => "dst",
        }
    }
}

/// One end of a copy. The program's own memory behind it is valid for the lifetime.
#[derive(Clone, Debug)]
pub(crate) enum Endpoint<'a> {
    /// Memory that devices can access.
    Linear(Linear),
    /// Other memory of the program, as source.
    HostRead(InBytes<'a>),
    /// Other memory of the program, as destination.
    HostWritten(OutBytes<'a>),
    /// The end of the copy is an array.
    Array(Array),
    /// A copy of the program's memory, made earlier.
    Staged(Arc<[u8]>),
}

impl<'a> Endpoint<'a> {
    /// The memory of `len` bytes, at least one, at an address.
    ///
    /// `CUDA_ERROR_INVALID_VALUE` if it is not inside one allocation, or not of the declared space.
    ///
    /// # Safety
    /// If the space is not that of devices, and the driver does not know the memory, it is the
    /// program's and valid for the lifetime: readable for a source, writable and not referenced
    /// elsewhere for a destination.
    pub(crate) unsafe fn at(side: Side, space: Space, address: u64, len: u64) -> Answer<Self> {
        let name = space.parameter(side);
        ensure!(address != 0, "{name} is null");
        ensure!(
            address.checked_add(len).is_some(),
            "{} from {name} {address:#x} on pass the end of the addresses",
            Count(len, "byte")
        );
        let gpus = state::gpus()?;
        let mut found = gpus.iter().filter_map(|gpu| memory::linear(gpu, address, len)).peekable();
        let first = found.peek().cloned();
        // Devices may differ in access rights: a device with write access is preferred for a
        // destination.
        let writes = |linear: &Linear| side == Side::Src || !linear.is_read_only();
        if let Some(linear) = found.find(writes).or(first) {
            let of_device = space == Space::Host
                && memory::is_device_address(address)?
                && !virtual_memory::is_shown(address, 1);
            ensure!(
                !of_device,
                "{name} {address:#x} is device memory, where host memory is wanted"
            );
            return Ok(Self::Linear(linear));
        }
        // A range that touches an allocation without being inside crosses one of its ends, as
        // memory is registered as a whole.
        let is_ours = memory::touches(address, len)? && !virtual_memory::is_shown(address, len);
        if space == Space::Device || is_ours {
            bail!("{}", memory::not_inside(&name, address, len));
        }
        // SAFETY: the memory is unknown to the driver, so that the caller's contract covers it.
        Ok(unsafe {
            let (memory, len) = (Raw::of(address), len as usize);
            match side {
                Side::Src => Self::HostRead(memory.bytes(len)),
                Side::Dst => Self::HostWritten(memory.room(len)),
            }
        })
    }

    /// Reads bytes. `at` is byte, row and slice for an array; only the byte for memory.
    pub(crate) fn read(&self, at: [u64; 3], out: &mut [u8]) -> Answer {
        match self {
            Self::Linear(linear) => linear.read_at(at[0], out).map_err(refusal),
            Self::HostRead(bytes) => bytes.read(at[0] as usize, out),
            Self::HostWritten(_) => Err(invalid!("what is to be written is not read")),
            Self::Array(array) => array.read_row(at, out).map_err(refusal),
            Self::Staged(bytes) => {
                let start = at[0] as usize;
                let part = bytes.get(start..start.saturating_add(out.len()));
                let inside = part.map(|part| out.copy_from_slice(part));
                inside.ok_or_else(|| invalid!("more is copied than was read"))
            }
        }
    }

    /// Whether some of the bytes are undefined; if so, marks them in `out` (check `init`).
    pub(crate) fn undefined_mask(&self, at: [u64; 3], out: &mut [u8]) -> bool {
        match self {
            Self::Linear(linear) => linear.undefined_mask(at[0], out),
            Self::HostRead(_) | Self::HostWritten(_) | Self::Staged(_) => false,
            Self::Array(array) => array.row_states(at, out),
        }
    }

    /// Marks the same bytes undefined as in the source of a copy.
    pub(crate) fn set_states(&self, at: [u64; 3], states: &[u8]) {
        match self {
            Self::Linear(linear) => linear.set_states(at[0], states),
            Self::HostRead(_) | Self::HostWritten(_) | Self::Staged(_) => {}
            Self::Array(array) => array.set_row_states(at, states),
        }
    }

    /// Whether the end is memory of the program that devices cannot access.
    pub(crate) fn is_host(&self) -> bool {
        matches!(self, Self::HostRead(_) | Self::HostWritten(_))
    }

    /// The end without a lifetime; `None` if it is the program's memory.
    pub(crate) fn without_lifetime(&self) -> Option<Endpoint<'static>> {
        match self {
            Self::Linear(linear) => Some(Endpoint::Linear(linear.clone())),
            Self::Array(array) => Some(Endpoint::Array(array.clone())),
            Self::Staged(bytes) => Some(Endpoint::Staged(bytes.clone())),
            Self::HostRead(_) | Self::HostWritten(_) => None,
        }
    }

    /// Whether the program can read the memory without a copy.
    pub(crate) fn is_of_host(&self) -> bool {
        match self {
            Self::Linear(linear) => linear.is_of_host(),
            Self::HostRead(_) | Self::HostWritten(_) | Self::Staged(_) => true,
            Self::Array(_) => false,
        }
    }

    /// Device address range of `len` bytes; `None` for memory that kernels cannot access by
    /// address.
    pub(crate) fn range(&self, at: [u64; 3], len: u64) -> Option<(u64, u64)> {
        match self {
            Self::Linear(linear) => Some((linear.address() + at[0], len)),
            _ => None,
        }
    }

    /// For an array, the address of its memory on the host, and the offset of a part of a row.
    pub(crate) fn in_array(&self, at: [u64; 3], len: u64) -> Option<(usize, u64)> {
        match self {
            Self::Array(array) => array.row_place(at, len),
            _ => None,
        }
    }

    /// Number and name in messages, with the position of a byte.
    pub(crate) fn named(&self, at: [u64; 3]) -> (u64, String) {
        match self {
            Self::Linear(linear) => {
                let offset = linear.address() + at[0] - linear.allocation().start;
                (linear.number(), format!("byte {offset} of {}", linear.allocation_name()))
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

    /// Writes bytes. `at` is byte, row and slice for an array; only the byte for memory.
    pub(crate) fn write(&self, at: [u64; 3], bytes: &[u8]) -> Answer {
        match self {
            Self::Linear(linear) => linear.write(at[0], bytes).map_err(refusal),
            Self::HostWritten(room) => room.write(at[0] as usize, bytes),
            Self::Array(array) => array.write_row(at, bytes).map_err(refusal),
            Self::HostRead(_) | Self::Staged(_) => Err(invalid!("what was read is not written")),
        }
    }
}

/// The texel, or block of texels, that contains a byte of an array.
fn texel(array: &Array, [x, y, z]: [u64; 3]) -> String {
    let (format, is_layered) = (array.format(), array.planes() > 1);
    let at = [x / u64::from(format.texel_size()), y, z].map(|number| number.to_string());
    let axes = if is_layered { 2 } else { array.geometry().axes() };
    let what = if format.is_block() { "block" } else { "texel" };
    let layer = if is_layered { format!(" of layer {z}") } else { String::new() };
    format!("{what} ({}){layer}", at[..axes.clamp(1, 3)].join(", "))
}
