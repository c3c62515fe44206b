//! The functions of the driver API, in `libcuda.so.1`: those of [`texunit_cuda_abi::driver_functions!`].
//!
//! The driver is loaded with the first call, as NVIDIA's runtime loads it, for the caller alone (`RTLD_LOCAL`). If a
//! library were linked with it, the dynamic linker would put the functions of both before those of libraries that the program
//! loads later, and a variable of such a library which is called as one of the driver's functions would be that function.

use crate::told::{check, say};
use std::ffi::{CStr, c_char, c_int, c_uchar, c_uint, c_ulonglong, c_void};
use std::marker::PhantomData;
use std::sync::Once;
use std::sync::atomic::{AtomicPtr, Ordering};
use texunit_cuda_abi::args::{Answer, In, InOut, Out, Raw};
use texunit_cuda_abi::driver::signature;
pub use texunit_cuda_abi::*;

/// What every function answers without a driver: `cudaErrorInsufficientDriver`, which the driver itself never does.
pub const NO_DRIVER: CUresult = CUresult(35);

/// A parameter of C of type `P`, made of something that makes no pointer which is not valid: a number, a reference, or a
/// pointer of our own caller.
///
/// # Safety
/// A pointer is null or good for one value, which is there for the call, as `P` wants it: to be read or to be written.
pub unsafe trait Pass<P> {
    /// As C has it.
    fn pass(self) -> P;
}

macro_rules! numbers {
    ($($type:ty)*) => {
        // SAFETY: a number is no pointer.
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
        // SAFETY: references are valid, and so are these pointers, as whoever made them has promised.
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

// SAFETY: the functions that read or write there are not among those that take this.
unsafe impl Pass<*mut c_void> for Raw<'_> {
    fn pass(self) -> *mut c_void {
        self.as_ptr()
    }
}

/// A function of the driver, of type `F`. No lock is held while the driver is loaded: whoever waits for it may be called by
/// the dynamic linker, which has one of its own.
pub struct Found<F> {
    name: &'static CStr,
    address: AtomicPtr<c_void>,
    function: PhantomData<F>,
}

impl<F: Copy> Found<F> {
    /// The function of a name, which is not looked for yet.
    ///
    /// # Safety
    /// `F` is a pointer to a function, and the type of the one that texunit's driver has by this name.
    pub const unsafe fn named(name: &'static CStr) -> Self {
        Self { name, address: AtomicPtr::new(std::ptr::null_mut()), function: PhantomData }
    }

    /// The function; none without a driver, of which the user is told.
    pub fn get(&self) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) }
        let mut address = self.address.load(Ordering::Acquire);
        if address.is_null() {
            // SAFETY: a library that stays loaded, and a C string.
            address = unsafe { dlsym(library()?, self.name.as_ptr()) };
            self.address.store(address, Ordering::Release);
        }
        // SAFETY: an address of this type, by the contract of `named`.
        (!address.is_null()).then(|| unsafe { std::mem::transmute_copy(&address) })
    }
}

unsafe extern "C" {
    fn dlopen(file: *const c_char, mode: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    safe fn dlerror() -> *const c_char;
}

/// `RTLD_NOW`, without `RTLD_GLOBAL`.
const NOW: c_int = 2;

/// The driver, loaded.
fn library() -> Option<*mut c_void> {
    static LIBRARY: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
    static REFUSED: Once = Once::new();
    let mut library = LIBRARY.load(Ordering::Acquire);
    if library.is_null() {
        // SAFETY: a C string. It is found as a library that this one is linked with: in the folders of LD_LIBRARY_PATH, and
        // beside it.
        library = unsafe { dlopen(c"libcuda.so.1".as_ptr(), NOW) };
        let why = if library.is_null() {
            // SAFETY: the text of this thread's last error, which is there until the next one.
            unsafe { CStr::from_ptr(dlerror()) }.to_string_lossy().into_owned()
        // SAFETY: a library that stays loaded, and a C string.
        } else if unsafe { dlsym(library, MARKER.as_ptr()) }.is_null() {
            "libcuda.so.1 is another driver; LD_LIBRARY_PATH has to name the folder of texunit's"
                .to_owned()
        } else {
            LIBRARY.store(library, Ordering::Release);
            return Some(library);
        };
        REFUSED.call_once(|| say(format_args!("no driver of texunit's is found: {why}")));
        return None;
    }
    Some(library)
}

macro_rules! declare {
    (
        safe { $(fn $safe:ident($($arg:ident: $type:ty),* $(,)?);)* }
        unsafe { $(fn $name:ident($($given:ident: $of:ty),* $(,)?);)* }
    ) => {
        $(/// The function of this name of the driver API.
        #[allow(missing_docs, non_snake_case, clippy::too_many_arguments)]
        pub fn $safe($($arg: impl Pass<$type>),*) -> CUresult {
            // SAFETY: what `Pass` makes of pointers is valid for the call, or null; the function checks the rest.
            unsafe { linked::$safe($($arg.pass()),*) }
        })*

        $(pub use linked::$name;)*

        /// As a linker would have them.
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
        /// Pointers are null, or valid for what the driver API's page says.
        pub unsafe extern "C" fn $name($($given: $of),*) -> CUresult {
            // SAFETY: the driver's types are compared with these where it is compiled.
            static FUNCTION: Found<signature::$name> = unsafe {
                Found::named(match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => panic!(),
                })
            };
            // SAFETY: the caller keeps the contract of the function.
            FUNCTION.get().map_or(NO_DRIVER, |function| unsafe { function($($given),*) })
        })*
    };
}
texunit_cuda_abi::driver_functions!(declare);

/// The one result of a function of the driver, which it writes through a pointer.
pub fn ask<T: Default>(function: impl FnOnce(*mut T) -> CUresult) -> Answer<T> {
    let mut value = T::default();
    check(function(&raw mut value))?;
    Ok(value)
}
