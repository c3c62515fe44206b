//! The context of a worker, which is all its state except the warps: the launch, the current CTA,
//! scratch registers, counters, and the state of observers and compiled code.

use super::cluster::state::Cluster;
use super::compiled::state::{Compiled, LoopState};
use super::counters::{Counters, Counts};
use super::decoded::LaunchInputs;
use super::idle::state::WaitTrace;
use super::machine::stepper::Stepper;
use super::output::Output;
use super::register_file::Rows;
use super::shadow::state::{Shadows, WorkerShadows};
use super::sites::Sites;
use super::warp::Batch;
use crate::clock::Moment;
use crate::code::{BARRIERS, Code, Constants, OF_CTA};
use crate::lower::{KernelId, Program, SharedLayout, Unit};
use crate::marks::MarkedCode;
use crate::observe::{Events, LaunchConfig, LaunchInfo, Listing, Order, Probe};
use crate::regions::{Setting, Table};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use texunit_alu::{L32, L64};
use texunit_unit::Build;

/// The immutable state of a launch.
pub(crate) struct Launch<'a> {
    pub(crate) program: &'a Program,
    pub(crate) kernel: KernelId,
    /// The lowered code of the kernel and its possible callees, and the function number of the
    /// kernel.
    pub(crate) unit: &'a Unit,
    pub(crate) entry: u32,
    pub(crate) config: &'a LaunchConfig<'a>,
    pub(crate) code: &'a Code,
    /// Events that the observer has selected, and the marked code, which has the number of the
    /// program's operation for each of its operations.
    pub(crate) events: Events,
    pub(crate) observed: Option<&'a MarkedCode>,
    /// The constants of the code, with the addresses of this kernel's shared variables.
    pub(crate) constants: Constants,
    pub(crate) shared: &'a SharedLayout,
    /// Bytes of shared memory of a CTA that the program requested.
    pub(crate) shared_size: usize,
    /// Bytes of shared memory if its dynamic part is rounded up as on a GPU.
    pub(crate) shared_rounded: u64,
    /// Bytes of shared memory that compiled accesses can reach; [`Cta::tail`] follows them.
    pub(crate) shared_len: usize,
    /// Offset and size of the shared memory reserved for the system (PTX ISA 10,
    /// `%reserved_smem_offset_begin`); zeros if the kernel does not read its address.
    pub(crate) reserved: (usize, usize),
    /// Number of threads of a CTA, number of warps of a CTA, number of workers.
    pub(crate) threads: u32,
    pub(crate) warps: u32,
    pub(crate) workers: usize,
    /// Number of CTAs that can be resident at once within the memory limit.
    pub(crate) fit: u64,
    /// Number of counters of blocks and branches; 0 if no observer wants them.
    pub(crate) counters: usize,
    pub(crate) start: Moment,
    /// The compiled regions of the code, and the settings of the compiler.
    pub(crate) regions: Option<(Arc<Table>, Setting)>,
    /// Shadow of global memory for an observer of uninitialised data.
    pub(crate) shadows: Option<Shadows>,
}

impl<'a> Launch<'a> {
    /// Mask of the lanes of a warp that have a thread; the last warp of a CTA may have fewer than
    /// 32.
    #[inline]
    pub(crate) fn lanes_of(&self, warp: u32) -> u32 {
        match self.threads - 32 * warp {
            n @ 0..32 => (1 << n) - 1,
            _ => u32::MAX,
        }
    }

    /// The first instruction of the kernel.
    #[inline]
    pub(crate) fn entry_at(&self) -> u32 {
        self.code.funcs[self.entry as usize].entry
    }

    /// Prefetch distance in lanes: two CTAs.
    #[inline]
    pub(crate) fn prefetch_distance(&self) -> u32 {
        2 * self.config.block[0].min(1024)
    }

    /// Whether CTAs are one-dimensional, so that consecutive CTAs usually access contiguous memory
    /// without gaps.
    #[inline]
    pub(crate) fn is_contiguous(&self) -> bool {
        self.config.block[1..] == [1, 1]
    }

    /// Whether CTAs can run in the loop of compiled code, with the register contents of the
    /// previous CTA: the kernel does not rely on cleared registers or a cleared frame, and no
    /// observer is notified of CTAs.
    fn can_loop(&self) -> bool {
        let func = &self.code.funcs[self.entry as usize];
        let is_told = !self.wants_sums()
            && (self.observed.is_some() || self.events.intersects(Events::CALLS));
        let is_cleared = func.cleared || func.clears_predicates;
        !is_cleared && func.frame == 0 && self.shadows.is_none() && !is_told
    }

