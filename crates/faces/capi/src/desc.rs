//! Structures and numbers with CUDA's names, in CUDA's layout: a CUDA_TEXTURE_DESC can be handed in as it is.

use crate::handle::texunit_array;
use std::ffi::c_void;
use texunit_cuda_abi::{
    CU_RESOURCE_TYPE_ARRAY, CU_RESOURCE_TYPE_LINEAR, CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
    CU_RESOURCE_TYPE_PITCH2D, CU_TR_ADDRESS_MODE_BORDER, CU_TR_ADDRESS_MODE_CLAMP,
    CU_TR_ADDRESS_MODE_MIRROR, CU_TR_ADDRESS_MODE_WRAP, CU_TR_FILTER_MODE_LINEAR,
    CU_TR_FILTER_MODE_POINT, CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION,
    CU_TRSF_NORMALIZED_COORDINATES, CU_TRSF_READ_AS_INTEGER, CU_TRSF_SEAMLESS_CUBEMAP,
    CU_TRSF_SRGB, CUDA_ARRAY3D_COLOR_ATTACHMENT, CUDA_ARRAY3D_CUBEMAP, CUDA_ARRAY3D_DEPTH_TEXTURE,
    CUDA_ARRAY3D_LAYERED, CUDA_ARRAY3D_SURFACE_LDST, CUDA_ARRAY3D_TEXTURE_GATHER,
};

/// What texunit_array_create makes (CUDA_ARRAY3D_DESCRIPTOR, whose layout it has).
/// cbindgen:rename-all=PascalCase
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct texunit_array_desc {
    /// Elements of a row, in texels.
    pub width: usize,
    /// Rows; 0: the array has one axis.
    pub height: usize,
    /// Slices, layers, or faces of all cubes; 0: none of these.
    pub depth: usize,
    /// TEXUNIT_AD_FORMAT_*, whose numbers are CUarray_format's.
    pub format: u32,
    /// Channels of a texel: 1, 2 or 4, and what a format has that says it itself.
    pub num_channels: u32,
    /// TEXUNIT_ARRAY3D_*.
    pub flags: u32,
}

/// An array.
/// cbindgen:rename-all=CamelCase
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct texunit_resource_array {
    /// The array.
    pub h_array: texunit_array,
}

/// An array with mip levels.
/// cbindgen:rename-all=CamelCase
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct texunit_resource_mipmap {
    /// The array.
    pub h_mipmapped_array: texunit_array,
}

/// Memory of one axis.
/// cbindgen:rename-all=CamelCase
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct texunit_resource_linear {
    /// The first texel, at a multiple of 16 bytes. Memory of the program: it has to be there as long as a texture or surface
    /// of it is, and what is written to it between calls is read by the next one.
    pub dev_ptr: *mut c_void,
    /// TEXUNIT_AD_FORMAT_*.
    pub format: u32,
    /// Channels of a texel.
    pub num_channels: u32,
    /// Bytes; what is less than a texel at their end is left out.
    pub size_in_bytes: usize,
}

/// Memory of rows.
/// cbindgen:rename-all=CamelCase
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct texunit_resource_pitch2d {
    /// As of linear memory.
    pub dev_ptr: *mut c_void,
    /// TEXUNIT_AD_FORMAT_*.
    pub format: u32,
    /// Channels of a texel.
    pub num_channels: u32,
    /// Texels of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Bytes from a row to the next: a multiple of 32.
    pub pitch_in_bytes: usize,
}

/// Which, by the type.
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
    /// As long as CUDA's.
    pub reserved: [i32; 32],
}

impl std::fmt::Debug for texunit_resource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("texunit_resource")
    }
}

/// What a texture or surface is of (CUDA_RESOURCE_DESC, whose layout it has).
/// cbindgen:rename-all=CamelCase
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct texunit_resource_desc {
    /// TEXUNIT_RESOURCE_TYPE_*.
    pub res_type: u32,
    /// What it is.
    pub res: texunit_resource,
    /// 0.
    pub flags: u32,
}

/// How a texture reads (CUDA_TEXTURE_DESC, whose layout it has; a compareFunction is more than CUDA has). As in CUDA, what
/// is all zeros wraps, does not filter, and reads no level but the first.
/// cbindgen:rename-all=CamelCase
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct texunit_texture_desc {
    /// TEXUNIT_TR_ADDRESS_MODE_* of x, y, z.
    pub address_mode: [u32; 3],
    /// TEXUNIT_TR_FILTER_MODE_*.
    pub filter_mode: u32,
    /// TEXUNIT_TRSF_*.
    pub flags: u32,
    /// Most taps of an anisotropic filter; 0 and 1: none.
    pub max_anisotropy: u32,
    /// TEXUNIT_TR_FILTER_MODE_* between levels.
    pub mipmap_filter_mode: u32,
    /// Added to a level.
    pub mipmap_level_bias: f32,
    /// Smallest level.
    pub min_mipmap_level_clamp: f32,
    /// Largest level.
    pub max_mipmap_level_clamp: f32,
    /// r, g, b, a.
    pub border_color: [f32; 4],
    /// TEXUNIT_COMPARE_*: what becomes of a reference value and a texel; 0 of textures without, as all of CUDA's are.
    pub compare_function: u32,
    /// Zeros.
    pub reserved: [u32; 11],
}

