//! Kernel launches and host functions (runtime API, "Execution Control"): checks the configuration,
//! and launches through the driver.

use crate::api::*;
use crate::codes::{INVALID_CONFIGURATION, INVALID_DEVICE_FUNCTION};

/// Grid, block, and dynamic shared memory in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared: usize,
}

runtime_api! {
    /// Launches a kernel, named by its host stub or by a library's kernel handle.
    fn cudaLaunchKernel(func, gridDim, blockDim, args, sharedMem, stream) {
        let shape = Shape { grid: gridDim.all(), block: blockDim.all(), shared: sharedMem };
        // SAFETY: the kernel's arguments are valid as the runtime API requires.
        unsafe { launch(func.address() as usize, &shape, args, stream, &[]) }
    }

    /// Launches a cooperative kernel, whose CTAs can synchronise with each other.
    fn cudaLaunchCooperativeKernel(func, gridDim, blockDim, args, sharedMem, stream) {
        let shape = Shape { grid: gridDim.all(), block: blockDim.all(), shared: sharedMem };
        // SAFETY: the kernel's arguments are valid as the runtime API requires.
        unsafe { launch(func.address() as usize, &shape, args, stream, &[cooperative()]) }
    }

    /// Launches a kernel with attributes.
    fn cudaLaunchKernelExC(config, func, args) {
        let config = config.get()?;
        // SAFETY: the caller's structure points to as many attributes as it counts.
        let attributes = unsafe { config.attributes() }.to_vec()?;
        let (grid, block) = (config.gridDim.all(), config.blockDim.all());
        let shape = Shape { grid, block, shared: config.dynamicSmemBytes };
        // SAFETY: the kernel's arguments are valid as the runtime API requires.
        unsafe { launch(func.address() as usize, &shape, args, config.stream, &attributes)? };
        // The driver writes the handle of a device-updatable node into the attribute, which is
        // copied back.
        for (i, one) in attributes.iter().enumerate() {
            if one.id == launch_attribute::DEVICE_UPDATABLE_KERNEL_NODE {
                let to = config.attrs as usize + i * size_of::<CUlaunchAttribute>();
                let to = std::ptr::with_exposed_provenance_mut::<CUlaunchAttribute>(to);
                // SAFETY: the attribute is in the caller's array, and the caller expects the handle
                // in it.
                unsafe { to.write_unaligned(*one) };
            }
        }
        Ok(())
    }
}

#[cfg(feature = "cuda-12")]
runtime_api! {
    /// Launches a cooperative kernel on each of several devices.
    fn cudaLaunchCooperativeKernelMultiDevice(list, devices, flags) {
        state::context()?;
        // SAFETY: the caller passes the length of its array.
        let list = unsafe { list.elements(devices as usize) }.to_vec()?;
        let of_driver = |one: &cudaLaunchParams| -> Answer<CUDA_LAUNCH_PARAMS> {
            let (grid, block) = (one.gridDim.all(), one.blockDim.all());
            let shape = Shape { grid, block, shared: one.sharedMem };
            check_shape(&shape)?;
            Ok(CUDA_LAUNCH_PARAMS {
                function: registry::kernel_or_handle(one.func)?,
                grid,
                block,
                sharedMemBytes: config(&shape, one.stream, &[])?.sharedMemBytes,
                hStream: one.stream,
                kernelParams: one.args,
            })
        };
        let list: Vec<CUDA_LAUNCH_PARAMS> = list.iter().map(of_driver).collect::<Answer<_>>()?;
        // SAFETY: the caller's structures point to the arguments of the launches.
        check(unsafe { driver::cuLaunchCooperativeKernelMultiDevice(list.as_ptr(), devices, flags) })
    }
}

fn cooperative() -> CUlaunchAttribute {
    let mut value = [0; 16];
    value[0] = 1;
    CUlaunchAttribute { id: launch_attribute::COOPERATIVE, pad: 0, value }
}

/// Launches the kernel of a host stub or a handle.
///
/// `cudaErrorInvalidDeviceFunction` if there is none, `cudaErrorInvalidConfiguration` for a grid or
/// block beyond the device's limits.
///
/// # Safety
/// `args` is null, or has a pointer to an argument for each parameter of the kernel.
pub(crate) unsafe fn launch(
    function: usize,
    shape: &Shape,
    args: In<'_, Raw<'_>>,
    stream: CUstream,
    attributes: &[CUlaunchAttribute],
) -> Answer {
    state::context()?;
    let kernel = registry::kernel_or_handle(function)?;
    check_shape(shape)?;
    check_stream(stream)?;
    let config = config(shape, stream, attributes)?;
    // SAFETY: the configuration is our own; the caller guarantees the arguments.
    let code = unsafe {
        let args = args.as_ptr().cast();
        driver::cuLaunchKernelEx(&raw const config, kernel, args, std::ptr::null())
    };
    launched(code, kernel, function)
}

