//! Start, end, versions.

use crate::error::Error;
use crate::out::{Out, text};
use crate::{USERS, facts, nvml_api, ready};
use std::ffi::{c_char, c_int, c_uint};
use std::io::Write;
use std::sync::atomic::Ordering::Relaxed;

/// Version of the driver: 999, which no driver of NVIDIA's has and no program finds too old, and texunit's.
const DRIVER: &str =
    concat!("999.", env!("CARGO_PKG_VERSION_MAJOR"), ".", env!("CARGO_PKG_VERSION_MINOR"));

/// Begins; an error, with a message, if `TEXUNIT_DEVICE` names no devices.
fn begin() -> Result<(), Error> {
    facts::devices().map_err(|why| {
        let _ = writeln!(std::io::stderr(), "texunit: {why}");
        Error::DriverNotLoaded
    })?;
    USERS.fetch_add(1, Relaxed);
    Ok(())
}

nvml_api! {
    /// Begins.
    fn nvmlInit() {
        begin()
    }

    /// Begins.
    fn nvmlInit_v2() {
        begin()
    }

    /// Begins; what the flags allow to be missing is there.
    fn nvmlInitWithFlags(_flags: c_uint) {
        begin()
    }

    /// Ends what one `nvmlInit` has begun.
    fn nvmlShutdown() {
        let less = USERS.fetch_update(Relaxed, Relaxed, |users| users.checked_sub(1));
        less.map(|_| ()).map_err(|_| Error::Uninitialized)
    }

    /// Version of the driver.
    fn nvmlSystemGetDriverVersion(version: Out<c_char>, length: c_uint) {
        ready()?;
        text(version, length, DRIVER)
    }

    /// Version of this library.
    fn nvmlSystemGetNVMLVersion(version: Out<c_char>, length: c_uint) {
        text(version, length, &format!("{}.{DRIVER}", facts::CUDA_VERSION / 1000))
    }

    /// Version of CUDA that the driver speaks.
    fn nvmlSystemGetCudaDriverVersion(cudaDriverVersion: Out<c_int>) {
        cudaDriverVersion.set(facts::CUDA_VERSION)
    }

    /// Version of CUDA that the driver speaks.
    fn nvmlSystemGetCudaDriverVersion_v2(cudaDriverVersion: Out<c_int>) {
        cudaDriverVersion.set(facts::CUDA_VERSION)
    }

    /// The program of a process, as its command line has it.
    fn nvmlSystemGetProcessName(pid: c_uint, name: Out<c_char>, length: c_uint) {
        ready()?;
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).map_err(|_| Error::NotFound)?;
        let program = line.split(|&byte| byte == 0).next().unwrap_or_default();
        // As much of it as fits.
        let shown = String::from_utf8_lossy(program);
        let room = (length as usize).saturating_sub(1);
        let end = (0..=room.min(shown.len())).rev().find(|&at| shown.is_char_boundary(at));
        text(name, length, &shown[..end.unwrap_or(0)])
    }

    /// Units of S-class systems: none.
    fn nvmlUnitGetCount(unitCount: Out<c_uint>) {
        ready()?;
        unitCount.set(0)
    }

    /// Devices that the administrator has excluded: none.
    fn nvmlGetExcludedDeviceCount(deviceCount: Out<c_uint>) {
        deviceCount.set(0)
    }
}
