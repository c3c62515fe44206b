//! Dynamic parallelism: kernels that kernels launch. A launch runs its kernel, then all work that
//! the kernel has submitted (launches, copies and fills), one item after the other, each with the
//! work that it submits itself (`simt::runtime` defines the order).
//!
//! A caller that runs the work itself, such as the CUDA driver, sets [`ExecutionOptions::runtime`],
//! takes the work from the grid, and calls [`Module::perform`] for copies and fills.

use crate::kernel::Kernel;
use crate::launch_error::{LaunchError, LaunchResult};
use crate::launch_options::LaunchOptions;
use crate::module::Module;
use std::sync::{Mutex, PoisonError};
use texunit_memory::{Block, Memory, SpaceKind};
use texunit_simt::runtime::{
    self, Grid, KernelAttributes, PENDING_LAUNCHES, Pitched, Runtime, RuntimeHost, SYNC_DEPTH,
    Shape, Task, Work, code,
};
use texunit_simt::{ExecutionOptions, Fault, FaultKind, KernelId, LaunchStats};

/// The version of the runtime that kernels can query.
const VERSION: i32 = 13000;
/// Number of bytes that a copy submitted by a kernel copies at a time.
const PIECE: u64 = 1 << 20;

/// The device runtime of launches whose caller does not provide one.
#[derive(Debug)]
struct DefaultRuntime<'a> {
    module: &'a Module,
    options: &'a LaunchOptions<'a>,
    grid: &'a Grid,
    /// Statistics of the children that the kernel has waited for.
    done: Mutex<LaunchStats>,
    /// The error of the first child that has failed.
    error: Mutex<Option<LaunchError>>,
}

impl RuntimeHost for DefaultRuntime<'_> {
    fn device(&self) -> (i32, i32) {
        (0, 1)
    }

    fn attribute(&self, device: i32, attribute: i32) -> Result<i32, u32> {
        let version = self.module.inner.device.inner.architecture;
        match (device, attribute) {
            (0, 1..=3) => Ok(1024),
            (0, 4) => Ok(64),
            (0, 5) => Ok(i32::MAX),
            (0, 6 | 7) => Ok(65535),
            (0, 8) => Ok(48 << 10),
            (0, 10) => Ok(32),
            (0, 75) => Ok(version.major as i32),
            (0, 76) => Ok(version.minor as i32),
            (0, _) => Err(code::INVALID_VALUE),
            _ => Err(code::INVALID_DEVICE),
        }
    }

    fn limit(&self, limit: u32) -> Result<u64, u32> {
        Ok(match limit {
            0 => self.options.stack_limit.into(),
            1 => self.options.printf_limit as u64,
            2 => self.module.inner.device.heap_size(),
            3 => SYNC_DEPTH.into(),
            4 => PENDING_LAUNCHES as u64,
            _ => return Err(code::UNSUPPORTED_LIMIT),
        })
    }

    fn sync_depth(&self) -> u32 {
        SYNC_DEPTH
    }

    fn version(&self) -> i32 {
        VERSION
    }

    fn error(&self, code: u32) -> (String, String) {
        let (name, text) = runtime::error_text(code);
        (name.to_owned(), text.to_owned())
    }

    fn kernel(&self, kernel: KernelId) -> KernelAttributes {
        let kernel = self.module.kernel_of(kernel);
        let (used, version) = (kernel.resources(), self.module.inner.device.inner.architecture);
        let version = (10 * version.major + version.minor) as i32;
        let registers = i32::try_from(used.registers).unwrap_or(i32::MAX);
        let dynamic = (48_u32 << 10).saturating_sub(kernel.static_shared()) as i32;
        let threads = kernel.max_threads() as i32;
        KernelAttributes {
            sizes: [kernel.static_shared().into(), used.constant, used.local.into()],
            numbers: [threads, registers, version, version, 0, dynamic, -1],
        }
    }

    /// The occupancy by threads only: a device without a product name has multiprocessors of 2048
    /// threads.
    fn occupancy(&self, _: KernelId, threads: u32, _: u64) -> i32 {
        2048_u32.checked_div(threads.next_multiple_of(32)).map_or(0, |ctas| ctas.min(32) as i32)
    }

    fn accepts(&self, kernel: KernelId, shape: &Shape) -> Result<(), u32> {
        self.module.accepts(kernel, shape)
    }

    fn run_now(&self, work: Vec<Work>) -> Result<Vec<u8>, FaultKind> {
        let stats = self.run_all(work);
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        match stats {
            Ok(mut stats) => {
                let printed = std::mem::take(&mut stats.printf);
                done.add(stats);
                Ok(printed)
            }
            Err(error) => {
                *self.error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                Err(FaultKind::Cancelled)
            }
        }
    }
}

