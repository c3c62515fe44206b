//! Tests of the public interface, in one program to save link time.

#![allow(clippy::unwrap_used)]

mod descriptors;
mod words;
