//! The exported functions of cuFFT, in the sections of its documentation.

pub(crate) mod exec;
mod make;
mod settings;
