//! Arguments that are pointers.
//!
//! Only a C caller makes values of these types: they are the parameters of the exported functions of both
//! libraries, and their fields are private. The contract of both APIs is that such a pointer is null, or points to
//! one value of its type for as long as the call runs. Null is checked here; the rest cannot be checked by
//! anybody, and is what makes the exported functions `unsafe`. How many values stand behind the first one is what another
//! argument says: to take it at its word ([`In::elements`], [`Out::elements`], [`Raw::bytes`]) is `unsafe`, too, and what
//! comes of that knows its length.

use crate::{CUresult, Refusal, Subject};
use std::ffi::{CStr, c_char, c_void};

/// How a function of either API ends: done, or refused.
pub type Answer<T = ()> = Result<T, Refusal>;

/// What is said of a pointer that may not be null.
fn null<T>() -> Refusal {
    CUresult::INVALID_VALUE.of_argument(Subject::new::<T>(0), "is null")
}

macro_rules! pointer {
    ($(#[$doc:meta])* $name:ident<T>($pointer:ty)) => {
        $(#[$doc])*
        #[repr(transparent)]
        pub struct $name<T>($pointer);

        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $name<T> {}

        impl<T> std::fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{:p}", self.0)
            }
        }

        impl<T> $name<T> {
            /// Whether it is null.
            pub fn is_null(self) -> bool {
                self.0.is_null()
            }

            /// How the reason of a refusal finds it among the arguments of a call.
            pub fn subject(&self) -> Option<Subject> {
                Some(Subject::new::<Self>(self.0.addr() as u64))
            }

            /// The pointer itself, to hand it on.
            pub fn as_ptr(self) -> $pointer {
                self.0
            }
        }
    };
}

pointer! {
    /// Where a result goes (`T *`).
    Out<T>(*mut T)
}

pointer! {
    /// What is read (`const T *`): one value, or as many as another argument says.
    In<T>(*const T)
}

impl<T> Out<T> {
    /// Writes the result; null is `CUDA_ERROR_INVALID_VALUE`.
    pub fn set(self, value: T) -> Answer {
        self.check()?;
        self.set_if(value);
        Ok(())
    }

    /// Writes the result unless the caller does not want it.
    pub fn set_if(self, value: T) {
        if !self.is_null() {
            // SAFETY: a result pointer of a C caller that is not null is valid (module header).
            unsafe { self.0.write_unaligned(value) }
        }
    }

    /// `CUDA_ERROR_INVALID_VALUE` if it is null: for functions that check before they act.
    pub fn check(self) -> Answer {
        if self.is_null() { Err(null::<Self>()) } else { Ok(()) }
    }

    /// The array of `count` values that begins here.
    ///
    /// # Safety
    /// It is null, or has room for so many.
    pub unsafe fn elements(self, count: usize) -> OutElements<T> {
        OutElements { first: self.0, count }
    }
}

/// An array of a C caller that results go to.
#[derive(Debug)]
pub struct OutElements<T> {
    first: *mut T,
    count: usize,
}

impl<T> OutElements<T> {
    /// Where result `index` goes; null if the array is.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn nth(&self, index: usize) -> Out<T> {
        assert!(index < self.count, "element {index} of {}", self.count);
        if self.first.is_null() { Out(self.first) } else { Out(self.first.wrapping_add(index)) }
    }

    /// Writes as many results as there are, and room for them, from the first on.
    pub fn set_all(&self, values: impl IntoIterator<Item = T>) -> Answer {
        Out(self.first).check()?;
        for (i, value) in values.into_iter().take(self.count).enumerate() {
            self.nth(i).set_if(value);
        }
        Ok(())
    }
}

impl<T: Copy> Out<T> {
    /// What stands there already, for arguments that are read and written.
    pub fn get(self) -> Answer<T> {
        self.check()?;
        In(self.0.cast_const()).get()
    }
}

impl<T> In<T> {
    /// Nothing is given.
    pub fn null() -> Self {
        Self(std::ptr::null())
    }

    /// An array of a C caller that a structure points to.
    ///
    /// # Safety
    /// As for every pointer of a C caller: null, or valid for what the function does with it.
    pub unsafe fn of(address: u64) -> Self {
        Self(std::ptr::with_exposed_provenance(address as usize))
    }
}

impl<T: Copy> In<T> {
    /// The value; null is `CUDA_ERROR_INVALID_VALUE`.
    pub fn get(self) -> Answer<T> {
        self.get_if().ok_or_else(null::<Self>)
    }

    /// The value, if the caller gives one.
    pub fn get_if(self) -> Option<T> {
        // SAFETY: a pointer of a C caller that is not null is valid (module header). `T` is a
        // structure of numbers, of which every pattern of bits is a value.
        (!self.is_null()).then(|| unsafe { self.0.read_unaligned() })
    }

    /// The array of `count` values that begins here.
    ///
    /// # Safety
    /// It is null, or has so many.
    pub unsafe fn elements(self, count: usize) -> Elements<T> {
        Elements { first: self, count }
    }
}