    /// Whether CTAs differ only in their numbers: they have no counters, and their shared memory
    /// begins as zeros.
    fn ctas_are_alike(&self) -> bool {
        let are_counted = self.counters != 0 && !self.wants_sums();
        (self.reserved == (0, 0) || self.config.fill.is_none()) && !are_counted
    }

    /// Whether the observer only adds up costs and is not notified of CTAs.
    #[inline]
    pub(crate) fn wants_sums(&self) -> bool {
        self.events.intersects(Events::COSTS)
    }

    /// CTAs of a cluster along x, y, z; 1 if the launch has no clusters.
    pub(crate) fn cluster_shape(&self) -> [u32; 3] {
        self.config.cluster.unwrap_or([1; 3])
    }

    /// Number of CTAs of a cluster.
    pub(super) fn cluster_size(&self) -> u64 {
        self.cluster_shape().iter().map(|&n| u64::from(n)).product()
    }

    /// Whether CTAs must run in turns, because they are in clusters or wait at a barrier of the
    /// cluster.
    pub(super) fn has_clusters(&self) -> bool {
        self.cluster_size() > 1 || self.code.has_cluster_barrier
    }

    /// Whether the host has cancelled the launch.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.config.cancel.is_some_and(|cancel| cancel.load(Relaxed))
    }

    /// The description of the launch for observers.
    pub(crate) fn info(&self, worker: usize) -> LaunchInfo<'a> {
        LaunchInfo {
            kernel: self.program.kernel_name(self.kernel),
            config: self.config,
            listing: Listing::of_unit(self.program, self.unit),
            worker,
            workers: self.workers,
        }
    }
}

/// The state of a CTA's barrier.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BarrierState {
    /// Number of threads that have arrived.
    pub(crate) arrived: u32,
    /// Number of threads that complete the barrier; 0: all threads of the CTA.
    pub(crate) expected: u32,
    pub(crate) votes: u32,
    pub(crate) voters: u32,
}

impl BarrierState {
    /// Number of threads that complete the barrier in a CTA with so many threads.
    pub(super) fn needed(&self, live: u32) -> u32 {
        if self.expected == 0 { live } else { self.expected }
    }

    /// Whether the barrier has all arrivals that it needs.
    pub(super) fn is_complete(&self, live: u32) -> bool {
        self.arrived != 0 && self.arrived >= self.needed(live)
    }
}

/// The state of the current CTA.
#[derive(Clone, Default)]
pub(crate) struct Cta {
    pub(crate) shared: Vec<u8>,
    /// Shared memory after `shared`, up to the bounds of the hardware
    /// ([`crate::Bounds::Hardware`]).
    pub(crate) tail: Vec<u8>,
    pub(crate) id: [u32; 3],
    pub(crate) barriers: [BarrierState; BARRIERS as usize],
    /// Whether any thread has arrived at a barrier.
    pub(crate) has_barriers: bool,
    /// Whether a barrier is complete and must be opened before its next phase begins.
    pub(crate) completed: bool,
    /// Whether a warp may have stopped before a fetch or surface access, where it waits for the
    /// other warps of the CTA.
    pub(crate) at_unit: bool,
    /// Number of threads that have not exited.
    pub(crate) live: u32,
}

/// Maximum number of bytes of a lane in a row that is copied at once.
pub(super) const ROW: u32 = 16;

