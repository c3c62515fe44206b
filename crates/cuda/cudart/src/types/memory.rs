//! Memory: what a pointer points to.

/// What a pointer points to (`cudaPointerAttributes`).
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct cudaPointerAttributes {
    /// `cudaMemoryType*`.
    pub(crate) kind: i32,
    /// Whose it is.
    pub(crate) device: i32,
    /// The address for kernels, or 0.
    pub(crate) device_pointer: u64,
    /// The address for the program, or 0.
    pub(crate) host_pointer: u64,
    /// Part of the device; -1: none.
    #[cfg(not(feature = "cuda-12"))]
    pub(crate) locality_domain: i32,
    #[cfg(not(feature = "cuda-12"))]
    pub(crate) padding: i32,
    #[cfg(not(feature = "cuda-12"))]
    pub(crate) reserved: [i64; 7],
}

/// The program's own memory.
pub(crate) const MEMORY_UNREGISTERED: i32 = 0;
/// Memory of the host.
pub(crate) const MEMORY_HOST: i32 = 1;
/// Memory of a device.
pub(crate) const MEMORY_DEVICE: i32 = 2;
/// Managed memory.
pub(crate) const MEMORY_MANAGED: i32 = 3;
