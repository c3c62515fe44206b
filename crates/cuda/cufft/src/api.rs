//! The exported functions of cuFFT, in the sections of its documentation.

pub(crate) mod exec;
mod fftw;
mod make;
mod settings;
