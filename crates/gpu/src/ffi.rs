//! The part of the CUDA driver API that is used, as `cuda.h` declares it. The library is opened at
//! run time; nothing of NVIDIA's is linked.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

/// `CUresult`: 0 is success.
pub(crate) type CuResult = c_int;
/// `CUdeviceptr`
pub(crate) type DevicePointer = u64;
/// `CUarray`, `CUmipmappedArray`, `CUmodule`, `CUfunction`, `CUcontext`, `CUstream`.
pub(crate) type Opaque = *mut c_void;

/// `CUDA_ARRAY3D_DESCRIPTOR`
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ArrayDescriptor {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
    pub(crate) format: c_int,
    pub(crate) channels: c_uint,
    pub(crate) flags: c_uint,
}

/// `CUDA_MEMCPY3D`, one side of it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct CopySide {
    pub(crate) x_in_bytes: usize,
    pub(crate) y: usize,
    pub(crate) z: usize,
    pub(crate) lod: usize,
    pub(crate) memory_type: c_int,
    pub(crate) host: *mut c_void,
    pub(crate) device: DevicePointer,
    pub(crate) array: Opaque,
    pub(crate) reserved: *mut c_void,
    pub(crate) pitch: usize,
    pub(crate) height: usize,
}

/// `CUDA_MEMCPY3D`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Copy3d {
    pub(crate) source: CopySide,
    pub(crate) destination: CopySide,
    pub(crate) width_in_bytes: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
}

/// `CUDA_RESOURCE_DESC`. The union is as large as its reserved member, 128 bytes; all others are
/// structs that fit, and of which `pitch2D` is the longest.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResourceDescriptor {
    pub(crate) kind: c_int,
    pub(crate) of: ResourceUnion,
    pub(crate) flags: c_uint,
}

/// The union of `CUDA_RESOURCE_DESC`, in the layout of its longest member: an array's or mipmapped
/// array's handle and a device pointer share the first word.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ResourceUnion {
    /// `hArray`, `hMipmappedArray` or `devPtr`.
    pub(crate) handle: u64,
    pub(crate) format: c_int,
    pub(crate) channels: c_uint,
    /// `sizeInBytes` of linear memory, `width` of pitched.
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) pitch: usize,
    pub(crate) reserved: [u64; 11],
}

/// `CUDA_TEXTURE_DESC`
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TextureDescriptor {
    pub(crate) address_mode: [c_int; 3],
    pub(crate) filter_mode: c_int,
    pub(crate) flags: c_uint,
    pub(crate) max_anisotropy: c_uint,
    pub(crate) mipmap_filter_mode: c_int,
    pub(crate) mipmap_level_bias: f32,
    pub(crate) min_mipmap_level_clamp: f32,
    pub(crate) max_mipmap_level_clamp: f32,
    pub(crate) border_color: [f32; 4],
    pub(crate) reserved: [c_int; 12],
}

pub(crate) const MEMORY_HOST: c_int = 1;
pub(crate) const MEMORY_ARRAY: c_int = 3;
pub(crate) const RESOURCE_ARRAY: c_int = 0;
pub(crate) const RESOURCE_MIPMAPPED: c_int = 1;
pub(crate) const RESOURCE_LINEAR: c_int = 2;
pub(crate) const RESOURCE_PITCH2D: c_int = 3;
pub(crate) const ARRAY_LAYERED: c_uint = 0x01;
pub(crate) const ARRAY_SURFACE: c_uint = 0x02;
pub(crate) const ARRAY_CUBEMAP: c_uint = 0x04;
pub(crate) const ARRAY_GATHER: c_uint = 0x08;
pub(crate) const READ_AS_INTEGER: c_uint = 0x01;
pub(crate) const NORMALIZED_COORDINATES: c_uint = 0x02;
pub(crate) const SRGB: c_uint = 0x10;
pub(crate) const SEAMLESS_CUBEMAP: c_uint = 0x40;
pub(crate) const JIT_ERROR_LOG_BUFFER: c_int = 5;
pub(crate) const JIT_ERROR_LOG_BUFFER_SIZE_BYTES: c_int = 6;
pub(crate) const COMPUTE_CAPABILITY_MAJOR: c_int = 75;
pub(crate) const COMPUTE_CAPABILITY_MINOR: c_int = 76;

macro_rules! api {
    ($($field:ident = $symbol:literal ($($ty:ty),* $(,)?);)*) => {
        /// The functions of an opened driver library.
        pub(crate) struct Api {
            $(pub(crate) $field: unsafe extern "C" fn($($ty),*) -> CuResult,)*
            /// Keeps the functions' code mapped; none for functions of our own, in tests.
            pub(crate) _library: Option<libloading::Library>,
        }

        impl Api {
            /// Finds all functions in a library.
            ///
            /// # Safety
            ///
            /// The library has to be a CUDA driver: its functions have to have the signatures of
            /// `cuda.h`.
            pub(crate) unsafe fn new(library: libloading::Library) -> Result<Self, libloading::Error> {
                Ok(Self {
                    // SAFETY: the caller says that the symbols have these types, and the library
                    // stays open as long as the pointers live.
                    $($field: unsafe { *library.get($symbol.as_bytes())? },)*
                    _library: Some(library),
                })
            }
        }
    };
}

