//! Behaviour documented by the driver API for stream waits and writes of memory words, events of
//! whole contexts, launches on several devices, functions with 32-bit addresses, the error log, and
//! recapture of graphs.

// Unsafe code is allowed here, because the tests call C functions as programs do.
#![allow(unsafe_code, clippy::unwrap_used)]

mod common;

use common::*;
use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use texunit_cuda_abi::{
    CUDA_ARRAY_DESCRIPTOR, CUDA_LAUNCH_PARAMS, CUDA_MEMCPY_BATCH_NODE_PARAMS, CUgraphNodeParams,
    CUmemcpyAttributes, CUresult, CUstreamBatchMemOpParams,
};

type LogCallback = unsafe extern "C" fn(*mut c_void, u32, *mut c_char, usize);
type Recaptured = unsafe extern "C" fn(
    *mut c_void,
    Ptr,
    *const CUgraphNodeParams,
    *const CUgraphNodeParams,
    u32,
) -> CUresult;

functions! {
    cuStreamBeginRecaptureToGraph(stream: Ptr, mode: u32, graph: Ptr, callback: Option<Recaptured>, data: *mut c_void);
    cuGraphAddNode_v2(node: *mut Ptr, graph: Ptr, before: *const Ptr, data: *const c_void, count: usize, params: *mut CUgraphNodeParams);
    cuGraphExecNodeSetParams(exec: Ptr, node: Ptr, params: *mut CUgraphNodeParams);
    cuCtxGetExecAffinity(affinity: *mut [u32; 2], kind: u32);
    cuLaunchHostFunc_v2(stream: Ptr, function: Option<unsafe extern "C" fn(*mut c_void)>, data: *mut c_void, mode: u32);
    cuMemcpyHtoD(to: u32, from: *const c_void, size: u32);
    cuMemcpy2D(copy: *const Copy2D);
    cuMemAllocHost(pointer: *mut *mut c_void, size: u32);
    cuMemcpyHtoA(array: Ptr, offset: u32, from: *const c_void, size: u32);
    cuMemcpyHtoAAsync(array: Ptr, offset: u32, from: *const c_void, size: u32, stream: Ptr);
    cuMemcpyHtoDAsync(to: u32, from: *const c_void, size: u32, stream: Ptr);
    cuMemcpy2DUnaligned(copy: *const Copy2D);
    cuMemcpy2DAsync(copy: *const Copy2D, stream: Ptr);
    cuMemcpy3D(copy: *const Copy3D);
    cuMemcpy3DAsync(copy: *const Copy3D, stream: Ptr);
    cuDeviceRegisterAsyncNotification(device: i32, function: Option<unsafe extern "C" fn(*mut c_void, *mut c_void, usize)>, data: *mut c_void, callback: *mut usize);
    cuLogsRegisterCallback(function: Option<LogCallback>, data: *mut c_void, handle: *mut usize);
    cuLogsDumpToMemory(iterator: *mut u32, buffer: *mut c_char, size: *mut usize, flags: u32);
}

/// A 2D copy with 32-bit numbers (`CUDA_MEMCPY2D_v1`).
#[repr(C)]
struct Copy2D {
    src: Side,
    dst: Side,
    size: [u32; 2],
}

#[repr(C)]
struct Side {
    x: [u32; 2],
    kind: u32,
    host: *mut c_void,
    device: u32,
    array: Ptr,
    pitch: u32,
}

/// A 3D copy with 32-bit numbers (`CUDA_MEMCPY3D_v1`).
#[repr(C)]
struct Copy3D {
    src: Slices,
    dst: Slices,
    size: [u32; 3],
}

#[repr(C)]
struct Slices {
    x: [u32; 4],
    kind: u32,
    host: *mut c_void,
    device: u32,
    array: Ptr,
    reserved: Ptr,
    pitch: [u32; 2],
}

/// `out` becomes `in` plus one; `meet` waits until `all` CTAs on all devices have arrived.
const TEXT: &CStr = ptx!("ptx/words.ptx");

