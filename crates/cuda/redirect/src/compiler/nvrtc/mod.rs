//! nvrtc, NVIDIA's compiler as a library: some calls are changed so that it makes PTX instead of
//! machine code, with line information.
//!
//! nvrtc compiles on the CPU and needs no change as long as a program takes PTX from it. A program
//! that asks for a machine's code (`--gpu-architecture=sm_86`, `nvrtcGetCUBIN`) would get code that
//! texunit does not run, and a source that exists in the program's memory only could not be shown
//! in a message about one of its lines. Some functions are therefore replaced when the dynamic
//! linker binds a call or a `dlsym` to nvrtc ([`bind`]). The replacements call nvrtc's own
//! functions:
//!
//! * `nvrtcCreateProgram`, whose sources are kept as long as the program;
//! * `nvrtcCompileProgram`, with the virtual architecture `compute_86`, which gives the same PTX,
//!   and with `-lineinfo`;
//! * `nvrtcGetPTXSize` and `nvrtcGetPTX`, whose text is followed by the sources as comments
//!   ([`texunit_syntax::handed_comments`]), so that the sources stay with PTX that the program
//!   caches;
//! * `nvrtcGetCUBINSize` and `nvrtcGetCUBIN`, which return the PTX that was compiled instead of
//!   machine code, as drivers accept PTX wherever they accept machine code;
//! * `nvrtcDestroyProgram`, after which the program's state is dropped.
//!
//! All other calls are bound to nvrtc itself.

mod options;

use super::*;
use crate::say_once;
use options::Options;
use std::sync::Arc;
use texunit_syntax::handed_comments;

