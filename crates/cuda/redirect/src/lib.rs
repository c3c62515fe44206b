//! An audit library for programs and libraries with NVIDIA's runtime linked into them statically
//! (`-cudart static`, nvcc's default).
//!
//! That runtime works on NVIDIA's driver only. `texunit run` therefore has the dynamic linker load
//! this library beside the program (`LD_AUDIT`, rtld-audit(7)), which calls it for every file that
//! is loaded, the program included, before any code of the file runs. In a file that contains
//! functions of the runtime API, each function is patched to jump to the function of the same name
//! in texunit's `libcudart.so.12` or `libcudart.so.13`, which is loaded at the first such call
//! (module `lazy`). Files that use the runtime or the driver as shared libraries are not patched;
//! the dynamic linker is given the paths of texunit's libraries for them (module `search`). A
//! program sees texunit's symbols only from libraries that it is linked with.
//!
//! The functions are found in the file's symbol table. A stripped file cannot be patched, and the
//! driver names it in a message when it is called. A file whose table lacks functions of the
//! runtime stays unpatched, because two runtimes in one file would not share memory and kernels.
//!
//! Calls of nvrtc and nvJitLink, NVIDIA's compiler and linker, are bound to replacements that make
//! PTX instead of machine code (module `compiler`).
//!
//! The dynamic linker finalises this library after all libraries of the program. A run's report is
//! complete then, so that `texunit_redirect_end` calls `texunit_core_end`.
//!
//! # The invariant behind every unsafe access
//!
//! An address that is written to is that at which the dynamic linker has loaded a function of a
//! file, by the file's own headers, and the written bytes end before the next symbol. They are
//! written while the dynamic linker holds its lock and before the file's code can be called.

#![allow(unsafe_code)]

mod compiler;
mod file;
mod lazy;
mod patch;
mod search;

use compiler::Compiler;
use file::StaticRuntime;
use std::ffi::{CStr, OsStr, c_char, c_long, c_uint, c_void};
use std::fmt::Arguments;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The newest supported version of the audit interface. Version 2, of glibc 2.35, differs in
/// callbacks about registers of calls, which are not used; on 64-bit ARM version 1 is refused.
const LAV_VERSION: c_uint = 2;
/// Calls of functions of the file are to be reported when they are bound (`LA_FLG_BINDTO`).
const BIND_TO: c_uint = 1;
/// Calls that the file makes are to be reported when they are bound (`LA_FLG_BINDFROM`).
const BIND_FROM: c_uint = 2;
/// All files are loaded, and none of their code has run (`LA_ACT_CONSISTENT`).
const CONSISTENT: c_uint = 0;
/// The program's namespace (`LM_ID_BASE`).
const BASE: c_long = 0;

/// The first stage of a search, with the name as it was requested (`LA_SER_ORIG`).
const ASKED_FOR: c_uint = 1;

/// Path of the program, whose name the dynamic linker leaves out.
const PROGRAM: &str = "/proc/self/exe";

/// Prefix of the file name of the library with texunit's code.
const CORE: &str = "libtexunit_core.so";

/// The first fields of the dynamic linker's `struct link_map`, as in `<link.h>`.
#[repr(C)]
struct LinkMap {
    /// Load bias: the difference between loaded addresses and those in the file.
    address: usize,
    /// The file's path; empty for the program.
    name: *const c_char,
}

/// `Elf64_Sym`
#[repr(C)]
struct Symbol {
    name: u32,
    info: u8,
    other: u8,
    section: u16,
    value: u64,
    size: u64,
}

#[derive(Debug)]
struct LoadedFile {
    path: PathBuf,
    /// Load bias: the difference between loaded addresses and those in the file.
    address: usize,
    /// Address of the cookie that the dynamic linker keeps for the file, which identifies the file
    /// when it is unloaded.
    cookie: usize,
}

/// State of the process.
#[derive(Default)]
struct State {
    /// Files loaded since the last `LA_ACT_CONSISTENT`.
    new: Vec<LoadedFile>,
    /// The loaded libraries with texunit's code (`libtexunit_core.so...`): several only in a
    /// process with two releases. At the end of the process the dynamic linker announces the
    /// unloading of each file, but unloads none.
    cores: Vec<LoadedFile>,
}

static STATE: Mutex<Option<State>> = Mutex::new(None);

/// Audit callback: negotiates the version of the interface.
#[unsafe(no_mangle)]
extern "C" fn la_version(newest: c_uint) -> c_uint {
    newest.min(LAV_VERSION)
}

