//! Chooses the context in which a library works: the calling thread's current context, or else the
//! primary context of device 0, as NVIDIA's runtime does.

use crate::driver::{self, CUcontext, CUstream, ask, check};
use std::sync::{Mutex, OnceLock};
use texunit_cuda_abi::args::Answer;
use texunit_cuda_abi::lock;

/// The primary context that this library has retained.
static RETAINED: Mutex<Option<CUcontext>> = Mutex::new(None);

/// Initialises the driver, and makes a context current to the calling thread if the thread has
/// none.
///
/// # Errors
/// The driver's error, if there is no driver or no device.
pub fn make_current() -> Answer {
    static READY: OnceLock<Answer> = OnceLock::new();
    READY.get_or_init(|| check(driver::cuInit(0))).clone()?;
    if ask(|context| driver::cuCtxGetCurrent(context))? != 0 {
        return Ok(());
    }
    let mut retained = lock(&RETAINED);
    let primary = match *retained {
        Some(primary) => primary,
        None => ask(|context| driver::cuDevicePrimaryCtxRetain(context, 0))?,
    };
    *retained = Some(primary);
    check(driver::cuCtxSetCurrent(primary))
}

/// Checks that a stream exists.
///
/// # Errors
/// The driver's error.
pub fn check_stream(stream: CUstream) -> Answer {
    ask(|flags| driver::cuStreamGetFlags(stream, flags)).map(drop)
}
