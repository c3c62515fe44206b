//! Status codes of cuFFT (`cufftResult`), and the names that most modules use with them.

pub(crate) use texunit_client::prelude::*;

texunit_client::library_codes! {
    /// An error status, by its number in `cufft.h`.
    FftCode {
        invalid: InvalidValue, memory: AllocFailed, internal: InternalError,
        other: SetupFailed, not_supported: NotSupported
    }
    /// The plan handle is invalid, or the plan does not support the call.
    InvalidPlan = 1 "CUFFT_INVALID_PLAN",
    AllocFailed = 2 "CUFFT_ALLOC_FAILED",
    InvalidType = 3 "CUFFT_INVALID_TYPE",
    InvalidValue = 4 "CUFFT_INVALID_VALUE",
    InternalError = 5 "CUFFT_INTERNAL_ERROR",
    ExecFailed = 6 "CUFFT_EXEC_FAILED",
    SetupFailed = 7 "CUFFT_SETUP_FAILED",
    InvalidSize = 8 "CUFFT_INVALID_SIZE",
    NoWorkspace = 13 "CUFFT_NO_WORKSPACE",
    NotSupported = 16 "CUFFT_NOT_SUPPORTED",
}
