//! The exported functions of cuBLAS and cuBLASLt, in the sections of cuBLAS's documentation.

mod gemm;
mod helper;
mod level1;
mod level2;
mod level3;
mod lt;
mod rotations;
mod transfer;

/// Calls a defining macro for several element types, each with 32-bit and with 64-bit integers.
///
/// ```ignore
/// for_types! { axpy: f32 cublasSaxpy_v2 cublasSaxpy_v2_64, f64 cublasDaxpy_v2 cublasDaxpy_v2_64 }
/// ```
macro_rules! for_types {
    ($define:ident: $($type:ty: $name:ident $name64:ident),* $(,)?) => {
        $($define! { $name, std::ffi::c_int, $type })*
        $($define! { $name64, i64, $type })*
    };
}
use for_types;
