//! Arguments that are pointers.
//!
//! They are the parameters of the exported functions of both libraries. A value of one of these types is a promise, which the
//! type's page has: the pointer is null, or good for one value for as long as the lifetime says. Its fields are private, so
//! that two can give the promise: whoever calls an exported function, which is `unsafe`, and whoever says `unsafe` here. What
//! is done with the value is safe then.
//!
//! The lifetime of a parameter is that of the call, and what an exported function keeps cannot have it. How many
//! values stand behind the first one is what another argument says: to take it at its word ([`In::elements`],
//! [`Out::elements`], [`Raw::bytes`]) is `unsafe`, too, and what comes of that knows its length.

mod bytes;
mod text;

pub use bytes::{InBytes, OutBytes, Raw};
pub use text::Text;

use crate::{CUresult, Refusal, Subject};
use std::marker::PhantomData;

/// How a function of either API ends: done, or refused.
pub type Answer<T = ()> = Result<T, Refusal>;

/// What is said of a pointer that may not be null.
fn null<T>(_: &T) -> Refusal {
    CUresult::INVALID_VALUE.of_argument(Subject::new::<T>(0), "is null")
}

/// What all pointers have: `pointer!(Out<'a, T>, *mut T)`.
macro_rules! pointer {
    ($(#[$doc:meta])* $name:ident<$a:lifetime $(, $t:ident)?>, $pointer:ty) => {
        $(#[$doc])*
        #[repr(transparent)]
        pub struct $name<$a $(, $t)?>($pointer, std::marker::PhantomData<&$a ()>);

        impl<$a $(, $t)?> Clone for $name<$a $(, $t)?> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<$a $(, $t)?> Copy for $name<$a $(, $t)?> {}

        impl<$a $(, $t)?> std::fmt::Debug for $name<$a $(, $t)?> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{:p}", self.0)
            }
        }

        impl<$a $(, $t)?> $name<$a $(, $t)?> {
            /// A pointer of a C caller.
            ///
            /// # Safety
            /// It is what the type's page says, for the lifetime.
            pub unsafe fn new(pointer: $pointer) -> Self {
                Self(pointer, std::marker::PhantomData)
            }

            /// A pointer of a C caller that a structure has as a number.
            ///
            /// # Safety
            /// It is what the type's page says, for the lifetime.
            pub unsafe fn of(address: u64) -> Self {
                Self(std::ptr::with_exposed_provenance_mut(address as usize), std::marker::PhantomData)
            }

            /// Nothing is given.
            pub fn null() -> Self {
                Self(std::ptr::null_mut(), std::marker::PhantomData)
            }

            /// Whether it is null.
            pub fn is_null(self) -> bool {
                self.0.is_null()
            }

            /// Refuses null: for functions that check before they act.
            ///
            /// # Errors
            /// `CUDA_ERROR_INVALID_VALUE` if it is null.
            pub fn check(self) -> $crate::args::Answer {
                if self.is_null() { Err($crate::args::null(&self)) } else { Ok(()) }
            }

            /// How the reason of a refusal names this argument of the call.
            pub fn subject(&self) -> Option<$crate::Subject> {
                Some($crate::Subject::new::<Self>(self.0.addr() as u64))
            }

            /// The pointer itself, to hand it on.
            pub fn as_ptr(self) -> $pointer {
                self.0
            }
        }
    };
}
use pointer;

pointer! {
    /// Where a result goes (`T *`).
    ///
    /// Null, or there is room for a `T`, at any alignment, to which nobody has a reference.
    Out<'a, T>, *mut T
}

pointer! {
    /// What is read and then written (`T *`).
    ///
    /// Null, or there is a `T`, at any alignment, to which nobody has a reference.
    InOut<'a, T>, *mut T
}

pointer! {
    /// What is read (`const T *`): one value, or as many as another argument says.
    ///
    /// Null, or there is a `T`, at any alignment, which nobody writes meanwhile.
    In<'a, T>, *const T
}

impl<'a, T> Out<'a, T> {
    /// Writes the result.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if it is null.
    pub fn set(self, value: T) -> Answer {
        self.check()?;
        self.set_if(value);
        Ok(())
    }

    /// Writes the result unless the caller does not want it.
    pub fn set_if(self, value: T) {
        if !self.is_null() {
            // SAFETY: it is not null, and there is room for a value, as whoever made this has promised.
            unsafe { self.0.write_unaligned(value) }
        }
    }

    /// The array of `count` values that begins here.
    ///
    /// # Safety
    /// It is null, or has room for so many.
    pub unsafe fn elements(self, count: usize) -> OutElements<'a, T> {
        OutElements { first: self, count }
    }
}

/// An array of a C caller that results go to.
#[derive(Clone, Copy, Debug)]
pub struct OutElements<'a, T> {
    first: Out<'a, T>,
    count: usize,
}

impl<'a, T> OutElements<'a, T> {
    /// Writes as many results as there are, and room for them, from the first on.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if the array is null.
    pub fn set_all(self, values: impl IntoIterator<Item = T>) -> Answer {
        self.first.check()?;
        for (i, value) in values.into_iter().take(self.count).enumerate() {
            Out(self.first.0.wrapping_add(i), PhantomData::<&'a ()>).set_if(value);
        }
        Ok(())
    }
}

impl<'a, T: Copy> InOut<'a, T> {
    /// What stands there already.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if it is null.
    pub fn get(self) -> Answer<T> {
        self.check()?;
        // SAFETY: the pointer is not null; the contract of its constructor guarantees a valid
        // value.
        Ok(unsafe { self.0.read_unaligned() })
    }

    /// Where the new value goes.
    pub fn out(self) -> Out<'a, T> {
        Out(self.0, PhantomData)
    }

    /// Value `index` of an array that begins here; null if the array is.
    ///
    /// # Safety
    /// It is null, or there are more than `index`.
    pub unsafe fn nth(self, index: usize) -> Self {
        if self.is_null() { self } else { Self(self.0.wrapping_add(index), PhantomData) }
    }
}

impl<'a, T: Copy> In<'a, T> {
    /// The value.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if it is null.
    pub fn get(self) -> Answer<T> {
        self.get_if().ok_or_else(|| null(&self))
    }

    /// The value, if the caller gives one.
    pub fn get_if(self) -> Option<T> {
        // SAFETY: the pointer is not null; the contract of its constructor guarantees a valid
        // value.
        (!self.is_null()).then(|| unsafe { self.0.read_unaligned() })
    }

    /// The array of `count` values that begins here.
    ///
    /// # Safety
    /// It is null, or has so many.
    pub unsafe fn elements(self, count: usize) -> Elements<'a, T> {
        Elements { first: self, count }
    }
}

/// An array of a C caller.
#[derive(Clone, Copy, Debug)]
pub struct Elements<'a, T> {
    first: In<'a, T>,
    count: usize,
}

impl<T: Copy> Elements<'_, T> {
    /// How many there are.
    pub fn len(self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.count == 0
    }

    /// One of them.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if the array is null.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn at(self, index: usize) -> Answer<T> {
        assert!(index < self.count, "element {index} of {}", self.count);
        self.first.check()?;
        // SAFETY: whoever made this said that there are so many, and it is not null.
        Ok(unsafe { self.first.0.add(index).read_unaligned() })
    }

    /// All of them. Null is fine if there are none.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if the array is null.
    pub fn to_vec(self) -> Answer<Vec<T>> {
        (0..self.count).map(|i| self.at(i)).collect()
    }
}
