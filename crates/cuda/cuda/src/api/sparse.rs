//! Sparse arrays, and memory for their tiles (driver API, "Memory Management" and "Virtual Memory
//! Management"). Virtual memory management itself is not provided, as the device's attributes say:
//! `cuMemCreate` makes memory for tiles only.

use crate::args::{Answer, In, Out};
use crate::array::{ArrayObject, MipmapObject};
use crate::call::driver_api;
use crate::handle::{Handle, Object};
use crate::late::Order;
use crate::refused::say_refused;
use crate::sparse::{self, TilePool};
use crate::state::{self, Gpu};
use crate::stream::Stream;
use std::ffi::{c_uint, c_ulonglong};
use std::sync::Arc;
use texunit_cuda_abi::{
    CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_CREATE_USAGE_TILE_POOL, CU_MEM_HANDLE_TYPE_NONE,
    CU_MEM_LOCATION_TYPE_DEVICE, CUDA_ARRAY_SPARSE_PROPERTIES, CUarrayMapInfo, CUmemAllocationProp,
    CUresult,
};

driver_api! {
    /// How a sparse array is divided into tiles.
    fn cuArrayGetSparseProperties(
        sparseProperties: Out<CUDA_ARRAY_SPARSE_PROPERTIES>,
        array: Handle<ArrayObject>,
    ) {
        state::gpus()?;
        sparseProperties.set(sparse::array_properties(array)?)
    }

    /// How a sparse array with levels is divided into tiles. Each layer has a mip tail of its own.
    fn cuMipmappedArrayGetSparseProperties(
        sparseProperties: Out<CUDA_ARRAY_SPARSE_PROPERTIES>,
        mipmap: Handle<MipmapObject>,
    ) {
        state::gpus()?;
        sparseProperties.set(sparse::mipmapped_properties(mipmap)?)
    }

    /// Maps and unmaps tiles of sparse arrays: all, or none if one of the changes is wrong. A tile
    /// keeps its texels, whatever memory it is mapped to; those of a mip tail can be used when all of it is
    /// mapped.
    fn cuMemMapArrayAsync(
        mapInfoList: In<CUarrayMapInfo>,
        count: c_uint,
        hStream: Handle<Stream>,
    ) {
        let context = Order::of(hStream)?.context;
        if count == 0 {
            return Err(CUresult::INVALID_VALUE.because("count is 0: at least one change is given"));
        }
        // SAFETY: the caller says that there are so many.
        let list = unsafe { mapInfoList.elements(count as usize) };
        sparse::map(&context, &list.to_vec()?)
    }

    /// Makes memory for tiles (`CU_MEM_CREATE_USAGE_TILE_POOL`).
    fn cuMemCreate(
        handle: Out<Handle<TilePool>>,
        size: usize,
        prop: In<CUmemAllocationProp>,
        flags: c_ulonglong,
    ) {
        handle.check()?;
        let prop = prop.get()?;
        let gpu = gpu_of(&prop)?;
        if flags != 0 {
            return Err(CUresult::INVALID_VALUE.because(format!("flags {flags:#x} is not 0")));
        }
        if size == 0 || !size.is_multiple_of(GRANULARITY) {
            return Err(CUresult::INVALID_VALUE.because(format!(
                "size {size} is not a multiple of {GRANULARITY}, at least that many bytes \
                 (cuMemGetAllocationGranularity)"
            )));
        }
        is_for_tiles(&prop)?;
        let buffer = crate::memory::with_room(gpu, || {
            gpu.device.alloc(size as u64, "tile pool").map_err(crate::error::refusal)
        })?;
        let pool = TilePool { gpu: Arc::clone(gpu), buffer };
        handle.set(TilePool::registry().insert(pool))
    }

    /// Gives memory for tiles back. Tiles stay mapped.
    fn cuMemRelease(handle: Handle<TilePool>) {
        state::gpus()?;
        let taken = handle.take();
        taken.map(|_| ()).map_err(|refusal| refusal.with_code(CUresult::INVALID_VALUE))
    }

    /// What sizes of memory for tiles are multiples of: 2 MiB. For other memory it is refused as `cuMemCreate` is.
    fn cuMemGetAllocationGranularity(
        granularity: Out<usize>,
        prop: In<CUmemAllocationProp>,
        option: c_uint,
    ) {
        granularity.check()?;
        let prop = prop.get()?;
        gpu_of(&prop)?;
        if option > RECOMMENDED {
            return Err(CUresult::INVALID_VALUE.because(format!(
                "option {option} is not CU_MEM_ALLOC_GRANULARITY_MINIMUM (0) or _RECOMMENDED (1)"
            )));
        }
        is_for_tiles(&prop)?;
        granularity.set(GRANULARITY)
    }
}

/// `CUDA_ERROR_NOT_SUPPORTED` for other memory than that of sparse arrays: virtual memory management is not provided.
fn is_for_tiles(prop: &CUmemAllocationProp) -> Answer {
    if prop.usage & CU_MEM_CREATE_USAGE_TILE_POOL != 0 {
        return Ok(());
    }
    let reason = "cuMemCreate makes memory for tiles of sparse arrays only (usage CU_MEM_CREATE_USAGE_TILE_POOL)";
    say_refused(reason);
    Err(CUresult::NOT_SUPPORTED.because(reason))
}

/// What sizes are multiples of, at least and for speed.
const GRANULARITY: usize = 2 << 20;
/// `CU_MEM_ALLOC_GRANULARITY_RECOMMENDED`; 0 is the least.
const RECOMMENDED: c_uint = 1;

/// The device of memory, which stays there and is not exported.
fn gpu_of(prop: &CUmemAllocationProp) -> Answer<&'static Arc<Gpu>> {
    let here = prop.kind == CU_MEM_ALLOCATION_TYPE_PINNED
        && prop.location.kind == CU_MEM_LOCATION_TYPE_DEVICE;
    if !here {
        return Err(CUresult::INVALID_VALUE.because(format!(
            "type {} and location.type {} of prop are not pinned memory (1) of a device (1)",
            prop.kind, prop.location.kind
        )));
    }
    if prop.requested_handle_types != CU_MEM_HANDLE_TYPE_NONE {
        return Err(CUresult::NOT_SUPPORTED.because(format!(
            "requestedHandleTypes {} is not CU_MEM_HANDLE_TYPE_NONE (0): memory is not shared with other processes",
            prop.requested_handle_types
        )));
    }
    state::gpu(prop.location.id)
}
