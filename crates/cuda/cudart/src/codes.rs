//! Codes of `cudaError_t`: the driver's, and the runtime's own.

use texunit_cuda_abi::CUresult;

/// `cudaErrorInvalidConfiguration`: a grid or block beyond the device's limits.
pub(crate) const INVALID_CONFIGURATION: CUresult = CUresult(9);
/// `cudaErrorInvalidPitchValue`
pub(crate) const INVALID_PITCH_VALUE: CUresult = CUresult(12);
/// `cudaErrorInvalidSymbol`: there is no such variable.
pub(crate) const INVALID_SYMBOL: CUresult = CUresult(13);
/// `cudaErrorInvalidChannelDescriptor`
pub(crate) const INVALID_CHANNEL_DESCRIPTOR: CUresult = CUresult(20);
/// `cudaErrorInvalidMemcpyDirection`
pub(crate) const INVALID_MEMCPY_DIRECTION: CUresult = CUresult(21);
/// `cudaErrorMissingConfiguration`: a launch outside `<<<...>>>`.
pub(crate) const MISSING_CONFIGURATION: CUresult = CUresult(52);
/// `cudaErrorInvalidDeviceFunction`: there is no such kernel.
pub(crate) const INVALID_DEVICE_FUNCTION: CUresult = CUresult(98);

/// The runtime's own codes: number, name, description.
#[rustfmt::skip]
const OWN: &[(u32, &str, &str)] = &[
    (9, "cudaErrorInvalidConfiguration", "invalid configuration argument"),
    (10, "cudaErrorVersionTranslation", "Driver is newer than runtime and returned parameters the runtime cannot process"),
    (12, "cudaErrorInvalidPitchValue", "invalid pitch argument"),
    (13, "cudaErrorInvalidSymbol", "invalid device symbol"),
    (16, "cudaErrorInvalidHostPointer", "invalid host pointer"),
    (17, "cudaErrorInvalidDevicePointer", "invalid device pointer"),
    (18, "cudaErrorInvalidTexture", "invalid texture reference"),
    (19, "cudaErrorInvalidTextureBinding", "texture is not bound to a pointer"),
    (20, "cudaErrorInvalidChannelDescriptor", "invalid channel descriptor"),
    (21, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"),
    (22, "cudaErrorAddressOfConstant", "invalid address of constant"),
    (23, "cudaErrorTextureFetchFailed", "fetch from texture failed"),
    (24, "cudaErrorTextureNotBound", "cannot fetch from a texture that is not bound"),
    (25, "cudaErrorSynchronizationError", "incorrect use of __syncthreads()"),
    (26, "cudaErrorInvalidFilterSetting", "linear filtering not supported for non-float type"),
    (27, "cudaErrorInvalidNormSetting", "read as normalized float not supported for data type"),
    (28, "cudaErrorMixedDeviceExecution", "device emulation mode and device execution mode cannot be mixed"),
    (31, "cudaErrorNotYetImplemented", "feature not yet implemented"),
    (32, "cudaErrorMemoryValueTooLarge", "memory size or pointer value too large to fit in 32 bit"),
    (35, "cudaErrorInsufficientDriver", "CUDA driver version is insufficient for CUDA runtime version"),
    (37, "cudaErrorInvalidSurface", "invalid surface reference"),
    (43, "cudaErrorDuplicateVariableName", "duplicate global variable looked up by string name"),
    (44, "cudaErrorDuplicateTextureName", "duplicate texture looked up by string name"),
    (45, "cudaErrorDuplicateSurfaceName", "duplicate surface looked up by string name"),
    (49, "cudaErrorIncompatibleDriverContext", "incompatible driver context"),
    (52, "cudaErrorMissingConfiguration", "__global__ function call is not configured"),
    (53, "cudaErrorPriorLaunchFailure", "unspecified launch failure in prior launch"),
    (65, "cudaErrorLaunchMaxDepthExceeded", "launch would exceed maximum depth of nested launches"),
    (66, "cudaErrorLaunchFileScopedTex", "launch failed because kernel uses unsupported, file-scoped textures (texture objects are supported)"),
    (67, "cudaErrorLaunchFileScopedSurf", "launch failed because kernel uses unsupported, file-scoped surfaces (surface objects are supported)"),
    (68, "cudaErrorSyncDepthExceeded", "cudaDeviceSynchronize failed because caller's grid depth exceeds cudaLimitDevRuntimeSyncDepth"),
    (69, "cudaErrorLaunchPendingCountExceeded", "launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount"),
    (98, "cudaErrorInvalidDeviceFunction", "invalid device function"),
    (103, "cudaErrorSoftwareValidityNotEstablished", "integrity checks failed"),
    (127, "cudaErrorStartupFailure", "startup failure in cuda runtime"),
    (10000, "cudaErrorApiFailureBase", "api failure base"),
];

/// Codes of the driver that the runtime API does not define.
const UNKNOWN: [u32; 3] = [47, 202, 916];
/// Codes introduced in CUDA 13.
const SINCE_13: [u32; 5] = [10, 227, 917, 918, 919];

/// Name and description of a code, if it exists in a major version of the runtime.
pub(crate) fn find(code: u32, major: u32) -> Option<(&'static str, &'static str)> {
    if UNKNOWN.contains(&code) || (major < 13 && SINCE_13.contains(&code)) {
        return None;
    }
    let own = OWN.iter().find(|(number, ..)| *number == code).map(|(_, name, text)| (*name, *text));
    own.or_else(|| CUresult(code).code().map(|row| (row.runtime_name, row.text)))
}

/// Whether an error is sticky: a fault of a kernel that has ended the context, so that each later
/// call returns it.
pub(crate) fn is_sticky(code: CUresult) -> bool {
    use texunit_cuda_abi::CUresult as Code;
    matches!(
        code,
        Code::ILLEGAL_ADDRESS
            | Code::LAUNCH_TIMEOUT
            | Code::ASSERT
            | Code::HARDWARE_STACK_ERROR
            | Code::ILLEGAL_INSTRUCTION
            | Code::MISALIGNED_ADDRESS
            | Code::INVALID_ADDRESS_SPACE
            | Code::INVALID_PC
            | Code::LAUNCH_FAILED
            | Code::ECC_UNCORRECTABLE
    )
}
