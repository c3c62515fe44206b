//! Status codes of cuBLAS (`cublasStatus_t`).

use std::borrow::Cow;
use texunit_client::call::{Code, Refused};
use texunit_cuda_abi::CUresult;

/// An error status, by its number in `cublas_api.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum BlasCode {
    NotInitialized = 1,
    AllocFailed = 3,
    InvalidValue = 7,
    MappingError = 11,
    ExecutionFailed = 13,
    InternalError = 14,
    NotSupported = 15,
}

/// Result of a function of cuBLAS.
pub(crate) type Answer<T = ()> = Result<T, Refused<BlasCode>>;

/// Numbers and names of the codes.
pub(crate) const NAMES: [(u32, &str); 10] = [
    (0, "CUBLAS_STATUS_SUCCESS"),
    (1, "CUBLAS_STATUS_NOT_INITIALIZED"),
    (3, "CUBLAS_STATUS_ALLOC_FAILED"),
    (7, "CUBLAS_STATUS_INVALID_VALUE"),
    (8, "CUBLAS_STATUS_ARCH_MISMATCH"),
    (11, "CUBLAS_STATUS_MAPPING_ERROR"),
    (13, "CUBLAS_STATUS_EXECUTION_FAILED"),
    (14, "CUBLAS_STATUS_INTERNAL_ERROR"),
    (15, "CUBLAS_STATUS_NOT_SUPPORTED"),
    (16, "CUBLAS_STATUS_LICENSE_ERROR"),
];

impl Code for BlasCode {
    fn number(self) -> u32 {
        self as u32
    }

    fn name(self) -> Cow<'static, str> {
        let known = NAMES.iter().find(|(number, _)| *number == self as u32);
        known.map_or("an error of cuBLAS", |(_, name)| name).into()
    }

    fn of_driver(code: CUresult) -> Self {
        match code {
            CUresult::INVALID_VALUE | CUresult::INVALID_HANDLE => Self::InvalidValue,
            CUresult::OUT_OF_MEMORY => Self::AllocFailed,
            CUresult::UNKNOWN => Self::InternalError,
            _ => Self::ExecutionFailed,
        }
    }

    fn not_supported() -> Self {
        Self::NotSupported
    }
}
