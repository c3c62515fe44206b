//! All that texunit ships, in one file: the driver (`texunit-cuda`), NVML (`texunit-nvml`) and the library for C (`texunit-capi`), and, with the
//! features that are on by default, the program and the module for Python.
//!
//! `xtask -- libs` and `xtask -- dist` link it as `libtexunit_core.so.VERSION`, and make what users name of it: `libcuda.so.1`,
//! `libnvidia-ml.so.1`, `libtexunit.so.1`, `texunit` and `_texunit.abi3.so` have the exported functions of before, and each is a jump into
//! the core (xtask/src/libs/core.rs). `program.c` and `module.c` beside this file are the last two.

#![allow(unsafe_code)]

// Their functions are exported by their names.
use texunit_capi as _;
use texunit_cuda as _;
use texunit_nvml as _;
#[cfg(feature = "python")]
use texunit_python as _;

/// The program `texunit`: its exit code.
///
/// A `main` of Rust is called by code of the standard library that is not there for libraries. What it does for the program is done
/// here: standard streams that are closed lead nowhere, as files that are opened would take their numbers, and output that
/// nobody reads is an error instead of the end. Of a stack that overflows the system says less than that code does. Arguments are
/// known without it.
#[cfg(feature = "program")]
#[unsafe(no_mangle)]
pub extern "C" fn texunit_core_main() -> i32 {
    prepare();
    // A panic that is not caught in the program ends the process, as it would from a function of C.
    i32::from(texunit::code())
}

/// A program that stands for one of NVIDIA's, by the name of that: its exit code.
///
/// # Safety
/// `name` is a C string.
#[cfg(feature = "program")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texunit_core_shim(name: *const std::ffi::c_char) -> i32 {
    prepare();
    // SAFETY: as the caller says.
    let name = unsafe { std::ffi::CStr::from_ptr(name) }.to_string_lossy();
    // A name that no crate knows is a mistake of the package's maker.
    texunit_shims::run(&name).map_or(2, i32::from)
}

/// What a `main` of Rust does before the program.
#[cfg(feature = "program")]
fn prepare() {
    for stream in 0..3 {
        // SAFETY: a question about a number, and a C string; the file that is opened gets the lowest number that is free.
        unsafe {
            if libc::fcntl(stream, libc::F_GETFD) == -1 {
                libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
            }
        }
    }
    // SAFETY: no code of this program handles the signal.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
}

/// Whether functions of Python were there when the core was loaded.
#[cfg(feature = "python")]
#[unsafe(no_mangle)]
pub extern "C" fn texunit_core_has_python() -> i32 {
    use std::ffi::c_void;
    unsafe extern "C" {
        static PyExc_ImportError: *mut c_void;
    }
    struct Address(*const c_void);
    // SAFETY: an address, which nobody follows.
    unsafe impl Sync for Address {}
    /// What the dynamic linker writes here: null, or the variable's address. The compiler knows of no null in that place.
    static BOUND: Address = Address((&raw const PyExc_ImportError).cast());
    // SAFETY: a variable of ours.
    let address = unsafe { std::ptr::read_volatile(&raw const BOUND.0) };
    i32::from(!address.is_null())
}
