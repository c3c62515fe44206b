//! The identifier of a kernel within a lowered program.

/// Number of a kernel in its [`Program`](crate::Program).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KernelId(pub(crate) u32);
