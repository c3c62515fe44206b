//! NVIDIA's libraries that make machine code in a program's process, nvrtc and nvJitLink: some of
//! their functions are replaced by functions of this crate, which call the originals.
//!
//! Several copies of each library may be loaded in one process (the program's, and that of a Python
//! package). Each copy gets its own set of replacement functions, so that a handle does not have to
//! say which copy it belongs to. No instruction of NVIDIA's code is read or changed.

mod nvjitlink;
mod nvrtc;

use crate::file;
use std::collections::BTreeMap;
use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A loaded compiler library, to which calls are bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compiler {
    /// nvrtc, by its number among the loaded copies.
    Nvrtc(usize),
    /// nvJitLink, by its number among the loaded copies.
    NvJitLink(usize),
}

impl Compiler {
    /// Whether a library is nvrtc or nvJitLink, by the name of its file.
    pub(crate) fn is_one(path: &Path) -> bool {
        nvrtc::is_nvrtc(path) || nvjitlink::is_nvjitlink(path)
    }

    /// Registers a compiler that has been loaded. `None` if [`MAX_LOADED`] copies of its kind are
    /// loaded already.
    pub(crate) fn add(path: PathBuf, address: usize) -> Option<Self> {
        match nvrtc::is_nvrtc(&path) {
            true => nvrtc::LOADED.add(path, address).map(Self::Nvrtc),
            false => nvjitlink::LOADED.add(path, address).map(Self::NvJitLink),
        }
    }

    /// Removes a compiler that is unloaded.
    pub(crate) fn remove(self) {
        match self {
            Self::Nvrtc(number) => nvrtc::LOADED.remove(number),
            Self::NvJitLink(number) => nvjitlink::LOADED.remove(number),
        }
    }

    /// The address of the replacement function to which a call of one of the compiler's functions
    /// is bound; `None` for functions that are not replaced.
    pub(crate) fn bind(self, name: &CStr) -> Option<usize> {
        match self {
            Self::Nvrtc(number) => nvrtc::bind(number, name),
            Self::NvJitLink(number) => nvjitlink::bind(number, name),
        }
    }

    /// The compiler as a nonzero cookie, which the dynamic linker keeps with the file.
    pub(crate) fn cookie(self) -> usize {
        match self {
            Self::Nvrtc(number) => 2 * number + 1,
            Self::NvJitLink(number) => 2 * number + 2,
        }
    }

    /// The compiler that a cookie stands for.
    pub(crate) fn of_cookie(cookie: usize) -> Option<Self> {
        let number = cookie.checked_sub(1)? / 2;
        Some(if cookie % 2 == 1 { Self::Nvrtc(number) } else { Self::NvJitLink(number) })
    }
}

/// Whether a file name is `NAME.so.12`, or `NAME-b51b459d.so.12` as in a Python wheel.
fn has_name(path: &Path, name: &str) -> bool {
    let file = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    file.strip_prefix(name).is_some_and(|rest| rest.contains(".so"))
}

/// Maximum number of loaded copies of nvrtc, and of nvJitLink; each copy has replacement functions
/// of its own.
const MAX_LOADED: usize = 8;

/// Defines for a compiler library `Functions`, the library's functions that texunit calls, with
/// their types and names, and `replacement`, the address of the function that replaces a named
/// function in copy `N` of the library, if it is replaced.
macro_rules! functions {
    ($($field:ident: $type:ty = $name:literal $(=> $ours:ident)?;)*) => {
        /// The library's own functions.
        #[derive(Clone, Copy, Debug)]
        pub(super) struct Functions {
            $($field: $type,)*
        }

        impl Functions {
            /// The library's functions at their exported addresses; `None` if a function is
            /// missing.
            fn find(exported: &BTreeMap<String, usize>) -> Option<Self> {
                let at = |name| {
                    $crate::compiler::newest(exported, name).map(std::ptr::with_exposed_provenance::<c_void>)
                };
                // SAFETY: the library exports these names, which its header declares with these
                // types.
                unsafe {
                    Some(Self { $($field: std::mem::transmute::<*const c_void, $type>(at($name)?),)* })
                }
            }
        }

        fn replacement<const N: usize>(name: &str) -> Option<usize> {
            match name {
                $($($name => {
                    let ours: $type = $ours::<N>;
                    Some(ours as usize)
                })?)*
                _ => None,
            }
        }

        /// For each loaded copy of the library, its replacement function by name.
        static OURS: [fn(&str) -> Option<usize>; $crate::compiler::MAX_LOADED] = [
            replacement::<0>, replacement::<1>, replacement::<2>, replacement::<3>,
            replacement::<4>, replacement::<5>, replacement::<6>, replacement::<7>,
        ];

        /// The replacement that a call of a function of copy `number` is bound to; `None` if the
        /// function is not replaced.
        pub(super) fn bind(number: usize, name: &CStr) -> Option<usize> {
            let target = OURS.get(number)?(plain(name.to_str().ok()?))?;
            LOADED.has(number, Functions::find).then_some(target)
        }
    };
}
use functions;

/// The name of a function without its version: `nvJitLinkCreate` of `__nvJitLinkCreate_12_9`.
fn plain(name: &str) -> &str {
    let Some(versioned) = name.strip_prefix("__") else { return name };
    versioned.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_')
}

