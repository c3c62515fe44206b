//! What a worker has besides the warp it runs: the launch, the CTA, scratch and counters.

use super::cluster::state::Cluster;
use super::compiled::state::{Compiled, Short};
use super::counters::{Counters, Counts};
use super::decoded::Fixed;
use super::idle::state::Noted;
use super::machine::stepper::Stepper;
use super::output::Output;
use super::register_file::Rows;
use super::shadow::state::{OwnShadows, Shadows};
use super::sites::Sites;
use super::warp::{Beside, thread_of};
use crate::clock::Moment;
use crate::code::{BARRIERS, Code, Constants, OF_CTA};
use crate::launch::LaunchConfig;
use crate::lower::{KernelId, Program, SharedLayout, Unit};
use crate::observe::marks::Observed;
use crate::observe::{Events, LaunchInfo, Listing, Order, Probe};
use crate::regions::{Setting, Table};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use texunit_alu::{L32, L64};
use texunit_unit::Build;

/// What is the same for the whole launch.
pub(crate) struct Launch<'a> {
    pub(crate) program: &'a Program,
    pub(crate) kernel: KernelId,
    /// The functions that can run, as they were lowered, and the number of the kernel among them.
    pub(crate) unit: &'a Unit,
    pub(crate) entry: u32,
    pub(crate) config: &'a LaunchConfig<'a>,
    pub(crate) code: &'a Code,
    /// What an observer wants, and where its events say they are.
    pub(crate) events: Events,
    pub(crate) observed: Option<&'a Observed>,
    /// The code's constants with the addresses of this kernel's shared variables.
    pub(crate) constants: Constants,
    pub(crate) shared: &'a SharedLayout,
    /// Bytes of shared memory of a CTA that the program has asked for.
    pub(crate) shared_size: usize,
    /// Where it ends if dynamic shared memory is rounded up as a GPU does.
    pub(crate) shared_rounded: u64,
    /// Bytes that an access reaches without more ado; what follows is the tail of the CTA.
    pub(crate) shared_len: usize,
    /// Where the shared memory begins that is reserved for the system (PTX ISA 10, %reserved_smem_offset_begin),
    /// and its size: 0 where the kernel does not ask for its place.
    pub(crate) reserved: (usize, usize),
    /// Threads of a CTA, warps of a CTA, workers.
    pub(crate) threads: u32,
    pub(crate) warps: u32,
    pub(crate) workers: usize,
    /// How many CTAs fit into the memory that those which run may take.
    pub(crate) fit: u64,
    /// Counters of blocks and branches; 0: nobody wants them.
    pub(crate) counters: usize,
    pub(crate) start: Moment,
    /// Compiled regions of the code, and how they are made.
    pub(crate) regions: Option<(Arc<Table>, Setting)>,
    /// Which bytes nobody has written, where an observer wants to know.
    pub(crate) shadows: Option<Shadows>,
}

impl<'a> Launch<'a> {
    /// The lanes of a warp that there are.
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

    /// How many lanes ahead caches are asked for what lies one behind the other from CTA to CTA: what the one behind
    /// the next one accesses.
    #[inline]
    pub(crate) fn ahead(&self) -> u32 {
        2 * self.config.block[0].min(1024)
    }

    /// Whether nothing lies between what a CTA accesses so and what the next one does: it is a row of threads.
    #[inline]
    pub(crate) fn is_line(&self) -> bool {
        self.config.block[1..] == [1, 1]
    }

    /// Whether nothing of the CTA before can be seen in the registers and the frame of a warp, and nobody is told
    /// that it begins and ends.
    fn is_short(&self) -> bool {
        let func = &self.code.funcs[self.entry as usize];
        let is_told =
            !self.wants_sums() && (self.observed.is_some() || self.events.has(Events::CALLS));
        let is_cleared = func.cleared || func.clears_predicates;
        !is_cleared && func.frame == 0 && self.shadows.is_none() && !is_told
    }

