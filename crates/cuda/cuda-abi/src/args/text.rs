//! Arguments that are C strings.

use super::{Answer, pointer};
use crate::CUresult;
use std::ffi::{CStr, c_char};

pointer! { @
    /// A zero-terminated text (`const char *`).
    ///
    /// The pointer is null or points to such a text, which is not written during the lifetime.
    Text<'a>, *const c_char
}

impl std::fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.get() {
            Ok(text) => write!(f, "{text:?}"),
            Err(_) => f.write_str("(null)"),
        }
    }
}

impl Text<'_> {
    /// A copy of the bytes before the terminating zero.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if the pointer is null.
    pub fn bytes(self) -> Answer<Vec<u8>> {
        self.check()?;
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
