//! The configuration of a launch. It lies beside the observers because it names one, and observers
//! are given it.

use super::Observer;
use crate::gradients::GradientEngine;
use crate::launch::{
    Approximate, Arithmetic, BadFetch, Bounds, CtaRange, Descriptors, PRINTF_LIMIT,
};
use crate::regions::JitMode;
use crate::runtime::Runtime;
use crate::waiting::ExternalWriters;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;
use texunit_memory::{Fill, Heap, MemoryMap};

/// Configuration of a launch.
#[derive(Clone)]
pub struct LaunchConfig<'a> {
    /// CTAs along x, y, z; none is 0.
    pub grid: [u32; 3],
    /// Executes only these CTAs of the grid, with special registers as in a launch of the whole;
    /// `None`: all. Cooperative launches always execute all.
    pub ctas: Option<CtaRange>,
    /// Threads along x, y, z; none is 0, and there are at most 1024 in all.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// The kernel's parameter buffer.
    pub params: &'a [u8],
    /// Map of global and constant memory.
    pub memory: &'a MemoryMap,
    /// Tables of textures, samplers and surfaces.
    pub descriptors: &'a Descriptors,
    /// Number of host threads; 0: one for each core.
    pub threads: usize,
    /// Warp instructions that one warp may execute before its loop counts as infinite.
    pub max_steps: u64,
    /// Whether products and sums are fused where `ptxas` fuses them (`--fmad`).
    pub fmad: bool,
    /// Implementation of approximate instructions (`--approx`).
    pub approximate: Approximate,
    /// The limit at which accesses past the end of an object become faults (`--bounds`).
    pub bounds: Bounds,
    /// Treatment of fetches that are incompatible with their texture (`--bad-fetch`).
    pub bad_fetch: BadFetch,
    /// Bytes of local memory and call frames that a thread may use.
    pub stack_limit: u32,
    /// Number of the launch, read by %gridid.
    pub grid_id: u64,
    /// Executes all CTAs concurrently, in turns, so that they can wait for each other
    /// (`cuLaunchCooperativeKernel`). [`crate::Program::max_cooperative_ctas`] is the maximum
    /// number of CTAs.
    pub cooperative: bool,
    /// CTAs of a cluster along x, y, z, which divide the grid along each axis; `None`: no clusters.
    pub cluster: Option<[u32; 3]>,
    /// Address of the workspace with which cooperative groups synchronise a grid (`%envreg1` and
    /// 2): its size in bytes, followed by the barrier, which is zero. 0 for other launches.
    pub grid_workspace: u64,
    /// Handle of the graph that the launch is a node of, read by `%current_graph_exec`; 0 for other
    /// launches.
    pub graph: u64,
    /// The device heap that `malloc` allocates from; `None`: `malloc` returns null. The heap's
    /// block is part of `memory`.
    pub heap: Option<&'a Heap>,
    /// The host of the device runtime, which records launches by the kernel; `None`: calls of the
    /// device runtime are faults.
    pub runtime: Option<Runtime<'a>>,
    /// Maximum number of bytes that a launch may print; newer text replaces the oldest.
    pub printf_limit: usize,
    /// Number of finished CTAs, for progress bars.
    pub progress: Option<&'a AtomicU64>,
    /// Cancels the launch when set to true.
    pub cancel: Option<&'a AtomicBool>,
    /// Other agents that may change memory while all running CTAs poll; `None`: there are none, so
    /// that endless polling is a deadlock.
    pub external_writers: Option<&'a dyn ExternalWriters>,
    /// Clock of the CPU time of the calling thread, for
    /// [`LaunchStats::cpu_time`](crate::LaunchStats::cpu_time); `None`: not measured.
    pub cpu_clock: Option<fn() -> Duration>,
    /// Observer that is notified of the events of the kernel.
    pub observer: Option<&'a dyn Observer>,
    /// External engine that is asked first for fetches with gradients; `None`: the unit executes
    /// all of them.
    pub gradients: Option<&'a dyn GradientEngine>,
    /// When code is compiled; `None`: as `TEXUNIT_JIT` says.
    pub jit: Option<JitMode>,
    /// Executes CTAs and warps in a random fair order derived from this seed, on one host thread
    /// (`--schedule`): a turn can end between any two memory accesses. `None`: CTAs run one after
    /// the other, and the warps of each take turns from barrier to barrier (docs/checks.md, "The
    /// order of execution").
    pub schedule: Option<u64>,
    /// Initial contents of shared and local memory of a CTA (`--fill`); `None`: zeros.
    pub fill: Option<Fill>,
}

impl<'a> LaunchConfig<'a> {
    /// A launch without parameters, observers, limits of steps, or anything else that may be
    /// absent, on as many host threads as there are cores.
    pub fn new(
        grid: [u32; 3],
        block: [u32; 3],
        memory: &'a MemoryMap,
        descriptors: &'a Descriptors,
    ) -> Self {
        let Arithmetic { fmad, approximate } = Arithmetic::default();
        Self {
            grid,
            ctas: None,
            block,
            dynamic_shared: 0,
            params: &[],
            memory,
            descriptors,
            threads: 0,
            max_steps: u64::MAX,
            fmad,
            approximate,
            bounds: Bounds::default(),
            bad_fetch: BadFetch::default(),
            stack_limit: 1 << 16,
            grid_id: 0,
            cooperative: false,
            cluster: None,
            grid_workspace: 0,
            graph: 0,
            heap: None,
            runtime: None,
            printf_limit: PRINTF_LIMIT,
            progress: None,
            cancel: None,
            external_writers: None,
            cpu_clock: None,
            observer: None,
            gradients: None,
            jit: None,
            schedule: None,
            fill: None,
        }
    }

    /// `%ctaid` of the CTA with a given rank in the cluster of another CTA.
    pub fn in_cluster(&self, cta: [u32; 3], rank: u32) -> [u32; 3] {
        let [x, y, z] = self.cluster.unwrap_or([1; 3]).map(|n| n.max(1));
        let place = [rank % x, rank / x % y, rank / x / y];
        [(0, x), (1, y), (2, z)].map(|(axis, n)| cta[axis] / n * n + place[axis])
    }

    /// Threads of a CTA, and the CTAs that are executed; `None` if there is nothing to execute.
    pub(crate) fn executed(&self) -> Option<(u32, CtaRange)> {
        let threads = self.block.iter().map(|&n| u64::from(n)).product::<u64>();
        let all = CtaRange::of_grid(self.grid);
        let ctas = match self.ctas {
            Some(some) if !self.cooperative && self.cluster.is_none() => some.within(all),
            _ => all,
        };
        (threads != 0 && !ctas.is_empty()).then_some((threads.min(1024) as u32, ctas))
    }

    pub(crate) fn arithmetic(&self) -> Arithmetic {
        Arithmetic { fmad: self.fmad, approximate: self.approximate }
    }
}
