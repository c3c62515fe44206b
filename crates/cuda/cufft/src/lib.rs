//! cuFFT (`cufft.h`, `cufftXt.h`) over texunit's driver: what becomes `libcufft.so.11` and `libcufft.so.12`.
//!
//! A plan (`plan`) is a shape (`shape`): the sizes of transforms, what they are of, and where their elements lie. When it is
//! executed (`api::exec`), the driver is handed work of two boxes of memory, the input and the output (`texunit_client::work`). It does
//! the work in the order of the plan's stream, with the elements one after the other; they are transformed (`transform`) by
//! the crates `rustfft` and `realfft`. So layouts, streams, checks and the memory of devices are nothing that transforms know of.
//!
//! Results are not bit for bit those of cuFFT, which documents none; docs/cuda-libraries.md states their errors. What is not
//! provided (callbacks, several devices) says so once, by name, and answers `CUFFT_NOT_SUPPORTED`.

#![allow(unsafe_code)]

mod api;
mod code;
mod number;
mod plan;
mod refused;
mod shape;
mod transform;
