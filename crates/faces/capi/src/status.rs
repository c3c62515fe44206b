//! What functions return, and what is said of it.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use texunit_sample::{ErrorKind, SampleError};
use texunit_unit::{AccessFault, CreateError, CudaError, PlanError};

/// What a function returns: TEXUNIT_SUCCESS, or the number of an error. Numbers below 1000 are those of cudaError_t.
pub type texunit_status = i32;

/// All is done.
pub const TEXUNIT_SUCCESS: texunit_status = 0;
/// A value that a parameter or a field cannot have, or values that do not go together (cudaErrorInvalidValue).
pub const TEXUNIT_ERROR_INVALID_VALUE: texunit_status = 1;
/// There is not so much memory (cudaErrorMemoryAllocation).
pub const TEXUNIT_ERROR_OUT_OF_MEMORY: texunit_status = 2;
/// A linear filter for texels that have none (cudaErrorInvalidFilterSetting).
pub const TEXUNIT_ERROR_INVALID_FILTER_SETTING: texunit_status = 26;
/// Normalized reads of texels that have none, or the reverse (cudaErrorInvalidNormSetting).
pub const TEXUNIT_ERROR_INVALID_NORM_SETTING: texunit_status = 27;
/// A file that cannot be read (cudaErrorFileNotFound).
pub const TEXUNIT_ERROR_FILE: texunit_status = 301;
/// A handle that is not, or no longer, one of the kind that is wanted (cudaErrorInvalidResourceHandle).
pub const TEXUNIT_ERROR_INVALID_HANDLE: texunit_status = 400;
/// A surface access outside under TEXUNIT_BOUNDARY_TRAP (cudaErrorIllegalAddress). Accesses before it are made.
pub const TEXUNIT_ERROR_ILLEGAL_ADDRESS: texunit_status = 700;
/// A fetch or access that the hardware has no defined answer for (cudaErrorNotSupported).
pub const TEXUNIT_ERROR_NOT_SUPPORTED: texunit_status = 801;
/// A null pointer where there has to be something.
pub const TEXUNIT_ERROR_NULL_POINTER: texunit_status = 1000;
/// A buffer of another size than is needed, or too small.
pub const TEXUNIT_ERROR_SIZE: texunit_status = 1001;
/// A mistake of texunit itself. Please report it with the text.
pub const TEXUNIT_ERROR_INTERNAL: texunit_status = 1999;

/// The interface that this header describes. It changes when a program has to be recompiled.
pub const TEXUNIT_ABI_VERSION: u32 = 1;

/// A code with its name as C has it.
const NAMES: [(texunit_status, &CStr); 12] = [
    (TEXUNIT_SUCCESS, c"TEXUNIT_SUCCESS"),
    (TEXUNIT_ERROR_INVALID_VALUE, c"TEXUNIT_ERROR_INVALID_VALUE"),
    (TEXUNIT_ERROR_OUT_OF_MEMORY, c"TEXUNIT_ERROR_OUT_OF_MEMORY"),
    (TEXUNIT_ERROR_INVALID_FILTER_SETTING, c"TEXUNIT_ERROR_INVALID_FILTER_SETTING"),
    (TEXUNIT_ERROR_INVALID_NORM_SETTING, c"TEXUNIT_ERROR_INVALID_NORM_SETTING"),
    (TEXUNIT_ERROR_FILE, c"TEXUNIT_ERROR_FILE"),
    (TEXUNIT_ERROR_INVALID_HANDLE, c"TEXUNIT_ERROR_INVALID_HANDLE"),
    (TEXUNIT_ERROR_ILLEGAL_ADDRESS, c"TEXUNIT_ERROR_ILLEGAL_ADDRESS"),
    (TEXUNIT_ERROR_NOT_SUPPORTED, c"TEXUNIT_ERROR_NOT_SUPPORTED"),
    (TEXUNIT_ERROR_NULL_POINTER, c"TEXUNIT_ERROR_NULL_POINTER"),
    (TEXUNIT_ERROR_SIZE, c"TEXUNIT_ERROR_SIZE"),
    (TEXUNIT_ERROR_INTERNAL, c"TEXUNIT_ERROR_INTERNAL"),
];

/// An error on its way to the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What the function returns.
    pub status: texunit_status,
    /// What `texunit_last_error` says.
    pub text: String,
}

impl Failure {
    /// An error with its text.
    pub fn new(status: texunit_status, text: impl Into<String>) -> Self {
        Self { status, text: text.into() }
    }

    /// `TEXUNIT_ERROR_INVALID_VALUE`
    pub(crate) fn value(text: impl Into<String>) -> Self {
        Self::new(TEXUNIT_ERROR_INVALID_VALUE, text)
    }
}

