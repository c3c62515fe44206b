/*
 * texunit: NVIDIA's texture and surface unit, bit for bit, without a GPU.
 *
 * docs/c.md is the guide. Structures and numbers have the names, the order and the layout of cuda.h.
 * Every function may be called by any thread at any time. A function that returns a texunit_status
 * writes its results only if that is TEXUNIT_SUCCESS, unless its description says more;
 * texunit_last_error returns the message of an error.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */

#ifndef TEXUNIT_H
#define TEXUNIT_H

/* Made by `cargo run -p xtask -- header`: change crates/faces/capi instead. */

#include <stddef.h>
#include <stdint.h>

/**
 * No error.
 */
#define TEXUNIT_SUCCESS 0

/**
 * A parameter or field has an invalid value, or values contradict each other
 * (cudaErrorInvalidValue).
 */
#define TEXUNIT_ERROR_INVALID_VALUE 1

/**
 * Memory is exhausted (cudaErrorMemoryAllocation).
 */
#define TEXUNIT_ERROR_OUT_OF_MEMORY 2

/**
 * A linear filter for texels that cannot be filtered (cudaErrorInvalidFilterSetting).
 */
#define TEXUNIT_ERROR_INVALID_FILTER_SETTING 26

/**
 * Normalized reads of texels that cannot be normalized, or the reverse
 * (cudaErrorInvalidNormSetting).
 */
#define TEXUNIT_ERROR_INVALID_NORM_SETTING 27

/**
 * A file that cannot be read (cudaErrorFileNotFound).
 */
#define TEXUNIT_ERROR_FILE 301

/**
 * A handle that is invalid, destroyed, or of another kind (cudaErrorInvalidResourceHandle).
 */
#define TEXUNIT_ERROR_INVALID_HANDLE 400

/**
 * A surface access outside under TEXUNIT_BOUNDARY_TRAP (cudaErrorIllegalAddress). Earlier accesses
 * of the call have been made.
 */
#define TEXUNIT_ERROR_ILLEGAL_ADDRESS 700

/**
 * A fetch or access without a defined result on the hardware (cudaErrorNotSupported).
 */
#define TEXUNIT_ERROR_NOT_SUPPORTED 801

/**
 * A required pointer is null.
 */
#define TEXUNIT_ERROR_NULL_POINTER 1000

/**
 * A buffer has the wrong size or is too small.
 */
#define TEXUNIT_ERROR_SIZE 1001

/**
 * An internal error of texunit. Please report it with the message.
 */
#define TEXUNIT_ERROR_INTERNAL 1999

/**
 * The version of the binary interface that this header describes. It changes when programs have to
 * be recompiled.
 */
#define TEXUNIT_ABI_VERSION 1

/**
 * 8-bit unsigned integers. Formats up to TEXUNIT_AD_FORMAT_FLOAT give only the type of a channel;
 * a texel consists of 1, 2 or 4 channels.
 */
#define TEXUNIT_AD_FORMAT_UNSIGNED_INT8 1

/**
 * 16-bit unsigned integers.
 */
#define TEXUNIT_AD_FORMAT_UNSIGNED_INT16 2

/**
 * 32-bit unsigned integers.
 */
#define TEXUNIT_AD_FORMAT_UNSIGNED_INT32 3

/**
 * 8-bit signed integers.
 */
#define TEXUNIT_AD_FORMAT_SIGNED_INT8 8

/**
 * 16-bit signed integers.
 */
#define TEXUNIT_AD_FORMAT_SIGNED_INT16 9

/**
 * 32-bit signed integers.
 */
#define TEXUNIT_AD_FORMAT_SIGNED_INT32 10

/**
 * Half precision.
 */
#define TEXUNIT_AD_FORMAT_HALF 16

/**
 * Single precision.
 */
#define TEXUNIT_AD_FORMAT_FLOAT 32

/**
 * Three channels of 10 bits and one of 2.
 */
#define TEXUNIT_AD_FORMAT_UNORM_INT_101010_2 80

/**
 * BC1, 4 channels. Blocks are 4 x 4 texels; sizes are in texels.
 */
#define TEXUNIT_AD_FORMAT_BC1_UNORM 145

/**
 * BC1 with sRGB colours.
 */
#define TEXUNIT_AD_FORMAT_BC1_UNORM_SRGB 146

/**
 * BC2, 4 channels.
 */
#define TEXUNIT_AD_FORMAT_BC2_UNORM 147

/**
 * BC2 with sRGB colours.
 */
#define TEXUNIT_AD_FORMAT_BC2_UNORM_SRGB 148

/**
 * BC3, 4 channels.
 */
#define TEXUNIT_AD_FORMAT_BC3_UNORM 149

/**
 * BC3 with sRGB colours.
 */
#define TEXUNIT_AD_FORMAT_BC3_UNORM_SRGB 150

/**
 * BC4, 1 channel.
 */
#define TEXUNIT_AD_FORMAT_BC4_UNORM 151

/**
 * BC4 with values in [-1, 1].
 */
#define TEXUNIT_AD_FORMAT_BC4_SNORM 152

/**
 * BC5, 2 channels.
 */
#define TEXUNIT_AD_FORMAT_BC5_UNORM 153

/**
 * BC5 with values in [-1, 1].
 */
#define TEXUNIT_AD_FORMAT_BC5_SNORM 154

/**
 * BC6H, 3 channels.
 */
#define TEXUNIT_AD_FORMAT_BC6H_UF16 155

/**
 * BC6H with signed values.
 */
#define TEXUNIT_AD_FORMAT_BC6H_SF16 156

/**
 * BC7, 4 channels.
 */
#define TEXUNIT_AD_FORMAT_BC7_UNORM 157

/**
 * BC7 with sRGB colours.
 */
#define TEXUNIT_AD_FORMAT_BC7_UNORM_SRGB 158

/**
 * 8-bit unorm, 1 channel. This and the following formats imply how they are read.
 */
#define TEXUNIT_AD_FORMAT_UNORM_INT8X1 192