/// Makes the primary context of one of two devices current to this thread.
fn context(device: i32) -> Ptr {
    static ENVIRONMENT: Once = Once::new();
    // Serialises the tests: an event of a whole context invalidates captures of other tests in it.
    static TESTS: Mutex<()> = Mutex::new(());
    thread_local!(static OWN: RefCell<Option<MutexGuard<'static, ()>>> = const { RefCell::new(None) });
    OWN.with_borrow_mut(|own| {
        own.get_or_insert_with(|| TESTS.lock().unwrap_or_else(PoisonError::into_inner));
    });
    // SAFETY: no other thread accesses the environment, as every test starts here.
    ENVIRONMENT.call_once(|| unsafe { std::env::set_var("TEXUNIT_DEVICE", "sm_86,sm_86,sm_86") });
    let mut context = null_mut();
    ok!(cuInit(0));
    ok!(cuDevicePrimaryCtxRetain(&raw mut context, device));
    ok!(cuCtxSetCurrent(context));
    context
}

fn stream() -> Ptr {
    let mut stream = null_mut();
    ok!(cuStreamCreate(&raw mut stream, 1));
    stream
}

fn function(name: &CStr) -> Ptr {
    let (mut module, mut function) = (null_mut(), null_mut());
    ok!(cuModuleLoadData(&raw mut module, TEXT.as_ptr().cast()));
    ok!(cuModuleGetFunction(&raw mut function, module, name.as_ptr()));
    function
}

/// Words that are accessible on host and device.
fn words() -> &'static mut [u32; 4] {
    let mut pointer = null_mut();
    ok!(cuMemHostAlloc(&raw mut pointer, 16, 3));
    // SAFETY: the allocation has this many bytes, all zeros.
    unsafe { &mut *pointer.cast::<[u32; 4]>() }
}

fn address(words: &[u32; 4], i: usize) -> u64 {
    (&raw const words[i]).expose_provenance() as u64
}

fn next(stream: Ptr, to: u64, from: u64) {
    let (mut to, mut from) = (to, from);
    let mut params: [Ptr; 2] = [(&raw mut to).cast(), (&raw mut from).cast()];
    let next = function(c"next");
    ok!(cuLaunchKernel(next, 1, 1, 1, 1, 1, 1, 0, stream, params.as_mut_ptr().cast(), null_mut()));
}

#[test]
fn a_stream_waits_for_what_the_host_writes() {
    let context = context(0);
    let (waits, words) = (stream(), words());
    let (flag, source, result) = (address(words, 0), address(words, 1), address(words, 2));
    words[1] = 10;
    ok!(cuStreamWaitValue32_v2(waits, flag, 5, 0));
    next(waits, result, source);
    fails!(NOT_READY, cuStreamQuery(waits));
    // An event of the whole context follows it.
    let mut event = null_mut();
    ok!(cuEventCreate(&raw mut event, 2));
    ok!(cuCtxRecordEvent(context, event));
    fails!(NOT_READY, cuEventQuery(event));
    // Subsequent work of the context waits for the event.
    ok!(cuCtxWaitEvent(context, event));
    let other = stream();
    ok!(cuCtxWaitEvent(context, event));
    let _ = other;
    // SAFETY: the word is valid; it is volatile, as the device reads it.
    unsafe {
        (&raw mut words[1]).write_volatile(41);
        (&raw mut words[0]).write_volatile(6);
    }
    ok!(cuStreamSynchronize(waits));
    ok!(cuEventSynchronize(event));
    assert_eq!(words[2], 42);
    // All comparisons, also of 64 bits.
    words[0] = 0b0101;
    ok!(cuStreamWaitValue32(waits, flag, 0b0100, 2));
    ok!(cuStreamWaitValue32(waits, flag, 5, 1));
    ok!(cuStreamWaitValue32(waits, flag, u32::MAX - 1, 0));
    ok!(cuStreamWaitValue32_v2(waits, flag, !0b0111, 3));
    ok!(cuStreamWriteValue32(waits, flag, 7, 0));
    ok!(cuStreamWriteValue64(waits, result, 1 << 40, 1));
    ok!(cuStreamWriteValue64_v2(waits, result, 1 << 41, 0));
    ok!(cuStreamWaitValue64(waits, result, 1 << 41, 1));
    ok!(cuStreamWaitValue64_v2(waits, result, 1 << 40, 0));
    ok!(cuStreamSynchronize(waits));
    assert_eq!((words[0], words[2], words[3]), (7, 0, 1 << 9));
    // Invalid arguments.
    fails!(INVALID_VALUE, cuStreamWaitValue32_v2(waits, flag + 2, 0, 0));
    fails!(INVALID_VALUE, cuStreamWaitValue32_v2(waits, flag, 0, 4));
    fails!(INVALID_VALUE, cuStreamWriteValue32_v2(waits, flag, 0, 2));
    fails!(INVALID_VALUE, cuStreamWriteValue32_v2(waits, 64, 0, 0));
}

