//! The exported functions of cuBLAS and cuBLASLt, in the sections of cuBLAS's documentation.

mod gemm;
mod helper;
mod level1;
mod level2;
mod level3;
mod lt;
mod rotations;
mod transfer;

// Names that most modules of cuBLAS's functions use.
use crate::call::{Call, HANDLES, Integer, create_handle, operation, second, size};
use crate::code::*;
use crate::format::Format;
use crate::number::{Element, Number};
use crate::operand::{Factor, Operand, changed, sizes};
use crate::view::Operation;
use num_complex::{Complex32, Complex64};
use std::ffi::{c_char, c_int, c_void};

/// Access flags of an operand that is changed in place.
const CHANGED: u64 = Region::READ | Region::WRITTEN;

/// The element type of a function, by the letters before its name in BLAS: `S` of `cublasSaxpy_v2`.
/// Of two letters, the first stands for the result or the scalar (`I`: an index), the second for
/// the elements.
macro_rules! element {
    (S) => {
        f32
    };
    (D) => {
        f64
    };
    (C) => {
        num_complex::Complex32
    };
    (Z) => {
        num_complex::Complex64
    };
    (Sc) => {
        num_complex::Complex32
    };
    (Dz) => {
        num_complex::Complex64
    };
    (Cs) => {
        num_complex::Complex32
    };
    (Zd) => {
        num_complex::Complex64
    };
    (Is) => {
        f32
    };
    (Id) => {
        f64
    };
    (Ic) => {
        num_complex::Complex32
    };
    (Iz) => {
        num_complex::Complex64
    };
    (H) => {
        half::f16
    };
}
use element;

/// Defines a function for several element types ([`element!`]), each with 32-bit and, under the
/// name that ends in `_64`, with 64-bit integers. In the function's parameters and body, `T` is the
/// element type, `Int` the integer type, and `NAME` the function's name. The first parameter is the
/// handle, for which the body gets a [`Call`]. Brackets before the letters have items that the body
/// uses.
///
/// ```ignore
/// blas! {
///     /// Dot product.
///     fn(call, n: Int, x: u64, incx: Int, y: u64, incy: Int, result: u64) { .. }
///     // Defines cublasCdotc_v2, cublasCdotc_v2_64, cublasZdotc_v2 and cublasZdotc_v2_64.
///     [const CONJUGATES: bool = true;] C Z: dotc_v2;
/// }
/// ```
macro_rules! blas {
    ($(#[$doc:meta])* fn $args:tt $body:tt $($names:tt)+) => {
        $crate::api::blas! { @ [$(#[$doc])*] $args $body; $($names)+ }
    };
    (@ $docs:tt $args:tt $body:tt; $($items:tt $($($letter:ident)+: $name:ident),+;)+) => {
        pastey::paste! { $($($(
            $crate::api::blas! { @ $docs $args $body $items
                $letter, [<cublas $letter $name>], std::ffi::c_int }
            $crate::api::blas! { @ $docs $args $body $items
                $letter, [<cublas $letter $name _64>], i64 }
        )+)+)+ }
    };
    (
        @ [$($doc:tt)*] ($call:ident, $($args:tt)*) $body:tt
        [$($item:item)*] $letter:ident, $name:ident, $int:ty
    ) => {
        // 64-bit integers need no conversion.
        #[allow(clippy::useless_conversion)]
        const _: () = {
            type T = $crate::api::element!($letter);
            type Int = $int;
            const NAME: &str = stringify!($name);
            $($item)*
            texunit_client::library_api! { ($crate::code::BlasCode)
                $($doc)*
                fn $name(handle: usize, $($args)*) {
                    #[allow(unused_mut, reason = "some functions only pass it on")]
                    let mut $call = $crate::call::Call::new(NAME, handle)?;
                    $body
                }
            }
        };
    };
}
use blas;

/// The type of scalars that have the elements' type.
type Same<T> = T;
/// The type of scalars that are real, whatever the elements are.
type Real<T> = <T as Number>::Real;