/**
 * 8-bit unorm, 2 channels.
 */
#define TEXUNIT_AD_FORMAT_UNORM_INT8X2 193

/**
 * 8-bit unorm, 4 channels.
 */
#define TEXUNIT_AD_FORMAT_UNORM_INT8X4 194

/**
 * 16-bit unorm, 1 channel.
 */
#define TEXUNIT_AD_FORMAT_UNORM_INT16X1 195

/**
 * 16-bit unorm, 2 channels.
 */
#define TEXUNIT_AD_FORMAT_UNORM_INT16X2 196

/**
 * 16-bit unorm, 4 channels.
 */
#define TEXUNIT_AD_FORMAT_UNORM_INT16X4 197

/**
 * 8-bit snorm, 1 channel.
 */
#define TEXUNIT_AD_FORMAT_SNORM_INT8X1 198

/**
 * 8-bit snorm, 2 channels.
 */
#define TEXUNIT_AD_FORMAT_SNORM_INT8X2 199

/**
 * 8-bit snorm, 4 channels.
 */
#define TEXUNIT_AD_FORMAT_SNORM_INT8X4 200

/**
 * 16-bit snorm, 1 channel.
 */
#define TEXUNIT_AD_FORMAT_SNORM_INT16X1 201

/**
 * 16-bit snorm, 2 channels.
 */
#define TEXUNIT_AD_FORMAT_SNORM_INT16X2 202

/**
 * 16-bit snorm, 4 channels.
 */
#define TEXUNIT_AD_FORMAT_SNORM_INT16X4 203

/**
 * 16-bit depth, 1 channel. CUDA has no arrays with depth formats.
 */
#define TEXUNIT_AD_FORMAT_DEPTH16 65536

/**
 * 24-bit depth in 4 bytes, 1 channel.
 */
#define TEXUNIT_AD_FORMAT_DEPTH24 65537

/**
 * 32-bit float depth, 1 channel.
 */
#define TEXUNIT_AD_FORMAT_DEPTH32F 65538

/**
 * The depth is a number of layers.
 */
#define TEXUNIT_ARRAY3D_LAYERED 1

/**
 * Allows surfaces on the array. Has no effect here.
 */
#define TEXUNIT_ARRAY3D_SURFACE_LDST 2

/**
 * The depth is a number of faces, 6 for each cube: +x, -x, +y, -y, +z, -z.
 */
#define TEXUNIT_ARRAY3D_CUBEMAP 4

/**
 * Allows gathers from the array. Has no effect here.
 */
#define TEXUNIT_ARRAY3D_TEXTURE_GATHER 8

/**
 * A depth texture of a graphics API. Has no effect here.
 */
#define TEXUNIT_ARRAY3D_DEPTH_TEXTURE 16

/**
 * A render target of a graphics API. Has no effect here.
 */
#define TEXUNIT_ARRAY3D_COLOR_ATTACHMENT 32

/**
 * An array.
 */
#define TEXUNIT_RESOURCE_TYPE_ARRAY 0

/**
 * An array with mip levels. Here both types accept any array.
 */
#define TEXUNIT_RESOURCE_TYPE_MIPMAPPED_ARRAY 1

/**
 * Linear memory.
 */
#define TEXUNIT_RESOURCE_TYPE_LINEAR 2

/**
 * Pitched memory.
 */
#define TEXUNIT_RESOURCE_TYPE_PITCH2D 3

/**
 * Coordinates repeat.
 */
#define TEXUNIT_TR_ADDRESS_MODE_WRAP 0

/**
 * Coordinates are clamped to the edge.
 */
#define TEXUNIT_TR_ADDRESS_MODE_CLAMP 1

/**
 * Coordinates repeat, mirrored.
 */
#define TEXUNIT_TR_ADDRESS_MODE_MIRROR 2

/**
 * Outside is the border colour.
 */
#define TEXUNIT_TR_ADDRESS_MODE_BORDER 3

/**
 * OpenGL's GL_CLAMP (PTX's clamp_ogl), which CUDA textures do not have.
 */
#define TEXUNIT_TR_ADDRESS_MODE_CLAMP_OGL 4

/**
 * The nearest texel.
 */
#define TEXUNIT_TR_FILTER_MODE_POINT 0

/**
 * The weighted mean of the neighbouring texels.
 */
#define TEXUNIT_TR_FILTER_MODE_LINEAR 1

/**
 * 8-bit and 16-bit integers are read unchanged. Without this flag they are read as fractions, in
 * [0, 1] or [-1, 1].
 */
#define TEXUNIT_TRSF_READ_AS_INTEGER 1

/**
 * Coordinates are normalized to [0, 1].
 */
#define TEXUNIT_TRSF_NORMALIZED_COORDINATES 2

/**
 * Colours are decoded from sRGB.
 */
#define TEXUNIT_TRSF_SRGB 16

/**
 * Levels are always interpolated exactly, as they are here anyway.
 */
#define TEXUNIT_TRSF_DISABLE_TRILINEAR_OPTIMIZATION 32

/**
 * Filters read across the edges of cube faces.
 */
#define TEXUNIT_TRSF_SEAMLESS_CUBEMAP 64

/**
 * For samplers: coordinates are in texels whatever the texture says (PTX's
 * force_unnormalized_coords).
 */
#define TEXUNIT_TRSF_FORCE_UNNORMALIZED_COORDINATES 65536

/**
 * All mip levels of an array, one after another.
 */
#define TEXUNIT_ALL_LEVELS 4294967295

/**
 * The array's own format; an addition to CUDA.
 */
#define TEXUNIT_RES_VIEW_FORMAT_NONE 0

/**
 * One channel of 8-bit unsigned integers.
 */
#define TEXUNIT_RES_VIEW_FORMAT_UINT_1X8 1

/**
 * Two channels of 8-bit unsigned integers.
 */
#define TEXUNIT_RES_VIEW_FORMAT_UINT_2X8 2

/**
 * Four channels of 8-bit unsigned integers.
 */
