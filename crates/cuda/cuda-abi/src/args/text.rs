//! Arguments that are C strings.

use super::{Answer, null};
use crate::{CUresult, Subject};
use std::ffi::{CStr, c_char};
use std::marker::PhantomData;

/// A zero-terminated text (`const char *`).
///
/// The pointer is null or points to such a text, which is not written during the lifetime.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Text<'a>(*const c_char, PhantomData<&'a ()>);

impl std::fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.get() {
            Ok(text) => write!(f, "{text:?}"),
            Err(_) => f.write_str("(null)"),
        }
    }
}

impl Text<'_> {
    /// Wraps a text of a C caller.
    ///
    /// # Safety
    /// The pointer is as the type's documentation says, for the lifetime.
    pub unsafe fn new(pointer: *const c_char) -> Self {
        Self(pointer, PhantomData)
    }

    /// How the reason of a refusal names this argument of the call.
    pub fn subject(&self) -> Option<Subject> {
        Some(Subject::new::<Self>(self.0.addr() as u64))
    }

    /// Whether the pointer is null.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The raw pointer, for a caller that passes it on to another function.
    pub fn as_ptr(self) -> *const c_char {
        self.0
    }

    /// A copy of the bytes before the terminating zero.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if the pointer is null.
    pub fn bytes(self) -> Answer<Vec<u8>> {
        if self.is_null() {
            return Err(null(&self));
        }
        // SAFETY: the pointer is not null, so that it points to a zero-terminated text by the
        // contract of its constructor.
        Ok(unsafe { CStr::from_ptr(self.0) }.to_bytes().to_vec())
    }

    /// A copy of the text, which must be UTF-8.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if the pointer is null, or the bytes are not UTF-8.
    pub fn get(self) -> Answer<String> {
        String::from_utf8(self.bytes()?).map_err(|error| {
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            CUresult::INVALID_VALUE.because(format!("the text {text:?} is not UTF-8"))
        })
    }
}
