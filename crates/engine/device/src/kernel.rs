//! Kernels and their launch.

use crate::arg::{Arg, ParamInfo};
use crate::buffer::Buffer;
use crate::cluster;
use crate::error::Error;
use crate::launch_options::LaunchOptions;
use crate::local::Share;
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

/// Arguments that no driver would launch with.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ArgError {
    /// A dimension that is 0 or too large.
    #[error("{what} {axis} is {value}, but must be 1 to {max}")]
    Dimension {
        /// `grid` or `block`.
        what: &'static str,
        /// `x`, `y`, `z`.
        axis: char,
        /// As given.
        value: u32,
        /// Largest possible.
        max: u32,
    },
    /// CTAs that the grid does not have, or some of a launch whose CTAs must all run.
    #[error("{0}")]
    Ctas(String),
    /// Clusters that the grid cannot be divided into, or that the kernel is not made for.
    #[error("{0}")]
    Cluster(String),
    /// Too many threads, or not those that the kernel was made for.
    #[error("{0}")]
    Block(String),
    /// More shared memory than a CTA can have.
    #[error("{} of shared memory are more than the {max} of a CTA", Count(size, "byte"))]
    Shared {
        /// Static and dynamic.
        size: u64,
        /// Limit.
        max: u64,
    },
    /// More CTAs in a cooperative launch than can run at the same time.
    #[error(
        "{} cannot run at the same time, but at most {max} can of this kernel",
        Count(ctas, "CTA")
    )]
    CooperativeLaunchTooLarge {
        /// CTAs of the grid.
        ctas: u64,
        /// Most that there can be.
        max: u64,
    },
    /// The device heap or the workspace of a cooperative launch does not fit into the memory.
    #[error(transparent)]
    Memory(#[from] Error),
    /// More local memory than the device has left.
    #[error(
        "{} need {} of local memory each, {} in all, but the device has {available} left", Count(threads, "thread"), Count(each, "byte"), .each.saturating_mul(*.threads))]
    LocalMemory {
        /// Bytes of a thread.
        each: u64,
        /// Threads that run at the same time in any case: those of a CTA, or of a cooperative grid.
        threads: u64,
        /// Bytes left.
        available: u64,
    },
    /// Too many or too few arguments.
    #[error(
        "{} {} given, but the kernel has {}",
        Count(given, "argument"),
        Count(given, "argument").are(),
        Count(wanted, "parameter")
    )]
    Count {
        /// Arguments.
        given: usize,
        /// Parameters.
        wanted: usize,
    },
    /// A parameter buffer of another size.
    #[error("{} of parameters {} given, but the kernel has {wanted}", Count(given, "byte"), Count(given, "byte").are())]
    PackedSize {
        /// Bytes given.
        given: usize,
        /// Bytes of the kernel's parameter buffer.
        wanted: u32,
    },
    /// An argument of another type.
    #[error("parameter `{param}` was given {given}")]
    Type {
        /// As declared.
        param: String,
        /// What it was given.
        given: String,
    },
    /// An object of another device.
    #[error("the object for parameter `{param}` belongs to another device")]
    OtherDevice {
        /// As declared.
        param: String,
    },
}

/// Why a launch did not finish.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// Wrong arguments: nothing has run.
    #[error(transparent)]
    Args(#[from] ArgError),
    /// The kernel holds instructions that are not executed: nothing has run. All of them.
    #[error("the kernel contains {} that texunit does not execute", Count(.0.len(), "instruction"))]
    Unsupported(Vec<Diagnostic>),
    /// The kernel went wrong.
    #[error("{}", .0.kind)]
    Fault(Box<Fault>),
}