#define TEXUNIT_RES_VIEW_FORMAT_UINT_4X8 3

/**
 * One channel of 8-bit signed integers.
 */
#define TEXUNIT_RES_VIEW_FORMAT_SINT_1X8 4

/**
 * Two channels of 8-bit signed integers.
 */
#define TEXUNIT_RES_VIEW_FORMAT_SINT_2X8 5

/**
 * Four channels of 8-bit signed integers.
 */
#define TEXUNIT_RES_VIEW_FORMAT_SINT_4X8 6

/**
 * One channel of 16-bit unsigned integers.
 */
#define TEXUNIT_RES_VIEW_FORMAT_UINT_1X16 7

/**
 * Two channels of 16-bit unsigned integers.
 */
#define TEXUNIT_RES_VIEW_FORMAT_UINT_2X16 8

/**
 * Four channels of 16-bit unsigned integers.
 */
#define TEXUNIT_RES_VIEW_FORMAT_UINT_4X16 9

/**
 * One channel of 16-bit signed integers.
 */
#define TEXUNIT_RES_VIEW_FORMAT_SINT_1X16 10

/**
 * Two channels of 16-bit signed integers.
 */
#define TEXUNIT_RES_VIEW_FORMAT_SINT_2X16 11

/**
 * Four channels of 16-bit signed integers.
 */
#define TEXUNIT_RES_VIEW_FORMAT_SINT_4X16 12

/**
 * One channel of 32-bit unsigned integers.
 */
#define TEXUNIT_RES_VIEW_FORMAT_UINT_1X32 13

/**
 * Two channels of 32-bit unsigned integers.
 */
#define TEXUNIT_RES_VIEW_FORMAT_UINT_2X32 14

/**
 * Four channels of 32-bit unsigned integers.
 */
#define TEXUNIT_RES_VIEW_FORMAT_UINT_4X32 15

/**
 * One channel of 32-bit signed integers.
 */
#define TEXUNIT_RES_VIEW_FORMAT_SINT_1X32 16

/**
 * Two channels of 32-bit signed integers.
 */
#define TEXUNIT_RES_VIEW_FORMAT_SINT_2X32 17

/**
 * Four channels of 32-bit signed integers.
 */
#define TEXUNIT_RES_VIEW_FORMAT_SINT_4X32 18

/**
 * One channel of 16-bit floats.
 */
#define TEXUNIT_RES_VIEW_FORMAT_FLOAT_1X16 19

/**
 * Two channels of 16-bit floats.
 */
#define TEXUNIT_RES_VIEW_FORMAT_FLOAT_2X16 20

/**
 * Four channels of 16-bit floats.
 */
#define TEXUNIT_RES_VIEW_FORMAT_FLOAT_4X16 21

/**
 * One channel of 32-bit floats.
 */
#define TEXUNIT_RES_VIEW_FORMAT_FLOAT_1X32 22

/**
 * Two channels of 32-bit floats.
 */
#define TEXUNIT_RES_VIEW_FORMAT_FLOAT_2X32 23

/**
 * Four channels of 32-bit floats.
 */
#define TEXUNIT_RES_VIEW_FORMAT_FLOAT_4X32 24

/**
 * BC1, for an array with two channels of 32-bit unsigned integers.
 */
#define TEXUNIT_RES_VIEW_FORMAT_UNSIGNED_BC1 25

/**
 * BC2, for an array with four channels of 32-bit unsigned integers.
 */
#define TEXUNIT_RES_VIEW_FORMAT_UNSIGNED_BC2 26

/**
 * BC3, for an array with four channels of 32-bit unsigned integers.
 */
#define TEXUNIT_RES_VIEW_FORMAT_UNSIGNED_BC3 27

/**
 * BC4, for an array with two channels of 32-bit unsigned integers.
 */
#define TEXUNIT_RES_VIEW_FORMAT_UNSIGNED_BC4 28

/**
 * BC4 with values in [-1, 1], for an array with two channels of 32-bit unsigned integers.
 */
#define TEXUNIT_RES_VIEW_FORMAT_SIGNED_BC4 29

/**
 * BC5, for an array with four channels of 32-bit unsigned integers.
 */
#define TEXUNIT_RES_VIEW_FORMAT_UNSIGNED_BC5 30

/**
 * BC5 with values in [-1, 1], for an array with four channels of 32-bit unsigned integers.
 */
#define TEXUNIT_RES_VIEW_FORMAT_SIGNED_BC5 31

/**
 * BC6H, for an array with four channels of 32-bit unsigned integers.
 */
#define TEXUNIT_RES_VIEW_FORMAT_UNSIGNED_BC6H 32

/**
 * BC6H with signed values, for an array with four channels of 32-bit unsigned integers.
 */
#define TEXUNIT_RES_VIEW_FORMAT_SIGNED_BC6H 33

/**
 * BC7, for an array with four channels of 32-bit unsigned integers.
 */
#define TEXUNIT_RES_VIEW_FORMAT_UNSIGNED_BC7 34

/**
 * No depth comparison.
 */
#define TEXUNIT_COMPARE_NONE 0

/**
 * The result is always 0.
 */
#define TEXUNIT_COMPARE_NEVER 1

/**
 * 1 where the reference is less than the texel, else 0.
 */
#define TEXUNIT_COMPARE_LESS 2

/**
 * 1 where the reference equals the texel, else 0.
 */
#define TEXUNIT_COMPARE_EQUAL 3

/**
 * 1 where the reference is less than or equal to the texel, else 0.
 */
#define TEXUNIT_COMPARE_LESS_EQUAL 4

/**
 * 1 where the reference is greater than the texel, else 0.
 */
#define TEXUNIT_COMPARE_GREATER 5

/**
 * 1 where the reference differs from the texel, else 0.
 */
#define TEXUNIT_COMPARE_NOT_EQUAL 6

/**
 * 1 where the reference is greater than or equal to the texel, else 0.
 */
#define TEXUNIT_COMPARE_GREATER_EQUAL 7

