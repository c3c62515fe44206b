//! Processes on a device: the one that asks, as soon as it has a context there.

use crate::error::{Answer, Error};
use crate::out::Out;
use crate::{Handle, nvml_api};
use std::ffi::c_uint;

/// `nvmlProcessInfo_v1_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct First {
    pid: c_uint,
    used: u64,
}

/// `nvmlProcessInfo_v2_t`, which `nvmlProcessInfo_t` is.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Second {
    pid: c_uint,
    used: u64,
    /// Numbers of instances (MIG), all bits where there are none.
    instances: [c_uint; 2],
}

/// Writes a list: `infoCount` says how many have room, and then how many there are.
fn list<T: Copy>(count: Out<c_uint>, infos: Out<T>, processes: &[T]) -> Answer {
    let room = count.get()? as usize;
    count.set(processes.len() as c_uint)?;
    if room < processes.len() {
        return Err(Error::InsufficientSize);
    }
    processes.iter().enumerate().try_for_each(|(at, process)| infos.set_at(at, *process))
}

/// Bytes that the process has on the device, if it has a context there.
fn used(device: Handle) -> Answer<Option<u64>> {
    Ok(device.get()?.1.used())
}

fn second(used: u64) -> Second {
    Second { pid: std::process::id(), used, instances: [c_uint::MAX; 2] }
}

nvml_api! {
    /// Processes that compute.
    fn nvmlDeviceGetComputeRunningProcesses(device: Handle, infoCount: Out<c_uint>, infos: Out<First>) {
        let process = used(device)?.map(|used| First { pid: std::process::id(), used });
        list(infoCount, infos, process.as_slice())
    }

    /// Processes that compute.
    fn nvmlDeviceGetComputeRunningProcesses_v2(device: Handle, infoCount: Out<c_uint>, infos: Out<Second>) {
        list(infoCount, infos, used(device)?.map(second).as_slice())
    }

    /// Processes that compute.
    fn nvmlDeviceGetComputeRunningProcesses_v3(device: Handle, infoCount: Out<c_uint>, infos: Out<Second>) {
        list(infoCount, infos, used(device)?.map(second).as_slice())
    }

    /// Processes that draw: none.
    fn nvmlDeviceGetGraphicsRunningProcesses(device: Handle, infoCount: Out<c_uint>, infos: Out<First>) {
        device.get()?;
        list(infoCount, infos, &[])
    }

    /// Processes that draw: none.
    fn nvmlDeviceGetGraphicsRunningProcesses_v2(device: Handle, infoCount: Out<c_uint>, infos: Out<Second>) {
        device.get()?;
        list(infoCount, infos, &[])
    }

    /// Processes that draw: none.
    fn nvmlDeviceGetGraphicsRunningProcesses_v3(device: Handle, infoCount: Out<c_uint>, infos: Out<Second>) {
        device.get()?;
        list(infoCount, infos, &[])
    }

    /// Processes of the multi-process service: none.
    fn nvmlDeviceGetMPSComputeRunningProcesses(device: Handle, infoCount: Out<c_uint>, infos: Out<First>) {
        device.get()?;
        list(infoCount, infos, &[])
    }

    /// Processes of the multi-process service: none.
    fn nvmlDeviceGetMPSComputeRunningProcesses_v2(device: Handle, infoCount: Out<c_uint>, infos: Out<Second>) {
        device.get()?;
        list(infoCount, infos, &[])
    }

    /// Processes of the multi-process service: none.
    fn nvmlDeviceGetMPSComputeRunningProcesses_v3(device: Handle, infoCount: Out<c_uint>, infos: Out<Second>) {
        device.get()?;
        list(infoCount, infos, &[])
    }
}
