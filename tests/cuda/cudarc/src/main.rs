//! Loads a kernel with a texture fetch through cudarc, makes the texture with its bindings of the
//! driver API, runs the kernel and prints what it wrote.

use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg, sys};
use cudarc::nvrtc::Ptx;
use std::error::Error;
use std::mem::MaybeUninit;

/// Fetches a row of a texture of 4 by 2 texels between its texels.
const PTX: &str = "
.version 8.0
.target sm_75
.address_size 64
.visible .entry row(.param .u64 out, .param .u64 texture)
{
    .reg .b64 %rd<6>;
    .reg .b32 %r<2>;
    .reg .f32 %f<8>;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [texture];
    cvta.to.global.u64 %rd3, %rd1;
    mov.u32 %r1, %tid.x;
    cvt.rn.f32.u32 %f1, %r1;
    mov.f32 %f2, 0f3F800000;
    add.f32 %f1, %f1, %f2;
    tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd2, {%f1, %f2}];
    mul.wide.u32 %rd4, %r1, 4;
    add.u64 %rd5, %rd3, %rd4;
    st.global.f32 [%rd5], %f4;
    ret;
}
";

fn main() -> Result<(), Box<dyn Error>> {
    let context = CudaContext::new(0)?;
    println!("{} {:?}", context.name()?, context.compute_capability()?);
    let module = context.load_module(Ptx::from_src(PTX))?;
    let kernel = module.load_function("row")?;
    let stream = context.default_stream();

    let texels: Vec<f32> = vec![0.0, 1.0, 2.0, 4.0, 10.0, 20.0, 40.0, 80.0];
    let (array, texture) = texture(&texels)?;
    let mut out = stream.alloc_zeros::<f32>(4)?;
    let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (4, 1, 1), shared_mem_bytes: 0 };
    // SAFETY: the kernel takes a pointer to four floats and a texture.
    unsafe { stream.launch_builder(&kernel).arg(&mut out).arg(&texture).launch(config)? };
    println!("{:?}", stream.clone_dtoh(&out)?);
    // SAFETY: both were made below, and nothing uses them any more.
    unsafe {
        sys::cuTexObjectDestroy(texture).result()?;
        sys::cuArrayDestroy(array).result()?;
    }

    // What is wrong comes back as the driver's error.
    println!("{:?}", module.load_function("column").err());
    println!("{:?}", context.load_module(Ptx::from_src(".version 8.0\nnonsense")).err());
    Ok(())
}

/// An array of four by two floats, and a texture with linear filter on it.
fn texture(texels: &[f32]) -> Result<(sys::CUarray, sys::CUtexObject), Box<dyn Error>> {
    let mut array = MaybeUninit::uninit();
    let description = sys::CUDA_ARRAY_DESCRIPTOR {
        Width: 4,
        Height: 2,
        Format: sys::CUarray_format::CU_AD_FORMAT_FLOAT,
        NumChannels: 1,
    };
    // SAFETY: structures of numbers and pointers, of which zeros are a value; the pointers that are
    // set are to variables that live until the calls have returned.
    unsafe {
        sys::cuArrayCreate_v2(array.as_mut_ptr(), &description).result()?;
        let array = array.assume_init();
        let copy = sys::CUDA_MEMCPY2D {
            srcXInBytes: 0,
            srcY: 0,
            srcMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_HOST,
            srcHost: texels.as_ptr().cast(),
            srcDevice: 0,
            srcArray: std::ptr::null_mut(),
            srcPitch: 16,
            dstXInBytes: 0,
            dstY: 0,
            dstMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_ARRAY,
            dstHost: std::ptr::null_mut(),
            dstDevice: 0,
            dstArray: array,
            dstPitch: 0,
            WidthInBytes: 16,
            Height: 2,
        };
        sys::cuMemcpy2D_v2(&copy).result()?;
        let mut resource: sys::CUDA_RESOURCE_DESC = std::mem::zeroed();
        resource.resType = sys::CUresourcetype::CU_RESOURCE_TYPE_ARRAY;
        resource.res.array.hArray = array;
        let mut sampler: sys::CUDA_TEXTURE_DESC = std::mem::zeroed();
        sampler.addressMode = [sys::CUaddress_mode::CU_TR_ADDRESS_MODE_CLAMP; 3];
        sampler.filterMode = sys::CUfilter_mode::CU_TR_FILTER_MODE_LINEAR;
        let mut texture = 0;
        sys::cuTexObjectCreate(&mut texture, &resource, &sampler, std::ptr::null()).result()?;
        Ok((array, texture))
    }
}
