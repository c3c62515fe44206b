//! NVML (`nvml.h`) over the devices of texunit's driver: what becomes `libnvidia-ml.so.1`.
//!
//! Frameworks and monitors ask it at their start: how many devices there are, their names, memory, places on the PCI bus,
//! compute capabilities, and whose processes are there. It says what the driver says (`texunit_cuda::facts`), before
//! `cuInit` too. A device of software has no temperature, clock, fan, power, link or counter: functions that ask for those
//! answer `NVML_ERROR_NOT_SUPPORTED`, as NVIDIA's do for cards without them; each name of `nvml.h` (CUDA 13.5) is exported.
//!
//! Each process has a device of its own, so memory and processes are those of the process that asks.

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

/// Defines functions, each of which answers 0 or an error.
macro_rules! nvml_api {
    ($($(#[$about:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block)*) => {$(
        $(#[$about])*
        ///
        /// # Safety
        /// Pointers are null, or what the documentation of NVML says.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $name($($argument: $type),*) -> std::ffi::c_int {
            let call = || -> crate::error::Answer { $body };
            call().map_or_else(|error| error as std::ffi::c_int, |()| 0)
        }
    )*};
}
use nvml_api;

/// How many times `nvmlInit` was called and not taken back.
static USERS: AtomicU32 = AtomicU32::new(0);

/// `NVML_ERROR_UNINITIALIZED` before `nvmlInit`.
fn ready() -> Answer {
    if USERS.load(Relaxed) == 0 { Err(Error::Uninitialized) } else { Ok(()) }
}

/// The devices.
fn devices() -> Answer<Vec<Device>> {
    ready()?;
    facts::devices().map_err(|_| Error::DriverNotLoaded)
}

/// `nvmlDevice_t`: the number of a device, counted from 1, so that none is null.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Handle(usize);

impl Handle {
    fn of(index: usize) -> Self {
        Self(index + 1)
    }

    /// Its index and the device.
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
