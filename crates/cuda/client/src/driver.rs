//! Safe functions for the driver API of `libcuda.so.1`, one for each entry of
//! [`texunit_cuda_abi::driver_functions!`].
//!
//! The driver is loaded at the first call with `RTLD_LOCAL`, as NVIDIA's runtime loads it. Linking
//! with it would put its symbols into the global scope: a variable of a library that the program
//! loads later and that bears the name of a driver function would then resolve to that function.

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use std::error::Error;
use std::ffi::{CStr, c_char, c_int, c_uint, c_ulonglong, c_void};
use std::fmt::Arguments;
use std::io::Write;
use std::sync::{Mutex, Once, OnceLock};
use texunit_cuda_abi::args::{Answer, In, InOut, Out, Raw};
use texunit_cuda_abi::driver::signature;
pub use texunit_cuda_abi::*;

/// What every function returns without a driver: `cudaErrorInsufficientDriver`, which the driver
/// itself never returns.
pub const NO_DRIVER: CUresult = CUresult(35);

/// A type that can be passed as a C parameter of type `P`: a number, a reference, or a pointer
/// received from our own caller.
///
/// # Safety
/// A pointer is null, or valid for one value during the call, for the reads or writes that `P`
/// allows.
pub unsafe trait Pass<P> {
    /// The value as a C parameter.
    fn pass(self) -> P;
}

macro_rules! numbers {
    ($($type:ty)*) => {
        // SAFETY: the trait's contract is about pointers only, and these types are plain numbers
        // (or structures of numbers) that are passed by value.
        $(unsafe impl Pass<$type> for $type {
            fn pass(self) -> $type {
                self
            }
        })*
    };
}
numbers!(u8 i32 u32 u64 usize CUmemLocation CUipcHandle);

macro_rules! pointers {
    ($($from:ty => $to:ty, $of:ident: $pass:expr;)*) => {
        // SAFETY: a reference is valid for one value during the call, and so is a caller's pointer,
        // or it is null, by the contract of its constructor.
        $(unsafe impl<T> Pass<$to> for $from {
            fn pass(self) -> $to {
                let $of = self;
                $pass
            }
        })*
    };
}
pointers! {
    Out<'_, T> => *mut T, out: out.as_ptr();
    InOut<'_, T> => *mut T, given: given.as_ptr();
    &mut T => *mut T, reference: reference;
    In<'_, T> => *const T, given: given.as_ptr();
    &T => *const T, reference: reference;
    Option<&T> => *const T, reference: reference.map_or(std::ptr::null(), std::ptr::from_ref);
}

// SAFETY: `Raw` is only passed to functions that do not access the memory behind the pointer.
unsafe impl Pass<*mut c_void> for Raw<'_> {
    fn pass(self) -> *mut c_void {
        self.as_ptr()
    }
}

/// A function of the driver, of type `F`, resolved at its first call. No lock of ours is held while
/// the driver is loaded, because the dynamic linker holds a lock of its own and may call us from a
/// thread that waits for it.
pub struct DriverFunction<F> {
    name: &'static CStr,
    function: OnceLock<F>,
}

impl<F: Copy> DriverFunction<F> {
    /// A function by its name, not yet resolved.
    ///
    /// # Safety
    /// `F` is a function pointer type, and that of the function of this name in texunit's driver.
    pub const unsafe fn named(name: &'static CStr) -> Self {
        Self { name, function: OnceLock::new() }
    }

    /// The resolved function. Without a driver it is `None`, and the user has been told.
    pub fn get(&self) -> Option<F> {
        if let Some(function) = self.function.get() {
            return Some(*function);
        }
        // SAFETY: `F` is the type of the function of this name, by the contract of `named`.
        let function = unsafe { library()?.get::<F>(self.name) };
        function.ok().map(|function| *self.function.get_or_init(|| *function))
    }
}

/// The loaded driver, which is never unloaded.
fn library() -> Option<&'static Library> {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    static REFUSED: Once = Once::new();
    if let Some(loaded) = LIBRARY.get() {
        return Some(loaded);
    }
    // SAFETY: the search covers `LD_LIBRARY_PATH` and the folder of this library, as for a linked
    // library; a driver's initialisers have no effect on us.
    let why = match unsafe { Library::open(Some("libcuda.so.1"), RTLD_NOW | RTLD_LOCAL) } {
        Err(error) => error.source().unwrap_or(&error).to_string(),
        // SAFETY: the symbol is looked up but not accessed.
        Ok(library) => match unsafe { library.get::<*const c_char>(MARKER) } {
            Ok(_) => return Some(LIBRARY.get_or_init(|| library)),
            Err(_) => "libcuda.so.1 is another driver; LD_LIBRARY_PATH has to name the folder of \
                       texunit's"
                .to_owned(),
        },
    };
    REFUSED.call_once(|| say(format_args!("no driver of texunit's is found: {why}")));
    None
}

