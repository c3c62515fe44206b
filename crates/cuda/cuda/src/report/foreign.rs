//! Libraries that cannot run: NVIDIA's runtime is linked into them without symbol names, so that
//! texunit's cannot replace it, and it works on NVIDIA's driver only. Such a runtime requests
//! export tables at its first call, does not get one of them, and then refuses all calls itself.
//! Its callers may ignore the errors, and a library that is never called does no harm, so that this
//! module only names the library to the user.
//!
//! A program that ignores the errors may end by a segmentation fault, because managed variables
//! have no address and memory is not allocated. A signal handler then prints an explanation; the
//! signal ends the process as before. A handler of the program's own is not replaced.
//!
//! The report lists all loaded libraries with the names of NVIDIA's: texunit's, NVIDIA's that
//! cannot run, and NVIDIA's that were never called.

use super::*;
use crate::{allocation_trace, origin};
use texunit_evidence::Library;

/// Maximum number of remembered files; few programs contain so many runtimes.
const MAX_KNOWN: usize = 100;

/// Files that have requested an export table of the runtime, and whether a table was missing since.
/// nvrtc requests one other table and works without it.
static RUNTIMES: Mutex<BTreeMap<PathBuf, bool>> = Mutex::new(BTreeMap::new());

/// Records a request for an export table. A library with a runtime that does not get its table is
/// named once to the user, and as a failure in the report. For the program itself, the end of the
/// report says so.
pub(crate) fn asked_for_table(is_there: bool) {
    let Some(path) = allocation_trace::caller() else { return };
    // Libraries may be loaded by paths relative to the working directory.
    let path = Path::new(&path).canonicalize().unwrap_or_else(|_| path.into());
    {
        let mut runtimes = lock(&RUNTIMES);
        if is_there {
            if runtimes.len() < MAX_KNOWN {
                runtimes.entry(path).or_default();
            }
            return;
        }
        match runtimes.get_mut(&path) {
            Some(lacks) if !*lacks => *lacks = true,
            _ => return,
        }
    }
    explain_crash(&path.display().to_string());
    let program = std::env::current_exe().and_then(|program| program.canonicalize());
    if program.is_ok_and(|program| program == path) {
        return super::lacks_table();
    }
    let path = path.display().to_string();
    let message = message(&path);
    say(format_args!("{message}; {HELP}"));
    super::library(Finding {
        kind: texunit_report::LIBRARY.code.to_owned(),
        message,
        help: Some(HELP.to_owned()),
        object: Some(path),
        ..Finding::default()
    });
}

/// Whether calls of a library fail, because it requested a table and did not get it.
pub(crate) fn fails(path: &Path) -> bool {
    lock(&RUNTIMES).get(path).is_some_and(|lacks| *lacks)
}

const HELP: &str = "a library of NVIDIA's is delivered so, and the program has to do without it; another one can be linked with \
                    -cudart shared, or left unstripped";

fn message(path: &str) -> String {
    format!(
        "the library {path} cannot run: NVIDIA's CUDA runtime is linked into it without its symbols, and works on NVIDIA's driver \
         alone; calls of the library fail, and what they should compute is not there"
    )
}

/// The message, prepared in advance because a signal handler must not allocate.
static SAID: OnceLock<String> = OnceLock::new();

/// Installs the handler for a file whose runtime cannot be replaced.
fn explain_crash(name: &str) {
    SAID.get_or_init(|| {
        format!(
            "texunit: error: this segmentation fault probably comes from {name}, which has NVIDIA's CUDA runtime inside and no \
             symbols of it (it is stripped): all calls of that runtime fail, so that memory is not allocated and managed variables \
             have no address. Keep the symbols (no `strip`, no `-s`), or compile it with -cudart shared\n"
        )
    });
    // SAFETY: local structures for which zeros are a valid value, and a handler of the type that
    // the flags say.
    unsafe {
        let mut now = std::mem::zeroed::<libc::sigaction>();
        if libc::sigaction(libc::SIGSEGV, std::ptr::null(), &raw mut now) != 0
            || now.sa_sigaction != libc::SIG_DFL
        {
            return;
        }
        let mut ours = std::mem::zeroed::<libc::sigaction>();
        ours.sa_sigaction = on_fault as extern "C" fn(libc::c_int) as usize;
        ours.sa_flags = libc::SA_RESETHAND | libc::SA_ONSTACK;
        libc::sigaction(libc::SIGSEGV, &raw const ours, std::ptr::null_mut());
    }
}

/// On return, the instruction is executed again and the default action ends the process.
extern "C" fn on_fault(_: libc::c_int) {
    if let Some(text) = SAID.get() {
        // SAFETY: the bytes are static; `write` is async-signal-safe.
        unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
    }
}

/// The loaded libraries of this kind.
pub(super) fn loaded() -> Vec<Library> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let paths: BTreeSet<&str> = maps.lines().filter_map(origin::file_of).collect();
    let own = allocation_trace::module(loaded as fn() -> Vec<Library> as usize);
    let own = own.and_then(|(path, _)| Path::new(&path).canonicalize().ok());
    let folder = own.as_deref().and_then(Path::parent);
    paths.into_iter().filter_map(|path| library(Path::new(path), folder)).collect()
}

/// Classifies a file, if it is such a library. `folder` is that of texunit's libraries.
fn library(path: &Path, folder: Option<&Path>) -> Option<Library> {
    let works = origin::nvidias_works(path)?;
    let real = path.canonicalize().unwrap_or_else(|_| PathBuf::from(path));
    let state = match real.parent() {
        parent if parent.is_some() && parent == folder => "texunit",
        _ if works => "works",
        _ if fails(&real) => "fails",
        _ => "unused",
    };
    Some(Library { path: path.display().to_string(), state: state.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_known_by_their_names() {
        let state =
            |path: &str| library(Path::new(path), Some(Path::new("/texunit"))).map(|l| l.state);
        assert_eq!(state("/texunit/libcufft.so.12").as_deref(), Some("texunit"));
        assert_eq!(state("/x/libcufftw.so.11.0").as_deref(), Some("unused"));
        assert_eq!(state("/x/libnvrtc-builtins.so.13.0").as_deref(), Some("works"));
        assert_eq!(state("/x/libcudart.so.12"), None);
        assert_eq!(state("/x/libcufft.a"), None);
    }
}
