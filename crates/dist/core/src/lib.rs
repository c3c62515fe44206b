//! The core library, which contains all of texunit in one file: the CUDA driver (`texunit-cuda`),
//! NVML (`texunit-nvml`), the C library (`texunit-capi`) and, with the default features, the
//! command-line program and the Python module.
//!
//! `xtask -- libs` and `xtask -- dist` link it as `libtexunit_core.so.VERSION`. The files that
//! users load (`libcuda.so.1`, `libnvidia-ml.so.1`, `libtexunit.so.1`, `texunit` and
//! `_texunit.abi3.so`) export the functions of their interfaces, each of which jumps into the core
//! (xtask/src/libs/core.rs). `program.c` and `module.c` beside this file are the program and the
//! Python module.

#![allow(unsafe_code)]

// These crates are linked because their functions are exported by name.
use texunit_capi as _;
use texunit_cuda as _;
use texunit_nvml as _;
#[cfg(feature = "python")]
use texunit_python as _;

/// Runs the program `texunit`, and returns its exit code.
///
/// A library has no Rust `main`, whose startup code prepares the process. The parts of it that the
/// program needs are done here: closed standard streams are opened as /dev/null, so that other
/// files do not get their numbers, and writing to a closed pipe is an error instead of a signal. A
/// stack overflow is reported by the system only. Rust finds the arguments without the startup
/// code.
#[cfg(feature = "program")]
#[unsafe(no_mangle)]
pub extern "C" fn texunit_core_main() -> i32 {
    prepare();
    // A panic that the program does not catch aborts the process, because this is an `extern "C"`
    // function.
    i32::from(texunit::code())
}

/// Runs the replacement of an NVIDIA program, such as `nvidia-smi`, by its name, and returns its
/// exit code.
///
/// # Safety
/// `name` is a C string.
#[cfg(feature = "program")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texunit_core_shim(name: *const std::ffi::c_char) -> i32 {
    prepare();
    // SAFETY: the caller promises that `name` is a C string.
    let name = unsafe { std::ffi::CStr::from_ptr(name) }.to_string_lossy();
    // A packaging error: no crate has a program of this name.
    texunit_shims::run(&name).map_or(2, i32::from)
}

/// Prepares the process like the startup code of a Rust `main`.
#[cfg(feature = "program")]
fn prepare() {
    for stream in 0..3 {
        // SAFETY: `fcntl` only queries a file descriptor, and `open` gets a C string. The opened
        // file gets the lowest free descriptor.
        unsafe {
            if libc::fcntl(stream, libc::F_GETFD) == -1 {
                libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
            }
        }
    }
    // SAFETY: this program has no handler for the signal.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
}

/// Whether Python's functions were available when the core was loaded.
#[cfg(feature = "python")]
#[unsafe(no_mangle)]
pub extern "C" fn texunit_core_has_python() -> i32 {
    use std::ffi::c_void;
    unsafe extern "C" {
        static PyExc_ImportError: *mut c_void;
    }
    struct Address(*const c_void);
    // SAFETY: the address is never dereferenced.
    unsafe impl Sync for Address {}
    /// The dynamic linker stores the variable's address here, or null. The compiler assumes that it
    /// is not null.
    static BOUND: Address = Address((&raw const PyExc_ImportError).cast());
    // SAFETY: `BOUND` is a static variable of this crate.
    let address = unsafe { std::ptr::read_volatile(&raw const BOUND.0) };
    i32::from(!address.is_null())
}
