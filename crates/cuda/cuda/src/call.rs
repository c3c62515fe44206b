//! Wrapper around each exported function: given its body, it traces the call if requested, keeps a
//! panic from unwinding into C, and converts the result to a `CUresult`.

use crate::args::Answer;
use crate::refused;
use std::fmt::Arguments;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use std::sync::atomic::{AtomicPtr, AtomicU32};
use texunit_cuda_abi::{Argument, CUresult};

/// Defines exported functions of the driver API. The body evaluates to an [`Answer`]: `?` returns
/// an error code. Versions of a function that share a body are defined together: `fn cuCtxDestroy |
/// cuCtxDestroy_v2(...)`. A version that lacks some parameters is named in brackets before the
/// function, and these parameters are in brackets with the values that they have in its body: `fn
/// [cuMemAllocHost_v2] cuMemHostAlloc(pp: Out<u64>, bytesize: usize, [Flags: c_uint = 0])`.
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
    // Macro rule for a function that is exported under one name.
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
    // A function with several names is defined once for each.
    (@ $docs:tt [$name:ident $($more:ident)+] $args:tt $body:block) => {
        $crate::call::driver_api!(@ $docs [$name] $args $body);
        $crate::call::driver_api!(@ $docs [$($more)+] $args $body);
    };
    // Separates the parameters that the shorter version lacks.
    (@ [$docs:tt $short:tt $names:tt $body:block] ($($all:tt)*) ($($some:tt)*) ($($less:tt)*)
     [$arg:ident: $type:ty = $value:expr] $(, $($rest:tt)*)?) => {
        $crate::call::driver_api!(@ [$docs $short $names $body] ($($all)* $arg: $type,) ($($some)*)
            ($($less)* let $arg: $type = $value;) $($($rest)*)?);
    };
    (@ [$docs:tt $short:tt $names:tt $body:block] ($($all:tt)*) ($($some:tt)*) $less:tt
     $arg:ident: $type:ty $(, $($rest:tt)*)?) => {
        $crate::call::driver_api!(@ [$docs $short $names $body] ($($all)* $arg: $type,)
            ($($some)* $arg: $type,) $less $($($rest)*)?);
    };
    (@ [$docs:tt $short:tt $names:tt $body:block] $all:tt $some:tt ($($less:tt)*)) => {
        $crate::call::driver_api!(@ $docs $names $all $body);
        $crate::call::driver_api!(@ $docs $short $some { $($less)* $body });
    };
    (@ $docs:tt () $names:tt $args:tt $body:block) => {
        $crate::call::driver_api!(@ $docs $names $args $body);
    };
    (@ $docs:tt ($short:ident) $names:tt ($($args:tt)*) $body:block) => {
        $crate::call::driver_api!(@ [$docs [$short] $names $body] () () () $($args)*);
    };
    ($($(#[$doc:meta])* fn $([$short:ident])? $($name:ident)|+ ($($args:tt)*) $body:block)*) => {
        $($crate::call::driver_api!(
            @ [$(#[$doc])*] ($($short)?) [$($name)+] ($($args)*) $body
        );)*
    };
}
pub(crate) use driver_api;

/// Functions that can be called before `cuInit`. All others return `CUDA_ERROR_NOT_INITIALIZED`
/// until then, whatever their arguments.
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
    let _making = refused::AllocatingCall::by(name);
    crate::checks::tell_host();
    crate::deferred::called(name);
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

/// Prints a line on standard error, the libraries' messages to the user.
pub(crate) fn say(text: Arguments<'_>) {
    write_error(format_args!("texunit: {text}\n"));
}

/// Writes to standard error. A failure (closed pipe, full disk) is ignored; `eprint!` would panic,
/// which ends a C program.
pub(crate) fn write_error(text: Arguments<'_>) {
    let mut err = std::io::stderr().lock();
    crate::running::clear(&mut err);
    let text = text.to_string();
    let shown = texunit_report::screen(&text, crate::settings::is_colored());
    let _ = err.write_all(shown.as_bytes());
}

/// The body of each function that texunit does not provide: prints its name once and returns an
/// error.
pub(crate) fn not_supported(name: &'static str, group: &str, said: &std::sync::Once) -> CUresult {
    said.call_once(|| refused::say_refused(&format!("{name} is not supported")));
    refused::driver(name, &texunit_cuda_abi::lacking(name, group), &[]);
    CUresult::NOT_SUPPORTED
}

/// Registers a function for the exit of the process. It runs before functions registered earlier
/// and before destructors of the program's objects.
pub(crate) fn at_exit(function: extern "C" fn()) {
    unsafe extern "C" {
        fn atexit(function: extern "C" fn()) -> std::ffi::c_int;
    }
    // SAFETY: the library is linked so that it is never unloaded, and the function with it.
    unsafe { atexit(function) };
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

    /// Makes this process the owner.
    pub(crate) fn take(&self) {
        self.0.store(std::process::id(), Relaxed);
    }

    pub(crate) fn is_this_process(&self) -> bool {
        self.0.load(Relaxed) == std::process::id()
    }
}
