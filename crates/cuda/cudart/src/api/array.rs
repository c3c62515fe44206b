//! Arrays, mipmapped arrays and channel descriptors (runtime API, "Memory Management"), and
//! external memory ("External Resource Interoperability"). A `cudaArray_t` is a `CUarray`, a
//! `cudaMipmappedArray_t` a `CUmipmappedArray`, and a `cudaExternalMemory_t` a `CUexternalMemory`.

use crate::api::*;

runtime_api! {
    /// Allocates a one- or two-dimensional array.
    fn cudaMallocArray(array, desc, width, height, flags) {
        // Layers and faces are a third dimension, which this function does not have.
        ensure!(
            flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP) == 0,
            "flags {flags:#x} has cudaArrayLayered or cudaArrayCubemap: layers and faces are a depth, which \
             cudaMalloc3DArray takes"
        );
        create(array, desc, cudaExtent { width, height, depth: 0 }, flags)
    }

    /// Allocates an array of any geometry: the flags select slices, layers or faces for the depth.
    /// Gathers (`tld4`) from layered arrays are refused.
    fn cudaMalloc3DArray(array, desc, extent, flags) {
        create(array, desc, extent, flags)
    }

    /// Allocates a mipmapped array.
    fn cudaMallocMipmappedArray(mipmappedArray, desc, extent, numLevels, flags) {
        context()?;
        mipmappedArray.check()?;
        let descriptor = descriptor(&desc.get()?, extent, flags)?;
        check(driver::cuMipmappedArrayCreate(mipmappedArray, &descriptor, numLevels))
    }

    /// Format, extent and flags of an array. Out-pointers may be null.
    fn cudaArrayGetInfo(desc, extent, flags, array) {
        context()?;
        let (descriptor, format) = format_of(array)?;
        let CUDA_ARRAY3D_DESCRIPTOR { width, height, depth, .. } = descriptor;
        desc.set_if(format.channel()?);
        extent.set_if(cudaExtent { width, height, depth });
        flags.set_if(descriptor.flags);
        Ok(())
    }

    /// The format of an array.
    fn cudaGetChannelDesc(desc, array) {
        context()?;
        desc.give(|| format_of(array)?.1.channel())
    }
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
    ensure!(width != 0, "width is 0: an array has at least one element");
    ensure!(
        depth == 0 || height != 0 || layered,
        "height is 0 and depth is {depth}: an array of one axis has no depth, unless it is layered \
         (cudaArrayLayered)"
    );
    ensure!(
        !cube || width == height,
        "width {width} is not height {height}: the faces of a cubemap are square"
    );
    if cube && !faces {
        let rule =
            if layered { "a multiple of 6, six faces for each cube" } else { "6, its faces" };
        bail!("depth {depth} of a cubemap (cudaArrayCubemap) is not {rule}");
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
    ensure!(array != 0, CUresult::INVALID_HANDLE, "array is null");
    let of: CUDA_ARRAY3D_DESCRIPTOR = ask(|of| driver::cuArray3DGetDescriptor_v2(of, array))?;
    Ok((of, Format { format: of.format, channels: of.num_channels }))
}

/// The format of a mipmapped array.
pub(super) fn format_of_mipmap(mipmap: Mipmap) -> Answer<Format> {
    ensure!(mipmap != 0, CUresult::INVALID_HANDLE, "mipmappedArray is null");
    let level = ask(|level| driver::cuMipmappedArrayGetLevel(level, mipmap, 0))?;
    Ok(format_of(level)?.1)
}

/// Makes a channel descriptor of the given bits and kind.
#[unsafe(no_mangle)]
extern "C" fn cudaCreateChannelDesc(
    x: c_int,
    y: c_int,
    z: c_int,
    w: c_int,
    f: c_int,
) -> cudaChannelFormatDesc {
    cudaChannelFormatDesc { bits: [x, y, z, w], kind: f }
}

runtime_api! {
    /// Maximum number of elements of a linear texture.
    fn cudaDeviceGetTexture1DLinearMaxWidth(maxWidthInElements, fmtDesc, device) {
        context()?;
        let Format { format, channels } = fmtDesc.get()?.format()?;
        check(driver::cuDeviceGetTexture1DLinearMaxWidth(maxWidthInElements, format, channels, device))
    }
}

/// Handle of imported memory (`cudaExternalMemory_t`), which is the driver's handle.
type External = usize;

runtime_api! {
    /// Maps imported memory as a mipmapped array, which `cudaFreeMipmappedArray` frees.
    fn cudaExternalMemoryGetMappedMipmappedArray(mipmap, extMem, mipmapDesc) {
        context()?;
        mipmap.check()?;
        let desc = mipmapDesc.get()?;
        let array = descriptor(&desc.format, desc.extent, desc.flags)?;
        let (offset, levels) = (desc.offset, desc.levels);
        let desc = CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC { offset, array, levels };
        check(driver::cuExternalMemoryGetMappedMipmappedArray(mipmap, extMem, &desc))
    }
}