    /// Whether CTAs have no memory of their own, and nobody counts what they do one by one.
    fn ctas_are_alike(&self) -> bool {
        let are_counted = self.counters != 0 && !self.wants_sums();
        self.shared_len == 0 && self.reserved == (0, 0) && !are_counted
    }

    /// Whether observers want sums alone, and hear of no CTA.
    #[inline]
    pub(crate) fn wants_sums(&self) -> bool {
        self.events.has(Events::COSTS)
    }

    /// CTAs of a cluster along x, y, z; 1 where the launch has none.
    pub(crate) fn cluster_shape(&self) -> [u32; 3] {
        self.config.cluster.unwrap_or([1; 3])
    }

    /// CTAs of a cluster.
    pub(super) fn cluster_size(&self) -> u64 {
        self.cluster_shape().iter().map(|&n| u64::from(n)).product()
    }

    /// Whether CTAs must run in turns: they have others in their clusters, or wait for them.
    pub(super) fn has_clusters(&self) -> bool {
        self.cluster_size() > 1 || self.code.has_cluster_barrier
    }

    /// Whether somebody has asked it to stop.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.config.cancel.is_some_and(|cancel| cancel.load(Relaxed))
    }

    /// What an observer may know of it.
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

/// A barrier of a CTA.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BarrierState {
    /// Threads that have arrived, by the count that is compared with `expected`.
    pub(crate) arrived: u32,
    /// 0: all threads of the CTA.
    pub(crate) expected: u32,
    pub(crate) votes: u32,
    pub(crate) voters: u32,
}

/// The CTA that runs.
#[derive(Clone)]
pub(crate) struct Cta {
    pub(crate) shared: Vec<u8>,
    /// What follows on it where ends are those of hardware ([`crate::Bounds::Hardware`]).
    pub(crate) tail: Vec<u8>,
    pub(crate) id: [u32; 3],
    pub(crate) barriers: [BarrierState; BARRIERS as usize],
    /// Whether a thread has come to one.
    pub(crate) has_barriers: bool,
    /// Whether a barrier has become complete and is to be opened before its next phase begins.
    pub(crate) completed: bool,
    /// Whether a warp may stand before a fetch or an access to a surface, and wait for others.
    pub(crate) at_unit: bool,
    /// Threads that have not exited.
    pub(crate) live: u32,
}

/// What 32 lanes access of up to 16 bytes each, in numbers of 8 bytes.
pub(super) type Words = [[u8; 8]; 64];

