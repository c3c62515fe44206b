//! Sizes and offsets of the runtime's structures, compared with values that a C++ compiler printed
//! for NVIDIA's header of the same major version, and error codes, compared with NVIDIA's library.

#![allow(unsafe_code, clippy::unwrap_used)]
#![allow(non_camel_case_types, non_snake_case, reason = "names of CUDA's headers")]

#[allow(dead_code)]
#[path = "../src/codes.rs"]
mod codes;
#[allow(dead_code, unused_imports)]
#[path = "../src/types/mod.rs"]
mod types;

mod probe;

use probe::{MAJOR, compare, find};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::mem::offset_of;

/// Path of NVIDIA's runtime in the folder of its packages.
const LIBRARY: &str = match MAJOR {
    12 => "nvrtc12/nvidia/cuda_runtime/lib/libcudart.so.12",
    _ => "cu13/nvidia/cu13/lib/libcudart.so.13",
};

/// C++ expressions and our values for them.
macro_rules! facts {
    ($($ty:ident = $name:literal { $($member:ident),* $(,)? })*) => {
        vec![$(
            (format!("sizeof({})", $name), size_of::<types::$ty>()),
            $((
                format!("offsetof({}, {})", $name, stringify!($member)),
                offset_of!(types::$ty, $member),
            ),)*
        )*]
    };
}

fn facts() -> Vec<(String, usize)> {
    let mut all = facts! {
        Dim3 = "dim3" { x, y, z }
        cudaLaunchConfig_t = "cudaLaunchConfig_t" {
            gridDim, blockDim, dynamicSmemBytes, stream, attrs, numAttrs,
        }
        cudaFuncAttributes = "cudaFuncAttributes" {
            sharedSizeBytes, constSizeBytes, localSizeBytes, maxThreadsPerBlock, numRegs, ptxVersion,
            binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes, preferredShmemCarveout,
            clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight, requiredClusterDepth,
            clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed,
        }
    };
    for (member, offset) in types::cudaDeviceProp::OFFSETS {
        all.push((format!("offsetof(cudaDeviceProp, {member})"), *offset));
    }
    all.push(("sizeof(cudaDeviceProp)".to_owned(), size_of::<types::cudaDeviceProp>()));
    #[cfg(feature = "cuda-12")]
    all.extend(facts! {
        cudaLaunchParams = "cudaLaunchParams" { func, gridDim, blockDim, args, sharedMem, stream }
    });
    all
}

#[test]
fn layouts_are_those_of_the_header() {
    compare("layout", &facts());
}

type ErrorText = unsafe extern "C" fn(c_int) -> *const c_char;

unsafe extern "C" {
    fn dlopen(file: *const c_char, mode: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

fn function(library: *mut c_void, name: &CStr) -> ErrorText {
    // SAFETY: the library is open, and both functions that are asked for have this type.
    unsafe {
        let address = dlsym(library, name.as_ptr());
        assert!(!address.is_null(), "{name:?}");
        std::mem::transmute::<*mut c_void, ErrorText>(address)
    }
}

fn text(function: ErrorText, code: u32) -> String {
    // SAFETY: both functions take any number, and give a text that stays.
    unsafe { CStr::from_ptr(function(code as c_int)) }.to_str().unwrap().to_owned()
}

#[test]
fn errors_are_those_of_the_library() {
    let Some(path) = find(LIBRARY) else {
        return texunit_testkit::skipped(&format!(
            "{LIBRARY} is not below target/nvidia or TEXUNIT_NVIDIA"
        ));
    };
    let path = CString::new(path.to_str().unwrap()).unwrap();
    // SAFETY: NVIDIA's library has no effect when it is loaded.
    let library = unsafe { dlopen(path.as_ptr(), 2) };
    assert!(!library.is_null(), "{path:?} cannot be loaded");
    let name = function(library, c"cudaGetErrorName");
    let string = function(library, c"cudaGetErrorString");
    let mut known = 0;
    for code in (0..2000).chain(9990..10010) {
        let unknown = ("unrecognized error code", "unrecognized error code");
        let ours = codes::find(code, MAJOR).unwrap_or(unknown);
        assert_eq!((ours.0, ours.1), (&*text(name, code), &*text(string, code)), "{code}");
        known += usize::from(ours != unknown);
    }
    assert!(known > 100, "{known}");
}
