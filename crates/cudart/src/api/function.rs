//! Attributes of kernels (runtime API, "Execution Control"), and what the driver has for a host function.

use crate::abi::cudaFuncAttributes;
use crate::call::{check, runtime_api};
use crate::codes::INVALID_DEVICE_FUNCTION;
use crate::driver::{self, CUfunction, CUkernel, ask};
use crate::{registry, state};
use std::ffi::{c_char, c_int, c_uint};
use texunit_cuda_abi::CUresult;
use texunit_cuda_abi::args::{Answer, Out, Raw};
use texunit_cuda_abi::function_attribute as attribute;

runtime_api! {
    /// What is known of a kernel.
    fn cudaFuncGetAttributes(attributes: Out<cudaFuncAttributes>, function: Raw) {
        attributes.check()?;
        let kernel = kernel(function)?;
        // SAFETY: the pointer is to our own variable.
        let of = |id| ask(|value| unsafe { driver::cuFuncGetAttribute(value, id, kernel) });
        let size = |id| of(id).map(|bytes| bytes.max(0) as usize);
        attributes.set(cudaFuncAttributes {
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

    /// Sets an attribute of a kernel.
    fn cudaFuncSetAttribute(function: Raw, id: c_uint, value: c_int) {
        let kernel = kernel(function)?;
        check(driver::cuFuncSetAttribute(kernel, id, value))
    }

    /// There are no caches to be configured.
    fn cudaFuncSetCacheConfig(function: Raw, config: c_uint) {
        let kernel = kernel(function)?;
        check(driver::cuFuncSetCacheConfig(kernel, config))
    }

    /// Banks of shared memory change nothing but time.
    fn cudaFuncSetSharedMemConfig(function: Raw, config: c_uint) {
        let kernel = kernel(function)?;
        check(driver::cuFuncSetSharedMemConfig(kernel, config))
    }

    /// The name in the PTX.
    fn cudaFuncGetName(name: Out<*const c_char>, function: Raw) {
        name.check()?;
        let kernel = kernel(function)?;
        let mut text = std::ptr::null();
        // SAFETY: the pointer is to our own variable.
        check(unsafe { driver::cuFuncGetName(&raw mut text, kernel) })?;
        name.set(text)
    }

    /// Offset and size of a parameter.
    fn cudaFuncGetParamInfo(
        function: Raw,
        index: usize,
        offset: Out<usize>,
        size: Out<usize>,
    ) {
        offset.check()?;
        let kernel = kernel(function)?;
        let (mut at, mut bytes) = (0, 0);
        // SAFETY: the pointers are to our own variables.
        check(unsafe {
            driver::cuFuncGetParamInfo(kernel, index, &raw mut at, &raw mut bytes)
        })?;
        size.set_if(bytes);
        offset.set(at)
    }

    /// The driver's function of a kernel, in the current context.
    fn cudaGetFuncBySymbol(found: Out<CUfunction>, function: Raw) {
        found.check()?;
        state::context()?;
        let kernel = registry::kernel(function.address() as usize)?;
        // SAFETY: the pointer is to our own variable.
        found.set(ask(|found| unsafe { driver::cuKernelGetFunction(found, kernel) })?)
    }

    /// The driver's kernel of a host function.
    fn cudaGetKernel(found: Out<CUkernel>, function: Raw) {
        found.check()?;
        state::context()?;
        found.set(registry::kernel(function.address() as usize)?)
    }
}

#[cfg(not(feature = "cuda-12"))]
runtime_api! {
    /// How many parameters there are.
    fn cudaFuncGetParamCount(function: Raw, count: Out<usize>) {
        count.check()?;
        let kernel = kernel(function)?;
        // SAFETY: the pointer is to our own variable.
        count.set(ask(|count| unsafe { driver::cuFuncGetParamCount(kernel, count) })?)
    }
}

/// The driver's function of a host function, or of a handle that is given in its place.
///
/// `cudaErrorInvalidDeviceFunction` if it is neither.
pub(crate) fn kernel(function: Raw) -> Answer<CUfunction> {
    state::context()?;
    let kernel = registry::kernel_or_handle(function.address() as usize)?;
    let mut name = std::ptr::null();
    // SAFETY: the pointer is to our own variable.
    match unsafe { driver::cuFuncGetName(&raw mut name, kernel) } {
        CUresult::INVALID_HANDLE => Err(INVALID_DEVICE_FUNCTION.because(format!(
            "func {:#x} is not a `__global__` function that the program has registered, nor a handle of one",
            function.address()
        ))),
        code => check(code).map(|()| kernel),
    }
}
