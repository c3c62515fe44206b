//! Calls of texunit's driver, for the libraries over it: the runtime (`libcudart`), and those with
//! the names of NVIDIA's libraries (`libcufft`).
//!
//! Each of these libraries is a shared object of its own, and none is linked with `libcuda.so.1`:
//! this crate loads the driver and calls its functions ([`driver`]), reports refused calls to it
//! ([`report`]), and submits the libraries' work to its streams ([`work`]).

#![allow(unsafe_code)]

pub mod call;
pub mod driver;
pub mod handles;
pub mod prelude;
pub mod report;
pub mod work;