/// Address of the newest version of an exported function.
fn newest(exported: &BTreeMap<String, usize>, name: &str) -> Option<usize> {
    let version = |full: &str| {
        let rest = full.strip_prefix("__")?.strip_prefix(name)?;
        let numbers = rest.strip_prefix('_')?.split('_').map(|part| part.parse().ok());
        numbers.collect::<Option<Vec<u32>>>()
    };
    let versions = exported.iter().filter_map(|(full, &at)| Some((version(full)?, at)));
    exported.get(name).copied().or_else(|| Some(versions.max()?.1))
}

/// A handle of a library: `nvrtcProgram`, `nvJitLinkHandle`.
type Handle = *mut c_void;
/// Status of a library's functions (`nvrtcResult`, `nvJitLinkResult`): 0 is success.
type Status = c_int;
type Destroy = unsafe extern "C" fn(*mut Handle) -> Status;

/// A loaded copy of a compiler library.
#[derive(Debug)]
struct Library<F, S> {
    path: PathBuf,
    /// Load bias: the difference between loaded addresses and those in the file.
    address: usize,
    /// The library's own functions that texunit's replacement functions call; resolved when the
    /// first call of the program is bound to the library.
    functions: Option<F>,
    /// State of the library's handles, by address.
    handles: BTreeMap<usize, S>,
}

/// The loaded copies of one library: of nvrtc, or of nvJitLink.
#[derive(Debug)]
struct Table<F, S> {
    copies: Mutex<[Option<Library<F, S>>; MAX_LOADED]>,
    /// The library's status for an internal error: returned after a panic in a replacement
    /// function, which has been printed.
    internal_error: Status,
}

impl<F: Copy, S> Table<F, S> {
    const fn new(internal_error: Status) -> Self {
        Self { copies: Mutex::new([const { None }; MAX_LOADED]), internal_error }
    }

    fn with<T>(&self, work: impl FnOnce(&mut [Option<Library<F, S>>]) -> T) -> T {
        work(&mut *self.copies.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Registers a loaded library and returns its number.
    fn add(&self, path: PathBuf, address: usize) -> Option<usize> {
        self.with(|all| {
            let number = all.iter().position(Option::is_none)?;
            let handles = BTreeMap::new();
            all[number] = Some(Library { path, address, functions: None, handles });
            Some(number)
        })
    }

    fn remove(&self, number: usize) {
        self.with(|all| {
            if let Some(place) = all.get_mut(number) {
                *place = None;
            }
        });
    }

    /// Whether the library exports all functions that texunit's replacement functions call. A
    /// library that lacks one of them is an older version or another library.
    fn has(&self, number: usize, find: impl FnOnce(&BTreeMap<String, usize>) -> Option<F>) -> bool {
        let look = |library: &mut Library<F, S>| {
            if library.functions.is_none() {
                library.functions = find(&file::exported(&library.path, library.address).ok()?);
            }
            library.functions
        };
        self.with(|all| look(all.get_mut(number)?.as_mut()?)).is_some()
    }

    /// Runs `work` with the library's own functions. A panic is caught, as the caller is C.
    fn answer(&self, number: usize, work: impl FnOnce(&F) -> Status) -> Status {
        // The library's functions are known from the first bound call until the library is
        // unloaded.
        let functions = self.with(|all| all.get(number)?.as_ref()?.functions);
        let work = |functions| catch_unwind(AssertUnwindSafe(|| work(&functions))).ok();
        functions.and_then(work).unwrap_or(self.internal_error)
    }

    /// Reads or changes the states of the library's handles.
    fn handles<T>(
        &self,
        number: usize,
        work: impl FnOnce(&mut BTreeMap<usize, S>) -> T,
    ) -> Option<T> {
        self.with(|all| Some(work(&mut all.get_mut(number)?.as_mut()?.handles)))
    }

    /// Calls the library's function that destroys a handle. The state of the handle is removed
    /// before, because a new handle may get the same address.
    ///
    /// # Safety
    /// `handle` is null or points to a handle of the library.
    unsafe fn destroy(&self, number: usize, handle: *mut Handle, own: Destroy) -> Status {
        // SAFETY: the caller upholds this function's safety contract.
        if let Some(handle) = unsafe { handle.as_ref() } {
            self.handles(number, |all| all.remove(&handle.addr()));
        }
        // SAFETY: the caller's argument is passed on unchanged.
        unsafe { own(handle) }
    }
}

/// The options of a call; `None` if a pointer is null, which the library reports itself.
///
/// # Safety
/// `options` is null or points to `count` pointers, each null or to a C string that is valid during
/// the call.
unsafe fn read<'a>(count: usize, options: *const *const c_char) -> Option<Vec<&'a CStr>> {
    if options.is_null() {
        return None;
    }
    // SAFETY: the caller's list has this length.
    let options = unsafe { std::slice::from_raw_parts(options, count) };
    let text = |&option: &*const c_char| {
        // SAFETY: the caller's C string is valid during the call.
        (!option.is_null()).then(|| unsafe { CStr::from_ptr(option) })
    };
    options.iter().map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_tell_libraries() {
        for number in 0..MAX_LOADED {
            for compiler in [Compiler::Nvrtc(number), Compiler::NvJitLink(number)] {
                assert_eq!(Compiler::of_cookie(compiler.cookie()), Some(compiler));
            }
        }
        assert_eq!(Compiler::of_cookie(0), None);
    }
}
