//! Calls of texunit's driver, for the libraries over it: the runtime (`libcudart`), and those with the names of NVIDIA's
//! libraries (`libcufft`).
//!
//! Each of them is a file of its own, and none is linked with `libcuda.so.1`: this crate loads that, calls its functions by
//! their types ([`driver`]), tells it of calls that are refused ([`told`]), and hands it the work of libraries, which it does in the
//! order of streams ([`work`]).

#![allow(unsafe_code)]

pub mod call;
pub mod context;
pub mod driver;
pub mod told;
pub mod work;
