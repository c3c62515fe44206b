//! Memory without a type.

use super::{Answer, Text, null, pointer};
use crate::{CUresult, Refusal};
use std::ffi::c_void;

pointer! {
    /// Untyped memory of the host (`void *`, `const void *`), whose size another argument says.
    ///
    /// Null, or some memory is there, of which the pointer alone says nothing.
    Raw<'a>, *mut c_void
}

impl<'a> Raw<'a> {
    /// The address.
    pub fn address(self) -> u64 {
        self.0.expose_provenance() as u64
    }

    /// As text that ends with a zero byte.
    ///
    /// # Safety
    /// It is null, or such a text is there, which nobody writes meanwhile.
    pub unsafe fn text(self) -> Text<'a> {
        // SAFETY: the caller upholds this function's safety contract.
        unsafe { Text::new(self.0.cast()) }
    }

    /// The `size` bytes that begin here.
    ///
    /// # Safety
    /// It is null, or there are so many that have been written.
    pub unsafe fn bytes(self, size: usize) -> InBytes<'a> {
        InBytes { first: self, size }
    }

    /// Room for the `size` bytes that begin here.
    ///
    /// # Safety
    /// It is null, or there is so much, to which nobody has a reference.
    pub unsafe fn room(self, size: usize) -> OutBytes<'a> {
        OutBytes { first: self, size }
    }
}

/// Where bytes `offset` to `offset + count` of `size` are.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` if the memory is null and not all is empty.
///
/// # Panics
/// If there are not so many.
fn range(first: Raw<'_>, size: usize, offset: usize, count: usize) -> Result<*mut u8, Refusal> {
    if first.is_null() && count != 0 {
        return Err(null(&first));
    }
    let inside = offset.checked_add(count).is_some_and(|end| end <= size);
    assert!(inside, "bytes {offset} to {offset} + {count} of {size}");
    Ok(first.0.cast::<u8>().wrapping_add(offset))
}

/// Memory of the host that is read, with its size.
#[derive(Clone, Copy, Debug)]
pub struct InBytes<'a> {
    first: Raw<'a>,
    size: usize,
}

impl InBytes<'_> {
    /// Copies `out.len()` bytes from `offset` on.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if it is null.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn read(self, offset: usize, out: &mut [u8]) -> Answer {
        let from = range(self.first, self.size, offset, out.len())?;
        // SAFETY: whoever made this said that there are so many, and nobody else has what `out` borrows.
        unsafe { from.copy_to_nonoverlapping(out.as_mut_ptr(), out.len()) };
        Ok(())
    }

    /// Copies `N` bytes from `offset` on.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if it is null.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn array<const N: usize>(self, offset: usize) -> Answer<[u8; N]> {
        let mut bytes = [0; N];
        self.read(offset, &mut bytes)?;
        Ok(bytes)
    }

    /// Copies all of them.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if it is null, `CUDA_ERROR_OUT_OF_MEMORY` if there is no memory for so many.
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

/// Memory of the host that is written, with its size.
#[derive(Clone, Copy, Debug)]
pub struct OutBytes<'a> {
    first: Raw<'a>,
    size: usize,
}

impl OutBytes<'_> {
    /// How many bytes there is room for.
    pub fn len(self) -> usize {
        self.size
    }

    /// Whether there is no room.
    pub fn is_empty(self) -> bool {
        self.size == 0
    }

    /// Copies `bytes` to `offset` and on.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if it is null.
    ///
    /// # Panics
    /// If there is not so much room.
    pub fn write(self, offset: usize, bytes: &[u8]) -> Answer {
        let to = range(self.first, self.size, offset, bytes.len())?;
        // SAFETY: whoever made this said that there is so much room, and that nobody has a reference to it, as `bytes` is one.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }
}
