//! Initialisation and shutdown of NVML, versions, and process names.

use crate::{Error, USERS, facts, nvml_api, ready, text};
use std::ffi::{c_char, c_int, c_uint};
use std::io::Write;
use std::sync::atomic::Ordering::Relaxed;
use texunit_cuda_abi::args::Out;

/// Version of the driver: 999, which is newer than any minimum that programs require and unused by
/// NVIDIA, and texunit's version.
pub const DRIVER: &str =
    concat!("999.", env!("CARGO_PKG_VERSION_MAJOR"), ".", env!("CARGO_PKG_VERSION_MINOR"));

/// Counts a user of NVML; an error with a message if `TEXUNIT_DEVICE` names no valid device.
fn begin() -> Result<(), Error> {
    facts::devices().map_err(|why| {
        let _ = writeln!(std::io::stderr(), "texunit: {why}");
        Error::DriverNotLoaded
    })?;
    USERS.fetch_add(1, Relaxed);
    Ok(())
}

nvml_api! {
    /// Initialises NVML.
    fn nvmlInit | nvmlInit_v2() {
        begin()
    }

    /// Initialises NVML. The flags allow a missing GPU, which is always present here.
    fn nvmlInitWithFlags(_flags: c_uint) {
        begin()
    }

    /// Undoes one `nvmlInit`.
    fn nvmlShutdown() {
        let less = USERS.fetch_update(Relaxed, Relaxed, |users| users.checked_sub(1));
        less.map(|_| ()).map_err(|_| Error::Uninitialized)
    }

    /// Version of the driver.
    fn nvmlSystemGetDriverVersion(version: Out<'_, c_char>, length: c_uint) {
        ready()?;
        text(version, length, DRIVER)
    }

    /// Version of this library.
    fn nvmlSystemGetNVMLVersion(version: Out<'_, c_char>, length: c_uint) {
        text(version, length, &format!("{}.{DRIVER}", facts::CUDA_VERSION / 1000))
    }

    /// CUDA version that the driver supports.
    fn nvmlSystemGetCudaDriverVersion | nvmlSystemGetCudaDriverVersion_v2(
        cudaDriverVersion: Out<'_, c_int>,
    ) {
        cudaDriverVersion.set(facts::CUDA_VERSION)
    }

    /// Name of a process's program, as in its command line.
    fn nvmlSystemGetProcessName(pid: c_uint, name: Out<'_, c_char>, length: c_uint) {
        ready()?;
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).map_err(|_| Error::NotFound)?;
        let program = line.split(|&byte| byte == 0).next().unwrap_or_default();
        // The name is truncated to the buffer.
        let shown = String::from_utf8_lossy(program);
        let room = (length as usize).saturating_sub(1);
        let end = (0..=room.min(shown.len())).rev().find(|&at| shown.is_char_boundary(at));
        text(name, length, &shown[..end.unwrap_or(0)])
    }

    /// Number of S-class units; always 0.
    fn nvmlUnitGetCount(unitCount: Out<'_, c_uint>) {
        ready()?;
        unitCount.set(0)
    }

    /// Number of devices excluded by the administrator; always 0.
    fn nvmlGetExcludedDeviceCount(deviceCount: Out<'_, c_uint>) {
        deviceCount.set(0)
    }
}
