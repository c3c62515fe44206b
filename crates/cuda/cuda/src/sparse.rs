//! Sparse arrays, and the memory that is mapped to their tiles.
//!
//! A tile is accessible while memory is mapped to it; the memory has no other effect. Each tile has
//! texels of its own: two tiles mapped to the same memory do not share texels, and a tile keeps its
//! texels when it is unmapped and mapped again. The layout of texels in the tiles of a mip tail is
//! undocumented, so that a mip tail is accessible only when all its tiles are mapped.

use crate::array::{ArrayObject, MipmapObject};
use crate::context::Context;
use crate::memory::virtual_memory::Physical;
use crate::prelude::*;
use texunit_device::{Array, Extent, TileRegion};

/// Size of a tile in bytes.
const TILE: u64 = 65_536;

/// Reason for refusing a mip tail of an array that has none.
const NO_TAIL: &str =
    "the array has no mip tail: its levels, if it has more than one, are all made of tiles";

/// A sparse array or mipmapped array.
#[derive(Clone, Debug)]
pub(crate) struct Sparse {
    array: Array,
    /// The mipmapped array, if the array is one.
    mipmapped: Option<Arc<MipmapObject>>,
}

impl Sparse {
    /// The sparse array of a handle; `CUDA_ERROR_INVALID_VALUE` if it is not sparse, or a level of
    /// a mipmapped array.
    pub(crate) fn array(handle: Handle<ArrayObject>) -> Answer<Self> {
        let object = handle.get()?;
        ensure!(
            object.level_of.is_none(),
            "the array is a level of a mipmapped one, which is mapped itself"
        );
        Self { array: object.array.clone(), mipmapped: None }.if_sparse()
    }

    /// The sparse mipmapped array of a handle; `CUDA_ERROR_INVALID_VALUE` if it is not sparse.
    pub(crate) fn mipmapped(handle: Handle<MipmapObject>) -> Answer<Self> {
        let object = handle.get()?;
        Self { array: Array::clone(&object.array), mipmapped: Some(object) }.if_sparse()
    }

    fn if_sparse(self) -> Answer<Self> {
        ensure!(
            self.array.tile().is_some(),
            "the array was made without CUDA_ARRAY3D_SPARSE, and has no tiles"
        );
        Ok(self)
    }

    fn of(info: &CUarrayMapInfo) -> Answer<Self> {
        match info.resource_type {
            CU_RESOURCE_TYPE_ARRAY => Self::array(Handle::of(info.resource)),
            CU_RESOURCE_TYPE_MIPMAPPED_ARRAY => Self::mipmapped(Handle::of(info.resource)),
            other => Err(invalid!(
                "resourceType {other} is not CU_RESOURCE_TYPE_ARRAY (0) or CU_RESOURCE_TYPE_MIPMAPPED_ARRAY (1)"
            )),
        }
    }

    fn tile(&self) -> [u32; 3] {
        self.array.tile().unwrap_or([1; 3])
    }

    /// Extent of a level that consists of tiles; `None` for levels in the mip tail and invalid
    /// levels.
    fn level(&self, level: u32) -> Option<[u32; 3]> {
        let levels = self.mipmapped.as_ref().map_or(1, |object| object.array.levels());
        let levels = self.array.mip_tail().map_or(levels, |tail| tail.first_level);
        (level < levels).then(|| self.array.extent().level(level).axes())
    }

    /// Tile size and mip tail; each layer has its own mip tail.
    pub(crate) fn properties(&self) -> CUDA_ARRAY_SPARSE_PROPERTIES {
        let tail = self.array.mip_tail();
        CUDA_ARRAY_SPARSE_PROPERTIES {
            tile_extent: self.tile(),
            miptail_first_level: tail.map_or(0, |tail| tail.first_level),
            miptail_size: tail.map_or(0, |tail| tail.size),
            ..CUDA_ARRAY_SPARSE_PROPERTIES::default()
        }
    }

    fn set(&self, region: &Region, resident: bool) -> Answer {
        let done = match (region, &self.mipmapped) {
            (Region::Level(tiles), _) if resident => self.array.map_tiles(tiles),
            (Region::Level(tiles), _) => self.array.unmap_tiles(tiles),
            (Region::Tail { layer, tiles, all }, Some(object)) => {
                // The lock is held to the end, as another thread may change other tiles of this mip
                // tail.
                let mut tails = lock(&object.tails);
                let mapped = tails.entry(*layer).or_default();
                match resident {
                    true => mapped.extend(tiles.clone()),
                    false => mapped.retain(|tile| !tiles.contains(tile)),
                }
                object.array.set_mip_tail(*layer, mapped.len() as u64 == *all)
            }
            (Region::Tail { .. }, None) => return Err(CUresult::INVALID_VALUE.because(NO_TAIL)),
        };
        done.map_err(refusal)
    }
}

/// The part of an array that is mapped.
#[derive(Clone, Debug)]
enum Region {
    /// A region of tiles of a level.
    Level(TileRegion),
    /// A range of tiles of a layer's mip tail, which has `all`.
    Tail { layer: u32, tiles: Range<u64>, all: u64 },
}

/// An entry of the list of `cuMemMapArrayAsync` that has been checked.
struct Change {
    sparse: Sparse,
    region: Region,
    resident: bool,
}

/// Maps and unmaps tiles. If one entry of the list is invalid, none is applied.
pub(crate) fn map(context: &Context, infos: &[CUarrayMapInfo]) -> Answer {
    let check = |(i, info)| -> Answer<Change> {
        check(context, info).map_err(|refusal| refusal.within(|| format!("mapInfoList[{i}]"), &[]))
    };
    let changes: Vec<Change> = infos.iter().enumerate().map(check).collect::<Answer<_>>()?;
    changes.iter().try_for_each(|change| change.sparse.set(&change.region, change.resident))
}

