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
    ($($symbol:ident)*) => {
        /// The functions of an opened driver library.
        #[allow(non_snake_case)]
        pub(crate) struct Api {
            $(pub(crate) $symbol: signature::$symbol,)*
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
                    $($symbol: unsafe { *library.get(stringify!($symbol).as_bytes())? },)*
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
                        $($symbol: transmute::<*const (), signature::$symbol>(
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
    cuInit cuDriverGetVersion cuDeviceGetCount cuDeviceGet cuDeviceGetName cuDeviceGetAttribute
    cuDevicePrimaryCtxRetain cuDevicePrimaryCtxRelease_v2 cuCtxSetCurrent cuCtxSynchronize
    cuGetErrorName cuGetErrorString
    cuModuleLoadDataEx cuModuleUnload cuModuleGetFunction cuLaunchKernel
    cuMemAlloc_v2 cuMemFree_v2 cuMemcpyHtoD_v2 cuMemcpyDtoH_v2 cuMemcpy3D_v2
    cuArray3DCreate_v2 cuArrayDestroy
    cuMipmappedArrayCreate cuMipmappedArrayGetLevel cuMipmappedArrayDestroy
    cuTexObjectCreate cuTexObjectDestroy cuSurfObjectCreate cuSurfObjectDestroy
}

/// Calls a function of a GPU's driver, and checks its result.
macro_rules! call {
    ($gpu:expr, $name:ident($($argument:expr),* $(,)?)) => {
        $gpu.check(stringify!($name), ($gpu.api().$name)($($argument),*))
    };
}
pub(crate) use call;

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
        match (ask(self.cuGetErrorName), ask(self.cuGetErrorString)) {
            (Some(name), Some(text)) => format!("{name}: {text}"),
            _ => format!("error {}", code.0),
        }
    }
}
