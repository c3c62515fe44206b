//! Texts of the reasons for usual mistakes.

use crate::reason::{ready, why, without_numbers};
use crate::world::*;
use std::ffi::CStr;
use std::ptr::{null, null_mut};
use texunit_cuda_abi::{
    CU_MEMORYTYPE_ARRAY, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST, CU_RESOURCE_TYPE_LINEAR,
    CU_RESOURCE_TYPE_PITCH2D, CUDA_ARRAY3D_CUBEMAP, CUDA_ARRAY3D_DEPTH_TEXTURE,
    CUDA_ARRAY3D_DESCRIPTOR, CUDA_ARRAY3D_LAYERED, CUDA_ARRAY3D_TEXTURE_GATHER, CUDA_MEMCPY2D,
    CUDA_RESOURCE_DESC, CUDA_TEXTURE_DESC, CUresult,
};

functions! {
    cuDestroyExternalSemaphore(memory: Ptr);
}

/// Kernels with parameters, with a required block size, with shared memory.
const KERNELS: &CStr = ptx!("../ptx/reasons.ptx");

struct Cases(Vec<String>);

impl Cases {
    /// Checks the code and the reason of a refused call.
    fn refused(&mut self, code: CUresult, reason: &str, call: impl FnOnce() -> CUresult) {
        let (found, said) = why(call);
        let said = without_numbers(&said);
        if (found, &*said) != (code, reason) {
            self.0.push(format!("{found:?}: {said:?}\n  instead of\n{code:?}: {reason:?}\n"));
        }
    }

    fn done(self) {
        assert!(self.0.is_empty(), "{}", self.0.join("\n"));
    }
}

/// Checks a refused call whose pointers are null, to local variables, or to memory of the size
/// passed.
macro_rules! refused {
    ($cases:ident, $code:ident, $reason:expr, $call:expr) => {
        // SAFETY: as above; or the call is refused before it uses a pointer.
        $cases.refused(CUresult::$code, $reason, || unsafe { $call })
    };
}

fn texture(resource: &CUDA_RESOURCE_DESC, how: &CUDA_TEXTURE_DESC) -> CUresult {
    let mut texture = 0;
    // SAFETY: the pointers are to local variables.
    unsafe { cuTexObjectCreate(&raw mut texture, resource, how, null()) }
}

fn of_memory(what: u64) -> CUDA_RESOURCE_DESC {
    CUDA_RESOURCE_DESC {
        res_type: CU_RESOURCE_TYPE_PITCH2D,
        what,
        format: 0x20,
        num_channels: 1,
        size: 4,
        height: 4,
        pitch_in_bytes: 32,
        ..CUDA_RESOURCE_DESC::default()
    }
}

