//! Status codes of cuRAND (`curandStatus_t`).

use std::borrow::Cow;
use texunit_client::call::{Code, Refused};
use texunit_cuda_abi::CUresult;

/// An error status, by its number in `curand.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum RandCode {
    /// The generator handle is invalid.
    NotInitialized = 101,
    AllocationFailed = 102,
    /// The generator has a type that the function does not support.
    TypeError = 103,
    OutOfRange = 104,
    LengthNotMultiple = 105,
    LaunchFailure = 201,
    InitializationFailed = 203,
    ArchMismatch = 204,
    InternalError = 999,
}

/// Result of a function of cuRAND.
pub(crate) type Answer<T = ()> = Result<T, Refused<RandCode>>;

impl Code for RandCode {
    fn number(self) -> u32 {
        self as u32
    }

    fn name(self) -> Cow<'static, str> {
        let name = match self {
            Self::NotInitialized => "CURAND_STATUS_NOT_INITIALIZED",
            Self::AllocationFailed => "CURAND_STATUS_ALLOCATION_FAILED",
            Self::TypeError => "CURAND_STATUS_TYPE_ERROR",
            Self::OutOfRange => "CURAND_STATUS_OUT_OF_RANGE",
            Self::LengthNotMultiple => "CURAND_STATUS_LENGTH_NOT_MULTIPLE",
            Self::LaunchFailure => "CURAND_STATUS_LAUNCH_FAILURE",
            Self::InitializationFailed => "CURAND_STATUS_INITIALIZATION_FAILED",
            Self::ArchMismatch => "CURAND_STATUS_ARCH_MISMATCH",
            Self::InternalError => "CURAND_STATUS_INTERNAL_ERROR",
        };
        name.into()
    }

    fn of_driver(code: CUresult) -> Self {
        match code {
            // Invalid pointers have no status of their own; this one is the nearest.
            CUresult::INVALID_VALUE | CUresult::INVALID_HANDLE => Self::OutOfRange,
            CUresult::OUT_OF_MEMORY => Self::AllocationFailed,
            CUresult::UNKNOWN => Self::InternalError,
            _ => Self::LaunchFailure,
        }
    }

    fn not_supported() -> Self {
        Self::ArchMismatch
    }
}
