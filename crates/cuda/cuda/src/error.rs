//! Errors of the device as refusals of the driver API.

use texunit_cuda_abi::{CUresult, Refusal};
use texunit_device::Error;

/// The device's own words, with the code that the driver answers.
pub(crate) fn refusal(error: Error) -> Refusal {
    code(&error).because(error.to_string())
}

/// The code that the driver answers.
pub(crate) fn code(error: &Error) -> CUresult {
    match error {
        Error::Memory { .. } | Error::TooMany { .. } => CUresult::OUT_OF_MEMORY,
        Error::Unknown { .. } => CUresult::NOT_FOUND,
        Error::OtherDevice(_) => CUresult::INVALID_CONTEXT,
        // All others are of an argument.
        _ => CUresult::INVALID_VALUE,
    }
}
