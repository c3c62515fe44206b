//! Arguments that point to untyped memory (`void *` with a size that another argument gives) or to
//! C strings.

use super::{Answer, null, pointer};
use crate::{CUresult, Refusal};
use std::ffi::{CStr, c_char, c_void};

pointer! {
    /// Untyped host memory (`void *`, `const void *`), whose size another argument gives.
    ///
    /// The pointer is null or points to memory. The type guarantees neither its size nor its
    /// contents.
    Raw<'a>, *mut c_void
}

impl<'a> Raw<'a> {
    /// The pointer as a number.
    pub fn address(self) -> u64 {
        self.0.expose_provenance() as u64
    }

    /// The memory as a zero-terminated text.
    ///
    /// # Safety
    /// The pointer is null or points to a zero-terminated text that is not written during the
    /// lifetime.
    pub unsafe fn text(self) -> Text<'a> {
        // SAFETY: the caller upholds this function's safety contract.
        unsafe { Text::new(self.0.cast()) }
    }

    /// The first `size` bytes as input.
    ///
    /// # Safety
    /// The pointer is null or points to this many initialised bytes.
    pub unsafe fn bytes(self, size: usize) -> InBytes<'a> {
        InBytes { first: self, size }
    }

    /// The first `size` bytes as output buffer.
    ///
    /// # Safety
    /// The pointer is null or points to this many bytes to which no reference exists.
    pub unsafe fn room(self, size: usize) -> OutBytes<'a> {
        OutBytes { first: self, size }
    }
}

/// Pointer to bytes `offset` to `offset + count` of memory of `size` bytes, after a check for null.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` if the memory is null and the range is not empty.
///
/// # Panics
/// If the range exceeds the memory.
fn range(first: Raw<'_>, size: usize, offset: usize, count: usize) -> Result<*mut u8, Refusal> {
    if first.is_null() && count != 0 {
        return Err(null(&first));
    }
    let inside = offset.checked_add(count).is_some_and(|end| end <= size);
    assert!(inside, "bytes {offset} to {offset} + {count} of {size}");
    Ok(first.0.cast::<u8>().wrapping_add(offset))
}

/// Input buffer of a C caller: host memory that is read, with its size.
#[derive(Clone, Copy, Debug)]
pub struct InBytes<'a> {
    first: Raw<'a>,
    size: usize,
}

impl InBytes<'_> {
    /// Copies `out.len()` bytes from `offset` on.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if the memory is null.
    ///
    /// # Panics
    /// If the range exceeds the memory.
    pub fn read(self, offset: usize, out: &mut [u8]) -> Answer {
        let from = range(self.first, self.size, offset, out.len())?;
        // SAFETY: the contract of `Raw::bytes` guarantees that the range can be read, and `out` is
        // borrowed exclusively, so that it does not overlap.
        unsafe { from.copy_to_nonoverlapping(out.as_mut_ptr(), out.len()) };
        Ok(())
    }

    /// Copies `N` bytes from `offset` on.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if the memory is null.
    ///
    /// # Panics
    /// If the range exceeds the memory.
    pub fn array<const N: usize>(self, offset: usize) -> Answer<[u8; N]> {
        let mut bytes = [0; N];
        self.read(offset, &mut bytes)?;
        Ok(bytes)
    }

    /// Copies all bytes.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if the memory is null, `CUDA_ERROR_OUT_OF_MEMORY` if the copy
    /// cannot be allocated.
    pub fn to_vec(self) -> Answer<Vec<u8>> {
        range(self.first, self.size, 0, self.size)?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(self.size).map_err(|_| {
            let size = self.size;
            CUresult::OUT_OF_MEMORY.because(format!("no memory is left for a copy of size {size}"))
        })?;
        bytes.resize(self.size, 0);
        self.read(0, &mut bytes)?;
        Ok(bytes)
    }
}

/// Output buffer of a C caller: host memory that is written, with its size.
#[derive(Clone, Copy, Debug)]
pub struct OutBytes<'a> {
    first: Raw<'a>,
    size: usize,
}

impl OutBytes<'_> {
    /// Size of the buffer in bytes.
    pub fn len(self) -> usize {
        self.size
    }

    /// Whether the size is 0.
    pub fn is_empty(self) -> bool {
        self.size == 0
    }

    /// Writes `bytes` at `offset`.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if the memory is null.
    ///
    /// # Panics
    /// If the range exceeds the memory.
    pub fn write(self, offset: usize, bytes: &[u8]) -> Answer {
        let to = range(self.first, self.size, offset, bytes.len())?;
        // SAFETY: the contract of `Raw::room` guarantees that the range can be written and that no
        // reference to it exists, so that `bytes` does not overlap.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }
}

pointer! { @
    /// A zero-terminated text (`const char *`).
    ///
    /// The pointer is null or points to a zero-terminated text, which is not written during the
    /// lifetime.
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