/**
 * The result is always 1.
 */
#define TEXUNIT_COMPARE_ALWAYS 8

/**
 * Level 0 is read, whatever the sampler says (tex.base).
 */
#define TEXUNIT_FETCH_BASE 1

/**
 * Results are packed: the texture's channels as 1, 2 or 4 elements of the texels' type (float for
 * normalized reads), without gaps. Without this flag, results are four 32-bit registers for each
 * fetch, as with PTX's .v4.
 */
#define TEXUNIT_FETCH_PACKED 2

/**
 * Results have half precision (.f16): 2 bytes if they are packed, else the low 2 bytes of each
 * register.
 */
#define TEXUNIT_FETCH_HALF 4

/**
 * A thread for each CPU.
 */
#define TEXUNIT_ALL_CPUS 4294967295

/**
 * tex with float coordinates.
 */
#define TEXUNIT_OPERATION_SAMPLE 0

/**
 * tex with integer coordinates.
 */
#define TEXUNIT_OPERATION_FETCH 1

/**
 * tld4 of component r.
 */
#define TEXUNIT_OPERATION_GATHER_R 2

/**
 * tld4 of component g.
 */
#define TEXUNIT_OPERATION_GATHER_G 3

/**
 * tld4 of component b.
 */
#define TEXUNIT_OPERATION_GATHER_B 4

/**
 * tld4 of component a.
 */
#define TEXUNIT_OPERATION_GATHER_A 5

/**
 * An access outside is an error (.trap, cudaBoundaryModeTrap).
 */
#define TEXUNIT_BOUNDARY_TRAP 0

/**
 * The nearest texel is accessed (.clamp, cudaBoundaryModeClamp).
 */
#define TEXUNIT_BOUNDARY_CLAMP 1

/**
 * 0 is read, and writes are dropped (.zero, cudaBoundaryModeZero).
 */
#define TEXUNIT_BOUNDARY_ZERO 2

/**
 * Wrapping addition.
 */
#define TEXUNIT_REDUCE_ADD 0

/**
 * Minimum.
 */
#define TEXUNIT_REDUCE_MIN 1

/**
 * Maximum.
 */
#define TEXUNIT_REDUCE_MAX 2

/**
 * Bitwise AND.
 */
#define TEXUNIT_REDUCE_AND 3

/**
 * Bitwise OR.
 */
#define TEXUNIT_REDUCE_OR 4

/**
 * Width in texels (txq, suq).
 */
#define TEXUNIT_QUERY_WIDTH 0

/**
 * Height; 0 if there is none.
 */
#define TEXUNIT_QUERY_HEIGHT 1

/**
 * Depth; 0 if there is none.
 */
#define TEXUNIT_QUERY_DEPTH 2

/**
 * Type of the channels, by OpenCL's numbers.
 */
#define TEXUNIT_QUERY_CHANNEL_DATA_TYPE 3

/**
 * Order of the channels, by OpenCL's numbers.
 */
#define TEXUNIT_QUERY_CHANNEL_ORDER 4

/**
 * Whether coordinates are normalized.
 */
#define TEXUNIT_QUERY_NORMALIZED_COORDS 5

/**
 * Number of layers; 0 if it is not layered.
 */
#define TEXUNIT_QUERY_ARRAY_SIZE 6

/**
 * Number of mip levels; 0 if it has none.
 */
#define TEXUNIT_QUERY_NUM_MIPMAP_LEVELS 7

/**
 * Number of samples; 0 if it has none.
 */
#define TEXUNIT_QUERY_NUM_SAMPLES 8

/**
 * For samplers: whether coordinates are in texels whatever the texture says.
 */
#define TEXUNIT_QUERY_FORCE_UNNORMALIZED_COORDS 9

/**
 * For samplers: filter mode, with PTX's values (0 point, 1 linear).
 */
#define TEXUNIT_QUERY_FILTER_MODE 10

/**
 * For samplers: address mode of x, with PTX's values (0 wrap, 1 mirror, 2 clamp_ogl, 3 clamp, 4
 * border).
 */
#define TEXUNIT_QUERY_ADDR_MODE_0 11

/**
 * Address mode of y.
 */
#define TEXUNIT_QUERY_ADDR_MODE_1 12

/**
 * Address mode of z.
 */
#define TEXUNIT_QUERY_ADDR_MODE_2 13

/**
 * 0 for arrays, 1 for linear and pitched memory.
 */
#define TEXUNIT_QUERY_MEMORY_LAYOUT 14

/**
 * Coordinates are integer texel indices.
 */
#define TEXUNIT_COORDINATES_INTEGER 0

/**
 * Coordinates are in texels.
 */
#define TEXUNIT_COORDINATES_UNNORMALIZED 1

/**
 * Coordinates are normalized to [0, 1].
 */
#define TEXUNIT_COORDINATES_NORMALIZED 2

/**
 * Not applicable: the mipmap filter without levels, or the address mode of integer coordinates.
 */
#define TEXUNIT_NONE 4294967295

/**
 * Lines of text, with the numbers of the rules of docs/numerics.md.
 */
#define TEXUNIT_EXPLAIN_TEXT 0

/**
 * One JSON object. Bits are strings of eight hexadecimal digits.
 */
#define TEXUNIT_EXPLAIN_JSON 1

/**
 * A picture: the texels around the point with their weights.
 */
#define TEXUNIT_EXPLAIN_SVG 2


/**
 * The type that a texunit_array points to; it is never defined.
 */
typedef struct texunit_array_st texunit_array_st;

/**
 * The type that a texunit_sampler points to; it is never defined.
 */
typedef struct texunit_sampler_st texunit_sampler_st;

/**
 * The type that a texunit_surface points to; it is never defined.
 */
typedef struct texunit_surface_st texunit_surface_st;

/**
 * The type that a texunit_texture points to; it is never defined.
 */
typedef struct texunit_texture_st texunit_texture_st;

/**
 * The result of a function: TEXUNIT_SUCCESS, or the number of an error. Numbers below 1000 are
 * those of cudaError_t.
 */
