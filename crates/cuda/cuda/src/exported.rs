//! Where programs know a function by its address. This crate may be in a library of its own, into which `libcuda.so.1` beside it
//! jumps (crates/dist/core); what `cuGetProcAddress` finds is then the function of `libcuda.so.1`, as it is for the dynamic linker.

use crate::functions::{Address, Function};
use std::ffi::{CString, c_void};
use std::path::Path;
use std::sync::OnceLock;

/// The address of a driver function in `libcuda.so.1`; without that library beside this one, its address here.
pub(crate) fn address(function: &Function) -> Address {
    let find = || {
        let name = CString::new(function.symbol).ok()?;
        let library = std::ptr::with_exposed_provenance_mut(driver()?);
        // SAFETY: a library that stays, and a C string.
        let found = unsafe { libc::dlsym(library, name.as_ptr()) };
        // SAFETY: a function of `libcuda.so.1`, which is the one of that name here.
        (!found.is_null()).then(|| unsafe { std::mem::transmute::<*mut c_void, Address>(found) })
    };
    find().unwrap_or(function.address)
}

/// The library `libcuda.so.1` beside the one with this code, if it is loaded and not the same.
fn driver() -> Option<usize> {
    static FOUND: OnceLock<usize> = OnceLock::new();
    if let Some(found) = FOUND.get() {
        return Some(*found);
    }
    let (own, _) = crate::asked::module(driver as fn() -> Option<usize> as usize)?;
    let path = Path::new(&own).with_file_name("libcuda.so.1");
    let path = CString::new(path.into_os_string().into_encoded_bytes()).ok()?;
    // SAFETY: a C string. Nothing is loaded; what is there already is kept, as texunit's libraries are anyway.
    let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    (!library.is_null()).then(|| *FOUND.get_or_init(|| library.expose_provenance()))
}
