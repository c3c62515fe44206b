//! Launching a kernel.

use crate::gradients::GradientEngine;
use crate::observe::Observer;
use crate::regions::JitMode;
use crate::runtime::Runtime;
use crate::waiting::Others;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;
pub use texunit_alu::Approximate;
use texunit_memory::{CONST_END, Fill, GLOBAL_BASE, Heap, MemoryMap, SHARED_WINDOW};
use texunit_unit::{Sampler, Surface, Texture};

/// How a launch computes where PTX leaves it to the assembler and the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arithmetic {
    /// Fuse mul and add where ptxas does.
    pub fmad: bool,
    /// How approximate instructions compute.
    pub approximate: Approximate,
}

impl Default for Arithmetic {
    /// As on a card.
    fn default() -> Self {
        Self { fmad: true, approximate: Approximate::Card }
    }
}

/// Handles are laid out as the hardware's (docs/numerics.md 12): bits 19:0 the texture header
/// or surface, 31:20 the sampler, bit 61 texture, 62 sampler, 63 surface.
pub const TEXTURE_BIT: u64 = 1 << 61;
/// See [`TEXTURE_BIT`].
pub const SAMPLER_BIT: u64 = 1 << 62;
/// See [`TEXTURE_BIT`].
pub const SURFACE_BIT: u64 = 1 << 63;

/// Default of [`LaunchConfig::printf_limit`]: 16 MiB.
pub const PRINTF_LIMIT: usize = 16 << 20;

/// The descriptor tables that handles index. A slot is `None` when free or destroyed.
#[derive(Clone, Debug, Default)]
pub struct Descriptors {
    /// By bits 19:0 of a texture handle.
    pub textures: Vec<Option<Arc<Texture>>>,
    /// By bits 31:20 of a texture or sampler handle.
    pub samplers: Vec<Option<Arc<Sampler>>>,
    /// By bits 19:0 of a surface handle.
    pub surfaces: Vec<Option<Arc<Surface>>>,
}

/// Where accesses past the end of an object become faults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Bounds {
    /// At its last byte.
    #[default]
    Exact,
    /// Where a GPU could notice: global memory ends at a multiple of 512 bytes, dynamic shared memory is a
    /// multiple of 1 KiB. What passes is counted ([`LaunchStats::past_end`](crate::LaunchStats::past_end)).
    Hardware,
}

/// What becomes of a fetch or an access that no texture or surface fits and that a card answers all
/// the same: of another geometry, by `.f32` coordinates on linear memory, by a handle that was
/// never returned, or a fetch by a surface's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BadFetch {
    /// What the card makes of it: zeros, nothing stored, texels of the surface. The kernel goes on,
    /// and [`LaunchStats::bad_fetches`](crate::LaunchStats::bad_fetches) says where that was.
    #[default]
    Zero,
    /// A fault.
    Fault,
}

/// What a GPU rounds the size of dynamic shared memory up to.
pub const SHARED_ROUNDING: u32 = 1024;

/// Some CTAs of a grid, by their numbers: x + width * (y + height * z).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CtaRange {
    /// The first one.
    pub begin: u64,
    /// Behind the last one.
    pub end: u64,
}

impl CtaRange {
    /// All CTAs of a grid.
    pub fn of_grid(grid: [u32; 3]) -> Self {
        let ctas = grid.iter().try_fold(1_u64, |n, &g| n.checked_mul(g.into()));
        Self { begin: 0, end: ctas.unwrap_or(u64::MAX) }
    }

