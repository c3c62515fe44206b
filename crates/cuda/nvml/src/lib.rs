//! NVML (`nvml.h`) over the devices of texunit's driver: what becomes `libnvidia-ml.so.1`.
//!
//! Frameworks and monitors query it when they start: the number of devices, their names, memory,
//! PCI locations, compute capabilities, and running processes. It answers from the driver's facts
//! (`texunit_cuda::facts`), also before `cuInit`. A simulated device has no temperature, clock,
//! fan, power, link or counter: functions for those return `NVML_ERROR_NOT_SUPPORTED`, as NVIDIA's
//! do for GPUs without them. Each name of `nvml.h` (CUDA 13.5) is exported.
//!
//! Each process has devices of its own, so that used memory and processes are those of the calling
//! process.

#![allow(unsafe_code, non_snake_case)]

mod device;
mod error;
mod out;
mod process;
mod refused;
mod system;

use error::{Answer, Error};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use texunit_cuda::facts::{self, Device};

/// Defines exported functions, each of which returns 0 or an error code. Versions of a function
/// that differ in nothing have one body.
macro_rules! nvml_api {
    ($($(#[$about:meta])* fn $($name:ident)|+ ($($arguments:tt)*) $body:block)*) => {$(
        nvml_api! { @versions [$(#[$about])*] [$($name)+] ($($arguments)*) $body }
    )*};
    (@versions $about:tt [$($name:ident)+] $arguments:tt $body:block) => {$(
        nvml_api! { @function $about $name $arguments $body }
    )+};
    (
        @function [$(#[$about:meta])*] $name:ident
        ($($argument:ident: $type:ty),* $(,)?) $body:block
    ) => {
        $(#[$about])*
        ///
        /// # Safety
        /// Pointers are null, or valid as NVML's documentation requires.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $name($($argument: $type),*) -> std::ffi::c_int {
            let call = || -> crate::error::Answer { $body };
            call().map_or_else(|error| error as std::ffi::c_int, |()| 0)
        }
    };
}
use nvml_api;

/// Number of `nvmlInit` calls without a matching `nvmlShutdown`.
static USERS: AtomicU32 = AtomicU32::new(0);

/// Fails with `NVML_ERROR_UNINITIALIZED` before `nvmlInit`.
fn ready() -> Answer {
    if USERS.load(Relaxed) == 0 { Err(Error::Uninitialized) } else { Ok(()) }
}

/// The devices.
fn devices() -> Answer<Vec<Device>> {
    ready()?;
    facts::devices().map_err(|_| Error::DriverNotLoaded)
}

/// `nvmlDevice_t`: a device's index plus 1, so that no handle is null.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Handle(usize);

impl Handle {
    fn of(index: usize) -> Self {
        Self(index + 1)
    }

    /// The device and its index.
    fn get(self) -> Answer<(u32, Device)> {
        let index = self.0.checked_sub(1).ok_or(Error::InvalidArgument);
        let mut devices = devices()?;
        let index = index?;
        if index >= devices.len() {
            return Err(Error::InvalidArgument);
        }
        Ok((index as u32, devices.swap_remove(index)))
    }
}
