//! Texture and surface references: settings are read back, and are used by kernels.

use crate::fetching::*;
use std::ffi::CStr;
use std::ptr::null_mut;
use texunit_cuda_abi::*;

functions! {
    cuTexRefSetBorderColor(reference: Ptr, colour: *const [f32; 4]);
    cuTexRefGetMaxAnisotropy(most: *mut i32, reference: Ptr);
    cuTexRefGetBorderColor(colour: *mut [f32; 4], reference: Ptr);
    cuTexRefGetFormat(format: *mut u32, channels: *mut i32, reference: Ptr);
}

/// References used by the kernels, and a kernel that writes to a surface.
const HEAD: &str = "
.version 8.0
.target sm_80
.address_size 64
.global .texref picture = { addr_mode_0 = wrap, filter_mode = nearest };
.global .surfref canvas;

.visible .entry paint(.param .u64 none, .param .u64 from, .param .u64 to)
{
    .reg .b32 tid, x, y, v;
    mov.u32 tid, %tid.x;
    and.b32 x, tid, 3;
    shr.u32 y, tid, 2;
    add.u32 v, tid, 100;
    shl.b32 x, x, 2;
    sust.b.2d.b32.zero [canvas, {x, y}], {v};
    ret;
}
";

/// Kernels that fetch from references and ignore the handle that is passed.
fn references() -> Runner {
    let mut text = HEAD.to_owned();
    for (name, fetch) in [
        ("fetch", "tex.2d.v4.u32.f32 {r0, r1, r2, r3}, [picture, {x, y}];"),
        ("fetch_row", "cvt.rzi.s32.f32 i, x; tex.1d.v4.u32.s32 {r0, r1, r2, r3}, [picture, {i}];"),
        ("level", "tex.level.2d.v4.u32.f32 {r0, r1, r2, r3}, [picture, {x, y}], w;"),
    ] {
        kernel(&mut text, name, fetch);
    }
    Runner::new(&text)
}

fn texref(module: Ptr, name: &CStr) -> Ptr {
    let mut reference = null_mut();
    ok!(cuModuleGetTexRef(&raw mut reference, module, name.as_ptr()));
    reference
}

/// An array of 4 x 4 numbers starting at `first`.
fn numbers(first: u32, flags: u32) -> Ptr {
    let given = array(&CUDA_ARRAY3D_DESCRIPTOR {
        width: 4,
        height: 4,
        format: 0x03,
        num_channels: 1,
        flags,
        ..CUDA_ARRAY3D_DESCRIPTOR::default()
    });
    let mut texels: Vec<u8> = (first..first + 16).flat_map(u32::to_le_bytes).collect();
    copy(given, texels.as_mut_ptr(), true, [16, 4, 1]);
    given
}

/// Coordinates of a 4 x 4 texture, each twice.
fn places(scale: f32, level: f32) -> Vec<u8> {
    let of = |i: usize| [(i % 4) as f32 + 0.5, (i / 4 % 4) as f32 + 0.5];
    (0..THREADS)
        .flat_map(|i| [of(i)[0] * scale, of(i)[1] * scale, 0.0, level])
        .flat_map(f32::to_le_bytes)
        .collect()
}

/// The first component of the first results.
fn firsts(out: &[u8], count: usize) -> Vec<u32> {
    let texels = out.chunks_exact(16).take(count);
    texels.map(|texel| u32::from_le_bytes(texel[..4].try_into().unwrap())).collect()
}

const OVERRIDE: u32 = CU_TRSA_OVERRIDE_FORMAT;

