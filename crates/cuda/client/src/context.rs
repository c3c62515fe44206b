//! The context in which a library works: that of the calling thread, or, as the runtime's, the primary one of device 0.

use crate::driver::{self, CUcontext, ask};
use crate::told::check;
use std::sync::{Mutex, OnceLock, PoisonError};
use texunit_cuda_abi::args::Answer;

/// The primary context that was retained.
static RETAINED: Mutex<Option<CUcontext>> = Mutex::new(None);

/// Makes the driver ready, and a context current to the calling thread, if none is.
///
/// # Errors
/// What the driver refuses: there may be none, or no device.
pub fn make_current() -> Answer {
    static READY: OnceLock<Answer> = OnceLock::new();
    READY.get_or_init(|| check(driver::cuInit(0))).clone()?;
    // SAFETY: the pointer is to our own variable.
    if ask(|context| unsafe { driver::cuCtxGetCurrent(context) })? != 0 {
        return Ok(());
    }
    let mut retained = RETAINED.lock().unwrap_or_else(PoisonError::into_inner);
    let primary = match *retained {
        Some(primary) => primary,
        // SAFETY: as above.
        None => ask(|context| unsafe { driver::cuDevicePrimaryCtxRetain(context, 0) })?,
    };
    *retained = Some(primary);
    check(driver::cuCtxSetCurrent(primary))
}
