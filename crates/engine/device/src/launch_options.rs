//! How a kernel is launched.

use crate::debug::Debugger;
use crate::device::Device;
use crate::txd::GradientPath;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;
use texunit_simt::launch::PRINTF_LIMIT;
use texunit_simt::runtime::Runtime;
use texunit_simt::{Approximate, BadFetch, Bounds, CtaRange, ExternalWriters, Observer};

/// How to launch: what [`LaunchOptions::new`] makes, changed by fields or methods.
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
    /// Run only these CTAs of the grid, all of whose registers say what they say in a launch of the whole; `None`: all.
    pub ctas: Option<CtaRange>,
    /// Threads of a CTA along x, y, z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// Host threads; 0: one for each core.
    pub threads: usize,
    /// Warp instructions that one warp may execute before it is taken for endless.
    pub max_steps: u64,
    /// Bytes of local memory and call frames that a thread may use.
    pub stack_limit: u32,
    /// Count the local memory of all threads that run at a time as device memory: the launch runs on so few
    /// host threads that it fits into what is left of it, and is refused if that of one CTA does not.
    pub count_local: bool,
    /// Fuse mul and add without a rounding modifier where ptxas does.
    pub fmad: bool,
    /// How approximate instructions (`rcp.approx`, `sin.approx`, `div.full` and so on) compute.
    pub approximate: Approximate,
    /// Where accesses past the end of an allocation or of dynamic shared memory become faults.
    pub bounds: Bounds,
    /// What becomes of fetches and accesses that no texture or surface fits and that a card answers
    /// all the same.
    pub bad_fetch: BadFetch,
    /// Run all CTAs at the same time, so that they can wait for each other
    /// (`cuLaunchCooperativeKernel`).
    pub cooperative: bool,
    /// Who answers calls of the device runtime, and where what the kernel launches is kept: the caller runs it.
    /// `None`: the launch has answers of its own, and ends when all that was launched has ended.
    pub runtime: Option<Runtime<'a>>,
    /// CTAs of a cluster along x, y, z (`CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION`); `None`: as the kernel says
    /// (`.reqnctapercluster`), or no clusters.
    pub cluster: Option<[u32; 3]>,
    /// Handle of the graph whose node the launch is, read by `%current_graph_exec`; 0 in other launches.
    pub graph: u64,
    /// Devices whose memory the kernel reaches too.
    pub peers: &'a [Device],
    /// Most bytes of text that the kernel may print; the oldest give way to newer ones.
    pub printf_limit: usize,
    /// Receives the number of CTAs finished.
    pub progress: Option<&'a AtomicU64>,
    /// Set to true by the host to stop the launch.
    pub cancel: Option<&'a AtomicBool>,
    /// Who else may change memory while all CTAs that can run wait in loops; `None`: nobody, so that this is the fault of a deadlock.
    pub external_writers: Option<&'a dyn ExternalWriters>,
    /// How long the calling thread has used a core, for [`LaunchStats::cpu_time`](crate::LaunchStats::cpu_time); `None`: nobody asks.
    pub cpu_clock: Option<fn() -> Duration>,
    /// Who is told of what the kernel does.
    pub observer: Option<&'a dyn Observer>,
    /// Who steps through the launch, in place of a run to its end.
    pub debugger: Option<&'a dyn Debugger>,
    /// What answers fetches with gradients.
    pub gradients: GradientPath,
    /// Run CTAs and warps in a random fair order that follows from this seed (`--schedule`); `None`: CTAs one
    /// after the other, and the warps of each in turns from barrier to barrier.
    pub schedule: Option<u64>,
}

/// Sizes along x, y and z, of which those that are left out are 1: of `8`, `(8, 4)`, `[8, 4]` and so on.
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
    /// So many CTAs of so many threads; all else as [`Default`].
    pub fn new(grid: impl Into<Dim>, block: impl Into<Dim>) -> Self {
        Self { grid: grid.into().0, block: block.into().0, ..Self::default() }
    }

    /// CTAs of so many threads for at least so many threads in all along each axis, as `(n + block - 1) / block` in CUDA
    /// programs. A block of 0 stays, and is refused by the launch.
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
        with_gradients(gradients: GradientPath);
        with_schedule(schedule: impl Into<Option<u64>>);
    }
}

impl Default for LaunchOptions<'_> {
    /// One CTA of one thread, a host thread for each core, a thousand million steps, 512 KiB of stack
    /// (CUDA's largest), 16 MiB of printed text; arithmetic as on a card, exact bounds, faults for bad fetches, not
    /// cooperative.
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
            gradients: GradientPath::Unit,
            schedule: None,
        }
    }
}
