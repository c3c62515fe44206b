//! Status codes of cuFFT (`cufftResult`).

use std::borrow::Cow;
use texunit_client::call::{Code, Refused};
use texunit_cuda_abi::CUresult;

/// An error status, by its number in `cufft.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum FftCode {
    /// The plan handle is invalid, or the plan does not support the call.
    InvalidPlan = 1,
    AllocFailed = 2,
    InvalidType = 3,
    InvalidValue = 4,
    InternalError = 5,
    ExecFailed = 6,
    SetupFailed = 7,
    InvalidSize = 8,
    NoWorkspace = 13,
    NotSupported = 16,
}

/// Result of a function of cuFFT.
pub(crate) type Answer<T = ()> = Result<T, Refused<FftCode>>;

impl Code for FftCode {
    fn number(self) -> u32 {
        self as u32
    }

    fn name(self) -> Cow<'static, str> {
        let name = match self {
            Self::InvalidPlan => "CUFFT_INVALID_PLAN",
            Self::AllocFailed => "CUFFT_ALLOC_FAILED",
            Self::InvalidType => "CUFFT_INVALID_TYPE",
            Self::InvalidValue => "CUFFT_INVALID_VALUE",
            Self::InternalError => "CUFFT_INTERNAL_ERROR",
            Self::ExecFailed => "CUFFT_EXEC_FAILED",
            Self::SetupFailed => "CUFFT_SETUP_FAILED",
            Self::InvalidSize => "CUFFT_INVALID_SIZE",
            Self::NoWorkspace => "CUFFT_NO_WORKSPACE",
            Self::NotSupported => "CUFFT_NOT_SUPPORTED",
        };
        name.into()
    }

    fn of_driver(code: CUresult) -> Self {
        match code {
            CUresult::INVALID_VALUE | CUresult::INVALID_HANDLE => Self::InvalidValue,
            CUresult::OUT_OF_MEMORY => Self::AllocFailed,
            CUresult::UNKNOWN => Self::InternalError,
            _ => Self::SetupFailed,
        }
    }

    fn not_supported() -> Self {
        Self::NotSupported
    }
}
