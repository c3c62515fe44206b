//! Codes of `cudaError_t`, the driver's and the runtime's own, and other numbers of the runtime
//! API.

use texunit_cuda_abi::CUresult;

// The numbers of `data/constants.txt`.
include!(concat!(env!("OUT_DIR"), "/constants.rs"));

/// Name and description of a code that only the runtime has, from `data/codes.txt`.
fn own(code: u32) -> Option<(&'static str, &'static str)> {
    let mut rows = include_str!("../data/codes.txt").lines().filter_map(|row| row.split_once(' '));
    rows.find(|(number, _)| number.parse() == Ok(code))?.1.split_once(' ')
}

/// Codes of the driver that the runtime API does not define.
const UNKNOWN: [u32; 3] = [47, 202, 916];
/// Codes introduced in CUDA 13.
const SINCE_13: [u32; 5] = [10, 227, 917, 918, 919];

/// Name and description of a code, if it exists in a major version of the runtime.
pub(crate) fn find(code: u32, major: u32) -> Option<(&'static str, &'static str)> {
    if UNKNOWN.contains(&code) || (major < 13 && SINCE_13.contains(&code)) {
        return None;
    }
    own(code).or_else(|| CUresult(code).code().map(|row| (row.runtime_name, row.text)))
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
