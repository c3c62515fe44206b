//! Device attributes (`CUdevice_attribute`): given a GPU's profile and the number of an attribute,
//! the value that `cuDeviceGetAttribute` returns.

use crate::profile::Profile;
use std::ops::RangeInclusive;

/// Source of an attribute's value.
enum Value {
    /// The value is the same for all GPUs.
    Same(i32),
    /// The value is computed from the GPU's profile.
    Of(fn(&Profile) -> i32),
    /// A limit of textures or surfaces, by its name after `CU_DEVICE_ATTRIBUTE_MAXIMUM_`.
    Limit(&'static str),
}

use Value::{Limit, Of, Same};

const KIB: i32 = 1024;

/// Maximum extent of a 2D array that supports gathers.
fn gather(profile: &Profile) -> i32 {
    if profile.capability.major >= 6 { 32768 } else { 16384 }
}

/// Number, name after `CU_DEVICE_ATTRIBUTE_`, value. Features that a simulated device lacks
/// (interprocess events, tensor maps and others) are 0.
#[rustfmt::skip]
const ATTRIBUTES: &[(i32, &str, Value)] = &[
    (1, "MAX_THREADS_PER_BLOCK", Same(1024)),
    (2, "MAX_BLOCK_DIM_X", Same(1024)),
    (3, "MAX_BLOCK_DIM_Y", Same(1024)),
    (4, "MAX_BLOCK_DIM_Z", Same(64)),
    (5, "MAX_GRID_DIM_X", Same(i32::MAX)),
    (6, "MAX_GRID_DIM_Y", Same(65535)),
    (7, "MAX_GRID_DIM_Z", Same(65535)),
    (8, "MAX_SHARED_MEMORY_PER_BLOCK", Same(48 * KIB)),
    (9, "TOTAL_CONSTANT_MEMORY", Same(64 * KIB)),
    (10, "WARP_SIZE", Same(32)),
    (11, "MAX_PITCH", Same(i32::MAX)),
    (12, "MAX_REGISTERS_PER_BLOCK", Same(65536)),
    (13, "CLOCK_RATE", Of(|p| p.clock)),
    (14, "TEXTURE_ALIGNMENT", Same(512)),
    (15, "GPU_OVERLAP", Same(1)),
    (16, "MULTIPROCESSOR_COUNT", Of(|p| p.multiprocessors)),
    (17, "KERNEL_EXEC_TIMEOUT", Same(0)),
    (18, "INTEGRATED", Of(|p| i32::from(p.key == "sm_87"))),
    (19, "CAN_MAP_HOST_MEMORY", Same(1)),
    (20, "COMPUTE_MODE", Same(0)),
    (21, "MAXIMUM_TEXTURE1D_WIDTH", Limit("TEXTURE1D_WIDTH")),
    (22, "MAXIMUM_TEXTURE2D_WIDTH", Limit("TEXTURE2D_WIDTH")),
    (23, "MAXIMUM_TEXTURE2D_HEIGHT", Limit("TEXTURE2D_HEIGHT")),
    (24, "MAXIMUM_TEXTURE3D_WIDTH", Limit("TEXTURE3D_WIDTH")),
    (25, "MAXIMUM_TEXTURE3D_HEIGHT", Limit("TEXTURE3D_HEIGHT")),
    (26, "MAXIMUM_TEXTURE3D_DEPTH", Limit("TEXTURE3D_DEPTH")),
    (27, "MAXIMUM_TEXTURE2D_LAYERED_WIDTH", Limit("TEXTURE2D_LAYERED_WIDTH")),
    (28, "MAXIMUM_TEXTURE2D_LAYERED_HEIGHT", Limit("TEXTURE2D_LAYERED_HEIGHT")),
    (29, "MAXIMUM_TEXTURE2D_LAYERED_LAYERS", Limit("TEXTURE2D_LAYERED_LAYERS")),
    (30, "SURFACE_ALIGNMENT", Same(512)),
    (31, "CONCURRENT_KERNELS", Same(1)),
    (32, "ECC_ENABLED", Same(0)),
    (33, "PCI_BUS_ID", Same(1)),
    (34, "PCI_DEVICE_ID", Same(0)),
    (35, "TCC_DRIVER", Same(0)),
    (36, "MEMORY_CLOCK_RATE", Of(|p| p.memory_clock)),
    (37, "GLOBAL_MEMORY_BUS_WIDTH", Of(|p| p.bus)),
    (38, "L2_CACHE_SIZE", Of(|p| p.l2)),
    (39, "MAX_THREADS_PER_MULTIPROCESSOR", Of(|p| p.threads)),
    (40, "ASYNC_ENGINE_COUNT", Of(|p| p.copy_engines)),
    (41, "UNIFIED_ADDRESSING", Same(1)),
    (42, "MAXIMUM_TEXTURE1D_LAYERED_WIDTH", Limit("TEXTURE1D_LAYERED_WIDTH")),
    (43, "MAXIMUM_TEXTURE1D_LAYERED_LAYERS", Limit("TEXTURE1D_LAYERED_LAYERS")),
    (44, "CAN_TEX2D_GATHER", Same(1)),
    (45, "MAXIMUM_TEXTURE2D_GATHER_WIDTH", Of(gather)),
    (46, "MAXIMUM_TEXTURE2D_GATHER_HEIGHT", Of(gather)),
    (47, "MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE", Limit("TEXTURE3D_WIDTH_ALTERNATE")),
    (48, "MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE", Limit("TEXTURE3D_HEIGHT_ALTERNATE")),
    (49, "MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE", Limit("TEXTURE3D_DEPTH_ALTERNATE")),
    (50, "PCI_DOMAIN_ID", Same(0)),
    (51, "TEXTURE_PITCH_ALIGNMENT", Same(32)),
    (52, "MAXIMUM_TEXTURECUBEMAP_WIDTH", Limit("TEXTURECUBEMAP_WIDTH")),
    (53, "MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH", Limit("TEXTURECUBEMAP_LAYERED_WIDTH")),
    (54, "MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS", Limit("TEXTURECUBEMAP_LAYERED_LAYERS")),
    (55, "MAXIMUM_SURFACE1D_WIDTH", Limit("SURFACE1D_WIDTH")),
    (56, "MAXIMUM_SURFACE2D_WIDTH", Limit("SURFACE2D_WIDTH")),
    (57, "MAXIMUM_SURFACE2D_HEIGHT", Limit("SURFACE2D_HEIGHT")),
    (58, "MAXIMUM_SURFACE3D_WIDTH", Limit("SURFACE3D_WIDTH")),
    (59, "MAXIMUM_SURFACE3D_HEIGHT", Limit("SURFACE3D_HEIGHT")),
    (60, "MAXIMUM_SURFACE3D_DEPTH", Limit("SURFACE3D_DEPTH")),
    (61, "MAXIMUM_SURFACE1D_LAYERED_WIDTH", Limit("SURFACE1D_LAYERED_WIDTH")),
    (62, "MAXIMUM_SURFACE1D_LAYERED_LAYERS", Limit("SURFACE1D_LAYERED_LAYERS")),
    (63, "MAXIMUM_SURFACE2D_LAYERED_WIDTH", Limit("SURFACE2D_LAYERED_WIDTH")),
    (64, "MAXIMUM_SURFACE2D_LAYERED_HEIGHT", Limit("SURFACE2D_LAYERED_HEIGHT")),
    (65, "MAXIMUM_SURFACE2D_LAYERED_LAYERS", Limit("SURFACE2D_LAYERED_LAYERS")),
    (66, "MAXIMUM_SURFACECUBEMAP_WIDTH", Limit("SURFACECUBEMAP_WIDTH")),
    (67, "MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH", Limit("SURFACECUBEMAP_LAYERED_WIDTH")),
    (68, "MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS", Limit("SURFACECUBEMAP_LAYERED_LAYERS")),
    (69, "MAXIMUM_TEXTURE1D_LINEAR_WIDTH", Limit("TEXTURE1D_LINEAR_WIDTH")),
    (70, "MAXIMUM_TEXTURE2D_LINEAR_WIDTH", Limit("TEXTURE2D_LINEAR_WIDTH")),
    (71, "MAXIMUM_TEXTURE2D_LINEAR_HEIGHT", Limit("TEXTURE2D_LINEAR_HEIGHT")),
    (72, "MAXIMUM_TEXTURE2D_LINEAR_PITCH", Limit("TEXTURE2D_LINEAR_PITCH")),
    (73, "MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH", Limit("TEXTURE2D_MIPMAPPED_WIDTH")),
    (74, "MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT", Limit("TEXTURE2D_MIPMAPPED_HEIGHT")),
    (75, "COMPUTE_CAPABILITY_MAJOR", Of(|p| p.capability.major.into())),
    (76, "COMPUTE_CAPABILITY_MINOR", Of(|p| p.capability.minor.into())),
    (77, "MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH", Limit("TEXTURE1D_MIPMAPPED_WIDTH")),
    (78, "STREAM_PRIORITIES_SUPPORTED", Same(1)),
    (79, "GLOBAL_L1_CACHE_SUPPORTED", Same(1)),
    (80, "LOCAL_L1_CACHE_SUPPORTED", Same(1)),
    (81, "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR", Of(|p| p.shared * KIB)),
    (82, "MAX_REGISTERS_PER_MULTIPROCESSOR", Same(65536)),
    (83, "MANAGED_MEMORY", Same(1)),
    (84, "MULTI_GPU_BOARD", Same(0)),
    (85, "MULTI_GPU_BOARD_GROUP_ID", Same(0)),
    (86, "HOST_NATIVE_ATOMIC_SUPPORTED", Same(0)),
    (87, "SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO", Of(|p| p.double_ratio)),
    (88, "PAGEABLE_MEMORY_ACCESS", Same(0)),
    (89, "CONCURRENT_MANAGED_ACCESS", Of(|p| i32::from(p.capability.major >= 6))),
    (90, "COMPUTE_PREEMPTION_SUPPORTED", Of(|p| i32::from(p.capability.major >= 6))),
    (91, "CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM", Same(1)),
    (92, "CAN_USE_STREAM_MEM_OPS_V1", Same(0)),
    (93, "CAN_USE_64_BIT_STREAM_MEM_OPS_V1", Same(0)),
    (94, "CAN_USE_STREAM_WAIT_VALUE_NOR_V1", Same(0)),
    (95, "COOPERATIVE_LAUNCH", Of(|p| i32::from(p.capability.major >= 6))),
    (96, "COOPERATIVE_MULTI_DEVICE_LAUNCH", Same(0)),
    (97, "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN", Of(|p| p.shared_optin * KIB)),
    (98, "CAN_FLUSH_REMOTE_WRITES", Same(0)),
    (99, "HOST_REGISTER_SUPPORTED", Same(1)),
    (100, "PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES", Same(0)),
    (101, "DIRECT_MANAGED_MEM_ACCESS_FROM_HOST", Same(0)),
    (102, "VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED", Same(1)),
    (103, "HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED", Same(1)),
    (104, "HANDLE_TYPE_WIN32_HANDLE_SUPPORTED", Same(0)),
    (105, "HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED", Same(0)),
    (106, "MAX_BLOCKS_PER_MULTIPROCESSOR", Of(|p| p.ctas)),
    (107, "GENERIC_COMPRESSION_SUPPORTED", Same(0)),
    (108, "MAX_PERSISTING_L2_CACHE_SIZE", Same(0)),
    (109, "MAX_ACCESS_POLICY_WINDOW_SIZE", Same(0)),
    (110, "GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED", Same(0)),
    (111, "RESERVED_SHARED_MEMORY_PER_BLOCK", Of(|p| if p.capability.major >= 8 { KIB } else { 0 })),
    (112, "SPARSE_CUDA_ARRAY_SUPPORTED", Same(1)),
    (113, "READ_ONLY_HOST_REGISTER_SUPPORTED", Same(1)),
    (114, "TIMELINE_SEMAPHORE_INTEROP_SUPPORTED", Same(0)),
    (115, "MEMORY_POOLS_SUPPORTED", Same(1)),
    (116, "GPU_DIRECT_RDMA_SUPPORTED", Same(0)),
    (117, "GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS", Same(0)),
    (118, "GPU_DIRECT_RDMA_WRITES_ORDERING", Same(0)),
    (119, "MEMPOOL_SUPPORTED_HANDLE_TYPES", Same(1)),
    (120, "CLUSTER_LAUNCH", Of(|p| i32::from(p.capability.major >= 9))),
    (121, "DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED", Same(0)),
    (122, "CAN_USE_64_BIT_STREAM_MEM_OPS", Same(1)),
    (123, "CAN_USE_STREAM_WAIT_VALUE_NOR", Same(1)),
    (124, "DMA_BUF_SUPPORTED", Same(0)),
    (125, "IPC_EVENT_SUPPORTED", Same(1)),
    (126, "MEM_SYNC_DOMAIN_COUNT", Of(|p| if p.capability.major >= 9 { 4 } else { 1 })),
    (127, "TENSOR_MAP_ACCESS_SUPPORTED", Same(0)),
    (128, "HANDLE_TYPE_FABRIC_SUPPORTED", Same(0)),
    (129, "UNIFIED_FUNCTION_POINTERS", Same(0)),
    (130, "NUMA_CONFIG", Same(0)),
    (131, "NUMA_ID", Same(-1)),
    (132, "MULTICAST_SUPPORTED", Same(0)),
    (133, "MPS_ENABLED", Same(0)),
    (134, "HOST_NUMA_ID", Same(0)),
    (135, "D3D12_CIG_SUPPORTED", Same(0)),
    (136, "MEM_DECOMPRESS_ALGORITHM_MASK", Same(0)),
    (137, "MEM_DECOMPRESS_MAXIMUM_LENGTH", Same(0)),
    (138, "VULKAN_CIG_SUPPORTED", Same(0)),
    (139, "GPU_PCI_DEVICE_ID", Same(0)),
    (140, "GPU_PCI_SUBSYSTEM_ID", Same(0)),
    (141, "HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED", Same(1)),
    (142, "HOST_NUMA_MEMORY_POOLS_SUPPORTED", Same(1)),
    (143, "HOST_NUMA_MULTINODE_IPC_SUPPORTED", Same(0)),
    (144, "HOST_MEMORY_POOLS_SUPPORTED", Same(1)),
    (145, "HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED", Same(1)),
    (146, "HOST_ALLOC_DMA_BUF_SUPPORTED", Same(0)),
    (147, "ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED", Same(0)),
    (148, "ATOMIC_REDUCTION_SUPPORTED", Same(0)),
    (149, "LOCALITY_DOMAIN_COUNT", Same(1)),
    (150, "MAX_OVERSIZED_SHARED_MEMORY_PER_BLOCK", Same(0)),
    (151, "D3D12_CIG_STREAMS_SUPPORTED", Same(0)),
    (152, "DMA_BUF_MMAP_SUPPORTED", Same(0)),
    (153, "LOGICAL_ENDPOINT_UNICAST_SUPPORTED", Same(0)),
    (154, "LOGICAL_ENDPOINT_MULTICAST_SUPPORTED", Same(0)),
    (155, "LOGICAL_ENDPOINT_COUNTED_OPS_SUPPORTED", Same(0)),
    (156, "LOGICAL_ENDPOINT_UNICAST_ACCESS_ON_OWNER_DEVICE_SUPPORTED", Same(0)),
    (157, "LOCALITY_DOMAIN_MULTIPROCESSOR_COUNT", Same(0)),
    (158, "LOGICAL_ENDPOINT_SUPPORTED_HANDLE_TYPES", Same(0)),
    (159, "VULKAN_CIG_STREAMS_SUPPORTED", Same(0)),
    (160, "TENSOR_MAP_LARGE_TENSOR_MIN_SIZE", Same(0)),
    (161, "GPU_DIRECT_RDMA_WITH_LOCALIZED_MEMORY_SUPPORTED", Same(0)),
];

/// Values that an NVIDIA H200 returned (driver 580.159.04, CUDA 13.0, 2026-11-28) and that do not
/// follow from its profile; its driver knows no attribute above 147. Features that texunit lacks
/// are not listed (docs/cuda-api.md, "Devices").
const H200: &[(RangeInclusive<i32>, Option<i32>)] = &[
    (32..=32, Some(1)),
    (108..=108, Some(39_321_600)),
    (109..=109, Some(134_217_728)),
    (139..=139, Some(0x2335_10de)),
    (140..=140, Some(0x18bf_10de)),
    (148..=161, None),
];

/// The value of an attribute for a GPU; `None` for an unknown number.
pub(crate) fn value(profile: &Profile, attribute: i32) -> Option<i32> {
    let own = if profile.key == "h200" { H200 } else { &[] };
    if let Some((_, value)) = own.iter().find(|(numbers, _)| numbers.contains(&attribute)) {
        return *value;
    }
    let (_, _, value) = ATTRIBUTES.iter().find(|(number, _, _)| *number == attribute)?;
    Some(match value {
        Same(value) => *value,
        Of(of) => of(profile),
        Limit(name) => {
            profile.capability.limit(name).map_or(0, |most| i32::try_from(most).unwrap_or(i32::MAX))
        }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn rows_are_in_order_and_name_limits_that_are_there() {
        assert!(ATTRIBUTES.windows(2).all(|pair| pair[0].0 < pair[1].0));
        let profile = crate::profile::default();
        for (number, name, value) in ATTRIBUTES {
            if let Limit(limit) = value {
                assert!(
                    profile.capability.limit(limit).is_some_and(|most| most > 0),
                    "{number} {name}"
                );
            }
        }
        assert_eq!(value(profile, 75), Some(8));
        assert_eq!(value(profile, 22), Some(131_072));
        assert_eq!(value(profile, 0), None);
    }

    /// Compares with the GPU's values, "-" where its call fails; attributes of features that
    /// texunit lacks are 0.
    #[test]
    fn an_h200_answers_as_the_card() {
        const CARD: &str = include_str!("attributes/h200.txt");
        let profile = crate::profile::find_all("h200").unwrap()[0];
        let mut count = 0;
        for line in CARD.lines().filter(|line| !line.starts_with('#')) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let number = words[0].parse().unwrap();
            let wanted = match words[2..] {
                [value] | [_, value] => value.parse().ok(),
                _ => panic!("{line}"),
            };
            // The PCI location is taken from the device (api::device).
            if !matches!(number, 33 | 34) {
                assert_eq!(value(profile, number), wanted, "{line}");
            }
            count += 1;
        }
        assert_eq!(count, 149);
    }
}
