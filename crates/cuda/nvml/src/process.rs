//! Lists of processes on a device: only the calling process, once it has a context there.

use crate::error::{Answer, Error};
use crate::structures::{First, Second};
use crate::{Handle, nvml_api};
use std::ffi::c_uint;
use texunit_cuda_abi::args::{InOut, Out};

/// Writes a list. `infoCount` is the capacity of the array on entry and the number of processes on
/// return.
fn list<T: Copy>(count: InOut<'_, c_uint>, infos: Out<'_, T>, processes: &[T]) -> Answer {
    let room = count.get()? as usize;
    count.out().set(processes.len() as c_uint)?;
    if room < processes.len() {
        return Err(Error::InsufficientSize);
    }
    if !processes.is_empty() {
        // SAFETY: the caller passes the capacity of the array.
        unsafe { infos.elements(room) }.set_all(processes.iter().copied())?;
    }
    Ok(())
}

/// Memory in bytes that the process uses on the device; `None` if it has no context there.
fn used(device: Handle) -> Answer<Option<u64>> {
    Ok(device.get()?.1.used())
}

fn second(used: u64) -> Second {
    Second { pid: std::process::id(), used, instances: [c_uint::MAX; 2] }
}

nvml_api! {
    /// Compute processes on a device.
    fn nvmlDeviceGetComputeRunningProcesses(
        device: Handle, infoCount: InOut<'_, c_uint>, infos: Out<'_, First>,
    ) {
        let process = used(device)?.map(|used| First { pid: std::process::id(), used });
        list(infoCount, infos, process.as_slice())
    }

    /// Compute processes on a device.
    fn nvmlDeviceGetComputeRunningProcesses_v2 | nvmlDeviceGetComputeRunningProcesses_v3(
        device: Handle, infoCount: InOut<'_, c_uint>, infos: Out<'_, Second>,
    ) {
        list(infoCount, infos, used(device)?.map(second).as_slice())
    }

    /// Graphics processes on a device, and compute processes of the multi-process service; always
    /// none.
    fn nvmlDeviceGetGraphicsRunningProcesses | nvmlDeviceGetMPSComputeRunningProcesses(
        device: Handle, infoCount: InOut<'_, c_uint>, infos: Out<'_, First>,
    ) {
        device.get()?;
        list(infoCount, infos, &[])
    }

    /// Graphics processes on a device, and compute processes of the multi-process service; always
    /// none.
    fn nvmlDeviceGetGraphicsRunningProcesses_v2 | nvmlDeviceGetGraphicsRunningProcesses_v3
        | nvmlDeviceGetMPSComputeRunningProcesses_v2 | nvmlDeviceGetMPSComputeRunningProcesses_v3(
        device: Handle, infoCount: InOut<'_, c_uint>, infos: Out<'_, Second>,
    ) {
        device.get()?;
        list(infoCount, infos, &[])
    }
}