/// The error of a launch, with the statistics of the launches before it added.
fn after(mut sum: LaunchStats, mut error: LaunchError) -> LaunchError {
    if let LaunchError::Fault(fault) = &mut error {
        sum.add(std::mem::take(&mut fault.stats));
        fault.stats = sum;
    }
    error
}

impl DefaultRuntime<'_> {
    fn run_all(&self, work: Vec<Work>) -> LaunchResult {
        let (mut sum, mut waiting) = (LaunchStats::default(), work.len());
        for work in work {
            waiting -= 1;
            match self.run(&work, waiting) {
                Ok(stats) => sum.add(stats),
                Err(error) => return Err(after(sum, error)),
            }
        }
        Ok(sum)
    }

    fn run(&self, work: &Work, waiting: usize) -> LaunchResult {
        let Task::Launch { kernel, shape, params } = &work.task else {
            self.module.perform(work).map_err(LaunchError::Fault)?;
            return Ok(LaunchStats::default());
        };
        let execution = ExecutionOptions {
            grid: shape.grid,
            block: shape.block,
            dynamic_shared: shape.dynamic_shared,
            ctas: None,
            cooperative: false,
            cluster: None,
            progress: None,
            ..self.options.execution
        };
        let options = LaunchOptions { execution, ..*self.options };
        let kernel = self.module.kernel_of(*kernel);
        let stats = kernel.run_grid(&options, params, &self.grid.child(waiting));
        stats.map_err(|error| match error {
            LaunchError::Fault(fault) => LaunchError::Fault(fault.launched_by(&work.caller)),
            error => error,
        })
    }
}

impl Kernel {
    /// Runs the kernel and, unless the caller does, the work that it submits.
    pub(crate) fn run_tree(&self, options: &LaunchOptions<'_>, params: &[u8]) -> LaunchResult {
        if options.runtime.is_some() || !self.uses_runtime() {
            return self.run(options, params);
        }
        self.run_grid(options, params, &Grid::new(PENDING_LAUNCHES))
    }

    fn run_grid(&self, options: &LaunchOptions<'_>, params: &[u8], grid: &Grid) -> LaunchResult {
        let (done, error) = (Mutex::default(), Mutex::default());
        let own = DefaultRuntime { module: self.module(), options, grid, done, error };
        let runtime = Runtime { grid, host: &own };
        let result = self.run(&options.with_runtime(runtime), params);
        let error = own.error.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut sum = std::mem::take(&mut *own.done.lock().unwrap_or_else(PoisonError::into_inner));
        match (result, error) {
            (Err(LaunchError::Fault(parent)), Some(error @ LaunchError::Fault(_))) => {
                sum.add(parent.stats);
                return Err(after(sum, error));
            }
            (_, Some(error)) | (Err(error), None) => return Err(error),
            (Ok(stats), None) => sum.add(stats),
        }
        match own.run_all(grid.take()) {
            Ok(stats) => sum.add(stats),
            Err(error) => return Err(after(sum, error)),
        }
        Ok(sum)
    }
}

impl Module {
    /// The kernel of the module with this number.
    pub fn kernel_of(&self, kernel: KernelId) -> Kernel {
        Kernel::of(self, kernel, self.inner.program.kernel_name(kernel))
    }

    /// Checks whether a kernel can be launched from device code with this grid, block and shared
    /// memory.
    ///
    /// # Errors
    /// The error code that the device-side launch returns.
    pub fn accepts(&self, kernel: KernelId, shape: &Shape) -> Result<(), u32> {
        let options =
            LaunchOptions::new(shape.grid, shape.block).with_dynamic_shared(shape.dynamic_shared);
        self.kernel_of(kernel).check_shape(&options).map_err(|_| code::INVALID_CONFIGURATION)
    }

