//! What every exported function does around its own work: it is traced if the user asked for it, a
//! panic of ours does not cross into C, and the answer becomes a `CUresult`.

use crate::args::Answer;
use crate::refused;
use std::fmt::Arguments;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
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
        /// Pointers are null, or valid for what the driver API's page says.
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

/// Runs the work of an exported function.
pub(crate) fn answer(
    name: &str,
    work: impl FnOnce() -> Answer,
    arguments: &[Argument<'_>],
) -> CUresult {
    let _call = crate::checks::called();
    crate::checks::tell_host();
    crate::late::called(name);
    let work = || match crate::state::gpus() {
        Err(refusal) if !BEFORE_INIT.contains(&name) => Err(refusal),
        _ => work(),
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
pub(crate) fn not_supported(name: &'static str, said: &std::sync::Once) -> CUresult {
    said.call_once(|| refused::say_refused(&format!("{name} is not supported")));
    let refusal = CUresult::NOT_SUPPORTED.because(format!(
        "texunit does not provide {name} (docs/cuda-api.md has what it provides)"
    ));
    refused::driver(name, &refusal, &[]);
    CUresult::NOT_SUPPORTED
}

/// Has a function called when the process ends by itself.
pub(crate) fn at_exit(function: extern "C" fn()) {
    unsafe extern "C" {
        fn atexit(function: extern "C" fn()) -> std::ffi::c_int;
    }
    // SAFETY: the function is there as long as the library is, which is linked so that it is never unloaded.
    unsafe { atexit(function) };
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
