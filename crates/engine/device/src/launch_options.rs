//! Options of a launch: sizes, limits, arithmetic, and callbacks.

use crate::debug::Debugger;
use crate::device::Device;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;
use texunit_simt::launch::PRINTF_LIMIT;
use texunit_simt::runtime::Runtime;
use texunit_simt::{
    Approximate, BadFetch, Bounds, CtaRange, ExternalWriters, GradientEngine, Observer,
};

/// Options of a launch. [`LaunchOptions::new`] sets the sizes; fields and methods change other
/// options.
///
/// ```
/// use texunit_device::LaunchOptions;
///
/// let options = LaunchOptions::new((8, 8), 256).with_dynamic_shared(4096).with_max_steps(1 << 20);
/// assert_eq!((options.grid, options.block), ([8, 8, 1], [256, 1, 1]));
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct LaunchOptions<'a> {
    /// CTAs along x, y, z.
    pub grid: [u32; 3],
    /// Run only these CTAs of the grid, whose special registers have the values of the whole grid;
    /// `None` runs all.
    pub ctas: Option<CtaRange>,
    /// Threads of a CTA along x, y, z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// Number of host threads; 0 means one for each core.
    pub threads: usize,
    /// Number of warp instructions that a warp may execute before the launch is stopped as an
    /// infinite loop.
    pub max_steps: u64,
    /// Bytes of local memory and call frames of a thread.
    pub stack_limit: u32,
    /// Whether the local memory of all running threads counts as device memory. The launch then
    /// uses only as many host threads as the remaining memory allows, and is refused if a single
    /// CTA does not fit.
    pub count_local: bool,
    /// Whether `mul` and `add` without a rounding modifier are fused where ptxas fuses them.
    pub fmad: bool,
    /// How approximate instructions (`rcp.approx`, `sin.approx`, `div.full` and so on) are
    /// computed.
    pub approximate: Approximate,
    /// How far accesses may exceed an allocation or dynamic shared memory before they become
    /// faults.
    pub bounds: Bounds,
    /// How fetches and accesses are treated that do not fit their texture or surface, but that a
    /// GPU executes.
    pub bad_fetch: BadFetch,
    /// Whether all CTAs run at the same time, so that they can wait for each other
    /// (`cuLaunchCooperativeKernel`).
    pub cooperative: bool,
    /// The device runtime that the kernel calls, and the queue for work that it submits, which the
    /// caller then runs. With `None`, the launch has a runtime of its own, and ends when all
    /// submitted work has ended.
    pub runtime: Option<Runtime<'a>>,
    /// Cluster dimensions (`CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION`); `None` uses those of the
    /// kernel (`.reqnctapercluster`), or no clusters.
    pub cluster: Option<[u32; 3]>,
    /// Handle of the graph that the launch is a node of, which `%current_graph_exec` reads; 0
    /// outside graphs.
    pub graph: u64,
    /// Devices whose memory the kernel can access too.
    pub peers: &'a [Device],
    /// Maximum number of bytes of printed text that are kept; the oldest are dropped.
    pub printf_limit: usize,
    /// A counter of finished CTAs, for progress displays.
    pub progress: Option<&'a AtomicU64>,
    /// A flag by which the host cancels the launch.
    pub cancel: Option<&'a AtomicBool>,
    /// Other parties that may change memory while all runnable CTAs wait in loops. With `None` this
    /// is a deadlock, which is a fault.
    pub external_writers: Option<&'a dyn ExternalWriters>,
    /// A clock of the calling thread's CPU time, for
    /// [`LaunchStats::cpu_time`](crate::LaunchStats::cpu_time); `None` if it is not needed.
    pub cpu_clock: Option<fn() -> Duration>,
    /// An observer that is notified of the kernel's actions.
    pub observer: Option<&'a dyn Observer>,
    /// A debugger that steps through the launch.
    pub debugger: Option<&'a dyn Debugger>,
    /// The engine that is asked first for fetches with gradients (`tex.grad`), such as
    /// `TxdEngine` of `texunit-gradients`; `None`: the texture unit computes all of them.
    /// [`LaunchStats::gradients`](crate::LaunchStats::gradients) counts both.
    pub gradients: Option<&'a dyn GradientEngine>,
    /// Seed of a random fair order in which CTAs and warps run (`--schedule`). With `None`, CTAs
    /// run one after the other, and the warps of a CTA take turns from barrier to barrier.
    pub schedule: Option<u64>,
}