// One row per case.
#[rustfmt::skip]
#[test]
fn textures_and_surfaces() {
    ready();
    let world = World::new();
    let mut cases = Cases(Vec::new());
    let (memory, plain) = (of_memory(world.memory), CUDA_TEXTURE_DESC::default());
    let linear = CUDA_RESOURCE_DESC { res_type: CU_RESOURCE_TYPE_LINEAR, size: 64, ..memory };
    let array = of_array(world.array);
    let mut tried = |code, reason: &str, resource: CUDA_RESOURCE_DESC, how: CUDA_TEXTURE_DESC| {
        cases.refused(code, reason, || texture(&resource, &how));
    };
    let value = CUresult::INVALID_VALUE;
    tried(value, "pitchInBytes 20 is not a multiple of 32, the texture pitch alignment (CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT)",
        CUDA_RESOURCE_DESC { pitch_in_bytes: 20, ..memory }, plain);
    tried(value, "devPtr 0x.. is not a multiple of 512, the texture alignment (CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT)",
        CUDA_RESOURCE_DESC { what: world.memory + 4, ..memory }, plain);
    tried(value, "height .. is more than any texture of pitched memory has",
        CUDA_RESOURCE_DESC { height: 1 << 40, ..memory }, plain);
    tried(value, "devPtr 0x..: 127984 bytes pass the end of the allocation, in which 4096 are left (number ..: 4096 bytes of device memory (cuMemAlloc) from 0x.. on)",
        CUDA_RESOURCE_DESC { height: 4000, ..memory }, plain);
    tried(value, "numChannels 3: texels have 1, 2 or 4 channels of 8, 16 or 32 bits; 3 is not possible: pad to 4",
        CUDA_RESOURCE_DESC { num_channels: 3, ..memory }, plain);
    tried(value, "format 0x77 is not a CUarray_format", CUDA_RESOURCE_DESC { format: 0x77, ..memory }, plain);
    tried(value, "sizeInBytes .. is .. elements of 4 bytes, more than any linear texture has",
        CUDA_RESOURCE_DESC { size: 1 << 40, ..linear }, plain);
    tried(value, "resType 9 is not a CUresourcetype: 0 (array), 1 (mipmapped array), 2 (linear), 3 (pitch2D)",
        CUDA_RESOURCE_DESC { res_type: 9, ..array }, plain);
    tried(value, "flags 0x1 of the resource descriptor is not 0", CUDA_RESOURCE_DESC { flags: 1, ..array }, plain);
    tried(CUresult::INVALID_HANDLE, "hArray 0x1234 is not an array: it was destroyed, or never was one",
        CUDA_RESOURCE_DESC { what: 0x1234, ..array }, plain);
    tried(value, "addressMode 7 is not a CUaddress_mode: 0 (wrap), 1 (clamp), 2 (mirror), 3 (border)",
        array, CUDA_TEXTURE_DESC { address_mode: [0, 7, 0], ..plain });
    tried(value, "filterMode 5 is not a CUfilter_mode: 0 (point), 1 (linear)",
        array, CUDA_TEXTURE_DESC { filter_mode: 5, ..plain });
    tried(value, "flags 0x100000 has bits that are not CU_TRSF flags: 0x100000",
        array, CUDA_TEXTURE_DESC { flags: 0x10_0000, ..plain });
    tried(value, "CU_TRSF_SEAMLESS_CUBEMAP is set, and the resource is not a cubemap",
        array, CUDA_TEXTURE_DESC { flags: 0x40, ..plain });
    refused!(cases, INVALID_VALUE, "pResDesc is null", cuTexObjectCreate(&mut 0, null(), &raw const plain, null()));
    refused!(cases, INVALID_VALUE, "resType 2 is not CU_RESOURCE_TYPE_ARRAY (0): surfaces are made of arrays",
        cuSurfObjectCreate(&mut 0, &raw const linear));
    refused!(cases, INVALID_VALUE, "texObject 0x4d is not a texture object: it was destroyed, or never was one",
        cuTexObjectDestroy(77));
    refused!(cases, INVALID_VALUE, "surfObject 0x.. is not a surface object: it was destroyed, or never was one",
        cuSurfObjectDestroy(world.texture));
    cases.done();
}

