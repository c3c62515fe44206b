//! Error codes (`nvmlReturn_t`) and their texts.

use std::ffi::{CStr, c_char, c_int};
use texunit_cuda_abi::Refusal;

/// Result of an NVML function.
pub(crate) type Answer<T = ()> = Result<T, Error>;

/// The error codes that texunit's NVML returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum Error {
    Uninitialized = 1,
    InvalidArgument = 2,
    NotSupported = 3,
    NotFound = 6,
    InsufficientSize = 7,
    DriverNotLoaded = 9,
    ArgumentVersionMismatch = 25,
}

impl From<Refusal> for Error {
    /// What a pointer argument refuses.
    fn from(_: Refusal) -> Self {
        Self::InvalidArgument
    }
}

/// Texts of the codes from 0 on.
const TEXTS: [&CStr; 30] = [
    c"Success",
    c"Uninitialized",
    c"Invalid Argument",
    c"Not Supported",
    c"Insufficient Permissions",
    c"Already Initialized",
    c"Not Found",
    c"Insufficient Size",
    c"Insufficient External Power",
    c"Driver Not Loaded",
    c"Timeout",
    c"Interrupt Request Issue",
    c"NVML Shared Library Not Found",
    c"Function Not Found",
    c"Corrupted infoROM",
    c"GPU is lost",
    c"GPU requires reset",
    c"GPU access blocked by the operating system",
    c"Driver/library version mismatch",
    c"In use by another client",
    c"Insufficient Memory",
    c"No data",
    c"The requested vgpu operation is not available on target device, because ECC is enabled",
    c"Insufficient Resources",
    c"Frequency not supported",
    c"Argument version mismatch",
    c"Deprecated",
    c"Not Ready",
    c"No GPUs were found",
    c"Invalid State",
];

/// Text of an error code.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn nvmlErrorString(result: c_int) -> *const c_char {
    let text = usize::try_from(result).ok().and_then(|at| TEXTS.get(at));
    text.map_or(c"Unknown Error".as_ptr(), |text| text.as_ptr())
}
