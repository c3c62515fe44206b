//! The functions of the CUDA driver API that this crate calls, as `cuda.h` declares them. The
//! library is opened at run time, and nothing of NVIDIA's is linked.

use std::ffi::{CStr, c_char};
use texunit_cuda_abi::CUresult;
use texunit_cuda_abi::driver::signature;

/// Handle of an array or a mipmapped array, a module, a function, a context.
pub(crate) type Handle = usize;

pub(crate) const JIT_ERROR_LOG_BUFFER: u32 = 5;
pub(crate) const JIT_ERROR_LOG_BUFFER_SIZE_BYTES: u32 = 6;
pub(crate) const COMPUTE_CAPABILITY_MAJOR: i32 = 75;
pub(crate) const COMPUTE_CAPABILITY_MINOR: i32 = 76;

macro_rules! api {
    ($($field:ident = $symbol:ident;)*) => {
        /// The functions of an opened driver library.
        pub(crate) struct Api {
            $(pub(crate) $field: signature::$symbol,)*
            /// Keeps the library loaded; `None` for the linked driver of tests.
            pub(crate) _library: Option<libloading::Library>,
        }

        impl Api {
            /// Resolves all functions in a library.
            ///
            /// # Safety
            ///
            /// The library is a CUDA driver, whose functions have the signatures of `cuda.h`.
            pub(crate) unsafe fn new(library: libloading::Library) -> Result<Self, libloading::Error> {
                Ok(Self {
                    // SAFETY: the caller guarantees the types of the symbols, and the library stays
                    // loaded as long as the pointers.
                    $($field: unsafe { *library.get(stringify!($symbol).as_bytes())? },)*
                    _library: Some(library),
                })
            }

            /// The functions of texunit's own driver, which is linked.
            #[cfg(any(test, feature = "test-card"))]
            pub(crate) fn linked() -> Self {
                use texunit_cuda as _;
                unsafe extern "C" {
                    $(fn $symbol() -> CUresult;)*
                }
                // SAFETY: the driver's definitions have the types of the same list.
                unsafe {
                    use std::mem::transmute;
                    Self {
                        $($field: transmute::<*const (), signature::$symbol>(
                            $symbol as *const (),
                        ),)*
                        _library: None,
                    }
                }
            }
        }
    };
}

api! {
    init = cuInit;
    driver_version = cuDriverGetVersion;
    device_count = cuDeviceGetCount;
    device_get = cuDeviceGet;
    device_name = cuDeviceGetName;
    device_attribute = cuDeviceGetAttribute;
    context_retain = cuDevicePrimaryCtxRetain;
    context_release = cuDevicePrimaryCtxRelease_v2;
    context_set = cuCtxSetCurrent;
    synchronize = cuCtxSynchronize;
    error_name = cuGetErrorName;
    error_string = cuGetErrorString;
    module_load = cuModuleLoadDataEx;
    module_unload = cuModuleUnload;
    module_function = cuModuleGetFunction;
    launch = cuLaunchKernel;
    allocate = cuMemAlloc_v2;
    free = cuMemFree_v2;
    copy_to_device = cuMemcpyHtoD_v2;
    copy_to_host = cuMemcpyDtoH_v2;
    copy_3d = cuMemcpy3D_v2;
    array_create = cuArray3DCreate_v2;
    array_destroy = cuArrayDestroy;
    mipmapped_create = cuMipmappedArrayCreate;
    mipmapped_level = cuMipmappedArrayGetLevel;
    mipmapped_destroy = cuMipmappedArrayDestroy;
    texture_create = cuTexObjectCreate;
    texture_destroy = cuTexObjectDestroy;
    surface_create = cuSurfObjectCreate;
    surface_destroy = cuSurfObjectDestroy;
}

/// Whether a driver library is texunit's, which exports a name that NVIDIA's drivers lack.
pub(crate) fn is_ours(library: &libloading::Library) -> bool {
    // SAFETY: the symbol is looked up but not accessed.
    unsafe { library.get::<*const c_char>(texunit_cuda_abi::MARKER.to_bytes_with_nul()) }.is_ok()
}

impl Api {
    /// Text of an error, such as `CUDA_ERROR_INVALID_VALUE: invalid argument`.
    pub(crate) fn error_text(&self, code: CUresult) -> String {
        let ask = |f: unsafe extern "C" fn(CUresult, *mut *const c_char) -> CUresult| {
            let mut text = std::ptr::null();
            // SAFETY: the driver writes a pointer to a static string.
            let found = unsafe { f(code, &raw mut text) } == CUresult::SUCCESS && !text.is_null();
            // SAFETY: as above; the string ends in NUL and is never freed.
            found.then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
        };
        match (ask(self.error_name), ask(self.error_string)) {
            (Some(name), Some(text)) => format!("{name}: {text}"),
            _ => format!("error {}", code.0),
        }
    }
}
