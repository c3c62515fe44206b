//! Libraries and their kernels (runtime API, "Library Management"). Handles are the driver's.

use crate::call::{check, runtime_api};
use crate::driver::{self, CUkernel, CUlibrary, ask};
use crate::state;
use std::ffi::{c_char, c_int, c_uint, c_void};
use texunit_cuda_abi::args::{Answer, Out};
use texunit_cuda_abi::{CUdevice, CUdeviceptr};

runtime_api! {
    /// Makes a library of PTX text or a fatbin.
    fn cudaLibraryLoadData(
        library: Out<CUlibrary>,
        code: *const c_void,
        jit_options: *const c_uint,
        jit_values: *const *mut c_void,
        jit_count: c_uint,
        options: *const c_uint,
        values: *const *mut c_void,
        count: c_uint,
    ) {
        library.check()?;
        state::context()?;
        // SAFETY: the caller's arguments, of which the driver has the same contract.
        library.set(ask(|library| unsafe {
            driver::cuLibraryLoadData(
                library, code, jit_options, jit_values, jit_count, options, values, count,
            )
        })?)
    }

    /// Makes a library of a file.
    fn cudaLibraryLoadFromFile(
        library: Out<CUlibrary>,
        file: *const c_char,
        jit_options: *const c_uint,
        jit_values: *const *mut c_void,
        jit_count: c_uint,
        options: *const c_uint,
        values: *const *mut c_void,
        count: c_uint,
    ) {
        library.check()?;
        state::context()?;
        // SAFETY: the caller's arguments, of which the driver has the same contract.
        library.set(ask(|library| unsafe {
            driver::cuLibraryLoadFromFile(
                library, file, jit_options, jit_values, jit_count, options, values, count,
            )
        })?)
    }

    /// Unloads a library.
    fn cudaLibraryUnload(library: CUlibrary) {
        state::context()?;
        check(driver::cuLibraryUnload(library))
    }

    /// A kernel by its name in the PTX.
    fn cudaLibraryGetKernel(kernel: Out<CUkernel>, library: CUlibrary, name: *const c_char) {
        state::context()?;
        // SAFETY: the name is the caller's text; the result goes to our own variable.
        let found = ask(|kernel| unsafe { driver::cuLibraryGetKernel(kernel, library, name) });
        kernel.set(found?)
    }

    /// Address and size of a variable; either may be left out.
    fn cudaLibraryGetGlobal(
        address: Out<CUdeviceptr>,
        bytes: Out<usize>,
        library: CUlibrary,
        name: *const c_char,
    ) {
        // SAFETY: the name is the caller's text; the results go to variables of our own.
        variable(address, bytes, |address, bytes| unsafe {
            driver::cuLibraryGetGlobal(address, bytes, library, name)
        })
    }

    /// Address and size of a managed variable; either may be left out.
    fn cudaLibraryGetManaged(
        address: Out<CUdeviceptr>,
        bytes: Out<usize>,
        library: CUlibrary,
        name: *const c_char,
    ) {
        // SAFETY: the name is the caller's text; the results go to variables of our own.
        variable(address, bytes, |address, bytes| unsafe {
            driver::cuLibraryGetManaged(address, bytes, library, name)
        })
    }

    /// A function that host and device call through one pointer.
    fn cudaLibraryGetUnifiedFunction(
        function: Out<usize>,
        library: CUlibrary,
        name: *const c_char,
    ) {
        state::context()?;
        let mut found = std::ptr::null_mut();
        // SAFETY: the name is the caller's text; the result goes to our own variable.
        check(unsafe { driver::cuLibraryGetUnifiedFunction(&raw mut found, library, name) })?;
        function.set(found.expose_provenance())
    }

    /// How many kernels there are.
    fn cudaLibraryGetKernelCount(count: Out<c_uint>, library: CUlibrary) {
        state::context()?;
        // SAFETY: the pointer is to our own variable.
        count.set(ask(|count| unsafe { driver::cuLibraryGetKernelCount(count, library) })?)
    }

    /// As many kernels as there is room for.
    fn cudaLibraryEnumerateKernels(kernels: *mut CUkernel, count: c_uint, library: CUlibrary) {
        state::context()?;
        // SAFETY: the caller's array has room for as many as it says.
        check(unsafe { driver::cuLibraryEnumerateKernels(kernels, count, library) })
    }

    /// Sets an attribute of a kernel on a device.
    fn cudaKernelSetAttributeForDevice(
        kernel: CUkernel,
        attribute: c_uint,
        value: c_int,
        device: CUdevice,
    ) {
        state::context()?;
        check(driver::cuKernelSetAttribute(attribute, value, kernel, device))
    }
}

fn variable(
    address: Out<CUdeviceptr>,
    bytes: Out<usize>,
    find: impl FnOnce(*mut CUdeviceptr, *mut usize) -> texunit_cuda_abi::CUresult,
) -> Answer {
    state::context()?;
    let (mut at, mut size) = (0, 0);
    check(find(&raw mut at, &raw mut size))?;
    address.set_if(at);
    bytes.set_if(size);
    Ok(())
}