#[test]
fn a_stream_waits_for_another_one() {
    context(0);
    let (first, second, words) = (stream(), stream(), words());
    let (flag, source, result) = (address(words, 0), address(words, 1), address(words, 2));
    let one = |kind: u64, at: u64, value: u64| CUstreamBatchMemOpParams {
        words: [kind, at, value, 0, 0, 0],
    };
    // Waits, then writes the input of the next kernel.
    let list = [one(1, flag, 1), one(2, source, 20), one(3, 0, 0), one(6, 0, 0)];
    ok!(cuStreamBatchMemOp_v2(first, 4, list.as_ptr(), 0));
    next(first, result, source);
    fails!(NOT_READY, cuStreamQuery(first));
    ok!(cuStreamBatchMemOp(second, 1, [one(2, flag, 1)].as_ptr(), 0));
    ok!(cuStreamSynchronize(first));
    assert_eq!(words[2], 21);
    fails!(INVALID_VALUE, cuStreamBatchMemOp_v2(first, 1, [one(9, flag, 1)].as_ptr(), 0));
    fails!(INVALID_VALUE, cuStreamBatchMemOp_v2(first, 257, list.as_ptr(), 0));
    fails!(INVALID_VALUE, cuStreamBatchMemOp_v2(first, 1, null(), 0));
    // During a capture they become a node that waits when the graph runs.
    words[0] = 0;
    let (mut graph, mut exec) = (null_mut(), null_mut());
    ok!(cuStreamBeginCapture_v2(first, 2));
    ok!(cuStreamWaitValue32_v2(first, flag, 3, 1));
    ok!(cuStreamWriteValue32_v2(first, source, 30, 0));
    next(first, result, source);
    ok!(cuStreamEndCapture(first, &raw mut graph));
    ok!(cuGraphInstantiateWithFlags(&raw mut exec, graph, 0));
    ok!(cuGraphLaunch(exec, first));
    fails!(NOT_READY, cuStreamQuery(first));
    assert_eq!(words[2], 21);
    ok!(cuStreamWriteValue32_v2(second, flag, 3, 0));
    ok!(cuStreamSynchronize(first));
    assert_eq!(words[2], 31);
}

#[test]
fn branches_of_a_graph_wait_for_each_other() {
    context(0);
    let (first, second, words) = (stream(), stream(), words());
    let (mut count, mut all) = (address(words, 0), 2_u32);
    let mut params: [Ptr; 2] = [(&raw mut count).cast(), (&raw mut all).cast()];
    let meet = function(c"meet");
    let (mut fork, mut join, mut graph, mut exec) =
        (null_mut(), null_mut(), null_mut(), null_mut());
    ok!(cuEventCreate(&raw mut fork, 2));
    ok!(cuEventCreate(&raw mut join, 2));
    ok!(cuStreamBeginCapture_v2(first, 2));
    ok!(cuEventRecord(fork, first));
    ok!(cuStreamWaitEvent(second, fork, 0));
    for stream in [first, second] {
        ok!(cuLaunchKernel(
            meet,
            1,
            1,
            1,
            1,
            1,
            1,
            0,
            stream,
            params.as_mut_ptr().cast(),
            null_mut()
        ));
    }
    ok!(cuEventRecord(join, second));
    ok!(cuStreamWaitEvent(first, join, 0));
    next(first, address(words, 1), address(words, 0));
    ok!(cuStreamEndCapture(first, &raw mut graph));
    ok!(cuGraphInstantiateWithFlags(&raw mut exec, graph, 0));
    for _ in 0..3 {
        words[0] = 0;
        ok!(cuGraphLaunch(exec, first));
        ok!(cuStreamSynchronize(first));
        assert_eq!(words[..2], [2, 3]);
    }
    // If all running work waits, the call returns.
    words[1] = 7;
    let mut most = u32::MAX;
    let mut params: [Ptr; 2] = [(&raw mut count).cast(), (&raw mut most).cast()];
    let mut one: Ptr = null_mut();
    ok!(cuStreamBeginCapture_v2(first, 2));
    ok!(cuLaunchKernel(meet, 1, 1, 1, 1, 1, 1, 0, first, params.as_mut_ptr().cast(), null_mut()));
    next(first, address(words, 1), address(words, 0));
    ok!(cuStreamEndCapture(first, &raw mut graph));
    ok!(cuGraphInstantiateWithFlags(&raw mut one, graph, 0));
    words[0] = 0;
    ok!(cuGraphLaunch(one, first));
    fails!(NOT_READY, cuStreamQuery(first));
    // SAFETY: the word is valid; it is volatile, as the device reads it.
    unsafe { (&raw mut words[0]).write_volatile(u32::MAX) };
    ok!(cuStreamSynchronize(first));
    assert_eq!(words[1], 0);
}

