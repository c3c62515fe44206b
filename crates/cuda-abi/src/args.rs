//! Arguments that are pointers.
//!
//! Only a C caller makes values of these types: they are the parameters of the exported functions of both
//! libraries, and their fields are private. The contract of both APIs is that such a pointer is null, or points to
//! what its name says for as long as the call runs. Null is checked here; the rest cannot be checked by
//! anybody, and is what makes the exported functions `unsafe`.

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

    /// Element `index` of an array; null stays null.
    pub fn nth(self, index: usize) -> Self {
        if self.is_null() { self } else { Self(self.0.wrapping_add(index)) }
    }

    /// Writes as many results as there are, from the first on.
    pub fn set_all(self, values: impl IntoIterator<Item = T>) -> Answer {
        self.check()?;
        for (i, value) in values.into_iter().enumerate() {
            // SAFETY: the caller's array has as many elements as the function's contract says, which
            // is what it is asked to fill.
            unsafe { self.0.add(i).write_unaligned(value) }
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

    /// Element `index` of an array.
    pub fn at(self, index: usize) -> Answer<T> {
        if self.is_null() {
            return Err(null::<Self>());
        }
        // SAFETY: the array has as many elements as the function's contract says.
        Ok(unsafe { self.0.add(index).read_unaligned() })
    }

    /// An array of `count` elements. Null is fine if there are none.
    pub fn all(self, count: usize) -> Answer<Vec<T>> {
        (0..count).map(|i| self.at(i)).collect()
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

    /// As text that ends with a zero byte.
    pub fn text(self) -> Text {
        Text(self.0.cast())
    }

    /// The address.
    pub fn address(self) -> u64 {
        self.0.expose_provenance() as u64
    }

    /// Copies `out.len()` bytes from `offset` on; null is `CUDA_ERROR_INVALID_VALUE`.
    pub fn read(self, offset: usize, out: &mut [u8]) -> Answer {
        if self.is_null() && !out.is_empty() {
            return Err(null::<Self>());
        }
        // SAFETY: the caller's memory holds what the call's sizes say (module header); `out` is ours
        // and does not overlap it.
        unsafe {
            let from = self.0.cast::<u8>().wrapping_add(offset);
            from.copy_to_nonoverlapping(out.as_mut_ptr(), out.len());
        }
        Ok(())
    }

    /// Copies `bytes` to `offset` and on; null is `CUDA_ERROR_INVALID_VALUE`.
    pub fn write(self, offset: usize, bytes: &[u8]) -> Answer {
        if self.is_null() && !bytes.is_empty() {
            return Err(null::<Self>());
        }
        // SAFETY: as above.
        unsafe {
            let to = self.0.cast::<u8>().wrapping_add(offset);
            to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        }
        Ok(())
    }
}
