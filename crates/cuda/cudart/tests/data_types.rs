//! Structures and formats of copies, arrays and textures: layouts compared with values that a C++
//! compiler printed for NVIDIA's header of the same major version, and formats compared with
//! `data/channels.txt`.

#![allow(unsafe_code, clippy::unwrap_used)]
#![allow(non_camel_case_types, non_snake_case, reason = "names of CUDA's headers")]

#[allow(dead_code)]
mod probe;

#[allow(dead_code, unused_imports)]
#[path = "../src/codes.rs"]
mod codes;
#[allow(dead_code, unused_imports)]
#[path = "../src/types/mod.rs"]
mod types;

use probe::{MAJOR, compare};
use std::mem::offset_of;
use texunit_cuda_abi::{
    CUDA_ARRAY_MEMORY_REQUIREMENTS, CUDA_ARRAY_SPARSE_PROPERTIES, CUDA_GRAPH_INSTANTIATE_PARAMS,
    CUDA_HOST_NODE_PARAMS_v1, CUDA_KERNEL_NODE_PARAMS_v1, CUDA_MEM_ALLOC_NODE_PARAMS,
    CUDA_MEMCPY3D_BATCH_OP, CUDA_MEMSET_NODE_PARAMS_v1, CUgraphEdgeData,
    CUgraphExecUpdateResultInfo, CUgraphNodeParams, CUmemAccessDesc, CUmemLocation, CUmemPoolProps,
    CUmemcpy3DOperand, CUmemcpyAttributes, CUmemoryPool,
};
use types::*;

/// Structures and members: the header's expression for the offset, and our offset.
macro_rules! facts {
    ($($ty:ident = $name:literal { $($member:ident = $theirs:literal),* $(,)? })*) => {
        vec![$(
            (format!("sizeof({})", $name), size_of::<$ty>()),
            $((format!("offsetof({}, {})", $name, $theirs), offset_of!($ty, $member)),)*
        )*]
    };
}

fn facts() -> Vec<(String, usize)> {
    let mut all = copies();
    all.extend(textures());
    all.extend(memory());
    all
}

fn copies() -> Vec<(String, usize)> {
    facts! {
        cudaExtent = "cudaExtent" { width = "width", height = "height", depth = "depth" }
        cudaPos = "cudaPos" { x = "x", y = "y", z = "z" }
        cudaPitchedPtr = "cudaPitchedPtr" {
            ptr = "ptr", pitch = "pitch", xsize = "xsize", ysize = "ysize",
        }
        cudaMemcpy3DParms = "cudaMemcpy3DParms" {
            src_array = "srcArray", src_pos = "srcPos", src_ptr = "srcPtr",
            dst_array = "dstArray", dst_pos = "dstPos", dst_ptr = "dstPtr",
            extent = "extent", kind = "kind",
        }
        CUDA_KERNEL_NODE_PARAMS_v1 = "cudaKernelNodeParams" {
            func = "func", grid = "gridDim", block = "blockDim", sharedMemBytes = "sharedMemBytes",
            kernelParams = "kernelParams", extra = "extra",
        }
        CUDA_MEMSET_NODE_PARAMS_v1 = "cudaMemsetParams" {
            dst = "dst", pitch = "pitch", value = "value", elementSize = "elementSize",
            width = "width", height = "height",
        }
        CUDA_HOST_NODE_PARAMS_v1 = "cudaHostNodeParams" { function = "fn", userData = "userData" }
        CUDA_MEM_ALLOC_NODE_PARAMS = "cudaMemAllocNodeParams" {
            poolProps = "poolProps", accessDescs = "accessDescs", accessDescCount = "accessDescCount",
            bytesize = "bytesize", dptr = "dptr",
        }
        CUgraphEdgeData = "cudaGraphEdgeData" { from_port = "from_port", to_port = "to_port", kind = "type" }
        CUDA_GRAPH_INSTANTIATE_PARAMS = "cudaGraphInstantiateParams" {
            flags = "flags", hUploadStream = "uploadStream", hErrNode_out = "errNode_out",
            result_out = "result_out",
        }
        CUgraphExecUpdateResultInfo = "cudaGraphExecUpdateResultInfo" {
            result = "result", errorNode = "errorNode", errorFromNode = "errorFromNode",
        }
        CUgraphNodeParams = "cudaGraphNodeParams" {
            kind = "type", words = "kernel", reserved2 = "reserved2",
        }
        cudaMemcpy3DPeerParms = "cudaMemcpy3DPeerParms" {
            src_array = "srcArray", src_pos = "srcPos", src_ptr = "srcPtr", src_device = "srcDevice",
            dst_array = "dstArray", dst_pos = "dstPos", dst_ptr = "dstPtr", dst_device = "dstDevice",
            extent = "extent",
        }
        CUmemcpyAttributes = "cudaMemcpyAttributes" {
            src_access_order = "srcAccessOrder", src_loc_hint = "srcLocHint",
            dst_loc_hint = "dstLocHint", flags = "flags",
        }
        CUmemcpy3DOperand = "cudaMemcpy3DOperand" {
            kind = "type", what = "op.ptr.ptr", numbers = "op.ptr.rowLength",
        }
        CUDA_MEMCPY3D_BATCH_OP = "cudaMemcpy3DBatchOp" {
            src = "src", dst = "dst", extent = "extent", src_access_order = "srcAccessOrder",
            flags = "flags",
        }
    }
}