/// A part of an array, or its texels as another format (CUDA_RESOURCE_VIEW_DESC, whose layout it has).
/// cbindgen:rename-all=CamelCase
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct texunit_view_desc {
    /// TEXUNIT_RES_VIEW_FORMAT_*, whose numbers are CUresourceViewFormat's; 0: the array's own.
    pub format: u32,
    /// Texels of a row; of a block-compressed format, four times that of the array. 0: what it has to be.
    pub width: usize,
    /// Rows; 0: what they have to be.
    pub height: usize,
    /// Depth of the array; 0: what it has to be.
    pub depth: usize,
    /// First level.
    pub first_mipmap_level: u32,
    /// Last level.
    pub last_mipmap_level: u32,
    /// First layer; of cubes, first face of all cubes.
    pub first_layer: u32,
    /// Last layer.
    pub last_layer: u32,
    /// Zeros.
    pub reserved: [u32; 16],
}

/// The depth is a number of layers.
pub const TEXUNIT_ARRAY3D_LAYERED: u32 = CUDA_ARRAY3D_LAYERED;
/// Surfaces of the array can be made. It is not needed here.
pub const TEXUNIT_ARRAY3D_SURFACE_LDST: u32 = CUDA_ARRAY3D_SURFACE_LDST;
/// The depth is a number of faces, 6 for each cube: +x, -x, +y, -y, +z, -z.
pub const TEXUNIT_ARRAY3D_CUBEMAP: u32 = CUDA_ARRAY3D_CUBEMAP;
/// Gathers read the array. It is not needed here.
pub const TEXUNIT_ARRAY3D_TEXTURE_GATHER: u32 = CUDA_ARRAY3D_TEXTURE_GATHER;
/// A depth texture of a graphics API. It says nothing here.
pub const TEXUNIT_ARRAY3D_DEPTH_TEXTURE: u32 = CUDA_ARRAY3D_DEPTH_TEXTURE;
/// A colour target of a graphics API. It says nothing here.
pub const TEXUNIT_ARRAY3D_COLOR_ATTACHMENT: u32 = CUDA_ARRAY3D_COLOR_ATTACHMENT;

/// An array.
pub const TEXUNIT_RESOURCE_TYPE_ARRAY: u32 = CU_RESOURCE_TYPE_ARRAY;
/// An array with mip levels. Here both types take any array.
pub const TEXUNIT_RESOURCE_TYPE_MIPMAPPED_ARRAY: u32 = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
/// Memory of one axis.
pub const TEXUNIT_RESOURCE_TYPE_LINEAR: u32 = CU_RESOURCE_TYPE_LINEAR;
/// Memory of rows.
pub const TEXUNIT_RESOURCE_TYPE_PITCH2D: u32 = CU_RESOURCE_TYPE_PITCH2D;

/// Coordinates repeat.
pub const TEXUNIT_TR_ADDRESS_MODE_WRAP: u32 = CU_TR_ADDRESS_MODE_WRAP;
/// Coordinates stop at the edge.
pub const TEXUNIT_TR_ADDRESS_MODE_CLAMP: u32 = CU_TR_ADDRESS_MODE_CLAMP;
/// Coordinates run back and forth.
pub const TEXUNIT_TR_ADDRESS_MODE_MIRROR: u32 = CU_TR_ADDRESS_MODE_MIRROR;
/// The border colour is outside.
pub const TEXUNIT_TR_ADDRESS_MODE_BORDER: u32 = CU_TR_ADDRESS_MODE_BORDER;
/// OpenGL's GL_CLAMP (PTX's clamp_ogl), which no texture of CUDA has.
pub const TEXUNIT_TR_ADDRESS_MODE_CLAMP_OGL: u32 = 4;

/// The nearest texel.
pub const TEXUNIT_TR_FILTER_MODE_POINT: u32 = CU_TR_FILTER_MODE_POINT;
/// The weighted mean of the neighbours.
pub const TEXUNIT_TR_FILTER_MODE_LINEAR: u32 = CU_TR_FILTER_MODE_LINEAR;

/// 8 and 16-bit integers are read as they are. Without it they are read as fractions, in [0, 1] or [-1, 1].
pub const TEXUNIT_TRSF_READ_AS_INTEGER: u32 = CU_TRSF_READ_AS_INTEGER;
/// Coordinates run from 0 to 1.
pub const TEXUNIT_TRSF_NORMALIZED_COORDINATES: u32 = CU_TRSF_NORMALIZED_COORDINATES;
/// Colours are sRGB.
pub const TEXUNIT_TRSF_SRGB: u32 = CU_TRSF_SRGB;
/// Levels are always blended as asked for, as they are here anyway.
pub const TEXUNIT_TRSF_DISABLE_TRILINEAR_OPTIMIZATION: u32 = CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;
/// Filters read across the edges of cube faces.
pub const TEXUNIT_TRSF_SEAMLESS_CUBEMAP: u32 = CU_TRSF_SEAMLESS_CUBEMAP;
/// Of samplers: coordinates are in texels whatever the texture says (PTX's force_unnormalized_coords).
pub const TEXUNIT_TRSF_FORCE_UNNORMALIZED_COORDINATES: u32 = 0x10000;

/// No depth compare.
pub const TEXUNIT_COMPARE_NONE: u32 = 0;
/// 0.
pub const TEXUNIT_COMPARE_NEVER: u32 = 1;
/// 1 where the reference is less than the texel.
pub const TEXUNIT_COMPARE_LESS: u32 = 2;
/// Equal.
pub const TEXUNIT_COMPARE_EQUAL: u32 = 3;
/// Less or equal.
pub const TEXUNIT_COMPARE_LESS_EQUAL: u32 = 4;
/// Greater.
pub const TEXUNIT_COMPARE_GREATER: u32 = 5;
/// Not equal.
pub const TEXUNIT_COMPARE_NOT_EQUAL: u32 = 6;
/// Greater or equal.
pub const TEXUNIT_COMPARE_GREATER_EQUAL: u32 = 7;
/// 1.
pub const TEXUNIT_COMPARE_ALWAYS: u32 = 8;

/// All mip levels of an array, one after the other.
pub const TEXUNIT_ALL_LEVELS: u32 = 0xffff_ffff;