api! {
    init = "cuInit"(c_uint);
    driver_version = "cuDriverGetVersion"(*mut c_int);
    device_count = "cuDeviceGetCount"(*mut c_int);
    device_get = "cuDeviceGet"(*mut c_int, c_int);
    device_name = "cuDeviceGetName"(*mut c_char, c_int, c_int);
    device_attribute = "cuDeviceGetAttribute"(*mut c_int, c_int, c_int);
    context_retain = "cuDevicePrimaryCtxRetain"(*mut Opaque, c_int);
    context_release = "cuDevicePrimaryCtxRelease_v2"(c_int);
    context_set = "cuCtxSetCurrent"(Opaque);
    synchronize = "cuCtxSynchronize"();
    error_name = "cuGetErrorName"(CuResult, *mut *const c_char);
    error_string = "cuGetErrorString"(CuResult, *mut *const c_char);
    module_load = "cuModuleLoadDataEx"(*mut Opaque, *const c_void, c_uint, *mut c_int, *mut *mut c_void);
    module_unload = "cuModuleUnload"(Opaque);
    module_function = "cuModuleGetFunction"(*mut Opaque, Opaque, *const c_char);
    launch = "cuLaunchKernel"(Opaque, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Opaque, *mut *mut c_void, *mut *mut c_void);
    allocate = "cuMemAlloc_v2"(*mut DevicePointer, usize);
    free = "cuMemFree_v2"(DevicePointer);
    copy_to_device = "cuMemcpyHtoD_v2"(DevicePointer, *const c_void, usize);
    copy_to_host = "cuMemcpyDtoH_v2"(*mut c_void, DevicePointer, usize);
    copy_3d = "cuMemcpy3D_v2"(*const Copy3d);
    array_create = "cuArray3DCreate_v2"(*mut Opaque, *const ArrayDescriptor);
    array_destroy = "cuArrayDestroy"(Opaque);
    mipmapped_create = "cuMipmappedArrayCreate"(*mut Opaque, *const ArrayDescriptor, c_uint);
    mipmapped_level = "cuMipmappedArrayGetLevel"(*mut Opaque, Opaque, c_uint);
    mipmapped_destroy = "cuMipmappedArrayDestroy"(Opaque);
    texture_create = "cuTexObjectCreate"(*mut u64, *const ResourceDescriptor, *const TextureDescriptor, *const c_void);
    texture_destroy = "cuTexObjectDestroy"(u64);
    surface_create = "cuSurfObjectCreate"(*mut u64, *const ResourceDescriptor);
    surface_destroy = "cuSurfObjectDestroy"(u64);
}

/// Whether a driver library is texunit's: it exports a name that no driver of NVIDIA's has.
pub(crate) fn is_ours(library: &libloading::Library) -> bool {
    // SAFETY: the symbol is only looked for.
    unsafe { library.get::<*const c_char>(texunit_cuda_abi::MARKER.to_bytes_with_nul()) }.is_ok()
}

impl Api {
    /// `CUDA_ERROR_INVALID_VALUE: invalid argument`
    pub(crate) fn error_text(&self, code: CuResult) -> String {
        let ask = |f: unsafe extern "C" fn(CuResult, *mut *const c_char) -> CuResult| {
            let mut text = std::ptr::null();
            // SAFETY: the driver writes a pointer to a constant string of its own.
            let found = unsafe { f(code, &raw mut text) } == 0 && !text.is_null();
            // SAFETY: as above; the string ends in NUL and is never freed.
            found.then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
        };
        match (ask(self.error_name), ask(self.error_string)) {
            (Some(name), Some(text)) => format!("{name}: {text}"),
            _ => format!("error {code}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};

    /// Sizes and offsets that a C compiler gives for `cuda.h` of CUDA 13 on a 64-bit machine.
    #[test]
    fn layouts_are_those_of_cuda_h() {
        assert_eq!(size_of::<ArrayDescriptor>(), 40);
        assert_eq!(size_of::<Copy3d>(), 200);
        assert_eq!(offset_of!(Copy3d, destination), 88);
        assert_eq!(offset_of!(Copy3d, width_in_bytes), 176);
        assert_eq!(offset_of!(CopySide, pitch), 72);
        assert_eq!(size_of::<ResourceDescriptor>(), 144);
        assert_eq!(offset_of!(ResourceDescriptor, of), 8);
        assert_eq!(offset_of!(ResourceDescriptor, flags), 136);
        assert_eq!(offset_of!(ResourceUnion, pitch), 32);
        assert_eq!(size_of::<TextureDescriptor>(), 104);
        assert_eq!(offset_of!(TextureDescriptor, border_color), 40);
    }
}