fn textures() -> Vec<(String, usize)> {
    let mut all = facts! {
        cudaChannelFormatDesc = "cudaChannelFormatDesc" { bits = "x", kind = "f" }
        cudaResourceDesc = "cudaResourceDesc" {
            res_type = "resType", what = "res.pitch2D.devPtr", what = "res.array.array",
            what = "res.mipmap.mipmap", what = "res.linear.devPtr", desc = "res.pitch2D.desc",
            desc = "res.linear.desc", size = "res.linear.sizeInBytes", size = "res.pitch2D.width",
            height = "res.pitch2D.height", pitch_in_bytes = "res.pitch2D.pitchInBytes",
        }
        cudaTextureDesc = "cudaTextureDesc" {
            address_mode = "addressMode", filter_mode = "filterMode", read_mode = "readMode",
            srgb = "sRGB", border_color = "borderColor", normalized_coords = "normalizedCoords",
            max_anisotropy = "maxAnisotropy", mipmap_filter_mode = "mipmapFilterMode",
            mipmap_level_bias = "mipmapLevelBias", min_mipmap_level_clamp = "minMipmapLevelClamp",
            max_mipmap_level_clamp = "maxMipmapLevelClamp",
            disable_trilinear_optimization = "disableTrilinearOptimization",
            seamless_cubemap = "seamlessCubemap",
        }
        cudaResourceViewDesc = "cudaResourceViewDesc" {
            format = "format", width = "width", height = "height", depth = "depth",
            first_mipmap_level = "firstMipmapLevel", last_mipmap_level = "lastMipmapLevel",
            first_layer = "firstLayer", last_layer = "lastLayer",
        }
        CUDA_ARRAY_SPARSE_PROPERTIES = "cudaArraySparseProperties" {
            tile_extent = "tileExtent", miptail_first_level = "miptailFirstLevel",
            miptail_size = "miptailSize", flags = "flags", reserved = "reserved",
        }
        CUDA_ARRAY_MEMORY_REQUIREMENTS = "cudaArrayMemoryRequirements" {
            size = "size", alignment = "alignment", reserved = "reserved",
        }
    };
    #[cfg(not(feature = "cuda-12"))]
    all.extend(facts! {
        cudaResourceDesc = "cudaResourceDesc" { flags = "flags" }
        cudaResourceViewDesc = "cudaResourceViewDesc" { reserved = "reserved" }
    });
    all.extend(facts! { Array = "cudaArray_t" {} Mipmap = "cudaMipmappedArray_t" {} });
    all
}

fn memory() -> Vec<(String, usize)> {
    let all = facts! {
        cudaPointerAttributes = "cudaPointerAttributes" {
            kind = "type", device = "device", device_pointer = "devicePointer",
            host_pointer = "hostPointer",
        }
        CUmemLocation = "cudaMemLocation" { kind = "type", id = "id" }
        CUmemAccessDesc = "cudaMemAccessDesc" { location = "location", flags = "flags" }
        CUmemPoolProps = "cudaMemPoolProps" {
            alloc_type = "allocType", handle_types = "handleTypes", location = "location",
            win32_security_attributes = "win32SecurityAttributes", max_size = "maxSize",
            usage = "usage",
        }
        CUmemoryPool = "cudaMemPool_t" {}
        Stream = "cudaStream_t" {}
    };
    #[cfg(not(feature = "cuda-12"))]
    let all = [
        all,
        facts! {
        cudaPointerAttributes = "cudaPointerAttributes" {
            locality_domain = "localityDomainOrdinal", reserved = "reserved",
        }
        },
    ]
    .concat();
    all
}

#[test]
fn layouts_are_those_of_the_header() {
    compare("data-types", &facts());
}

/// A row of `data/channels.txt`.
struct Row {
    desc: cudaChannelFormatDesc,
    format: Format,
    /// Codes of textures: point and linear filtering of elements, point and linear filtering of
    /// normalized floats.
    codes: Vec<Option<u32>>,
}