    /// Executes a copy or a fill that a kernel has submitted; a launch is left to the caller.
    ///
    /// # Errors
    /// If an address is outside all allocations: a fault of the thread that has submitted the work.
    pub fn perform(&self, work: &Work) -> Result<(), Box<Fault>> {
        let memory = &self.inner.device.inner.memory;
        let result = match &work.task {
            Task::Copy { extent, .. } | Task::Fill { extent, .. } if extent.contains(&0) => Ok(()),
            Task::Copy { to, from, extent } => copy(memory, [to, from], *extent),
            Task::Fill { to, value, extent } => fill(memory, to, *value, *extent),
            Task::Launch { .. } => Ok(()),
        };
        result.map_err(|kind| Fault::new(kind, work.caller.clone(), self.sources()))
    }
}

/// The distance from the first byte of pitched memory to a byte of a row and slice.
fn offset(of: &Pitched, [x, y, z]: [u64; 3]) -> u64 {
    x + y * of.row + z * of.slice
}

/// The distance from the first to the last byte of a pitched copy.
fn span(of: &Pitched, [width, height, depth]: [u64; 3]) -> u64 {
    let rows = height.saturating_sub(1).saturating_mul(of.row);
    let slices = depth.saturating_sub(1).saturating_mul(of.slice);
    width.saturating_add(rows).saturating_add(slices)
}

/// The allocation that contains pitched memory, and the offset in it.
fn place(
    memory: &Memory,
    of: &Pitched,
    extent: [u64; 3],
    access: &'static str,
) -> Result<(std::sync::Arc<Block>, u64), FaultKind> {
    let len = span(of, extent);
    let found = memory.find(of.address, len);
    let found = found.map_err(|error| runtime::outside(access, len, &error))?;
    if access == "store" && found.0.is_read_only() {
        let (space, address) = (SpaceKind::Global, of.address);
        let resource = Some(found.0.name().to_owned().into());
        return Err(FaultKind::ReadOnly { space, address, resource });
    }
    Ok(found)
}

/// Calls `f` with each piece of pitched memory: its first byte in the row, the row and the slice,
/// and its size.
fn each_piece(
    [width, height, depth]: [u64; 3],
    mut f: impl FnMut([u64; 3], u64) -> Result<(), FaultKind>,
) -> Result<(), FaultKind> {
    for (y, z) in (0..depth).flat_map(|z| (0..height).map(move |y| (y, z))) {
        for x in (0..width).step_by(PIECE as usize) {
            f([x, y, z], PIECE.min(width - x))?;
        }
    }
    Ok(())
}

/// Converts the error of an access that should be in bounds.
fn inside<T>(result: Result<T, texunit_memory::OutOfBounds>) -> Result<T, FaultKind> {
    result.map_err(|error| FaultKind::BadOperand(error.to_string()))
}

fn copy(memory: &Memory, [to, from]: [&Pitched; 2], extent: [u64; 3]) -> Result<(), FaultKind> {
    let (source, first) = place(memory, from, extent, "load")?;
    let (target, at) = place(memory, to, extent, "store")?;
    let mut bytes = vec![0; extent[0].min(PIECE) as usize];
    each_piece(extent, |piece, len| {
        let [from, to] = [(first, from), (at, to)].map(|(at, of)| at + offset(of, piece));
        let bytes = &mut bytes[..len as usize];
        inside(source.read(from, bytes))?;
        inside(target.write(to, bytes))?;
        target.define(to, len);
        Ok(())
    })
}

fn fill(memory: &Memory, to: &Pitched, value: u8, extent: [u64; 3]) -> Result<(), FaultKind> {
    let (target, at) = place(memory, to, extent, "store")?;
    let bytes = vec![value; extent[0].min(PIECE) as usize];
    each_piece(extent, |piece, len| {
        let at = at + offset(to, piece);
        inside(target.write(at, &bytes[..len as usize]))?;
        target.define(at, len);
        Ok(())
    })
}