    /// How many there are.
    pub fn len(self) -> u64 {
        self.end.saturating_sub(self.begin)
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Those that another range has, too.
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

/// Bits of a shared address below the rank of its CTA.
pub(crate) const RANK_SHIFT: u32 = 24;

/// Splits a shared address into the rank of its CTA in the cluster (`None`: the one that uses it) and the place in its memory.
pub fn split_shared_address(at: u64) -> (Option<u32>, u64) {
    let place = at & ((1 << RANK_SHIFT) - 1);
    match at >> RANK_SHIFT {
        rank @ 1..=0xff => (Some(rank as u32 - 1), place),
        _ => (None, at),
    }
}

/// Bits of addresses below those in which all of global memory is the same.
pub(crate) const GLOBAL_BITS: u32 = 44;
const _: () = assert!(
    GLOBAL_BASE.is_multiple_of(1 << GLOBAL_BITS)
        && GLOBAL_BASE + (1 << GLOBAL_BITS) <= SHARED_WINDOW
        && CONST_END <= GLOBAL_BASE
);

/// How to run a kernel.
#[derive(Clone)]
pub struct LaunchConfig<'a> {
    /// CTAs along x, y, z; none 0.
    pub grid: [u32; 3],
    /// Run only these CTAs of the grid, all of whose registers say what they say in a launch of the whole; `None`: all.
    /// Cooperative launches run all.
    pub ctas: Option<CtaRange>,
    /// Threads along x, y, z; none 0, at most 1024 in all.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// The kernel's parameter buffer.
    pub params: &'a [u8],
    /// Global and constant memory.
    pub memory: &'a MemoryMap,
    /// Textures, samplers, surfaces.
    pub descriptors: &'a Descriptors,
    /// Host threads; 0: one for each core.
    pub threads: usize,
    /// Warp instructions that one warp may execute before it is taken for endless.
    pub max_steps: u64,
    /// Fuse mul and add where ptxas does (`--fmad`).
    pub fmad: bool,
    /// How approximate instructions compute (`--approx`).
    pub approximate: Approximate,
    /// Where accesses past the end of an object become faults (`--bounds`).
    pub bounds: Bounds,
    /// What becomes of fetches that no texture fits (`--bad-fetch`).
    pub bad_fetch: BadFetch,
    /// Bytes of local memory and call frames that a thread may use.
    pub stack_limit: u32,
    /// Number of the launch, read by %gridid.
    pub grid_id: u64,
    /// Run all CTAs at the same time, in turns, so that they can wait for each other
    /// (`cuLaunchCooperativeKernel`). [`crate::Program::max_cooperative_ctas`] says how many can.
    pub cooperative: bool,
    /// CTAs of a cluster along x, y, z, whole numbers of which the grid has along each axis; `None`: the launch has no clusters.
    pub cluster: Option<[u32; 3]>,
    /// Address of the words that cooperative groups synchronise a grid with (%envreg1 and 2):
    /// their size in bytes, then the barrier, zero. 0 in other launches.
    pub grid_workspace: u64,
    /// Handle of the graph whose node the launch is, read by %current_graph_exec; 0 in other launches.
    pub graph: u64,
    /// What `malloc` takes from; `None`: it finds nothing. Its block is part of `memory`.
    pub heap: Option<&'a Heap>,
    /// Who answers calls of the device runtime and keeps the launches of the kernel; `None`: such calls are faults.
    pub runtime: Option<Runtime<'a>>,
    /// Most bytes of text that a launch may print; the oldest give way to newer ones.
    pub printf_limit: usize,
    /// CTAs finished so far, for progress bars.
    pub progress: Option<&'a AtomicU64>,
    /// Set to true to stop the launch.
    pub cancel: Option<&'a AtomicBool>,
    /// Who else may change memory while all CTAs that can run wait in loops; `None`: nobody, so that it is a deadlock.
    pub others: Option<&'a dyn Others>,
    /// How long the calling thread has used a core, for [`LaunchStats::cpu_time`](crate::LaunchStats::cpu_time); `None`: nobody asks.
    pub cpu_clock: Option<fn() -> Duration>,
    /// Who is told of what the kernel does.
    pub observer: Option<&'a dyn Observer>,
    /// Asked first about fetches with gradients; `None`: the unit answers all of them.
    pub gradients: Option<&'a dyn GradientEngine>,
    /// Whether code is made of what runs often; `None`: what `TEXUNIT_JIT` says.
    pub jit: Option<JitMode>,
    /// Run CTAs and warps in a random fair order that follows from this seed, by one host thread (`--schedule`): a turn may
    /// end between any two accesses of memory. `None`: CTAs one after the other, and the warps of each in turns from
    /// barrier to barrier (docs/checks.md, "The order of execution").
    pub schedule: Option<u64>,
    /// What shared and local memory hold when a CTA begins (`--fill`); `None`: zeros.
    pub fill: Option<Fill>,
}

impl LaunchConfig<'_> {
    /// %ctaid of the CTA with a rank in the cluster of another CTA.
    pub fn in_cluster(&self, cta: [u32; 3], rank: u32) -> [u32; 3] {
        let [x, y, z] = self.cluster.unwrap_or([1; 3]).map(|n| n.max(1));
        let place = [rank % x, rank / x % y, rank / x / y];
        [(0, x), (1, y), (2, z)].map(|(axis, n)| cta[axis] / n * n + place[axis])
    }

    pub(crate) fn arithmetic(&self) -> Arithmetic {
        Arithmetic { fmad: self.fmad, approximate: self.approximate }
    }
}
