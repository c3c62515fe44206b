//! Pointer arguments of exported functions, as types that check for null and give safe access.
//!
//! The functions of the driver and of the runtime have parameters of these types. A value of such a
//! type carries a guarantee that the type's documentation states: the pointer is null, or valid for
//! one value during the lifetime. The fields are private, so that only two kinds of code can give
//! the guarantee: the caller of an exported function, which is `unsafe`, and code here that uses
//! `unsafe`. Accesses through the value are then safe.
//!
//! The lifetime of a parameter is that of the call, so that an exported function cannot store it.
//! The length of an array is given by another argument: trusting it ([`In::elements`],
//! [`Out::elements`], [`Raw::bytes`]) is `unsafe`, too, and the result knows its length.

mod bytes;

pub use bytes::{InBytes, OutBytes, Raw, Text};

use crate::{CUresult, Refusal, Subject};
use std::marker::PhantomData;

/// Result of a function of the driver API or the runtime API.
pub type Answer<T = ()> = Result<T, Refusal>;

/// Makes the refusal of a null pointer argument that must not be null.
fn null<T>(_: &T) -> Refusal {
    CUresult::INVALID_VALUE.of_argument(Subject::new::<T>(0), "is null")
}

/// Defines a pointer type with the common methods: `pointer!(Out<'a, T>, *mut T)`. After an `@` the
/// type gets no `Debug`, whose text is the address.
macro_rules! pointer {
    ($(#[$doc:meta])* $name:ident<$a:lifetime $(, $t:ident)?>, $pointer:ty) => {
        pointer! { @ $(#[$doc])* $name<$a $(, $t)?>, $pointer }

        impl<$a $(, $t)?> std::fmt::Debug for $name<$a $(, $t)?> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{:p}", self.0)
            }
        }
    };
    (@ $(#[$doc:meta])* $name:ident<$a:lifetime $(, $t:ident)?>, $pointer:ty) => {
        $(#[$doc])*
        #[repr(transparent)]
        pub struct $name<$a $(, $t)?>($pointer, std::marker::PhantomData<&$a ()>);

        impl<$a $(, $t)?> Clone for $name<$a $(, $t)?> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<$a $(, $t)?> Copy for $name<$a $(, $t)?> {}

        impl<$a $(, $t)?> $name<$a $(, $t)?> {
            /// Wraps a pointer of a C caller.
            ///
            /// # Safety
            /// The pointer is as the type's documentation says, for the lifetime.
            pub unsafe fn new(pointer: $pointer) -> Self {
                Self(pointer, std::marker::PhantomData)
            }

            /// Wraps a pointer of a C caller that a structure stores as a number.
            ///
            /// # Safety
            /// The pointer is as the type's documentation says, for the lifetime.
            pub unsafe fn of(address: u64) -> Self {
                Self(std::ptr::with_exposed_provenance_mut(address as usize), std::marker::PhantomData)
            }

            /// A null pointer, for an optional argument that is absent.
            pub fn null() -> Self {
                Self(std::ptr::null_mut(), std::marker::PhantomData)
            }

            /// Whether the pointer is null.
            pub fn is_null(self) -> bool {
                self.0.is_null()
            }

            /// Refuses null, for functions that check their arguments before they act.
            ///
            /// # Errors
            /// `CUDA_ERROR_INVALID_VALUE` if the pointer is null.
            pub fn check(self) -> $crate::args::Answer {
                if self.is_null() { Err($crate::args::null(&self)) } else { Ok(()) }
            }

            /// The argument's identity, by which the reason of a refusal refers to it.
            pub fn subject(&self) -> Option<$crate::Subject> {
                Some($crate::Subject::new::<Self>(self.0.addr() as u64))
            }

            /// The raw pointer, for a caller that passes it on to another function.
            pub fn as_ptr(self) -> $pointer {
                self.0
            }
        }
    };
}
use pointer;

pointer! {
    /// An output parameter (`T *`).
    ///
    /// The pointer is null or points to memory for a `T`, of any alignment, to which no reference
    /// exists.
    Out<'a, T>, *mut T
}

pointer! {
    /// A parameter that is read and then written (`T *`).
    ///
    /// The pointer is null or points to a valid `T`, of any alignment, to which no reference
    /// exists.
    InOut<'a, T>, *mut T
}

pointer! {
    /// An input parameter (`const T *`): one value, or an array whose length another argument
    /// gives.
    ///
    /// The pointer is null or points to a valid `T`, of any alignment, which is not written during
    /// the lifetime.
    In<'a, T>, *const T
}

impl<'a, T> Out<'a, T> {
    /// Writes the result.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if the pointer is null.
    pub fn set(self, value: T) -> Answer {
        self.check()?;
        self.set_if(value);
        Ok(())
    }

    /// Writes a result that is computed only if the pointer is not null.
    ///
    /// # Errors `CUDA_ERROR_INVALID_VALUE` if the pointer is null; or the error of the computation.
    pub fn give<E: From<Refusal>>(self, value: impl FnOnce() -> Result<T, E>) -> Result<(), E> {
        self.check()?;
        Ok(self.set(value()?)?)
    }

    /// Writes the result unless the pointer is null.
    pub fn set_if(self, value: T) {
        if !self.is_null() {
            // SAFETY: the pointer is not null, so that it points to memory for a value by the
            // contract of its constructor.
            unsafe { self.0.write_unaligned(value) }
        }
    }

    /// The array of `count` values that begins here.
    ///
    /// # Safety
    /// The pointer is null or points to memory for this many values.
    pub unsafe fn elements(self, count: usize) -> OutElements<'a, T> {
        OutElements { first: self, count }
    }
}

/// An output array of a C caller.
#[derive(Clone, Copy, Debug)]
pub struct OutElements<'a, T> {
    first: Out<'a, T>,
    count: usize,
}

impl<'a, T> OutElements<'a, T> {
    /// Writes the values to the array from its first element on, until the values or the elements
    /// end.
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
    /// Reads the current value of the parameter.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if the pointer is null.
    pub fn get(self) -> Answer<T> {
        self.get_if().ok_or_else(|| null(&self))
    }

    /// Reads the current value of an optional parameter; `None` if the pointer is null.
    pub fn get_if(self) -> Option<T> {
        In(self.0.cast_const(), PhantomData::<&'a ()>).get_if()
    }

    /// The parameter as an output.
    pub fn out(self) -> Out<'a, T> {
        Out(self.0, PhantomData)
    }

    /// Element `index` of an array that begins here; null if the array is null.
    ///
    /// # Safety
    /// The pointer is null or points to more than `index` values.
    pub unsafe fn nth(self, index: usize) -> Self {
        if self.is_null() { self } else { Self(self.0.wrapping_add(index), PhantomData) }
    }
}

impl<'a, T: Copy> In<'a, T> {
    /// Reads the value of the parameter.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if the pointer is null.
    pub fn get(self) -> Answer<T> {
        self.get_if().ok_or_else(|| null(&self))
    }

    /// Reads the value of an optional parameter; `None` if the pointer is null.
    pub fn get_if(self) -> Option<T> {
        // SAFETY: the pointer is not null, so that it points to a valid value by the contract of
        // its constructor.
        (!self.is_null()).then(|| unsafe { self.0.read_unaligned() })
    }

    /// The array of `count` values that begins here.
    ///
    /// # Safety
    /// The pointer is null or points to this many values.
    pub unsafe fn elements(self, count: usize) -> Elements<'a, T> {
        Elements { first: self, count }
    }
}

