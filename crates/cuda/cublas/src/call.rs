//! Handles of the library (`cublasHandle_t`) with their settings, and a call of a function on
//! vectors and matrices: the call collects the memory regions of its operands, and submits the
//! computation to the handle's stream.

use crate::code::*;
use crate::view::Operation;
use std::sync::{Arc, Mutex};

/// An integer argument, widened from 32 or 64 bits.
pub(crate) type Integer = i64;

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

pub(crate) fn create_handle() -> Answer<usize> {
    driver::make_current().map_err(|why| BlasCode::NotInitialized.with(why))?;
    Ok(HANDLES.insert(Settings::default()))
}

/// A call with the regions of its vectors and matrices, in the order in which they were added.
pub(crate) struct Call {
    function: &'static str,
    pub(crate) settings: Settings,
    regions: Vec<Region>,
}

/// Checks that a size is not negative.
pub(crate) fn size(name: &str, size: Integer) -> Answer<usize> {
    usize::try_from(size)
        .map_err(|_| BlasCode::InvalidValue.because(format!("{name} {size} is below 0")))
}

/// `cublasOperation_t`
pub(crate) fn operation(name: &str, number: u32) -> Answer<Operation> {
    match number {
        0 => Ok(Operation::None),
        1 => Ok(Operation::Transpose),
        2 => Ok(Operation::Conjugate),
        _ => Err(BlasCode::InvalidValue
            .because(format!("{name} {number} is not a cublasOperation_t: 0 (N), 1 (T) or 2 (C)"))),
    }
}

/// Whether an argument is the second of the two values of an enumeration.
pub(crate) fn second(name: &str, number: u32, values: [&str; 2]) -> Answer<bool> {
    match number {
        0 => Ok(false),
        1 => Ok(true),
        _ => {
            let [first, second] = values;
            Err(BlasCode::InvalidValue
                .because(format!("{name} {number} is not {first} (0) or {second} (1)")))
        }
    }
}

/// The refusal of a region that exceeds the address space.
pub(crate) fn too_far() -> Refused<BlasCode> {
    BlasCode::InvalidValue.because("a vector or matrix reaches to more than addresses count")
}

impl Call {
    /// Begins a call of the named cuBLAS function with a handle.
    pub(crate) fn new(function: &'static str, handle: usize) -> Answer<Self> {
        Ok(Self { function, settings: HANDLES.get(handle)?, regions: Vec::new() })
    }

    /// Adds a region and returns its index.
    pub(crate) fn push(&mut self, region: Region) -> Answer<usize> {
        if region.bytes() != Some(0) {
            if region.address == 0 {
                bail!(BlasCode::InvalidValue, "a pointer to a vector or matrix is null");
            }
            region.hull().ok_or_else(too_far)?;
        }
        self.regions.push(region);
        Ok(self.regions.len() - 1)
    }

    /// Adds a region of `count` bytes, a power of two.
    pub(crate) fn bytes(&mut self, address: u64, count: usize, access: u64) -> Answer<usize> {
        self.push(Region { address, element: count as u64, access, count: [1; 4], stride: [0; 4] })
    }

    /// Number of regions that have been added to the call.
    pub(crate) fn regions(&self) -> usize {
        self.regions.len()
    }

    /// Submits the computation to the handle's stream.
    pub(crate) fn submit(self, run: impl Fn(&mut [&mut [u8]]) + Send + Sync + 'static) -> Answer {
        let done = work::submit(self.settings.stream, self.function, self.regions, 0, run);
        done.map_err(|why| BlasCode::ExecutionFailed.of_work(why))
    }

    /// Submits a computation with a scalar result, which is written to device memory or, after
    /// waiting, to host memory.
    pub(crate) fn submit_for<T: Copy + Send + 'static>(
        mut self,
        result: u64,
        run: impl Fn(&mut [&mut [u8]]) -> T + Send + Sync + 'static,
    ) -> Answer {
        ensure!(result != 0, BlasCode::InvalidValue, "result is null");
        if self.settings.on_device {
            let region = self.bytes(result, size_of::<T>(), Region::WRITTEN)?;
            return self.submit(move |memory| {
                let value = run(memory);
                // SAFETY: the region holds a value of this type.
                unsafe { memory[region].as_mut_ptr().cast::<T>().write_unaligned(value) };
            });
        }
        let kept = Arc::new(Mutex::new(None));
        let (made, stream) = (Arc::clone(&kept), self.settings.stream);
        self.submit(move |memory| {
            *lock(&made) = Some(run(memory));
        })?;
        let waited = driver::check(driver::cuStreamSynchronize(stream));
        waited.map_err(|why| BlasCode::ExecutionFailed.with(why))?;
        let value = lock(&kept).take();
        let value =
            value.ok_or_else(|| BlasCode::ExecutionFailed.because("the work was not done"))?;
        // SAFETY: the handle's pointer mode says that the caller's pointer is to host memory.
        Ok(unsafe { Out::<T>::of(result) }.set(value)?)
    }
}
