//! Wrapper around each exported function: given its body, it traces the call if requested, keeps a
//! panic from unwinding into C, and converts the result to a `CUresult`.

use crate::current_call::AllocatingCall;
use crate::message::say;
use crate::prelude::*;
use crate::refused;
use crate::settings::say_refused;
use std::panic::{AssertUnwindSafe, catch_unwind};

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
                || -> texunit_cuda_abi::args::Answer { $body },
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
    let _call = crate::host_access::called();
    let _making = AllocatingCall::by(name);
    crate::checks::tell_host();
    crate::deferred::called(name);
    let work = || match crate::state::gpus() {
        Err(refusal) if !BEFORE_INIT.contains(&name) => Err(refusal),
        _ => {
            crate::capture::called(name)?;
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

/// The body of each function that texunit does not provide: prints its name once and returns an
/// error.
pub(crate) fn not_supported(name: &'static str, group: &str, said: &std::sync::Once) -> CUresult {
    said.call_once(|| say_refused(&format!("{name} is not supported")));
    refused::driver(name, &texunit_cuda_abi::lacking(name, group), &[]);
    CUresult::NOT_SUPPORTED
}
