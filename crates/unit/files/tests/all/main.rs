//! Files of texels: one program, because each one more has to be linked.

#![allow(clippy::unwrap_used)]

mod common;
mod containers;
mod hostile;
mod npy;
mod reading;