typedef int32_t texunit_status;

/**
 * An array of texels in texunit's memory, with or without mip levels (CUarray, CUmipmappedArray).
 * Any thread may use it. It is a number and not an address, so that it cannot be dereferenced.
 */
typedef struct texunit_array_st *texunit_array;

/**
 * The parameters of texunit_array_create (same layout as CUDA_ARRAY3D_DESCRIPTOR).
 */
typedef struct texunit_array_desc {
  /**
   * Width in texels.
   */
  size_t Width;
  /**
   * Height; 0: the array is one-dimensional.
   */
  size_t Height;
  /**
   * Depth, number of layers, or number of faces of all cubes; 0: none of these.
   */
  size_t Depth;
  /**
   * TEXUNIT_AD_FORMAT_*, with the values of CUarray_format.
   */
  uint32_t Format;
  /**
   * Channels of a texel: 1, 2 or 4; for formats that imply a number of channels, that number.
   */
  uint32_t NumChannels;
  /**
   * TEXUNIT_ARRAY3D_*.
   */
  uint32_t Flags;
} texunit_array_desc;

/**
 * Texels with a sampling state (CUtexObject).
 */
typedef struct texunit_texture_st *texunit_texture;

/**
 * An array.
 */
typedef struct texunit_resource_array {
  /**
   * The array's handle.
   */
  texunit_array hArray;
} texunit_resource_array;

/**
 * An array with mip levels.
 */
typedef struct texunit_resource_mipmap {
  /**
   * The array's handle.
   */
  texunit_array hMipmappedArray;
} texunit_resource_mipmap;

/**
 * Linear memory.
 */
typedef struct texunit_resource_linear {
  /**
   * The first texel, aligned to 16 bytes. The memory belongs to the program and must exist as
   * long as a texture or surface that refers to it; what is written to it between calls is read
   * by the next call.
   */
  void *devPtr;
  /**
   * TEXUNIT_AD_FORMAT_*.
   */
  uint32_t format;
  /**
   * Channels of a texel.
   */
  uint32_t numChannels;
  /**
   * Size in bytes; an incomplete texel at the end is ignored.
   */
  size_t sizeInBytes;
} texunit_resource_linear;

/**
 * Pitched memory.
 */
typedef struct texunit_resource_pitch2d {
  /**
   * The first texel, as for linear memory.
   */
  void *devPtr;
  /**
   * TEXUNIT_AD_FORMAT_*.
   */
  uint32_t format;
  /**
   * Channels of a texel.
   */
  uint32_t numChannels;
  /**
   * Width in texels.
   */
  size_t width;
  /**
   * Height.
   */
  size_t height;
  /**
   * Distance in bytes from one row to the next, a multiple of 32.
   */
  size_t pitchInBytes;
} texunit_resource_pitch2d;

/**
 * The resource, according to resType.
 */
typedef union texunit_resource {
  /**
   * TEXUNIT_RESOURCE_TYPE_ARRAY.
   */
  struct texunit_resource_array array;
  /**
   * TEXUNIT_RESOURCE_TYPE_MIPMAPPED_ARRAY.
   */
  struct texunit_resource_mipmap mipmap;
  /**
   * TEXUNIT_RESOURCE_TYPE_LINEAR.
   */
  struct texunit_resource_linear linear;
  /**
   * TEXUNIT_RESOURCE_TYPE_PITCH2D.
   */
  struct texunit_resource_pitch2d pitch2D;
  /**
   * Padding to the size of CUDA's union.
   */
  int32_t reserved[32];
} texunit_resource;

/**
 * The texels of a texture or surface (same layout as CUDA_RESOURCE_DESC).
 */
typedef struct texunit_resource_desc {
  /**
   * TEXUNIT_RESOURCE_TYPE_*.
   */
  uint32_t resType;
  /**
   * The resource.
   */
  union texunit_resource res;
  /**
   * Must be 0.
   */
  uint32_t flags;
} texunit_resource_desc;

/**
 * How a texture is sampled (same layout as CUDA_TEXTURE_DESC; compareFunction is an addition to
 * CUDA). As in CUDA, all zeros means wrap, no filtering, and only the first level.
 */
typedef struct texunit_texture_desc {
  /**
   * TEXUNIT_TR_ADDRESS_MODE_* for x, y, z.
   */
  uint32_t addressMode[3];
  /**
   * TEXUNIT_TR_FILTER_MODE_*.
   */
  uint32_t filterMode;
  /**
   * TEXUNIT_TRSF_*.
   */
  uint32_t flags;
  /**
   * Maximum anisotropy; 0 and 1 disable anisotropic filtering.
   */
  uint32_t maxAnisotropy;
  /**
   * TEXUNIT_TR_FILTER_MODE_* between levels.
   */
  uint32_t mipmapFilterMode;
  /**
   * Number that is added to the level of detail.
   */
  float mipmapLevelBias;
  /**
   * Minimum level.
   */
  float minMipmapLevelClamp;
  /**
   * Maximum level.
   */
  float maxMipmapLevelClamp;
  /**
   * Border colour: r, g, b, a.
   */
  float borderColor[4];
  /**
   * TEXUNIT_COMPARE_*: comparison of a reference value with texels; 0, as in all textures of
   * CUDA, for none.
   */
  uint32_t compareFunction;
  /**
   * Must be zeros.
   */
  uint32_t reserved[11];
} texunit_texture_desc;

/**
 * A part of an array, or its texels reinterpreted in another format (same layout as
 * CUDA_RESOURCE_VIEW_DESC).
 */
