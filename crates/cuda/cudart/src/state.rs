//! The runtime's state: each thread's device, and the primary contexts, which are retained at their
//! first use and never released.

use crate::call::check;
use crate::driver::{self, CUcontext, ask};
use crate::registry;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::c_int;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, OnceLock};
use texunit_cuda_abi::args::Answer;
use texunit_cuda_abi::{CUdevice, CUresult, lock};

thread_local! {
    /// The device set by `cudaSetDevice`.
    static DEVICE: Cell<Option<CUdevice>> = const { Cell::new(None) };
}

/// The device of threads that set none (`cudaSetValidDevices`).
static FIRST: AtomicI32 = AtomicI32::new(0);

/// The retained primary contexts by device.
static CONTEXTS: Mutex<BTreeMap<CUdevice, CUcontext>> = Mutex::new(BTreeMap::new());

/// Initialises the driver and returns the number of devices.
pub(crate) fn init() -> Answer<CUdevice> {
    static COUNT: OnceLock<Answer<CUdevice>> = OnceLock::new();
    let count = COUNT.get_or_init(|| {
        check(driver::cuInit(0))?;
        let count = ask(|count| driver::cuDeviceGetCount(count))?;
        match count {
            0 => Err(CUresult::NO_DEVICE.because("the driver has no device")),
            _ => Ok(count),
        }
    });
    // After a fork the driver is unusable in the child process, which `cuInit` reports.
    match count {
        Ok(_) => check(driver::cuInit(0)).and_then(|()| count.clone()),
        Err(_) => count.clone(),
    }
}

/// The device of the calling thread (`cudaGetDevice`): that of its current context, if it has one.
pub(crate) fn device() -> CUdevice {
    ask(|device| driver::cuCtxGetDevice(device)).unwrap_or_else(|_| chosen())
}

/// The device that the calling thread has set.
fn chosen() -> CUdevice {
    DEVICE.try_with(Cell::get).ok().flatten().unwrap_or_else(|| FIRST.load(Ordering::Relaxed))
}

/// Checks a device number: `cudaErrorInvalidDevice` if there is no such device.
pub(crate) fn check_device(device: CUdevice) -> Answer {
    init()?;
    ask(|found| driver::cuDeviceGet(found, device)).map(|_| ())
}

/// Sets the calling thread's device and makes its context current.
pub(crate) fn set_device(device: CUdevice) -> Answer {
    check_device(device)?;
    let context = primary(device)?;
    let _ = DEVICE.try_with(|own| own.set(Some(device)));
    check(driver::cuCtxSetCurrent(context))
}

/// Sets the device of threads that set none.
pub(crate) fn set_first_device(device: CUdevice) {
    FIRST.store(device, Ordering::Relaxed);
}

/// Makes the primary context of the thread's device current, if the thread has no context. Host
/// pointers to managed variables are valid afterwards.
pub(crate) fn context() -> Answer {
    init()?;
    let current = ask(|context| driver::cuCtxGetCurrent(context))?;
    if current == 0 {
        check(driver::cuCtxSetCurrent(primary(chosen())?))?;
    }
    registry::refresh_managed()
}

/// The primary context of a device, which is retained if necessary.
pub(crate) fn primary(device: CUdevice) -> Answer<CUcontext> {
    let mut contexts = lock(&CONTEXTS);
    if let Some(context) = contexts.get(&device) {
        return Ok(*context);
    }
    let context = ask(|context| driver::cuDevicePrimaryCtxRetain(context, device))?;
    contexts.insert(device, context);
    Ok(context)
}

/// Destroys everything that was created on the calling thread's device. The driver recreates the
/// context, as it is still retained.
pub(crate) fn reset() -> Answer {
    init()?;
    check(driver::cuDevicePrimaryCtxReset_v2(device()))?;
    registry::contexts_were_reset();
    Ok(())
}

/// An attribute of a device.
pub(crate) fn attribute(attribute: c_int, device: CUdevice) -> Answer<c_int> {
    ask(|value| driver::cuDeviceGetAttribute(value, attribute, device))
}
