//! Converts device errors to refusals of the driver API.

use texunit_cuda_abi::{CUresult, Refusal};
use texunit_device::Error;

/// The device's message with the driver's code.
pub(crate) fn refusal(error: Error) -> Refusal {
    code(&error).because(error.to_string())
}

/// The driver's code for a device error.
pub(crate) fn code(error: &Error) -> CUresult {
    match error {
        Error::Memory { .. } | Error::TooMany { .. } => CUresult::OUT_OF_MEMORY,
        Error::Unknown { .. } => CUresult::NOT_FOUND,
        Error::OtherDevice(_) => CUresult::INVALID_CONTEXT,
        // All other errors are about an argument.
        _ => CUresult::INVALID_VALUE,
    }
}