#[test]
fn batches_of_copies_are_nodes() {
    context(0);
    let (stream, words) = (stream(), words());
    words[..2].copy_from_slice(&[3, 4]);
    let at = |i: usize| address(words, i);
    let (to, from, sizes) = ([at(2), at(3)], [at(0), at(1)], [4_usize, 4]);
    let (attributes, first) =
        ([CUmemcpyAttributes { src_access_order: 1, ..Default::default() }], [0_usize]);
    let batch = |to: &[u64; 2], sizes: &[usize; 2]| CUDA_MEMCPY_BATCH_NODE_PARAMS {
        count: 2,
        dsts: to.as_ptr().expose_provenance() as u64,
        srcs: from.as_ptr().expose_provenance() as u64,
        sizes: sizes.as_ptr().expose_provenance() as u64,
        attrs: attributes.as_ptr().expose_provenance() as u64,
        attrsIdxs: first.as_ptr().expose_provenance() as u64,
        numAttrs: 1,
        ctx: 0,
    };
    // A captured node, and one added by hand.
    let (mut captured, mut made, mut node, mut exec) =
        (null_mut(), null_mut(), null_mut(), null_mut());
    ok!(cuStreamBeginCapture_v2(stream, 2));
    let (attrs, indices) = (attributes.as_ptr(), first.as_ptr());
    ok!(cuMemcpyBatchAsync_v2(
        to.as_ptr(),
        from.as_ptr(),
        sizes.as_ptr(),
        2,
        attrs,
        indices,
        1,
        stream
    ));
    ok!(cuStreamEndCapture(stream, &raw mut captured));
    ok!(cuGraphCreate(&raw mut made, 0));
    let mut params = CUgraphNodeParams::new(14, batch(&to, &sizes));
    ok!(cuGraphAddNode_v2(&raw mut node, made, null(), null(), 0, &raw mut params));
    for graph in [captured, made] {
        ok!(cuGraphInstantiateWithFlags(&raw mut exec, graph, 0));
        let clear = (&raw const words[2]).cast_mut();
        // SAFETY: no other thread accesses the words now.
        unsafe { clear.cast::<[u32; 2]>().write_volatile([0; 2]) };
        ok!(cuGraphLaunch(exec, stream));
        ok!(cuStreamSynchronize(stream));
        assert_eq!(words[2..], [3, 4]);
    }
    // A copy of 0 bytes is disabled; another number of copies cannot be an update.
    let mut params = CUgraphNodeParams::new(14, batch(&[at(3), at(2)], &[4, 0]));
    ok!(cuGraphExecNodeSetParams(exec, node, &raw mut params));
    ok!(cuGraphLaunch(exec, stream));
    ok!(cuStreamSynchronize(stream));
    assert_eq!(words[2..], [3, 3]);
    let fewer = CUDA_MEMCPY_BATCH_NODE_PARAMS { count: 1, ..batch(&to, &sizes) };
    let mut params = CUgraphNodeParams::new(14, fewer);
    fails!(INVALID_VALUE, cuGraphExecNodeSetParams(exec, node, &raw mut params));
    let none = CUDA_MEMCPY_BATCH_NODE_PARAMS { numAttrs: 0, ..batch(&to, &sizes) };
    let mut params = CUgraphNodeParams::new(14, none);
    fails!(
        INVALID_VALUE,
        cuGraphAddNode_v2(&raw mut node, made, null(), null(), 0, &raw mut params)
    );
}

#[test]
fn launches_on_several_devices_wait_for_each_other() {
    context(0);
    let words = words();
    let (mut count, mut all) = (address(words, 0), 4_u32);
    let mut params: [Ptr; 2] = [(&raw mut count).cast(), (&raw mut all).cast()];
    let launch = |device: i32| {
        context(device);
        CUDA_LAUNCH_PARAMS {
            function: function(c"meet").addr(),
            grid: [2, 1, 1],
            block: [1; 3],
            sharedMemBytes: 0,
            hStream: stream().addr(),
            kernelParams: params.as_mut_ptr().expose_provenance() as u64,
        }
    };
    let mut launch = launch;
    let list = [launch(0), launch(1)];
    ok!(cuLaunchCooperativeKernelMultiDevice(list.as_ptr(), 2, 0));
    for one in &list {
        ok!(cuStreamSynchronize(std::ptr::without_provenance_mut(one.hStream)));
    }
    assert_eq!(words[0], 4);
    // Two launches on one device, a default stream, different shapes, different kernels, too many
    // launches.
    fails!(INVALID_VALUE, cuLaunchCooperativeKernelMultiDevice([list[0], list[0]].as_ptr(), 2, 0));
    let default = CUDA_LAUNCH_PARAMS { hStream: 0, ..list[0] };
    fails!(INVALID_VALUE, cuLaunchCooperativeKernelMultiDevice(&raw const default, 1, 0));
    let other = CUDA_LAUNCH_PARAMS { grid: [1; 3], ..list[1] };
    fails!(INVALID_VALUE, cuLaunchCooperativeKernelMultiDevice([list[0], other].as_ptr(), 2, 0));
    let other = CUDA_LAUNCH_PARAMS { function: function(c"next").addr(), ..list[1] };
    fails!(INVALID_VALUE, cuLaunchCooperativeKernelMultiDevice([list[0], other].as_ptr(), 2, 0));
    fails!(INVALID_VALUE, cuLaunchCooperativeKernelMultiDevice(list.as_ptr(), 3, 0));
    fails!(INVALID_VALUE, cuLaunchCooperativeKernelMultiDevice(list.as_ptr(), 2, 4));
    let many = CUDA_LAUNCH_PARAMS { grid: [1 << 20, 1, 1], ..list[0] };
    fails!(
        COOPERATIVE_LAUNCH_TOO_LARGE,
        cuLaunchCooperativeKernelMultiDevice(&raw const many, 1, 0)
    );
}

