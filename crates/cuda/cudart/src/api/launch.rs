//! Kernel launches and host functions (runtime API, "Execution Control"): checks the configuration,
//! and launches through the driver.

use crate::api::*;
use crate::codes::INVALID_CONFIGURATION;

runtime_api! {
    /// Launches a kernel, named by its host stub or by a library's kernel handle.
    fn cudaLaunchKernel(func, gridDim, blockDim, args, sharedMem, stream) {
        let config = cudaLaunchConfig_t::new(gridDim, blockDim, sharedMem, stream);
        // SAFETY: the kernel's arguments are valid as the runtime API requires.
        unsafe { launch(func.address() as usize, &config, args, &[]) }
    }

    /// Launches a cooperative kernel, whose CTAs can synchronise with each other.
    fn cudaLaunchCooperativeKernel(func, gridDim, blockDim, args, sharedMem, stream) {
        let config = cudaLaunchConfig_t::new(gridDim, blockDim, sharedMem, stream);
        // SAFETY: the kernel's arguments are valid as the runtime API requires.
        unsafe { launch(func.address() as usize, &config, args, &[cooperative()]) }
    }

    /// Launches a kernel with attributes.
    fn cudaLaunchKernelExC(config, func, args) {
        let config = config.get()?;
        // SAFETY: the caller's structure points to as many attributes as it counts.
        let attributes = unsafe { config.attributes() }.to_vec()?;
        // SAFETY: the kernel's arguments are valid as the runtime API requires.
        unsafe { launch(func.address() as usize, &config, args, &attributes)? };
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
            let given =
                cudaLaunchConfig_t::new(one.gridDim, one.blockDim, one.sharedMem, one.stream);
            check_shape(&given)?;
            Ok(CUDA_LAUNCH_PARAMS {
                function: registry::kernel_or_handle(one.func)?,
                grid: one.gridDim.all(),
                block: one.blockDim.all(),
                sharedMemBytes: config(&given, &[])?.sharedMemBytes,
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

/// Launches the kernel that a host stub or a kernel handle stands for, with these launch
/// attributes.
///
/// `cudaErrorInvalidDeviceFunction` if there is none, `cudaErrorInvalidConfiguration` for a grid or
/// block beyond the device's limits.
///
/// # Safety
/// `args` is null, or has a pointer to an argument for each parameter of the kernel.
pub(crate) unsafe fn launch(
    function: usize,
    given: &cudaLaunchConfig_t,
    args: In<'_, Raw<'_>>,
    attributes: &[CUlaunchAttribute],
) -> Answer {
    state::context()?;
    let kernel = registry::kernel_or_handle(function)?;
    check_shape(given)?;
    check_stream(given.stream)?;
    let config = config(given, attributes)?;
    // SAFETY: the configuration is our own; the caller guarantees the arguments.
    let code = unsafe {
        let args = args.as_ptr().cast();
        driver::cuLaunchKernelEx(&raw const config, kernel, args, std::ptr::null())
    };
    let may_be_kernel = || kernel != function || is_kernel(kernel) || registry::was_handle(kernel);
    if code == CUresult::INVALID_HANDLE && !may_be_kernel() {
        return Err(registry::unknown(function));
    }
    check(code)
}

fn is_kernel(kernel: CUfunction) -> bool {
    let mut name = std::ptr::null();
    driver::cuFuncGetName(&mut name, kernel) == CUresult::SUCCESS
}

/// The launch configuration for the driver, with these attributes.
pub(crate) fn config(
    given: &cudaLaunchConfig_t,
    attributes: &[CUlaunchAttribute],
) -> Answer<CUlaunchConfig> {
    let &cudaLaunchConfig_t { gridDim, blockDim, dynamicSmemBytes, stream, .. } = given;
    Ok(CUlaunchConfig {
        gridDimX: gridDim.x,
        gridDimY: gridDim.y,
        gridDimZ: gridDim.z,
        blockDimX: blockDim.x,
        blockDimY: blockDim.y,
        blockDimZ: blockDim.z,
        sharedMemBytes: u32::try_from(dynamicSmemBytes)
            .map_err(|_| invalid!("sharedMem {dynamicSmemBytes} is more bytes than any CTA has"))?,
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
    ensure!(
        owner == state::device(),
        CUresult::INVALID_HANDLE,
        "stream {stream:#x} is of another device than the one that is current (cudaSetDevice)"
    );
    Ok(())
}

/// Checks grid and block against the attributes of the current device.
fn check_shape(given: &cudaLaunchConfig_t) -> Answer {
    /// Attributes for the maximum threads of a block, and for the maximum extents of block and grid
    /// (2 to 7).
    const MAX_THREADS_PER_BLOCK: c_int = 1;
    const MAX_BLOCK_DIM_X: c_int = 2;
    let device = state::device();
    let (grid, block) = (given.gridDim.all(), given.blockDim.all());
    let sizes = block.iter().chain(&grid);
    const NAMES: [&str; 6] =
        ["blockDim.x", "blockDim.y", "blockDim.z", "gridDim.x", "gridDim.y", "gridDim.z"];
    for ((attribute, &size), name) in (MAX_BLOCK_DIM_X..).zip(sizes).zip(NAMES) {
        let most = state::attribute(attribute, device)?;
        ensure!(
            size != 0 && i64::from(size) <= i64::from(most),
            INVALID_CONFIGURATION,
            "{name} {size} is not from 1 to {most}, the sizes on this device"
        );
    }
    let threads: u64 = block.iter().map(|&n| u64::from(n)).product();
    let most = state::attribute(MAX_THREADS_PER_BLOCK, device)?;
    let [x, y, z] = block;
    ensure!(
        threads <= u64::from(most.unsigned_abs()),
        INVALID_CONFIGURATION,
        "a CTA of {x} x {y} x {z} = {} is more than {most}, the maximum for a CTA on this device",
        Count(threads, "thread")
    );
    Ok(())
}