#[rustfmt::skip]
#[test]
fn arrays() {
    ready();
    let world = World::new();
    let mut cases = Cases(Vec::new());
    let mut tried = |code, reason: &str, descriptor: CUDA_ARRAY3D_DESCRIPTOR| {
        let mut array = null_mut();
        // SAFETY: the pointers are to local variables.
        cases.refused(code, reason, || unsafe {
            cuArray3DCreate_v2(&raw mut array, &raw const descriptor)
        });
    };
    let value = CUresult::INVALID_VALUE;
    let (layered, cube) = (CUDA_ARRAY3D_LAYERED, CUDA_ARRAY3D_CUBEMAP);
    tried(value, "Width 0, Height 8, Depth 0: an array has at least one element", CUDA_ARRAY3D_DESCRIPTOR { width: 0, ..ARRAY });
    tried(value, "NumChannels 3: texels have 1, 2 or 4 channels of 8, 16 or 32 bits; 3 is not possible: pad to 4",
        CUDA_ARRAY3D_DESCRIPTOR { num_channels: 3, ..ARRAY });
    tried(value, "NumChannels 1 is not a number of channels that CUarray_format 0x99 has: 2",
        CUDA_ARRAY3D_DESCRIPTOR { format: 0x99, ..ARRAY });
    tried(value, "Flags 0x8000 has bits that are not CUDA_ARRAY3D flags: 0x8000",
        CUDA_ARRAY3D_DESCRIPTOR { flags: 0x8000, ..ARRAY });
    tried(value, "Width 8, Height 8, Depth 0: a layered array has its layers as Depth",
        CUDA_ARRAY3D_DESCRIPTOR { flags: layered, ..ARRAY });
    tried(value, "Width 8, Height 8, Depth 5: a cubemap has a Height, and its 6 faces as Depth",
        CUDA_ARRAY3D_DESCRIPTOR { flags: cube, depth: 5, ..ARRAY });
    tried(value, "Width 8, Height 0, Depth 4: an array of one axis has no Depth, unless it is layered",
        CUDA_ARRAY3D_DESCRIPTOR { height: 0, depth: 4, flags: 0, ..ARRAY });
    tried(value, "the width of `array` is 1048576, but must be 1 to 131072 on sm_86 (CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH)",
        CUDA_ARRAY3D_DESCRIPTOR { width: 1 << 20, ..ARRAY });
    tried(value, "Flags 0x9 has CUDA_ARRAY3D_TEXTURE_GATHER with CUDA_ARRAY3D_LAYERED",
        CUDA_ARRAY3D_DESCRIPTOR { flags: layered | CUDA_ARRAY3D_TEXTURE_GATHER, ..ARRAY });
    tried(value, "Flags 0x10 has CUDA_ARRAY3D_DEPTH_TEXTURE, which no array has",
        CUDA_ARRAY3D_DESCRIPTOR { flags: CUDA_ARRAY3D_DEPTH_TEXTURE, ..ARRAY });
    tried(value, "arrays of video formats (CUarray_format 0xb0) are not supported",
        CUDA_ARRAY3D_DESCRIPTOR { format: 0xb0, num_channels: 3, ..ARRAY });
    let mut level = null_mut();
    refused!(cases, INVALID_VALUE, "level 5 does not exist: the mipmapped array has 2, numbered from 0",
        cuMipmappedArrayGetLevel(&raw mut level, world.mipmapped, 5));
    ok!(cuMipmappedArrayGetLevel(&raw mut level, world.mipmapped, 1));
    refused!(cases, INVALID_VALUE, "hArray 0x.. is a level of a mipmapped array, with which it ends (cuMipmappedArrayDestroy)",
        cuArrayDestroy(level));
    refused!(cases, INVALID_HANDLE, "hArray is null", cuArrayDestroy(null_mut()));
    refused!(cases, INVALID_HANDLE, "hArray 0x.. is not an array: it was destroyed, or never was one",
        cuArrayDestroy(world.stream));
    cases.done();
}

