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
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;
use texunit_memory::{Fill, Heap, MemoryMap};

/// Options of a launch, which do not depend on the kernel's memory and arguments.
#[derive(Clone, Copy, Debug)]
pub struct ExecutionOptions<'a> {
    /// CTAs along x, y, z.
    pub grid: [u32; 3],
    /// Run only these CTAs of the grid, whose special registers have the values of the whole grid;
    /// `None` runs all. Cooperative launches always run all.
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
    /// Whether `mul` and `add` without a rounding modifier are fused where ptxas fuses them
    /// (`--fmad`).
    pub fmad: bool,
    /// How approximate instructions (`rcp.approx`, `sin.approx`, `div.full` and so on) are
    /// computed (`--approx`).
    pub approximate: Approximate,
    /// How far accesses may exceed an allocation or dynamic shared memory before they become
    /// faults (`--bounds`).
    pub bounds: Bounds,
    /// How fetches and accesses are treated that do not fit their texture or surface, but that a
    /// GPU executes (`--bad-fetch`).
    pub bad_fetch: BadFetch,
    /// Whether all CTAs run at the same time, in turns, so that they can wait for each other
    /// (`cuLaunchCooperativeKernel`). [`crate::Program::max_cooperative_ctas`] is the maximum
    /// number of CTAs.
    pub cooperative: bool,
    /// The device runtime that the kernel calls, and the queue for work that it submits, which the
    /// caller then runs. With `None`, a device's launch has a runtime of its own, and ends when all
    /// submitted work has ended; in a [`LaunchConfig`], calls of the device runtime are faults.
    pub runtime: Option<Runtime<'a>>,
    /// Cluster dimensions (`CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION`), which divide the grid along
    /// each axis; `None` uses those of the kernel (`.reqnctapercluster`), or no clusters.
    pub cluster: Option<[u32; 3]>,
    /// Handle of the graph that the launch is a node of, which `%current_graph_exec` reads; 0
    /// outside graphs.
    pub graph: u64,
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
    /// The engine that is asked first for fetches with gradients (`tex.grad`), such as
    /// `TxdEngine` of `texunit-gradients`; `None`: the texture unit computes all of them.
    /// [`LaunchStats::gradients`](crate::LaunchStats::gradients) counts both.
    pub gradients: Option<&'a dyn GradientEngine>,
    /// Seed of a random fair order in which CTAs and warps run, on one host thread (`--schedule`):
    /// a turn can end between any two memory accesses. With `None`, CTAs run one after the other,
    /// and the warps of a CTA take turns from barrier to barrier (docs/checks.md, "The order of
    /// execution").
    pub schedule: Option<u64>,
}

impl Default for ExecutionOptions<'_> {
    /// One CTA of one thread, a host thread for each core, 10^9 steps, 512 KiB of stack (CUDA's
    /// maximum), 16 MiB of printed text, arithmetic as on a GPU, exact bounds, faults for bad
    /// fetches, not cooperative.
    fn default() -> Self {
        let Arithmetic { fmad, approximate } = Arithmetic::default();
        Self {
            grid: [1; 3],
            ctas: None,
            block: [1; 3],
            dynamic_shared: 0,
            threads: 0,
            max_steps: 1_000_000_000,
            stack_limit: 512 * 1024,
            fmad,
            approximate,
            bounds: Bounds::Exact,
            bad_fetch: BadFetch::Fault,
            cooperative: false,
            runtime: None,
            cluster: None,
            graph: 0,
            printf_limit: PRINTF_LIMIT,
            progress: None,
            cancel: None,
            external_writers: None,
            cpu_clock: None,
            observer: None,
            gradients: None,
            schedule: None,
        }
    }
}

/// Configuration of a launch: its options, and the memory and arguments of the kernel.
#[derive(Clone)]
pub struct LaunchConfig<'a> {
    /// The options. No extent of grid and block is 0, and there are at most 1024 threads.
    pub options: ExecutionOptions<'a>,
    /// The kernel's parameter buffer.
    pub params: &'a [u8],
    /// Map of global and constant memory.
    pub memory: &'a MemoryMap,
    /// Tables of textures, samplers and surfaces.
    pub descriptors: &'a Descriptors,
    /// Number of the launch, read by %gridid.
    pub grid_id: u64,
    /// Address of the workspace with which cooperative groups synchronise a grid (`%envreg1` and
    /// 2): its size in bytes, followed by the barrier, which is zero. 0 for other launches.
    pub grid_workspace: u64,
    /// The device heap that `malloc` allocates from; `None`: `malloc` returns null. The heap's
    /// block is part of `memory`.
    pub heap: Option<&'a Heap>,
    /// When code is compiled; `None`: as `TEXUNIT_JIT` says.
    pub jit: Option<JitMode>,
    /// Initial contents of shared and local memory of a CTA (`--fill`); `None`: zeros.
    pub fill: Option<Fill>,
}

impl<'a> Deref for LaunchConfig<'a> {
    type Target = ExecutionOptions<'a>;

    fn deref(&self) -> &Self::Target {
        &self.options
    }
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
        let options = ExecutionOptions {
            grid,
            block,
            max_steps: u64::MAX,
            bad_fetch: BadFetch::default(),
            stack_limit: 1 << 16,
            ..ExecutionOptions::default()
        };
        Self {
            options,
            params: &[],
            memory,
            descriptors,
            grid_id: 0,
            grid_workspace: 0,
            heap: None,
            jit: None,
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
        let some = self.ctas.filter(|_| !self.cooperative && self.cluster.is_none());
        let ctas = some.map_or(all, |some| some.within(all));
        (threads != 0 && !ctas.is_empty()).then_some((threads.min(1024) as u32, ctas))
    }

    pub(crate) fn arithmetic(&self) -> Arithmetic {
        Arithmetic { fmad: self.fmad, approximate: self.approximate }
    }
}
