//! cuBLAS and cuBLASLt (`cublas_v2.h`, `cublasLt.h`) over texunit's driver: what becomes
//! `libcublas.so.12` and `.13`, `libcublasLt.so.12` and `.13`.
//!
//! A function checks its arguments and builds a `call::Call`: vectors and matrices (`operand`)
//! become strided memory regions, and the computation is submitted to the handle's stream
//! ([`texunit_client::work`]), which passes the elements contiguously to the computation. All
//! products, single or batched, with or without an epilogue, are a `product::Product`; a vector is
//! a matrix of one column, so that level 2 uses level 3. Products are computed by the crate `gemm`
//! (`view`), to which the other functions of levels 2 and 3 are reduced (`level3`). Level 1
//! accumulates sums in double precision (`level1`).
//!
//! Results are not bit for bit those of cuBLAS, whose rounding is undocumented. A function that is
//! not provided prints its name once and returns `CUBLAS_STATUS_NOT_SUPPORTED`.

#![allow(unsafe_code)]

mod api;
mod call;
mod code;
mod format;
mod level1;
mod level3;
mod number;
mod operand;
mod product;
mod view;
