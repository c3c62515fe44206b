//! Out parameters: writes results, with checks for null pointers and buffer sizes.

use crate::error::{Answer, Error};
use std::ffi::{c_char, c_uint};

/// A pointer to a caller's variable or array.
#[repr(transparent)]
pub(crate) struct Out<T>(*mut T);

impl<T> Clone for Out<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Out<T> {}

impl<T: Copy> Out<T> {
    /// Reads the current value.
    pub(crate) fn get(self) -> Answer<T> {
        // SAFETY: the caller guarantees that the pointer is null or to a valid value.
        unsafe { self.0.as_ref() }.copied().ok_or(Error::InvalidArgument)
    }

    /// Writes the value; `NVML_ERROR_INVALID_ARGUMENT` for a null pointer.
    pub(crate) fn set(self, value: T) -> Answer {
        self.set_at(0, value)
    }

    /// Writes an element of the caller's array.
    pub(crate) fn set_at(self, at: usize, value: T) -> Answer {
        if self.0.is_null() {
            return Err(Error::InvalidArgument);
        }
        // SAFETY: the caller guarantees the capacity of the array.
        unsafe { self.0.add(at).write(value) };
        Ok(())
    }
}

/// Writes a text with a terminating zero; `NVML_ERROR_INSUFFICIENT_SIZE` if `length` bytes are too
/// few.
pub(crate) fn text(out: Out<c_char>, length: c_uint, text: &str) -> Answer {
    if out.0.is_null() {
        return Err(Error::InvalidArgument);
    }
    if text.len() >= length as usize {
        return Err(Error::InsufficientSize);
    }
    text.bytes().chain([0]).enumerate().try_for_each(|(at, byte)| out.set_at(at, byte as c_char))
}
