//! Programs and libraries that have NVIDIA's runtime linked into them (`-cudart static`, nvcc's default).
//!
//! That runtime works on NVIDIA's driver only. `texunit run` therefore has the dynamic linker load this
//! library beside the program (`LD_AUDIT`, rtld-audit(7)). It is told of every file that is loaded, the
//! program itself among them, before any code of it runs. Where a file has the functions of the runtime
//! API inside, each of them is made to jump to the function of the same name in texunit's
//! `libcudart.so.12` or `libcudart.so.13`, which is loaded with the first such call (module `lazy`). Files that
//! need the runtime as a shared library have none inside, and are left alone: of them, and of others that need the driver, the
//! dynamic linker is told where texunit's are (module `search`). No name of texunit's is seen by a program that is not linked
//! with the library that has it.
//!
//! The functions are found by the file's table of symbols; a file without one (`strip`) cannot be helped, and the driver names it when
//! it is called. One whose
//! table does not name every function of a runtime is left as it is: two runtimes at work in one file would
//! not know of each other's memory and kernels.
//!
//! Calls of nvrtc and nvJitLink, NVIDIA's compiler and linker, are bound to functions of this library where a program
//! asks for machine code: module `compiler`.
//!
//! The dynamic linker ends this library after all of the program's, whatever these do then: that is when what a run has to
//! report is complete, and when `texunit_core_end` is called (`texunit_redirect_end`).
//!
//! # The invariant behind every unsafe access
//!
//! An address that is written to is the place where the dynamic linker has loaded a function of a file,
//! by the file's own headers, and the bytes written stay before the next symbol. They are written while
//! the dynamic linker holds its lock and before the file's code can be called.

#![allow(unsafe_code)]

mod compiler;
mod file;
mod lazy;
mod patch;
mod search;

use compiler::Compiler;
use file::Inside;
use std::ffi::{CStr, OsStr, c_char, c_long, c_uint, c_void};
use std::fmt::Arguments;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The newest version of the dynamic linker's questions that is answered here. The second, of glibc 2.35, has
/// other questions about the registers of calls, which are not asked for; on 64-bit ARM it refuses the first.
const LAV_VERSION: c_uint = 2;
/// Calls of functions of the file are to be reported when they are bound (`LA_FLG_BINDTO`).
const BIND_TO: c_uint = 1;
/// Calls that the file makes are to be reported when they are bound (`LA_FLG_BINDFROM`).
const BIND_FROM: c_uint = 2;
/// All files are loaded, none of their code has run (`LA_ACT_CONSISTENT`).
const CONSISTENT: c_uint = 0;
/// The program's own name space (`LM_ID_BASE`).
const BASE: c_long = 0;

/// A file is looked for by the name that it is asked for by (`LA_SER_ORIG`).
const ASKED_FOR: c_uint = 1;

/// The program, whose name the dynamic linker leaves out.
const PROGRAM: &str = "/proc/self/exe";

/// What the name of the library with texunit's code begins with.
const CORE: &str = "libtexunit_core.so";

/// The start of the dynamic linker's `struct link_map`, as `<link.h>` has it.
#[repr(C)]
struct LinkMap {
    /// What is added to the file's addresses.
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

/// A file that is loaded.
#[derive(Debug)]
struct Loaded {
    path: PathBuf,
    /// What is added to the file's addresses.
    address: usize,
    /// Where the dynamic linker keeps its cookie, by which it is known when it is unloaded.
    cookie: usize,
}

/// What is known of the process.
#[derive(Default)]
struct State {
    /// Files that were loaded since the last time all was consistent.
    new: Vec<Loaded>,
    /// The libraries that have texunit's code (`libtexunit_core.so...`): one, but for processes with two releases of it. The
    /// dynamic linker says of each file at the end of the process that it is to be unloaded, and unloads none.
    cores: Vec<Loaded>,
}

static STATE: Mutex<Option<State>> = Mutex::new(None);

/// The dynamic linker asks which version of its questions is understood.
#[unsafe(no_mangle)]
extern "C" fn la_version(newest: c_uint) -> c_uint {
    newest.min(LAV_VERSION)
}

/// A file is wanted; the answer is the name or path by which it is looked for. Later stages have paths that it may be at, of which
/// null is none.
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
    // SAFETY: the dynamic linker's own text.
    let asked = unsafe { CStr::from_ptr(name) };
    if stage != ASKED_FOR {
        // As below.
        let is_unwanted = std::panic::catch_unwind(|| search::is_unwanted(asked)).unwrap_or(false);
        return if is_unwanted { std::ptr::null_mut() } else { name };
    }
    // A panic must not reach the dynamic linker; it has been printed.
    let ours = std::panic::catch_unwind(|| search::ours(asked)).ok().flatten();
    // It is read only.
    ours.map_or(name, |ours| ours.as_ptr().cast_mut())
}