/// The state of a worker.
pub(crate) struct Context<'a> {
    pub(crate) launch: &'a Launch<'a>,
    pub(crate) cta: Cta,
    pub(crate) counters: Counters,
    pub(crate) worker: usize,
    pub(crate) level: Build,
    /// The constant inputs of the inner loop.
    pub(super) fixed: LaunchInputs<'a>,
    /// Values that are equal for all threads of the CTA: `%ctaid`, `%ntid`, `%nctaid`, and the
    /// products of `%ctaid` and `%ntid`.
    pub(crate) of_cta: [u32; OF_CTA],
    /// `%tid` of the lanes of each warp, with three components for each warp.
    pub(crate) tids: Rows<u32>,
    /// The allocation of the last global access, where the next search begins.
    pub(crate) hint: usize,
    pub(crate) narrow: L32,
    /// Scratch memory for tensor-core matrices.
    pub(crate) tensor: texunit_tensor::Scratch,
    pub(crate) wide: L64,
    pub(crate) sources: [L64; 4],
    pub(crate) addresses: L64,
    pub(crate) parts: [L64; 8],
    /// A copy of contiguous memory that the lanes access.
    pub(super) row: [u8; 32 * ROW as usize],
    pub(crate) sites: Sites,
    /// Whether no observer is notified of fetches and no external engine executes them.
    pub(crate) is_unobserved: bool,
    /// Whether turns can end after any access ([`crate::ExecutionOptions::schedule`]).
    pub(super) is_random: bool,
    /// Whether the warps of a CTA wait for each other before fetches and surface accesses.
    pub(super) waits_at_unit: bool,
    pub(crate) output: Output,
    /// Trace of the CTA while it is checked for waiting in vain (`idle`).
    pub(super) wait_trace: Option<Box<WaitTrace>>,
    /// The last error of the device runtime, by thread of the CTA.
    pub(super) last_errors: HashMap<u32, u32>,
    /// The observer's probe, the selected events, and the operation and memory order of the last
    /// mark.
    pub(super) probe: Option<Box<dyn Probe + 'a>>,
    pub(super) events: Events,
    pub(super) marked_op: (u32, Order),
    pub(super) compiled: Option<Compiled<'a>>,
    /// The state of the CTA in its cluster, if it has one.
    pub(super) cluster: Option<Box<Cluster>>,
    /// Scratch memory for warps that run as a batch.
    pub(super) batch: Option<Box<Batch>>,
    /// The state of the loop over CTAs in compiled code (`compiled::cta_loop`).
    pub(super) cta_loop: LoopState,
    pub(super) shadows: Option<WorkerShadows<'a>>,
    /// Counters of blocks and branches, and when the observer was last notified of them.
    pub(super) counts: Counts,
    pub(super) counts_reported: Moment,
    /// The stepper of a debugger.
    pub(super) debug: Option<Box<Stepper>>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(launch: &'a Launch<'a>, worker: usize) -> Self {
        let &Launch { code, ref constants, config, events, .. } = launch;
        let shares = config.cooperative || config.schedule.is_some() || launch.has_clusters();
        let beside = shares.then_some(launch.shared_len);
        Self {
            launch,
            cta: Cta::default(),
            counters: Counters::default(),
            worker,
            level: Build::current(),
            fixed: LaunchInputs { code, constants, params: config.params },
            of_cta: std::array::from_fn(|i| match i {
                3..6 => config.block[i - 3],
                6..9 => config.grid[i - 6],
                _ => 0,
            }),
            tids: tids(launch.warps, config.block),
            hint: 0,
            narrow: [0; 32],
            tensor: Default::default(),
            wide: [0; 32],
            sources: [[0; 32]; 4],
            addresses: [0; 32],
            parts: [[0; 32]; 8],
            row: [0; 32 * ROW as usize],
            sites: Sites::new(launch.code.sites),
            is_unobserved: config.gradients.is_none()
                && !events.intersects(Events::FETCHES | Events::ANSWERS),
            is_random: config.schedule.is_some(),
            waits_at_unit: launch.warps > 1 && config.schedule.is_none(),
            output: Output::default(),
            wait_trace: None,
            last_errors: HashMap::new(),
            probe: config.observer.map(|observer| observer.probe(&launch.info(worker))),
            events,
            marked_op: Default::default(),
            compiled: launch.regions.as_ref().map(|(table, how)| Compiled::new(table, *how)),
            cluster: None,
            batch: None,
            cta_loop: LoopState::new(launch.can_loop(), launch.ctas_are_alike()),
            shadows: launch.shadows.as_ref().and_then(|of| WorkerShadows::of(of, worker, beside)),
            counts: Counts::default(),
            counts_reported: launch.start,
            debug: None,
        }
    }
}

/// `%tid` of the lanes of each warp; see [`Context::tids`].
fn tids(warps: u32, block: [u32; 3]) -> Rows<u32> {
    let mut rows = Rows::default();
    rows.grow(3 * warps as usize);
    // Counting takes less time than a division for each thread and axis in each launch.
    let mut thread = [0; 3];
    for axes in rows.as_chunks_mut::<3>().0 {
        for lane in 0..32 {
            axes.iter_mut().zip(thread).for_each(|(row, t)| row[lane] = t);
            thread[0] += 1;
            for axis in 0..2 {
                if thread[axis] == block[axis] {
                    thread[axis] = 0;
                    thread[axis + 1] += 1;
                }
            }
        }
    }
    rows
}
