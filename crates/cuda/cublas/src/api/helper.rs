//! Functions for handles, their streams and modes, and for versions and status texts.

use crate::api::*;

library_api! { (BlasCode)
    /// Creates a handle.
    fn cublasCreate_v2(handle: Out<usize>) {
        handle.give(create_handle)
    }

    /// Destroys a handle.
    fn cublasDestroy_v2(handle: usize) {
        HANDLES.remove(handle).map(drop)
    }

    /// Sets the stream to which a handle's functions submit work.
    fn cublasSetStream_v2(handle: usize, streamId: CUstream) {
        HANDLES.get(handle)?;
        driver::check_stream(streamId)?;
        HANDLES.with(handle, |settings| settings.stream = streamId)
    }

    /// Stream of a handle.
    fn cublasGetStream_v2(handle: usize, streamId: Out<CUstream>) {
        Ok(streamId.set(HANDLES.get(handle)?.stream)?)
    }

    /// Sets whether scalars are in host memory (0) or device memory (1).
    fn cublasSetPointerMode_v2(handle: usize, mode: u32) {
        HANDLES.get(handle)?;
        let on_device = crate::call::second("mode", mode, ["CUBLAS_POINTER_MODE_HOST", "CUBLAS_POINTER_MODE_DEVICE"])?;
        HANDLES.with(handle, |settings| settings.on_device = on_device)
    }

    /// Whether scalars are in host or device memory.
    fn cublasGetPointerMode_v2(handle: usize, mode: Out<u32>) {
        Ok(mode.set(HANDLES.get(handle)?.on_device.into())?)
    }

    /// Sets the math mode, which has no effect: products are always computed in their own
    /// precision.
    fn cublasSetMathMode(handle: usize, mode: u32) {
        HANDLES.get(handle)?;
        if mode & !0x1f != 0 {
            bail!(BlasCode::InvalidValue, "mode {mode:#x} is not a cublasMath_t");
        }
        HANDLES.with(handle, |settings| settings.math = mode)
    }

    /// Math mode of a handle.
    fn cublasGetMathMode(handle: usize, mode: Out<u32>) {
        Ok(mode.set(HANDLES.get(handle)?.math)?)
    }

    /// Sets whether atomics may make results vary between runs, which has no effect: results never
    /// vary.
    fn cublasSetAtomicsMode(handle: usize, mode: u32) {
        HANDLES.get(handle)?;
        let allowed = crate::call::second("mode", mode, ["CUBLAS_ATOMICS_NOT_ALLOWED", "CUBLAS_ATOMICS_ALLOWED"])?;
        HANDLES.with(handle, |settings| settings.has_atomics = allowed)
    }

    /// Atomics mode of a handle.
    fn cublasGetAtomicsMode(handle: usize, mode: Out<u32>) {
        Ok(mode.set(HANDLES.get(handle)?.has_atomics.into())?)
    }

    /// Sets the number of multiprocessors for kernels, which has no effect.
    fn cublasSetSmCountTarget(handle: usize, smCountTarget: c_int) {
        HANDLES.with(handle, |settings| settings.multiprocessors = smCountTarget)
    }

    /// Number of multiprocessors that was set.
    fn cublasGetSmCountTarget(handle: usize, smCountTarget: Out<c_int>) {
        Ok(smCountTarget.set(HANDLES.get(handle)?.multiprocessors)?)
    }

    /// Sets the work area, which is not used.
    fn cublasSetWorkspace_v2(handle: usize, _workspace: u64, _workspaceSizeInBytes: usize) {
        HANDLES.get(handle).map(drop)
    }

    /// Configures the library's log, which has no effect: no log is written.
    fn cublasLoggerConfigure(_logIsOn: c_int, _logToStdOut: c_int, _logToStdErr: c_int, _logFileName: u64) {
        Ok(())
    }

    /// Sets a callback for log messages, which is never called: no log is written.
    fn cublasSetLoggerCallback(_userCallback: u64) {
        Ok(())
    }
}

/// Version of cuBLAS in CUDA 12.9: major, minor, patch.
const VERSION_12: [c_int; 3] = [12, 9, 1];
/// Version of cuBLAS in CUDA 13.5: major, minor, patch.
const VERSION_13: [c_int; 3] = [13, 10, 0];

