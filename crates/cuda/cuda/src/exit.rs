//! What runs when the process ends: functions at exit, and reports after all of the program's own
//! exit handlers and destructors.

use std::panic::catch_unwind;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use std::sync::atomic::{AtomicPtr, AtomicU32};

/// Registers a function for the exit of the process. It runs before functions registered earlier
/// and before destructors of the program's objects.
pub(crate) fn at_exit(function: extern "C" fn()) {
    // SAFETY: the library is linked so that it is never unloaded, and the function with it.
    unsafe { libc::atexit(function) };
}

/// An entry in the list of functions called at exit: the function, and the entry registered before
/// it.
struct ExitFunction {
    function: fn(),
    next: *const Self,
}

/// Head of the list of functions called at exit, the newest first. The list has no lock: after a
/// fork, the thread that held it may not exist in the child.
static ENDS: AtomicPtr<ExitFunction> = AtomicPtr::new(std::ptr::null_mut());

/// Registers a function to run after all of the program's exit handlers and destructors, for
/// reports about all calls. Functions registered later run first.
pub(crate) fn at_end(function: fn()) {
    let (own, _) = crate::allocation_trace::module(at_end as fn(fn()) as usize).unwrap_or_default();
    if !own.contains("libtexunit_core") {
        // In a test, this crate is part of the executable, and only `atexit` calls the functions.
        at_exit(texunit_core_end);
    }
    let mut next = ENDS.load(Acquire);
    let end = Box::into_raw(Box::new(ExitFunction { function, next }));
    while let Err(last) = ENDS.compare_exchange(next, end, AcqRel, Acquire) {
        next = last;
        // SAFETY: the entry was allocated above and is shared only once it is in the list.
        unsafe { (*end).next = next };
    }
}

/// Runs the functions registered by [`at_end`]. The audit library that `texunit run` loads (crate
/// `redirect`) calls it after all files of the program have been finalised.
#[unsafe(no_mangle)]
extern "C" fn texunit_core_end() {
    let mut next = ENDS.swap(std::ptr::null_mut(), AcqRel).cast_const();
    // SAFETY: entries of the list are never freed.
    while let Some(end) = unsafe { next.as_ref() } {
        // A panic must not unwind into the dynamic linker; its message has been printed.
        let _ = catch_unwind(end.function);
        next = end.next;
    }
}

/// Finaliser of this library, entered by the linker (`xtask -- libs`). Without `texunit run` there
/// is no later point in time, although destructors of files that were loaded earlier may still run.
#[unsafe(no_mangle)]
extern "C" fn texunit_core_fini() {
    let is_run = || {
        let files = std::fs::read_to_string("/proc/self/maps");
        files.is_ok_and(|files| files.contains("/libtexunit_redirect.so"))
    };
    if !ENDS.load(Acquire).is_null() && !is_run() {
        texunit_core_end();
    }
}

/// The process that owns some state. It is checked at the end of a process before any lock is
/// taken, because after a fork the thread that held the lock may not exist in the child.
#[derive(Debug)]
pub(crate) struct Owner(AtomicU32);

impl Owner {
    /// Makes the record of an owning process that has not been set yet.
    pub(crate) const fn none() -> Self {
        Self(AtomicU32::new(0))
    }

    /// Makes this process the owner, and returns whether it was not.
    pub(crate) fn take(&self) -> bool {
        let process = std::process::id();
        self.0.swap(process, Relaxed) != process
    }

    pub(crate) fn is_this_process(&self) -> bool {
        self.0.load(Relaxed) == std::process::id()
    }
}
