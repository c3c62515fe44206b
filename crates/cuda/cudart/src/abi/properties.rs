//! `cudaDeviceProp`, whose layout differs between the major versions, and how it is filled from the
//! driver's device attributes.

use std::ffi::{c_char, c_int, c_uint};

/// Number of reserved integers at the end of the structure.
#[cfg(feature = "cuda-12")]
const RESERVED: usize = 63;
/// Number of reserved integers at the end of the structure.
#[cfg(not(feature = "cuda-12"))]
const RESERVED: usize = 56;

/// The type of a field, and how it is filled from driver attributes.
macro_rules! member {
    (i) => {
        c_int
    };
    (u) => {
        c_uint
    };
    (z) => {
        usize
    };
    (i2) => {
        [c_int; 2]
    };
    (i3) => {
        [c_int; 3]
    };
}

macro_rules! fill {
    (i, $of:ident, [$a:literal]) => {
        $of($a)?
    };
    (u, $of:ident, [$a:literal]) => {
        $of($a)? as c_uint
    };
    (z, $of:ident, [$a:literal]) => {
        $of($a)?.max(0) as usize
    };
    (i2, $of:ident, [$a:literal, $b:literal]) => {
        [$of($a)?, $of($b)?]
    };
    (i3, $of:ident, [$a:literal, $b:literal, $c:literal]) => {
        [$of($a)?, $of($b)?, $of($c)?]
    };
}

