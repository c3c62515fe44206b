//! One object of each kind, and declarations of the functions that take them.

#![allow(non_snake_case, dead_code)]

pub(crate) use crate::common::*;
use std::ffi::CStr;
use std::ptr::{null, null_mut};
use texunit_cuda_abi::{
    CU_MEMORYTYPE_ARRAY, CU_MEMORYTYPE_HOST, CUDA_ARRAY3D_DESCRIPTOR, CUDA_ARRAY3D_SURFACE_LDST,
    CUDA_MEMCPY2D, CUDA_RESOURCE_DESC, CUDA_TEXTURE_DESC, CUresult,
};

functions! {
    cuDeviceGetName(name: *mut u8, len: i32, device: i32);
    cuMemcpyHtoA_v2(array: Ptr, offset: usize, from: *const u8, size: usize);
    cuTexObjectCreate(
        texture: *mut u64, resource: *const CUDA_RESOURCE_DESC, how: *const CUDA_TEXTURE_DESC,
        view: *const u8,
    );
    cuLaunchHostFunc(stream: Ptr, f: Option<unsafe extern "C" fn(Ptr)>, data: Ptr);
    cuStreamAddCallback(
        stream: Ptr, f: Option<unsafe extern "C" fn(Ptr, CUresult, Ptr)>, data: Ptr, flags: u32,
    );
}

/// `good` has no effect, `bad` writes to an invalid address.
pub(crate) const PTX: &CStr = ptx!("../ptx/world.ptx");

/// One object of each kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct World {
    pub(crate) context: Ptr,
    pub(crate) memory: u64,
    pub(crate) array: Ptr,
    pub(crate) mipmapped: Ptr,
    pub(crate) texture: u64,
    pub(crate) surface: u64,
    pub(crate) module: Ptr,
    pub(crate) function: Ptr,
    pub(crate) bad: Ptr,
    pub(crate) library: Ptr,
    pub(crate) kernel: Ptr,
    pub(crate) stream: Ptr,
    pub(crate) event: Ptr,
    pub(crate) link: Ptr,
}

/// An array of 8 x 8 `f32` that can be a surface.
pub(crate) static ARRAY: CUDA_ARRAY3D_DESCRIPTOR = CUDA_ARRAY3D_DESCRIPTOR {
    width: 8,
    height: 8,
    depth: 0,
    format: 0x20,
    num_channels: 1,
    flags: CUDA_ARRAY3D_SURFACE_LDST,
};

/// Writes the 8 x 8 texels of an array of [`ARRAY`].
pub(crate) fn upload(array: Ptr, texels: &[f32]) {
    assert_eq!(texels.len(), 64);
    let mut copy = CUDA_MEMCPY2D { width_in_bytes: 32, height: 8, ..CUDA_MEMCPY2D::default() };
    copy.src.memory_type = CU_MEMORYTYPE_HOST;
    copy.src.host = texels.as_ptr() as u64;
    copy.src.pitch = 32;
    copy.dst.memory_type = CU_MEMORYTYPE_ARRAY;
    copy.dst.array = array as usize;
    ok!(cuMemcpy2D_v2(&raw const copy));
}

impl World {
    /// A world in which all handles are null.
    pub(crate) fn nothing() -> Self {
        let none = null_mut();
        Self {
            context: none,
            memory: 0,
            array: none,
            mipmapped: none,
            texture: 0,
            surface: 0,
            module: none,
            function: none,
            bad: none,
            library: none,
            kernel: none,
            stream: none,
            event: none,
            link: none,
        }
    }

    /// Creates all objects in a new context, which is current.
    pub(crate) fn new() -> Self {
        Self { context: context(), ..Self::nothing() }.fill()
    }

    /// Creates one object of each kind in the current context.
    pub(crate) fn fill(mut self) -> Self {
        let w = &mut self;
        ok!(cuMemAlloc_v2(&raw mut w.memory, 4096));
        ok!(cuArray3DCreate_v2(&raw mut w.array, &raw const ARRAY));
        ok!(cuMipmappedArrayCreate(&raw mut w.mipmapped, &raw const ARRAY, 2));
        let (resource, how) = (of_array(w.array), CUDA_TEXTURE_DESC::default());
        ok!(cuTexObjectCreate(&raw mut w.texture, &raw const resource, &raw const how, null()));
        ok!(cuSurfObjectCreate(&raw mut w.surface, &raw const resource));
        let text = PTX.as_ptr().cast();
        ok!(cuModuleLoadData(&raw mut w.module, text));
        ok!(cuModuleGetFunction(&raw mut w.function, w.module, c"good".as_ptr()));
        ok!(cuModuleGetFunction(&raw mut w.bad, w.module, c"bad".as_ptr()));
        let none = null_mut::<u8>();
        ok!(cuLibraryLoadData(&raw mut w.library, text, null(), none.cast(), 0, null(), null(), 0));
        ok!(cuLibraryGetKernel(&raw mut w.kernel, w.library, c"good".as_ptr()));
        ok!(cuStreamCreate(&raw mut w.stream, 0));
        ok!(cuEventCreate(&raw mut w.event, 0));
        ok!(cuEventRecord(w.event, w.stream));
        ok!(cuLinkCreate_v2(0, null(), none.cast(), &raw mut w.link));
        self
    }

    /// Launches a kernel without parameters: one thread in the default stream.
    pub(crate) fn launch(function: Ptr) -> CUresult {
        let none = null_mut();
        // SAFETY: the kernel has no parameters.
        unsafe { cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, none, none.cast(), none.cast()) }
    }

    /// Causes a fault, after which the current context is unusable.
    pub(crate) fn fault(&self) {
        assert_eq!(Self::launch(self.bad), CUresult::SUCCESS);
    }
}