typedef struct texunit_view_desc {
  /**
   * TEXUNIT_RES_VIEW_FORMAT_*, with the values of CUresourceViewFormat; 0: the array's own
   * format.
   */
  uint32_t format;
  /**
   * Width in texels; for a block-compressed format, four times that of the array; 0 selects the
   * only width that the array permits.
   */
  size_t width;
  /**
   * Height in texels; 0 selects the only height that the array permits.
   */
  size_t height;
  /**
   * Depth of the array in texels; 0 selects the only depth that the array permits.
   */
  size_t depth;
  /**
   * First level.
   */
  uint32_t firstMipmapLevel;
  /**
   * Last level.
   */
  uint32_t lastMipmapLevel;
  /**
   * First layer; for cubes, first face counted over all cubes.
   */
  uint32_t firstLayer;
  /**
   * Last layer.
   */
  uint32_t lastLayer;
  /**
   * Must be zeros.
   */
  uint32_t reserved[16];
} texunit_view_desc;

/**
 * The sampling state separate from a texture (PTX's .samplerref; the samplers of Vulkan and
 * OpenGL).
 */
typedef struct texunit_sampler_st *texunit_sampler;

/**
 * An operand of many fetches: elements of 4 bytes. Null data: the fetches do not have this
 * operand.
 */
typedef struct texunit_operand {
  /**
   * The element of the first fetch.
   */
  const void *data;
  /**
   * Distance in bytes from one element to the next: 4 in an array of numbers, 8 in an array of
   * pairs; 0: all fetches use the first element.
   */
  size_t stride;
} texunit_operand;

/**
 * A batch of fetches. Operands that are all zeros are absent: count and coords are always set,
 * others as the texture or the fetch requires.
 */
typedef struct texunit_fetch_desc {
  /**
   * Number of fetches.
   */
  size_t count;
  /**
   * Coordinates x, y, z: float, or int32_t for texunit_fetch. As many as the texture has axes;
   * for cubes, a direction of three.
   */
  struct texunit_operand coords[3];
  /**
   * Layer, or cube: uint32_t. Required for layered textures.
   */
  struct texunit_operand layer;
  /**
   * Sample: uint32_t. Required for multi-sample textures.
   */
  struct texunit_operand sample;
  /**
   * Level (tex.level): float, or int32_t for texunit_fetch.
   */
  struct texunit_operand level;
  /**
   * Derivatives of the coordinates along the x axis of the screen (tex.grad): float, as many as
   * coords.
   */
  struct texunit_operand dPdx[3];
  /**
   * Derivatives along the y axis of the screen.
   */
  struct texunit_operand dPdy[3];
  /**
   * Offset in texels along each axis: int32_t.
   */
  struct texunit_operand offset[3];
  /**
   * Reference value of a depth comparison: float.
   */
  struct texunit_operand compare;
  /**
   * TEXUNIT_FETCH_*.
   */
  uint32_t flags;
  /**
   * Number of threads: 0 and 1 use only the calling thread, TEXUNIT_ALL_CPUS one thread for each
   * CPU. Results do not depend on it.
   */
  uint32_t threads;
  /**
   * Must be zeros.
   */
  uint32_t reserved[6];
} texunit_fetch_desc;

/**
 * Texels that can be read and written (CUsurfObject).
 */
typedef struct texunit_surface_st *texunit_surface;

/**
 * A batch of surface accesses.
 */
typedef struct texunit_access_desc {
  /**
   * Number of accesses.
   */
  size_t count;
  /**
   * Coordinates x (in texels), y, z: int32_t; as many as the surface has axes.
   */
  struct texunit_operand coords[3];
  /**
   * Layer: uint32_t; for cubes 6 * cube + face. Required for layered surfaces and cubes.
   */
  struct texunit_operand layer;
  /**
   * TEXUNIT_BOUNDARY_*: how accesses outside are handled.
   */
  uint32_t boundary;
  /**
   * Must be zeros.
   */
  uint32_t reserved[7];
} texunit_access_desc;

/**
 * The sampling state that takes effect, which can differ from the requested state.
 */
typedef struct texunit_effective_state {
  /**
   * TEXUNIT_COORDINATES_*.
   */
  uint32_t coordinates;
  /**
   * TEXUNIT_TR_ADDRESS_MODE_* for x, y, z, or TEXUNIT_NONE.
   */
  uint32_t addressMode[3];
  /**
   * TEXUNIT_TR_FILTER_MODE_*.
   */
  uint32_t filterMode;
  /**
   * TEXUNIT_TR_FILTER_MODE_* between levels, or TEXUNIT_NONE.
   */
  uint32_t mipmapFilterMode;
  /**
   * Minimum level.
   */
  float minMipmapLevel;
  /**
   * Maximum level.
   */
  float maxMipmapLevel;
  /**
   * Maximum anisotropy; 1 for none.
   */
  uint32_t maxAnisotropy;
  /**
   * Whether colours are decoded from sRGB.
   */
  uint32_t srgb;
  /**
   * Whether filters read across the edges of cube faces.
   */
  uint32_t seamlessCubemap;
  /**
   * TEXUNIT_COMPARE_*.
   */
  uint32_t compareFunction;
  /**
   * Number of requested settings that do not take effect; texunit_explain_state describes each.
   */
  uint32_t numOverrides;
  /**
   * Whether a fetch has a defined result; if not, texunit_explain_state says why.
   */
  uint32_t isDefined;
} texunit_effective_state;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The version of the library, for example "0.1.0". The text is valid as long as the library is
 * loaded.
 */
const char *texunit_version(void);

/**
 * The binary interface of the library. It must equal the TEXUNIT_ABI_VERSION of the header that
 * the program was compiled with.
 */
uint32_t texunit_abi_version(void);

/**
 * The name of a status, for example "TEXUNIT_ERROR_SIZE"; "unknown status" for other numbers. The
 * text is valid as long as the library is loaded.
 */
const char *texunit_status_name(texunit_status status);

/**
 * The message of this thread's last failed call; "" if none has failed. The text is valid until
 * another call of this thread fails or the thread ends; copy it to keep it.
 */
const char *texunit_last_error(void);

/**
 * Makes an array, whose texels are zeros (cuArray3DCreate, cuMipmappedArrayCreate). Sizes are in
 * texels, also for block-compressed formats. The depth of a multi-sample array is that of the
 * array without samples.
 *
 * numMipmapLevels: 0 for an array without mip levels, else from 1 on. numSamples: 0 or 1 for an
 * array without samples, else 2, 4, 8 or 16.
 *
 * What the caller promises:
 * Pointers are null or as their types say.
 */
