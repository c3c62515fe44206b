//! Kernels: their properties, the checks of a launch's arguments and sizes, and the launch itself.

use crate::arg::{Arg, ParamInfo};
use crate::buffer::Buffer;
use crate::cluster;
use crate::error::Error;
use crate::launch_options::LaunchOptions;
use crate::local::LocalMemoryShare;
use crate::module::Module;
use crate::txd::{self, Engine};
use crate::unknown::UnknownKernel;
use std::sync::atomic::Ordering;
use texunit_forms::Count;
use texunit_simt::{
    Approximate, CtaRange, Fault, GradientEngine, InstructionForm, KernelId, LaunchConfig,
    LaunchStats,
};
use texunit_syntax::{Diagnostic, by_opcode};

/// Arguments or sizes that are invalid for a launch.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ArgError {
    /// A grid or block dimension that is 0 or too large.
    #[error("{what} {axis} is {value}, but must be 1 to {max}")]
    Dimension {
        /// `grid` or `block`.
        what: &'static str,
        /// The axis: `x`, `y` or `z`.
        axis: char,
        /// The requested dimension.
        value: u32,
        /// The maximum of this dimension.
        max: u32,
    },
    /// A range of CTAs that is not in the grid, or a part of a launch whose CTAs must all run.
    #[error("{0}")]
    Ctas(String),
    /// Cluster dimensions that do not divide the grid, or that differ from the kernel's.
    #[error("{0}")]
    Cluster(String),
    /// A block with too many threads, or another block size than the kernel requires.
    #[error("{0}")]
    Block(String),
    /// A CTA needs more shared memory than it can have.
    #[error("{} of shared memory are more than the {max} of a CTA", Count(size, "byte"))]
    Shared {
        /// Bytes of static and dynamic shared memory.
        size: u64,
        /// The maximum number of bytes.
        max: u64,
    },
    /// A cooperative launch has more CTAs than can run at the same time.
    #[error(
        "{} cannot run at the same time, but at most {max} can of this kernel",
        Count(ctas, "CTA")
    )]
    CooperativeLaunchTooLarge {
        /// Number of CTAs in the grid.
        ctas: u64,
        /// The maximum number of CTAs.
        max: u64,
    },
    /// The device heap or the workspace of a cooperative launch does not fit into device memory.
    #[error(transparent)]
    Memory(#[from] Error),
    /// The launch needs more local memory than the device has left.
    #[error(
        "{} need {} of local memory each, {} in all, but the device has {available} left", Count(threads, "thread"), Count(each, "byte"), .each.saturating_mul(*.threads))]
    LocalMemory {
        /// Bytes of local memory per thread.
        each: u64,
        /// Number of threads that must run at the same time: those of a CTA, or of a cooperative
        /// grid.
        threads: u64,
        /// Bytes that are left.
        available: u64,
    },
    /// The number of arguments is wrong.
    #[error(
        "{} {} given, but the kernel has {}",
        Count(given, "argument"),
        Count(given, "argument").are(),
        Count(wanted, "parameter")
    )]
    Count {
        /// The number of arguments.
        given: usize,
        /// The number of parameters.
        wanted: usize,
    },
    /// The size of the parameter buffer is wrong.
    #[error("{} of parameters {} given, but the kernel has {wanted}", Count(given, "byte"), Count(given, "byte").are())]
    PackedSize {
        /// Bytes of the buffer.
        given: usize,
        /// Bytes of the kernel's parameters.
        wanted: u32,
    },
    /// An argument has another type than its parameter.
    #[error("parameter `{param}` was given {given}")]
    Type {
        /// The parameter's declaration.
        param: String,
        /// A description of the argument.
        given: String,
    },
    /// An argument is an object of another device.
    #[error("the object for parameter `{param}` belongs to another device")]
    OtherDevice {
        /// The parameter's declaration.
        param: String,
    },
}

/// Why a launch has failed.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// Invalid arguments; nothing has run.
    #[error(transparent)]
    Args(#[from] ArgError),
    /// The kernel contains instructions that are not supported, which are all listed; nothing has
    /// run.
    #[error("the kernel contains {} that texunit does not execute", Count(.0.len(), "instruction"))]
    Unsupported(Vec<Diagnostic>),
    /// A fault occurred in the kernel.
    #[error("{}", .0.kind)]
    Fault(Box<Fault>),
}

impl LaunchError {
    /// Statistics of the launch up to the fault; `None` if nothing has run.
    pub fn stats(&self) -> Option<&LaunchStats> {
        match self {
            Self::Fault(fault) => Some(&fault.stats),
            Self::Args(_) | Self::Unsupported(_) => None,
        }
    }
}

