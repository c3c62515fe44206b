//! Status codes of cuRAND (`curandStatus_t`), and the names that most modules use with them.

pub(crate) use texunit_client::prelude::*;

texunit_client::library_codes! {
    /// An error status, by its number in `curand.h`.
    RandCode {
        // Invalid pointers have no status of their own; `OutOfRange` is the nearest.
        invalid: OutOfRange, memory: AllocationFailed, internal: InternalError,
        other: LaunchFailure, not_supported: ArchMismatch
    }
    /// The generator handle is invalid.
    NotInitialized = 101 "CURAND_STATUS_NOT_INITIALIZED",
    AllocationFailed = 102 "CURAND_STATUS_ALLOCATION_FAILED",
    /// The generator has a type that the function does not support.
    TypeError = 103 "CURAND_STATUS_TYPE_ERROR",
    OutOfRange = 104 "CURAND_STATUS_OUT_OF_RANGE",
    LengthNotMultiple = 105 "CURAND_STATUS_LENGTH_NOT_MULTIPLE",
    LaunchFailure = 201 "CURAND_STATUS_LAUNCH_FAILURE",
    InitializationFailed = 203 "CURAND_STATUS_INITIALIZATION_FAILED",
    ArchMismatch = 204 "CURAND_STATUS_ARCH_MISMATCH",
    InternalError = 999 "CURAND_STATUS_INTERNAL_ERROR",
}