#[rustfmt::skip]
#[test]
fn memory_and_copies() {
    ready();
    let World { memory, array, .. } = World::new();
    let mut cases = Cases(Vec::new());
    let mut host = [0_u8; 8192];
    let at = host.as_mut_ptr();
    let mut address = 0;
    refused!(cases, INVALID_VALUE, "bytesize is 0: an allocation has at least one byte",
        cuMemAlloc_v2(&raw mut address, 0));
    refused!(cases, OUT_OF_MEMORY, "bytesize .. is more than .., what is left of the device's .. bytes of memory",
        cuMemAlloc_v2(&raw mut address, 1 << 45));
    refused!(cases, INVALID_VALUE, "dptr is null", cuMemAlloc_v2(null_mut(), 16));
    refused!(cases, INVALID_VALUE, "dptr 0x.. is 256 bytes past the start of its allocation, 0x.. (number .., 4096 bytes)",
        cuMemFree_v2(memory + 256));
    refused!(cases, INVALID_VALUE, "dptr 0x10 is not memory that was allocated or registered", cuMemFree_v2(0x10));
    ok!(cuMemAlloc_v2(&raw mut address, 64));
    ok!(cuMemFree_v2(address));
    refused!(cases, INVALID_VALUE, "dptr 0x.. is not allocated: it was freed before, or never allocated",
        cuMemFree_v2(address));
    refused!(cases, INVALID_VALUE, "p 0x.. is device memory (cuMemAlloc), which is released by cuMemFree, cudaFree",
        cuMemFreeHost(memory as Ptr));
    refused!(cases, INVALID_VALUE, "dstDevice 0x..: 5000 bytes pass the end of the allocation, in which 4096 are left (number ..: 4096 bytes of device memory (cuMemAlloc) from 0x.. on)",
        cuMemcpyHtoD_v2(memory, at, 5000));
    refused!(cases, INVALID_VALUE, "srcHost is null", cuMemcpyHtoD_v2(memory, null(), 16));
    refused!(cases, INVALID_VALUE, "srcHost 0x.. is device memory, where host memory is wanted",
        cuMemcpyHtoD_v2(memory, memory as *const u8, 16));
    refused!(cases, INVALID_VALUE, "srcDevice 0x.. is ordinary memory of the program, which a device cannot reach: it was neither allocated by CUDA nor registered (cuMemHostRegister, cudaHostRegister)",
        cuMemcpyDtoH_v2(at, at as u64, 16));
    refused!(cases, INVALID_VALUE, "dstDevice 0x.. is not in an allocation: the memory was freed, or never allocated, or it is a variable of fewer than 16 bytes",
        cuMemcpyDtoD_v2(address, memory, 16));
    refused!(cases, INVALID_VALUE, "dstDevice 0x.. is not a multiple of 4, the bytes of a number that is set",
        cuMemsetD32_v2(memory + 2, 7, 4));
    refused!(cases, INVALID_VALUE, "dstDevice 0x..: 16000 bytes pass the end of the allocation, in which 4096 are left (number ..: 4096 bytes of device memory (cuMemAlloc) from 0x.. on)",
        cuMemsetD32_v2(memory, 7, 4000));
    let mut copy = CUDA_MEMCPY2D { width_in_bytes: 64, height: 4, ..CUDA_MEMCPY2D::default() };
    (copy.src.memory_type, copy.src.host, copy.src.pitch) = (CU_MEMORYTYPE_HOST, at as u64, 20);
    (copy.dst.memory_type, copy.dst.device, copy.dst.pitch) = (CU_MEMORYTYPE_DEVICE, memory, 64);
    refused!(cases, INVALID_VALUE, "srcPitch 20 is less than WidthInBytes 64: a row does not fit",
        cuMemcpy2D_v2(&raw const copy));
    (copy.src.pitch, copy.src.memory_type) = (64, 9);
    refused!(cases, INVALID_VALUE, "srcMemoryType 9 is not a CUmemorytype: 1 (host), 2 (device), 3 (array) or 4 (unified)",
        cuMemcpy2D_v2(&raw const copy));
    copy.src.memory_type = CU_MEMORYTYPE_HOST;
    (copy.dst.memory_type, copy.dst.array) = (CU_MEMORYTYPE_ARRAY, array as usize);
    refused!(cases, INVALID_VALUE, "WidthInBytes 64 is more than a row of dstArray has: 32 bytes",
        cuMemcpy2D_v2(&raw const copy));
    copy.dst.array = 0x77;
    refused!(cases, INVALID_HANDLE, "dstArray 0x77 is not an array: it was destroyed, or never was one",
        cuMemcpy2D_v2(&raw const copy));
    refused!(cases, INVALID_HANDLE, "dstArray is null", cuMemcpyHtoA_v2(null_mut(), 0, at, 4));
    refused!(cases, INVALID_VALUE, "dstOffset 4: 32 bytes from there on, past the end of a row of dstArray (32 bytes)",
        cuMemcpyHtoA_v2(array, 4, at, 32));
    refused!(cases, INVALID_VALUE, "dstOffset 2 is not a multiple of 4, the bytes of a texel of dstArray",
        cuMemcpyHtoA_v2(array, 2, at, 4));
    refused!(cases, INVALID_VALUE, "ByteCount 3 is not a multiple of 4, the bytes of a texel of dstArray",
        cuMemcpyHtoA_v2(array, 0, at, 3));
    ok!(cuMemcpyHtoA_v2(array, 32, at, 0));
    refused!(cases, INVALID_VALUE, "bytesize is 0: at least one byte is registered", cuMemHostRegister_v2(at.cast(), 0, 0));
    refused!(cases, INVALID_VALUE, "p 0x.. is an address of a device, not of host memory",
        cuMemHostRegister_v2(memory as Ptr, 16, 0));
    refused!(cases, HOST_MEMORY_NOT_REGISTERED, "p 0x.. is not memory that was allocated or registered",
        cuMemHostUnregister(at.cast()));
    refused!(cases, INVALID_VALUE, "p 0x.. is not host memory that was allocated (cuMemHostAlloc) or registered (cuMemHostRegister)",
        cuMemHostGetDevicePointer_v2(&raw mut address, at.cast(), 0));
    refused!(cases, INVALID_VALUE, "devPtr 0x.. is device memory (cuMemAlloc), not managed memory",
        cuMemAdvise(memory, 16, 1, 0));
    refused!(cases, INVALID_VALUE, "ptr 0x.. is not an address in memory that the driver knows: no allocation, registered memory or variable of a module is there",
        cuPointerGetAttribute(at.cast(), 2, at as u64));
    ok!(cuMemHostRegister_v2(at.cast(), 4096, 0));
    refused!(cases, HOST_MEMORY_ALREADY_REGISTERED, "4096 bytes of host memory from 0x.. on: a part of them is registered or allocated already",
        cuMemHostRegister_v2(at.cast(), 4096, 0));
    ok!(cuMemHostUnregister(at.cast()));
    let mut pool = null_mut();
    ok!(cuDeviceGetDefaultMemPool(&raw mut pool, 0));
    refused!(cases, INVALID_VALUE, "pool 0x.. is the default pool of its place, which always stays",
        cuMemPoolDestroy(pool));
    cases.done();
}

