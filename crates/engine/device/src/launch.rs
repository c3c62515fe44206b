//! Launches of kernels: the checks of their arguments and sizes, and the launch itself.

use crate::arg::Arg;
use crate::buffer::Buffer;
use crate::cluster;
use crate::kernel::{Kernel, MAX_THREADS};
use crate::launch_error::{ArgError, LaunchError, LaunchResult};
use crate::launch_options::LaunchOptions;
use std::sync::atomic::Ordering;
use texunit_forms::Count;
use texunit_simt::{CtaRange, ExecutionOptions, LaunchConfig};

/// Maximum shared memory of a CTA: 227 KiB, as on sm_90.
const MAX_SHARED: u64 = 227 * 1024;
const MAX_GRID: [u32; 3] = [i32::MAX as u32, 65535, 65535];
const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];
/// Bytes of the workspace by which cooperative groups synchronise a grid.
const WORKSPACE: u64 = 16;

impl Kernel {
    /// Launches the kernel and waits for its end.
    ///
    /// # Errors
    /// [`LaunchError::Fault`] for a fault in the kernel or a cancelled launch; the other errors if
    /// the kernel did not start.
    pub fn launch(&self, options: &LaunchOptions<'_>, args: &[Arg<'_>]) -> LaunchResult {
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
    pub fn launch_packed(&self, options: &LaunchOptions<'_>, params: &[u8]) -> LaunchResult {
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

    /// Runs the kernel, but not the launches, copies and fills that the kernel submits.
    pub(crate) fn run(&self, options: &LaunchOptions<'_>, params: &[u8]) -> LaunchResult {
        let unsupported = self.unsupported();
        if !unsupported.is_empty() {
            return Err(LaunchError::Unsupported(unsupported));
        }
        let program = &self.module().inner.program;
        let device = &self.module().inner.device.inner;
        let heap = device.heap(program.uses_heap(self.id())).map_err(ArgError::from)?;
        let workspace = options.cooperative.then(|| self.grid_workspace(options)).transpose()?;
        let share = self.share_local(options)?;
        let peers = options.peers.iter().map(|peer| &peer.inner.memory);
        let memory = device.memory.map_with_peers(peers);
        let descriptors = device.tables().snapshot();
        let config = LaunchConfig {
            options: ExecutionOptions {
                grid: cluster::grid(self, options),
                cluster: cluster::of(self, options),
                threads: share.threads,
                stack_limit: share.stack_limit,
                ..options.execution
            },
            params,
            memory: &memory,
            descriptors: &descriptors,
            grid_id: device.launches.fetch_add(1, Ordering::Relaxed),
            grid_workspace: workspace.as_ref().map_or(0, |of| of.address()),
            heap,
            jit: None,
            fill: device.memory.fill(),
        };
        let ran = match options.debugger {
            Some(debugger) => texunit_simt::debug::debug(program, self.id(), &config, debugger),
            None => texunit_simt::launch(program, self.id(), &config),
        };
        ran.map_err(LaunchError::Fault)
    }

    /// Allocates the workspace by which cooperative groups synchronise the grid: its size, and a
    /// barrier.
    fn grid_workspace(&self, options: &LaunchOptions<'_>) -> Result<Buffer, ArgError> {
        let ctas = options.grid.iter().map(|&n| u64::from(n)).product();
        let max = self.max_cooperative_ctas(options.block, options.dynamic_shared);
        if ctas > max {
            return Err(ArgError::CooperativeLaunchTooLarge { ctas, max });
        }
        let workspace = self.module().inner.device.alloc(WORKSPACE, "grid workspace")?;
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
            self.check_ctas(some, options)?;
        }
        let [x, y, z] = options.block;
        let threads = x * y * z;
        if threads > MAX_THREADS {
            let (threads, most) = (Count(threads, "thread"), MAX_THREADS);
            let why = format!("has {threads}, but at most {most} are possible");
            return Err(ArgError::Block(format!("a CTA of {x} x {y} x {z} {why}")));
        }
        let program = &self.module().inner.program;
        for (name, values) in program.kernel_directives(self.id()) {
            let at = |i: usize| values.get(i).copied().unwrap_or(1);
            let wanted @ [a, b, c] = [at(0), at(1), at(2)];
            if name == "reqntid" && wanted != options.block.map(u64::from) {
                let wanted = format!("CTAs of {a} x {b} x {c} threads (.reqntid)");
                let why = format!("the kernel requires {wanted}, not {x} x {y} x {z}");
                return Err(ArgError::Block(why));
            }
            let most = wanted.iter().fold(1u64, |a, &b| a.saturating_mul(b));
            if name == "maxntid" && u64::from(threads) > most {
                let most = format!("at most {} (.maxntid)", Count(most, "thread"));
                let why = format!("the kernel was made for CTAs of {most}, not {threads}");
                return Err(ArgError::Block(why));
            }
        }
        let size = u64::from(program.static_shared(self.id())) + u64::from(options.dynamic_shared);
        if size > MAX_SHARED {
            return Err(ArgError::Shared { size, max: MAX_SHARED });
        }
        Ok(())
    }

    /// Checks whether some CTAs of a launch can run without the others.
    fn check_ctas(&self, some: CtaRange, options: &LaunchOptions<'_>) -> Result<(), ArgError> {
        let all = CtaRange::of_grid(options.grid);
        let n = all.end;
        let whole = match cluster::of(self, options) {
            _ if some.is_empty() || some.within(all) != some => {
                let range = format!("the range {some} of CTAs");
                let why = format!("{range} is not one of a grid of {n}: they are 0..{n}");
                return Err(ArgError::Ctas(why));
            }
            _ if options.cooperative => "a cooperative launch",
            Some(_) if some != all => "a launch with clusters",
            _ if self.uses_runtime() => "a kernel that launches kernels",
            _ => return Ok(()),
        };
        let why = format!("a part of the CTAs of {whole} cannot run without the others");
        Err(ArgError::Ctas(why))
    }

    /// Packs the arguments into a parameter buffer.
    fn pack(&self, args: &[Arg<'_>]) -> Result<Vec<u8>, ArgError> {
        let params = self.params();
        if params.len() != args.len() {
            return Err(ArgError::Count { given: args.len(), wanted: params.len() });
        }
        let program = &self.module().inner.program;
        let mut buffer = vec![0; program.param_size(self.id()) as usize];
        for (param, arg) in params.iter().zip(args) {
            if arg.device().is_some_and(|d| !d.is(&self.module().inner.device)) {
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