/// A worker's state.
pub(crate) struct Context<'a> {
    pub(crate) launch: &'a Launch<'a>,
    pub(crate) cta: Cta,
    pub(crate) counters: Counters,
    pub(crate) worker: usize,
    pub(crate) level: Build,
    /// What the inner loop reads.
    pub(super) fixed: Fixed<'a>,
    /// %ctaid, %ntid, %nctaid.
    pub(crate) of_cta: [u32; OF_CTA],
    /// %tid of the lanes of each warp, by axis: three rows a warp.
    pub(crate) tids: Rows<u32>,
    /// Where the last global access was found.
    pub(crate) hint: usize,
    pub(crate) narrow: L32,
    /// Matrices of tensor cores.
    pub(crate) tensor: texunit_tensor::Scratch,
    pub(crate) wide: L64,
    pub(crate) sources: [L64; 4],
    pub(crate) addresses: L64,
    /// Those in a space with addresses of 32 bits.
    pub(crate) offsets: L32,
    pub(crate) parts: [L64; 8],
    pub(crate) words: Words,
    pub(crate) sites: Sites,
    /// Whether nobody is told of fetches or answers them in the unit's place.
    pub(crate) is_alone: bool,
    /// Whether turns may end behind any access ([`LaunchConfig::schedule`](crate::LaunchConfig)).
    pub(super) is_random: bool,
    /// Whether warps of a CTA wait for each other before fetches and accesses to surfaces.
    pub(super) waits_at_unit: bool,
    pub(crate) output: Output,
    /// What it does, while it is looked at closely.
    pub(super) noted: Option<Box<Noted>>,
    /// What calls of the device runtime have failed with, by thread of the CTA.
    pub(super) last_errors: BTreeMap<u32, u32>,
    /// Who is told what happens, of what, and what the last mark was about.
    pub(super) probe: Option<Box<dyn Probe + 'a>>,
    pub(super) events: Events,
    pub(super) told_op: (u32, Order),
    pub(super) compiled: Option<Compiled<'a>>,
    /// Of a CTA that others of its cluster run beside.
    pub(super) cluster: Option<Box<Cluster>>,
    /// For warps that run beside each other.
    pub(super) beside: Option<Box<Beside>>,
    /// Whether its CTAs are run from one end of the kernel to the other in one region.
    pub(super) short: Short,
    pub(super) shadows: Option<OwnShadows<'a>>,
    /// Counters of blocks and branches, where somebody wants them, and when they were told last.
    pub(super) counts: Counts,
    pub(super) told_counts: Moment,
    /// Where a debugger stops it.
    pub(super) debug: Option<Box<Stepper>>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(launch: &'a Launch<'a>, worker: usize) -> Self {
        let (observer, events) = (launch.config.observer, launch.events);
        let config = launch.config;
        let shares = config.cooperative || config.schedule.is_some() || launch.has_clusters();
        let beside = (shares, launch.shared_len);
        Self {
            launch,
            cta: Cta {
                shared: Vec::new(),
                tail: Vec::new(),
                id: [0; 3],
                barriers: Default::default(),
                has_barriers: false,
                completed: false,
                at_unit: false,
                live: 0,
            },
            counters: Counters::default(),
            worker,
            level: Build::current(),
            fixed: Fixed {
                code: launch.code,
                constants: &launch.constants,
                params: launch.config.params,
            },
            of_cta: std::array::from_fn(|i| match i {
                3..6 => launch.config.block[i - 3],
                6..9 => launch.config.grid[i - 6],
                _ => 0,
            }),
            tids: tids(launch.warps, launch.config.block),
            hint: 0,
            narrow: [0; 32],
            tensor: Default::default(),
            wide: [0; 32],
            sources: [[0; 32]; 4],
            addresses: [0; 32],
            offsets: [0; 32],
            parts: [[0; 32]; 8],
            words: [[0; 8]; 64],
            sites: Sites::new(launch.code.sites),
            is_alone: launch.config.gradients.is_none()
                && !events.has(Events::FETCHES | Events::ANSWERS),
            is_random: launch.config.schedule.is_some(),
            waits_at_unit: launch.warps > 1 && launch.config.schedule.is_none(),
            output: Output::default(),
            noted: None,
            last_errors: BTreeMap::new(),
            probe: observer.map(|observer| observer.probe(&launch.info(worker))),
            events,
            told_op: Default::default(),
            compiled: launch.regions.as_ref().map(|(table, how)| Compiled::new(table, *how)),
            cluster: None,
            beside: None,
            short: Short::new(launch.is_short(), launch.ctas_are_alike()),
            shadows: launch.shadows.as_ref().and_then(|of| OwnShadows::of(of, worker, beside)),
            counts: Counts::default(),
            told_counts: launch.start,
            debug: None,
        }
    }
}

/// See [`Context::tids`].
fn tids(warps: u32, block: [u32; 3]) -> Rows<u32> {
    let mut rows = Rows::default();
    rows.grow(3 * warps as usize);
    for (warp, axes) in (0..warps).zip(rows.as_chunks_mut::<3>().0) {
        for lane in 0..32 {
            let thread = thread_of(warp * 32 + lane, block);
            axes.iter_mut().zip(thread).for_each(|(row, t)| row[lane as usize] = t);
        }
    }
    rows
}
