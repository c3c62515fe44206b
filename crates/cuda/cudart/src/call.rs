//! Wrapper around each exported function: given its body, it initialises the device, keeps a panic
//! from unwinding into C, and stores an error for `cudaGetLastError`.

use crate::{codes, report};
use std::cell::Cell;
use texunit_client::call::run;
pub(crate) use texunit_client::driver::check;
use texunit_cuda_abi::args::Answer;
use texunit_cuda_abi::{Argument, CUresult, Refusal};

/// `cudaError_t`: the driver API's codes, and some of the runtime's own ([`crate::codes`]).
pub(crate) type cudaError_t = CUresult;

thread_local! {
    static LAST: Cell<cudaError_t> = const { Cell::new(CUresult::SUCCESS) };
}

/// Defines exported functions of the runtime API. The types of parameters are those of
/// `data/runtime-functions.txt`, unless they are given. The body evaluates to an [`Answer`]: `?`
/// returns an error, which is also stored for `cudaGetLastError`.
///
/// ```ignore
/// runtime_api! {
///     /// What it does (the section of the runtime API), what is left out.
///     fn cudaMalloc(pointer, size) {
///         context()?;
///         check(unsafe { driver::cuMemAlloc_v2(pointer, size) })
///     }
/// }
/// ```
macro_rules! runtime_api {
    (@ [$($type:ty),*] $name:ident [$($doc:tt)*] ($($arg:ident),* $(,)?) $body:block) => {
        $($doc)*
        ///
        /// # Safety
        /// Pointers are null, or valid as the runtime API requires.
        #[unsafe(no_mangle)]
        #[allow(unreachable_pub)]
        pub unsafe extern "C" fn $name($($arg: $type),*) -> $crate::call::cudaError_t {
            $crate::call::answer(
                stringify!($name),
                || -> texunit_cuda_abi::args::Answer { $body },
                &texunit_cuda_abi::arguments!($($arg),*),
            )
        }
    };
    (@one $name:ident $docs:tt ($($arg:ident: $type:ty),* $(,)?) $body:block) => {
        $crate::call::runtime_api!(@ [$($type),*] $name $docs ($($arg),*) $body);
    };
    (@one $name:ident $docs:tt $args:tt $body:block) => {
        $crate::call::typed!($name runtime_api $docs $args $body);
    };
    ($($(#[$doc:meta])* fn $name:ident $args:tt $body:block)*) => {$(
        $crate::call::runtime_api!(@one $name [$(#[$doc])*] $args $body);
    )*};
}
pub(crate) use runtime_api;

// The macro `typed!`, which looks up the types of a function's parameters and passes them to
// another macro; `build.rs` generates it from `data/runtime-functions.txt`.
include!(concat!(env!("OUT_DIR"), "/typed.rs"));
pub(crate) use typed;

/// Runs the body of an exported function.
pub(crate) fn answer(
    name: &'static str,
    work: impl FnOnce() -> Answer,
    arguments: &[Argument<'_>],
) -> cudaError_t {
    // A launch with `<<<...>>>` is reported under the name of the documented function.
    let shown = if name == "__cudaLaunchKernel" { "cudaLaunchKernel" } else { name };
    match run(name, shown, work, |call, refusal| report::refused(call, refusal, arguments)) {
        Ok(()) => CUresult::SUCCESS,
        Err(Refusal { code, .. }) => {
            fail(code);
            code
        }
    }
}

/// Stores an error for `cudaGetLastError`.
pub(crate) fn fail(code: cudaError_t) {
    // In a thread that is ending, the thread-local variable may be destroyed already.
    let _ = LAST.try_with(|last| last.set(code));
}

/// The last error of the calling thread, cleared if `take`. An error that has ended the context is
/// cleared, too, but the next call in the context returns it again (as an NVIDIA H200 does,
/// docs/cuda-api.md).
pub(crate) fn last_error(take: bool) -> cudaError_t {
    let read = |last: &Cell<_>| if take { last.replace(CUresult::SUCCESS) } else { last.get() };
    LAST.try_with(read).unwrap_or(CUresult::SUCCESS)
}

/// Clears an error that had ended the context, after a device reset.
pub(crate) fn forget_sticky() {
    let _ = LAST.try_with(|last| {
        if codes::is_sticky(last.get()) {
            last.set(CUresult::SUCCESS);
        }
    });
}