/// An input array of a C caller.
#[derive(Clone, Copy, Debug)]
pub struct Elements<'a, T> {
    first: In<'a, T>,
    count: usize,
}

impl<T: Copy> Elements<'_, T> {
    /// Makes a null pointer to no elements, for an optional array that is absent.
    pub fn null() -> Self {
        Self { first: In::null(), count: 0 }
    }

    /// Whether the pointer is null.
    pub fn is_null(self) -> bool {
        self.first.is_null()
    }

    /// Number of elements.
    pub fn len(self) -> usize {
        self.count
    }

    /// Whether the array has no elements.
    pub fn is_empty(self) -> bool {
        self.count == 0
    }

    /// Reads an element of the array.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if the array is null.
    ///
    /// # Panics
    /// If the index is out of range.
    pub fn at(self, index: usize) -> Answer<T> {
        assert!(index < self.count, "element {index} of {}", self.count);
        self.first.check()?;
        // SAFETY: the pointer is not null, so that by the contract of `In::elements` it points to
        // `count` values, and the index is below `count`.
        Ok(unsafe { self.first.0.add(index).read_unaligned() })
    }

    /// Copies all elements. The array may be null if it has none.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if the array is null.
    pub fn to_vec(self) -> Answer<Vec<T>> {
        (0..self.count).map(|i| self.at(i)).collect()
    }
}
