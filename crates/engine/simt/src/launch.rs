//! The choices that a launch is configured with, the tables of textures, samplers and surfaces that
//! its handles index, and the bits of handles and addresses.

use std::sync::Arc;
pub use texunit_alu::Approximate;
use texunit_memory::{CONST_END, GLOBAL_BASE, SHARED_WINDOW};
use texunit_unit::{Sampler, Surface, Texture};

/// Number of a kernel in its [`Program`](crate::Program).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KernelId(pub(crate) u32);

/// Arithmetic choices that PTX leaves to the assembler and the hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arithmetic {
    /// Whether products and sums are fused where `ptxas` fuses them.
    pub fmad: bool,
    /// Implementation of approximate instructions.
    pub approximate: Approximate,
}

impl Default for Arithmetic {
    /// The arithmetic of a card.
    fn default() -> Self {
        Self { fmad: true, approximate: Approximate::Card }
    }
}

/// Flag of texture handles. Handles have the hardware's layout (docs/numerics.md 12): bits 19:0
/// index the texture header or surface, bits 31:20 the sampler; bit 61 marks a texture, 62 a
/// sampler, 63 a surface.
pub const TEXTURE_BIT: u64 = 1 << 61;
/// Flag of sampler handles; see [`TEXTURE_BIT`].
pub const SAMPLER_BIT: u64 = 1 << 62;
/// Flag of surface handles; see [`TEXTURE_BIT`].
pub const SURFACE_BIT: u64 = 1 << 63;

/// Default of [`crate::ExecutionOptions::printf_limit`]: 16 MiB.
pub const PRINTF_LIMIT: usize = 16 << 20;

/// The descriptor tables that handles index. An entry is `None` if it is free or was destroyed.
#[derive(Clone, Debug, Default)]
pub struct Descriptors {
    /// Textures by bits 19:0 of a handle.
    pub textures: Vec<Option<Arc<Texture>>>,
    /// Samplers by bits 31:20 of a texture or sampler handle.
    pub samplers: Vec<Option<Arc<Sampler>>>,
    /// Surfaces by bits 19:0 of a handle.
    pub surfaces: Vec<Option<Arc<Surface>>>,
}

/// The limit at which accesses past the end of an object become faults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Bounds {
    /// Every access beyond the last byte of an object is a fault.
    #[default]
    Exact,
    /// The granularity that a GPU can detect: global memory is rounded up to a multiple of 512
    /// bytes, dynamic shared memory to a multiple of 1 KiB. Permitted accesses past the end are
    /// counted ([`LaunchStats::past_end`](crate::LaunchStats::past_end)).
    Hardware,
}

impl Bounds {
    /// The names of the settings in the option `--bounds`.
    pub const NAMES: [(&'static str, Self); 2] =
        [("exact", Self::Exact), ("hardware", Self::Hardware)];
}

/// Treatment of a fetch or access that is incompatible with its texture or surface but has a
/// defined result on a card: another geometry, `.f32` coordinates on linear memory, a handle that
/// was never created, or a fetch by a surface handle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BadFetch {
    /// The result of a card: zeros, no store, or texels of the surface. The kernel continues, and
    /// [`LaunchStats::bad_fetches`](crate::LaunchStats::bad_fetches) lists the instructions.
    #[default]
    Zero,
    /// The fetch or access is a fault that ends the launch.
    Fault,
}

impl BadFetch {
    /// The names of the settings in the option `--bad-fetch`.
    pub const NAMES: [(&'static str, Self); 2] = [("fault", Self::Fault), ("zero", Self::Zero)];
}

/// Granularity to which a GPU rounds up the size of dynamic shared memory.
pub const SHARED_ROUNDING: u32 = 1024;

/// A range of CTAs of a grid, numbered x + width * (y + height * z).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CtaRange {
    /// Number of the first CTA of the range.
    pub begin: u64,
    /// Number of the last CTA of the range, plus one.
    pub end: u64,
}

impl CtaRange {
    /// The range of all CTAs of a grid.
    pub fn of_grid(grid: [u32; 3]) -> Self {
        let ctas = grid.iter().try_fold(1_u64, |n, &g| n.checked_mul(g.into()));
        Self { begin: 0, end: ctas.unwrap_or(u64::MAX) }
    }

    /// Number of CTAs.
    pub fn len(self) -> u64 {
        self.end.saturating_sub(self.begin)
    }

    /// Whether the range is empty.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The intersection with another range.
    #[must_use]
    pub fn within(self, other: Self) -> Self {
        Self { begin: self.begin.max(other.begin), end: self.end.min(other.end) }
    }
}

impl std::fmt::Display for CtaRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}..{}", self.begin, self.end)
    }
}

/// Position of the CTA rank in a shared address: the offset is in the bits below.
pub(crate) const RANK_SHIFT: u32 = 24;

/// Splits a shared address into the rank of its CTA in the cluster (`None`: the executing CTA) and
/// the offset in that CTA's shared memory.
pub fn split_shared_address(at: u64) -> (Option<u32>, u64) {
    let place = at & ((1 << RANK_SHIFT) - 1);
    match at >> RANK_SHIFT {
        rank @ 1..=0xff => (Some(rank as u32 - 1), place),
        _ => (None, at),
    }
}

/// Addresses that agree in all bits from this one up are either all in global memory or all
/// outside.
pub(crate) const GLOBAL_BITS: u32 = 44;
const _: () = assert!(
    GLOBAL_BASE.is_multiple_of(1 << GLOBAL_BITS)
        && GLOBAL_BASE + (1 << GLOBAL_BITS) <= SHARED_WINDOW
        && CONST_END <= GLOBAL_BASE
);
