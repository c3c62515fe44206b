//! Access to the caller's memory: every pointer from C is checked here for null, overflow and
//! overlap.

use crate::constants::*;
use crate::status::Failure;
use std::ffi::{CStr, c_char, c_void};
use std::marker::PhantomData;
use std::ops::Range;
use std::path::PathBuf;
use texunit_forms::Count;
use texunit_unit::Resource;

fn null(what: &str) -> Failure {
    Failure::new(TEXUNIT_ERROR_NULL_POINTER, format!("{what} is null"))
}

/// Copies a structure.
///
/// # Errors
/// `TEXUNIT_ERROR_NULL_POINTER` if the pointer is null.
///
/// # Safety
/// The pointer is null, or points to a `T`, at any alignment, that is not written concurrently.
pub unsafe fn read<T: Copy>(what: &str, pointer: *const T) -> Result<T, Failure> {
    if pointer.is_null() {
        return Err(null(what));
    }
    // SAFETY: it is not null, and the caller guarantees the rest.
    Ok(unsafe { pointer.read_unaligned() })
}

/// Copies an optional structure.
///
/// # Safety
/// As for [`read`].
pub unsafe fn read_optional<T: Copy>(pointer: *const T) -> Option<T> {
    // SAFETY: guaranteed by the caller.
    (!pointer.is_null()).then(|| unsafe { pointer.read_unaligned() })
}

/// The destination of a result: a pointer that is not null, and valid for the lifetime.
#[derive(Debug)]
pub struct Out<'a, T>(*mut T, PhantomData<&'a ()>);

impl<T: Copy> Out<'_, T> {
    /// Checks for null before the call has any effect.
    ///
    /// # Errors
    /// `TEXUNIT_ERROR_NULL_POINTER` if the pointer is null.
    ///
    /// # Safety
    /// The pointer is null, or points to room for a `T`, at any alignment, valid for the lifetime
    /// and not referenced elsewhere.
    pub unsafe fn new(what: &str, pointer: *mut T) -> Result<Self, Failure> {
        if pointer.is_null() { Err(null(what)) } else { Ok(Self(pointer, PhantomData)) }
    }

    /// Writes the result.
    pub fn set(&self, value: T) {
        // SAFETY: the caller of `new` guarantees the room.
        unsafe { self.0.write_unaligned(value) }
    }
}

/// Writes an optional result.
///
/// # Safety
/// The pointer is null, or points to room for a `T`, at any alignment.
pub unsafe fn set<T: Copy>(pointer: *mut T, value: T) {
    if !pointer.is_null() {
        // SAFETY: guaranteed by the caller.
        unsafe { pointer.write_unaligned(value) }
    }
}

/// A readable byte slice.
///
/// # Errors
/// `TEXUNIT_ERROR_NULL_POINTER` if the pointer is null and the size is not 0, `TEXUNIT_ERROR_SIZE`
/// if the size exceeds any object's.
///
/// # Safety
/// The pointer is null, or points to `size` bytes that are not written while the result is used.
pub unsafe fn bytes<'a>(
    what: &str,
    pointer: *const c_void,
    size: usize,
) -> Result<&'a [u8], Failure> {
    if size == 0 {
        return Ok(&[]);
    }
    check(what, pointer, size)?;
    // SAFETY: not null, no larger than an object can be, and valid as the caller guarantees.
    Ok(unsafe { std::slice::from_raw_parts(pointer.cast(), size) })
}

/// A writable byte slice.
///
/// # Errors
/// `TEXUNIT_ERROR_NULL_POINTER` if the pointer is null and the size is not 0, `TEXUNIT_ERROR_SIZE`
/// if the size exceeds any object's.
///
/// # Safety
/// The pointer is null, or points to `size` bytes that are not accessed otherwise while the result
/// exists.
pub unsafe fn bytes_mut<'a>(
    what: &str,
    pointer: *mut c_void,
    size: usize,
) -> Result<&'a mut [u8], Failure> {
    if size == 0 {
        return Ok(&mut []);
    }
    check(what, pointer, size)?;
    // SAFETY: as in `bytes`. The bytes may be uninitialised, and are therefore only written.
    Ok(unsafe { std::slice::from_raw_parts_mut(pointer.cast(), size) })
}

fn check(what: &str, pointer: *const c_void, size: usize) -> Result<(), Failure> {
    if pointer.is_null() {
        return Err(null(what));
    }
    if size > isize::MAX as usize || pointer.addr().checked_add(size).is_none() {
        let text = format!("{what}: {} are more than any memory has", Count(size, "byte"));
        return Err(Failure::new(TEXUNIT_ERROR_SIZE, text));
    }
    Ok(())
}

/// The address range of some bytes.
pub(crate) fn range(pointer: *const c_void, size: usize) -> Range<usize> {
    pointer.addr()..pointer.addr().saturating_add(size)
}

/// An error if memory to be written overlaps memory to be read.
pub(crate) fn apart(
    what: (&str, &Range<usize>),
    other: (&str, &Range<usize>),
) -> Result<(), Failure> {
    let (a, b) = (what.1, other.1);
    if a.start < b.end && b.start < a.end {
        return Err(Failure::value(format!("{} and {} overlap", what.0, other.0)));
    }
    Ok(())
}

/// The address range of texels in the caller's memory.
pub(crate) fn texels(resource: &Resource) -> Range<usize> {
    let block = resource.block();
    if !block.is_foreign() {
        return 0..0;
    }
    let start = block.host_address() as usize;
    start..start.saturating_add(block.size())
}

/// A path.
///
/// # Errors
/// `TEXUNIT_ERROR_NULL_POINTER` if the pointer is null, `TEXUNIT_ERROR_INVALID_VALUE` if the text
/// is not a path on this system.
///
/// # Safety
/// The pointer is null, or points to a text that ends with a zero byte.
pub unsafe fn path(what: &str, pointer: *const c_char) -> Result<PathBuf, Failure> {
    if pointer.is_null() {
        return Err(null(what));
    }
    // SAFETY: guaranteed by the caller.
    let text = unsafe { CStr::from_ptr(pointer) };
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        Ok(std::ffi::OsStr::from_bytes(text.to_bytes()).into())
    }
    #[cfg(not(unix))]
    {
        Ok(text.to_str().map_err(|_| Failure::value(format!("{what} is not UTF-8")))?.into())
    }
}
