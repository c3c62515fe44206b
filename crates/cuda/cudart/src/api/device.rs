//! Devices (runtime API, "Device Management", "Peer Device Memory Access", "Profiler Control").

use crate::call::{self, check, forward, runtime_api};
use crate::driver::{self, ask};
use crate::state;
use std::ffi::{c_char, c_int, c_uint, c_void};
use texunit_cuda_abi::args::{Answer, In, Out};
use texunit_cuda_abi::{CUasyncCallback, CUdevice, CUresult};

/// `cudaDeviceMapHost`, which is always set.
const MAP_HOST: c_uint = 8;
/// `cudaDeviceMask`: all flags.
const FLAGS: c_uint = 0xff;
/// `cudaDeviceScheduleMask`: scheduling modes, of which at most one is set.
const SCHEDULING: c_uint = 7;
/// `cudaInitDeviceFlagsAreValid`
const FLAGS_ARE_VALID: c_uint = 1;

runtime_api! {
    /// Number of devices. `cudaErrorNoDevice`, and the number 0, without devices.
    fn cudaGetDeviceCount(count: Out<c_int>) {
        count.check()?;
        let found = state::init();
        count.set_if(*found.as_ref().unwrap_or(&0));
        found.map(|_| ())
    }

    /// Sets the calling thread's device, and creates its context if necessary.
    fn cudaSetDevice(device: CUdevice) {
        state::set_device(device)
    }

    /// The device of the calling thread.
    fn cudaGetDevice(device: Out<CUdevice>) {
        state::init()?;
        device.set(state::device())
    }

    /// Creates the context of a device without making it current.
    fn cudaInitDevice(device: CUdevice, deviceFlags: c_uint, flags: c_uint) {
        state::check_device(device)?;
        if flags & !FLAGS_ARE_VALID != 0 {
            return Err(CUresult::INVALID_VALUE.because(format!(
                "flags {flags:#x} has bits that are not cudaInitDeviceFlagsAreValid ({FLAGS_ARE_VALID})"
            )));
        }
        if flags & FLAGS_ARE_VALID != 0 {
            set_flags(device, deviceFlags)?;
        }
        state::primary(device).map(|_| ())
    }

    /// Sets the order in which devices are tried for threads that set none. Every device can be
    /// used, so that the first one is taken. An empty list means all devices.
    fn cudaSetValidDevices(device_arr: In<CUdevice>, len: c_int) {
        let count = state::init()?;
        if !(0..=count).contains(&len) {
            return Err(CUresult::INVALID_VALUE.because(format!(
                "len {len} is not from 0 to {count}, the number of devices"
            )));
        }
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
    fn cudaSetDeviceFlags(flags: c_uint) {
        state::init()?;
        set_flags(state::device(), flags)
    }

    /// Flags of the device of the calling thread.
    fn cudaGetDeviceFlags(flags: Out<c_uint>) {
        flags.check()?;
        state::init()?;
        let (mut set, mut active) = (0, 0);
        // SAFETY: the out-pointers are to local variables.
        check(unsafe {
            driver::cuDevicePrimaryCtxGetState(state::device(), &raw mut set, &raw mut active)
        })?;
        flags.set(set | MAP_HOST)
    }

    /// An attribute of a device.
    fn cudaDeviceGetAttribute(value: Out<c_int>, attr: c_int, device: CUdevice) {
        value.check()?;
        state::check_device(device)?;
        value.set(state::attribute(attr, device)?)
    }

    /// A limit of the current device.
    fn cudaDeviceGetLimit(pValue: Out<usize>, limit: c_uint) {
        get_limit(pValue, limit)
    }

    /// Sets a limit of the current device.
    fn cudaDeviceSetLimit(limit: c_uint, value: usize) {
        set_limit(limit, value)
    }

    /// The setting of `cudaDeviceSetCacheConfig`.
    fn cudaDeviceGetCacheConfig(pCacheConfig: Out<c_uint>) {
        get_cache_config(pCacheConfig)
    }

    /// Sets the cache preference, which has no effect.
    fn cudaDeviceSetCacheConfig(cacheConfig: c_uint) {
        set_cache_config(cacheConfig)
    }

    /// The setting of `cudaDeviceSetSharedMemConfig`.
    fn cudaDeviceGetSharedMemConfig(pConfig: Out<c_uint>) {
        state::context()?;
        // SAFETY: the out-pointer is to a local variable.
        pConfig.set(ask(|pConfig| unsafe { driver::cuCtxGetSharedMemConfig(pConfig) })?)
    }

    /// The range of stream priorities; either out-pointer may be null.
    fn cudaDeviceGetStreamPriorityRange(leastPriority: Out<c_int>, greatestPriority: Out<c_int>) {
        state::context()?;
        let (mut low, mut high) = (0, 0);
        // SAFETY: the out-pointers are to local variables.
        check(unsafe { driver::cuCtxGetStreamPriorityRange(&raw mut low, &raw mut high) })?;
        leastPriority.set_if(low);
        greatestPriority.set_if(high);
        Ok(())
    }

    /// The PCI bus identifier that a device would have.
    fn cudaDeviceGetPCIBusId(pciBusId: *mut c_char, len: c_int, device: CUdevice) {
        state::check_device(device)?;
        // SAFETY: the caller's buffer holds `len` bytes; the driver checks for null.
        check(unsafe { driver::cuDeviceGetPCIBusId(pciBusId, len, device) })
    }

    /// The device with a PCI bus identifier.
    fn cudaDeviceGetByPCIBusId(device: Out<CUdevice>, pciBusId: *const c_char) {
        state::init()?;
        // SAFETY: the caller's C string; the out-pointer is to a local variable.
        device.set(ask(|device| unsafe { driver::cuDeviceGetByPCIBusId(device, pciBusId) })?)
    }

    /// Whether a device can access another's memory.
    fn cudaDeviceCanAccessPeer(canAccessPeer: Out<c_int>, device: CUdevice, peerDevice: CUdevice) {
        canAccessPeer.check()?;
        state::check_device(device)?;
        state::check_device(peerDevice)?;
        // SAFETY: the out-pointer is to a local variable.
        canAccessPeer.set(ask(|canAccessPeer| unsafe { driver::cuDeviceCanAccessPeer(canAccessPeer, device, peerDevice) })?)
    }

    /// Lets the calling thread's device access another's memory.
    fn cudaDeviceEnablePeerAccess(peerDevice: CUdevice, flags: c_uint) {
        state::context()?;
        state::check_device(peerDevice)?;
        let device = state::device();
        // SAFETY: the out-pointer is to a local variable.
        let can = ask(|can: *mut c_int| unsafe { driver::cuDeviceCanAccessPeer(can, device, peerDevice) })?;
        if can == 0 {
            return Err(CUresult::INVALID_DEVICE.because(format!(
                "device {device} cannot reach the memory of peerDevice {peerDevice} (cudaDeviceCanAccessPeer)"
            )));
        }
        check(driver::cuCtxEnablePeerAccess(state::primary(peerDevice)?, flags))
    }

    /// Undoes `cudaDeviceEnablePeerAccess`.
    fn cudaDeviceDisablePeerAccess(peerDevice: CUdevice) {
        state::context()?;
        state::check_device(peerDevice)?;
        check(driver::cuCtxDisablePeerAccess(state::primary(peerDevice)?))
    }

    /// A peer-to-peer attribute of two devices.
    fn cudaDeviceGetP2PAttribute(
        value: Out<c_int>,
        attr: c_uint,
        srcDevice: CUdevice,
        dstDevice: CUdevice,
    ) {
        value.check()?;
        state::check_device(srcDevice)?;
        state::check_device(dstDevice)?;
        // SAFETY: the out-pointer is to a local variable.
        value.set(ask(|value| unsafe {
            driver::cuDeviceGetP2PAttribute(value, attr, srcDevice, dstDevice)
        })?)
    }
}

forward! {
    /// Waits until all work is done.
    fn cudaDeviceSynchronize() = cuCtxSynchronize;
    /// Sets the bank width of shared memory, which only affects speed.
    fn cudaDeviceSetSharedMemConfig(config: c_uint) = cuCtxSetSharedMemConfig;
    /// Has no effect, as there is no L2 cache.
    fn cudaCtxResetPersistingL2Cache() = cuCtxResetPersistingL2Cache;
    /// Starts a profiler's measurement.
    fn cudaProfilerStart() = cuProfilerStart;
    /// Stops a profiler's measurement.
    fn cudaProfilerStop() = cuProfilerStop;
}

#[cfg(feature = "cuda-12")]
runtime_api! {
    /// Old name of `cudaDeviceReset`.
    fn cudaThreadExit() {
        reset()
    }

    /// Old name of `cudaDeviceGetLimit`.
    fn cudaThreadGetLimit(value: Out<usize>, limit: c_uint) {
        get_limit(value, limit)
    }

    /// Old name of `cudaDeviceSetLimit`.
    fn cudaThreadSetLimit(limit: c_uint, value: usize) {
        set_limit(limit, value)
    }

    /// Old name of `cudaDeviceGetCacheConfig`.
    fn cudaThreadGetCacheConfig(config: Out<c_uint>) {
        get_cache_config(config)
    }

    /// Old name of `cudaDeviceSetCacheConfig`.
    fn cudaThreadSetCacheConfig(config: c_uint) {
        set_cache_config(config)
    }

    /// Leaves the value unchanged, as devices support double precision.
    fn cudaSetDoubleForDevice(value: Out<f64>) {
        value.check()
    }

    /// Leaves the value unchanged, as devices support double precision.
    fn cudaSetDoubleForHost(value: Out<f64>) {
        value.check()
    }
}

#[cfg(feature = "cuda-12")]
forward! {
    /// Old name of `cudaDeviceSynchronize`.
    fn cudaThreadSynchronize() = cuCtxSynchronize;
}

fn reset() -> Answer {
    state::reset()?;
    call::forget_sticky();
    Ok(())
}

fn set_flags(device: CUdevice, flags: c_uint) -> Answer {
    if flags & !FLAGS != 0 {
        return Err(CUresult::INVALID_VALUE.because(format!(
            "flags {flags:#x} has bits that are not cudaDevice flags: {:#x}",
            flags & !FLAGS
        )));
    }
    if !matches!(flags & SCHEDULING, 0 | 1 | 2 | 4) {
        return Err(CUresult::INVALID_VALUE.because(format!(
            "flags {flags:#x} asks for several ways of waiting at once: spin (1), yield (2) and blocking sync (4) are mutually \
             exclusive"
        )));
    }
    check(driver::cuDevicePrimaryCtxSetFlags_v2(device, flags))
}

fn get_limit(value: Out<usize>, limit: c_uint) -> Answer {
    state::context()?;
    // SAFETY: the out-pointer is to a local variable.
    value.set(ask(|value| unsafe { driver::cuCtxGetLimit(value, limit) })?)
}

fn set_limit(limit: c_uint, value: usize) -> Answer {
    state::context()?;
    check(driver::cuCtxSetLimit(limit, value))
}

fn get_cache_config(config: Out<c_uint>) -> Answer {
    state::context()?;
    // SAFETY: the out-pointer is to a local variable.
    config.set(ask(|config| unsafe { driver::cuCtxGetCacheConfig(config) })?)
}

fn set_cache_config(config: c_uint) -> Answer {
    state::context()?;
    check(driver::cuCtxSetCacheConfig(config))
}

runtime_api! {
    /// Registers a callback for asynchronous notifications of a device.
    fn cudaDeviceRegisterAsyncNotification(
        device: CUdevice,
        callbackFunc: CUasyncCallback,
        userData: *mut c_void,
        callback: Out<usize>,
    ) {
        state::check_device(device)?;
        // SAFETY: the callback and its argument come from the caller, which allows this call.
        check(unsafe {
            driver::cuDeviceRegisterAsyncNotification(device, callbackFunc, userData, callback.as_ptr())
        })
    }

    /// Unregisters the callback.
    fn cudaDeviceUnregisterAsyncNotification(device: CUdevice, callback: usize) {
        state::check_device(device)?;
        check(driver::cuDeviceUnregisterAsyncNotification(device, callback))
    }
}

#[cfg(not(feature = "cuda-12"))]
runtime_api! {
    /// The atomic operations that the link between a device and the host supports natively.
    fn cudaDeviceGetHostAtomicCapabilities(
        capabilities: Out<c_uint>,
        operations: In<c_uint>,
        count: c_uint,
        device: CUdevice,
    ) {
        state::check_device(device)?;
        let (to, operations) = (capabilities.as_ptr(), operations.as_ptr());
        // SAFETY: the caller passes the length of its array.
        check(unsafe { driver::cuDeviceGetHostAtomicCapabilities(to, operations, count, device) })
    }

    /// The atomic operations that the link between two devices supports natively.
    fn cudaDeviceGetP2PAtomicCapabilities(
        capabilities: Out<c_uint>,
        operations: In<c_uint>,
        count: c_uint,
        srcDevice: CUdevice,
        dstDevice: CUdevice,
    ) {
        state::check_device(srcDevice)?;
        state::check_device(dstDevice)?;
        let (to, operations) = (capabilities.as_ptr(), operations.as_ptr());
        // SAFETY: the caller passes the length of its array.
        check(unsafe {
            driver::cuDeviceGetP2PAtomicCapabilities(to, operations, count, srcDevice, dstDevice)
        })
    }
}
