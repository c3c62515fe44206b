//! Kernels and their launch.

use crate::arg::{Arg, ParamInfo};
use crate::module::Module;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use texunit_simt::{Fault, KernelId, LaunchConfig, LaunchStats, Watch};
use texunit_syntax::Diagnostic;

/// How to launch.
#[derive(Clone, Copy, Debug)]
pub struct LaunchOptions<'a> {
    /// CTAs along x, y, z.
    pub grid: [u32; 3],
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
    /// Fuse f32 mul and add as a hardware assembler may.
    pub fmad: bool,
    /// Receives the number of CTAs finished.
    pub progress: Option<&'a AtomicU64>,
    /// Set to true by the host to stop the launch.
    pub cancel: Option<&'a AtomicBool>,
    /// A thread whose fetches and surface accesses are recorded.
    pub watch: Option<&'a Watch>,
}

impl Default for LaunchOptions<'_> {
    /// One CTA of one thread, a host thread for each core, a thousand million steps, 512 KiB of stack
    /// (CUDA's largest).
    fn default() -> Self {
        Self {
            grid: [1; 3],
            block: [1; 3],
            dynamic_shared: 0,
            threads: 0,
            max_steps: 1_000_000_000,
            stack_limit: 512 * 1024,
            fmad: false,
            progress: None,
            cancel: None,
            watch: None,
        }
    }
}

/// Arguments that no driver would launch with.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
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
    /// Too many threads, or not those that the kernel was made for.
    #[error("{0}")]
    Block(String),
    /// More shared memory than a CTA can have.
    #[error("{size} bytes of shared memory are more than the {max} of a CTA")]
    Shared {
        /// Static and dynamic.
        size: u64,
        /// Limit.
        max: u64,
    },
    /// Too many or too few arguments.
    #[error("{given} arguments were given, but the kernel has {wanted} parameters")]
    Count {
        /// Arguments.
        given: usize,
        /// Parameters.
        wanted: usize,
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
    #[error("the kernel holds {} instructions that texunit does not execute", .0.len())]
    Unsupported(Vec<Diagnostic>),
    /// The kernel went wrong.
    #[error("{}", .0.kind)]
    Fault(Box<Fault>),
}

/// Largest shared memory of a CTA (227 KiB, sm_90).
const MAX_SHARED: u64 = 227 * 1024;
const MAX_GRID: [u32; 3] = [i32::MAX as u32, 65535, 65535];
const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];
const MAX_THREADS: u32 = 1024;

/// A kernel of a module.
#[derive(Clone, Debug)]
pub struct Kernel {
    module: Module,
    id: KernelId,
    name: String,
}

impl Kernel {
    pub(crate) fn new(module: &Module, name: &str) -> Option<Self> {
        let id = module.inner.program.kernel(name)?;
        Some(Self { module: module.clone(), id, name: name.to_owned() })
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

    /// Its parameters, in order.
    pub fn params(&self) -> Vec<ParamInfo> {
        let program = &self.module.inner.program;
        program.kernel_params(self.id).iter().map(ParamInfo::from).collect()
    }

    /// Instructions that the launch would refuse: all that the kernel can reach and texunit does
    /// not execute.
    pub fn unsupported(&self) -> Vec<Diagnostic> {
        self.module.inner.program.unsupported(self.id)
    }

    /// Runs the kernel to its end.
    pub fn launch(
        &self,
        options: &LaunchOptions<'_>,
        args: &[Arg<'_>],
    ) -> Result<LaunchStats, LaunchError> {
        self.check_shape(options)?;
        let params = self.pack(args)?;
        let unsupported = self.unsupported();
        if !unsupported.is_empty() {
            return Err(LaunchError::Unsupported(unsupported));
        }
        let device = &self.module.inner.device.inner;
        let memory = device.memory.map();
        let descriptors = device.tables().snapshot();
        let config = LaunchConfig {
            grid: options.grid,
            block: options.block,
            dynamic_shared: options.dynamic_shared,
            params: &params,
            memory: &memory,
            descriptors: &descriptors,
            threads: options.threads,
            max_steps: options.max_steps,
            fmad: options.fmad,
            stack_limit: options.stack_limit,
            grid_id: device.launches.fetch_add(1, Ordering::Relaxed),
            progress: options.progress,
            cancel: options.cancel,
            watch: options.watch,
        };
        texunit_simt::launch(&self.module.inner.program, self.id, &config)
            .map_err(LaunchError::Fault)
    }

    /// Checks grid, block and shared memory.
    fn check_shape(&self, options: &LaunchOptions<'_>) -> Result<(), ArgError> {
        for (what, values, limits) in
            [("grid", options.grid, MAX_GRID), ("block", options.block, MAX_BLOCK)]
        {
            for ((axis, value), max) in ['x', 'y', 'z'].into_iter().zip(values).zip(limits) {
                if value == 0 || value > max {
                    return Err(ArgError::Dimension { what, axis, value, max });
                }
            }
        }
        let [x, y, z] = options.block;
        let threads = x * y * z;
        if threads > MAX_THREADS {
            return Err(ArgError::Block(format!(
                "a block of {x} x {y} x {z} has {threads} threads, but at most {MAX_THREADS} are possible"
            )));
        }
        let program = &self.module.inner.program;
        for (name, values) in program.kernel_directives(self.id) {
            let at = |i: usize| values.get(i).copied().unwrap_or(1);
            let wanted = [at(0), at(1), at(2)];
            let given = options.block.map(u64::from);
            if name == "reqntid" && wanted != given {
                return Err(ArgError::Block(format!(
                    "the kernel requires blocks of {} x {} x {} threads (.reqntid), not {x} x {y} x {z}",
                    wanted[0], wanted[1], wanted[2]
                )));
            }
            let most = wanted.iter().fold(1u64, |a, &b| a.saturating_mul(b));
            if name == "maxntid" && u64::from(threads) > most {
                return Err(ArgError::Block(format!(
                    "the kernel was made for blocks of at most {most} threads (.maxntid), not {threads}"
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