/// Audit callback: a file is searched for; returns the name or path to use. Later stages give
/// candidate paths, which null rejects.
///
/// # Safety
/// Called by the dynamic linker, with a C string.
#[unsafe(no_mangle)]
unsafe extern "C" fn la_objsearch(
    name: *mut c_char,
    _: *const usize,
    stage: c_uint,
) -> *mut c_char {
    if name.is_null() {
        return name;
    }
    // SAFETY: the text belongs to the dynamic linker.
    let asked = unsafe { CStr::from_ptr(name) };
    if stage != ASKED_FOR {
        // A panic is caught, as below.
        let is_unwanted = std::panic::catch_unwind(|| search::is_unwanted(asked)).unwrap_or(false);
        return if is_unwanted { std::ptr::null_mut() } else { name };
    }
    // A panic must not unwind into the dynamic linker; its message has been printed.
    let ours = std::panic::catch_unwind(|| search::texunit_path(asked)).ok().flatten();
    // The cast to a mutable pointer is sound, because the dynamic linker only reads the returned
    // path.
    ours.map_or(name, |ours| ours.as_ptr().cast_mut())
}

/// Audit callback: a file has been loaded. Only calls of NVIDIA's compilers by other files are to
/// be reported. The cookie becomes the number of such a compiler, or 0 for other files.
///
/// # Safety
/// Called by the dynamic linker, with its own structure and a valid pointer to the cookie.
#[unsafe(no_mangle)]
unsafe extern "C" fn la_objopen(map: *const LinkMap, space: c_long, cookie: *mut usize) -> c_uint {
    if map.is_null() || cookie.is_null() {
        return 0;
    }
    // SAFETY: the pointer is to the dynamic linker's cookie.
    unsafe { *cookie = 0 };
    if space != BASE {
        return 0;
    }
    // SAFETY: the dynamic linker's structure begins with these fields; the name is a C string or
    // null.
    let (address, name) = unsafe {
        let name = (*map).name;
        let name = if name.is_null() { c"" } else { CStr::from_ptr(name) };
        ((*map).address, name.to_string_lossy().into_owned())
    };
    let path = PathBuf::from(if name.is_empty() { PROGRAM } else { name.as_str() });
    let mut flags = BIND_FROM;
    let loaded = |path| LoadedFile { path, address, cookie: cookie.addr() };
    with(|state| match path.file_name().and_then(OsStr::to_str).unwrap_or_default() {
        name if name.starts_with(CORE) => state.cores.push(loaded(path)),
        _ if Compiler::is_one(&path) => {
            let name = shown(&path);
            let Some(compiler) = Compiler::add(path, address) else {
                say(format_args!("there are too many of {name}: this one is not asked for PTX"));
                return;
            };
            // SAFETY: the cookie is a valid pointer by the contract of the callback, and not null.
            unsafe { *cookie = compiler.cookie() };
            flags = BIND_TO;
        }
        _ => state.new.push(loaded(path)),
    });
    flags
}

/// Audit callback: a file is to be unloaded. Files whose dependencies are missing are unloaded
/// before the state was ever consistent.
///
/// # Safety
/// Called by the dynamic linker, with a pointer to the cookie.
#[unsafe(no_mangle)]
unsafe extern "C" fn la_objclose(cookie: *const usize) -> c_uint {
    with(|state| state.new.retain(|file| file.cookie != cookie.addr()));
    // SAFETY: the pointer is null or to the dynamic linker's cookie.
    if let Some(compiler) = unsafe { cookie.as_ref() }.and_then(|&c| Compiler::of_cookie(c)) {
        compiler.remove();
    }
    0
}

/// Audit callback: a call or a `dlsym` is bound to a function; returns the address to bind to.
///
/// # Safety
/// Called by the dynamic linker, with a symbol whose value is the function's address, the cookies
/// of both files, and the function's name.
#[unsafe(no_mangle)]
unsafe extern "C" fn la_symbind64(
    symbol: *const Symbol,
    _: c_uint,
    _from: *const usize,
    to: *const usize,
    _flags: *mut c_uint,
    name: *const c_char,
) -> usize {
    // SAFETY: the structure belongs to the dynamic linker.
    let address = unsafe { (*symbol).value } as usize;
    let bind = || {
        // SAFETY: a pointer to a cookie, and a C string in the file's string table, or null.
        let (compiler, name) = unsafe {
            let compiler = Compiler::of_cookie(*to.as_ref()?)?;
            (compiler, (!name.is_null()).then(|| CStr::from_ptr(name))?)
        };
        compiler.bind(name)
    };
    // A panic must not unwind into the dynamic linker; its message has been printed.
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(bind)).ok().flatten().unwrap_or(address)
}

/// Audit callback: files are being loaded, or all are loaded.
#[unsafe(no_mangle)]
extern "C" fn la_activity(_: *mut c_void, what: c_uint) {
    if what == CONSISTENT {
        with(|state| {
            for file in std::mem::take(&mut state.new) {
                loaded(&file.path, file.address);
            }
        });
    }
}

