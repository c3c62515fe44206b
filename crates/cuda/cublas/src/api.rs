//! The exported functions of cuBLAS and cuBLASLt, in the sections of cuBLAS's documentation.

mod gemm;
mod helper;
mod level1;
mod level2;
mod level3;
mod lt;
mod rotations;
mod transfer;

/// Calls a defining macro for several element types, each with 32-bit and with 64-bit integers, and
/// with further arguments in parentheses.
///
/// ```ignore
/// for_types! { axpy: f32: cublasSaxpy_v2 cublasSaxpy_v2_64, f64: cublasDaxpy_v2 cublasDaxpy_v2_64 }
/// for_types! { dot(true): Complex32: cublasCdotc_v2 cublasCdotc_v2_64 }
/// ```
macro_rules! for_types {
    ($define:ident: $($types:tt)*) => {
        $crate::api::for_types! { $define(): $($types)* }
    };
    ($define:ident $more:tt: $($type:ty: $name:ident $name64:ident),* $(,)?) => {
        $($crate::api::for_types! { @ $define $name, std::ffi::c_int, $type; $more })*
        $($crate::api::for_types! { @ $define $name64, i64, $type; $more })*
    };
    (@ $define:ident $name:ident, $int:ty, $type:ty; ()) => {
        $define! { $name, $int, $type }
    };
    (@ $define:ident $name:ident, $int:ty, $type:ty; ($($more:tt)+)) => {
        $define! { $name, $int, $type, $($more)+ }
    };
}
use for_types;

/// The type of scalars that are as the elements.
type Same<T> = T;
/// The type of real scalars.
type Real<T> = <T as crate::number::Number>::Real;