type Create = unsafe extern "C" fn(
    *mut Handle,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> Status;
type Compile = unsafe extern "C" fn(Handle, c_int, *const *const c_char) -> Status;
type Size = unsafe extern "C" fn(Handle, *mut usize) -> Status;
type Get = unsafe extern "C" fn(Handle, *mut c_char) -> Status;

functions! {
    create: Create = "nvrtcCreateProgram" => create;
    destroy: Destroy = "nvrtcDestroyProgram" => destroy;
    compile: Compile = "nvrtcCompileProgram" => compile;
    cubin_size: Size = "nvrtcGetCUBINSize" => cubin_size;
    cubin: Get = "nvrtcGetCUBIN" => cubin;
    ptx_size: Size = "nvrtcGetPTXSize" => ptx_size;
    ptx: Get = "nvrtcGetPTX" => ptx;
}

/// State of an nvrtc program.
#[derive(Clone, Debug, Default)]
pub(super) struct ProgramState {
    /// The program's sources as PTX comments.
    sources: Arc<str>,
    /// Whether the last compilation was to give machine code and gave PTX instead.
    replaces_machine_code: bool,
}

/// The loaded copies of nvrtc, each with the state of its programs; 11 is
/// `NVRTC_ERROR_INTERNAL_ERROR`.
pub(super) static LOADED: Table<Functions, ProgramState> = Table::new(11);

/// Whether a library is nvrtc. `libnvrtc-builtins` is another library.
pub(super) fn is_nvrtc(path: &Path) -> bool {
    has_name(path, "libnvrtc") && !has_name(path, "libnvrtc-builtins")
}

/// The state of a program.
fn state_of(number: usize, program: Handle) -> ProgramState {
    LOADED.handles(number, |all| all.get(&program.addr()).cloned()).flatten().unwrap_or_default()
}

/// `nvrtcCreateProgram`
unsafe extern "C" fn create<const N: usize>(
    program: *mut Handle,
    source: *const c_char,
    name: *const c_char,
    count: c_int,
    headers: *const *const c_char,
    names: *const *const c_char,
) -> Status {
    LOADED.answer(N, |own| {
        // SAFETY: the caller's arguments are passed on unchanged.
        let result = unsafe { (own.create)(program, source, name, count, headers, names) };
        if result != 0 || program.is_null() {
            return result;
        }
        let count = usize::try_from(count).unwrap_or(0);
        let text = |text: *const c_char| {
            // SAFETY: null, or the caller's C string, which nvrtc has read.
            (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy())
        };
        let [headers, names] = [headers, names].map(|list| {
            // SAFETY: the caller's lists, of which nvrtc has read this many entries.
            let list = unsafe { read(count, list) }.unwrap_or_default();
            list.into_iter().map(CStr::to_string_lossy).collect::<Vec<_>>()
        });
        // The name that nvrtc gives to a program without one.
        let name = text(name).filter(|name| !name.is_empty()).unwrap_or("default_program".into());
        let main = text(source).unwrap_or_default();
        let of_headers = names.iter().zip(&headers).map(|(name, text)| (&**name, &**text));
        let sources = handed_comments(std::iter::once((&*name, &*main)).chain(of_headers));
        // SAFETY: the pointer is not null, and nvrtc has written to it.
        let program = unsafe { *program };
        let known = ProgramState { sources: sources.into(), replaces_machine_code: false };
        LOADED.handles(N, |all| all.insert(program.addr(), known));
        result
    })
}

/// `nvrtcCompileProgram`
unsafe extern "C" fn compile<const N: usize>(
    program: Handle,
    count: c_int,
    options: *const *const c_char,
) -> Status {
    LOADED.answer(N, |own| {
        let turn = |replaces_machine_code| {
            LOADED.handles(N, |all| {
                all.entry(program.addr()).or_default().replaces_machine_code = replaces_machine_code
            });
        };
        turn(false);
        // SAFETY: the caller's list has this length.
        let read = usize::try_from(count).ok().and_then(|count| unsafe { read(count, options) });
        let Some(read) = read.or_else(|| (count == 0).then(Vec::new)) else {
            // SAFETY: the caller's arguments are passed on unchanged.
            return unsafe { (own.compile)(program, count, options) };
        };
        let Options { given, machine } = Options::of(&read);
        let pointers: Vec<*const c_char> = given.iter().map(|option| option.as_ptr()).collect();
        // SAFETY: C strings, one more than the caller passed, all valid during the call.
        let result = unsafe { (own.compile)(program, pointers.len() as c_int, pointers.as_ptr()) };
        // nvrtc reports its own errors.
        let machine = machine.filter(|_| result == 0);
        turn(machine.is_some());
        if let Some(machine) = machine {
            let number = machine.trim_start_matches("sm_");
            say_once!(
                "the program has nvrtc compile to machine code ({machine}); nvrtc is asked for PTX (compute_{number}) \
                 instead, which is what texunit runs, and the program gets that as nvrtcGetCUBIN's result"
            );
        }
        result
    })
}

/// Size of the PTX with the program's sources after it.
fn size_with(own: &Functions, program: Handle, known: &ProgramState, size: *mut usize) -> Status {
    // SAFETY: the caller's arguments, passed on to nvrtc's function.
    let result = unsafe { (own.ptx_size)(program, size) };
    if result == 0 && !size.is_null() {
        // SAFETY: the pointer is not null, and nvrtc has written to it.
        let size = unsafe { &mut *size };
        // The size includes a terminating zero; code for NVIDIA's linker has no PTX and size 0 or
        // 1.
        if *size > 1 {
            *size += known.sources.len();
        }
    }
    result
}

/// Copies the PTX, and after it the program's sources.
fn text_with(own: &Functions, program: Handle, known: &ProgramState, to: *mut c_char) -> Status {
    let mut size = 0;
    // SAFETY: the caller's arguments, passed on to nvrtc's functions. The caller's buffer has the
    // size that [`size_with`] returned, so that there is room for the sources from nvrtc's
    // terminating zero on.
    unsafe {
        let result = (own.ptx_size)(program, &raw mut size);
        let result = if result == 0 { (own.ptx)(program, to) } else { result };
        if result == 0 && size > 1 && !to.is_null() {
            let (text, len) = (known.sources.as_ptr().cast(), known.sources.len());
            to.add(size - 1).copy_from_nonoverlapping(text, len);
            to.add(size - 1 + len).write(0);
        }
        result
    }
}

/// `nvrtcGetPTXSize`
unsafe extern "C" fn ptx_size<const N: usize>(program: Handle, size: *mut usize) -> Status {
    LOADED.answer(N, |own| size_with(own, program, &state_of(N, program), size))
}

/// `nvrtcGetPTX`
unsafe extern "C" fn ptx<const N: usize>(program: Handle, to: *mut c_char) -> Status {
    LOADED.answer(N, |own| text_with(own, program, &state_of(N, program), to))
}

/// `nvrtcGetCUBINSize`
unsafe extern "C" fn cubin_size<const N: usize>(program: Handle, size: *mut usize) -> Status {
    LOADED.answer(N, |own| match state_of(N, program) {
        known if known.replaces_machine_code => size_with(own, program, &known, size),
        // SAFETY: the caller's arguments are passed on unchanged.
        _ => unsafe { (own.cubin_size)(program, size) },
    })
}

/// `nvrtcGetCUBIN`
unsafe extern "C" fn cubin<const N: usize>(program: Handle, to: *mut c_char) -> Status {
    LOADED.answer(N, |own| match state_of(N, program) {
        known if known.replaces_machine_code => text_with(own, program, &known, to),
        // SAFETY: the caller's arguments are passed on unchanged.
        _ => unsafe { (own.cubin)(program, to) },
    })
}

/// `nvrtcDestroyProgram`
unsafe extern "C" fn destroy<const N: usize>(program: *mut Handle) -> Status {
    // SAFETY: the caller's argument is passed on unchanged.
    LOADED.answer(N, |own| unsafe { LOADED.destroy(N, program, own.destroy) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler::MAX_LOADED;

    #[test]
    fn libraries_have_names() {
        let is = |name: &str| is_nvrtc(&Path::new("/a b/lib").join(name));
        assert!(is("libnvrtc.so") && is("libnvrtc.so.12") && is("libnvrtc.alt.so.12"));
        assert!(is("libnvrtc-b51b459d.so.12"));
        assert!(!is("libnvrtc-builtins.so.12.9") && !is("libnvrtc-builtins.alt.so.12.9"));
        assert!(!is("libnvrtc_static.a") && !is("nvrtc.so") && !is("libnvJitLink.so.12"));
    }

    /// Only named functions are replaced, and only in a library that exports all of them.
    #[test]
    fn what_is_no_nvrtc_is_bound_to_itself() {
        let number = LOADED.add(std::env::current_exe().unwrap_or_default(), 0);
        let number = number.unwrap_or(usize::MAX);
        assert_eq!(bind(number, c"nvrtcCompileProgram"), None);
        assert_eq!(bind(number, c"nvrtcGetProgramLog"), None);
        LOADED.remove(number);
        assert_eq!(bind(number, c"nvrtcCompileProgram"), None);
        assert_eq!(bind(MAX_LOADED, c"nvrtcCompileProgram"), None);
    }
}
