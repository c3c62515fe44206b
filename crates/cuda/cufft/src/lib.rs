//! cuFFT (`cufft.h`, `cufftXt.h`) over texunit's driver: what becomes `libcufft.so.11` and
//! `libcufft.so.12`.
//!
//! A plan (`plan`) has a shape (`shape`): the sizes of its transforms, their types, and the layout
//! of their elements. An execution (`api::exec`) submits two strided memory regions to the driver,
//! the input and the output (`texunit_client::work`). When the plan's stream reaches the work, the
//! driver passes the elements contiguously, and the crates `rustfft` and `realfft` transform them
//! (`transform`). Transforms therefore do not depend on layouts, streams, checks or device memory.
//!
//! cuFFTW (`fftw`) has the same shapes and transforms with FFTW's interface, for arrays in the
//! host's memory.
//!
//! Results are not bit for bit those of cuFFT, whose rounding is undocumented;
//! docs/cuda-libraries.md states their errors. A function that is not provided (callbacks, several
//! devices) prints its name once and returns `CUFFT_NOT_SUPPORTED`.

#![allow(unsafe_code)]

mod api;
mod code;
mod fftw;
mod number;
mod plan;
mod shape;
mod transform;