/// Sizes along x, y and z, made from `8`, `(8, 4)`, `[8, 4]` and so on; sizes that are left out are
/// 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dim(pub [u32; 3]);

impl From<u32> for Dim {
    fn from(x: u32) -> Self {
        Self([x, 1, 1])
    }
}

impl From<(u32, u32)> for Dim {
    fn from((x, y): (u32, u32)) -> Self {
        Self([x, y, 1])
    }
}

impl From<(u32, u32, u32)> for Dim {
    fn from((x, y, z): (u32, u32, u32)) -> Self {
        Self([x, y, z])
    }
}

impl From<[u32; 2]> for Dim {
    fn from([x, y]: [u32; 2]) -> Self {
        Self([x, y, 1])
    }
}

impl From<[u32; 3]> for Dim {
    fn from(all: [u32; 3]) -> Self {
        Self(all)
    }
}

impl<'a> LaunchOptions<'a> {
    /// Options for this grid and block; all other options are those of [`Default`].
    pub fn new(grid: impl Into<Dim>, block: impl Into<Dim>) -> Self {
        Self { grid: grid.into().0, block: block.into().0, ..Self::default() }
    }

    /// Options with as many CTAs as are needed for this number of threads along each axis, which is
    /// `(n + block - 1) / block` in CUDA programs. A block size of 0 is refused by the launch.
    pub fn covering(threads: impl Into<Dim>, block: impl Into<Dim>) -> Self {
        let (Dim(threads), Dim(block)) = (threads.into(), block.into());
        let grid = [0, 1, 2].map(|axis| threads[axis].div_ceil(block[axis].max(1)));
        Self::new(grid, block)
    }

    /// CTAs along x, y, z.
    #[must_use]
    pub fn with_grid(self, grid: impl Into<Dim>) -> Self {
        Self { grid: grid.into().0, ..self }
    }

    /// Threads of a CTA along x, y, z.
    #[must_use]
    pub fn with_block(self, block: impl Into<Dim>) -> Self {
        Self { block: block.into().0, ..self }
    }
}

texunit_unit::setters! {
    LaunchOptions<'a> {
        with_ctas(ctas: impl Into<Option<CtaRange>>);
        with_dynamic_shared(dynamic_shared: u32);
        with_threads(threads: usize);
        with_max_steps(max_steps: u64);
        with_stack_limit(stack_limit: u32);
        with_count_local(count_local: bool);
        with_fmad(fmad: bool);
        with_approximate(approximate: Approximate);
        with_bounds(bounds: Bounds);
        with_bad_fetch(bad_fetch: BadFetch);
        with_cooperative(cooperative: bool);
        with_runtime(runtime: impl Into<Option<Runtime<'a>>>);
        with_cluster(cluster: impl Into<Option<[u32; 3]>>);
        with_graph(graph: u64);
        with_peers(peers: &'a [Device]);
        with_printf_limit(printf_limit: usize);
        with_progress(progress: impl Into<Option<&'a AtomicU64>>);
        with_cancel(cancel: impl Into<Option<&'a AtomicBool>>);
        with_external_writers(external_writers: Option<&'a dyn ExternalWriters>);
        with_cpu_clock(cpu_clock: Option<fn() -> Duration>);
        with_observer(observer: Option<&'a dyn Observer>);
        with_debugger(debugger: Option<&'a dyn Debugger>);
        with_gradients(gradients: Option<&'a dyn GradientEngine>);
        with_schedule(schedule: impl Into<Option<u64>>);
    }
}

impl Default for LaunchOptions<'_> {
    /// One CTA of one thread, a host thread for each core, 10^9 steps, 512 KiB of stack (CUDA's
    /// maximum), 16 MiB of printed text, arithmetic as on a GPU, exact bounds, faults for bad
    /// fetches, not cooperative.
    fn default() -> Self {
        Self {
            grid: [1; 3],
            ctas: None,
            block: [1; 3],
            dynamic_shared: 0,
            threads: 0,
            max_steps: 1_000_000_000,
            stack_limit: 512 * 1024,
            count_local: false,
            fmad: true,
            approximate: Approximate::Card,
            bounds: Bounds::Exact,
            bad_fetch: BadFetch::Fault,
            cooperative: false,
            runtime: None,
            cluster: None,
            graph: 0,
            peers: &[],
            printf_limit: PRINTF_LIMIT,
            progress: None,
            cancel: None,
            external_writers: None,
            cpu_clock: None,
            observer: None,
            debugger: None,
            gradients: None,
            schedule: None,
        }
    }
}
