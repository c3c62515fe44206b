//! Where callers want their answers.

use crate::error::{Answer, Error};
use std::ffi::{c_char, c_uint};

/// A pointer to a place for one value.
#[repr(transparent)]
pub(crate) struct Out<T>(*mut T);

impl<T> Clone for Out<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Out<T> {}

impl<T: Copy> Out<T> {
    /// The value that is there.
    pub(crate) fn get(self) -> Answer<T> {
        // SAFETY: a pointer of the caller's, who says that it is null or leads to a value.
        unsafe { self.0.as_ref() }.copied().ok_or(Error::InvalidArgument)
    }

    /// Writes the value; `NVML_ERROR_INVALID_ARGUMENT` without a place.
    pub(crate) fn set(self, value: T) -> Answer {
        self.set_at(0, value)
    }

    /// Writes a value of a row of them.
    pub(crate) fn set_at(self, at: usize, value: T) -> Answer {
        if self.0.is_null() {
            return Err(Error::InvalidArgument);
        }
        // SAFETY: the caller says that the place has room for so many.
        unsafe { self.0.add(at).write(value) };
        Ok(())
    }
}

/// Writes a text with its zero byte; `NVML_ERROR_INSUFFICIENT_SIZE` if `length` bytes are too few.
pub(crate) fn text(out: Out<c_char>, length: c_uint, text: &str) -> Answer {
    if out.0.is_null() {
        return Err(Error::InvalidArgument);
    }
    if text.len() >= length as usize {
        return Err(Error::InsufficientSize);
    }
    text.bytes().chain([0]).enumerate().try_for_each(|(at, byte)| out.set_at(at, byte as c_char))
}