/// Defines `cudaDeviceProp` from a table: field, type, and the numbers of its attributes
/// (`CUdevice_attribute`).
macro_rules! properties {
    ($($(#[$cfg:meta])* $name:ident: $type:ident = $attributes:tt;)*) => {
        /// `cudaDeviceProp`
        #[derive(Clone, Copy, Debug)]
        #[repr(C)]
        #[allow(non_camel_case_types, non_snake_case)]
        pub(crate) struct cudaDeviceProp {
            pub(crate) name: [c_char; 256],
            pub(crate) uuid: [u8; 16],
            pub(crate) luid: [c_char; 8],
            pub(crate) luidDeviceNodeMask: c_uint,
            pub(crate) totalGlobalMem: usize,
            $($(#[$cfg])* pub(crate) $name: member!($type),)*
            pub(crate) reserved: [c_int; RESERVED],
        }

        impl cudaDeviceProp {
            /// Offset of each field in bytes, for the comparison with the header.
            #[allow(dead_code)]
            pub(crate) const OFFSETS: &[(&str, usize)] = &[
                ("totalGlobalMem", std::mem::offset_of!(cudaDeviceProp, totalGlobalMem)),
                $($(#[$cfg])* (
                    stringify!($name),
                    std::mem::offset_of!(cudaDeviceProp, $name),
                ),)*
            ];

            /// Fills the properties of a device, given its name, UUID, memory size, and a function
            /// that returns driver attributes by number.
            pub(crate) fn of<E>(
                name: [c_char; 256],
                uuid: [u8; 16],
                memory: usize,
                of: impl Fn(c_int) -> Result<c_int, E>,
            ) -> Result<Self, E> {
            Ok(Self {
                name,
                uuid,
                luid: [0; 8],
                luidDeviceNodeMask: 0,
                totalGlobalMem: memory,
                $($(#[$cfg])* $name: fill!($type, of, $attributes),)*
                reserved: [0; RESERVED],
            })
            }
        }
    };
}

#[rustfmt::skip]
properties! {
    sharedMemPerBlock: z = [8];
    regsPerBlock: i = [12];
    warpSize: i = [10];
    memPitch: z = [11];
    maxThreadsPerBlock: i = [1];
    maxThreadsDim: i3 = [2, 3, 4];
    maxGridSize: i3 = [5, 6, 7];
    #[cfg(feature = "cuda-12")] clockRate: i = [13];
    totalConstMem: z = [9];
    major: i = [75];
    minor: i = [76];
    textureAlignment: z = [14];
    texturePitchAlignment: z = [51];
    #[cfg(feature = "cuda-12")] deviceOverlap: i = [15];
    multiProcessorCount: i = [16];
    #[cfg(feature = "cuda-12")] kernelExecTimeoutEnabled: i = [17];
    integrated: i = [18];
    canMapHostMemory: i = [19];
    #[cfg(feature = "cuda-12")] computeMode: i = [20];
    maxTexture1D: i = [21];
    maxTexture1DMipmap: i = [77];
    #[cfg(feature = "cuda-12")] maxTexture1DLinear: i = [69];
    maxTexture2D: i2 = [22, 23];
    maxTexture2DMipmap: i2 = [73, 74];
    maxTexture2DLinear: i3 = [70, 71, 72];
    maxTexture2DGather: i2 = [45, 46];
    maxTexture3D: i3 = [24, 25, 26];
    maxTexture3DAlt: i3 = [47, 48, 49];
    maxTextureCubemap: i = [52];
    maxTexture1DLayered: i2 = [42, 43];
    maxTexture2DLayered: i3 = [27, 28, 29];
    maxTextureCubemapLayered: i2 = [53, 54];
    maxSurface1D: i = [55];
    maxSurface2D: i2 = [56, 57];
    maxSurface3D: i3 = [58, 59, 60];
    maxSurface1DLayered: i2 = [61, 62];
    maxSurface2DLayered: i3 = [63, 64, 65];
    maxSurfaceCubemap: i = [66];
    maxSurfaceCubemapLayered: i2 = [67, 68];
    surfaceAlignment: z = [30];
    concurrentKernels: i = [31];
    ECCEnabled: i = [32];
    pciBusID: i = [33];
    pciDeviceID: i = [34];
    pciDomainID: i = [50];
    tccDriver: i = [35];
    asyncEngineCount: i = [40];
    unifiedAddressing: i = [41];
    #[cfg(feature = "cuda-12")] memoryClockRate: i = [36];
    memoryBusWidth: i = [37];
    l2CacheSize: i = [38];
    persistingL2CacheMaxSize: i = [108];
    maxThreadsPerMultiProcessor: i = [39];
    streamPrioritiesSupported: i = [78];
    globalL1CacheSupported: i = [79];
    localL1CacheSupported: i = [80];
    sharedMemPerMultiprocessor: z = [81];
    regsPerMultiprocessor: i = [82];
    managedMemory: i = [83];
    isMultiGpuBoard: i = [84];
    multiGpuBoardGroupID: i = [85];
    hostNativeAtomicSupported: i = [86];
    #[cfg(feature = "cuda-12")] singleToDoublePrecisionPerfRatio: i = [87];
    pageableMemoryAccess: i = [88];
    concurrentManagedAccess: i = [89];
    computePreemptionSupported: i = [90];
    canUseHostPointerForRegisteredMem: i = [91];
    cooperativeLaunch: i = [95];
    #[cfg(feature = "cuda-12")] cooperativeMultiDeviceLaunch: i = [96];
    sharedMemPerBlockOptin: z = [97];
    pageableMemoryAccessUsesHostPageTables: i = [100];
    directManagedMemAccessFromHost: i = [101];
    maxBlocksPerMultiProcessor: i = [106];
    accessPolicyMaxWindowSize: i = [109];
    reservedSharedMemPerBlock: z = [111];
    hostRegisterSupported: i = [99];
    sparseCudaArraySupported: i = [112];
    hostRegisterReadOnlySupported: i = [113];
    timelineSemaphoreInteropSupported: i = [114];
    memoryPoolsSupported: i = [115];
    gpuDirectRDMASupported: i = [116];
    gpuDirectRDMAFlushWritesOptions: u = [117];
    gpuDirectRDMAWritesOrdering: i = [118];
    memoryPoolSupportedHandleTypes: u = [119];
    deferredMappingCudaArraySupported: i = [121];
    ipcEventSupported: i = [125];
    clusterLaunch: i = [120];
    unifiedFunctionPointers: i = [129];
    #[cfg(not(feature = "cuda-12"))] deviceNumaConfig: i = [130];
    #[cfg(not(feature = "cuda-12"))] deviceNumaId: i = [131];
    #[cfg(not(feature = "cuda-12"))] mpsEnabled: i = [133];
    #[cfg(not(feature = "cuda-12"))] hostNumaId: i = [134];
    #[cfg(not(feature = "cuda-12"))] gpuPciDeviceID: u = [139];
    #[cfg(not(feature = "cuda-12"))] gpuPciSubsystemID: u = [140];
    #[cfg(not(feature = "cuda-12"))] hostNumaMultinodeIpcSupported: i = [143];
}
