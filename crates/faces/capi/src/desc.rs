//! Structures and constants with CUDA's names and layout, so that a CUDA_TEXTURE_DESC can be passed
//! unchanged.

use crate::handle::texunit_array;
use std::ffi::c_void;

/// The parameters of texunit_array_create (same layout as CUDA_ARRAY3D_DESCRIPTOR).
/// cbindgen:rename-all=PascalCase
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct texunit_array_desc {
    /// Width in texels.
    pub width: usize,
    /// Height; 0: the array is one-dimensional.
    pub height: usize,
    /// Depth, number of layers, or number of faces of all cubes; 0: none of these.
    pub depth: usize,
    /// TEXUNIT_AD_FORMAT_*, with the values of CUarray_format.
    pub format: u32,
    /// Channels of a texel: 1, 2 or 4; for formats that imply a number of channels, that number.
    pub num_channels: u32,
    /// TEXUNIT_ARRAY3D_*.
    pub flags: u32,
}

/// An array.
/// cbindgen:rename-all=CamelCase
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct texunit_resource_array {
    /// The array's handle.
    pub h_array: texunit_array,
}

/// An array with mip levels.
/// cbindgen:rename-all=CamelCase
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct texunit_resource_mipmap {
    /// The array's handle.
    pub h_mipmapped_array: texunit_array,
}

/// Linear memory.
/// cbindgen:rename-all=CamelCase
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct texunit_resource_linear {
    /// The first texel, aligned to 16 bytes. The memory belongs to the program and must exist as
    /// long as a texture or surface that refers to it; what is written to it between calls is read
    /// by the next call.
    pub dev_ptr: *mut c_void,
    /// TEXUNIT_AD_FORMAT_*.
    pub format: u32,
    /// Channels of a texel.
    pub num_channels: u32,
    /// Size in bytes; an incomplete texel at the end is ignored.
    pub size_in_bytes: usize,
}

/// Pitched memory.
/// cbindgen:rename-all=CamelCase
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct texunit_resource_pitch2d {
    /// The first texel, as for linear memory.
    pub dev_ptr: *mut c_void,
    /// TEXUNIT_AD_FORMAT_*.
    pub format: u32,
    /// Channels of a texel.
    pub num_channels: u32,
    /// Width in texels.
    pub width: usize,
    /// Height.
    pub height: usize,
    /// Distance in bytes from one row to the next, a multiple of 32.
    pub pitch_in_bytes: usize,
}

/// The resource, according to resType.
#[derive(Clone, Copy)]
#[repr(C)]
pub union texunit_resource {
    /// TEXUNIT_RESOURCE_TYPE_ARRAY.
    pub array: texunit_resource_array,
    /// TEXUNIT_RESOURCE_TYPE_MIPMAPPED_ARRAY.
    pub mipmap: texunit_resource_mipmap,
    /// TEXUNIT_RESOURCE_TYPE_LINEAR.
    pub linear: texunit_resource_linear,
    /// TEXUNIT_RESOURCE_TYPE_PITCH2D.
    pub pitch2D: texunit_resource_pitch2d,
    /// Padding to the size of CUDA's union.
    pub reserved: [i32; 32],
}

impl std::fmt::Debug for texunit_resource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("texunit_resource")
    }
}

/// The texels of a texture or surface (same layout as CUDA_RESOURCE_DESC).
/// cbindgen:rename-all=CamelCase
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct texunit_resource_desc {
    /// TEXUNIT_RESOURCE_TYPE_*.
    pub res_type: u32,
    /// The resource.
    pub res: texunit_resource,
    /// Must be 0.
    pub flags: u32,
}

/// How a texture is sampled (same layout as CUDA_TEXTURE_DESC; compareFunction is an addition to
/// CUDA). As in CUDA, all zeros means wrap, no filtering, and only the first level.
/// cbindgen:rename-all=CamelCase
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct texunit_texture_desc {
    /// TEXUNIT_TR_ADDRESS_MODE_* for x, y, z.
    pub address_mode: [u32; 3],
    /// TEXUNIT_TR_FILTER_MODE_*.
    pub filter_mode: u32,
    /// TEXUNIT_TRSF_*.
    pub flags: u32,
    /// Maximum anisotropy; 0 and 1 disable anisotropic filtering.
    pub max_anisotropy: u32,
    /// TEXUNIT_TR_FILTER_MODE_* between levels.
    pub mipmap_filter_mode: u32,
    /// Number that is added to the level of detail.
    pub mipmap_level_bias: f32,
    /// Minimum level.
    pub min_mipmap_level_clamp: f32,
    /// Maximum level.
    pub max_mipmap_level_clamp: f32,
    /// Border colour: r, g, b, a.
    pub border_color: [f32; 4],
    /// TEXUNIT_COMPARE_*: comparison of a reference value with texels; 0, as in all textures of
    /// CUDA, for none.
    pub compare_function: u32,
    /// Must be zeros.
    pub reserved: [u32; 11],
}

/// A part of an array, or its texels reinterpreted in another format (same layout as
/// CUDA_RESOURCE_VIEW_DESC).
/// cbindgen:rename-all=CamelCase
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct texunit_view_desc {
    /// TEXUNIT_RES_VIEW_FORMAT_*, with the values of CUresourceViewFormat; 0: the array's own
    /// format.
    pub format: u32,
    /// Width in texels; for a block-compressed format, four times that of the array; 0 selects the
    /// only width that the array permits.
    pub width: usize,
    /// Height in texels; 0 selects the only height that the array permits.
    pub height: usize,
    /// Depth of the array in texels; 0 selects the only depth that the array permits.
    pub depth: usize,
    /// First level.
    pub first_mipmap_level: u32,
    /// Last level.
    pub last_mipmap_level: u32,
    /// First layer; for cubes, first face counted over all cubes.
    pub first_layer: u32,
    /// Last layer.
    pub last_layer: u32,
    /// Must be zeros.
    pub reserved: [u32; 16],
}