#[test]
fn addresses_of_32_bits() {
    context(0);
    let (mut a, mut b, mut pitch) = (0_u32, 0_u32, 0_u32);
    ok!(cuMemAlloc(&raw mut a, 4096));
    ok!(cuMemAllocPitch(&raw mut b, &raw mut pitch, 100, 3, 4));
    assert_eq!(pitch, 512);
    assert!(a != b && a.is_multiple_of(256) && b.is_multiple_of(256));
    let numbers = [1_u32, 2, 3, 4];
    ok!(cuMemcpyHtoD(a, numbers.as_ptr().cast(), 16));
    ok!(cuMemcpyDtoD(b, a, 16));
    ok!(cuMemsetD32(a, 7, 1));
    ok!(cuMemsetD16(b + 4, 9, 2));
    ok!(cuMemsetD8(b + 8, 0, 4));
    let mut found = [0_u32; 4];
    ok!(cuMemcpyDtoH(found.as_mut_ptr().cast(), b, 16));
    assert_eq!(found, [1, 0x0009_0009, 0, 4]);
    ok!(cuMemsetD2D8(b, pitch, 5, 2, 3));
    // The memory is accessible to kernels and to current functions, too.
    next(null_mut(), u64::from(a) + 4, u64::from(a));
    let host = |to: &mut [u32; 4]| Side {
        x: [0; 2],
        kind: 1,
        host: to.as_mut_ptr().cast(),
        device: 0,
        array: null_mut(),
        pitch: 8,
    };
    let device = Side { x: [0; 2], kind: 2, host: null_mut(), device: b, array: null_mut(), pitch };
    let copy = Copy2D { src: device, dst: host(&mut found), size: [4, 2] };
    ok!(cuMemcpy2D(&raw const copy));
    assert_eq!(found, [0x0505, 0x0009_0009, 0x0505, 4]);
    ok!(cuMemcpyDtoH_v2(found.as_mut_ptr().cast(), u64::from(a), 16));
    assert_eq!(found, [7, 8, 3, 4]);
    let (mut base, mut size) = (0, 0);
    ok!(cuMemGetAddressRange(&raw mut base, &raw mut size, a + 5));
    assert_eq!((base, size), (a, 4096));
    let (mut free, mut total) = (0, 0);
    ok!(cuMemGetInfo(&raw mut free, &raw mut total));
    assert!(free > 0 && free <= total);
    // A freed address is reused; other allocations do not fit.
    ok!(cuMemFree(a));
    let mut again = 0;
    ok!(cuMemAlloc(&raw mut again, 4096));
    assert_eq!(again, a);
    let (mut dptr, words) = (0_u32, words());
    fails!(INVALID_VALUE, cuMemHostGetDevicePointer(&raw mut dptr, words.as_mut_ptr().cast(), 0));
    fails!(INVALID_VALUE, cuMemAlloc(&raw mut again, 0));
    fails!(OUT_OF_MEMORY, cuMemAlloc(&raw mut again, u32::MAX));
    ok!(cuMemFree(again));
    ok!(cuMemFree(b));
}

