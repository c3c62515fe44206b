//! Sizes, offsets and constants, compared with values that a C compiler printed for NVIDIA's header
//! (`tests/data`).
//!
//! If the header is found in the folder of `TEXUNIT_NVIDIA` or in target/nvidia, the recorded
//! values are compared with it; otherwise the test prints that they were not.

use std::mem::offset_of;
use std::path::{Path, PathBuf};
use texunit_cuda_abi::*;
use texunit_testkit::header::{Fact, Header};

/// Lists the compared structures: Rust type, C name, and the C name of each compared member.
macro_rules! structures {
    ($($ty:ident = $name:literal { $($($member:ident).+ = $c:literal),* $(,)? })*) => {
        fn structures() -> Vec<Fact> {
            vec![$(
                (format!("sizeof({})", $name), size_of::<$ty>() as i128),
                $((
                    format!("offsetof({}, {})", $name, $c),
                    offset_of!($ty, $($member).+) as i128,
                ),)*
            )*]
        }
    };
}

/// Lists the compared constants, which have the same name in the header.
macro_rules! constants {
    ($($name:ident),* $(,)?) => {
        fn constants() -> Vec<Fact> {
            vec![$((stringify!($name).to_owned(), $name as i128)),*]
        }
    };
}

structures! {
    CUdevResource = "CUdevResource" { r#type = "type", value = "sm" }
    CUmemLocation = "CUmemLocation" { kind = "type", id = "id" }
    CUmemAccessDesc = "CUmemAccessDesc" { location = "location", flags = "flags" }
    CUmemPoolProps = "CUmemPoolProps" {
        alloc_type = "allocType", handle_types = "handleTypes", location = "location",
        win32_security_attributes = "win32SecurityAttributes", max_size = "maxSize",
        usage = "usage",
    }
    CUDA_MEMCPY2D = "CUDA_MEMCPY2D" {
        src.x_in_bytes = "srcXInBytes", src.y = "srcY", src.memory_type = "srcMemoryType",
        src.host = "srcHost", src.device = "srcDevice", src.array = "srcArray",
        src.pitch = "srcPitch",
        dst.x_in_bytes = "dstXInBytes", dst.y = "dstY", dst.memory_type = "dstMemoryType",
        dst.host = "dstHost", dst.device = "dstDevice", dst.array = "dstArray",
        dst.pitch = "dstPitch", width_in_bytes = "WidthInBytes", height = "Height",
    }
    CUDA_MEMCPY3D = "CUDA_MEMCPY3D" {
        src.x_in_bytes = "srcXInBytes", src.y = "srcY", src.z = "srcZ", src.lod = "srcLOD",
        src.memory_type = "srcMemoryType", src.host = "srcHost", src.device = "srcDevice",
        src.array = "srcArray", src.context = "reserved0", src.pitch = "srcPitch",
        src.height = "srcHeight",
        dst.x_in_bytes = "dstXInBytes", dst.y = "dstY", dst.z = "dstZ", dst.lod = "dstLOD",
        dst.memory_type = "dstMemoryType", dst.host = "dstHost", dst.device = "dstDevice",
        dst.array = "dstArray", dst.context = "reserved1", dst.pitch = "dstPitch",
        dst.height = "dstHeight",
        width_in_bytes = "WidthInBytes", height = "Height", depth = "Depth",
    }
    CUDA_MEMCPY3D = "CUDA_MEMCPY3D_PEER" {
        src.context = "srcContext", src.height = "srcHeight", dst.context = "dstContext",
        dst.height = "dstHeight", depth = "Depth",
    }
    CUmemcpyAttributes = "CUmemcpyAttributes" {
        src_access_order = "srcAccessOrder", src_loc_hint = "srcLocHint",
        dst_loc_hint = "dstLocHint", flags = "flags",
    }
    CUmemcpy3DOperand = "CUmemcpy3DOperand" {
        kind = "type", what = "op.ptr.ptr", numbers = "op.ptr.rowLength",
        what = "op.array.array", numbers = "op.array.offset",
    }
    CUDA_MEMCPY3D_BATCH_OP = "CUDA_MEMCPY3D_BATCH_OP" {
        src = "src", dst = "dst", extent = "extent", src_access_order = "srcAccessOrder",
        flags = "flags",
    }
    CUDA_KERNEL_NODE_PARAMS_v1 = "CUDA_KERNEL_NODE_PARAMS_v1" {
        func = "func", grid = "gridDimX", block = "blockDimX", sharedMemBytes = "sharedMemBytes",
        kernelParams = "kernelParams", extra = "extra",
    }
    CUDA_KERNEL_NODE_PARAMS = "CUDA_KERNEL_NODE_PARAMS_v2" {
        func = "func", grid = "gridDimX", block = "blockDimX", sharedMemBytes = "sharedMemBytes",
        kernelParams = "kernelParams", extra = "extra", kern = "kern", ctx = "ctx",
    }
    CUDA_MEMSET_NODE_PARAMS_v1 = "CUDA_MEMSET_NODE_PARAMS_v1" {
        dst = "dst", pitch = "pitch", value = "value", elementSize = "elementSize", width = "width",
        height = "height",
    }
    CUDA_MEMSET_NODE_PARAMS = "CUDA_MEMSET_NODE_PARAMS_v2" {
        dst = "dst", pitch = "pitch", value = "value", elementSize = "elementSize", width = "width",
        height = "height", ctx = "ctx",
    }
    CUDA_HOST_NODE_PARAMS_v1 = "CUDA_HOST_NODE_PARAMS_v1" { function = "fn", userData = "userData" }
    CUDA_EXT_SEM_NODE_PARAMS = "CUDA_EXT_SEM_WAIT_NODE_PARAMS_v1" {
        extSemArray = "extSemArray", paramsArray = "paramsArray", numExtSems = "numExtSems",
    }
    CUDA_MEM_ALLOC_NODE_PARAMS = "CUDA_MEM_ALLOC_NODE_PARAMS_v2" {
        poolProps = "poolProps", accessDescs = "accessDescs", accessDescCount = "accessDescCount",
        bytesize = "bytesize", dptr = "dptr",
    }
    CUDA_BATCH_MEM_OP_NODE_PARAMS = "CUDA_BATCH_MEM_OP_NODE_PARAMS_v2" {
        ctx = "ctx", count = "count", paramArray = "paramArray", flags = "flags",
    }
    CUDA_CONDITIONAL_NODE_PARAMS = "CUDA_CONDITIONAL_NODE_PARAMS" {
        handle = "handle", kind = "type", size = "size", phGraph_out = "phGraph_out", ctx = "ctx",
    }
    CUDA_MEMCPY_NODE_PARAMS = "CUDA_MEMCPY_NODE_PARAMS" {
        flags = "flags", copyCtx = "copyCtx", copyParams = "copyParams",
    }
    CUgraphEdgeData = "CUgraphEdgeData" {
        from_port = "from_port", to_port = "to_port", kind = "type", reserved = "reserved",
    }
    CUDA_GRAPH_INSTANTIATE_PARAMS = "CUDA_GRAPH_INSTANTIATE_PARAMS" {
        flags = "flags", hUploadStream = "hUploadStream", hErrNode_out = "hErrNode_out",
        result_out = "result_out",
    }
    CUgraphExecUpdateResultInfo = "CUgraphExecUpdateResultInfo" {
        result = "result", errorNode = "errorNode", errorFromNode = "errorFromNode",
    }
    CUstreamBatchMemOpParams = "CUstreamBatchMemOpParams" {}
    CUgraphNodeParams = "CUgraphNodeParams" {
        kind = "type", reserved0 = "reserved0", words = "kernel", reserved2 = "reserved2",
    }
    CUuuid = "CUuuid" {}
    CUDA_ARRAY_DESCRIPTOR = "CUDA_ARRAY_DESCRIPTOR" {
        width = "Width", height = "Height", format = "Format", num_channels = "NumChannels",
    }
    CUDA_ARRAY3D_DESCRIPTOR = "CUDA_ARRAY3D_DESCRIPTOR" {
        width = "Width", height = "Height", depth = "Depth", format = "Format",
        num_channels = "NumChannels", flags = "Flags",
    }
    CUDA_ARRAY_SPARSE_PROPERTIES = "CUDA_ARRAY_SPARSE_PROPERTIES" {
        tile_extent = "tileExtent.width", miptail_first_level = "miptailFirstLevel",
        miptail_size = "miptailSize", flags = "flags", reserved = "reserved",
    }
    CUDA_ARRAY_MEMORY_REQUIREMENTS = "CUDA_ARRAY_MEMORY_REQUIREMENTS" {
        size = "size", alignment = "alignment", reserved = "reserved",
    }
    CUarrayMapInfo = "CUarrayMapInfo" {
        resource_type = "resourceType", resource = "resource.array",
        subresource_type = "subresourceType", subresource = "subresource.sparseLevel.level",
        subresource = "subresource.miptail.layer",
        mem_operation_type = "memOperationType", mem_handle_type = "memHandleType",
        mem_handle = "memHandle.memHandle", offset = "offset", device_bit_mask = "deviceBitMask",
        flags = "flags", reserved = "reserved",
    }
    CUmemAllocationProp = "CUmemAllocationProp" {
        kind = "type", requested_handle_types = "requestedHandleTypes", location = "location",
        win32_handle_meta_data = "win32HandleMetaData",
        compression_type = "allocFlags.compressionType",
        gpu_direct_rdma_capable = "allocFlags.gpuDirectRDMACapable", usage = "allocFlags.usage",
        reserved = "allocFlags.reserved",
    }
    CUDA_RESOURCE_DESC = "CUDA_RESOURCE_DESC" {
        res_type = "resType", what = "res.array.hArray", what = "res.mipmap.hMipmappedArray",
        what = "res.linear.devPtr", format = "res.linear.format",
        num_channels = "res.linear.numChannels", size = "res.linear.sizeInBytes",
        what = "res.pitch2D.devPtr", format = "res.pitch2D.format",
        num_channels = "res.pitch2D.numChannels", size = "res.pitch2D.width",
        height = "res.pitch2D.height", pitch_in_bytes = "res.pitch2D.pitchInBytes",
        flags = "flags",
    }
    CUDA_TEXTURE_DESC = "CUDA_TEXTURE_DESC" {
        address_mode = "addressMode", filter_mode = "filterMode", flags = "flags",
        max_anisotropy = "maxAnisotropy", mipmap_filter_mode = "mipmapFilterMode",
        mipmap_level_bias = "mipmapLevelBias", min_mipmap_level_clamp = "minMipmapLevelClamp",
        max_mipmap_level_clamp = "maxMipmapLevelClamp", border_color = "borderColor",
        reserved = "reserved",
    }
    CUDA_RESOURCE_VIEW_DESC = "CUDA_RESOURCE_VIEW_DESC" {
        format = "format", width = "width", height = "height", depth = "depth",
        first_mipmap_level = "firstMipmapLevel", last_mipmap_level = "lastMipmapLevel",
        first_layer = "firstLayer", last_layer = "lastLayer", reserved = "reserved",
    }
}

constants! {
    CU_MEM_LOCATION_TYPE_INVALID, CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_LOCATION_TYPE_HOST,
    CU_MEM_LOCATION_TYPE_HOST_NUMA, CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT, CU_DEVICE_INVALID,
    CU_DEVICE_CPU, CU_MEM_ACCESS_FLAGS_PROT_NONE, CU_MEM_ACCESS_FLAGS_PROT_READ,
    CU_MEM_ACCESS_FLAGS_PROT_READWRITE, CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_HANDLE_TYPE_NONE,
    CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_ARRAY, CU_MEMORYTYPE_UNIFIED,
    CU_MEMHOSTALLOC_PORTABLE, CU_MEMHOSTALLOC_DEVICEMAP, CU_MEMHOSTALLOC_WRITECOMBINED,
    CU_MEMHOSTREGISTER_PORTABLE, CU_MEMHOSTREGISTER_DEVICEMAP, CU_MEMHOSTREGISTER_IOMEMORY,
    CU_MEMHOSTREGISTER_READ_ONLY, CU_MEM_ATTACH_GLOBAL, CU_MEM_ATTACH_HOST, CU_MEM_ATTACH_SINGLE,
    CU_MEMCPY_SRC_ACCESS_ORDER_ANY, CU_MEMCPY_OPERAND_TYPE_POINTER, CU_MEMCPY_OPERAND_TYPE_ARRAY,
    CUDA_ARRAY3D_LAYERED, CUDA_ARRAY3D_SURFACE_LDST, CUDA_ARRAY3D_CUBEMAP,
    CUDA_ARRAY3D_TEXTURE_GATHER, CUDA_ARRAY3D_DEPTH_TEXTURE, CUDA_ARRAY3D_COLOR_ATTACHMENT,
    CUDA_ARRAY3D_SPARSE, CUDA_ARRAY3D_DEFERRED_MAPPING, CUDA_ARRAY3D_VIDEO_ENCODE_DECODE,
    CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL, CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL,
    CU_MEM_OPERATION_TYPE_MAP, CU_MEM_OPERATION_TYPE_UNMAP, CU_MEM_HANDLE_TYPE_GENERIC,
    CU_MEM_CREATE_USAGE_TILE_POOL, CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT16,
    CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT8, CU_AD_FORMAT_SIGNED_INT16,
    CU_AD_FORMAT_SIGNED_INT32, CU_AD_FORMAT_HALF, CU_AD_FORMAT_FLOAT,
    CU_AD_FORMAT_UNORM_INT_101010_2, CU_AD_FORMAT_NV12, CU_RESOURCE_TYPE_ARRAY,
    CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, CU_RESOURCE_TYPE_LINEAR, CU_RESOURCE_TYPE_PITCH2D,
    CU_TR_ADDRESS_MODE_WRAP, CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_MIRROR,
    CU_TR_ADDRESS_MODE_BORDER, CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR,
    CU_TRSF_READ_AS_INTEGER, CU_TRSF_NORMALIZED_COORDINATES, CU_TRSF_SRGB,
    CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION, CU_TRSF_SEAMLESS_CUBEMAP, CU_TRSA_OVERRIDE_FORMAT,
    CU_PARAM_TR_DEFAULT, CU_RES_VIEW_FORMAT_UNSIGNED_BC7,
}

/// The headers of two CUDA releases, in the folder of NVIDIA's packages, and the files in
/// tests/data with the values recorded from them.
const HEADERS: [(&str, &str, &str); 2] = [
    (
        "cu13/nvidia/cu13/include",
        "layout-13.txt",
        "What cuda.h says: NVIDIA's package nvidia-cuda-runtime 13.5.37 (PyPI), by cc on x86-64 Linux.
Made anew, where target/nvidia or TEXUNIT_NVIDIA has it, by
TEXUNIT_RECORD=1 cargo test -p texunit-cuda-abi --test layout",
    ),
    (
        "nvrtc12/nvidia/cuda_runtime/include",
        "layout-12.txt",
        "What cuda.h says: NVIDIA's package nvidia-cuda-runtime-cu12 12.9.79 (PyPI), by cc on x86-64 Linux.
Made anew, where target/nvidia or TEXUNIT_NVIDIA has it, by
TEXUNIT_RECORD=1 cargo test -p texunit-cuda-abi --test layout",
    ),
];

#[test]
fn layouts_are_those_of_the_header() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let packages = std::env::var_os("TEXUNIT_NVIDIA")
        .map_or_else(|| here.join("../../../target/nvidia"), PathBuf::from);
    for (path, record, origin) in HEADERS {
        let header = Header {
            include: Some(packages.join(path)).filter(|folder| folder.join("cuda.h").is_file()),
            more: Vec::new(),
            name: "cuda.h",
            compiler: &["cc"],
            ending: "c",
            work: Path::new(env!("CARGO_TARGET_TMPDIR")),
            record: here.join("tests/data").join(record),
            origin,
        };
        header.compare(&structures().into_iter().chain(constants()).collect::<Vec<_>>());
    }
}