/// Result of a launch. An argument that was never a handle is reported as an invalid device
/// function.
fn launched(code: CUresult, kernel: CUfunction, given: usize) -> Answer {
    match code {
        CUresult::INVALID_HANDLE
            if kernel == given && !is_kernel(kernel) && !was_handle(kernel) =>
        {
            Err(INVALID_DEVICE_FUNCTION.because(format!(
                "func {given:#x} is not a `__global__` function that the program has registered, nor a handle of one"
            )))
        }
        code => check(code),
    }
}

/// Whether a value is in the range of the driver's handles, so that it may be of a kernel whose
/// library has been unloaded.
fn was_handle(kernel: CUfunction) -> bool {
    kernel >> 40 == FIRST_HANDLE >> 40
}

fn is_kernel(kernel: CUfunction) -> bool {
    let mut name = std::ptr::null();
    driver::cuFuncGetName(&mut name, kernel) == CUresult::SUCCESS
}

/// The launch configuration for the driver.
pub(crate) fn config(
    shape: &Shape,
    stream: CUstream,
    attributes: &[CUlaunchAttribute],
) -> Answer<CUlaunchConfig> {
    Ok(CUlaunchConfig {
        gridDimX: shape.grid[0],
        gridDimY: shape.grid[1],
        gridDimZ: shape.grid[2],
        blockDimX: shape.block[0],
        blockDimY: shape.block[1],
        blockDimZ: shape.block[2],
        sharedMemBytes: u32::try_from(shape.shared)
            .map_err(|_| invalid!("sharedMem {} is more bytes than any CTA has", shape.shared))?,
        hStream: stream,
        attrs: attributes.as_ptr().expose_provenance() as u64,
        numAttrs: attributes.len() as u32,
    })
}

/// Returns `cudaErrorInvalidResourceHandle` for a stream of another device, in which the driver
/// would launch the kernel.
fn check_stream(stream: CUstream) -> Answer {
    /// The highest handle of a default stream (`cudaStreamPerThread`), which exists in every
    /// context.
    const LAST_DEFAULT: CUstream = 2;
    if stream <= LAST_DEFAULT {
        return Ok(());
    }
    let owner = ask(|device| driver::cuStreamGetDevice(stream, device))?;
    let current = crate::state::device();
    if owner == current {
        return Ok(());
    }
    Err(CUresult::INVALID_HANDLE.because(format!(
        "stream {stream:#x} is of another device than the one that is current (cudaSetDevice)"
    )))
}

/// Checks grid and block against the attributes of the current device.
fn check_shape(shape: &Shape) -> Answer {
    /// Attributes for the maximum threads of a block, and for the maximum extents of block and grid
    /// (2 to 7).
    const MAX_THREADS_PER_BLOCK: c_int = 1;
    const MAX_BLOCK_DIM_X: c_int = 2;
    let device = state::device();
    let sizes = shape.block.iter().chain(&shape.grid);
    const NAMES: [&str; 6] =
        ["blockDim.x", "blockDim.y", "blockDim.z", "gridDim.x", "gridDim.y", "gridDim.z"];
    for ((attribute, &size), name) in (MAX_BLOCK_DIM_X..).zip(sizes).zip(NAMES) {
        let most = state::attribute(attribute, device)?;
        if size == 0 || i64::from(size) > i64::from(most) {
            bail!(
                INVALID_CONFIGURATION,
                "{name} {size} is not from 1 to {most}, the sizes on this device"
            );
        }
    }
    let threads: u64 = shape.block.iter().map(|&n| u64::from(n)).product();
    let most = state::attribute(MAX_THREADS_PER_BLOCK, device)?;
    if threads <= u64::from(most.unsigned_abs()) {
        return Ok(());
    }
    let [x, y, z] = shape.block;
    Err(INVALID_CONFIGURATION.because(format!(
        "a CTA of {x} x {y} x {z} = {} is more than {most}, the maximum for a CTA on this device",
        Count(threads, "thread")
    )))
}
