//! Functions that load texunit's runtime when one of them is first called.
//!
//! The runtime cannot be loaded from within the dynamic linker's callback about a file, and it must
//! not be loaded before the program, because its symbols would then take precedence over those of
//! the program's libraries. The functions of a statically linked runtime therefore jump to stubs in
//! this library, one for each function that the runtime exports. A stub jumps to the address in its
//! *slot*: initially that of code that loads the runtime into the program's namespace with
//! `RTLD_LOCAL` and fills all slots, afterwards that of the runtime's function.

use crate::file::{self, Runtime};
use crate::{BASE, LinkMap, search};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ffi::{CStr, c_char, c_long};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Maximum number of functions that a runtime exports.
const MOST: usize = 1024;
/// Number of stubs for both runtimes.
const ALL: usize = 2 * MOST;
/// Exit code of the dynamic linker for a process that lacks a library.
const NOT_LOADED: i32 = 127;

/// Jump target of each stub.
static SLOTS: [AtomicUsize; ALL] = [const { AtomicUsize::new(0) }; ALL];

/// The functions of a runtime by name, each with the number of its stub and its address in the
/// runtime's file.
pub(crate) type Functions = BTreeMap<String, (usize, usize)>;

/// The functions of each runtime, once read from its file.
static KNOWN: Mutex<BTreeMap<Runtime, Functions>> = Mutex::new(BTreeMap::new());

fn with_functions<T>(work: impl FnOnce(&mut BTreeMap<Runtime, Functions>) -> T) -> T {
    work(&mut KNOWN.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Addresses of the stubs of a runtime's functions, by name, or the reason why there are none.
pub(crate) fn functions(runtime: Runtime) -> Result<BTreeMap<String, usize>, String> {
    with_functions(|known| {
        let functions = match known.entry(runtime) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(numbered(runtime)?),
        };
        let here = |(name, &(number, _)): (&String, &(usize, usize))| (name.clone(), code(number));
        Ok(functions.iter().map(here).collect())
    })
}

/// Numbers the functions that a runtime exports, whose stubs load the runtime from now on.
fn numbered(runtime: Runtime) -> Result<Functions, String> {
    let path = super::beside_this(runtime.name());
    let path = path.ok_or_else(|| format!("texunit's {} is not found", runtime.name()))?;
    let exported = file::exported(&path, 0)?;
    if exported.len() > MOST {
        return Err(format!("texunit's {} has too many functions", runtime.name()));
    }
    let numbered = |((name, at), number): ((String, usize), usize)| {
        SLOTS[number].store(code(number) + LOADING, Ordering::Relaxed);
        (name, (number, at))
    };
    Ok(exported.into_iter().zip(runtime as usize * MOST..).map(numbered).collect())
}

/// Loads the runtime that a stub belongs to, fills its slots, and returns the function's address.
/// No lock of ours is held meanwhile, because other threads may hold that of the dynamic linker,
/// which calls us for each file that it loads.
extern "C" fn load(number: usize) -> usize {
    let runtime = if number < MOST { Runtime::Cuda12 } else { Runtime::Cuda13 };
    let address = loaded(runtime).unwrap_or_else(|why| {
        super::say(format_args!("texunit's {} cannot be loaded: {why}", runtime.name()));
        // The process ends, as the program's call may be of any function and has no common error
        // code. SAFETY: `_exit` does not return.
        unsafe { libc::_exit(NOT_LOADED) }
    });
    with_functions(|known| {
        for &(number, at) in known.get(&runtime).into_iter().flat_map(BTreeMap::values) {
            SLOTS[number].store(address.wrapping_add(at), Ordering::Relaxed);
        }
    });
    SLOTS[number].load(Ordering::Relaxed)
}

/// Load bias of a runtime, which is loaded if necessary.
fn loaded(runtime: Runtime) -> Result<usize, String> {
    unsafe extern "C" {
        fn dlmopen(space: c_long, file: *const c_char, mode: libc::c_int) -> *mut LinkMap;
    }
    let path = super::beside_this(runtime.name()).and_then(|path| search::as_c(&path));
    let path = path.ok_or("its path is not known")?;
    // SAFETY: the path is a C string.
    let map = unsafe { dlmopen(BASE, path.as_ptr(), libc::RTLD_NOW) };
    // SAFETY: null, or the dynamic linker's structure for a file that is never closed.
    if let Some(map) = unsafe { map.as_ref() } {
        return Ok(map.address);
    }
    // SAFETY: the dynamic linker's text, or null; it is copied.
    let why = unsafe { libc::dlerror().as_ref().map(|why| CStr::from_ptr(why)) };
    Err(why.map_or_else(String::new, |why| why.to_string_lossy().into_owned()))
}

/// The address of a stub.
fn code(number: usize) -> usize {
    unsafe extern "C" {
        #[link_name = "texunit_redirect_functions"]
        static FUNCTIONS: [[u8; LENGTH]; ALL];
    }
    (&raw const FUNCTIONS).expose_provenance() + number * LENGTH
}

/// Bytes of a stub, and of the jump at its start.
#[cfg(target_arch = "x86_64")]
const LENGTH: usize = 16;
#[cfg(target_arch = "x86_64")]
const LOADING: usize = 6;
#[cfg(target_arch = "aarch64")]
const LENGTH: usize = 32;
#[cfg(target_arch = "aarch64")]
const LOADING: usize = 12;

// Each stub jumps through its slot. The code after the jump passes the stub's number to the loader,
// which saves the arguments of the call and resumes it once the runtime is loaded.
#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    include_str!("lazy_x86_64.s"),
    all = const ALL,
    slots = sym SLOTS,
    load = sym load,
    options(att_syntax)
);

#[cfg(target_arch = "aarch64")]
std::arch::global_asm!(
    include_str!("lazy_aarch64.s"),
    all = const ALL,
    slots = sym SLOTS,
    load = sym load,
);

#[cfg(test)]
mod tests {
    use super::*;

    extern "C" fn sum(
        a: u64,
        b: u64,
        c: u64,
        d: u64,
        e: u64,
        f: u64,
        x: f64,
        y: f64,
        g: u64,
        h: u64,
    ) -> f64 {
        let all = [a, b, c, d, e, f, g, h];
        all.iter().rev().fold(x * 1000.0 + y, |sum, &value| sum * 10.0 + value as f64)
    }

    type Sum = extern "C" fn(u64, u64, u64, u64, u64, u64, f64, f64, u64, u64) -> f64;

    /// The test uses the last stub, which belongs to no runtime's function.
    #[test]
    fn a_function_jumps_by_its_slot() {
        let (number, target) = (ALL - 1, sum as Sum);
        SLOTS[number].store(target as usize, Ordering::Relaxed);
        // SAFETY: the stub jumps to a function of this type.
        let function = unsafe { std::mem::transmute::<usize, Sum>(code(number)) };
        let function = std::hint::black_box(function);
        let wanted = sum(1, 2, 3, 4, 5, 6, 7.0, 8.0, 9, 1);
        assert_eq!(function(1, 2, 3, 4, 5, 6, 7.0, 8.0, 9, 1).to_bits(), wanted.to_bits());
    }
}