fn with(work: impl FnOnce(&mut State)) {
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    // A panic must not unwind into the dynamic linker; its message has been printed.
    let work = std::panic::AssertUnwindSafe(|| work(state.get_or_insert_default()));
    let _ = std::panic::catch_unwind(work);
}

/// Handles a loaded file, none of whose code has run: patches the runtime in it, or records it.
fn loaded(path: &Path, address: usize) {
    let linked = file::linked_into(path);
    let name = shown(path);
    if let Some(Err(why)) = linked.runtime.map(|inside| redirect(&inside, address)) {
        say(format_args!(
            "the CUDA runtime inside {name} cannot be replaced: {why}; link it with -cudart shared"
        ));
    }
    if linked.nvrtc {
        say(format_args!(
            "nvrtc seems to be linked into {name} (libnvrtc_static.a), where texunit cannot ask it for PTX; have the \
             program do so (--gpu-architecture=compute_XX), or link it with -lnvrtc"
        ));
    }
    if linked.nvjitlink {
        say(format_args!(
            "nvJitLink seems to be linked into {name} (libnvJitLink_static.a), where texunit cannot give its caller PTX \
             in place of machine code; link it with -lnvJitLink"
        ));
    }
}

/// Patches the runtime in a file to jump to texunit's: all its functions, or none.
fn redirect(inside: &StaticRuntime, address: usize) -> Result<(), String> {
    let not_one = |lacking: &[&str], where_: &str| match lacking {
        [] => Ok(()),
        [one] => Err(format!("{where_} has no {one}")),
        [one, more @ ..] => Err(format!("{where_} has no {one}, nor {} more", more.len())),
    };
    not_one(&inside.missing, "its table of symbols")?;
    let targets = lazy::functions(inside.runtime)?;
    let lacking: Vec<&str> =
        file::needed(inside.runtime).filter(|n| !targets.contains_key(*n)).collect();
    not_one(&lacking, inside.runtime.name())?;
    let jumps = inside.functions.iter().filter_map(|function| {
        let (at, target) = (address.wrapping_add(function.address), *targets.get(&function.name)?);
        Some(patch::Jump { at, room: function.room, target })
    });
    patch::write(&jumps.collect::<Vec<_>>())
}

/// The file of this name in the folder of this library.
fn beside_this(name: &str) -> Option<PathBuf> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let folder = || own_path()?.canonicalize().ok()?.parent().map(Path::to_owned);
    FOLDER.get_or_init(folder).as_ref().map(|folder| folder.join(name))
}

/// Ends the reports of texunit's libraries: all libraries of the program have been finalised but
/// are still mapped. The linker enters this function as a finaliser (`xtask -- libs`).
#[unsafe(no_mangle)]
extern "C" fn texunit_redirect_end() {
    let mut cores = Vec::new();
    with(|state| cores = std::mem::take(&mut state.cores));
    if cores.is_empty() {
        return;
    }
    let mapped = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    // A library that failed to load has been unmapped again.
    let is_there = |core: &LoadedFile| {
        mapped.lines().any(|line| line.starts_with(&format!("{:x}-", core.address)))
    };
    for core in cores.into_iter().filter(is_there) {
        let exported = file::exported(&core.path, core.address).unwrap_or_default();
        let Some(&end) = exported.get("texunit_core_end") else { continue };
        let end = std::ptr::with_exposed_provenance(end);
        // SAFETY: the function of this name has this type in every release.
        unsafe { std::mem::transmute::<*const c_void, extern "C" fn()>(end)() };
    }
}

/// The path of this library, as the dynamic linker knows it.
fn own_path() -> Option<PathBuf> {
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    let inside = (la_version as extern "C" fn(c_uint) -> c_uint as usize) as *const c_void;
    // SAFETY: an address in this library, and a structure for which zeros are a valid value.
    let (found, info) = unsafe { (libc::dladdr(inside, info.as_mut_ptr()), info.assume_init()) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the dynamic linker's C string lives as long as the library.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    Some(PathBuf::from(name.to_string_lossy().into_owned()))
}

/// The path of a file as shown to the user.
fn shown(path: &Path) -> String {
    let found = (path == Path::new(PROGRAM)).then(|| std::fs::read_link(path).ok()).flatten();
    found.as_deref().unwrap_or(path).display().to_string()
}

/// Prints a line on standard error.
#[allow(clippy::print_stderr)]
fn say(text: Arguments<'_>) {
    // File names may contain control characters, which a terminal must not interpret.
    let shown = text.to_string().replace(|c: char| c.is_control(), "\u{fffd}");
    eprintln!("texunit: {shown}");
}

/// Prints a line on standard error once in a process.
macro_rules! say_once {
    ($($text:tt)*) => {{
        static SAID: std::sync::Once = std::sync::Once::new();
        SAID.call_once(|| $crate::say(format_args!($($text)*)));
    }};
}
use say_once;
