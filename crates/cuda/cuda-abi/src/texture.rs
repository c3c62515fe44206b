//! Structures and numbers of texture and surface objects, and of references.

use crate::CUdeviceptr;

/// Resource of a texture or surface (`CUDA_RESOURCE_DESC`).
///
/// The header has a union whose members share their first fields; here they are one structure of
/// the size of the union.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUDA_RESOURCE_DESC {
    /// Type of the resource (`CU_RESOURCE_TYPE_*`), which determines the meaning of the other
    /// fields.
    pub res_type: u32,
    /// Handle of the array or mipmapped array, or device address of the memory.
    pub what: CUdeviceptr,
    /// Channel format (`CU_AD_FORMAT_*`) of linear or pitched memory; unused for arrays, which have
    /// a format of their own.
    pub format: u32,
    /// Channels per element of linear or pitched memory; unused for arrays.
    pub num_channels: u32,
    /// Size of linear memory in bytes, or width of pitched memory in elements.
    pub size: usize,
    /// Rows of pitched memory.
    pub height: usize,
    /// Row pitch of pitched memory in bytes.
    pub pitch_in_bytes: usize,
    /// Remaining bytes of the union.
    pub reserved: [u64; 11],
    /// Reserved, 0.
    pub flags: u32,
}

/// Sampling state of a texture (`CUDA_TEXTURE_DESC`).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct CUDA_TEXTURE_DESC {
    /// Address modes for x, y and z (`CU_TR_ADDRESS_MODE_*`).
    pub address_mode: [u32; 3],
    /// Filter within a level (`CU_TR_FILTER_MODE_*`).
    pub filter_mode: u32,
    /// Flags of the texture (`CU_TRSF_*`).
    pub flags: u32,
    /// Maximum anisotropy.
    pub max_anisotropy: u32,
    /// Filter between levels (`CU_TR_FILTER_MODE_*`).
    pub mipmap_filter_mode: u32,
    /// Bias of the level of detail.
    pub mipmap_level_bias: f32,
    /// Minimum level of detail.
    pub min_mipmap_level_clamp: f32,
    /// Maximum level of detail.
    pub max_mipmap_level_clamp: f32,
    /// Border colour as r, g, b, a.
    pub border_color: [f32; 4],
    /// Reserved zeros.
    pub reserved: [u32; 12],
}

/// A view of an array: a subrange of levels and layers, or another format
/// (`CUDA_RESOURCE_VIEW_DESC`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUDA_RESOURCE_VIEW_DESC {
    /// Texel format of the view (`CU_RES_VIEW_FORMAT_*`).
    pub format: u32,
    /// Width of the view in texels: for a block-compressed format, four times the array's.
    pub width: usize,
    /// Height of the view in texels: for a block-compressed format, four times the array's.
    pub height: usize,
    /// Depth of the view in texels.
    pub depth: usize,
    /// First level of the array that the view shows.
    pub first_mipmap_level: u32,
    /// Last level of the array that the view shows.
    pub last_mipmap_level: u32,
    /// First layer of the array that the view shows.
    pub first_layer: u32,
    /// Last layer of the array that the view shows.
    pub last_layer: u32,
    /// Reserved zeros.
    pub reserved: [u32; 16],
}
