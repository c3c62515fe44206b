//! Structures and numbers of texture and surface objects, and of references.

use crate::CUdeviceptr;

/// Resource of a texture or surface (`CUDA_RESOURCE_DESC`).
///
/// The header has a union whose members share their first fields; here they are one structure of
/// the size of the union.
#[allow(non_camel_case_types)]
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
#[allow(non_camel_case_types)]
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
#[allow(non_camel_case_types)]
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

/// Resource type: an array without mip levels.
pub const CU_RESOURCE_TYPE_ARRAY: u32 = 0;
/// Resource type: an array with mip levels.
pub const CU_RESOURCE_TYPE_MIPMAPPED_ARRAY: u32 = 1;
/// Resource type: linear memory.
pub const CU_RESOURCE_TYPE_LINEAR: u32 = 2;
/// Resource type: pitched 2D memory.
pub const CU_RESOURCE_TYPE_PITCH2D: u32 = 3;

/// Address mode wrap: the texture repeats outside its edges.
pub const CU_TR_ADDRESS_MODE_WRAP: u32 = 0;
/// Address mode clamp: coordinates outside are moved to the edge.
pub const CU_TR_ADDRESS_MODE_CLAMP: u32 = 1;
/// Address mode mirror: coordinates are reflected at the edges.
pub const CU_TR_ADDRESS_MODE_MIRROR: u32 = 2;
/// Address mode border: texels outside have the border colour.
pub const CU_TR_ADDRESS_MODE_BORDER: u32 = 3;

/// Filter mode point: a fetch returns the nearest texel.
pub const CU_TR_FILTER_MODE_POINT: u32 = 0;
/// Filter mode linear: a fetch returns the weighted mean of neighbouring texels.
pub const CU_TR_FILTER_MODE_LINEAR: u32 = 1;

/// Flag: integers of 8 and 16 bits are returned as integers, not as fractions.
pub const CU_TRSF_READ_AS_INTEGER: u32 = 0x01;
/// Flag: coordinates range from 0 to 1.
pub const CU_TRSF_NORMALIZED_COORDINATES: u32 = 0x02;
/// Flag: colours are converted from sRGB.
pub const CU_TRSF_SRGB: u32 = 0x10;
/// Flag: trilinear filtering is never optimised.
pub const CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION: u32 = 0x20;
/// Flag: filters read across the edges of cube faces.
pub const CU_TRSF_SEAMLESS_CUBEMAP: u32 = 0x40;

/// Flag: a texture reference takes the format of its array.
pub const CU_TRSA_OVERRIDE_FORMAT: u32 = 0x01;
/// The only value for the parameter `texunit` that `cuParamSetTexRef` accepts.
pub const CU_PARAM_TR_DEFAULT: i32 = -1;

/// The highest number of a view format, BC7; 0 means that the view keeps the array's format.
pub const CU_RES_VIEW_FORMAT_UNSIGNED_BC7: u32 = 0x22;
