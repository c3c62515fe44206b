//! Handles of the library (`cublasHandle_t`) and the settings behind them.

use crate::code::*;

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

/// The first handle, in a range that no allocation uses.
const FIRST: usize = 0x0000_5b00_0000_0000;

/// The handles with their settings.
pub(crate) static HANDLES: Handles<Settings, BlasCode> = Handles::new(FIRST, 16, none);

fn none(handle: usize) -> Refused<BlasCode> {
    BlasCode::NotInitialized.because(match handle {
        0 => "handle is null".to_owned(),
        handle => format!("handle {handle:#x} is not a handle of cuBLAS"),
    })
}

/// Creates a handle.
pub(crate) fn create() -> Answer<usize> {
    context::make_current().map_err(|why| BlasCode::NotInitialized.with(why))?;
    Ok(HANDLES.insert(Settings::default()))
}