/// An array of a C caller.
#[derive(Clone, Copy, Debug)]
pub struct Elements<T> {
    first: In<T>,
    count: usize,
}

impl<T: Copy> Elements<T> {
    /// Element `index`; `CUDA_ERROR_INVALID_VALUE` if the array is null.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn at(self, index: usize) -> Answer<T> {
        assert!(index < self.count, "element {index} of {}", self.count);
        if self.first.is_null() {
            return Err(null::<In<T>>());
        }
        // SAFETY: whoever made this said that there are so many.
        Ok(unsafe { self.first.0.add(index).read_unaligned() })
    }

    /// All of them. Null is fine if there are none.
    pub fn to_vec(self) -> Answer<Vec<T>> {
        (0..self.count).map(|i| self.at(i)).collect()
    }
}

/// Text that ends with a zero byte (`const char *`).
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Text(*const c_char);

impl std::fmt::Debug for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.get() {
            Ok(text) => write!(f, "{text:?}"),
            Err(_) => f.write_str("(null)"),
        }
    }
}

impl Text {
    /// How the reason of a refusal finds it among the arguments of a call.
    pub fn subject(&self) -> Option<Subject> {
        Some(Subject::new::<Self>(self.0.addr() as u64))
    }

    /// Whether it is null.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The bytes before the zero; null is `CUDA_ERROR_INVALID_VALUE`.
    pub fn bytes(self) -> Answer<Vec<u8>> {
        if self.is_null() {
            return Err(null::<Self>());
        }
        // SAFETY: a C string of the caller (module header).
        Ok(unsafe { CStr::from_ptr(self.0) }.to_bytes().to_vec())
    }

    /// The text; null, or bytes that are not UTF-8, are `CUDA_ERROR_INVALID_VALUE`.
    pub fn get(self) -> Answer<String> {
        String::from_utf8(self.bytes()?).map_err(|error| {
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            CUresult::INVALID_VALUE.because(format!("the text {text:?} is not UTF-8"))
        })
    }
}

/// Untyped memory of the host (`void *`, `const void *`), whose size another argument says.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Raw(*mut c_void);

impl std::fmt::Debug for Raw {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:p}", self.0)
    }
}

impl Raw {
    /// How the reason of a refusal finds it among the arguments of a call.
    pub fn subject(&self) -> Option<Subject> {
        Some(Subject::new::<Self>(self.0.addr() as u64))
    }

    /// Memory that a C caller describes in a structure.
    ///
    /// # Safety
    /// As for every pointer of a C caller: null, or valid for what the function does with it.
    pub unsafe fn of(address: u64) -> Self {
        Self(std::ptr::with_exposed_provenance_mut(address as usize))
    }

    /// Whether it is null.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// `CUDA_ERROR_INVALID_VALUE` if it is null.
    pub fn check(self) -> Answer {
        if self.is_null() { Err(null::<Self>()) } else { Ok(()) }
    }

    /// The pointer itself, to hand it on.
    pub fn as_ptr(self) -> *mut c_void {
        self.0
    }

    /// As text that ends with a zero byte.
    pub fn text(self) -> Text {
        Text(self.0.cast())
    }

    /// The address.
    pub fn address(self) -> u64 {
        self.0.expose_provenance() as u64
    }

    /// The `size` bytes that begin here.
    ///
    /// # Safety
    /// It is null, or there are so many, which may be written if they are.
    pub unsafe fn bytes(self, size: usize) -> RawBytes {
        RawBytes { first: self, size }
    }
}

/// Memory of the host with its size.
#[derive(Clone, Copy, Debug)]
pub struct RawBytes {
    first: Raw,
    size: usize,
}

impl RawBytes {
    /// Where bytes `offset` to `offset + count` are; null is `CUDA_ERROR_INVALID_VALUE` unless there are none.
    fn range(self, offset: usize, count: usize) -> Answer<*mut u8> {
        if self.first.is_null() && count != 0 {
            return Err(null::<Raw>());
        }
        let inside = offset.checked_add(count).is_some_and(|end| end <= self.size);
        assert!(inside, "{count} bytes from {offset} of {}", self.size);
        Ok(self.first.0.cast::<u8>().wrapping_add(offset))
    }

    /// Copies `out.len()` bytes from `offset` on; null is `CUDA_ERROR_INVALID_VALUE`.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn read(self, offset: usize, out: &mut [u8]) -> Answer {
        let from = self.range(offset, out.len())?;
        // SAFETY: whoever made this said that there are so many; `out` is ours and does not overlap them.
        unsafe { from.copy_to_nonoverlapping(out.as_mut_ptr(), out.len()) };
        Ok(())
    }

    /// Copies `bytes` to `offset` and on; null is `CUDA_ERROR_INVALID_VALUE`.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn write(self, offset: usize, bytes: &[u8]) -> Answer {
        let to = self.range(offset, bytes.len())?;
        // SAFETY: as above.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }
}