impl LaunchError {
    /// What the launch had done until it went wrong; `None`: nothing has run.
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

/// Largest shared memory of a CTA (227 KiB, sm_90).
const MAX_SHARED: u64 = 227 * 1024;
const MAX_GRID: [u32; 3] = [i32::MAX as u32, 65535, 65535];
const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];
const MAX_THREADS: u32 = 1024;
/// Bytes of a grid's workspace.
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

    /// Name in the PTX.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn id(&self) -> KernelId {
        self.id
    }

    /// The module it is of.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// How the kernel uses each parameter (as a buffer, texture, surface or value), as far as its PTX shows it.
    pub fn uses(&self) -> texunit_check::uses::Uses {
        self.module.inner.program.uses(self.id)
    }

    /// Its parameters, in order.
    pub fn params(&self) -> Vec<ParamInfo> {
        let program = &self.module.inner.program;
        program.kernel_params(self.id).iter().map(ParamInfo::from).collect()
    }

    /// Bytes of the parameter buffer.
    pub fn param_size(&self) -> u32 {
        self.module.inner.program.param_size(self.id)
    }

    /// Registers and local memory of a thread, constant memory of the module.
    pub fn resources(&self) -> texunit_simt::Resources {
        self.module.inner.program.resources(self.id)
    }

    /// `.maxntid`, `.reqntid`, `.maxnreg` and so on: name without the dot, numbers.
    pub fn directives(&self) -> &[(String, Vec<u64>)] {
        self.module.inner.program.kernel_directives(self.id)
    }

    /// Bytes of static shared memory of the kernel and what it calls
    /// (`CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES`).
    pub fn static_shared(&self) -> u32 {
        self.module.inner.program.static_shared(self.id)
    }

    /// Most threads that a CTA of the kernel can have: the product of `.maxntid` or `.reqntid`,
    /// 1024 without them (`CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK`).
    pub fn max_threads(&self) -> u32 {
        let directives = self.module.inner.program.kernel_directives(self.id).iter();
        let limits = directives.filter(|(name, _)| name == "maxntid" || name == "reqntid");
        let product = |n: &[u64]| n.iter().fold(1_u64, |a, &b| a.saturating_mul(b));
        let most = limits.map(|(_, n)| product(n)).min().unwrap_or(u64::MAX);
        u32::try_from(most).unwrap_or(u32::MAX).min(MAX_THREADS)
    }

    /// Whether it, or what it may launch, can call `malloc` or `free`.
    pub fn uses_heap(&self) -> bool {
        let program = &self.module.inner.program;
        program.allocates(self.id)
            || self.uses_runtime() && program.kernels().any(|(id, _)| program.allocates(id))
    }

    /// Whether it can call the device runtime: launch kernels, above all.
    pub fn uses_runtime(&self) -> bool {
        self.module.inner.program.uses_runtime(self.id)
    }

    /// Whether it may wait for somebody outside of it, as far as its text shows it.
    pub fn may_wait(&self) -> bool {
        self.module.inner.program.may_wait(self.id)
    }

    /// Special registers that it can read and that have other values in another run: clocks, and what depends on the
    /// threads of the host.
    pub fn nondeterministic_inputs(&self) -> Vec<&'static str> {
        self.module.inner.program.nondeterministic_inputs(self.id)
    }

    /// The instruction forms that it can execute, with how well it is known what they compute, in the order of the text.
    pub fn instruction_forms(&self, approximate: Approximate) -> Vec<InstructionForm<'_>> {
        self.module.inner.program.instruction_forms(self.id, approximate)
    }

    /// Instructions that the launch would refuse: all that the kernel can reach and texunit does
    /// not execute, the first of each opcode and how many there are.
    pub fn unsupported(&self) -> Vec<Diagnostic> {
        by_opcode(self.module.source(), &self.module.inner.program.unsupported(self.id), |_| true)
    }

    /// Runs the kernel to its end.
    ///
    /// # Errors
    /// [`LaunchError::Fault`] with what went wrong in the kernel; the other kinds if it did not begin, or was
    /// cancelled.
    pub fn launch(
        &self,
        options: &LaunchOptions<'_>,
        args: &[Arg<'_>],
    ) -> Result<LaunchStats, LaunchError> {
        self.check_shape(options)?;
        let params = self.pack(args)?;
        self.run_tree(options, &params)
    }

    /// Runs the kernel with a parameter buffer that the caller has laid out
    /// (`CU_LAUNCH_PARAM_BUFFER_POINTER`); offsets are those of [`Kernel::params`], and the size
    /// is [`Kernel::param_size`].
    ///
    /// # Errors
    /// Those of [`Kernel::launch`].
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

    /// Whether a launch with this grid, these blocks and this shared memory is not refused for them, nor for what the
    /// kernel holds.
    pub fn accepts(&self, options: &LaunchOptions<'_>) -> bool {
        self.check_shape(options).is_ok() && self.unsupported().is_empty()
    }

    /// Runs the kernel alone.
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
            false => Share { threads: options.threads, stack_limit: options.stack_limit },
        };
        let peers = options.peers.iter().map(|peer| &peer.inner.memory);
        let memory = device.memory.map_with(peers);
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

    /// Most CTAs of a cooperative launch, whose registers, local and shared memory must all be
    /// held at the same time.
    pub fn max_cooperative_ctas(&self, block: [u32; 3], dynamic_shared: u32) -> u64 {
        let threads = block.iter().fold(1_u32, |n, &b| n.saturating_mul(b)).min(MAX_THREADS);
        self.module.inner.program.max_cooperative_ctas(self.id, threads, dynamic_shared)
    }

    /// The words that cooperative groups synchronise the grid with: their size, and a barrier.
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

    /// Checks grid, block and shared memory.
    ///
    /// # Errors
    /// The size that no launch of the kernel can have.
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

    /// Lays the arguments out as the parameter buffer.
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
