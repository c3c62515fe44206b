//! What every exported function does around its own work: the device is made ready, a panic of ours does
//! not cross into C, and an error is kept for `cudaGetLastError`.

use crate::codes;
use crate::told::RuntimeCall;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
pub(crate) use texunit_client::told::check;
use texunit_client::told::say;
use texunit_cuda_abi::args::Answer;
use texunit_cuda_abi::{Argument, CUresult};

/// `cudaError_t`: the numbers of the driver API, and some of its own ([`crate::codes`]).
#[allow(non_camel_case_types)]
pub(crate) type cudaError_t = CUresult;

thread_local! {
    static LAST: Cell<cudaError_t> = const { Cell::new(CUresult::SUCCESS) };
}

/// Defines exported functions of the runtime API. The body is an [`Answer`]: `?` returns an error, which
/// `cudaGetLastError` gives once more.
///
/// ```ignore
/// runtime_api! {
///     /// What it does (the section of the runtime API), what is left out.
///     fn cudaMalloc(pointer: Out<CUdeviceptr>, size: usize) {
///         context()?;
///         check(unsafe { driver::cuMemAlloc_v2(pointer, size) })
///     }
/// }
/// ```
macro_rules! runtime_api {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $type:ty),* $(,)?) $body:block)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// Pointers are null, or valid for what the runtime API's page says.
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, unreachable_pub)]
        pub unsafe extern "C" fn $name($($arg: $type),*) -> $crate::call::cudaError_t {
            $crate::call::answer(
                stringify!($name),
                || -> texunit_cuda_abi::args::Answer { $body },
                &texunit_cuda_abi::arguments!($($arg),*),
            )
        }
    )*};
}
pub(crate) use runtime_api;

/// Runs the body of an exported function.
pub(crate) fn answer(
    name: &'static str,
    work: impl FnOnce() -> Answer,
    arguments: &[Argument<'_>],
) -> cudaError_t {
    let call = RuntimeCall::begins(name);
    let refusal = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => {
            call.ends(None, &[]);
            return CUresult::SUCCESS;
        }
        Ok(Err(refusal)) => refusal,
        Err(_) => {
            say(format_args!("internal error in {name}: please report it with the message above"));
            CUresult::UNKNOWN.because("an internal error of texunit (a panic) stopped the call")
        }
    };
    call.ends(Some(&refusal), arguments);
    fail(refusal.code);
    refusal.code
}

/// Keeps an error for `cudaGetLastError`.
pub(crate) fn fail(code: cudaError_t) {
    // A thread that is ending has no last error any more.
    let _ = LAST.try_with(|last| last.set(code));
}

/// The last error of the calling thread; it is forgotten if `take` says so, be it one that has ended the context: the
/// next call of the context has it again (an NVIDIA H200, docs/cuda-api.md).
pub(crate) fn last_error(take: bool) -> cudaError_t {
    LAST.try_with(|last| {
        let code = last.get();
        if take {
            last.set(CUresult::SUCCESS);
        }
        code
    })
    .unwrap_or(CUresult::SUCCESS)
}

/// The device was reset: an error that had ended its context is over.
pub(crate) fn forget_sticky() {
    let _ = LAST.try_with(|last| {
        if codes::is_sticky(last.get()) {
            last.set(CUresult::SUCCESS);
        }
    });
}