fn rows() -> Vec<Row> {
    let text = include_str!("data/channels.txt");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let rows = lines.map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [kind, bits, format, channels, codes @ ..] = &words[..] else { panic!("{line}") };
        let bits: Vec<i32> = bits.split(',').map(|n| n.parse().unwrap()).collect();
        let format = u32::from_str_radix(format.trim_start_matches("0x"), 16).unwrap();
        Row {
            desc: cudaChannelFormatDesc {
                bits: bits.try_into().unwrap(),
                kind: kind.parse().unwrap(),
            },
            format: Format { format, channels: channels.parse().unwrap() },
            codes: codes.iter().map(|code| code.parse().ok()).collect(),
        }
    });
    // Kinds from 32 on were added in CUDA 13.
    let rows: Vec<Row> = rows.filter(|row| MAJOR == 13 || row.desc.kind < 32).collect();
    assert!(rows.len() > 50);
    rows
}

#[test]
fn descriptors_are_formats_and_formats_descriptors() {
    for row in rows() {
        assert_eq!(row.desc.format(), Ok(row.format));
        assert_eq!(row.format.channel(), Ok(row.desc));
    }
}

#[test]
fn arrays_of_video_kinds_are_refused() {
    for row in rows() {
        let wanted =
            if row.desc.kind < 32 { Ok(row.format) } else { Err(INVALID_CHANNEL_DESCRIPTOR) };
        assert_eq!(row.desc.format_of_array().map_err(|refusal| refusal.code), wanted);
    }
    // Query of which a GeForce RTX 3060 returned the expected value.
    let asked = cudaChannelFormatDesc { bits: [8; 4], kind: 32 };
    assert_eq!(asked.format_of_array().unwrap_err().code, INVALID_CHANNEL_DESCRIPTOR);
}

#[test]
fn all_other_descriptors_are_refused() {
    let rows = rows();
    let widths = [0, 1, 2, 4, 8, 10, 16, 32, 64, -8];
    let mut tried = 0;
    for kind in -1..48 {
        for i in 0..widths.len().pow(4) {
            let bits = [i, i / 10, i / 100, i / 1000].map(|n| widths[n % 10]);
            let desc = cudaChannelFormatDesc { bits, kind };
            if rows.iter().all(|row| row.desc != desc) {
                assert_eq!(desc.format().unwrap_err().code, INVALID_CHANNEL_DESCRIPTOR, "{desc:?}");
                tried += 1;
            }
        }
    }
    assert!(tried > 400_000);
}

#[test]
fn textures_are_refused_as_by_nvidias_runtime() {
    let modes = [(0, 0), (0, 1), (1, 0), (1, 1)];
    for row in rows() {
        assert_eq!(row.codes.len(), modes.len());
        for ((read_mode, filter_mode), code) in modes.into_iter().zip(&row.codes) {
            let desc = cudaTextureDesc { read_mode, filter_mode, ..cudaTextureDesc::default() };
            let ours = desc.to_driver(row.format).map_or_else(|refusal| refusal.code.0, |_| 0);
            if let Some(code) = code {
                assert_eq!(ours, *code, "{:?} {desc:?}", row.desc);
            }
        }
    }
}

#[test]
fn a_texture_descriptor_comes_back_from_the_driver() {
    let format = Format { format: 0x01, channels: 4 };
    for flags in 0..64 {
        let bit = |n: i32| flags >> n & 1;
        let desc = cudaTextureDesc {
            address_mode: [0, 1, 3],
            filter_mode: (bit(0) & bit(1)) as u32,
            read_mode: bit(0) as u32,
            srgb: bit(2),
            border_color: [1.0, 2.0, 3.0, 4.0],
            normalized_coords: bit(3),
            max_anisotropy: 5,
            mipmap_filter_mode: bit(1) as u32,
            mipmap_level_bias: 0.5,
            min_mipmap_level_clamp: 6.0,
            max_mipmap_level_clamp: 7.0,
            disable_trilinear_optimization: bit(4),
            seamless_cubemap: bit(5),
        };
        let driver = desc.to_driver(format).unwrap();
        // CU_TRSF_READ_AS_INTEGER, NORMALIZED_COORDINATES, SRGB, DISABLE_TRILINEAR_OPTIMIZATION,
        // SEAMLESS_CUBEMAP.
        let wanted = (1 - bit(0)) | bit(3) << 1 | bit(2) << 4 | bit(4) << 5 | bit(5) << 6;
        assert_eq!(driver.flags, wanted as u32);
        assert_eq!(cudaTextureDesc::of_driver(&driver, format), Ok(desc));
    }
}

#[test]
fn elements_have_the_size_that_copies_of_arrays_use() {
    for (format, channels, bytes) in [
        (0x01, 1, 1),
        (0x09, 2, 4),
        (0x20, 4, 16),
        (0x10, 4, 8),
        (0xc2, 4, 4),
        (0xcb, 4, 8),
        (0x50, 4, 4),
        // Block-compressed formats.
        (0x91, 4, 8),
        (0x97, 1, 8),
        (0x95, 4, 16),
        (0x9b, 3, 16),
        (0x9d, 4, 16),
    ] {
        assert_eq!(Format { format, channels }.bytes(), Ok(bytes), "{format:#x}");
    }
}