texunit_status texunit_array_create(texunit_array *array,
                                    const struct texunit_array_desc *desc,
                                    uint32_t numMipmapLevels,
                                    uint32_t numSamples);

/**
 * Makes an array from a file: DDS and KTX 2.0 with all their contents, NPY as
 * docs/python-conventions.md says, PNG, JPEG and EXR. srgb, if it is not null, is set to 1 if the
 * file's colours are sRGB, else to 0.
 *
 * What the caller promises:
 * Pointers are null or as their types say; the path ends with a zero byte.
 */
texunit_status texunit_array_open(texunit_array *array, const char *file, uint32_t *srgb);

/**
 * Destroys an array handle; null is allowed. The texels exist as long as a texture, surface or
 * other array refers to them.
 */
texunit_status texunit_array_destroy(texunit_array array);

/**
 * The parameters that an array was created with (cuArray3DGetDescriptor): descriptor, mip levels
 * (0 for none) and samples (1 for none). Null outputs are skipped.
 *
 * What the caller promises:
 * Pointers are null or as their types say.
 */
texunit_status texunit_array_describe(texunit_array array,
                                      struct texunit_array_desc *desc,
                                      uint32_t *numMipmapLevels,
                                      uint32_t *numSamples);

/**
 * One mip level as an array handle of its own, which shares the memory (cuMipmappedArrayGetLevel).
 *
 * What the caller promises:
 * Pointers are null or as their types say.
 */
texunit_status texunit_array_level(texunit_array *levelArray, texunit_array array, uint32_t level);

/**
 * Size in bytes of a level, or of TEXUNIT_ALL_LEVELS, packed without gaps.
 *
 * What the caller promises:
 * Pointers are null or as their types say.
 */
texunit_status texunit_array_size(texunit_array array, uint32_t level, size_t *size);

/**
 * Writes all texels of a level, or of TEXUNIT_ALL_LEVELS one level after another. The order within
 * a level is layer by layer (cubes face by face), sample by sample, slice by slice, row by row.
 * Block-compressed formats have rows of blocks.
 *
 * rowPitch: distance in bytes from one row to the next; 0: rows have no gaps. slicePitch: distance
 * in bytes from one slice, sample, face or layer to the next; 0: they have no gaps. With
 * TEXUNIT_ALL_LEVELS both are 0. Without gaps, size is that of texunit_array_size.
 *
 * What the caller promises:
 * The pointer is null, or there are size bytes.
 */
texunit_status texunit_array_write(texunit_array array,
                                   uint32_t level,
                                   const void *texels,
                                   size_t size,
                                   size_t rowPitch,
                                   size_t slicePitch);

/**
 * Reads the texels of a level, or of TEXUNIT_ALL_LEVELS, into memory with the layout of
 * texunit_array_write. Gaps between rows are not written.
 *
 * What the caller promises:
 * The pointer is null, or there is room for size bytes.
 */
texunit_status texunit_array_read(texunit_array array,
                                  uint32_t level,
                                  void *texels,
                                  size_t size,
                                  size_t rowPitch,
                                  size_t slicePitch);

/**
 * Generates all mip levels but the first: a texel is the mean of the 2, 4 or 8 texels below it,
 * rounded to nearest (for integers, halves up); at an odd size the last row or column is left out.
 * The array must have plain channels.
 */
texunit_status texunit_array_generate_mipmaps(texunit_array array);

/**
 * Makes a texture (cuTexObjectCreate) on an array, or on linear or pitched memory of the program.
 * The view may be null. Descriptors that CUDA rejects are rejected with the same error. The
 * descriptors are copied.
 *
 * What the caller promises:
 * Pointers are null or as their types say. Linear and pitched memory stays valid until the
 * texture, and every texture that was made from it by texunit_texture_with_sampler, is destroyed
 * and no call uses it.
 */
texunit_status texunit_texture_create(texunit_texture *texture,
                                      const struct texunit_resource_desc *resDesc,
                                      const struct texunit_texture_desc *texDesc,
                                      const struct texunit_view_desc *viewDesc);

/**
 * Destroys a texture handle; null is allowed. Calls of other threads that use it complete.
 */
texunit_status texunit_texture_destroy(texunit_texture texture);

/**
 * Makes a sampler: a sampling state without a texture. Of the flags, TEXUNIT_TRSF_SRGB,
 * TEXUNIT_TRSF_SEAMLESS_CUBEMAP and TEXUNIT_TRSF_FORCE_UNNORMALIZED_COORDINATES belong to the
 * sampler, and the others to the texture.
 *
 * What the caller promises:
 * Pointers are null or as their types say.
 */
texunit_status texunit_sampler_create(texunit_sampler *sampler,
                                      const struct texunit_texture_desc *desc);

/**
 * Destroys a sampler handle; null is allowed. Textures that were made with it are not affected.
 */
texunit_status texunit_sampler_destroy(texunit_sampler sampler);

/**
 * Makes another texture on the texels of a texture, with a sampler instead of its own state.
 *
 * What the caller promises:
 * Pointers are null or as their types say.
 */
texunit_status texunit_texture_with_sampler(texunit_texture *newTexture,
                                            texunit_texture texture,
                                            texunit_sampler sampler);

/**
 * Samples a texture at many points: PTX's tex with float coordinates. size is the size of results:
 * 16 bytes for each fetch, or what texunit_result_size returns. results must not overlap any
 * operand or texel.
 *
 * What the caller promises:
 * Pointers are null or as their types say: each operand has count elements (one, if its stride is
 * 0), and results has room for size bytes. None of them is written concurrently.
 */
texunit_status texunit_sample(texunit_texture texture,
                              const struct texunit_fetch_desc *desc,
                              void *results,
                              size_t size);

