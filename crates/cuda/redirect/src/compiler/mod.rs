//! Libraries of NVIDIA's that make machine code in a program's process, before some of whose functions ours stand:
//! nvrtc and nvJitLink.
//!
//! There may be several of each in one process (a program's, and that of a Python package): each has functions of its
//! own here, so that no handle has to tell whose it is. Ours call the library's own; no instruction of it is read or
//! changed.

mod nvjitlink;
mod nvrtc;

use crate::file;
use std::collections::BTreeMap;
use std::ffi::{CStr, OsStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A library that calls are bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compiler {
    /// By its number.
    Nvrtc(usize),
    /// By its number.
    NvJitLink(usize),
}

impl Compiler {
    /// Whether a library is nvrtc or nvJitLink, by the name of its file.
    pub(crate) fn is_one(path: &Path) -> bool {
        nvrtc::is_nvrtc(path) || nvjitlink::is_nvjitlink(path)
    }

    /// Takes in a compiler that has been loaded. `None`: more than [`MAX_LOADED`] of its kind are loaded.
    pub(crate) fn add(path: PathBuf, address: usize) -> Option<Self> {
        match nvrtc::is_nvrtc(&path) {
            true => nvrtc::LOADED.add(path, address).map(Self::Nvrtc),
            false => nvjitlink::LOADED.add(path, address).map(Self::NvJitLink),
        }
    }

    /// Forgets a compiler that is unloaded.
    pub(crate) fn remove(self) {
        match self {
            Self::Nvrtc(number) => nvrtc::LOADED.remove(number),
            Self::NvJitLink(number) => nvjitlink::LOADED.remove(number),
        }
    }

    /// The address that a call of one of the compiler's functions is bound to, if not the function's own.
    pub(crate) fn bind(self, name: &CStr) -> Option<usize> {
        match self {
            Self::Nvrtc(number) => nvrtc::bind(number, name),
            Self::NvJitLink(number) => nvjitlink::bind(number, name),
        }
    }

    /// A number for the dynamic linker to keep, which is not 0.
    pub(crate) fn cookie(self) -> usize {
        match self {
            Self::Nvrtc(number) => 2 * number + 1,
            Self::NvJitLink(number) => 2 * number + 2,
        }
    }

    /// The library of such a number.
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

/// More than one process ever has of a kind: each takes functions of ours.
const MAX_LOADED: usize = 8;

/// An array of functions of ours for each of the [`MAX_LOADED`] libraries of a kind: `Ours::of::<0>()` and so on.
macro_rules! for_each_number {
    ($ours:ident) => {
        [
            $ours::of::<0>(),
            $ours::of::<1>(),
            $ours::of::<2>(),
            $ours::of::<3>(),
            $ours::of::<4>(),
            $ours::of::<5>(),
            $ours::of::<6>(),
            $ours::of::<7>(),
        ]
    };
}
use for_each_number;

/// A library that is loaded.
#[derive(Debug)]
struct Library<F, S> {
    path: PathBuf,
    /// What is added to the file's addresses.
    address: usize,
    /// Those of its functions that ours call. None until a call is bound to it.
    functions: Option<F>,
    /// What is known of its handles.
    state: S,
}

/// The libraries of one kind.
#[derive(Debug)]
struct Table<F, S>(Mutex<[Option<Library<F, S>>; MAX_LOADED]>);

impl<F: Copy, S: Default> Table<F, S> {
    const fn new() -> Self {
        Self(Mutex::new([const { None }; MAX_LOADED]))
    }

    fn with<T>(&self, work: impl FnOnce(&mut [Option<Library<F, S>>]) -> T) -> T {
        work(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The number of a library that has been loaded.
    fn add(&self, path: PathBuf, address: usize) -> Option<usize> {
        self.with(|all| {
            let number = all.iter().position(Option::is_none)?;
            all[number] = Some(Library { path, address, functions: None, state: S::default() });
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

    /// Whether the library has all functions that ours call. One that has not is older, or something else.
    fn has(&self, number: usize, find: impl FnOnce(&BTreeMap<String, usize>) -> Option<F>) -> bool {
        let look = |library: &mut Library<F, S>| {
            if library.functions.is_none() {
                let exported = file::exported(&library.path, library.address).ok()?;
                library.functions = find(&exported);
            }
            library.functions
        };
        self.with(|all| look(all.get_mut(number)?.as_mut()?)).is_some()
    }

    /// Work with the library's own functions. No panic reaches the caller, who is C.
    fn answer<R>(&self, number: usize, own_mistake: R, work: impl FnOnce(&F) -> R) -> R {
        // Bound functions have a library behind them, until it is unloaded.
        let functions = self.with(|all| all.get(number)?.as_ref()?.functions);
        let Some(functions) = functions else { return own_mistake };
        catch_unwind(AssertUnwindSafe(|| work(&functions))).unwrap_or(own_mistake)
    }

    /// Asks for, or changes, what is known of the handles.
    fn state<T>(&self, number: usize, work: impl FnOnce(&mut S) -> T) -> Option<T> {
        self.with(|all| Some(work(&mut all.get_mut(number)?.as_mut()?.state)))
    }
}

/// The options of a call; none if a pointer is null, which the library knows how to answer.
///
/// # Safety
/// `options` is null or points to `count` pointers, each null or to a C string that lives as long as the call.
unsafe fn read<'a>(count: usize, options: *const *const c_char) -> Option<Vec<&'a CStr>> {
    if options.is_null() {
        return None;
    }
    // SAFETY: the caller's list is so long.
    let options = unsafe { std::slice::from_raw_parts(options, count) };
    let text = |&option: &*const c_char| {
        // SAFETY: a C string of the caller's, which lives as long as the call.
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