#[test]
fn copies_with_addresses_of_32_bits() {
    context(0);
    let (stream, mut device, mut array, mut other) = (stream(), 0_u32, null_mut(), null_mut());
    let words = CUDA_ARRAY_DESCRIPTOR { width: 4, height: 0, format: 3, num_channels: 1 };
    ok!(cuArrayCreate_v2(&raw mut array, &raw const words));
    ok!(cuArrayCreate_v2(&raw mut other, &raw const words));
    ok!(cuMemAlloc(&raw mut device, 64));
    let mut pinned = null_mut();
    ok!(cuMemAllocHost(&raw mut pinned, 64));
    let host = pinned.cast::<[u32; 4]>();
    // SAFETY: the memory has this size, and nothing else accesses it.
    let read = || unsafe { host.read_volatile() };
    // SAFETY: the memory has this size, and nothing else accesses it.
    let write = |numbers: [u32; 4]| unsafe { host.write_volatile(numbers) };
    write([1, 2, 3, 4]);
    // Host, array, array, device, array, host.
    ok!(cuMemcpyHtoA(array, 0, pinned, 16));
    ok!(cuMemcpyAtoA(other, 4, array, 0, 12));
    ok!(cuMemcpyAtoD(device, other, 4, 12));
    ok!(cuMemcpyDtoA(array, 0, device + 4, 4));
    ok!(cuMemcpyAtoH(pinned.cast(), array, 0, 16));
    assert_eq!(read(), [2, 2, 3, 4]);
    ok!(cuMemcpyHtoAAsync(array, 8, pinned, 8, stream));
    ok!(cuMemcpyAtoHAsync(pinned.cast(), array, 0, 16, stream));
    ok!(cuMemcpyHtoDAsync(device, pinned, 16, stream));
    ok!(cuMemcpyDtoDAsync(device + 16, device, 16, stream));
    ok!(cuStreamSynchronize(stream));
    assert_eq!(read(), [2, 2, 2, 2]);
    ok!(cuMemsetD2D16(device + 16, 8, 7, 2, 2));
    ok!(cuMemsetD2D32(device + 20, 8, 9, 1, 2));
    ok!(cuMemcpyDtoHAsync(pinned.cast(), device + 16, 16, stream));
    ok!(cuStreamSynchronize(stream));
    assert_eq!(read(), [0x0007_0007, 9, 0x0007_0007, 9]);
    // Rows and slices, synchronously and in a stream.
    let memory = |kind: u32| Side {
        x: [0; 2],
        kind,
        host: pinned,
        device: device + 16,
        array: null_mut(),
        pitch: 8,
    };
    let (to_host, to_device) = (
        Copy2D { src: memory(2), dst: memory(1), size: [4, 2] },
        Copy2D { src: memory(1), dst: memory(2), size: [4, 2] },
    );
    write([0; 4]);
    ok!(cuMemcpy2DUnaligned(&raw const to_host));
    assert_eq!(read(), [0x0007_0007, 0, 0x0007_0007, 0]);
    write([5, 0, 6, 0]);
    ok!(cuMemcpy2DAsync(&raw const to_device, stream));
    ok!(cuStreamSynchronize(stream));
    let slices = |kind: u32| Slices {
        x: [0; 4],
        kind,
        host: pinned,
        device: device + 16,
        array: null_mut(),
        reserved: null_mut(),
        pitch: [8, 1],
    };
    let (to_host, to_device) = (
        Copy3D { src: slices(2), dst: slices(1), size: [8, 1, 2] },
        Copy3D { src: slices(1), dst: slices(2), size: [8, 1, 2] },
    );
    ok!(cuMemcpy3D(&raw const to_host));
    assert_eq!(read(), [5, 9, 6, 9]);
    write([3; 4]);
    ok!(cuMemcpy3DAsync(&raw const to_device, stream));
    ok!(cuStreamSynchronize(stream));
    write([0; 4]);
    ok!(cuMemcpy3D(&raw const to_host));
    assert_eq!(read(), [3; 4]);
    // The address of a module's variable does not fit in 32 bits.
    let (mut module, mut at, mut size) = (null_mut(), 0_u32, 0_u32);
    let text = c".version 8.0\n.target sm_75\n.address_size 64\n.visible .global .u32 one;\n";
    ok!(cuModuleLoadData(&raw mut module, text.as_ptr().cast()));
    fails!(INVALID_VALUE, cuModuleGetGlobal(&raw mut at, &raw mut size, module, c"one".as_ptr()));
    ok!(cuModuleGetGlobal(null_mut(), &raw mut size, module, c"one".as_ptr()));
    assert_eq!(size, 4);
}

/// The graph of a memory set and a kernel, captured from a stream.
fn captured(stream: Ptr, value: u32, to: u64, rows: usize) {
    ok!(cuMemsetD32Async(to, value, rows, stream));
    next(stream, to + 4, to);
}