/**
 * Reads texels at integer coordinates: PTX's tex with integer coordinates. Outside is 0.
 *
 * What the caller promises:
 * As for texunit_sample.
 */
texunit_status texunit_fetch(texunit_texture texture,
                             const struct texunit_fetch_desc *desc,
                             void *results,
                             size_t size);

/**
 * Gathers the four texels around each point, of one component (0 for r to 3 for a): PTX's tld4.
 *
 * What the caller promises:
 * As for texunit_sample.
 */
texunit_status texunit_gather(texunit_texture texture,
                              uint32_t component,
                              const struct texunit_fetch_desc *desc,
                              void *results,
                              size_t size);

/**
 * Size in bytes of the results of these fetches, and their form: TEXUNIT_AD_FORMAT_* of the
 * elements, and the number of elements per fetch. operation is a TEXUNIT_OPERATION_*. Null outputs
 * are skipped.
 *
 * What the caller promises:
 * Pointers are null or as their types say; operands as for texunit_sample.
 */
texunit_status texunit_result_size(texunit_texture texture,
                                   uint32_t operation,
                                   const struct texunit_fetch_desc *desc,
                                   size_t *size,
                                   uint32_t *format,
                                   uint32_t *numChannels);

/**
 * Makes a surface (cuSurfObjectCreate) on an array without mip levels, on one level
 * (texunit_array_level), or on memory. Its format must have plain channels.
 *
 * What the caller promises:
 * As for texunit_texture_create; memory stays valid until the surface is destroyed, and is
 * writable.
 */
texunit_status texunit_surface_create(texunit_surface *surface,
                                      const struct texunit_resource_desc *resDesc);

/**
 * Destroys a surface handle; null is allowed. Calls of other threads that use it complete.
 */
texunit_status texunit_surface_destroy(texunit_surface surface);

/**
 * Reads texels as they are stored (suld.b), packed without gaps.
 *
 * What the caller promises:
 * Pointers are null or as their types say: each operand has count elements (one, if its stride is
 * 0), and values has room for size bytes. None of them is written concurrently.
 */
texunit_status texunit_surface_read(texunit_surface surface,
                                    const struct texunit_access_desc *desc,
                                    void *values,
                                    size_t size);

/**
 * Writes texels as they are stored (sust.b), given in values without gaps. Of two writes to a
 * texel the later one takes effect. Under TEXUNIT_BOUNDARY_TRAP, accesses before the first one
 * outside are made.
 *
 * What the caller promises:
 * As for texunit_surface_read.
 */
texunit_status texunit_surface_write(texunit_surface surface,
                                     const struct texunit_access_desc *desc,
                                     const void *values,
                                     size_t size);

/**
 * Combines values with texels atomically (sured.b), on surfaces with one channel of 32-bit
 * integers. op is a TEXUNIT_REDUCE_*.
 *
 * What the caller promises:
 * As for texunit_surface_read.
 */
texunit_status texunit_surface_reduce(texunit_surface surface,
                                      uint32_t op,
                                      const struct texunit_access_desc *desc,
                                      const void *values,
                                      size_t size);

/**
 * An attribute of a texture (txq), TEXUNIT_QUERY_*. level selects the level for sizes, and is 0
 * for other attributes; a missing level has size 0.
 *
 * What the caller promises:
 * Pointers are null or as their types say.
 */
texunit_status texunit_texture_query(texunit_texture texture,
                                     uint32_t attribute,
                                     uint32_t level,
                                     uint32_t *value);

/**
 * An attribute of a surface (suq), TEXUNIT_QUERY_*.
 *
 * What the caller promises:
 * Pointers are null or as their types say.
 */
texunit_status texunit_surface_query(texunit_surface surface, uint32_t attribute, uint32_t *value);

/**
 * The sampling state that takes effect for a texture and an instruction. operation is a
 * TEXUNIT_OPERATION_*; desc, which may be null, only determines which operands are present. The
 * state is also returned for a fetch without a defined result.
 *
 * What the caller promises:
 * Pointers are null or as their types say; operands as for texunit_sample.
 */
texunit_status texunit_texture_effective(texunit_texture texture,
                                         uint32_t operation,
                                         const struct texunit_fetch_desc *desc,
                                         struct texunit_effective_state *state);

/**
 * Explains one of the fetches, the one with the given index: every step with its rule. format is a
 * TEXUNIT_EXPLAIN_*.
 *
 * text receives the explanation with a terminating zero byte; length, if it is not null, receives
 * its number of bytes without that. If capacity is too small the result is TEXUNIT_ERROR_SIZE,
 * length has the required size, and text, if it is not null, has the beginning. With text null and
 * capacity 0, only the length is returned.
 *
 * What the caller promises:
 * Pointers are null or as their types say; operands as for texunit_sample; text has room for
 * capacity bytes.
 */
texunit_status texunit_explain(texunit_texture texture,
                               uint32_t operation,
                               const struct texunit_fetch_desc *desc,
                               size_t index,
                               uint32_t format,
                               char *text,
                               size_t capacity,
                               size_t *length);

/**
 * The sampling state that takes effect for a texture, as one JSON object: the instruction,
 * overrides (rule and text of each), and why such a fetch has no defined result, or null.
 * operation and desc are as for texunit_texture_effective, text, capacity and length as for
 * texunit_explain.
 *
 * What the caller promises:
 * As for texunit_explain.
 */
texunit_status texunit_explain_state(texunit_texture texture,
                                     uint32_t operation,
                                     const struct texunit_fetch_desc *desc,
                                     char *text,
                                     size_t capacity,
                                     size_t *length);

/**
 * Explains how the surface read with the given index finds its bytes, and their values. Nothing is
 * written. format, text, capacity and length are as for texunit_explain.
 *
 * What the caller promises:
 * As for texunit_explain.
 */
texunit_status texunit_surface_explain(texunit_surface surface,
                                       const struct texunit_access_desc *desc,
                                       size_t index,
                                       uint32_t format,
                                       char *text,
                                       size_t capacity,
                                       size_t *length);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TEXUNIT_H */
