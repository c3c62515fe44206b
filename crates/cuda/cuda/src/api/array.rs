//! Creation, description and destruction of arrays and mipmapped arrays, and the tiles of sparse
//! arrays (driver API, "Memory Management", "Virtual Memory Management"). Memory for tiles is
//! created by `cuMemCreate` (`api::virtual_memory`).

use crate::api::*;
use crate::array;
use crate::sparse::{self, Sparse};

/// Defines the functions that create and describe arrays by one structure, given with its extents,
/// their type, and the other members. Deferred mapping (`CUDA_ARRAY3D_DEFERRED_MAPPING`) and video
/// formats are not provided.
macro_rules! by_descriptor {
    ($($create:ident, $get:ident: $type:ident { [$($size:ident)*] as $int:ty, $($same:ident)* };)*) => {
        driver_api! {$(
            /// Creates an array: a one-dimensional one if the height is 0.
            fn $create(pHandle, pAllocateArray) {
                let context = current()?;
                pHandle.check()?;
                let given = pAllocateArray.get()?;
                #[allow(clippy::needless_update)] // for one structure
                let descriptor = CUDA_ARRAY3D_DESCRIPTOR {
                    $($size: given.$size as usize,)*
                    $($same: given.$same,)*
                    ..CUDA_ARRAY3D_DESCRIPTOR::default()
                };
                pHandle.set(array::create(&context, &descriptor)?)
            }

            /// The descriptor of an array; for a mip level, with the level's extent. No extent
            /// reaches 2^32.
            fn $get(pArrayDescriptor, hArray) {
                current()?;
                let found = hArray.get()?.descriptor;
                pArrayDescriptor.set($type { $($size: found.$size as $int,)* $($same: found.$same,)* })
            }
        )*}
    };
}

by_descriptor! {
    cuArrayCreate, cuArrayGetDescriptor:
        CUDA_ARRAY_DESCRIPTOR_v1 { [width height] as u32, format num_channels };
    cuArrayCreate_v2, cuArrayGetDescriptor_v2:
        CUDA_ARRAY_DESCRIPTOR { [width height] as usize, format num_channels };
    cuArray3DCreate, cuArray3DGetDescriptor:
        CUDA_ARRAY3D_DESCRIPTOR_v1 { [width height depth] as u32, format num_channels flags };
    cuArray3DCreate_v2, cuArray3DGetDescriptor_v2:
        CUDA_ARRAY3D_DESCRIPTOR { [width height depth] as usize, format num_channels flags };
}

driver_api! {
    /// Destroys an array. Texture fetches and surface accesses to it become faults.
    fn cuArrayDestroy(hArray) {
        current()?;
        array::destroy(hArray)
    }

    /// Always `CUDA_ERROR_INVALID_VALUE`, because no supported format has planes.
    fn cuArrayGetPlane(pPlaneArray, hArray, planeIdx) {
        current()?;
        pPlaneArray.check()?;
        hArray.get()?;
        Err(invalid!("planeIdx {planeIdx}: hArray has no planes, which only video formats have"))
    }

    /// Creates a mipmapped array. The number of levels is limited to at least one and at most those
    /// down to a single element.
    fn cuMipmappedArrayCreate(pHandle, pMipmappedArrayDesc, numMipmapLevels) {
        let context = current()?;
        pHandle.give(|| array::create_mipmapped(&context, &pMipmappedArrayDesc.get()?, numMipmapLevels, None))
    }

    /// A level as an array, which lives as long as the mipmapped array. Repeated calls return the
    /// same handle.
    fn cuMipmappedArrayGetLevel(pLevelArray, hMipmappedArray, level) {
        current()?;
        pLevelArray.give(|| array::level(hMipmappedArray, level))
    }

    /// Destroys a mipmapped array and its levels. Texture fetches and surface accesses to it become
    /// faults.
    fn cuMipmappedArrayDestroy(hMipmappedArray) {
        current()?;
        array::destroy_mipmapped(hMipmappedArray)
    }

    /// Always `CUDA_ERROR_INVALID_VALUE`, because arrays with deferred mapping are not provided.
    fn cuArrayGetMemoryRequirements(memoryRequirements, array, device) {
        no_requirements(memoryRequirements, ("array", array), device)
    }

    /// As `cuArrayGetMemoryRequirements`, for mipmapped arrays.
    fn cuMipmappedArrayGetMemoryRequirements(memoryRequirements, mipmap, device) {
        no_requirements(memoryRequirements, ("mipmap", mipmap), device)
    }
}

fn no_requirements<T: Object>(
    out: Out<'_, CUDA_ARRAY_MEMORY_REQUIREMENTS>,
    (name, array): (&str, Handle<T>),
    device: CUdevice,
) -> Answer {
    state::gpu(device)?;
    out.check()?;
    array.get()?;
    Err(invalid!(
        "{name} was not made with CUDA_ARRAY3D_DEFERRED_MAPPING, and has its memory: only arrays that are mapped \
         later have requirements"
    ))
}

driver_api! {
    /// Tile size and mip tail of a sparse array.
    fn cuArrayGetSparseProperties(sparseProperties, array) {
        sparseProperties.set(Sparse::array(array)?.properties())
    }

    /// Tile size and mip tail of a sparse mipmapped array. Each layer has its own mip tail.
    fn cuMipmappedArrayGetSparseProperties(sparseProperties, mipmap) {
        sparseProperties.set(Sparse::mipmapped(mipmap)?.properties())
    }

    /// Maps and unmaps tiles of sparse arrays; if one element of `mapInfoList` is invalid, no
    /// element is applied. A tile keeps its texels, whatever memory it is mapped to; a mip tail is
    /// usable once all of it is mapped.
    fn cuMemMapArrayAsync(mapInfoList[count], count, hStream) {
        let context = Order::of(hStream)?.context;
        ensure!(count != 0, "count is 0: at least one change is given");
        sparse::map(&context, &mapInfoList.to_vec()?)
    }
}