fn check(context: &Context, info: &CUarrayMapInfo) -> Answer<Change> {
    let mask = 1_u32.checked_shl(context.gpu.ordinal as u32);
    ensure!(info.flags == 0 && info.reserved == [0; 2], "flags and reserved are not all 0");
    ensure!(
        Some(info.device_bit_mask) == mask,
        "deviceBitMask {:#x} is not that of the stream's device, {:#x}",
        info.device_bit_mask,
        mask.unwrap_or(0)
    );
    let sparse = Sparse::of(info).map_err(|refusal| refusal.named("resource"))?;
    let (region, size) = match info.subresource_type {
        CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL => level_region(&sparse, info.subresource)?,
        CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL => tail_region(&sparse, info.subresource)?,
        other => bail!(
            "subresourceType {other} is not CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL (0) or _MIPTAIL (1)"
        ),
    };
    let resident = match info.mem_operation_type {
        CU_MEM_OPERATION_TYPE_MAP => {
            ensure!(
                info.mem_handle_type == CU_MEM_HANDLE_TYPE_GENERIC,
                "memHandleType {} is not CU_MEM_HANDLE_TYPE_GENERIC (0)",
                info.mem_handle_type
            );
            let pool = Handle::<Physical>::of(info.mem_handle as usize).get();
            let pool = pool.map_err(|refusal| refusal.named("memHandle"))?;
            ensure!(
                pool.is_for_tiles(),
                "memHandle is memory that was not made for tiles (usage CU_MEM_CREATE_USAGE_TILE_POOL)"
            );
            let end = info.offset.checked_add(size);
            ensure!(
                end.is_some_and(|end| end <= pool.size),
                "{} at offset {} do not fit into memHandle, which has {}",
                Count(size, "byte"),
                info.offset,
                Count(pool.size, "byte")
            );
            ensure!(
                pool.place() == Some(context.gpu.ordinal),
                "memHandle is memory of another device than the stream's"
            );
            ensure!(
                info.offset.is_multiple_of(TILE),
                "offset {} is not a multiple of {TILE}, the bytes of a tile",
                info.offset
            );
            true
        }
        CU_MEM_OPERATION_TYPE_UNMAP if info.mem_handle == 0 => false,
        CU_MEM_OPERATION_TYPE_UNMAP => {
            bail!("memHandle {:#x} is not 0, though tiles are unmapped", info.mem_handle)
        }
        other => {
            bail!("memOperationType {other} is not CU_MEM_OPERATION_TYPE_MAP (1) or _UNMAP (2)")
        }
    };
    Ok(Change { sparse, region, resident })
}

/// A region of a level's tiles, and the size of its memory. The region starts at a tile, and
/// consists of whole tiles unless it ends where the level ends.
fn level_region(sparse: &Sparse, numbers: [u32; 8]) -> Answer<(Region, u64)> {
    let [level, layer, x, y, z, width, height, depth] = numbers;
    let Some(all) = sparse.level(level) else {
        bail!(
            "level {level} is not a level that is made of tiles: it is in the mip tail, or does not exist"
        );
    };
    let tile = sparse.tile();
    let (offset, size) = ([x, y, z], [width, height, depth]);
    let mut bytes = TILE;
    for axis in 0..3 {
        let end = u64::from(offset[axis]) + u64::from(size[axis]);
        let whole = offset[axis].is_multiple_of(tile[axis])
            && (end == u64::from(all[axis]) || size[axis].is_multiple_of(tile[axis]));
        let (name, start, extent) = (["X", "Y", "Z"][axis], offset[axis], size[axis]);
        ensure!(
            extent != 0 && end <= u64::from(all[axis]),
            "offset{name} {start} and an extent of {extent} are not inside level {level}, which has {} \
             there",
            Count(all[axis], "texel")
        );
        ensure!(
            whole,
            "offset{name} {start} and an extent of {extent} are not whole tiles of {}, nor end where the \
             level does",
            Count(tile[axis], "texel")
        );
        // No array has so many tiles that this exceeds 64 bits.
        bytes = bytes.saturating_mul(size[axis].div_ceil(tile[axis]).into());
    }
    ensure!(
        layer < sparse.array.planes(),
        "layer {layer} does not exist: the array has {}",
        sparse.array.planes()
    );
    let extent = Some(Extent { width, height, depth });
    Ok((Region::Level(TileRegion { level, layer, offset, extent }), bytes))
}

/// A range of tiles of a layer's mip tail, and their size in bytes.
fn tail_region(sparse: &Sparse, numbers: [u32; 8]) -> Answer<(Region, u64)> {
    let [layer, _, a, b, c, d, ..] = numbers;
    let [offset, size] = [[a, b], [c, d]].map(|[low, high]| u64::from(high) << 32 | u64::from(low));
    let tail = sparse.array.mip_tail().ok_or(CUresult::INVALID_VALUE.because(NO_TAIL))?;
    let inside = offset.checked_add(size).is_some_and(|end| end <= tail.size);
    let aligned = offset.is_multiple_of(TILE) && size.is_multiple_of(TILE);
    ensure!(
        layer < sparse.array.planes(),
        "layer {layer} does not exist: the array has {}",
        sparse.array.planes()
    );
    ensure!(
        inside && size != 0,
        "{} at offset {offset} are not inside the mip tail, which has {}",
        Count(size, "byte"),
        Count(tail.size, "byte")
    );
    ensure!(
        aligned,
        "offset {offset} and size {size} are not multiples of {TILE}, the bytes of a tile"
    );
    let tiles = offset / TILE..(offset + size) / TILE;
    Ok((Region::Tail { layer, tiles, all: tail.size / TILE }, size))
}
