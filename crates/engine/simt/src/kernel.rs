//! Kernels by number.

/// A kernel of a [`Program`](crate::Program).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KernelId(pub(crate) u32);
