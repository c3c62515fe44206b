//! Handles of the library (`cublasHandle_t`) and the settings behind them.

use crate::code::{Answer, BlasCode};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use texunit_client::call::{Code, Refused};
use texunit_client::context;
use texunit_client::driver::CUstream;

/// Settings of a handle.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Settings {
    pub(crate) stream: CUstream,
    /// Whether scalars are in device memory (`CUBLAS_POINTER_MODE_DEVICE`).
    pub(crate) on_device: bool,
    /// `cublasMath_t`, without effect: products are always computed in their own precision.
    pub(crate) math: u32,
    pub(crate) has_atomics: bool,
    /// Number of multiprocessors for kernels, without effect.
    pub(crate) multiprocessors: i32,
}

struct Handles {
    all: BTreeMap<usize, Settings>,
    next: usize,
}

/// The first handle, in a range that no allocation uses.
const FIRST: usize = 0x0000_5b00_0000_0000;

static HANDLES: Mutex<Handles> = Mutex::new(Handles { all: BTreeMap::new(), next: FIRST });

fn handles() -> MutexGuard<'static, Handles> {
    HANDLES.lock().unwrap_or_else(PoisonError::into_inner)
}

fn none(handle: usize) -> Refused<BlasCode> {
    BlasCode::NotInitialized.because(match handle {
        0 => "handle is null".to_owned(),
        handle => format!("handle {handle:#x} is not a handle of cuBLAS"),
    })
}

/// Creates a handle.
pub(crate) fn create() -> Answer<usize> {
    context::make_current()
        .map_err(|why| Refused::from(why).with_code(BlasCode::NotInitialized))?;
    let mut handles = handles();
    let handle = handles.next;
    handles.next += 16;
    handles.all.insert(handle, Settings::default());
    Ok(handle)
}

/// Destroys a handle.
pub(crate) fn destroy(handle: usize) -> Answer {
    handles().all.remove(&handle).map(drop).ok_or_else(|| none(handle))
}

/// Settings of a handle.
pub(crate) fn get(handle: usize) -> Answer<Settings> {
    handles().all.get(&handle).copied().ok_or_else(|| none(handle))
}

/// Changes the settings of a handle.
pub(crate) fn change(handle: usize, change: impl FnOnce(&mut Settings)) -> Answer {
    handles().all.get_mut(&handle).map(change).ok_or_else(|| none(handle))
}
