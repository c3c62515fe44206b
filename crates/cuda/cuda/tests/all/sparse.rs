//! Sparse arrays: properties, and mapped and unmapped tiles as seen by fetches.

use crate::fetching::*;
use std::ptr::null_mut;
use texunit_cuda_abi::*;

const TILE: u64 = 65_536;

fn sparse(size: [usize; 3], flags: u32, num_channels: u32) -> CUDA_ARRAY3D_DESCRIPTOR {
    let [width, height, depth] = size;
    let flags = flags | CUDA_ARRAY3D_SPARSE;
    CUDA_ARRAY3D_DESCRIPTOR { width, height, depth, format: 0x20, num_channels, flags }
}

fn prop() -> CUmemAllocationProp {
    CUmemAllocationProp {
        kind: CU_MEM_ALLOCATION_TYPE_PINNED,
        location: CUmemLocation { kind: CU_MEM_LOCATION_TYPE_DEVICE, id: 0 },
        usage: CU_MEM_CREATE_USAGE_TILE_POOL,
        ..CUmemAllocationProp::default()
    }
}

fn pool(size: usize) -> u64 {
    let (mut handle, prop) = (0, prop());
    ok!(cuMemCreate(&raw mut handle, size, &raw const prop, 0));
    handle
}

fn properties(array: Ptr, mipmapped: bool) -> CUDA_ARRAY_SPARSE_PROPERTIES {
    let mut found = CUDA_ARRAY_SPARSE_PROPERTIES { reserved: [7; 4], ..Default::default() };
    if mipmapped {
        ok!(cuMipmappedArrayGetSparseProperties(&raw mut found, array));
    } else {
        ok!(cuArrayGetSparseProperties(&raw mut found, array));
    }
    found
}

/// Maps a box in level 0 of an array that is not mipmapped.
fn region(array: Ptr, pool: u64, at: [u32; 3], size: [u32; 3]) -> CUarrayMapInfo {
    let ([x, y, z], [width, height, depth]) = (at, size);
    CUarrayMapInfo {
        resource_type: CU_RESOURCE_TYPE_ARRAY,
        resource: array as usize,
        subresource_type: CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL,
        subresource: [0, 0, x, y, z, width, height, depth],
        mem_operation_type: CU_MEM_OPERATION_TYPE_MAP,
        mem_handle: pool,
        device_bit_mask: 1,
        ..CUarrayMapInfo::default()
    }
}

fn unmap(info: CUarrayMapInfo) -> CUarrayMapInfo {
    let mem_operation_type = CU_MEM_OPERATION_TYPE_UNMAP;
    CUarrayMapInfo { mem_operation_type, mem_handle: 0, ..info }
}

fn map(infos: &[CUarrayMapInfo]) -> CUresult {
    // SAFETY: the array has this many elements.
    unsafe { cuMemMapArrayAsync(infos.as_ptr(), infos.len() as u32, null_mut()) }
}

/// Coordinates of texels, with a level.
fn texels(at: &[[f32; 2]], level: f32) -> Vec<u8> {
    let of = |i: usize| at[i % at.len()];
    (0..THREADS)
        .flat_map(|i| [of(i)[0] + 0.5, of(i)[1] + 0.5, 0.0, level])
        .flat_map(f32::to_le_bytes)
        .collect()
}

/// Whether each texel is resident, by the predicate of a fetch.
fn there<const N: usize>(
    runner: &Runner,
    handle: u64,
    kernel: &str,
    at: [[f32; 2]; N],
    level: f32,
) -> [bool; N] {
    let out = runner.run(kernel, handle, &texels(&at, level));
    let float = |i: usize| f32::from_le_bytes(out[16 * i..16 * i + 4].try_into().unwrap());
    std::array::from_fn(|i| float(i) == 1.0)
}

