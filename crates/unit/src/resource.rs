//! Texels in memory.

use std::sync::Arc;
use texunit_memory::Block;
use texunit_texel::Format;

/// Size in texels. An axis that the geometry lacks is 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub struct Extent {
    pub width: u32,
    pub height: u32,
    pub depth: u32,
}

/// How the texels lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// An opaque array of 1, 2 or 3 dimensions (`cuArray`). Ours has packed rows.
    Array {
        /// 1, 2 or 3.
        dims: u8,
    },
    /// Linear memory (`CU_RESOURCE_TYPE_LINEAR`): 1D, fetched with integer coordinates in CUDA.
    Linear,
    /// Pitch-linear 2D memory (`CU_RESOURCE_TYPE_PITCH2D`).
    Pitched,
}

/// Texels in memory: format, extent, layout and where they are.
#[derive(Clone, Debug)]
pub struct Resource {
    pub(crate) format: Format,
    pub(crate) extent: Extent,
    pub(crate) layout: Layout,
    /// Bytes from a row to the next.
    pub(crate) row_pitch: u64,
    /// Bytes from a slice to the next.
    pub(crate) slice_pitch: u64,
    pub(crate) block: Arc<Block>,
    /// Offset of the first texel in the block.
    pub(crate) offset: u64,
    /// What messages call it.
    pub(crate) name: String,
}

/// Why a resource, texture or surface cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CreateError {
    /// An extent of zero, or past the limits of the architecture.
    #[error("{what} is {value}, but must be 1 to {max}")]
    Extent {
        /// `width`, `height`, `depth` or `pitch`.
        what: &'static str,
        /// As given.
        value: u64,
        /// Largest value possible.
        max: u64,
    },
    /// The first texel is not aligned (docs/numerics.md 12).
    #[error("the {what} {value} is not a multiple of {align} bytes")]
    Alignment {
        /// `base address`, `pitch`.
        what: &'static str,
        /// As given.
        value: u64,
        /// Multiple wanted.
        align: u64,
    },
    /// The memory is smaller than the texels.
    #[error("{needed} bytes of texels do not fit into the {available} bytes of the memory")]
    Memory {
        /// Bytes that the extent takes.
        needed: u64,
        /// Bytes there.
        available: u64,
    },
    /// A combination that the CUDA runtime refuses (docs/numerics.md 8.1).
    #[error("{0}")]
    Refused(String),
}