/// A file has been loaded. Calls of NVIDIA's compilers by other files are to be reported, and no others. What the cookie
/// holds from here on is the number of such a compiler, and 0 of other files.
///
/// # Safety
/// Called by the dynamic linker, with its own structure and a place for the cookie.
#[unsafe(no_mangle)]
unsafe extern "C" fn la_objopen(map: *const LinkMap, space: c_long, cookie: *mut usize) -> c_uint {
    if map.is_null() || cookie.is_null() {
        return 0;
    }
    // SAFETY: the dynamic linker's own place, which holds an address of its own before.
    unsafe { *cookie = 0 };
    if space != BASE {
        return 0;
    }
    // SAFETY: the dynamic linker's structure, which begins like this, with a C string or null in it.
    let (address, name) = unsafe {
        let name = (*map).name;
        let name = if name.is_null() { c"" } else { CStr::from_ptr(name) };
        ((*map).address, name.to_string_lossy().into_owned())
    };
    let path = PathBuf::from(if name.is_empty() { PROGRAM } else { name.as_str() });
    let mut flags = BIND_FROM;
    let loaded = |path| Loaded { path, address, cookie: cookie.addr() };
    with(|state| match path.file_name().and_then(OsStr::to_str).unwrap_or_default() {
        name if name.starts_with(CORE) => state.cores.push(loaded(path)),
        _ if Compiler::is_one(&path) => {
            let name = shown(&path);
            let Some(compiler) = Compiler::add(path, address) else {
                say(format_args!("there are too many of {name}: this one is not asked for PTX"));
                return;
            };
            // SAFETY: as above.
            unsafe { *cookie = compiler.cookie() };
            flags = BIND_TO;
        }
        _ => state.new.push(loaded(path)),
    });
    flags
}

/// A file is to be unloaded. One whose libraries are not all there is before anybody has said that it is consistent.
///
/// # Safety
/// Called by the dynamic linker, with the place of the cookie.
#[unsafe(no_mangle)]
unsafe extern "C" fn la_objclose(cookie: *const usize) -> c_uint {
    with(|state| state.unloaded(cookie.addr()));
    // SAFETY: the dynamic linker's own place, or null.
    if let Some(compiler) = unsafe { cookie.as_ref() }.and_then(|&c| Compiler::of_cookie(c)) {
        compiler.remove();
    }
    0
}

/// A call is bound to a function, or `dlsym` finds it; the answer is the address that it gets.
///
/// # Safety
/// Called by the dynamic linker, with a symbol whose value is the function's address, the cookies of both
/// files, and the function's name.
#[unsafe(no_mangle)]
unsafe extern "C" fn la_symbind64(
    symbol: *const Symbol,
    _: c_uint,
    _from: *const usize,
    to: *const usize,
    _flags: *mut c_uint,
    name: *const c_char,
) -> usize {
    // SAFETY: the dynamic linker's own structure.
    let address = unsafe { (*symbol).value } as usize;
    let bind = || {
        // SAFETY: the place of the cookie, and a C string in the table of the file, or null.
        let (compiler, name) = unsafe {
            let compiler = Compiler::of_cookie(*to.as_ref()?)?;
            (compiler, (!name.is_null()).then(|| CStr::from_ptr(name))?)
        };
        compiler.bind(name)
    };
    // A panic must not reach the dynamic linker; it has been printed.
    let ours = std::panic::catch_unwind(std::panic::AssertUnwindSafe(bind));
    ours.ok().flatten().unwrap_or(address)
}

