//! Copies of bytes in a line: among host, device and one-dimensional arrays.

use crate::args::{Answer, Raw};
use crate::array::ArrayObject;
use crate::call::driver_api;
use crate::context::{Context, current};
use crate::handle::Handle;
use crate::memory::boxes::{End, copy_bytes};
use crate::memory::place::Space;
use crate::stream::{self, Stream};
use texunit_cuda_abi::CUdeviceptr;

driver_api! {
    /// Copies bytes between any two addresses.
    fn cuMemcpy(dst: CUdeviceptr, src: CUdeviceptr, ByteCount: usize) {
        current()?;
        copy_bytes(any(dst), any(src), ByteCount)
    }

    /// As without `Async`.
    fn cuMemcpyAsync(
        dst: CUdeviceptr,
        src: CUdeviceptr,
        ByteCount: usize,
        hStream: Handle<Stream>,
    ) {
        stream::on(hStream)?;
        copy_bytes(any(dst), any(src), ByteCount)
    }

    /// Copies bytes from host to device memory.
    fn cuMemcpyHtoD_v2(dstDevice: CUdeviceptr, srcHost: Raw, ByteCount: usize) {
        current()?;
        copy_bytes(device(dstDevice), host(srcHost), ByteCount)
    }

    /// As without `Async`.
    fn cuMemcpyHtoDAsync_v2(
        dstDevice: CUdeviceptr,
        srcHost: Raw,
        ByteCount: usize,
        hStream: Handle<Stream>,
    ) {
        stream::on(hStream)?;
        copy_bytes(device(dstDevice), host(srcHost), ByteCount)
    }

    /// Copies bytes from device to host memory.
    fn cuMemcpyDtoH_v2(dstHost: Raw, srcDevice: CUdeviceptr, ByteCount: usize) {
        current()?;
        copy_bytes(host(dstHost), device(srcDevice), ByteCount)
    }

    /// As without `Async`.
    fn cuMemcpyDtoHAsync_v2(
        dstHost: Raw,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
        hStream: Handle<Stream>,
    ) {
        stream::on(hStream)?;
        copy_bytes(host(dstHost), device(srcDevice), ByteCount)
    }

    /// Copies bytes of device memory.
    fn cuMemcpyDtoD_v2(dstDevice: CUdeviceptr, srcDevice: CUdeviceptr, ByteCount: usize) {
        current()?;
        copy_bytes(device(dstDevice), device(srcDevice), ByteCount)
    }

    /// As without `Async`.
    fn cuMemcpyDtoDAsync_v2(
        dstDevice: CUdeviceptr,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
        hStream: Handle<Stream>,
    ) {
        stream::on(hStream)?;
        copy_bytes(device(dstDevice), device(srcDevice), ByteCount)
    }

    /// Copies bytes of memory of two devices.
    fn cuMemcpyPeer(
        dstDevice: CUdeviceptr,
        dstContext: Handle<Context>,
        srcDevice: CUdeviceptr,
        srcContext: Handle<Context>,
        ByteCount: usize,
    ) {
        current()?;
        dstContext.get()?.check()?;
        srcContext.get()?.check()?;
        copy_bytes(device(dstDevice), device(srcDevice), ByteCount)
    }

    /// As without `Async`.
    fn cuMemcpyPeerAsync(
        dstDevice: CUdeviceptr,
        dstContext: Handle<Context>,
        srcDevice: CUdeviceptr,
        srcContext: Handle<Context>,
        ByteCount: usize,
        hStream: Handle<Stream>,
    ) {
        stream::on(hStream)?;
        dstContext.get()?.check()?;
        srcContext.get()?.check()?;
        copy_bytes(device(dstDevice), device(srcDevice), ByteCount)
    }

    /// Copies bytes into the first row of an array.
    fn cuMemcpyDtoA_v2(
        dstArray: Handle<ArrayObject>,
        dstOffset: usize,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
    ) {
        current()?;
        copy_bytes(array(dstArray, dstOffset)?, device(srcDevice), ByteCount)
    }

    /// Copies bytes out of the first row of an array.
    fn cuMemcpyAtoD_v2(
        dstDevice: CUdeviceptr,
        srcArray: Handle<ArrayObject>,
        srcOffset: usize,
        ByteCount: usize,
    ) {
        current()?;
        copy_bytes(device(dstDevice), array(srcArray, srcOffset)?, ByteCount)
    }

    /// Copies bytes into the first row of an array.
    fn cuMemcpyHtoA_v2(
        dstArray: Handle<ArrayObject>,
        dstOffset: usize,
        srcHost: Raw,
        ByteCount: usize,
    ) {
        current()?;
        copy_bytes(array(dstArray, dstOffset)?, host(srcHost), ByteCount)
    }

    /// As without `Async`.
    fn cuMemcpyHtoAAsync_v2(
        dstArray: Handle<ArrayObject>,
        dstOffset: usize,
        srcHost: Raw,
        ByteCount: usize,
        hStream: Handle<Stream>,
    ) {
        stream::on(hStream)?;
        copy_bytes(array(dstArray, dstOffset)?, host(srcHost), ByteCount)
    }

    /// Copies bytes out of the first row of an array.
    fn cuMemcpyAtoH_v2(
        dstHost: Raw,
        srcArray: Handle<ArrayObject>,
        srcOffset: usize,
        ByteCount: usize,
    ) {
        current()?;
        copy_bytes(host(dstHost), array(srcArray, srcOffset)?, ByteCount)
    }

    /// As without `Async`.
    fn cuMemcpyAtoHAsync_v2(
        dstHost: Raw,
        srcArray: Handle<ArrayObject>,
        srcOffset: usize,
        ByteCount: usize,
        hStream: Handle<Stream>,
    ) {
        stream::on(hStream)?;
        copy_bytes(host(dstHost), array(srcArray, srcOffset)?, ByteCount)
    }

    /// Copies bytes of the first rows of two arrays.
    fn cuMemcpyAtoA_v2(
        dstArray: Handle<ArrayObject>,
        dstOffset: usize,
        srcArray: Handle<ArrayObject>,
        srcOffset: usize,
        ByteCount: usize,
    ) {
        current()?;
        copy_bytes(array(dstArray, dstOffset)?, array(srcArray, srcOffset)?, ByteCount)
    }
}

pub(crate) fn any(address: u64) -> End {
    End::bytes(Space::Unified, address)
}

fn device(address: u64) -> End {
    End::bytes(Space::Device, address)
}

fn host(pointer: Raw) -> End {
    End::bytes(Space::Host, pointer.address())
}

fn array(array: Handle<ArrayObject>, offset: usize) -> Answer<End> {
    Ok(End::Array { array: array.get()?.array.clone(), at: [offset as u64, 0, 0] })
}
