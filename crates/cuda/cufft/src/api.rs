//! The exported functions, as the sections of cuFFT's documentation have them.

pub(crate) mod exec;
mod make;
mod settings;