macro_rules! declare {
    (
        safe { $(fn $safe:ident($($arg:ident: $type:ty),* $(,)?);)* }
        unsafe { $(fn $name:ident($($given:ident: $of:ty),* $(,)?);)* }
        own $own:tt
    ) => {
        $(/// The function of this name of the driver API.
        #[allow(missing_docs, non_snake_case, clippy::too_many_arguments)]
        pub fn $safe($($arg: impl Pass<$type>),*) -> CUresult {
            // SAFETY: `Pass` yields null or pointers valid during the call; the function checks the
            // rest.
            unsafe { linked::$safe($($arg.pass()),*) }
        })*

        $(pub use linked::$name;)*

        /// The functions under their C names and signatures, as a linker would provide them.
        #[allow(unreachable_pub, non_snake_case, clippy::too_many_arguments)]
        mod linked {
            use super::*;

            declare!(@ $($safe($($arg: $type),*))* $($name($($given: $of),*))*);
        }
    };
    (@ $($name:ident($($given:ident: $of:ty),*))*) => {
        $(/// The function of this name of the driver API.
        ///
        /// # Safety
        /// Pointers are null, or valid as the driver API requires.
        pub unsafe extern "C" fn $name($($given: $of),*) -> CUresult {
            // SAFETY: the definitions of the driver's crate have the types of the same list.
            static FUNCTION: DriverFunction<signature::$name> = unsafe {
                DriverFunction::named(match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => panic!(),
                })
            };
            // SAFETY: the caller upholds the contract of the function.
            FUNCTION.get().map_or(NO_DRIVER, |function| unsafe { function($($given),*) })
        })*
    };
}
texunit_cuda_abi::driver_functions!(declare);

/// Calls a driver function that writes its one result through a pointer, and returns the result.
pub fn ask<T: Default>(function: impl FnOnce(&mut T) -> CUresult) -> Answer<T> {
    let mut value = T::default();
    check(function(&mut value))?;
    Ok(value)
}

/// The primary context that this library has retained.
static RETAINED: Mutex<Option<CUcontext>> = Mutex::new(None);

/// Initialises the driver, and, if the calling thread has no current context, makes the primary
/// context of device 0 current to it, as NVIDIA's runtime does.
///
/// # Errors
/// The driver's error, if there is no driver or no device.
pub fn make_current() -> Answer {
    static READY: OnceLock<Answer> = OnceLock::new();
    READY.get_or_init(|| check(cuInit(0))).clone()?;
    if ask(|context| cuCtxGetCurrent(context))? != 0 {
        return Ok(());
    }
    let mut retained = lock(&RETAINED);
    let primary = match *retained {
        Some(primary) => primary,
        None => ask(|context| cuDevicePrimaryCtxRetain(context, 0))?,
    };
    *retained = Some(primary);
    check(cuCtxSetCurrent(primary))
}

/// Checks that a stream of the current or primary context exists.
///
/// # Errors
/// The driver's error.
pub fn check_stream(stream: CUstream) -> Answer {
    make_current()?;
    ask(|flags| cuStreamGetFlags(stream, flags)).map(drop)
}

/// Memory of the device, which is freed when this is dropped.
#[derive(Debug)]
pub struct DeviceMemory(pub CUdeviceptr);

impl DeviceMemory {
    /// Allocates memory in the current context.
    ///
    /// # Errors
    /// The driver's.
    pub fn new(size: usize) -> Answer<Self> {
        ask(|address| cuMemAlloc_v2(address, size)).map(Self)
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        // An error is ignored: if the context has been destroyed, the memory has been freed.
        let _ = cuMemFree_v2(self.0);
    }
}

/// The reason for which a function of the driver refused the last call; without one if nothing
/// records reasons.
pub fn refusal(code: CUresult) -> Refusal {
    type Reason = unsafe extern "C" fn(*mut u8, usize) -> usize;
    // SAFETY: module `refused` of crate `texunit-cuda` has this function, with this type.
    static REASON: DriverFunction<Reason> = unsafe { DriverFunction::named(c"texunit_reason") };
    let Some(reason) = REASON.get() else {
        return code.because("no driver of texunit's is found");
    };
    // SAFETY: a null buffer of size 0 only asks for the length.
    let size = unsafe { reason(std::ptr::null_mut(), 0) };
    let mut bytes = vec![0; size];
    // SAFETY: the buffer is our own and has this size.
    unsafe { reason(bytes.as_mut_ptr(), size) };
    code.because(String::from_utf8_lossy(&bytes).into_owned())
}

/// Turns the status of a driver function into a result.
///
/// # Errors
/// The driver's refusal with its reason.
pub fn check(code: CUresult) -> Answer {
    if code == CUresult::SUCCESS { Ok(()) } else { Err(refusal(code)) }
}

/// Prints a line on standard error. A closed standard error is ignored; `eprintln!` would panic,
/// which ends a C program.
pub fn say(text: Arguments<'_>) {
    let text = format!("texunit: {text}\n");
    // File names may contain control characters, which a terminal must not interpret.
    let shown = text.replace(|c: char| c.is_control() && c != '\n', "\u{fffd}");
    let _ = std::io::stderr().lock().write_all(shown.as_bytes());
}
