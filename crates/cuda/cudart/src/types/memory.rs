//! Attributes of pointers.

/// Attributes of a pointer (`cudaPointerAttributes`).
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct cudaPointerAttributes {
    /// `cudaMemoryType*`.
    pub(crate) kind: i32,
    /// Device that owns the memory.
    pub(crate) device: i32,
    /// Device address, or 0.
    pub(crate) device_pointer: u64,
    /// Host address, or 0.
    pub(crate) host_pointer: u64,
    /// Locality domain of the device; -1 for none.
    #[cfg(not(feature = "cuda-12"))]
    pub(crate) locality_domain: i32,
    #[cfg(not(feature = "cuda-12"))]
    pub(crate) padding: i32,
    #[cfg(not(feature = "cuda-12"))]
    pub(crate) reserved: [i64; 7],
}

/// Memory that is not known to CUDA.
pub(crate) const MEMORY_UNREGISTERED: i32 = 0;
/// Page-locked host memory.
pub(crate) const MEMORY_HOST: i32 = 1;
/// Memory of a device.
pub(crate) const MEMORY_DEVICE: i32 = 2;
/// Managed memory.
pub(crate) const MEMORY_MANAGED: i32 = 3;
