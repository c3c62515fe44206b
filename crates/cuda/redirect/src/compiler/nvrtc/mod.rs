//! nvrtc, NVIDIA's compiler as a library, asked for machine code.
//!
//! It compiles on the CPU and works as it is, as long as a program takes PTX from it. One that asks for the
//! code of a machine (`--gpu-architecture=sm_86`) and takes that (`nvrtcGetCUBIN`) gets what texunit does not
//! run. Calls of four of its functions therefore go through functions of ours: the dynamic linker asks for
//! them when a call of a file, or a `dlsym`, is bound to nvrtc ([`bind`]). They call nvrtc's own:
//!
//! * `nvrtcCompileProgram` with the virtual architecture, `compute_86`, whose PTX is the same;
//! * `nvrtcGetCUBINSize` and `nvrtcGetCUBIN` for such a compilation as `nvrtcGetPTXSize` and `nvrtcGetPTX`.
//!   A driver takes PTX where it takes machine code, and so does texunit's;
//! * `nvrtcDestroyProgram`, to know which compilations there are.
//!
//! Everything else is bound to nvrtc itself, `nvrtcGetPTX` and `nvrtcGetSupportedArchs` among it.

mod options;

use super::{MAX_LOADED, Table, for_each_number, has_name, read};
use crate::say;
use options::Options;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;
use std::sync::Once;

/// `nvrtcResult`: 0 is success.
type NvrtcResult = c_int;
/// `nvrtcProgram`
type Program = *mut c_void;

type Destroy = unsafe extern "C" fn(*mut Program) -> NvrtcResult;
type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> NvrtcResult;
type Size = unsafe extern "C" fn(Program, *mut usize) -> NvrtcResult;
type Get = unsafe extern "C" fn(Program, *mut c_char) -> NvrtcResult;

/// nvrtc's own functions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Functions {
    destroy: Destroy,
    compile: Compile,
    cubin_size: Size,
    cubin: Get,
    ptx_size: Size,
    ptx: Get,
}

/// Each with the programs whose last compilation was to be machine code, and is PTX.
pub(super) static LOADED: Table<Functions, BTreeSet<usize>> = Table::new();

/// Whether a library is nvrtc. Its table of built-in functions is another library.
pub(super) fn is_nvrtc(path: &Path) -> bool {
    has_name(path, "libnvrtc") && !has_name(path, "libnvrtc-builtins")
}

/// What a call of a function of an nvrtc is bound to, if not to the function itself.
pub(super) fn bind(number: usize, name: &CStr) -> Option<usize> {
    let ours = OURS.get(number)?;
    let target = match name.to_bytes() {
        b"nvrtcDestroyProgram" => ours.destroy as usize,
        b"nvrtcCompileProgram" => ours.compile as usize,
        b"nvrtcGetCUBINSize" => ours.cubin_size as usize,
        b"nvrtcGetCUBIN" => ours.cubin as usize,
        _ => return None,
    };
    LOADED.has(number, functions).then_some(target)
}

/// Where nvrtc's own functions are.
fn functions(exported: &BTreeMap<String, usize>) -> Option<Functions> {
    let at =
        |name: &str| exported.get(name).map(|&at| std::ptr::with_exposed_provenance::<c_void>(at));
    // SAFETY: the library is nvrtc and exports these names; nvrtc.h declares them with these types.
    unsafe {
        Some(Functions {
            destroy: std::mem::transmute::<*const c_void, Destroy>(at("nvrtcDestroyProgram")?),
            compile: std::mem::transmute::<*const c_void, Compile>(at("nvrtcCompileProgram")?),
            cubin_size: std::mem::transmute::<*const c_void, Size>(at("nvrtcGetCUBINSize")?),
            cubin: std::mem::transmute::<*const c_void, Get>(at("nvrtcGetCUBIN")?),
            ptx_size: std::mem::transmute::<*const c_void, Size>(at("nvrtcGetPTXSize")?),
            ptx: std::mem::transmute::<*const c_void, Get>(at("nvrtcGetPTX")?),
        })
    }
}

/// Our functions in the place of those of one nvrtc.
struct Ours {
    destroy: Destroy,
    compile: Compile,
    cubin_size: Size,
    cubin: Get,
}

impl Ours {
    const fn of<const N: usize>() -> Self {
        Self {
            destroy: destroy::<N>,
            compile: compile::<N>,
            cubin_size: cubin_size::<N>,
            cubin: cubin::<N>,
        }
    }
}

static OURS: [Ours; MAX_LOADED] = for_each_number!(Ours);

/// `NVRTC_ERROR_INTERNAL_ERROR`: a mistake of ours, which has been printed.
const INTERNAL_ERROR: NvrtcResult = 11;

/// Work with the nvrtc of a number.
fn answer(number: usize, work: impl FnOnce(&Functions) -> NvrtcResult) -> NvrtcResult {
    LOADED.answer(number, INTERNAL_ERROR, work)
}