fn number([major, minor, patch]: [c_int; 3]) -> c_int {
    major * 10_000 + minor * 100 + patch
}

/// Defines functions whose result depends on the library's version, for a major version.
macro_rules! versions {
    ($(
        $major:literal $version:ident: $get:ident $property:ident $lt:ident $lt_property:ident
    )*) => {$(
        library_api! { (BlasCode)
            #[doc = concat!("The version of `libcublas.so.", $major, "`.")]
            fn $get(_handle: usize, version: Out<c_int>) {
                Ok(version.set(number($version))?)
            }

            #[doc = concat!("A component of the version of `libcublas.so.", $major, "`.")]
            fn $property(r#type: u32, value: Out<c_int>) {
                property($version, r#type, value, BlasCode::InvalidValue)
            }

            #[doc = concat!("A component of the version of `libcublasLt.so.", $major, "`.")]
            fn $lt_property(r#type: u32, value: Out<c_int>) {
                property($version, r#type, value, BlasCode::InvalidValue)
            }
        }

        #[doc = concat!("The version of `libcublasLt.so.", $major, "`.")]
        #[unsafe(no_mangle)]
        #[allow(unreachable_pub, non_snake_case)]
        pub extern "C" fn $lt() -> usize {
            number($version).unsigned_abs() as usize
        }
    )*};
}
versions! {
    12 VERSION_12: cublasGetVersion_v2_12 cublasGetProperty_12
        cublasLtGetVersion_12 cublasLtGetProperty_12
    13 VERSION_13: cublasGetVersion_v2_13 cublasGetProperty_13
        cublasLtGetVersion_13 cublasLtGetProperty_13
}

/// Defines functions of cuBLAS and cuBLASLt that do not return a status.
macro_rules! texts {
    ($($cudart:ident $name:ident $string:ident)*) => {$(
        /// Version of the CUDA runtime that the library was built for.
        #[unsafe(no_mangle)]
        #[allow(unreachable_pub, non_snake_case)]
        pub extern "C" fn $cudart() -> usize {
            texunit_cuda_abi::CUDA_VERSION.unsigned_abs() as usize
        }

        /// Name of a status.
        #[unsafe(no_mangle)]
        #[allow(unreachable_pub, non_snake_case)]
        pub extern "C" fn $name(status: u32) -> *const c_char {
            text(status)
        }

        /// Description of a status, which is its name.
        #[unsafe(no_mangle)]
        #[allow(unreachable_pub, non_snake_case)]
        pub extern "C" fn $string(status: u32) -> *const c_char {
            text(status)
        }
    )*};
}
texts! {
    cublasGetCudartVersion cublasGetStatusName cublasGetStatusString
    cublasLtGetCudartVersion cublasLtGetStatusName cublasLtGetStatusString
}

/// The name of a status as a static C string.
fn text(status: u32) -> *const c_char {
    let name = match status {
        0 => c"CUBLAS_STATUS_SUCCESS",
        1 => c"CUBLAS_STATUS_NOT_INITIALIZED",
        3 => c"CUBLAS_STATUS_ALLOC_FAILED",
        7 => c"CUBLAS_STATUS_INVALID_VALUE",
        8 => c"CUBLAS_STATUS_ARCH_MISMATCH",
        11 => c"CUBLAS_STATUS_MAPPING_ERROR",
        13 => c"CUBLAS_STATUS_EXECUTION_FAILED",
        14 => c"CUBLAS_STATUS_INTERNAL_ERROR",
        15 => c"CUBLAS_STATUS_NOT_SUPPORTED",
        16 => c"CUBLAS_STATUS_LICENSE_ERROR",
        _ => c"unrecognized error code",
    };
    name.as_ptr()
}

/// Does nothing: errors of arguments are reported like all other refusals.
///
/// # Safety
/// No pointer is accessed.
#[unsafe(no_mangle)]
#[allow(unreachable_pub, non_snake_case)]
pub unsafe extern "C" fn cublasXerbla(_name: *const c_void, _info: c_int) {}
