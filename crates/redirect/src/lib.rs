//! Programs and libraries that have NVIDIA's runtime linked into them (`-cudart static`, nvcc's default).
//!
//! That runtime works on NVIDIA's driver only. `texunit run` therefore has the dynamic linker load this
//! library beside the program (`LD_AUDIT`, rtld-audit(7)). It is told of every file that is loaded, the
//! program itself among them, before any code of it runs. Where a file has the functions of the runtime
//! API inside, each of them is made to jump to the function of the same name in texunit's
//! `libcudart.so.12` or `libcudart.so.13`, which `texunit run` has loaded first (`LD_PRELOAD`). Files that
//! need the runtime as a shared library have none inside, and are left alone.
//!
//! The functions are found by the file's table of symbols; a file without one (`strip`) cannot be helped.
//!
//! # The invariant behind every unsafe access
//!
//! An address that is written to is the place where the dynamic linker has loaded a function of a file,
//! by the file's own headers, and the bytes written stay before the next symbol. They are written while
//! the dynamic linker holds its lock and before the file's code can be called.

#![allow(unsafe_code)]

mod file;
mod patch;
mod stripped;

use file::Runtime;
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_long, c_uint, c_void};
use std::fmt::Arguments;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The version of the dynamic linker's questions that is answered here: the first.
const LAV_VERSION: c_uint = 1;
/// All files are loaded, none of their code has run (`LA_ACT_CONSISTENT`).
const CONSISTENT: c_uint = 0;
/// The program's own name space (`LM_ID_BASE`).
const BASE: c_long = 0;

/// The program, whose name the dynamic linker leaves out.
const PROGRAM: &str = "/proc/self/exe";

/// The start of the dynamic linker's `struct link_map`, as `<link.h>` has it.
#[repr(C)]
struct LinkMap {
    /// What is added to the file's addresses.
    address: usize,
    /// The file's path; empty for the program.
    name: *const c_char,
}

/// What is known of the process.
#[derive(Default)]
struct State {
    /// Files that were loaded since the last time all was consistent: path, and what is added to addresses.
    new: Vec<(PathBuf, usize)>,
    /// texunit's runtimes: path, and what is added to addresses.
    ours: BTreeMap<Runtime, (PathBuf, usize)>,
    /// Their functions, by name, once they were needed.
    functions: BTreeMap<Runtime, BTreeMap<String, usize>>,
}

static STATE: Mutex<Option<State>> = Mutex::new(None);

/// The dynamic linker asks which version of its questions is understood.
#[unsafe(no_mangle)]
extern "C" fn la_version(newest: c_uint) -> c_uint {
    newest.min(LAV_VERSION)
}

/// A file has been loaded. No calls between files are to be reported.
///
/// # Safety
/// Called by the dynamic linker, with its own structure.
#[unsafe(no_mangle)]
unsafe extern "C" fn la_objopen(map: *const LinkMap, space: c_long, _: *mut c_void) -> c_uint {
    if space != BASE || map.is_null() {
        return 0;
    }
    // SAFETY: the dynamic linker's structure, which begins like this, with a C string or null in it.
    let (address, name) = unsafe {
        let name = (*map).name;
        let name = if name.is_null() { c"" } else { CStr::from_ptr(name) };
        ((*map).address, name.to_string_lossy().into_owned())
    };
    let path = PathBuf::from(if name.is_empty() { PROGRAM } else { name.as_str() });
    with(|state| match Runtime::of_library(&path) {
        Some(runtime) => {
            state.ours.insert(runtime, (path, address));
        }
        None => state.new.push((path, address)),
    });
    0
}

/// Files are being loaded, or all are there.
#[unsafe(no_mangle)]
extern "C" fn la_activity(_: *mut c_void, what: c_uint) {
    if what == CONSISTENT {
        with(|state| {
            for (path, address) in std::mem::take(&mut state.new) {
                // Of the program, `texunit run` says what is to be said.
                if path != Path::new(PROGRAM) && stripped::hides_runtime(&path) {
                    say(format_args!("{}", stripped::warning(&path)));
                }
                if let Err(why) = state.redirect(&path, address) {
                    say(format_args!(
                        "the CUDA runtime inside {} cannot be replaced: {why}; link it with -cudart shared",
                        path.display()
                    ));
                }
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
    /// Makes the runtime inside a file jump to ours.
    fn redirect(&mut self, path: &Path, address: usize) -> Result<(), String> {
        let Some(inside) = file::runtime_inside(path) else { return Ok(()) };
        let Some((ours, at)) = self.ours.get(&inside.runtime) else {
            return Err(format!("texunit's {} is not loaded", inside.runtime.name()));
        };
        let targets = match self.functions.entry(inside.runtime) {
            std::collections::btree_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::btree_map::Entry::Vacant(place) => {
                place.insert(file::exported(ours, *at)?)
            }
        };
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

/// A line on standard error.
#[allow(clippy::print_stderr)]
fn say(text: Arguments<'_>) {
    eprintln!("texunit: {text}");
}