#[rustfmt::skip]
#[test]
fn modules_and_launches() {
    ready();
    let world = World::new();
    let mut cases = Cases(Vec::new());
    let (mut module, mut f) = (null_mut(), null_mut());
    ok!(cuModuleLoadData(&raw mut module, KERNELS.as_ptr().cast()));
    let mut kernel = |name: &CStr| {
        ok!(cuModuleGetFunction(&raw mut f, module, name.as_ptr()));
        f
    };
    let (fill, bounded, shared) = (kernel(c"fill"), kernel(c"bounded"), kernel(c"shared"));
    let mut go = |code, reason: &str, f: Ptr, [gx, bx, bz]: [u32; 3], dynamic: u32, both: bool| {
        let mut params = [null_mut::<u8>(); 2];
        let mut extra = [0; 2];
        let none = null_mut();
        let (params, extra) =
            if both { (params.as_mut_ptr(), extra.as_mut_ptr()) } else { (null_mut(), null_mut()) };
        // SAFETY: the pointers are to local variables.
        cases.refused(code, reason, || unsafe {
            cuLaunchKernel(f, gx, 1, 1, bx, 1, bz, dynamic, none, params, extra)
        });
    };
    let (value, good) = (CUresult::INVALID_VALUE, world.function);
    go(value, "gridDimX 0 is not from 1 to .., the sizes of a grid on this device", good, [0, 1, 1], 0, false);
    go(value, "blockDimX 1025 is not from 1 to 1024, the sizes of a block on this device",
        good, [1, 1025, 1], 0, false);
    go(value, "blockDimZ 65 is not from 1 to 64, the sizes of a block on this device", good, [1, 1, 65], 0, false);
    go(value, "kernel `good`: a CTA of 1024 x 1 x 2 has 2048 threads, but at most 1024 are possible",
        good, [1, 1024, 2], 0, false);
    go(value, "kernel `bounded`: the kernel was made for CTAs of at most 64 threads (.maxntid), not 65",
        bounded, [1, 65, 1], 0, false);
    go(value, "sharedMemBytes 50000 is more than 49148, the dynamic shared memory of kernel `shared` (beside 4 bytes of static); CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES (cudaFuncAttributeMaxDynamicSharedMemorySize) raises that up to 101372",
        shared, [1, 1, 1], 50_000, false);
    go(value, "kernelParams and extra are both null, but kernel `fill` has 2 parameters", fill, [1, 1, 1], 0, false);
    go(value, "kernelParams and extra are both given; arguments come by one of them", fill, [1, 1, 1], 0, true);
    go(CUresult::INVALID_HANDLE, "f 0x99 is not a function: it was destroyed, or never was one",
        0x99 as Ptr, [1, 1, 1], 0, false);
    go(CUresult::INVALID_HANDLE, "f is null", null_mut(), [1, 1, 1], 0, false);
    let none = null_mut();
    refused!(cases, COOPERATIVE_LAUNCH_TOO_LARGE, "a cooperative grid of 10000 CTAs is more than 168, as many CTAs of 256 threads of kernel `good` as the 28 multiprocessors of the device hold at a time",
        cuLaunchCooperativeKernel(good, 10_000, 1, 1, 256, 1, 1, 0, none, null_mut()));
    refused!(cases, INVALID_VALUE, "value 200000 of CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES is not from 0 to 101372, the values that kernel `shared` can have on this device",
        cuFuncSetAttribute(shared, 8, 200_000));
    refused!(cases, INVALID_VALUE, "attrib 99 is not a CUfunction_attribute that texunit has",
        cuFuncGetAttribute(&mut 0, 99, shared));
    refused!(cases, NOT_FOUND, "the module has no kernel `nowhere` (ptx: 4 kernels)",
        cuModuleGetFunction(&raw mut f, module, c"nowhere".as_ptr()));
    refused!(cases, NOT_FOUND, "the module has no kernel `scale`; did you mean `_Z5scalePfi`? (ptx: 4 kernels)",
        cuModuleGetFunction(&raw mut f, module, c"scale".as_ptr()));
    refused!(cases, NOT_FOUND, "the module has no variable `x` (ptx)",
        cuModuleGetGlobal_v2(&mut 0, &mut 0, module, c"x".as_ptr()));
    refused!(cases, INVALID_VALUE, "`fill` is a kernel of the module, not a variable",
        cuModuleGetGlobal_v2(&mut 0, &mut 0, module, c"fill".as_ptr()));
    let bad = c".version 8.0\n.target sm_75\n.address_size 64\n.entry k() { mov.u32 %r1, 1; ret; }";
    refused!(cases, INVALID_PTX, "ptx:4:22: nothing is called %r1 [E0110]",
        cuModuleLoadData(&raw mut module, bad.as_ptr().cast()));
    refused!(cases, INVALID_VALUE, "image is null", cuModuleLoadData(&raw mut module, null()));
    refused!(cases, NO_BINARY_FOR_GPU, "the program has machine code only, but texunit runs PTX: compile it with `-arch=compute_86` or `-gencode arch=compute_86,code=compute_86`",
        cuModuleLoadData(&raw mut module, b"\x7fELF\x02".as_ptr()));
    refused!(cases, FILE_NOT_FOUND, "the file \"/nowhere/k.ptx\" cannot be read: No such file or directory (os error 2)",
        cuModuleLoad(&raw mut module, c"/nowhere/k.ptx".as_ptr()));
    refused!(cases, INVALID_HANDLE, "hmod is null", cuModuleUnload(null_mut()));
    refused!(cases, INVALID_PTX, "linking failed: nothing was given to be linked",
        cuLinkComplete(world.link, &mut null(), &mut 0));
    // The fault is printed on standard error; every later call names it in its reason.
    ok!(cuLaunchKernel(world.bad, 1, 1, 1, 1, 1, 1, 0, none, null_mut(), null_mut()));
    refused!(cases, ILLEGAL_ADDRESS, "this context has ended by a fault of kernel `bad` at ptx:11:5 in bad: store of 4 bytes at .global address 0x10, out of bounds: nothing is near this address",
        cuCtxSynchronize());
    cases.done();
}

