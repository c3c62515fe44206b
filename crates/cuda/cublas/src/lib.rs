//! cuBLAS and cuBLASLt (`cublas_v2.h`, `cublasLt.h`) over texunit's driver: what becomes `libcublas.so.12` and `.13`, `libcublasLt.so.12` and
//! `.13`.
//!
//! A function checks its arguments, and makes a `call::Call` of them: vectors and matrices (`operand`) become boxes of memory, and what is
//! done with them work in the order of the handle's stream ([`texunit_client::work`]), which gets their elements one after the other.
//! All products, with or without an epilogue, one or many, are one `product::Product`; a vector is a matrix of one column, so that level 2
//! is level 3. Products are the crate `gemm`'s (`view`); everything else of levels 2 and 3 is reduced to them (`level3`). Sums of
//! level 1 are in double precision (`level1`).
//!
//! Results are not bit for bit those of cuBLAS, which documents none. What is not provided says so once, by name, and answers
//! `CUBLAS_STATUS_NOT_SUPPORTED`.

#![allow(unsafe_code)]

mod api;
mod call;
mod code;
mod format;
mod handle;
mod level1;
mod level3;
mod number;
mod operand;
mod product;
mod refused;
mod view;
