//! Element types of vectors and matrices as Rust types, with the arithmetic that the functions
//! need.

use crate::format::Format;
use num_complex::{Complex32, Complex64, ComplexFloat};
use num_traits::NumAssign;
use std::ops::Neg;

/// An element type that has a [`Format`].
pub(crate) trait Element {
    /// The [`Format`] value that identifies this element type.
    const FORMAT: Format;
}

impl Element for half::f16 {
    const FORMAT: Format = Format::Half;
}

/// An element type for computation: `float`, `double`, `cuComplex`, `cuDoubleComplex`.
pub(crate) trait Number:
    Element
    + bytemuck::Pod
    + NumAssign
    + Neg<Output = Self>
    + std::iter::Sum
    + Send
    + Sync
    + std::fmt::Debug
{
    /// The real type of the same precision.
    type Real: Number<Real = Self::Real> + PartialOrd;

    /// The complex conjugate; for a real number, the number itself.
    fn conjugate(self) -> Self;

    /// Converts a real number to this type.
    fn of_real(real: Self::Real) -> Self;

    /// The real part of the number.
    fn real(self) -> Self::Real;

    /// Converts to double precision; a real number has imaginary part 0.
    fn wide(self) -> Complex64;

    /// Rounds from double precision.
    fn narrow(wide: Complex64) -> Self;

    /// The elements in a buffer of host memory, mutable. The driver passes memory that is aligned
    /// and holds whole elements, unless it is empty.
    fn of(bytes: &mut [u8]) -> &mut [Self] {
        if bytes.is_empty() { &mut [] } else { bytemuck::cast_slice_mut(bytes) }
    }

    /// The elements in a buffer of host memory.
    fn read(bytes: &[u8]) -> &[Self] {
        if bytes.is_empty() { &[] } else { bytemuck::cast_slice(bytes) }
    }
}

macro_rules! number {
    ($($type:ty: $format:ident, $real:ty, $wide:ident => $narrow:expr;)*) => {$(
        impl Element for $type {
            const FORMAT: Format = Format::$format;
        }

        impl Number for $type {
            type Real = $real;

            fn conjugate(self) -> Self {
                self.conj()
            }

            fn of_real(real: $real) -> Self {
                real.into()
            }

            fn real(self) -> $real {
                self.re()
            }

            fn wide(self) -> Complex64 {
                Complex64::new(self.re().into(), self.im().into())
            }

            fn narrow($wide: Complex64) -> Self {
                $narrow
            }
        }
    )*};
}
number! {
    f32: Single, f32, w => w.re as f32;
    f64: Double, f64, w => w.re;
    Complex32: ComplexSingle, f32, w => Self::new(w.re as f32, w.im as f32);
    Complex64: ComplexDouble, f64, w => w;
}

impl Format {
    /// Converts elements in memory to `T`.
    pub(crate) fn widen<T: Number>(self, bytes: &[u8]) -> Vec<T> {
        bytes.chunks_exact(self.size()).map(|bytes| T::narrow(self.read(bytes))).collect()
    }

    /// Converts elements of `T` to this type in memory.
    pub(crate) fn narrow<T: Number>(self, numbers: &[T], bytes: &mut [u8]) {
        for (&number, bytes) in numbers.iter().zip(bytes.chunks_exact_mut(self.size())) {
            self.write(number.wide(), bytes);
        }
    }
}