#[test]
fn kernels_see_what_is_set() {
    let context = context();
    let runner = references();
    let reference = texref(runner.module, c"picture");
    assert_eq!(texref(runner.module, c"picture"), reference);
    let fetch = |at: &[u8], count| firsts(&runner.run("fetch", 0, at), count);
    let (first, second) = (numbers(0, 0), numbers(1000, 0));
    ok!(cuTexRefSetArray(reference, first, OVERRIDE));
    assert_eq!(fetch(&places(1.0, 0.0), 16), (0..16).collect::<Vec<_>>());
    ok!(cuTexRefSetArray(reference, second, OVERRIDE));
    assert_eq!(fetch(&places(1.0, 0.0), 16), (1000..1016).collect::<Vec<_>>());
    ok!(cuTexRefSetFlags(reference, CU_TRSF_NORMALIZED_COORDINATES));
    assert_eq!(fetch(&places(0.25, 0.0), 16), (1000..1016).collect::<Vec<_>>());
    // Outside of the texture: the initialiser's mode along x, then the border.
    let outside: Vec<u8> = (0..THREADS)
        .flat_map(|_| [1.125_f32, 0.125, 0.0, 0.0])
        .flat_map(f32::to_le_bytes)
        .collect();
    assert_eq!(fetch(&outside, 1), [1000]);
    ok!(cuTexRefSetAddressMode(reference, 0, CU_TR_ADDRESS_MODE_CLAMP));
    assert_eq!(fetch(&outside, 1), [1003]);
    ok!(cuTexRefSetAddressMode(reference, 0, CU_TR_ADDRESS_MODE_BORDER));
    let colour = [f32::from_bits(77), 0.0, 0.0, 0.0];
    ok!(cuTexRefSetBorderColor(reference, &raw const colour));
    assert_eq!(fetch(&outside, 1), [77]);
    // The array that it reads is destroyed.
    ok!(cuArrayDestroy(second));
    runner.launch("fetch", 0, &outside);
    fails!(ILLEGAL_ADDRESS, cuCtxSynchronize());
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn levels_of_a_reference() {
    let context = context();
    let runner = references();
    let reference = texref(runner.module, c"picture");
    let descriptor = CUDA_ARRAY3D_DESCRIPTOR {
        width: 4,
        height: 4,
        format: 0x03,
        num_channels: 1,
        ..CUDA_ARRAY3D_DESCRIPTOR::default()
    };
    let whole = mipmapped(&descriptor, 2);
    for (number, size) in [(0, 4_u64), (1, 2)] {
        let mut level = null_mut();
        ok!(cuMipmappedArrayGetLevel(&raw mut level, whole, number));
        let mut texels = (10 + number).to_le_bytes().repeat((size * size) as usize);
        copy(level, texels.as_mut_ptr(), true, [4 * size, size, 1]);
    }
    ok!(cuTexRefSetMipmappedArray(reference, whole, OVERRIDE));
    let mut back = null_mut();
    ok!(cuTexRefGetMipmappedArray(&raw mut back, reference));
    assert_eq!(back, whole);
    fails!(INVALID_VALUE, cuTexRefGetArray(&raw mut back, reference));
    let fetch = |level| firsts(&runner.run("level", 0, &places(0.25, level)), 1)[0];
    assert_eq!([fetch(0.0), fetch(1.0)], [10, 11]);
    ok!(cuTexRefSetMipmapLevelBias(reference, 1.0));
    assert_eq!([fetch(0.0), fetch(-1.0)], [11, 10]);
    ok!(cuTexRefSetMipmapLevelClamp(reference, 0.0, 0.25));
    assert_eq!(fetch(1.0), 10);
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn memory_of_a_reference() {
    let context = context();
    let runner = references();
    let reference = texref(runner.module, c"picture");
    let mut memory = 0;
    ok!(cuMemAlloc_v2(&raw mut memory, 4096));
    let bytes: Vec<u8> = (0..4096).map(|i| (i % 251) as u8).collect();
    ok!(cuMemcpyHtoD_v2(memory, bytes.as_ptr(), bytes.len()));
    let (mut offset, mut back) = (9, 0);
    // The format may be set after the address, as in PyCUDA's own tests.
    ok!(cuTexRefSetAddress_v2(&raw mut offset, reference, memory, 64));
    assert_eq!(offset, 0);
    ok!(cuTexRefSetFormat(reference, 0x01, 1));
    ok!(cuTexRefSetFlags(reference, CU_TRSF_READ_AS_INTEGER));
    let row = |count| firsts(&runner.run("fetch_row", 0, &places(1.0, 0.0)), count);
    assert_eq!(row(4), [0, 1, 2, 3]);
    ok!(cuTexRefSetAddress_v2(&raw mut offset, reference, memory, 64));
    assert_eq!(row(4), [0, 1, 2, 3]);
    // An unaligned address is aligned downwards, and the call returns an offset for the kernel to
    // add.
    ok!(cuTexRefSetAddress_v2(&raw mut offset, reference, memory + 515, 64));
    assert_eq!(offset, 3);
    assert_eq!(row(4), [512 % 251, 513 % 251, 514 % 251, 515 % 251]);
    ok!(cuTexRefGetAddress_v2(&raw mut back, reference));
    assert_eq!(back, memory + 512);
    fails!(INVALID_VALUE, cuTexRefSetAddress_v2(null_mut(), reference, memory + 515, 64));
    fails!(INVALID_VALUE, cuTexRefSetAddress_v2(&raw mut offset, reference, memory, usize::MAX));
    // Texels past the end of the memory are 0, as for texture objects.
    ok!(cuTexRefSetAddress_v2(&raw mut offset, reference, memory + 3584, 5000));
    assert_eq!(row(4), [3584 % 251, 3585 % 251, 3586 % 251, 3587 % 251]);
    let mut narrow = 0;
    fails!(INVALID_VALUE, cuTexRefSetAddress(&raw mut narrow, reference, 512, 64));
    // Two bytes per element.
    ok!(cuTexRefSetAddress_v2(&raw mut offset, reference, memory, 64));
    ok!(cuTexRefSetFormat(reference, 0x02, 1));
    assert_eq!(row(2), [0x0100, 0x0302]);
    let what = CUDA_ARRAY_DESCRIPTOR { width: 4, height: 4, format: 0x01, num_channels: 1 };
    ok!(cuTexRefSetAddress2D_v3(reference, &raw const what, memory, 64));
    let texels: Vec<u32> = (0..16).map(|i| (i / 4 * 64 + i % 4) % 251).collect();
    assert_eq!(firsts(&runner.run("fetch", 0, &places(1.0, 0.0)), 16), texels);
    let (mut format, mut channels) = (0, 0);
    ok!(cuTexRefGetFormat(&raw mut format, &raw mut channels, reference));
    assert_eq!((format, channels), (0x01, 1));
    fails!(INVALID_VALUE, cuTexRefSetAddress2D_v2(reference, &raw const what, memory + 16, 64));
    fails!(INVALID_VALUE, cuTexRefSetAddress2D_v2(reference, &raw const what, memory, 2048));
    // Null with size 0 unbinds the reference; fetches then return zeros.
    ok!(cuTexRefSetAddress_v2(null_mut(), reference, 0, 0));
    fails!(INVALID_VALUE, cuTexRefGetAddress_v2(&raw mut back, reference));
    assert_eq!(firsts(&runner.run("fetch", 0, &places(1.0, 0.0)), 16), [0; 16]);
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn surfaces_are_bound() {
    let context = context();
    let runner = references();
    let (mut canvas, mut back) = (null_mut(), null_mut());
    ok!(cuModuleGetSurfRef(&raw mut canvas, runner.module, c"canvas".as_ptr()));
    fails!(INVALID_VALUE, cuSurfRefGetArray(&raw mut back, canvas));
    let (plain, painted) = (numbers(0, 0), numbers(0, CUDA_ARRAY3D_SURFACE_LDST));
    fails!(INVALID_VALUE, cuSurfRefSetArray(canvas, plain, 0));
    fails!(INVALID_VALUE, cuSurfRefSetArray(canvas, painted, 1));
    fails!(INVALID_HANDLE, cuSurfRefSetArray(canvas, null_mut(), 0));
    ok!(cuSurfRefSetArray(canvas, painted, 0));
    ok!(cuSurfRefGetArray(&raw mut back, canvas));
    assert_eq!(back, painted);
    runner.run("paint", 0, &places(1.0, 0.0));
    let mut texels = vec![0; 64];
    copy(painted, texels.as_mut_ptr(), false, [16, 4, 1]);
    let found: Vec<u32> =
        texels.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect();
    assert_eq!(found, (100..116).collect::<Vec<_>>());
    let mut none = null_mut();
    fails!(NOT_FOUND, cuModuleGetSurfRef(&raw mut none, runner.module, c"picture".as_ptr()));
    fails!(NOT_FOUND, cuModuleGetTexRef(&raw mut none, runner.module, c"canvas".as_ptr()));
    fails!(NOT_FOUND, cuModuleGetTexRef(&raw mut none, runner.module, c"nothing".as_ptr()));
    ok!(cuModuleUnload(runner.module));
    fails!(INVALID_HANDLE, cuSurfRefGetArray(&raw mut back, canvas));
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn what_is_set_comes_back() {
    let context = context();
    let mut reference = null_mut();
    ok!(cuTexRefCreate(&raw mut reference));
    let (mut number, mut most, mut float, mut other, mut array) = (0, 0, 0.0, 0.0, null_mut());
    for axis in 0..3 {
        for mode in 0..4 {
            ok!(cuTexRefSetAddressMode(reference, axis, mode));
            ok!(cuTexRefGetAddressMode(&raw mut number, reference, axis));
            assert_eq!(number, mode);
        }
    }
    for axis in [-1, 3] {
        fails!(INVALID_VALUE, cuTexRefSetAddressMode(reference, axis, 0));
        fails!(INVALID_VALUE, cuTexRefGetAddressMode(&raw mut number, reference, axis));
    }
    fails!(INVALID_VALUE, cuTexRefSetAddressMode(reference, 0, 4));
    for filter in [1, 0] {
        ok!(cuTexRefSetFilterMode(reference, filter));
        ok!(cuTexRefGetFilterMode(&raw mut number, reference));
        assert_eq!(number, filter);
        ok!(cuTexRefSetMipmapFilterMode(reference, filter));
        ok!(cuTexRefGetMipmapFilterMode(&raw mut number, reference));
        assert_eq!(number, filter);
    }
    fails!(INVALID_VALUE, cuTexRefSetFilterMode(reference, 2));
    fails!(INVALID_VALUE, cuTexRefSetMipmapFilterMode(reference, 2));
    ok!(cuTexRefSetMipmapLevelBias(reference, -1.5));
    ok!(cuTexRefGetMipmapLevelBias(&raw mut float, reference));
    assert_eq!(float, -1.5);
    ok!(cuTexRefSetMipmapLevelClamp(reference, 0.5, 7.25));
    ok!(cuTexRefGetMipmapLevelClamp(&raw mut float, &raw mut other, reference));
    assert_eq!((float, other), (0.5, 7.25));
    ok!(cuTexRefSetMaxAnisotropy(reference, 8));
    ok!(cuTexRefGetMaxAnisotropy(&raw mut most, reference));
    assert_eq!(most, 8);
    let (colour, mut back) = ([1.0, -2.0, 0.5, 0.25], [0.0; 4]);
    ok!(cuTexRefSetBorderColor(reference, &raw const colour));
    ok!(cuTexRefGetBorderColor(&raw mut back, reference));
    assert_eq!(back, colour);
    ok!(cuTexRefSetFlags(reference, 0x33));
    ok!(cuTexRefGetFlags(&raw mut number, reference));
    assert_eq!(number, 0x33);
    fails!(INVALID_VALUE, cuTexRefSetFlags(reference, 0x100));
    fails!(INVALID_VALUE, cuTexRefGetFormat(&raw mut number, &raw mut most, reference));
    ok!(cuTexRefSetFormat(reference, 0x10, 2));
    ok!(cuTexRefGetFormat(&raw mut number, null_mut(), reference));
    assert_eq!(number, 0x10);
    fails!(INVALID_VALUE, cuTexRefSetFormat(reference, 0x10, 3));
    fails!(INVALID_VALUE, cuTexRefSetFormat(reference, 0x10, -1));
    let given = numbers(0, 0);
    fails!(INVALID_VALUE, cuTexRefSetArray(reference, given, 0));
    fails!(INVALID_VALUE, cuTexRefGetArray(&raw mut array, reference));
    ok!(cuTexRefSetArray(reference, given, OVERRIDE));
    ok!(cuTexRefGetArray(&raw mut array, reference));
    assert_eq!(array, given);
    ok!(cuTexRefGetFormat(&raw mut number, &raw mut most, reference));
    assert_eq!((number, most), (0x03, 1));
    ok!(cuTexRefDestroy(reference));
    fails!(INVALID_HANDLE, cuTexRefDestroy(reference));
    fails!(INVALID_HANDLE, cuTexRefGetFlags(&raw mut number, reference));
    fails!(INVALID_HANDLE, cuTexRefSetFlags(null_mut(), 0));
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn references_end_with_their_module() {
    let context = context();
    let runner = references();
    let reference = texref(runner.module, c"picture");
    // A module's reference cannot be destroyed separately; a kernel uses it without
    // `cuParamSetTexRef`.
    fails!(INVALID_VALUE, cuTexRefDestroy(reference));
    let mut function = null_mut();
    ok!(cuModuleGetFunction(&raw mut function, runner.module, c"fetch".as_ptr()));
    ok!(cuParamSetTexRef(function, CU_PARAM_TR_DEFAULT, reference));
    fails!(INVALID_VALUE, cuParamSetTexRef(function, 0, reference));
    fails!(INVALID_HANDLE, cuParamSetTexRef(null_mut(), -1, reference));
    fails!(INVALID_HANDLE, cuParamSetTexRef(function, -1, function));
    let mut back = 0;
    ok!(cuTexRefGetFlags(&raw mut back, reference));
    ok!(cuModuleUnload(runner.module));
    fails!(INVALID_HANDLE, cuTexRefGetFlags(&raw mut back, reference));
    fails!(
        INVALID_HANDLE,
        cuModuleGetTexRef(&raw mut function, runner.module, c"picture".as_ptr())
    );
    let second = references();
    let reference = texref(second.module, c"picture");
    ok!(cuCtxDestroy_v2(context));
    let context = self::context();
    fails!(INVALID_HANDLE, cuTexRefGetFlags(&raw mut back, reference));
    ok!(cuCtxDestroy_v2(context));
}
