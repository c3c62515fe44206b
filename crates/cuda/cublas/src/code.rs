//! Status codes of cuBLAS (`cublasStatus_t`), and the names that most modules use with them.

pub(crate) use texunit_client::prelude::*;

texunit_client::library_codes! {
    /// An error status, by its number in `cublas_api.h`.
    BlasCode {
        invalid: InvalidValue, memory: AllocFailed, internal: InternalError,
        other: ExecutionFailed, not_supported: NotSupported
    }
    NotInitialized = 1 "CUBLAS_STATUS_NOT_INITIALIZED",
    AllocFailed = 3 "CUBLAS_STATUS_ALLOC_FAILED",
    InvalidValue = 7 "CUBLAS_STATUS_INVALID_VALUE",
    MappingError = 11 "CUBLAS_STATUS_MAPPING_ERROR",
    ExecutionFailed = 13 "CUBLAS_STATUS_EXECUTION_FAILED",
    InternalError = 14 "CUBLAS_STATUS_INTERNAL_ERROR",
    NotSupported = 15 "CUBLAS_STATUS_NOT_SUPPORTED",
}
