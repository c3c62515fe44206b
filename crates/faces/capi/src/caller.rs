//! Memory of the caller: every pointer that C hands in is looked at here.

use crate::status::{Failure, TEXUNIT_ERROR_NULL_POINTER, TEXUNIT_ERROR_SIZE};
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
/// `TEXUNIT_ERROR_NULL_POINTER` if it is null.
///
/// # Safety
/// The pointer is null, or there is a `T` at it, at any alignment, which nobody writes meanwhile.
pub unsafe fn read<T: Copy>(what: &str, pointer: *const T) -> Result<T, Failure> {
    if pointer.is_null() {
        return Err(null(what));
    }
    // SAFETY: it is not null, and the caller promises the rest.
    Ok(unsafe { pointer.read_unaligned() })
}

/// Copies a structure that may be left out.
///
/// # Safety
/// As of [`read`].
pub unsafe fn read_optional<T: Copy>(pointer: *const T) -> Option<T> {
    // SAFETY: as the caller promises.
    (!pointer.is_null()).then(|| unsafe { pointer.read_unaligned() })
}

/// Where a result goes, which is not null, for as long as the lifetime.
#[derive(Debug)]
pub struct Out<'a, T>(*mut T, PhantomData<&'a ()>);

impl<T: Copy> Out<'_, T> {
    /// Looks for null before anything is done.
    ///
    /// # Errors
    /// `TEXUNIT_ERROR_NULL_POINTER` if it is null.
    ///
    /// # Safety
    /// The pointer is null, or there is room for a `T` at it, at any alignment, for the lifetime, to which nobody has a reference.
    pub unsafe fn new(what: &str, pointer: *mut T) -> Result<Self, Failure> {
        if pointer.is_null() { Err(null(what)) } else { Ok(Self(pointer, PhantomData)) }
    }

    /// Writes the result.
    pub fn set(&self, value: T) {
        // SAFETY: `new` was promised the room.
        unsafe { self.0.write_unaligned(value) }
    }
}

/// Writes a result that may not be asked for.
///
/// # Safety
/// The pointer is null, or there is room for a `T` at it, at any alignment.
pub unsafe fn set<T: Copy>(pointer: *mut T, value: T) {
    if !pointer.is_null() {
        // SAFETY: as the caller promises.
        unsafe { pointer.write_unaligned(value) }
    }
}

/// Bytes that are read.
///
/// # Errors
/// `TEXUNIT_ERROR_NULL_POINTER` if it is null and there are some, `TEXUNIT_ERROR_SIZE` if no memory has so many.
///
/// # Safety
/// The pointer is null, or there are `size` bytes at it, which nobody writes while the result is used.
pub unsafe fn bytes<'a>(
    what: &str,
    pointer: *const c_void,
    size: usize,
) -> Result<&'a [u8], Failure> {
    if size == 0 {
        return Ok(&[]);
    }
    check(what, pointer, size)?;
    // SAFETY: not null, no larger than an object can be, and there, as the caller promises.
    Ok(unsafe { std::slice::from_raw_parts(pointer.cast(), size) })
}

/// Bytes that are written.
///
/// # Errors
/// `TEXUNIT_ERROR_NULL_POINTER` if it is null and there are some, `TEXUNIT_ERROR_SIZE` if no memory has so many.
///
/// # Safety
/// The pointer is null, or there are `size` bytes at it, which nobody else uses while the result is there.
pub unsafe fn bytes_mut<'a>(
    what: &str,
    pointer: *mut c_void,
    size: usize,
) -> Result<&'a mut [u8], Failure> {
    if size == 0 {
        return Ok(&mut []);
    }
    check(what, pointer, size)?;
    // SAFETY: as in `bytes`; nothing says that the bytes have been written before, and so they are only written.
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

/// The addresses of some bytes.
pub(crate) fn range(pointer: *const c_void, size: usize) -> Range<usize> {
    pointer.addr()..pointer.addr().saturating_add(size)
}

/// Memory that is written must be no memory that is read meanwhile.
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

/// The addresses of texels that lie in the caller's own memory.
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
/// `TEXUNIT_ERROR_NULL_POINTER` if it is null, `TEXUNIT_ERROR_INVALID_VALUE` if it is no path of this system.
///
/// # Safety
/// The pointer is null, or there is a text that ends with a zero byte.
pub unsafe fn path(what: &str, pointer: *const c_char) -> Result<PathBuf, Failure> {
    if pointer.is_null() {
        return Err(null(what));
    }
    // SAFETY: as the caller promises.
    let text = unsafe { CStr::from_ptr(pointer) };
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        Ok(std::ffi::OsStr::from_bytes(text.to_bytes()).into())
    }
    #[cfg(not(unix))]
    {
        let text = text.to_str().map_err(|_| Failure::value(format!("{what} is not UTF-8")))?;
        Ok(text.into())
    }
}
