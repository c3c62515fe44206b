//! Copies of bytes in a line: among host, device and one-dimensional arrays.

use crate::args::{Answer, Raw};
use crate::array::ArrayObject;
use crate::call::driver_api;
use crate::checks;
use crate::context::Context;
use crate::handle::Handle;
use crate::late::Order;
use crate::memory::boxes::{End, Memory, copy_bytes};
use crate::memory::endpoint::Space;
use crate::stream::Stream;
use texunit_cuda_abi::CUdeviceptr;

/// A copy that is done when the call returns: the host has waited for it, and for what comes before it.
pub(super) fn at_once(copied: Answer) -> Answer {
    if copied.is_ok() {
        checks::host_waited();
    }
    copied
}

/// Copies of bytes from one end to another: at once, and in a stream.
macro_rules! copies {
    ($($(#[$doc:meta])*
    fn $now:ident, $in_stream:ident($($arg:ident: $type:ty),*) { $from:expr => $to:expr })*) => {
        driver_api! {$(
            $(#[$doc])*
            fn $now($($arg: $type,)* ByteCount: usize) {
                let order = Order::current()?;
                #[allow(unused_unsafe)] // where both ends are of a device
                // SAFETY: the program's memory is valid during the call, as the driver API
                // requires.
                let (to, from) = unsafe { ($to, $from) };
                at_once(copy_bytes(to, from, ByteCount, &order))
            }

            $(#[$doc])*
            /// This is done in the order of a stream.
            fn $in_stream($($arg: $type,)* ByteCount: usize, hStream: Handle<Stream>) {
                let order = Order::capturable(hStream)?;
                #[allow(unused_unsafe)] // where both ends are of a device
                // SAFETY: the program's memory is valid during the call, as the driver API
                // requires.
                let (to, from) = unsafe { ($to, $from) };
                copy_bytes(to, from, ByteCount, &order)
            }
        )*}
    };
}

copies! {
    /// Copies bytes between any two addresses.
    fn cuMemcpy, cuMemcpyAsync(dst: CUdeviceptr, src: CUdeviceptr) {
        any(src) => any(dst)
    }

    /// Copies bytes from host to device memory.
    fn cuMemcpyHtoD_v2, cuMemcpyHtoDAsync_v2(dstDevice: CUdeviceptr, srcHost: Raw) {
        host(srcHost) => device(dstDevice)
    }

    /// Copies bytes from device to host memory.
    fn cuMemcpyDtoH_v2, cuMemcpyDtoHAsync_v2(dstHost: Raw, srcDevice: CUdeviceptr) {
        device(srcDevice) => host(dstHost)
    }

    /// Copies bytes of device memory.
    fn cuMemcpyDtoD_v2, cuMemcpyDtoDAsync_v2(dstDevice: CUdeviceptr, srcDevice: CUdeviceptr) {
        device(srcDevice) => device(dstDevice)
    }

    /// Copies bytes of memory of two devices.
    fn cuMemcpyPeer, cuMemcpyPeerAsync(
        dstDevice: CUdeviceptr,
        dstContext: Handle<Context>,
        srcDevice: CUdeviceptr,
        srcContext: Handle<Context>
    ) {
        of(srcContext, srcDevice)? => of(dstContext, dstDevice)?
    }

    /// Copies bytes into the first row of an array.
    fn cuMemcpyHtoA_v2, cuMemcpyHtoAAsync_v2(
        dstArray: Handle<ArrayObject>,
        dstOffset: usize,
        srcHost: Raw
    ) {
        host(srcHost) => array(dstArray, dstOffset)?
    }

    /// Copies bytes out of the first row of an array.
    fn cuMemcpyAtoH_v2, cuMemcpyAtoHAsync_v2(
        dstHost: Raw,
        srcArray: Handle<ArrayObject>,
        srcOffset: usize
    ) {
        array(srcArray, srcOffset)? => host(dstHost)
    }
}

driver_api! {
    /// Copies bytes into the first row of an array.
    fn cuMemcpyDtoA_v2(
        dstArray: Handle<ArrayObject>,
        dstOffset: usize,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
    ) {
        let order = Order::current()?;
        let (to, from) = (array(dstArray, dstOffset)?, device(srcDevice));
        at_once(copy_bytes(to, from, ByteCount, &order))
    }

    /// Copies bytes out of the first row of an array.
    fn cuMemcpyAtoD_v2(
        dstDevice: CUdeviceptr,
        srcArray: Handle<ArrayObject>,
        srcOffset: usize,
        ByteCount: usize,
    ) {
        let order = Order::current()?;
        let (to, from) = (device(dstDevice), array(srcArray, srcOffset)?);
        at_once(copy_bytes(to, from, ByteCount, &order))
    }

    /// Copies bytes of the first rows of two arrays.
    fn cuMemcpyAtoA_v2(
        dstArray: Handle<ArrayObject>,
        dstOffset: usize,
        srcArray: Handle<ArrayObject>,
        srcOffset: usize,
        ByteCount: usize,
    ) {
        let order = Order::current()?;
        let (to, from) = (array(dstArray, dstOffset)?, array(srcArray, srcOffset)?);
        at_once(copy_bytes(to, from, ByteCount, &order))
    }
}

/// Bytes at an address of any space.
///
/// # Safety
/// That of [`End::memory`].
pub(crate) unsafe fn any<'a>(address: u64) -> End<'a> {
    // SAFETY: the caller upholds this function's safety contract.
    unsafe { End::memory(Memory::bytes(Space::Unified, address), [0; 3]) }
}

fn device(address: u64) -> End<'static> {
    End::device(address, 0)
}

/// Device memory of a context in working order.
fn of(context: Handle<Context>, address: u64) -> Answer<End<'static>> {
    context.get()?.check()?;
    Ok(device(address))
}

/// Memory of the host.
///
/// # Safety
/// That of [`End::memory`].
unsafe fn host(pointer: Raw<'_>) -> End<'_> {
    // SAFETY: the caller upholds this function's safety contract.
    unsafe { End::memory(Memory::bytes(Space::Host, pointer.address()), [0; 3]) }
}

fn array(array: Handle<ArrayObject>, offset: usize) -> Answer<End<'static>> {
    Ok(End::line(array.get()?.array.clone(), offset as u64))
}
