//! Properties of devices (runtime API, "Device Management").

use crate::api::*;
#[cfg(feature = "cuda-12")]
use std::mem::MaybeUninit;

/// The properties of a device.
fn properties(device: CUdevice) -> Answer<cudaDeviceProp> {
    let mut name = [0; 256];
    let mut uuid = CUuuid([0; 16]);
    // SAFETY: the buffer has this capacity.
    check(unsafe { driver::cuDeviceGetName(name.as_mut_ptr(), 256, device) })?;
    check(driver::cuDeviceGetUuid_v2(&mut uuid, device))?;
    let memory = ask(|bytes| driver::cuDeviceTotalMem_v2(bytes, device))?;
    cudaDeviceProp::of(name, uuid.0, memory, |attribute| state::attribute(attribute, device))
}

#[cfg(not(feature = "cuda-12"))]
runtime_api! {
    /// The properties of a device.
    fn cudaGetDeviceProperties(prop, device) {
        prop.check()?;
        state::check_device(device)?;
        prop.set(properties(device)?)
    }
}

/// Size of the structure in CUDA 11, which later versions only extend.
#[cfg(feature = "cuda-12")]
const BYTES_OF_11: usize = std::mem::offset_of!(cudaDeviceProp, hostRegisterSupported);

#[cfg(feature = "cuda-12")]
runtime_api! {
    /// The properties of a device, for programs that were compiled with CUDA 12.
    fn cudaGetDeviceProperties_v2(prop, device) {
        prop.check()?;
        state::check_device(device)?;
        prop.set(properties(device)?)
    }

    /// The properties of a device, in the smaller structure of CUDA 11.
    fn cudaGetDeviceProperties(out, device) {
        out.check()?;
        state::check_device(device)?;
        let all = properties(device)?;
        // SAFETY: the structure is larger; padding is copied uninitialised.
        out.set(unsafe { (&raw const all).cast::<[MaybeUninit<u8>; BYTES_OF_11]>().read() })
    }
}

runtime_api! {
    /// The device that matches the most requested properties; properties of value 0 are ignored,
    /// and the first of several devices is chosen.
    fn cudaChooseDevice(device, prop) {
        device.check()?;
        let prop = prop.get()?;
        let mut best = (0, 0);
        for candidate in 0..state::init()? {
            let found = likeness(&properties(candidate)?, &prop);
            if candidate == 0 || found > best.1 {
                best = (candidate, found);
            }
        }
        device.set(best.0)
    }
}

/// The number of requested properties that a device has.
fn likeness(has: &cudaDeviceProp, wants: &cudaDeviceProp) -> usize {
    let capability = |p: &cudaDeviceProp| (p.major, p.minor);
    let fits = [
        wants.name[0] != 0 && wants.name == has.name,
        wants.major > 0 && capability(has) >= capability(wants),
        wants.totalGlobalMem > 0 && has.totalGlobalMem >= wants.totalGlobalMem,
        wants.sharedMemPerBlock > 0 && has.sharedMemPerBlock >= wants.sharedMemPerBlock,
        wants.regsPerBlock > 0 && has.regsPerBlock >= wants.regsPerBlock,
        wants.maxThreadsPerBlock > 0 && has.maxThreadsPerBlock >= wants.maxThreadsPerBlock,
        wants.totalConstMem > 0 && has.totalConstMem >= wants.totalConstMem,
        wants.multiProcessorCount > 0 && has.multiProcessorCount >= wants.multiProcessorCount,
    ];
    fits.into_iter().filter(|&fits| fits).count()
}