#[test]
fn properties_of_sparse_arrays() {
    let context = context();
    let plain = |tile_extent| CUDA_ARRAY_SPARSE_PROPERTIES { tile_extent, ..Default::default() };
    assert_eq!(properties(array(&sparse([512, 512, 0], 0, 1)), false), plain([128, 128, 1]));
    assert_eq!(properties(array(&sparse([512, 512, 0], 0, 4)), false), plain([64, 64, 1]));
    assert_eq!(properties(array(&sparse([64, 64, 64], 0, 1)), false), plain([32, 32, 16]));
    let layered = sparse([512, 512, 3], CUDA_ARRAY3D_LAYERED, 1);
    assert_eq!(properties(array(&layered), false), plain([128, 128, 1]));
    let blocks =
        CUDA_ARRAY3D_DESCRIPTOR { format: 0x91, num_channels: 4, ..sparse([1024, 1024, 0], 0, 1) };
    assert_eq!(properties(array(&blocks), false), plain([512, 256, 1]));
    // The tail: 64 x 64, 32 x 32 and so on, in one tile.
    let tail = |first, size| CUDA_ARRAY_SPARSE_PROPERTIES {
        miptail_first_level: first,
        miptail_size: size,
        ..plain([128, 128, 1])
    };
    let whole = mipmapped(&sparse([512, 512, 0], 0, 1), 10);
    assert_eq!(properties(whole, true), tail(3, TILE));
    // Only a tail: 4096 x 64 floats and their levels are more than 17 tiles.
    let flat = mipmapped(&sparse([4096, 64, 0], 0, 1), 3);
    assert_eq!(properties(flat, true), tail(0, 21 * TILE));
    assert_eq!(properties(mipmapped(&sparse([512, 512, 0], 0, 1), 2), true), tail(0, 0));
    let mut found = CUDA_ARRAY_SPARSE_PROPERTIES::default();
    let dense = CUDA_ARRAY3D_DESCRIPTOR { flags: 0, ..sparse([512, 512, 0], 0, 1) };
    fails!(INVALID_VALUE, cuArrayGetSparseProperties(&raw mut found, array(&dense)));
    fails!(
        INVALID_VALUE,
        cuMipmappedArrayGetSparseProperties(&raw mut found, mipmapped(&dense, 3))
    );
    let mut level = null_mut();
    ok!(cuMipmappedArrayGetLevel(&raw mut level, whole, 0));
    fails!(INVALID_VALUE, cuArrayGetSparseProperties(&raw mut found, level));
    fails!(INVALID_HANDLE, cuArrayGetSparseProperties(&raw mut found, whole));
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn a_fetch_sees_which_tiles_are_mapped() {
    let context = context();
    let runner = Runner::new(&kernels());
    let given = array(&sparse([300, 256, 0], 0, 1));
    let state = CUDA_TEXTURE_DESC { address_mode: [1; 3], ..CUDA_TEXTURE_DESC::default() };
    let handle = texture(&of_array(given), &state, None);
    let at = [[0.0, 0.0], [127.0, 127.0], [128.0, 0.0], [255.0, 255.0], [299.0, 200.0]];
    let seen = || there(&runner, handle, "residency", at, 0.0);
    assert_eq!(seen(), [false; 5]);
    let pool = pool(2 << 20);
    let first = region(given, pool, [0, 0, 0], [128, 128, 1]);
    assert_eq!(map(&[first]), CUresult::SUCCESS);
    assert_eq!(seen(), [true, true, false, false, false]);
    // Up to the end of the level, which is not a whole tile; two changes in one call.
    let rest = region(given, pool, [128, 128, 0], [172, 128, 1]);
    assert_eq!(map(&[unmap(first), rest]), CUresult::SUCCESS);
    assert_eq!(seen(), [false, false, false, true, true]);
    // A released handle keeps its tiles mapped, but cannot be mapped again.
    ok!(cuMemRelease(pool));
    fails!(INVALID_VALUE, cuMemRelease(pool));
    assert_eq!(map(&[first]), CUresult::INVALID_HANDLE);
    assert_eq!(seen(), [false, false, false, true, true]);
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn mip_tails_are_mapped() {
    let context = context();
    let runner = Runner::new(&kernels());
    let given = mipmapped(&sparse([512, 512, 0], 0, 1), 10);
    let resource =
        CUDA_RESOURCE_DESC { res_type: CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, ..of_array(given) };
    let state = CUDA_TEXTURE_DESC {
        address_mode: [1; 3],
        flags: CU_TRSF_NORMALIZED_COORDINATES,
        max_mipmap_level_clamp: 100.0,
        ..CUDA_TEXTURE_DESC::default()
    };
    let handle = texture(&resource, &state, None);
    let seen = |level| there(&runner, handle, "residency_level", [[-0.4, -0.4]], level)[0];
    let levels = || [0.0, 1.0, 2.0, 3.0, 4.0, 9.0].map(seen);
    assert_eq!(levels(), [false; 6]);
    let pool = pool(2 << 20);
    let tail = CUarrayMapInfo {
        resource_type: CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
        subresource_type: CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL,
        subresource: [0, 0, 0, 0, TILE as u32, 0, 0, 0],
        ..region(given, pool, [0; 3], [0; 3])
    };
    assert_eq!(map(&[tail]), CUresult::SUCCESS);
    assert_eq!(levels(), [false, false, false, true, true, true]);
    let second = CUarrayMapInfo {
        resource_type: CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
        subresource: [1, 0, 0, 0, 0, 128, 128, 1],
        ..region(given, pool, [0; 3], [0; 3])
    };
    assert_eq!(map(&[second, unmap(tail)]), CUresult::SUCCESS);
    assert_eq!(levels(), [false, true, false, false, false, false]);
    type Change = fn(&mut CUarrayMapInfo);
    // Offset, size, layer; a level in the tail, and a level that does not exist.
    let changes: [Change; 6] = [
        |info| info.subresource[2] = 1,
        |info| info.subresource[4] = 100,
        |info| info.subresource[4] = 2 * TILE as u32,
        |info| info.subresource[4] = 0,
        |info| info.subresource[0] = 1,
        |info| info.subresource[5] = 1,
    ];
    for change in changes {
        let mut info = tail;
        change(&mut info);
        assert_eq!(map(&[info]), CUresult::INVALID_VALUE, "{info:?}");
    }
    for level in [3, 10] {
        let mut info = second;
        info.subresource[0] = level;
        info.subresource[5..7].fill(64);
        assert_eq!(map(&[info]), CUresult::INVALID_VALUE);
    }
    ok!(cuCtxDestroy_v2(context));
}

/// A tail of several tiles may be mapped in parts; it can be used when all of them are mapped.
#[test]
fn tiles_of_a_mip_tail_are_mapped_one_by_one() {
    let context = context();
    let runner = Runner::new(&kernels());
    // Two layers of 21 tiles each.
    let given = mipmapped(&sparse([4096, 64, 2], CUDA_ARRAY3D_LAYERED, 1), 3);
    assert_eq!(properties(given, true).miptail_size, 21 * TILE);
    let resource =
        CUDA_RESOURCE_DESC { res_type: CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, ..of_array(given) };
    // The same level as a texture of one layer.
    let view = |layer| CUDA_RESOURCE_VIEW_DESC {
        format: 0x16,
        width: 4096,
        height: 64,
        depth: 2,
        last_mipmap_level: 2,
        first_layer: layer,
        last_layer: layer,
        ..CUDA_RESOURCE_VIEW_DESC::default()
    };
    let state = CUDA_TEXTURE_DESC { address_mode: [1; 3], ..CUDA_TEXTURE_DESC::default() };
    let handles = [0, 1].map(|layer| texture(&resource, &state, Some(&view(layer))));
    let seen = || {
        handles.map(|handle| {
            there(&runner, handle, "residency_layer", [[0.0, 0.0], [4095.0, 63.0]], 0.0)
        })
    };
    let pool = pool(2 << 20);
    let part = |layer: u32, first: u64, count: u64| CUarrayMapInfo {
        resource_type: CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
        subresource_type: CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL,
        subresource: [layer, 0, (first * TILE) as u32, 0, (count * TILE) as u32, 0, 0, 0],
        offset: first * TILE,
        ..region(given, pool, [0; 3], [0; 3])
    };
    assert_eq!(map(&[part(0, 0, 10), part(0, 15, 6), part(1, 0, 21)]), CUresult::SUCCESS);
    assert_eq!(seen(), [[false; 2], [true; 2]]);
    // Some of these are mapped again.
    assert_eq!(map(&[part(0, 8, 8)]), CUresult::SUCCESS);
    assert_eq!(seen(), [[true; 2]; 2]);
    assert_eq!(map(&[unmap(part(1, 20, 1))]), CUresult::SUCCESS);
    assert_eq!(seen(), [[true; 2], [false; 2]]);
    assert_eq!(map(&[part(1, 20, 2)]), CUresult::INVALID_VALUE);
    assert_eq!(map(&[part(1, 20, 1)]), CUresult::SUCCESS);
    assert_eq!(seen(), [[true; 2]; 2]);
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn changes_that_are_refused_change_nothing() {
    let context = context();
    let runner = Runner::new(&kernels());
    let given = array(&sparse([256, 256, 0], 0, 1));
    let handle = texture(&of_array(given), &CUDA_TEXTURE_DESC::default(), None);
    let pool = pool(2 << 20);
    let fine = region(given, pool, [0, 0, 0], [256, 256, 1]);
    type Change = fn(&mut CUarrayMapInfo);
    let changes: [(Change, CUresult); 18] = [
        (|info| info.flags = 1, CUresult::INVALID_VALUE),
        (|info| info.reserved[1] = 1, CUresult::INVALID_VALUE),
        (|info| info.device_bit_mask = 0, CUresult::INVALID_VALUE),
        (|info| info.device_bit_mask = 3, CUresult::INVALID_VALUE),
        (|info| info.resource_type = 2, CUresult::INVALID_VALUE),
        (|info| info.resource = 99, CUresult::INVALID_HANDLE),
        (|info| info.subresource_type = 2, CUresult::INVALID_VALUE),
        (|info| info.subresource_type = 1, CUresult::INVALID_VALUE),
        (|info| info.mem_operation_type = 0, CUresult::INVALID_VALUE),
        (|info| info.mem_operation_type = 2, CUresult::INVALID_VALUE),
        (|info| info.mem_handle_type = 1, CUresult::INVALID_VALUE),
        (|info| info.mem_handle = 0, CUresult::INVALID_HANDLE),
        (|info| info.offset = 4096, CUresult::INVALID_VALUE),
        (|info| info.offset = 2 << 20, CUresult::INVALID_VALUE),
        (|info| info.subresource[1] = 1, CUresult::INVALID_VALUE),
        (|info| info.subresource[2] = 64, CUresult::INVALID_VALUE),
        (|info| info.subresource[5] = 384, CUresult::INVALID_VALUE),
        (|info| info.subresource[7] = 0, CUresult::INVALID_VALUE),
    ];
    for (change, wanted) in changes {
        let mut info = fine;
        change(&mut info);
        assert_eq!(map(&[fine, info]), wanted, "{info:?}");
    }
    fails!(INVALID_VALUE, cuMemMapArrayAsync(&raw const fine, 0, null_mut()));
    fails!(INVALID_HANDLE, cuMemMapArrayAsync(&raw const fine, 1, 99 as Ptr));
    assert_eq!(there(&runner, handle, "residency", [[0.0, 0.0], [200.0, 200.0]], 0.0), [false; 2]);
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn pools_of_tiles() {
    let context = context();
    let (fine, mut size, mut handle) = (prop(), 0, 0);
    for option in [0, 1] {
        ok!(cuMemGetAllocationGranularity(&raw mut size, &raw const fine, option));
        assert_eq!(size, 2 << 20);
    }
    fails!(INVALID_VALUE, cuMemGetAllocationGranularity(&raw mut size, &raw const fine, 2));
    fails!(INVALID_VALUE, cuMemCreate(&raw mut handle, 0, &raw const fine, 0));
    fails!(INVALID_VALUE, cuMemCreate(&raw mut handle, 4096, &raw const fine, 0));
    fails!(INVALID_VALUE, cuMemCreate(&raw mut handle, 2 << 20, &raw const fine, 1));
    fails!(OUT_OF_MEMORY, cuMemCreate(&raw mut handle, 1 << 50, &raw const fine, 0));
    let other = CUmemAllocationProp { usage: 0, ..fine };
    ok!(cuMemCreate(&raw mut handle, 2 << 20, &raw const other, 0));
    // Memory created for address ranges cannot be used for tiles.
    let whole = region(array(&sparse([256, 256, 0], 0, 1)), handle, [0; 3], [128, 128, 1]);
    assert_eq!(map(&[whole]), CUresult::INVALID_VALUE);
    ok!(cuMemRelease(handle));
    let other = CUmemAllocationProp { kind: 0, ..fine };
    fails!(INVALID_VALUE, cuMemCreate(&raw mut handle, 2 << 20, &raw const other, 0));
    let location = CUmemLocation { id: 77, ..fine.location };
    let other = CUmemAllocationProp { location, ..fine };
    fails!(INVALID_DEVICE, cuMemCreate(&raw mut handle, 2 << 20, &raw const other, 0));
    ok!(cuCtxDestroy_v2(context));
}
