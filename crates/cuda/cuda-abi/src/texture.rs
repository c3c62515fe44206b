//! Structures and numbers of texture and surface objects, and of references.

use crate::CUdeviceptr;

/// What a texture or surface is of (`CUDA_RESOURCE_DESC`).
///
/// The header has a union; its members begin alike, so that they are one structure here, which is as
/// long as the union.
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUDA_RESOURCE_DESC {
    /// `CU_RESOURCE_TYPE_*`.
    pub res_type: u32,
    /// Handle of an array or mipmapped array, or device address.
    pub what: CUdeviceptr,
    /// `CU_AD_FORMAT_*`, of memory.
    pub format: u32,
    /// Channels of an element, of memory.
    pub num_channels: u32,
    /// Bytes of linear memory, or width of pitched memory in elements.
    pub size: usize,
    /// Rows of pitched memory.
    pub height: usize,
    /// Bytes from a row of pitched memory to the next.
    pub pitch_in_bytes: usize,
    /// The rest of the union.
    pub reserved: [u64; 11],
    /// 0.
    pub flags: u32,
}

/// How a texture reads (`CUDA_TEXTURE_DESC`).
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct CUDA_TEXTURE_DESC {
    /// `CU_TR_ADDRESS_MODE_*` of x, y, z.
    pub address_mode: [u32; 3],
    /// `CU_TR_FILTER_MODE_*`.
    pub filter_mode: u32,
    /// `CU_TRSF_*`.
    pub flags: u32,
    /// Most taps of an anisotropic filter.
    pub max_anisotropy: u32,
    /// `CU_TR_FILTER_MODE_*` between levels.
    pub mipmap_filter_mode: u32,
    /// Added to a level.
    pub mipmap_level_bias: f32,
    /// Minimum level.
    pub min_mipmap_level_clamp: f32,
    /// Maximum level.
    pub max_mipmap_level_clamp: f32,
    /// r, g, b, a.
    pub border_color: [f32; 4],
    /// Zeros.
    pub reserved: [u32; 12],
}

/// A part of an array, or its texels as another format (`CUDA_RESOURCE_VIEW_DESC`).
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CUDA_RESOURCE_VIEW_DESC {
    /// `CU_RES_VIEW_FORMAT_*`.
    pub format: u32,
    /// Width of the array; of block-compressed formats, four times that.
    pub width: usize,
    /// Height of the array; of block-compressed formats, four times that.
    pub height: usize,
    /// Depth of the array.
    pub depth: usize,
    /// First level.
    pub first_mipmap_level: u32,
    /// Last level.
    pub last_mipmap_level: u32,
    /// First layer.
    pub first_layer: u32,
    /// Last layer.
    pub last_layer: u32,
    /// Zeros.
    pub reserved: [u32; 16],
}

/// An array.
pub const CU_RESOURCE_TYPE_ARRAY: u32 = 0;
/// An array with mip levels.
pub const CU_RESOURCE_TYPE_MIPMAPPED_ARRAY: u32 = 1;
/// Memory of one axis.
pub const CU_RESOURCE_TYPE_LINEAR: u32 = 2;
/// Memory of rows.
pub const CU_RESOURCE_TYPE_PITCH2D: u32 = 3;

/// Coordinates repeat.
pub const CU_TR_ADDRESS_MODE_WRAP: u32 = 0;
/// Coordinates stop at the edge.
pub const CU_TR_ADDRESS_MODE_CLAMP: u32 = 1;
/// Coordinates run back and forth.
pub const CU_TR_ADDRESS_MODE_MIRROR: u32 = 2;
/// The border colour is outside.
pub const CU_TR_ADDRESS_MODE_BORDER: u32 = 3;

/// The nearest texel.
pub const CU_TR_FILTER_MODE_POINT: u32 = 0;
/// The mean of the neighbours.
pub const CU_TR_FILTER_MODE_LINEAR: u32 = 1;

/// 8 and 16-bit integers are read as they are, not as fractions.
pub const CU_TRSF_READ_AS_INTEGER: u32 = 0x01;
/// Coordinates run from 0 to 1.
pub const CU_TRSF_NORMALIZED_COORDINATES: u32 = 0x02;
/// Colours are sRGB.
pub const CU_TRSF_SRGB: u32 = 0x10;
/// Levels are always blended as asked for.
pub const CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION: u32 = 0x20;
/// Filters read across the edges of cube faces.
pub const CU_TRSF_SEAMLESS_CUBEMAP: u32 = 0x40;

/// A texture reference takes the format of its array.
pub const CU_TRSA_OVERRIDE_FORMAT: u32 = 0x01;
/// The only texture unit of `cuParamSetTexRef`.
pub const CU_PARAM_TR_DEFAULT: i32 = -1;

/// View formats are numbered from 0, no format, to this, BC7.
pub const CU_RES_VIEW_FORMAT_UNSIGNED_BC7: u32 = 0x22;