#[test]
fn a_graph_is_captured_once_more() {
    unsafe extern "C" fn changed(
        data: *mut c_void,
        _node: Ptr,
        old: *const CUgraphNodeParams,
        new: *const CUgraphNodeParams,
        status: u32,
    ) -> CUresult {
        // SAFETY: the data is a list of the test, and the structures are the driver's.
        unsafe { (*data.cast::<Vec<_>>()).push(((*old).kind, (*new).kind, status)) };
        CUresult::SUCCESS
    }
    unsafe extern "C" fn refuses(
        _data: *mut c_void,
        _node: Ptr,
        _old: *const CUgraphNodeParams,
        _new: *const CUgraphNodeParams,
        _status: u32,
    ) -> CUresult {
        CUresult::INVALID_VALUE
    }
    context(0);
    let (stream, words) = (stream(), words());
    let to = address(words, 0);
    let (mut graph, mut same, mut exec) = (null_mut(), null_mut(), null_mut());
    let mut told: Vec<(u32, u32, u32)> = Vec::new();
    let data = (&raw mut told).cast();
    ok!(cuStreamBeginCapture_v2(stream, 2));
    captured(stream, 5, to, 1);
    ok!(cuStreamEndCapture(stream, &raw mut graph));
    // Twice the same, then another value, which changes one node.
    for (value, expected) in [(5, vec![]), (9, vec![(2, 2, 0)])] {
        told.clear();
        ok!(cuStreamBeginRecaptureToGraph(stream, 2, graph, Some(changed), data));
        captured(stream, value, to, 1);
        ok!(cuStreamEndCapture(stream, &raw mut same));
        assert_eq!(same, graph);
        // The module is loaded again for each launch, so that its kernel is a different one.
        told.retain(|one| one.0 != 0);
        assert_eq!(told, expected);
    }
    ok!(cuGraphInstantiateWithFlags(&raw mut exec, graph, 0));
    ok!(cuGraphLaunch(exec, stream));
    ok!(cuStreamSynchronize(stream));
    assert_eq!(words[..2], [9, 10]);
    // Too few nodes, another kind of node, a change refused by the program's callback, too many
    // nodes.
    let again = |callback: Option<Recaptured>| {
        ok!(cuStreamBeginRecaptureToGraph(stream, 2, graph, callback, null_mut()));
    };
    again(None);
    ok!(cuMemsetD32Async(to, 9, 1, stream));
    fails!(GRAPH_RECAPTURE_FAILURE, cuStreamEndCapture(stream, &raw mut same));
    again(None);
    fails!(GRAPH_RECAPTURE_FAILURE, cuStreamWriteValue32_v2(stream, to, 1, 0));
    fails!(STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &raw mut same));
    again(Some(refuses));
    fails!(GRAPH_RECAPTURE_FAILURE, cuMemsetD32Async(to, 1, 1, stream));
    fails!(STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &raw mut same));
    again(None);
    captured(stream, 9, to, 1);
    fails!(GRAPH_RECAPTURE_FAILURE, cuMemsetD32Async(to, 1, 1, stream));
    fails!(STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &raw mut same));
}

#[test]
fn memory_of_a_graph_that_is_captured_once_more_stays_where_it_is() {
    context(0);
    let (stream, mut graph, mut same) = (stream(), null_mut(), null_mut());
    let (mut first, mut second) = (0, 0);
    ok!(cuStreamBeginCapture_v2(stream, 2));
    ok!(cuMemAllocAsync(&raw mut first, 64, stream));
    ok!(cuMemFreeAsync(first, stream));
    ok!(cuStreamEndCapture(stream, &raw mut graph));
    ok!(cuStreamBeginRecaptureToGraph(stream, 2, graph, None, null_mut()));
    ok!(cuMemAllocAsync(&raw mut second, 64, stream));
    assert_eq!(first, second);
    ok!(cuMemFreeAsync(second, stream));
    ok!(cuStreamEndCapture(stream, &raw mut same));
    ok!(cuStreamBeginRecaptureToGraph(stream, 2, graph, None, null_mut()));
    fails!(GRAPH_RECAPTURE_FAILURE, cuMemAllocAsync(&raw mut second, 128, stream));
    fails!(STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &raw mut same));
}

#[test]
fn contexts_of_captured_streams_have_no_events() {
    let context = context(1);
    let (stream, mut event, mut graph) = (stream(), null_mut(), null_mut());
    ok!(cuEventCreate(&raw mut event, 2));
    ok!(cuStreamBeginCapture_v2(stream, 2));
    fails!(STREAM_CAPTURE_UNSUPPORTED, cuCtxRecordEvent(context, event));
    fails!(STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &raw mut graph));
    fails!(INVALID_CONTEXT, cuCtxRecordEvent(event, event));
    // A context without captures of other tests.
    fails!(INVALID_HANDLE, cuCtxRecordEvent(self::context(2), event));
}

