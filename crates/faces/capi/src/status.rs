//! Status codes of functions, and the messages of errors.

use crate::constants::*;
use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use texunit_sample::{ErrorKind, SampleError};
use texunit_unit::{AccessFault, CreateError, CudaError, PlanError};

/// The result of a function: TEXUNIT_SUCCESS, or the number of an error. Numbers below 1000 are
/// those of cudaError_t.
pub type texunit_status = i32;

/// An error of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The returned status.
    pub status: texunit_status,
    /// The message for `texunit_last_error`.
    pub text: String,
}

impl Failure {
    /// An error with its message.
    pub fn new(status: texunit_status, text: impl Into<String>) -> Self {
        Self { status, text: text.into() }
    }

    /// An error with `TEXUNIT_ERROR_INVALID_VALUE`.
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
    /// The message of this thread's last error.
    static LAST: RefCell<CString> = RefCell::default();
}

/// Runs the body of a function: errors become statuses, with their messages stored for this thread,
/// and panics are caught.
pub(crate) fn guard(body: impl FnOnce() -> Result<(), Failure>) -> texunit_status {
    // State that a panic can leave incomplete is behind locks, whose poisoning is handled, or local
    // to this call.
    let failure = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => return TEXUNIT_SUCCESS,
        Ok(Err(failure)) => failure,
        Err(panic) => Failure::new(TEXUNIT_ERROR_INTERNAL, internal(&*panic)),
    };
    let text = CString::new(failure.text.replace('\0', "\u{fffd}")).unwrap_or_default();
    // During a thread's exit its messages cannot be stored any more.
    let _ = LAST.try_with(|last| last.replace(text));
    failure.status
}

fn internal(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("internal error of texunit, please report it: {}", text.unwrap_or("a panic"))
}

/// The version of the library, for example "0.1.0". The text is valid as long as the library is
/// loaded.
#[unsafe(no_mangle)]
pub extern "C" fn texunit_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// The binary interface of the library. It must equal the TEXUNIT_ABI_VERSION of the header that
/// the program was compiled with.
#[unsafe(no_mangle)]
pub extern "C" fn texunit_abi_version() -> u32 {
    TEXUNIT_ABI_VERSION
}

/// The name of a status, for example "TEXUNIT_ERROR_SIZE"; "unknown status" for other numbers. The
/// text is valid as long as the library is loaded.
#[unsafe(no_mangle)]
pub extern "C" fn texunit_status_name(status: texunit_status) -> *const c_char {
    let row = NAMES.iter().find(|row| row.0 == status);
    row.map_or(c"unknown status", |row| row.1).as_ptr()
}

/// The message of this thread's last failed call; "" if none has failed. The text is valid until
/// another call of this thread fails or the thread ends; copy it to keep it.
#[unsafe(no_mangle)]
pub extern "C" fn texunit_last_error() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    fn last() -> String {
        // SAFETY: the text is valid until this thread's next failure.
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
    fn other_statuses_have_no_name() {
        // SAFETY: `texunit_status_name` returns a static zero-terminated string for any status.
        let other = unsafe { CStr::from_ptr(texunit_status_name(-7)) };
        assert_eq!(other, c"unknown status");
    }
}
