//! Attributes of kernels (runtime API, "Execution Control"), how many blocks or clusters of a
//! kernel are resident at once ("Occupancy"), and the driver's handles for host stubs of kernels.

use crate::api::launch::config;
use crate::api::*;
use texunit_cuda_abi::function_attribute as attribute;

runtime_api! {
    /// Attributes of a kernel.
    fn cudaFuncGetAttributes(attr, func) {
        attr.check()?;
        let kernel = kernel(func)?;
        let of = |id| ask(|value| driver::cuFuncGetAttribute(value, id, kernel));
        let size = |id| of(id).map(|bytes| bytes.max(0) as usize);
        attr.set(cudaFuncAttributes {
            sharedSizeBytes: size(attribute::SHARED_SIZE_BYTES)?,
            constSizeBytes: size(attribute::CONST_SIZE_BYTES)?,
            localSizeBytes: size(attribute::LOCAL_SIZE_BYTES)?,
            maxThreadsPerBlock: of(attribute::MAX_THREADS_PER_BLOCK)?,
            numRegs: of(attribute::NUM_REGS)?,
            ptxVersion: of(attribute::PTX_VERSION)?,
            binaryVersion: of(attribute::BINARY_VERSION)?,
            cacheModeCA: of(attribute::CACHE_MODE_CA)?,
            maxDynamicSharedSizeBytes: of(attribute::MAX_DYNAMIC_SHARED_SIZE_BYTES)?,
            preferredShmemCarveout: of(attribute::PREFERRED_SHARED_MEMORY_CARVEOUT)?,
            clusterDimMustBeSet: of(attribute::CLUSTER_SIZE_MUST_BE_SET)?,
            requiredClusterWidth: of(attribute::REQUIRED_CLUSTER_WIDTH)?,
            requiredClusterHeight: of(attribute::REQUIRED_CLUSTER_HEIGHT)?,
            requiredClusterDepth: of(attribute::REQUIRED_CLUSTER_DEPTH)?,
            clusterSchedulingPolicyPreference:
                of(attribute::CLUSTER_SCHEDULING_POLICY_PREFERENCE)?,
            nonPortableClusterSizeAllowed: of(attribute::NON_PORTABLE_CLUSTER_SIZE_ALLOWED)?,
            reserved: [0; 16],
        })
    }

    /// Sets an attribute of a kernel on a device.
    fn cudaKernelSetAttributeForDevice(kernel, attr, value, device) {
        state::context()?;
        check(driver::cuKernelSetAttribute(attr, value, kernel, device))
    }

    /// The driver's function handle of a kernel, in the current context.
    fn cudaGetFuncBySymbol(functionPtr, symbolPtr) {
        functionPtr.check()?;
        state::context()?;
        let kernel = registry::kernel(symbolPtr.address() as usize)?;
        functionPtr.set(ask(|functionPtr| driver::cuKernelGetFunction(functionPtr, kernel))?)
    }

    /// The driver's kernel handle for a host stub.
    fn cudaGetKernel(kernelPtr, entryFuncAddr) {
        kernelPtr.check()?;
        state::context()?;
        kernelPtr.set(registry::kernel(entryFuncAddr.address() as usize)?)
    }
}

/// The driver's function for a host stub, or for a kernel handle passed in its place.
///
/// `cudaErrorInvalidDeviceFunction` if the argument is neither.
pub(crate) fn kernel(function: Raw) -> Answer<CUfunction> {
    state::context()?;
    let kernel = registry::kernel_or_handle(function.address() as usize)?;
    let mut name = std::ptr::null();
    match driver::cuFuncGetName(&mut name, kernel) {
        CUresult::INVALID_HANDLE => Err(registry::unknown(function.address() as usize)),
        code => check(code).map(|()| kernel),
    }
}

runtime_api! {
    /// Maximum cluster size for a launch.
    fn cudaOccupancyMaxPotentialClusterSize(clusterSize, func, launchConfig) {
        // SAFETY: the caller's structure has as many attributes as it counts; the driver's function
        // gets local variables.
        unsafe { clusters(clusterSize, func, launchConfig, driver::cuOccupancyMaxPotentialClusterSize) }
    }

    /// Maximum number of a launch's clusters resident on the device.
    fn cudaOccupancyMaxActiveClusters(numClusters, func, launchConfig) {
        // SAFETY: the caller's structure has as many attributes as it counts; the driver's function
        // gets local variables.
        unsafe { clusters(numClusters, func, launchConfig, driver::cuOccupancyMaxActiveClusters) }
    }
}

/// Calls a driver function about clusters.
///
/// # Safety
/// The structure points to as many attributes as it counts.
unsafe fn clusters(
    out: Out<'_, c_int>,
    function: Raw<'_>,
    given: In<'_, cudaLaunchConfig_t>,
    find: unsafe extern "C" fn(*mut c_int, CUfunction, *const CUlaunchConfig) -> CUresult,
) -> Answer {
    out.check()?;
    let given = given.get()?;
    let kernel = kernel(function)?;
    // SAFETY: the caller upholds this function's safety contract.
    let attributes = unsafe { given.attributes() }.to_vec()?;
    let config = config(&given, &attributes)?;
    // SAFETY: the pointers are to local variables.
    out.set(ask(|out| unsafe { find(out, kernel, &raw const config) })?)
}
