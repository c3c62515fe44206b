//! What every exported function does around its own work: it is traced if the user asked for it, a
//! panic of ours does not cross into C, and the answer becomes a `CUresult`.

use crate::args::Answer;
use crate::refused;
use std::fmt::Arguments;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use std::sync::atomic::{AtomicPtr, AtomicU32};
use texunit_cuda_abi::{Argument, CUresult};

/// Defines exported functions of the driver API. The body is an [`Answer`]: `?` returns an error code. What
/// several versions of a function have in common is written once: `fn cuCtxDestroy | cuCtxDestroy_v2(...)`.
///
/// ```ignore
/// driver_api! {
///     /// What it does (the section of the driver API), what is left out.
///     fn cuMemAlloc_v2(dptr: Out<CUdeviceptr>, bytesize: usize) {
///         dptr.set(memory::allocate(bytesize)?)
///     }
/// }
/// ```
macro_rules! driver_api {
    // One function, of one name.
    (@ [$(#[$doc:meta])*] [$name:ident] ($($arg:ident: $type:ty),* $(,)?) $body:block) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// Pointers are null, or valid as the driver API requires.
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, unreachable_pub)]
        pub unsafe extern "C" fn $name($($arg: $type),*) -> texunit_cuda_abi::CUresult {
            $crate::call::answer(
                stringify!($name),
                || -> $crate::args::Answer { $body },
                &texunit_cuda_abi::arguments!($($arg),*),
            )
        }
    };
    // A function of several names: one for each.
    (@ $docs:tt [$name:ident $($more:ident)+] $args:tt $body:block) => {
        $crate::call::driver_api!(@ $docs [$name] $args $body);
        $crate::call::driver_api!(@ $docs [$($more)+] $args $body);
    };
    ($($(#[$doc:meta])* fn $($name:ident)|+ ($($args:tt)*) $body:block)*) => {
        $($crate::call::driver_api!(@ [$(#[$doc])*] [$($name)+] ($($args)*) $body);)*
    };
}
pub(crate) use driver_api;

/// What can be called before `cuInit`. All others answer `CUDA_ERROR_NOT_INITIALIZED` until then,
/// whatever their arguments are.
const BEFORE_INIT: &[&str] = &[
    "cuInit",
    "cuDriverGetVersion",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuGetProcAddress",
    "cuGetProcAddress_v2",
    "cuGetExportTable",
];

/// Runs the body of an exported function.
pub(crate) fn answer(
    name: &'static str,
    work: impl FnOnce() -> Answer,
    arguments: &[Argument<'_>],
) -> CUresult {
    let _call = crate::checks::called();
    let _making = refused::Making::by(name);
    crate::checks::tell_host();
    crate::late::called(name);
    let work = || match crate::state::gpus() {
        Err(refusal) if !BEFORE_INIT.contains(&name) => Err(refusal),
        _ => {
            crate::graph::capture::called(name)?;
            work()
        }
    };
    let result = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => CUresult::SUCCESS,
        Ok(Err(refusal)) => {
            refused::driver(name, &refusal, arguments);
            return refusal.code;
        }
        Err(_) => {
            say(format_args!("internal error in {name}: please report it with the message above"));
            CUresult::UNKNOWN
        }
    };
    if crate::settings::settings().trace.api {
        say(format_args!("{name}({}) = {result:?}", refused::call_arguments(arguments)));
    }
    result
}

/// A line on standard error: what the libraries have to say to the user.
pub(crate) fn say(text: Arguments<'_>) {
    write_error(format_args!("texunit: {text}\n"));
}

/// Writes to standard error. Where nobody reads it (a closed pipe, a full disk) the program goes on:
/// `eprint!` would panic, and in the middle of a C program a panic is its end.
pub(crate) fn write_error(text: Arguments<'_>) {
    let mut err = std::io::stderr().lock();
    crate::running::clear(&mut err);
    let text = text.to_string();
    let shown = texunit_report::screen(&text, crate::settings::is_colored());
    let _ = err.write_all(shown.as_bytes());
}

/// What the functions do that texunit does not provide: they say so once, by name.
pub(crate) fn not_supported(name: &'static str, group: &str, said: &std::sync::Once) -> CUresult {
    said.call_once(|| refused::say_refused(&format!("{name} is not supported")));
    refused::driver(name, &texunit_cuda_abi::lacking(name, group), &[]);
    CUresult::NOT_SUPPORTED
}

/// Has a function called when the process ends by itself: before what the program has asked the same for earlier, and the
/// destructors of its objects.
pub(crate) fn at_exit(function: extern "C" fn()) {
    unsafe extern "C" {
        fn atexit(function: extern "C" fn()) -> std::ffi::c_int;
    }
    // SAFETY: the function is there as long as the library is, which is linked so that it is never unloaded.
    unsafe { atexit(function) };
}

/// A function that is called when the process has ended by itself, and the one that was asked for before it.
struct End {
    function: fn(),
    next: *const Self,
}

/// Head of the list of functions called at exit, the newest first. The list has no lock: after a fork, the thread that held it
/// may not exist in the child.
static ENDS: AtomicPtr<End> = AtomicPtr::new(std::ptr::null_mut());

/// Has a function called after all that the program does when it ends by itself, in functions of `atexit` and destructors,
/// too: for what is reported of all calls. What is asked for later is called first.
pub(crate) fn at_end(function: fn()) {
    let (own, _) = crate::asked::module(at_end as fn(fn()) as usize).unwrap_or_default();
    if !own.contains("libtexunit_core") {
        // This crate is in a program, as a test: nobody else calls it.
        at_exit(texunit_core_end);
    }
    let mut next = ENDS.load(Acquire);
    let end = Box::into_raw(Box::new(End { function, next }));
    while let Err(last) = ENDS.compare_exchange(next, end, AcqRel, Acquire) {
        next = last;
        // SAFETY: made above, and seen by others only once it is in the list.
        unsafe { (*end).next = next };
    }
}

/// The process has ended. The library that `texunit run` has the dynamic linker load (crate `redirect`) calls it once all files
/// of the program have come to their ends.
#[unsafe(no_mangle)]
extern "C" fn texunit_core_end() {
    let mut next = ENDS.swap(std::ptr::null_mut(), AcqRel).cast_const();
    // SAFETY: functions in the list are never freed.
    while let Some(end) = unsafe { next.as_ref() } {
        // A panic must not unwind into the dynamic linker; its message has been printed.
        let _ = catch_unwind(end.function);
        next = end.next;
    }
}

/// This library ends, as the linker has it (`xtask -- libs`). Without `texunit run` there is no later time; files that were
/// loaded before it may have destructors that are still to come.
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

/// The process that something is known of. Asked for at the end of a process before any lock is taken: in one that
/// was forked off, whoever held it may not be there.
#[derive(Debug)]
pub(crate) struct Owner(AtomicU32);

impl Owner {
    /// No process.
    pub(crate) const fn none() -> Self {
        Self(AtomicU32::new(0))
    }

    /// It is of this process from now on.
    pub(crate) fn take(&self) {
        self.0.store(std::process::id(), Relaxed);
    }

    pub(crate) fn is_this_process(&self) -> bool {
        self.0.load(Relaxed) == std::process::id()
    }
}
