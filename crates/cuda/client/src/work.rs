//! Submits a library's computation to a stream (`texunit_cuda_abi::work`). Given are memory regions
//! and a closure; the driver calls the closure with their bytes when the stream reaches it.

use crate::driver::{CUstream, DriverFunction, NO_DRIVER, check, make_current};
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use texunit_cuda_abi::args::Answer;
pub use texunit_cuda_abi::work::Region;
use texunit_cuda_abi::work::{Str, Submit};
use texunit_cuda_abi::{CUresult, bail};

// SAFETY: this is the type of the function in module `work` of crate `texunit-cuda`.
static SUBMIT: DriverFunction<Submit> = unsafe { DriverFunction::named(c"texunit_work_2") };

/// The closure and its regions, owned by the driver until it forgets them.
struct Task<F> {
    regions: Vec<Region>,
    run: F,
}

/// Submits work to a stream of the current context, or of the primary one if the thread has none.
/// The driver runs `run` now or later, several times if a graph is
/// launched repeatedly, and in any thread. `run` gets the bytes of each region, aligned to 64
/// bytes; what it leaves in written regions becomes the memory's contents. The work is split along
/// the first dimension of all regions, `together` elements at a time (0: not split), so that copies
/// stay in the processor's caches; no part may then read what another part writes.
///
/// # Errors
/// The driver's refusal, because the stream is invalid or, for work that is done at once, the
/// memory.
pub fn submit<F>(
    stream: CUstream,
    function: &'static str,
    regions: Vec<Region>,
    together: u64,
    run: F,
) -> Answer
where
    F: Fn(&mut [&mut [u8]]) + Send + Sync + 'static,
{
    make_current()?;
    let Some(submit) = SUBMIT.get() else {
        bail!(NO_DRIVER, "no driver of texunit's is found that does the work of libraries");
    };
    let name = Str::of(function);
    let task = Box::new(Task { regions, run });
    let (regions, count) = (task.regions.as_ptr(), task.regions.len());
    let data = Box::into_raw(task).cast::<c_void>();
    // SAFETY: the name is static, and the regions live as long as `data`, which the driver keeps at
    // least for the call; `data` is a box of the type that both callbacks expect, and the driver
    // owns it from here on.
    check(unsafe {
        submit(stream, name, regions, count, together, run_task::<F>, forget_task::<F>, data)
    })
}

/// [`texunit_cuda_abi::work::Run`].
///
/// # Safety
/// `data` is a [`Task`] of this type; `memory` points to the bytes of each of its regions, `count`
/// elements along the first dimension, to which no other reference exists.
unsafe extern "C" fn run_task<F>(data: *mut c_void, memory: *const *mut u8, count: u64) -> u32
where
    F: Fn(&mut [&mut [u8]]),
{
    // SAFETY: the caller upholds this function's safety contract.
    let task = unsafe { &*data.cast::<Task<F>>() };
    let bytes = |(i, region): (usize, &Region)| {
        let part = region.part(0, region.count[0].min(count));
        let size = part.bytes().and_then(|size| usize::try_from(size).ok());
        // SAFETY: each region has memory of this size, which no other region has. The program does
        // not access what is written meanwhile, unless it has a race (`texunit_cuda_abi::work`).
        unsafe { std::slice::from_raw_parts_mut(*memory.add(i), size.unwrap_or(0)) }
    };
    let mut memory: Vec<&mut [u8]> = task.regions.iter().enumerate().map(bytes).collect();
    match catch_unwind(AssertUnwindSafe(|| (task.run)(&mut memory))) {
        Ok(()) => 0,
        Err(_) => {
            crate::driver::say(format_args!(
                "internal error in a library: please report it with the message above"
            ));
            CUresult::UNKNOWN.0
        }
    }
}

/// [`texunit_cuda_abi::work::Forget`].
///
/// # Safety
/// `data` is a box of a [`Task`] of this type and is not used afterwards.
unsafe extern "C" fn forget_task<F>(data: *mut c_void) {
    // SAFETY: the caller upholds this function's safety contract.
    let end = || unsafe { drop(Box::from_raw(data.cast::<Task<F>>())) };
    // A panic of a destructor must not unwind into C; its message has been printed.
    let _ = catch_unwind(AssertUnwindSafe(end));
}

/// Number of host threads that work may use: as many as kernel launches do (`TEXUNIT_THREADS`), or
/// one for each core.
pub fn threads() -> usize {
    static THREADS: OnceLock<usize> = OnceLock::new();
    *THREADS.get_or_init(|| {
        let set = std::env::var("TEXUNIT_THREADS").ok().and_then(|text| text.trim().parse().ok());
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        set.filter(|&threads| threads > 0).unwrap_or_else(cores)
    })
}
