//! Functions called by code that nvcc generates: registration of fatbins, kernels and variables
//! before `main`, and launches with `<<<...>>>` (crt/host_runtime.h).

use crate::api::*;
use crate::call::{answer, typed};
use crate::codes::MISSING_CONFIGURATION;

thread_local! {
    /// Configurations between `<<<` and `>>>` of launches whose arguments have not been passed yet.
    static CONFIGURATIONS: Stack<cudaLaunchConfig_t> = const { Stack::new() };
}

/// Defines functions that generated code calls, and that return no status.
macro_rules! generated_code_calls {
    (@ [$($type:ty),*] $name:ident [$($doc:tt)*] ($($arg:ident),* $(,)?) ($($result:tt)*) $body:block) => {
        $($doc)*
        ///
        /// # Safety
        /// Names are C strings, and other pointers are valid until the fatbin is unregistered.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($arg: $type),*) $($result)* $body
    };
    ($($(#[$doc:meta])* fn $name:ident $args:tt $(-> $result:ty)? $body:block)*) => {$(
        typed!($name generated_code_calls [$(#[$doc])*] $args ($(-> $result)?) $body);
    )*};
}

generated_code_calls! {
    /// Registers a fatbin of the program. The handle is the address of its wrapper.
    fn __cudaRegisterFatBinary(fat_cubin) -> *mut *mut c_void {
        // SAFETY: the caller upholds this function's safety contract.
        unsafe { registry::add_binary(fat_cubin.expose_provenance()) };
        fat_cubin.cast()
    }

    /// Ends the registration of a fatbin.
    fn __cudaRegisterFatBinaryEnd(_handle) {}

    /// Unregisters a fatbin, when the program or a shared library is unloaded.
    fn __cudaUnregisterFatBinary(handle) {
        registry::remove_binary(handle.addr());
    }

    /// Registers a kernel of a fatbin with its host stub.
    fn __cudaRegisterFunction(
        handle, host, _device, name, _thread_limit, _tid, _bid, _block, _grid, _warp,
    ) {
        if let Some(name) = text(name) {
            registry::add_kernel(handle.addr(), host.addr(), name);
        }
    }

    /// Registers a `__device__` or `__constant__` variable of a fatbin with its host counterpart.
    fn __cudaRegisterVar(handle, host, _device, name, _external, _size, _constant, _global) {
        if let Some(name) = text(name) {
            registry::add_variable(handle.addr(), host.addr(), name);
        }
    }

    /// Registers a `__managed__` variable of a fatbin with the host pointer that will hold its
    /// address.
    fn __cudaRegisterManagedVar(
        handle, place, _device, name, _external, _size, _constant, _global,
    ) {
        if let Some(name) = text(name)
            && !place.is_null()
        {
            // SAFETY: the caller upholds this function's safety contract.
            unsafe { registry::add_managed(handle.addr(), place.expose_provenance(), name) };
        }
    }

    /// Writes the addresses of managed variables before the program uses one. An error is stored
    /// for `cudaGetLastError`.
    fn __cudaInitModule(_handle) -> c_char {
        answer("__cudaInitModule", state::context, &[]);
        1
    }

    /// Stores the configuration of a launch until its arguments are passed; returns 0.
    fn __cudaPushCallConfiguration(grid, block, shared, stream) -> c_uint {
        let config = cudaLaunchConfig_t::new(grid, block, shared, stream);
        CONFIGURATIONS.with(|all| all.push(config));
        0
    }
}

/// A name in the PTX as an owned C string.
fn text(name: Text<'_>) -> Option<std::ffi::CString> {
    std::ffi::CString::new(name.bytes().ok()?).ok()
}

runtime_api! {
    /// Returns the last stored configuration. `cudaErrorMissingConfiguration` if there is none.
    fn __cudaPopCallConfiguration(grid, block, shared, stream) {
        let one = CONFIGURATIONS.with(Stack::pop).ok_or(MISSING_CONFIGURATION.because(
            "no launch with <<<...>>> has been configured for this kernel",
        ))?;
        grid.set(one.gridDim)?;
        block.set(one.blockDim)?;
        shared.set(one.dynamicSmemBytes)?;
        stream.set(one.stream)
    }

    /// The kernel of a host stub, which the program caches for its launches. If the kernel cannot
    /// be loaded, the stub itself is returned, so that each launch reports the error.
    fn __cudaGetKernel(kernel, function) {
        let host = function.address() as usize;
        kernel.set(state::init().and_then(|_| registry::kernel(host)).unwrap_or(host))
    }

    /// Launches a kernel handle returned by `__cudaGetKernel`.
    fn __cudaLaunchKernel(kernel, gridDim, blockDim, args, sharedMem, stream) {
        let config = cudaLaunchConfig_t::new(gridDim, blockDim, sharedMem, stream);
        // SAFETY: the kernel's arguments are valid as the runtime API requires.
        unsafe { launch::launch(kernel, &config, args, &[]) }
    }
}