/// Asks for, or changes, what is known of a program.
fn turned<T>(number: usize, work: impl FnOnce(&mut BTreeSet<usize>) -> T) -> Option<T> {
    LOADED.state(number, work)
}

/// `nvrtcCompileProgram`
unsafe extern "C" fn compile<const N: usize>(
    program: Program,
    count: c_int,
    options: *const *const c_char,
) -> NvrtcResult {
    answer(N, |own| {
        turned(N, |all| all.remove(&program.addr()));
        // SAFETY: the caller's own list.
        let read = usize::try_from(count).ok().and_then(|count| unsafe { read(count, options) });
        let Some(read) = read else {
            // SAFETY: the caller's own arguments.
            return unsafe { (own.compile)(program, count, options) };
        };
        let Options { given, machine, links_later } = Options::of(&read);
        let pointers: Vec<*const c_char> = given.iter().map(|option| option.as_ptr()).collect();
        // SAFETY: as many C strings as the caller gave; they live until the call is over.
        let result = unsafe { (own.compile)(program, count, pointers.as_ptr()) };
        // What nvrtc has refused is its own matter.
        tell(machine.as_deref().filter(|_| result == 0), links_later);
        if result == 0 && machine.is_some() {
            turned(N, |all| all.insert(program.addr()));
        }
        result
    })
}

/// Says once in a process what is done, and what cannot be.
fn tell(machine: Option<&str>, links_later: bool) {
    static TURNED: Once = Once::new();
    static LINKED: Once = Once::new();
    if let Some(machine) = machine {
        let number = machine.trim_start_matches("sm_");
        TURNED.call_once(|| {
            say(format_args!(
                "the program has nvrtc compile to machine code ({machine}); nvrtc is asked for PTX (compute_{number}) \
                 instead, which is what texunit runs, and the program gets that as nvrtcGetCUBIN's result"
            ));
        });
    }
    if links_later {
        LINKED.call_once(|| {
            say(format_args!(
                "the program has nvrtc compile to what NVIDIA's linker takes (-dlto), which texunit does not run; \
                 without -dlto nvrtc makes PTX"
            ));
        });
    }
}

/// `nvrtcGetCUBINSize`
unsafe extern "C" fn cubin_size<const N: usize>(program: Program, size: *mut usize) -> NvrtcResult {
    answer(N, |own| {
        let is_turned = turned(N, |all| all.contains(&program.addr())) == Some(true);
        let function = if is_turned { own.ptx_size } else { own.cubin_size };
        // SAFETY: the caller's own arguments, which both functions take.
        unsafe { function(program, size) }
    })
}

/// `nvrtcGetCUBIN`
unsafe extern "C" fn cubin<const N: usize>(program: Program, to: *mut c_char) -> NvrtcResult {
    answer(N, |own| {
        let is_turned = turned(N, |all| all.contains(&program.addr())) == Some(true);
        let function = if is_turned { own.ptx } else { own.cubin };
        // SAFETY: the caller's own arguments, which both functions take; of the result's size the caller
        // has asked the same one.
        unsafe { function(program, to) }
    })
}

/// `nvrtcDestroyProgram`
unsafe extern "C" fn destroy<const N: usize>(program: *mut Program) -> NvrtcResult {
    answer(N, |own| {
        if !program.is_null() {
            // SAFETY: a pointer to a program, which is not null.
            let program = unsafe { *program };
            // Before it is gone: its address may be the next program's.
            turned(N, |all| all.remove(&program.addr()));
        }
        // SAFETY: the caller's own argument.
        unsafe { (own.destroy)(program) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_have_names() {
        let is = |name: &str| is_nvrtc(&Path::new("/a b/lib").join(name));
        assert!(is("libnvrtc.so") && is("libnvrtc.so.12") && is("libnvrtc.alt.so.12"));
        assert!(is("libnvrtc-b51b459d.so.12"));
        assert!(!is("libnvrtc-builtins.so.12.9") && !is("libnvrtc-builtins.alt.so.12.9"));
        assert!(!is("libnvrtc_static.a") && !is("nvrtc.so") && !is("libnvJitLink.so.12"));
    }

    /// Only the functions that are named, and only of a library that has all of them.
    #[test]
    fn what_is_no_nvrtc_is_bound_to_itself() {
        let number = LOADED.add(std::env::current_exe().unwrap_or_default(), 0);
        let number = number.unwrap_or(usize::MAX);
        assert_eq!(bind(number, c"nvrtcCompileProgram"), None);
        assert_eq!(bind(number, c"nvrtcGetPTX"), None);
        LOADED.remove(number);
        assert_eq!(bind(number, c"nvrtcCompileProgram"), None);
        assert_eq!(bind(MAX_LOADED, c"nvrtcCompileProgram"), None);
    }
}