#[test]
fn errors_are_logged() {
    unsafe extern "C" fn log(data: *mut c_void, level: u32, text: *mut c_char, size: usize) {
        // SAFETY: the data is a list of the test, and the text is the driver's.
        let text = unsafe { CStr::from_ptr(text) }.to_str().unwrap().to_owned();
        assert_eq!((level, text.len()), (0, size));
        // SAFETY: `data` is the list that the test has registered with this callback, and no other
        // reference to it is in use.
        unsafe { (*data.cast::<Vec<String>>()).push(text) };
    }
    context(0);
    let mut told: Vec<String> = Vec::new();
    let (mut handle, mut iterator) = (0, 0);
    ok!(cuLogsRegisterCallback(Some(log), (&raw mut told).cast(), &raw mut handle));
    ok!(cuLogsCurrent(&raw mut iterator, 0));
    let first = iterator;
    fails!(INVALID_VALUE, cuMemFree(0x1234));
    fails!(INVALID_VALUE, cuLogsCurrent(&raw mut iterator, 1));
    let own = |told: &[String]| told.iter().filter(|text| text.contains("0x1234")).count();
    assert_eq!(own(&told), 1, "{told:?}");
    assert!(told.iter().any(|text| text.contains("CUDA_ERROR_INVALID_VALUE: ")));
    // The log has errors of other tests of this process, too.
    let mut buffer = vec![1_u8; 64 << 10];
    let mut size = buffer.len();
    ok!(cuLogsDumpToMemory(&raw mut iterator, buffer.as_mut_ptr().cast(), &raw mut size, 0));
    let text = std::str::from_utf8(&buffer[..size]).unwrap();
    assert!(text.contains("0x1234") && text.ends_with('\n') && buffer[size] == 0, "{text}");
    assert!(iterator.wrapping_sub(first) >= 2);
    let mut none = 4;
    let mut end = iterator.wrapping_add(1000);
    ok!(cuLogsDumpToMemory(&raw mut end, buffer.as_mut_ptr().cast(), &raw mut none, 0));
    assert_eq!((none, buffer[0]), (0, 0));
    let mut few = 10;
    fails!(
        INVALID_VALUE,
        cuLogsDumpToMemory(null_mut(), buffer.as_mut_ptr().cast(), &raw mut few, 0)
    );
    assert_eq!(few, 0);
    let file = std::env::temp_dir().join(format!("texunit-log-{}", std::process::id()));
    let path = std::ffi::CString::new(file.to_str().unwrap()).unwrap();
    ok!(cuLogsDumpToFile(null_mut(), path.as_ptr(), 0));
    assert!(std::fs::read_to_string(&file).unwrap().contains("cuMemFree"));
    std::fs::remove_file(&file).unwrap();
    ok!(cuLogsUnregisterCallback(handle));
    fails!(INVALID_VALUE, cuLogsUnregisterCallback(handle));
    let count = told.len();
    fails!(INVALID_VALUE, cuMemFree(0x1234));
    assert_eq!(told.len(), count);
}

#[test]
fn what_devices_say() {
    unsafe extern "C" fn sets(data: *mut c_void) {
        // SAFETY: the pointer is to a number of the test.
        unsafe { *data.cast::<u32>() = 3 };
    }
    unsafe extern "C" fn news(_data: *mut c_void, _info: *mut c_void, _callback: usize) {}
    context(0);
    let (operations, mut found) = ([0_u32, 9, 12], [99_u32; 3]);
    ok!(cuDeviceGetHostAtomicCapabilities(found.as_mut_ptr(), operations.as_ptr(), 3, 0));
    assert_eq!(found, [0; 3]);
    ok!(cuDeviceGetP2PAtomicCapabilities(found.as_mut_ptr(), operations.as_ptr(), 3, 0, 1));
    assert_eq!(found, [0b11111, 0b11010, 0]);
    fails!(
        INVALID_VALUE,
        cuDeviceGetHostAtomicCapabilities(found.as_mut_ptr(), &raw const found[0], 1, 0)
    );
    fails!(
        INVALID_VALUE,
        cuDeviceGetHostAtomicCapabilities(found.as_mut_ptr(), operations.as_ptr(), 0, 0)
    );
    fails!(
        INVALID_DEVICE,
        cuDeviceGetP2PAtomicCapabilities(found.as_mut_ptr(), operations.as_ptr(), 1, 1, 1)
    );
    let mut affinity = [0; 2];
    fails!(UNSUPPORTED_EXEC_AFFINITY, cuCtxGetExecAffinity(&raw mut affinity, 0));
    fails!(INVALID_VALUE, cuCtxGetExecAffinity(&raw mut affinity, 1));
    let mut number = 0_u32;
    let data = (&raw mut number).cast();
    ok!(cuLaunchHostFunc_v2(null_mut(), Some(sets), data, 1));
    assert_eq!(number, 3);
    fails!(INVALID_VALUE, cuLaunchHostFunc_v2(null_mut(), Some(sets), data, 2));
    let mut callback = 0;
    ok!(cuDeviceRegisterAsyncNotification(0, Some(news), null_mut(), &raw mut callback));
    fails!(INVALID_VALUE, cuDeviceUnregisterAsyncNotification(1, callback));
    ok!(cuDeviceUnregisterAsyncNotification(0, callback));
    fails!(INVALID_VALUE, cuDeviceUnregisterAsyncNotification(0, callback));
    fails!(
        INVALID_VALUE,
        cuDeviceRegisterAsyncNotification(0, None, null_mut(), &raw mut callback)
    );
}
