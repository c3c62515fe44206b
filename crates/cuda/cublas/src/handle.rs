//! Handles of the library (`cublasHandle_t`).

use crate::code::{Answer, BlasCode};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use texunit_client::call::{Code, Refused};
use texunit_client::context;
use texunit_client::driver::CUstream;

/// What a handle has.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Settings {
    pub(crate) stream: CUstream,
    /// Whether scalars are in memory of the device (`CUBLAS_POINTER_MODE_DEVICE`).
    pub(crate) on_device: bool,
    /// `cublasMath_t`, which has no effect: products are always in the precision of their numbers.
    pub(crate) math: u32,
    pub(crate) has_atomics: bool,
    /// Multiprocessors that kernels are to use, which has no effect.
    pub(crate) multiprocessors: i32,
}

struct Handles {
    all: BTreeMap<usize, Settings>,
    next: usize,
}

/// No address of a process looks like it.
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

/// A new handle.
pub(crate) fn create() -> Answer<usize> {
    context::make_current()
        .map_err(|why| Refused::from(why).with_code(BlasCode::NotInitialized))?;
    let mut handles = handles();
    let handle = handles.next;
    handles.next += 16;
    handles.all.insert(handle, Settings::default());
    Ok(handle)
}

/// Ends a handle.
pub(crate) fn destroy(handle: usize) -> Answer {
    handles().all.remove(&handle).map(drop).ok_or_else(|| none(handle))
}

/// What a handle has.
pub(crate) fn get(handle: usize) -> Answer<Settings> {
    handles().all.get(&handle).copied().ok_or_else(|| none(handle))
}

/// Changes what a handle has.
pub(crate) fn change(handle: usize, change: impl FnOnce(&mut Settings)) -> Answer {
    handles().all.get_mut(&handle).map(change).ok_or_else(|| none(handle))
}
