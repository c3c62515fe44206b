//! Arrays (runtime API, "Memory Management"). A `cudaArray_t` is a `CUarray`.

use crate::call::{check, forward, runtime_api};
use crate::driver;
use crate::state::{check_device, context};
use crate::types::{Array, Format, Mipmap, cudaChannelFormatDesc, cudaExtent};
use std::ffi::c_uint;
use texunit_cuda_abi::args::{Answer, In, Out};
use texunit_cuda_abi::{
    CUDA_ARRAY_MEMORY_REQUIREMENTS, CUDA_ARRAY_SPARSE_PROPERTIES, CUDA_ARRAY3D_CUBEMAP,
    CUDA_ARRAY3D_DESCRIPTOR, CUDA_ARRAY3D_LAYERED, CUdevice, CUresult,
};

// The pointers passed to driver functions come from the C caller, which guarantees that they are
// valid, or are to local variables.
runtime_api! {
    /// Allocates a one- or two-dimensional array.
    fn cudaMallocArray(
        array: Out<Array>,
        desc: In<cudaChannelFormatDesc>,
        width: usize,
        height: usize,
        flags: c_uint,
    ) {
        // Layers and faces are a third dimension, which this function does not have.
        if flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP) != 0 {
            return Err(CUresult::INVALID_VALUE.because(format!(
                "flags {flags:#x} has cudaArrayLayered or cudaArrayCubemap: layers and faces are a depth, which \
                 cudaMalloc3DArray takes"
            )));
        }
        create(array, desc, cudaExtent { width, height, depth: 0 }, flags)
    }

    /// Allocates an array of any geometry: the flags select slices, layers or faces for the depth.
    /// Gathers (`tld4`) from layered arrays are refused.
    fn cudaMalloc3DArray(
        array: Out<Array>,
        desc: In<cudaChannelFormatDesc>,
        extent: cudaExtent,
        flags: c_uint,
    ) {
        create(array, desc, extent, flags)
    }

    /// Frees an array; null is allowed.
    fn cudaFreeArray(array: Array) {
        context()?;
        if array == 0 {
            return Ok(());
        }
        check(driver::cuArrayDestroy(array))
    }

    /// Format, extent and flags of an array. Out-pointers may be null.
    fn cudaArrayGetInfo(
        desc: Out<cudaChannelFormatDesc>,
        extent: Out<cudaExtent>,
        flags: Out<c_uint>,
        array: Array,
    ) {
        context()?;
        let (descriptor, format) = format_of(array)?;
        let CUDA_ARRAY3D_DESCRIPTOR { width, height, depth, .. } = descriptor;
        desc.set_if(format.channel()?);
        extent.set_if(cudaExtent { width, height, depth });
        flags.set_if(descriptor.flags);
        Ok(())
    }

    /// The format of an array.
    fn cudaGetChannelDesc(desc: Out<cudaChannelFormatDesc>, array: Array) {
        context()?;
        desc.check()?;
        desc.set(format_of(array)?.1.channel()?)
    }

    /// Memory requirements of an array with deferred mapping.
    fn cudaArrayGetMemoryRequirements(
        memoryRequirements: Out<CUDA_ARRAY_MEMORY_REQUIREMENTS>,
        array: Array,
        device: CUdevice,
    ) {
        context()?;
        check_device(device)?;
        check(driver::cuArrayGetMemoryRequirements(memoryRequirements, array, device))
    }
}

forward! {
    /// The array of a plane of a video array.
    fn cudaArrayGetPlane(pPlaneArray: Out<Array>, hArray: Array, planeIdx: c_uint)
        = cuArrayGetPlane;
    /// Tile size and mip tail of a sparse array.
    fn cudaArrayGetSparseProperties(
        sparseProperties: Out<CUDA_ARRAY_SPARSE_PROPERTIES>, array: Array,
    ) = cuArrayGetSparseProperties;
}

/// The driver's descriptor of an array or mipmapped array. A width is required, and a height if
/// there is a depth other than layers; cube faces are square, six per cube.
pub(super) fn descriptor(
    desc: &cudaChannelFormatDesc,
    extent: cudaExtent,
    flags: c_uint,
) -> Answer<CUDA_ARRAY3D_DESCRIPTOR> {
    let Format { format, channels } = desc.format_of_array()?;
    let cudaExtent { width, height, depth } = extent;
    let layered = flags & CUDA_ARRAY3D_LAYERED != 0;
    let cube = flags & CUDA_ARRAY3D_CUBEMAP != 0;
    let faces = if layered { depth != 0 && depth.is_multiple_of(6) } else { depth == 6 };
    let refused = |reason: String| Err(CUresult::INVALID_VALUE.because(reason));
    if width == 0 {
        return refused("width is 0: an array has at least one element".to_owned());
    }
    if depth != 0 && height == 0 && !layered {
        return refused(format!(
            "height is 0 and depth is {depth}: an array of one axis has no depth, unless it is layered \
             (cudaArrayLayered)"
        ));
    }
    if cube && width != height {
        return refused(format!(
            "width {width} is not height {height}: the faces of a cubemap are square"
        ));
    }
    if cube && !faces {
        let rule =
            if layered { "a multiple of 6, six faces for each cube" } else { "6, its faces" };
        return refused(format!("depth {depth} of a cubemap (cudaArrayCubemap) is not {rule}"));
    }
    Ok(CUDA_ARRAY3D_DESCRIPTOR { width, height, depth, format, num_channels: channels, flags })
}

fn create(
    array: Out<Array>,
    desc: In<cudaChannelFormatDesc>,
    extent: cudaExtent,
    flags: c_uint,
) -> Answer {
    context()?;
    array.check()?;
    check(driver::cuArray3DCreate_v2(array, &descriptor(&desc.get()?, extent, flags)?))
}

/// The descriptor of an array, and its format.
pub(super) fn format_of(array: Array) -> Answer<(CUDA_ARRAY3D_DESCRIPTOR, Format)> {
    if array == 0 {
        return Err(CUresult::INVALID_HANDLE.because("array is null"));
    }
    let mut of = CUDA_ARRAY3D_DESCRIPTOR::default();
    check(driver::cuArray3DGetDescriptor_v2(&mut of, array))?;
    let format = Format { format: of.format, channels: of.num_channels };
    Ok((of, format))
}

/// The format of a mipmapped array.
pub(super) fn format_of_mipmap(mipmap: Mipmap) -> Answer<Format> {
    if mipmap == 0 {
        return Err(CUresult::INVALID_HANDLE.because("mipmappedArray is null"));
    }
    let mut level = 0;
    check(driver::cuMipmappedArrayGetLevel(&mut level, mipmap, 0))?;
    Ok(format_of(level)?.1)
}
