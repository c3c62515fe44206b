//! Work of a library in the order of a stream (`texunit_cuda_abi::work`).

use crate::driver::{CUstream, Found, NO_DRIVER};
use crate::told::check;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use texunit_cuda_abi::CUresult;
use texunit_cuda_abi::args::Answer;
pub use texunit_cuda_abi::work::Region;
use texunit_cuda_abi::work::{Name, Submit};

// SAFETY: the type of the function in crate `texunit-cuda`, module `work`.
static SUBMIT: Found<Submit> = unsafe { Found::named(c"texunit_work_2") };

/// What the driver keeps of work.
struct Task<F> {
    regions: Vec<Region>,
    run: F,
}

/// Does work in the order of a stream, now or later, perhaps several times. `run` gets the bytes of each region, aligned to 64
/// bytes, and leaves there those of the regions that are written. It may run in any thread.
///
/// # Errors
/// What the driver refuses: a stream that is none, or, of work that is done now, memory that is not there.
pub fn submit<F>(stream: CUstream, function: &'static str, regions: Vec<Region>, run: F) -> Answer
where
    F: Fn(&mut [&mut [u8]]) -> Result<(), CUresult> + Send + Sync + 'static,
{
    submit_in_parts(stream, function, regions, 0, run)
}

/// Submits work as [`submit`] does that may be done for `together` elements of the first dimension of all regions after the other (0: not), so that what is
/// copied stays in the processor's caches: what it does for some reads nothing that it writes for others.
///
/// # Errors
/// As [`submit`].
pub fn submit_in_parts<F>(
    stream: CUstream,
    function: &'static str,
    regions: Vec<Region>,
    together: u64,
    run: F,
) -> Answer
where
    F: Fn(&mut [&mut [u8]]) -> Result<(), CUresult> + Send + Sync + 'static,
{
    let Some(submit) = SUBMIT.get() else {
        return Err(
            NO_DRIVER.because("no driver of texunit's is found that does the work of libraries")
        );
    };
    let name = Name { start: function.as_ptr(), size: function.len() };
    let task = Box::new(Task { regions, run });
    let (regions, count) = (task.regions.as_ptr(), task.regions.len());
    let data = Box::into_raw(task).cast::<c_void>();
    // SAFETY: the text is there as long as the library, and regions as long as `data`, which the driver keeps at least for the
    // call; `data` is a box of the type that both functions take it for, and the driver's from here on.
    check(unsafe {
        submit(stream, name, regions, count, together, run_task::<F>, forget_task::<F>, data)
    })
}

/// [`texunit_cuda_abi::work::Run`].
///
/// # Safety
/// `data` is a [`Task`] of this type; `memory` has the bytes of each of its regions, of so many elements of their first dimension, to which
/// nobody else has a reference.
unsafe extern "C" fn run_task<F>(data: *mut c_void, memory: *const *mut u8, count: u64) -> u32
where
    F: Fn(&mut [&mut [u8]]) -> Result<(), CUresult>,
{
    // SAFETY: as the caller promises.
    let task = unsafe { &*data.cast::<Task<F>>() };
    let bytes = |(i, region): (usize, &Region)| {
        let part = region.part(0, region.count[0].min(count));
        let size = part.bytes().and_then(|size| usize::try_from(size).ok());
        // SAFETY: the driver has made room for these regions, one after the other, each for its bytes.
        unsafe { std::slice::from_raw_parts_mut(*memory.add(i), size.unwrap_or(0)) }
    };
    let mut memory: Vec<&mut [u8]> = task.regions.iter().enumerate().map(bytes).collect();
    match catch_unwind(AssertUnwindSafe(|| (task.run)(&mut memory))) {
        Ok(Ok(())) => 0,
        Ok(Err(code)) => code.0,
        Err(_) => {
            crate::told::say(format_args!(
                "internal error in a library: please report it with the message above"
            ));
            CUresult::UNKNOWN.0
        }
    }
}

/// [`texunit_cuda_abi::work::Forget`].
///
/// # Safety
/// `data` is a box of a [`Task`] of this type, and used no more.
unsafe extern "C" fn forget_task<F>(data: *mut c_void) {
    // SAFETY: as the caller promises.
    let end = || unsafe { drop(Box::from_raw(data.cast::<Task<F>>())) };
    // A panic of a destructor must not reach C; it has been printed.
    let _ = catch_unwind(AssertUnwindSafe(end));
}

/// Threads of the host that work may use: as many as launches do (`TEXUNIT_THREADS`), or one for each core.
pub fn threads() -> usize {
    static THREADS: OnceLock<usize> = OnceLock::new();
    *THREADS.get_or_init(|| {
        let set = std::env::var("TEXUNIT_THREADS").ok().and_then(|text| text.trim().parse().ok());
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        set.filter(|&threads| threads > 0).unwrap_or_else(cores)
    })
}
