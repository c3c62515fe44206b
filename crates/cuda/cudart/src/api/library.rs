//! Libraries and their kernels (runtime API, "Library Management"). Handles are the driver's.

use crate::call::{check, forward, runtime_api};
use crate::driver::{self, CUkernel, CUlibrary, ask};
use crate::state;
use std::ffi::{c_char, c_int, c_uint, c_void};
use texunit_cuda_abi::args::{Answer, Out};
use texunit_cuda_abi::{CUdevice, CUdeviceptr};

/// Defines functions that load a library, each from another source.
macro_rules! loads {
    ($($(#[$doc:meta])* fn $name:ident($from:ident: $type:ty) = $driver:ident;)*) => {
        runtime_api! {$(
            $(#[$doc])*
            fn $name(
                library: Out<CUlibrary>,
                $from: $type,
                jitOptions: *const c_uint,
                jitOptionsValues: *mut usize,
                numJitOptions: c_uint,
                libraryOptions: *const c_uint,
                libraryOptionValues: *mut c_void,
                numLibraryOptions: c_uint,
            ) {
                library.check()?;
                state::context()?;
                // SAFETY: the caller upholds the same contract as for the driver's function.
                library.set(ask(|library| unsafe {
                    driver::$driver(
                        library, $from, jitOptions, jitOptionsValues, numJitOptions,
                        libraryOptions, libraryOptionValues, numLibraryOptions,
                    )
                })?)
            }
        )*}
    };
}

loads! {
    /// Loads a library from PTX text or a fatbin.
    fn cudaLibraryLoadData(code: *mut c_void) = cuLibraryLoadData;
    /// Loads a library from a file.
    fn cudaLibraryLoadFromFile(fileName: *const c_char) = cuLibraryLoadFromFile;
}

runtime_api! {
    /// The kernel of a name in the PTX.
    fn cudaLibraryGetKernel(pKernel: Out<CUkernel>, library: CUlibrary, name: *const c_char) {
        state::context()?;
        // SAFETY: the name is the caller's C string; the out-pointer is to a local variable.
        let found = ask(|pKernel| unsafe { driver::cuLibraryGetKernel(pKernel, library, name) });
        pKernel.set(found?)
    }

    /// Address and size of a variable; either out-pointer may be null.
    fn cudaLibraryGetGlobal(
        dptr: Out<CUdeviceptr>,
        bytes: Out<usize>,
        library: CUlibrary,
        name: *const c_char,
    ) {
        // SAFETY: the name is the caller's C string; the out-pointers are to local variables.
        variable(dptr, bytes, |dptr, bytes| unsafe {
            driver::cuLibraryGetGlobal(dptr, bytes, library, name)
        })
    }

    /// Address and size of a managed variable; either out-pointer may be null.
    fn cudaLibraryGetManaged(
        dptr: Out<CUdeviceptr>,
        bytes: Out<usize>,
        library: CUlibrary,
        name: *const c_char,
    ) {
        // SAFETY: the name is the caller's C string; the out-pointers are to local variables.
        variable(dptr, bytes, |dptr, bytes| unsafe {
            driver::cuLibraryGetManaged(dptr, bytes, library, name)
        })
    }

    /// The pointer to a function that host and device can both call.
    fn cudaLibraryGetUnifiedFunction(
        fptr: Out<usize>,
        library: CUlibrary,
        symbol: *const c_char,
    ) {
        state::context()?;
        let mut found = std::ptr::null_mut();
        // SAFETY: the symbol is the caller's C string; the out-pointer is to a local variable.
        check(unsafe { driver::cuLibraryGetUnifiedFunction(&raw mut found, library, symbol) })?;
        fptr.set(found.expose_provenance())
    }

    /// Number of kernels in a library.
    fn cudaLibraryGetKernelCount(count: Out<c_uint>, lib: CUlibrary) {
        state::context()?;
        // SAFETY: the out-pointer is to a local variable.
        count.set(ask(|count| unsafe { driver::cuLibraryGetKernelCount(count, lib) })?)
    }

    /// Sets an attribute of a kernel on a device.
    fn cudaKernelSetAttributeForDevice(
        kernel: CUkernel,
        attr: c_uint,
        value: c_int,
        device: CUdevice,
    ) {
        state::context()?;
        check(driver::cuKernelSetAttribute(attr, value, kernel, device))
    }
}

forward! {
    /// Unloads a library.
    fn cudaLibraryUnload(library: CUlibrary) = cuLibraryUnload;
    /// Handles of a library's kernels, as many as fit.
    unsafe fn cudaLibraryEnumerateKernels(
        kernels: *mut CUkernel, numKernels: c_uint, lib: CUlibrary,
    ) = cuLibraryEnumerateKernels;
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
