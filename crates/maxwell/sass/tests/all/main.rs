//! Tests of the public interface, in one program to save link time.

mod descriptors;
mod words;
