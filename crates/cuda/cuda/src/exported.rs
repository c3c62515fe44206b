//! The exported symbol by which programs recognise this driver as texunit's, and addresses of
//! functions as the program sees them. This crate may be in a library of its own, to which
//! `libcuda.so.1` forwards its calls (crates/dist/core); `cuGetProcAddress` then returns the
//! function of `libcuda.so.1`, as the dynamic linker would.

use crate::functions::{Address, Function};
use crate::prelude::*;
use std::ffi::CString;

/// The address of a driver function in `libcuda.so.1`; if that library is not beside this one, the
/// address here.
pub(crate) fn address(function: &Function) -> Address {
    let find = || {
        let name = CString::new(function.symbol).ok()?;
        let library = std::ptr::with_exposed_provenance_mut(driver()?);
        // SAFETY: the library is never unloaded, and the name is a C string.
        let found = unsafe { libc::dlsym(library, name.as_ptr()) };
        // SAFETY: the function of this name in `libcuda.so.1` has this type.
        (!found.is_null()).then(|| unsafe { std::mem::transmute::<*mut c_void, Address>(found) })
    };
    find().unwrap_or(function.address)
}

/// The `libcuda.so.1` beside the library with this code, if it is loaded and not the same.
fn driver() -> Option<usize> {
    static FOUND: OnceLock<usize> = OnceLock::new();
    if let Some(found) = FOUND.get() {
        return Some(*found);
    }
    let (own, _) = crate::allocation_trace::module(driver as fn() -> Option<usize> as usize)?;
    let path = Path::new(&own).with_file_name("libcuda.so.1");
    let path = CString::new(path.into_os_string().into_encoded_bytes()).ok()?;
    // SAFETY: the path is a C string. `RTLD_NOLOAD` only takes a reference to a library that is
    // already loaded, which is never released.
    let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    (!library.is_null()).then(|| *FOUND.get_or_init(|| library.expose_provenance()))
}

/// [`texunit_cuda_abi::MARKER`]. Its value is texunit's version with a terminating zero.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, unreachable_pub)]
pub static texunit_driver: [u8; VERSION.len()] = bytes();

const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");

const fn bytes() -> [u8; VERSION.len()] {
    match VERSION.as_bytes().first_chunk() {
        Some(bytes) => *bytes,
        None => [0; VERSION.len()],
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_name_is_the_one_that_is_looked_for() {
        assert_eq!(texunit_cuda_abi::MARKER.to_bytes(), stringify!(texunit_driver).as_bytes());
        assert!(super::texunit_driver.ends_with(b"\0"));
    }
}