impl From<CreateError> for Failure {
    fn from(error: CreateError) -> Self {
        let status = match (&error, error.cuda()) {
            (CreateError::Memory { .. }, _) => TEXUNIT_ERROR_SIZE,
            (_, CudaError::InvalidFilterSetting) => TEXUNIT_ERROR_INVALID_FILTER_SETTING,
            (_, CudaError::InvalidNormSetting) => TEXUNIT_ERROR_INVALID_NORM_SETTING,
            _ => TEXUNIT_ERROR_INVALID_VALUE,
        };
        Self::new(status, error.to_string())
    }
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Self {
        Self::new(TEXUNIT_ERROR_NOT_SUPPORTED, error.to_string())
    }
}

impl From<SampleError> for Failure {
    fn from(error: SampleError) -> Self {
        let status = match error {
            _ if error.kind() == ErrorKind::Memory => TEXUNIT_ERROR_OUT_OF_MEMORY,
            SampleError::Create(error) => return error.into(),
            SampleError::Plan(error) => return error.into(),
            SampleError::Out { .. } | SampleError::Memory(_) => TEXUNIT_ERROR_SIZE,
            SampleError::File(_) => TEXUNIT_ERROR_FILE,
            SampleError::Access { fault: AccessFault::Outside { .. }, .. } => {
                TEXUNIT_ERROR_ILLEGAL_ADDRESS
            }
            _ => TEXUNIT_ERROR_INVALID_VALUE,
        };
        Self::new(status, error.to_string())
    }
}

thread_local! {
    /// The text of the last error of this thread.
    static LAST: RefCell<CString> = RefCell::default();
}

/// Does what a function does: errors become codes, with their text kept for this thread, and a panic ends here.
pub(crate) fn guard(body: impl FnOnce() -> Result<(), Failure>) -> texunit_status {
    // What a panic leaves half done is behind locks that are taken over, or was made for this call.
    let done = catch_unwind(AssertUnwindSafe(body));
    let failure = match done {
        Ok(Ok(())) => return TEXUNIT_SUCCESS,
        Ok(Err(failure)) => failure,
        Err(panic) => Failure::new(TEXUNIT_ERROR_INTERNAL, internal(&*panic)),
    };
    let text = CString::new(failure.text.replace('\0', "\u{fffd}")).unwrap_or_default();
    // A thread that is at its end keeps no more texts.
    let _ = LAST.try_with(|last| last.replace(text));
    failure.status
}

fn internal(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("internal error of texunit, please report it: {}", text.unwrap_or("a panic"))
}

/// The version of the library, as "0.1.0". It is there as long as the library is loaded.
#[unsafe(no_mangle)]
pub extern "C" fn texunit_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// The interface that the library has. It is the TEXUNIT_ABI_VERSION of the header that the program was compiled with, or
/// the two do not go together.
#[unsafe(no_mangle)]
pub extern "C" fn texunit_abi_version() -> u32 {
    TEXUNIT_ABI_VERSION
}

/// The name of a status, as "TEXUNIT_ERROR_SIZE"; "unknown status" for other numbers. It is there as long as the library
/// is loaded.
#[unsafe(no_mangle)]
pub extern "C" fn texunit_status_name(status: texunit_status) -> *const c_char {
    let row = NAMES.iter().find(|row| row.0 == status);
    row.map_or(c"unknown status", |row| row.1).as_ptr()
}

/// What went wrong in the last call of this thread that failed, in a sentence; "" if none has. The text is there until
/// another call of this thread fails, or the thread ends; copy it to keep it.
#[unsafe(no_mangle)]
pub extern "C" fn texunit_last_error() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last() -> String {
        // SAFETY: the text is there until this thread's next failure.
        unsafe { CStr::from_ptr(texunit_last_error()) }.to_string_lossy().into_owned()
    }

    #[test]
    fn errors_are_of_their_thread_and_panics_end_here() {
        assert_eq!(last(), "");
        assert_eq!(guard(|| Err(Failure::value("a\0b"))), TEXUNIT_ERROR_INVALID_VALUE);
        assert_eq!(last(), "a\u{fffd}b");
        assert_eq!(guard(|| Ok(())), TEXUNIT_SUCCESS);
        assert_eq!(last(), "a\u{fffd}b", "what works says nothing");
        assert!(std::thread::spawn(|| last().is_empty()).join().is_ok_and(|empty| empty));
        assert_eq!(guard(|| panic!("this panic is {}", "wanted")), TEXUNIT_ERROR_INTERNAL);
        assert!(last().ends_with("this panic is wanted"), "{}", last());
    }

    #[test]
    fn every_status_has_its_name() {
        let source = include_str!("status.rs");
        let declared = source
            .lines()
            .filter(|l| l.starts_with("pub const TEXUNIT_") && l.contains(": texunit_status ="));
        assert_eq!(declared.count(), NAMES.len());
        for (status, name) in NAMES {
            let name = name.to_string_lossy();
            assert!(source.contains(&format!("pub const {name}: texunit_status = {status};")));
        }
        // SAFETY: a text of this library.
        let other = unsafe { CStr::from_ptr(texunit_status_name(-7)) };
        assert_eq!(other, c"unknown status");
    }
}