fn check_ctas(
    some: CtaRange,
    options: &LaunchOptions<'_>,
    has_clusters: bool,
) -> Result<(), ArgError> {
    let all = CtaRange::of_grid(options.grid);
    if some.is_empty() || some.within(all) != some {
        let n = all.end;
        let why = format!("the range {some} of CTAs is not one of a grid of {n}: they are 0..{n}");
        return Err(ArgError::Ctas(why));
    }
    if options.cooperative {
        let why = "a part of the CTAs of a cooperative launch cannot run without the others";
        return Err(ArgError::Ctas(why.to_owned()));
    }
    if has_clusters && some != all {
        let why = "a part of the CTAs of a launch with clusters cannot run without the others";
        return Err(ArgError::Ctas(why.to_owned()));
    }
    Ok(())
}

/// Maximum shared memory of a CTA: 227 KiB, as on sm_90.
const MAX_SHARED: u64 = 227 * 1024;
const MAX_GRID: [u32; 3] = [i32::MAX as u32, 65535, 65535];
const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];
const MAX_THREADS: u32 = 1024;
/// Bytes of the workspace by which cooperative groups synchronise a grid.
const WORKSPACE: u64 = 16;

/// A kernel of a module.
#[derive(Clone, Debug)]
pub struct Kernel {
    module: Module,
    id: KernelId,
    name: String,
}

impl Kernel {
    pub(crate) fn new(module: &Module, name: &str) -> Result<Self, UnknownKernel> {
        match module.inner.program.kernel(name) {
            Some(id) => Ok(Self::of(module, id, name)),
            None => Err(UnknownKernel::new(module, name)),
        }
    }

    pub(crate) fn of(module: &Module, id: KernelId, name: &str) -> Self {
        Self { module: module.clone(), id, name: name.to_owned() }
    }

