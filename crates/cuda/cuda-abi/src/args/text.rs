//! Texts of C.

use super::{Answer, null};
use crate::{CUresult, Subject};
use std::ffi::{CStr, c_char};
use std::marker::PhantomData;

/// Text that ends with a zero byte (`const char *`).
///
/// Null, or there is such a text, which nobody writes meanwhile.
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
    /// A text of a C caller.
    ///
    /// # Safety
    /// It is what the type's page says, for the lifetime.
    pub unsafe fn new(pointer: *const c_char) -> Self {
        Self(pointer, PhantomData)
    }

    /// How the reason of a refusal names this argument of the call.
    pub fn subject(&self) -> Option<Subject> {
        Some(Subject::new::<Self>(self.0.addr() as u64))
    }

    /// Whether it is null.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The pointer itself, to hand it on.
    pub fn as_ptr(self) -> *const c_char {
        self.0
    }

    /// The bytes before the zero.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if it is null.
    pub fn bytes(self) -> Answer<Vec<u8>> {
        if self.is_null() {
            return Err(null(&self));
        }
        // SAFETY: it is not null, and a zero ends it, as whoever made this has promised.
        Ok(unsafe { CStr::from_ptr(self.0) }.to_bytes().to_vec())
    }

    /// The text.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if it is null, or its bytes are not UTF-8.
    pub fn get(self) -> Answer<String> {
        String::from_utf8(self.bytes()?).map_err(|error| {
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            CUresult::INVALID_VALUE.because(format!("the text {text:?} is not UTF-8"))
        })
    }
}
