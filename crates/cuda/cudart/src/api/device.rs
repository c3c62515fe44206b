//! Devices (runtime API, "Device Management", "Peer Device Memory Access", "Profiler Control").

use crate::api::*;
use crate::call;

/// `cudaDeviceMapHost`, which is always set.
const MAP_HOST: c_uint = 8;
/// `cudaInitDeviceFlagsAreValid`
const FLAGS_ARE_VALID: c_uint = 1;

runtime_api! {
    /// Number of devices. `cudaErrorNoDevice`, and the number 0, without devices.
    fn cudaGetDeviceCount(count) {
        count.check()?;
        let found = state::init();
        count.set_if(*found.as_ref().unwrap_or(&0));
        found.map(|_| ())
    }

    /// Sets the calling thread's device, and creates its context if necessary.
    fn cudaSetDevice(device) {
        state::set_device(device)
    }

    /// The device of the calling thread.
    fn cudaGetDevice(device) {
        state::init()?;
        device.set(state::device())
    }

    /// Creates the context of a device without making it current.
    fn cudaInitDevice(device, deviceFlags, flags) {
        state::check_device(device)?;
        ensure!(
            flags & !FLAGS_ARE_VALID == 0,
            "flags {flags:#x} has bits that are not cudaInitDeviceFlagsAreValid ({FLAGS_ARE_VALID})"
        );
        if flags & FLAGS_ARE_VALID != 0 {
            check(driver::cuDevicePrimaryCtxSetFlags_v2(device, deviceFlags))?;
        }
        state::primary(device).map(|_| ())
    }

    /// Sets the order in which devices are tried for threads that set none. Every device can be
    /// used, so that the first one is taken. An empty list means all devices.
    fn cudaSetValidDevices(device_arr, len) {
        let count = state::init()?;
        ensure!(
            (0..=count).contains(&len),
            "len {len} is not from 0 to {count}, the number of devices"
        );
        // SAFETY: the caller guarantees an array of this length.
        let all = unsafe { device_arr.elements(len as usize) }.to_vec()?;
        all.iter().try_for_each(|&device| state::check_device(device))?;
        state::set_first_device(all.first().copied().unwrap_or(0));
        Ok(())
    }

    /// Destroys everything that was created on the device, and clears the error that ended its
    /// context.
    fn cudaDeviceReset() {
        reset()
    }

    /// Sets flags of the calling thread's device.
    fn cudaSetDeviceFlags(flags) {
        state::init()?;
        check(driver::cuDevicePrimaryCtxSetFlags_v2(state::device(), flags))
    }

    /// Flags of the device of the calling thread.
    fn cudaGetDeviceFlags(flags) {
        flags.check()?;
        state::init()?;
        let (mut set, mut active) = (0, 0);
        check(driver::cuDevicePrimaryCtxGetState(state::device(), &mut set, &mut active))?;
        flags.set(set | MAP_HOST)
    }

    /// Lets the calling thread's device access another's memory.
    fn cudaDeviceEnablePeerAccess(peerDevice, flags) {
        state::context()?;
        state::check_device(peerDevice)?;
        let device = state::device();
        let can = ask(|can: &mut c_int| driver::cuDeviceCanAccessPeer(can, device, peerDevice))?;
        ensure!(
            can != 0,
            CUresult::INVALID_DEVICE,
            "device {device} cannot reach the memory of peerDevice {peerDevice} (cudaDeviceCanAccessPeer)"
        );
        check(driver::cuCtxEnablePeerAccess(state::primary(peerDevice)?, flags))
    }

    /// Undoes `cudaDeviceEnablePeerAccess`.
    fn cudaDeviceDisablePeerAccess(peerDevice) {
        state::context()?;
        state::check_device(peerDevice)?;
        check(driver::cuCtxDisablePeerAccess(state::primary(peerDevice)?))
    }
}

#[cfg(feature = "cuda-12")]
runtime_api! {
    /// Old name of `cudaDeviceReset`.
    fn cudaThreadExit() {
        reset()
    }

    /// Leaves the value unchanged, as devices support double precision.
    fn cudaSetDoubleForDevice(value) {
        value.check()
    }

    /// Leaves the value unchanged, as devices support double precision.
    fn cudaSetDoubleForHost(value) {
        value.check()
    }
}

fn reset() -> Answer {
    state::reset()?;
    call::forget_sticky();
    Ok(())
}
