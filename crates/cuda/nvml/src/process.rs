//! Lists of processes on a device: only the calling process, once it has a context there.

use crate::error::{Answer, Error};
use crate::out::Out;
use crate::structures::{First, Second};
use crate::{Handle, nvml_api};
use std::ffi::c_uint;

/// Writes a list. `infoCount` is the capacity of the array on entry and the number of processes on
/// return.
fn list<T: Copy>(count: Out<c_uint>, infos: Out<T>, processes: &[T]) -> Answer {
    let room = count.get()? as usize;
    count.set(processes.len() as c_uint)?;
    if room < processes.len() {
        return Err(Error::InsufficientSize);
    }
    processes.iter().enumerate().try_for_each(|(at, process)| infos.set_at(at, *process))
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
    fn nvmlDeviceGetComputeRunningProcesses(device: Handle, infoCount: Out<c_uint>, infos: Out<First>) {
        let process = used(device)?.map(|used| First { pid: std::process::id(), used });
        list(infoCount, infos, process.as_slice())
    }

    /// Compute processes on a device.
    fn nvmlDeviceGetComputeRunningProcesses_v2 | nvmlDeviceGetComputeRunningProcesses_v3(
        device: Handle, infoCount: Out<c_uint>, infos: Out<Second>,
    ) {
        list(infoCount, infos, used(device)?.map(second).as_slice())
    }

    /// Graphics processes on a device; always none.
    fn nvmlDeviceGetGraphicsRunningProcesses(device: Handle, infoCount: Out<c_uint>, infos: Out<First>) {
        device.get()?;
        list(infoCount, infos, &[])
    }

    /// Graphics processes on a device; always none.
    fn nvmlDeviceGetGraphicsRunningProcesses_v2 | nvmlDeviceGetGraphicsRunningProcesses_v3(
        device: Handle, infoCount: Out<c_uint>, infos: Out<Second>,
    ) {
        device.get()?;
        list(infoCount, infos, &[])
    }

    /// Compute processes of the multi-process service; always none.
    fn nvmlDeviceGetMPSComputeRunningProcesses(device: Handle, infoCount: Out<c_uint>, infos: Out<First>) {
        device.get()?;
        list(infoCount, infos, &[])
    }

    /// Compute processes of the multi-process service; always none.
    fn nvmlDeviceGetMPSComputeRunningProcesses_v2 | nvmlDeviceGetMPSComputeRunningProcesses_v3(
        device: Handle, infoCount: Out<c_uint>, infos: Out<Second>,
    ) {
        device.get()?;
        list(infoCount, infos, &[])
    }
}
