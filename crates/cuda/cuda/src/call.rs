//! Wrapper around each exported function: given its body, it traces the call if requested, keeps a
//! panic from unwinding into C, and converts the result to a `CUresult`.

use crate::current_call;
use crate::prelude::*;
use crate::refused;
use crate::settings::say_unsupported;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Defines exported functions of the driver API, whose parameters have the types of
/// `cuda-abi/data/driver-functions.txt` (`typed!`). The body evaluates to an
/// [`Answer`]: `?` returns an error code. Versions of a function that share a body are defined
/// together: `fn cuCtxDestroy | cuCtxDestroy_v2(ctx)`. A version that lacks some parameters is
/// named in brackets before the function, and these parameters are in brackets with the values that
/// they have in its body: `fn [cuMemAllocHost_v2] cuMemHostAlloc(pp, bytesize, [Flags = 0])`. A
/// pointer to an array is followed by the parameter that has its length, `map[count]`, and is
/// `Elements` or `OutElements` in the body. After `in_context`, all functions fail unless the
/// thread has a current context.
///
/// ```ignore
/// driver_api! {
///     /// What it does (the section of the driver API), what is left out.
///     fn cuMemAlloc_v2(dptr, bytesize) {
///         dptr.set(memory::allocate(bytesize)?)
///     }
/// }
/// ```
macro_rules! driver_api {
    // The function of one name, with the types of its parameters.
    (@ [$($type:ty),*] $name:ident [$($doc:tt)*] ($($arg:ident $([$len:ident])?),* $(,)?)
     $body:block) => {
        $($doc)*
        ///
        /// # Safety
        /// Pointers are null, or valid as the driver API requires.
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, unreachable_pub)]
        pub unsafe extern "C" fn $name($($arg: $type),*) -> texunit_cuda_abi::CUresult {
            $crate::call::answer(
                stringify!($name),
                || -> texunit_cuda_abi::args::Answer {
                    // SAFETY: the caller passes the length of the array.
                    $($(let $arg = unsafe { $arg.elements($len as usize) };)?)*
                    $body
                },
                &texunit_cuda_abi::arguments!($($arg),*),
            )
        }
    };
    // Separates the parameters that the shorter version lacks.
    (@less $all:tt [$($args:tt)*] $some:tt [$($less:tt)*]
     [$arg:ident $([$len:ident])? = $value:expr] $(, $($rest:tt)*)?) => {
        $crate::call::driver_api!(@less $all [$($args)* $arg $([$len])?,] $some
            [$($less)* let $arg = $value;] $($($rest)*)?);
    };
    (@less $all:tt [$($args:tt)*] [$($some:tt)*] $less:tt
     $arg:ident $([$len:ident])? $(, $($rest:tt)*)?) => {
        $crate::call::driver_api!(@less $all [$($args)* $arg $([$len])?,]
            [$($some)* $arg $([$len])?,] $less $($($rest)*)?);
    };
    (@less [$short:ident $names:tt $docs:tt $body:block] [$($args:tt)*] [$($some:tt)*]
     [$($less:tt)*]) => {
        $crate::call::driver_api!(@names $names $docs ($($args)*) $body);
        $crate::call::driver_api!(@names [$short] $docs ($($some)*) { $($less)* $body });
    };
    (@names [$($name:ident)+] $docs:tt $args:tt $body:block) => {
        $($crate::call::typed!($name driver_api $docs $args $body);)+
    };
    (@one () $names:tt $docs:tt $args:tt $body:block) => {
        $crate::call::driver_api!(@names $names $docs $args $body);
    };
    (@one ($short:ident) $names:tt $docs:tt ($($args:tt)*) $body:block) => {
        $crate::call::driver_api!(@less [$short $names $docs $body] [] [] [] $($args)*);
    };
    (in_context $(
        $(#[$doc:meta])* fn $([$short:ident])? $($name:ident)|+ ($($args:tt)*) { $($body:tt)* }
    )*) => {
        $crate::call::driver_api! {
            $($(#[$doc])* fn $([$short])? $($name)|+ ($($args)*) {
                $crate::context::current()?;
                $($body)*
            })*
        }
    };
    ($($(#[$doc:meta])* fn $([$short:ident])? $($name:ident)|+ ($($args:tt)*) $body:block)*) => {
        $($crate::call::driver_api!(
            @one ($($short)?) [$($name)+] [$(#[$doc])*] ($($args)*) $body
        );)*
    };
}
pub(crate) use driver_api;

// The macro `typed!`, which looks up the types of a function's parameters and passes them to
// another macro; `build.rs` generates it from `cuda-abi/data/driver-functions.txt` and
// `data/handles.txt`.
include!(concat!(env!("OUT_DIR"), "/typed.rs"));
pub(crate) use typed;

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
    let _making = current_call::allocating(name);
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
pub(crate) fn not_supported(name: &'static str, group: &str) -> CUresult {
    say_unsupported(name);
    refused::driver(name, &texunit_cuda_abi::lacking(name, group), &[]);
    CUresult::NOT_SUPPORTED
}