#[rustfmt::skip]
#[test]
fn contexts_streams_events_devices() {
    ready();
    let world = World::new();
    let mut cases = Cases(Vec::new());
    let (mut stream, mut event, mut other) = (null_mut(), null_mut(), null_mut());
    refused!(cases, INVALID_HANDLE, "hStream 0x1234 is not a stream: it was destroyed, or never was one",
        cuStreamSynchronize(0x1234 as Ptr));
    refused!(cases, INVALID_VALUE, "Flags 0x6 is not CU_STREAM_DEFAULT (0) or CU_STREAM_NON_BLOCKING (1)",
        cuStreamCreate(&raw mut stream, 6));
    refused!(cases, INVALID_VALUE, "Flags 0x40 has bits that are not CUevent_flags: those are 1 (blocking sync), 2 (disable timing) and 4 (interprocess)",
        cuEventCreate(&raw mut event, 64));
    refused!(cases, INVALID_HANDLE, "hEvent 0x.. is not an event: it was destroyed, or never was one",
        cuEventRecord(world.stream, null_mut()));
    ok!(cuEventCreate(&raw mut event, 0));
    ok!(cuEventCreate(&raw mut other, 2));
    ok!(cuEventRecord(event, null_mut()));
    refused!(cases, INVALID_HANDLE, "hEnd was made with CU_EVENT_DISABLE_TIMING, and has no time",
        cuEventElapsedTime(&mut 0.0, event, other));
    ok!(cuEventCreate(&raw mut other, 0));
    refused!(cases, INVALID_HANDLE, "hEnd is an event that was never recorded (cuEventRecord)",
        cuEventElapsedTime(&mut 0.0, event, other));
    refused!(cases, INVALID_VALUE, "fn is null", cuLaunchHostFunc(null_mut(), None, null_mut()));
    refused!(cases, INVALID_DEVICE, "device 99 does not exist: there is one device, 0", cuDeviceGet(&mut 0, 99));
    refused!(cases, INVALID_VALUE, "attrib 9999 is not a CUdevice_attribute that CUDA 13.5 knows",
        cuDeviceGetAttribute(&mut 0, 9999, 0));
    refused!(cases, INVALID_VALUE, "len 0 is not a size of a text, 1 and more", cuDeviceGetName(null_mut(), 0, 0));
    refused!(cases, INVALID_VALUE, "value .. is more than 524288, the maximum bytes of stack (CU_LIMIT_STACK_SIZE) that a thread can have",
        cuCtxSetLimit(0, 1 << 30));
    refused!(cases, INVALID_VALUE, "limit 99 is not a CUlimit that texunit has: those are 0 to 6",
        cuCtxGetLimit(&mut 0, 99));
    refused!(cases, INVALID_CONTEXT, "peerContext is the current context itself: peers are two",
        cuCtxEnablePeerAccess(world.context, 0));
    refused!(cases, NOT_FOUND, "CUDA 13.5 has no function `cuNothing` in its driver API",
        cuGetProcAddress_v2(c"cuNothing".as_ptr(), &raw mut other, 13_050, 0, &mut 0));
    refused!(cases, NOT_SUPPORTED, "texunit does not provide cuDestroyExternalSemaphore: it takes semaphores that another driver exports for NVIDIA's (Vulkan, Direct3D, NvSci): CUDA itself exports none, and neither does a driver on a machine without a card (docs/cuda-api.md has what it provides)",
        cuDestroyExternalSemaphore(null_mut()));
    let context = world.context as usize;
    std::thread::spawn(move || ok!(cuCtxDestroy_v2(context as Ptr))).join().unwrap();
    refused!(cases, CONTEXT_IS_DESTROYED, "the context that is current to this thread (0x..) has been destroyed",
        cuMemAlloc_v2(&mut 0, 16));
    refused!(cases, INVALID_CONTEXT, "ctx 0x.. is not a context: it was destroyed, or never was one",
        cuCtxSetCurrent(world.context));
    ok!(cuCtxSetCurrent(null_mut()));
    refused!(cases, INVALID_CONTEXT, "no context is current to this thread (cuCtxCreate, cuCtxSetCurrent, or any call of the runtime makes one so)",
        cuMemAlloc_v2(&mut 0, 16));
    refused!(cases, INVALID_HANDLE, "hStream 0x.. is not a stream: it was destroyed, or never was one",
        cuStreamSynchronize(world.stream));
    cases.done();
}