/// Files are being loaded, or all are there.
#[unsafe(no_mangle)]
extern "C" fn la_activity(_: *mut c_void, what: c_uint) {
    if what == CONSISTENT {
        with(|state| {
            for file in std::mem::take(&mut state.new) {
                State::loaded(&file.path, file.address);
            }
        });
    }
}

fn with(work: impl FnOnce(&mut State)) {
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    // A panic must not reach the dynamic linker; it has been printed.
    let work = std::panic::AssertUnwindSafe(|| work(state.get_or_insert_default()));
    let _ = std::panic::catch_unwind(work);
}

impl State {
    /// A file is gone, or will be.
    fn unloaded(&mut self, cookie: usize) {
        self.new.retain(|file| file.cookie != cookie);
    }

    /// A file is there, and none of its code has run.
    fn loaded(path: &Path, address: usize) {
        let linked = file::linked_into(path);
        let name = shown(path);
        if let Some(Err(why)) = linked.runtime.map(|inside| Self::redirect(&inside, address)) {
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

    /// Makes the runtime inside a file jump to ours: all of it or nothing.
    fn redirect(inside: &Inside, address: usize) -> Result<(), String> {
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
            let target = *targets.get(&function.name)?;
            Some(patch::Jump {
                at: address.wrapping_add(function.address),
                room: function.room,
                target,
            })
        });
        patch::write(&jumps.collect::<Vec<_>>())
    }
}

/// A file of this name in the folder of this library.
fn beside_this(name: &str) -> Option<PathBuf> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let folder = || own_path()?.canonicalize().ok()?.parent().map(Path::to_owned);
    FOLDER.get_or_init(folder).as_ref().map(|folder| folder.join(name))
}

/// All files of the program have ended: what is to be told of the process at its end is complete. The files are still there.
/// The linker puts this where the dynamic linker calls it (`xtask -- libs`).
#[unsafe(no_mangle)]
extern "C" fn texunit_redirect_end() {
    let mut cores = Vec::new();
    with(|state| cores = std::mem::take(&mut state.cores));
    if cores.is_empty() {
        return;
    }
    let mapped = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    // One of a library that could not be loaded after all is gone.
    let is_there = |core: &Loaded| {
        mapped.lines().any(|line| line.starts_with(&format!("{:x}-", core.address)))
    };
    for core in cores.into_iter().filter(is_there) {
        let exported = file::exported(&core.path, core.address).unwrap_or_default();
        let Some(&end) = exported.get("texunit_core_end") else { continue };
        // SAFETY: the function of this name has this type, in every release.
        let end = unsafe {
            std::mem::transmute::<*const c_void, extern "C" fn()>(
                std::ptr::with_exposed_provenance(end),
            )
        };
        end();
    }
}

/// The path of this library, as the dynamic linker has it.
fn own_path() -> Option<PathBuf> {
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    let inside = (la_version as extern "C" fn(c_uint) -> c_uint as usize) as *const c_void;
    // SAFETY: an address of this library, and a structure of which zeros are a value.
    let (found, info) = unsafe { (libc::dladdr(inside, info.as_mut_ptr()), info.assume_init()) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: a C string of the dynamic linker's, which lives as long as the library.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    Some(PathBuf::from(name.to_string_lossy().into_owned()))
}

/// A file as the user knows it.
fn shown(path: &Path) -> String {
    let found = (path == Path::new(PROGRAM)).then(|| std::fs::read_link(path).ok()).flatten();
    found.as_deref().unwrap_or(path).display().to_string()
}

/// A line on standard error.
#[allow(clippy::print_stderr)]
fn say(text: Arguments<'_>) {
    // Names of files may have any characters; a terminal obeys none of them.
    let shown = text.to_string().replace(|c: char| c.is_control(), "\u{fffd}");
    eprintln!("texunit: {shown}");
}
