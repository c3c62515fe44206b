//! Device memory that is freed, and arrays that are destroyed, while bound to a texture or surface;
//! and allocation addresses like those of NVIDIA's driver.

use crate::world::*;
use std::ffi::CStr;
use std::ptr::{null, null_mut};
use texunit_cuda_abi::{
    CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, CU_TRSF_NORMALIZED_COORDINATES, CUDA_RESOURCE_DESC,
    CUDA_TEXTURE_DESC, CUresult,
};

const KERNELS: &CStr = ptx!("../ptx/freed.ptx");

/// Launches a kernel in a context of its own; returns the context's result afterwards.
fn launch(name: &CStr, mut value: u64) -> CUresult {
    let (mut module, mut f, no) = (null_mut(), null_mut(), null_mut());
    ok!(cuModuleLoadData(&raw mut module, KERNELS.as_ptr().cast()));
    ok!(cuModuleGetFunction(&raw mut f, module, name.as_ptr()));
    let mut params = [(&raw mut value).cast::<u8>()];
    ok!(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, no, params.as_mut_ptr(), null_mut()));
    // SAFETY: the call takes no pointers.
    unsafe { cuCtxSynchronize() }
}

const ILLEGAL: CUresult = CUresult::ILLEGAL_ADDRESS;
const FINE: CUresult = CUresult::SUCCESS;

fn texture(resource: &CUDA_RESOURCE_DESC) -> u64 {
    let mut how = CUDA_TEXTURE_DESC::default();
    if resource.res_type == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY {
        how.flags = CU_TRSF_NORMALIZED_COORDINATES;
    }
    let mut object = 0;
    ok!(cuTexObjectCreate(&raw mut object, resource, &raw const how, null()));
    object
}

#[test]
fn textures_of_freed_memory_fault() {
    context();
    let mut memory = 0;
    ok!(cuMemAlloc_v2(&raw mut memory, 4096));
    let resource = linear(memory, 4096);
    let object = texture(&resource);
    assert_eq!((launch(c"fetch1", object), launch(c"load", memory)), (FINE, FINE));
    ok!(cuMemFree_v2(memory));
    assert_eq!(launch(c"fetch1", object), ILLEGAL);
    // Another context of the device gets the same result.
    context();
    assert_eq!(launch(c"load", memory), ILLEGAL);
}

#[test]
fn textures_and_surfaces_of_destroyed_arrays_fault() {
    let array = || {
        let mut array: Ptr = null_mut();
        ok!(cuArray3DCreate_v2(&raw mut array, &raw const ARRAY));
        array
    };
    for with_surface in [false, true] {
        context();
        let array = array();
        let object = texture(&of_array(array));
        let (mut surface, resource) = (0, of_array(array));
        ok!(cuSurfObjectCreate(&raw mut surface, &raw const resource));
        assert_eq!((launch(c"fetch2", object), launch(c"store2", surface)), (FINE, FINE));
        ok!(cuArrayDestroy(array));
        let result = match with_surface {
            false => launch(c"fetch2", object),
            true => launch(c"store2", surface),
        };
        assert_eq!(result, ILLEGAL);
    }
    context();
    let mut mipmapped = null_mut();
    ok!(cuMipmappedArrayCreate(&raw mut mipmapped, &raw const ARRAY, 2));
    let object = texture(&CUDA_RESOURCE_DESC {
        res_type: CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
        what: mipmapped as u64,
        ..CUDA_RESOURCE_DESC::default()
    });
    assert_eq!(launch(c"fetch2f", object), FINE);
    ok!(cuMipmappedArrayDestroy(mipmapped));
    assert_eq!(launch(c"fetch2f", object), ILLEGAL);
}

#[test]
fn addresses_are_aligned_as_those_of_a_driver() {
    context();
    for (size, align) in [
        (1, 512),
        (4095, 512),
        (4096, 4096),
        (100_000, 4096),
        (1 << 20, 2 << 20),
        (5 << 20, 2 << 20),
    ] {
        let mut memory = 0;
        for _ in 0..3 {
            ok!(cuMemAlloc_v2(&raw mut memory, size));
            assert_eq!(memory % align, 0, "{size} bytes at {memory:#x}");
        }
    }
}

#[test]
fn the_number_in_faults_is_that_of_the_buffer() {
    context();
    let (mut memory, mut number) = (0, 0);
    ok!(cuMemAlloc_v2(&raw mut memory, 64));
    ok!(cuPointerGetAttribute((&raw mut number).cast(), 7, memory));
    let device = texunit_device::Device::default();
    let next = device.alloc(1, "next").unwrap();
    assert!(number > 0 && next.number() > number);
}