    /// The kernel's name in the PTX.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn id(&self) -> KernelId {
        self.id
    }

    /// The module that contains the kernel.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// How the kernel uses each parameter (as a buffer, texture, surface or value), as far as the
    /// PTX shows it.
    pub fn uses(&self) -> texunit_check::uses::Uses {
        self.module.inner.program.uses(self.id)
    }

    /// The kernel's parameters, in order.
    pub fn params(&self) -> Vec<ParamInfo> {
        let program = &self.module.inner.program;
        program.kernel_params(self.id).iter().map(ParamInfo::from).collect()
    }

    /// Bytes of the kernel's parameter buffer.
    pub fn param_size(&self) -> u32 {
        self.module.inner.program.param_size(self.id)
    }

    /// Registers and local memory of a thread, and constant memory of the module.
    pub fn resources(&self) -> texunit_simt::Resources {
        self.module.inner.program.resources(self.id)
    }

    /// The kernel's directives (`.maxntid`, `.reqntid`, `.maxnreg` and so on): names without the
    /// dot, and values.
    pub fn directives(&self) -> &[(String, Vec<u64>)] {
        self.module.inner.program.kernel_directives(self.id)
    }

    /// Bytes of static shared memory of the kernel and of the functions that it calls
    /// (`CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES`).
    pub fn static_shared(&self) -> u32 {
        self.module.inner.program.static_shared(self.id)
    }

    /// Maximum number of threads of a CTA: the product of `.maxntid` or `.reqntid`, or 1024 without
    /// them (`CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK`).
    pub fn max_threads(&self) -> u32 {
        let directives = self.module.inner.program.kernel_directives(self.id).iter();
        let limits = directives.filter(|(name, _)| name == "maxntid" || name == "reqntid");
        let product = |n: &[u64]| n.iter().fold(1_u64, |a, &b| a.saturating_mul(b));
        let most = limits.map(|(_, n)| product(n)).min().unwrap_or(u64::MAX);
        u32::try_from(most).unwrap_or(u32::MAX).min(MAX_THREADS)
    }

    /// Whether the kernel, or a kernel that it may launch, can call `malloc` or `free`.
    pub fn uses_heap(&self) -> bool {
        let program = &self.module.inner.program;
        program.allocates(self.id)
            || self.uses_runtime() && program.kernels().any(|(id, _)| program.allocates(id))
    }

    /// Whether the kernel can call the device runtime, for example to launch kernels.
    pub fn uses_runtime(&self) -> bool {
        self.module.inner.program.uses_runtime(self.id)
    }

    /// Whether the kernel can print (`printf`).
    pub fn prints(&self) -> bool {
        self.module.inner.program.prints(self.id)
    }

    /// Whether the kernel may wait for memory to be changed from outside, as far as the PTX shows
    /// it.
    pub fn may_wait(&self) -> bool {
        self.module.inner.program.may_wait(self.id)
    }

    /// Special registers that the kernel can read and whose values may differ in another run:
    /// clocks, and registers that depend on the host's threads.
    pub fn nondeterministic_inputs(&self) -> Vec<&'static str> {
        self.module.inner.program.nondeterministic_inputs(self.id)
    }

    /// The instruction forms that the kernel can execute, with how well their results are known, in
    /// source order.
    pub fn instruction_forms(&self, approximate: Approximate) -> Vec<InstructionForm<'_>> {
        self.module.inner.program.instruction_forms(self.id, approximate)
    }

    /// Instructions for which a launch would be refused: all reachable instructions that are not
    /// supported, as the first of each opcode with their number.
    pub fn unsupported(&self) -> Vec<Diagnostic> {
        by_opcode(self.module.source(), &self.module.inner.program.unsupported(self.id), |_| true)
    }

    /// Launches the kernel and waits for its end.
    ///
    /// # Errors
    /// [`LaunchError::Fault`] for a fault in the kernel or a cancelled launch; the other errors if
    /// the kernel did not start.
    pub fn launch(
        &self,
        options: &LaunchOptions<'_>,
        args: &[Arg<'_>],
    ) -> Result<LaunchStats, LaunchError> {
        self.check_shape(options)?;
        let params = self.pack(args)?;
        self.run_tree(options, &params)
    }

    /// Launches the kernel with a parameter buffer that the caller has filled
    /// (`CU_LAUNCH_PARAM_BUFFER_POINTER`); offsets are those of [`Kernel::params`], and the size is
    /// [`Kernel::param_size`].
    ///
    /// # Errors
    /// The errors of [`Kernel::launch`].
    pub fn launch_packed(
        &self,
        options: &LaunchOptions<'_>,
        params: &[u8],
    ) -> Result<LaunchStats, LaunchError> {
        self.check_shape(options)?;
        let wanted = self.param_size();
        if params.len() != wanted as usize {
            return Err(ArgError::PackedSize { given: params.len(), wanted }.into());
        }
        self.run_tree(options, params)
    }

    /// Whether a launch with this grid, block and shared memory would be accepted, and the kernel
    /// has no unsupported instructions.
    pub fn accepts(&self, options: &LaunchOptions<'_>) -> bool {
        self.check_shape(options).is_ok() && self.unsupported().is_empty()
    }

    /// Runs the kernel without the work that it submits.
    pub(crate) fn run(
        &self,
        options: &LaunchOptions<'_>,
        params: &[u8],
    ) -> Result<LaunchStats, LaunchError> {
        let unsupported = self.unsupported();
        if !unsupported.is_empty() {
            return Err(LaunchError::Unsupported(unsupported));
        }
        let program = &self.module.inner.program;
        let device = &self.module.inner.device.inner;
        let heap = device.heap(program.uses_heap(self.id)).map_err(ArgError::from)?;
        let workspace = match options.cooperative {
            true => Some(self.grid_workspace(options)?),
            false => None,
        };
        let share = match options.count_local {
            true => {
                let left = device.memory.limit().saturating_sub(device.memory.used());
                self.share_local(options, left)?
            }
            false => {
                LocalMemoryShare { threads: options.threads, stack_limit: options.stack_limit }
            }
        };
        let peers = options.peers.iter().map(|peer| &peer.inner.memory);
        let memory = device.memory.map_with_peers(peers);
        let descriptors = device.tables().snapshot();
        let engine: Option<Engine<'_>> = txd::engine(&self.module, options);
        let cluster = cluster::of(self, options);
        let grid = cluster::grid(self, options);
        let config = LaunchConfig {
            grid,
            ctas: options.ctas,
            block: options.block,
            dynamic_shared: options.dynamic_shared,
            params,
            memory: &memory,
            descriptors: &descriptors,
            threads: share.threads,
            max_steps: options.max_steps,
            fmad: options.fmad,
            approximate: options.approximate,
            bounds: options.bounds,
            bad_fetch: options.bad_fetch,
            stack_limit: share.stack_limit,
            grid_id: device.launches.fetch_add(1, Ordering::Relaxed),
            cooperative: options.cooperative,
            cluster,
            grid_workspace: workspace.as_ref().map_or(0, Buffer::address),
            graph: options.graph,
            heap,
            runtime: options.runtime,
            printf_limit: options.printf_limit,
            progress: options.progress,
            cancel: options.cancel,
            external_writers: options.external_writers,
            cpu_clock: options.cpu_clock,
            observer: options.observer,
            gradients: engine.as_ref().map(|engine| engine as &dyn GradientEngine),
            jit: None,
            schedule: options.schedule,
            fill: device.memory.fill(),
        };
        let ran = match options.debugger {
            Some(debugger) => texunit_simt::debug::debug(program, self.id, &config, debugger),
            None => texunit_simt::launch(program, self.id, &config),
        };
        ran.map_err(LaunchError::Fault)
    }

    /// Maximum number of CTAs of a cooperative launch, whose registers, local and shared memory
    /// must all be resident at the same time.
    pub fn max_cooperative_ctas(&self, block: [u32; 3], dynamic_shared: u32) -> u64 {
        let threads = block.iter().fold(1_u32, |n, &b| n.saturating_mul(b)).min(MAX_THREADS);
        self.module.inner.program.max_cooperative_ctas(self.id, threads, dynamic_shared)
    }

    /// Allocates the workspace by which cooperative groups synchronise the grid: its size, and a
    /// barrier.
    fn grid_workspace(&self, options: &LaunchOptions<'_>) -> Result<Buffer, ArgError> {
        let ctas = options.grid.iter().map(|&n| u64::from(n)).product();
        let max = self.max_cooperative_ctas(options.block, options.dynamic_shared);
        if ctas > max {
            return Err(ArgError::CooperativeLaunchTooLarge { ctas, max });
        }
        let workspace = self.module.inner.device.alloc(WORKSPACE, "grid workspace")?;
        workspace.clear();
        workspace.write(0, &WORKSPACE.to_le_bytes()[..4])?;
        Ok(workspace)
    }

    /// Checks the sizes of grid, block and shared memory.
    ///
    /// # Errors
    /// The size that is invalid for this kernel.
    pub fn check_shape(&self, options: &LaunchOptions<'_>) -> Result<(), ArgError> {
        for (what, values, limits) in
            [("grid", options.grid, MAX_GRID), ("block", options.block, MAX_BLOCK)]
        {
            for ((axis, value), max) in ['x', 'y', 'z'].into_iter().zip(values).zip(limits) {
                if value == 0 || value > max {
                    return Err(ArgError::Dimension { what, axis, value, max });
                }
            }
        }
        cluster::check(self, options)?;
        if let Some(some) = options.ctas {
            check_ctas(some, options, cluster::of(self, options).is_some())?;
            if self.uses_runtime() {
                let why = "a part of the CTAs of a kernel that launches kernels cannot run without the others";
                return Err(ArgError::Ctas(why.to_owned()));
            }
        }
        let [x, y, z] = options.block;
        let threads = x * y * z;
        if threads > MAX_THREADS {
            return Err(ArgError::Block(format!(
                "a CTA of {x} x {y} x {z} has {}, but at most {MAX_THREADS} are possible",
                Count(threads, "thread")
            )));
        }
        let program = &self.module.inner.program;
        for (name, values) in program.kernel_directives(self.id) {
            let at = |i: usize| values.get(i).copied().unwrap_or(1);
            let wanted = [at(0), at(1), at(2)];
            let given = options.block.map(u64::from);
            if name == "reqntid" && wanted != given {
                return Err(ArgError::Block(format!(
                    "the kernel requires CTAs of {} x {} x {} threads (.reqntid), not {x} x {y} x {z}",
                    wanted[0], wanted[1], wanted[2]
                )));
            }
            let most = wanted.iter().fold(1u64, |a, &b| a.saturating_mul(b));
            if name == "maxntid" && u64::from(threads) > most {
                return Err(ArgError::Block(format!(
                    "the kernel was made for CTAs of at most {} (.maxntid), not {threads}",
                    Count(most, "thread")
                )));
            }
        }
        let size = u64::from(program.static_shared(self.id)) + u64::from(options.dynamic_shared);
        if size > MAX_SHARED {
            return Err(ArgError::Shared { size, max: MAX_SHARED });
        }
        Ok(())
    }

    /// Packs the arguments into a parameter buffer.
    fn pack(&self, args: &[Arg<'_>]) -> Result<Vec<u8>, ArgError> {
        let params = self.params();
        if params.len() != args.len() {
            return Err(ArgError::Count { given: args.len(), wanted: params.len() });
        }
        let program = &self.module.inner.program;
        let mut buffer = vec![0; program.param_size(self.id) as usize];
        for (param, arg) in params.iter().zip(args) {
            if arg.device().is_some_and(|d| !d.is(&self.module.inner.device)) {
                return Err(ArgError::OtherDevice { param: param.to_string() });
            }
            let place = buffer.get_mut(param.offset as usize..);
            let (true, Some(place)) = (arg.fits(param), place) else {
                return Err(ArgError::Type { param: param.to_string(), given: arg.what() });
            };
            let bytes = arg.bytes();
            place[..bytes.len()].copy_from_slice(&bytes);
        }
        Ok(buffer)
    }
}
