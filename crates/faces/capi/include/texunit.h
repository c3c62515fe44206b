/*
 * texunit: NVIDIA's texture and surface unit, bit for bit, without a GPU.
 *
 * docs/c.md is the guide; structures and numbers have the names, the order and the layout of cuda.h. Every function
 * may be called by any thread at any time. Those that return a texunit_status write their results only if it is
 * TEXUNIT_SUCCESS, unless they say more; texunit_last_error has the sentence to an error.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */

#ifndef TEXUNIT_H
#define TEXUNIT_H

/* Made by `cargo run -p xtask -- header`: change crates/faces/capi/src instead. */

#include <stddef.h>
#include <stdint.h>

/**
 * The interface that this header describes. It changes when a program has to be recompiled.
 */
#define TEXUNIT_ABI_VERSION 1

/**
 * 8-bit unsigned integers. Formats up to TEXUNIT_AD_FORMAT_FLOAT name only the type of a channel; 1, 2 or 4 of them
 * make a texel.
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
 * BC1, whose colours are sRGB.
 */
#define TEXUNIT_AD_FORMAT_BC1_UNORM_SRGB 146

/**
 * BC2, 4 channels.
 */
#define TEXUNIT_AD_FORMAT_BC2_UNORM 147

/**
 * BC2, whose colours are sRGB.
 */
#define TEXUNIT_AD_FORMAT_BC2_UNORM_SRGB 148

/**
 * BC3, 4 channels.
 */
#define TEXUNIT_AD_FORMAT_BC3_UNORM 149

/**
 * BC3, whose colours are sRGB.
 */
#define TEXUNIT_AD_FORMAT_BC3_UNORM_SRGB 150

/**
 * BC4, 1 channel.
 */
#define TEXUNIT_AD_FORMAT_BC4_UNORM 151

/**
 * BC4 of [-1, 1].
 */
#define TEXUNIT_AD_FORMAT_BC4_SNORM 152

/**
 * BC5, 2 channels.
 */
#define TEXUNIT_AD_FORMAT_BC5_UNORM 153

/**
 * BC5 of [-1, 1].
 */
#define TEXUNIT_AD_FORMAT_BC5_SNORM 154

/**
 * BC6H, 3 channels.
 */
#define TEXUNIT_AD_FORMAT_BC6H_UF16 155

/**
 * BC6H of signed numbers.
 */
#define TEXUNIT_AD_FORMAT_BC6H_SF16 156

/**
 * BC7, 4 channels.
 */
#define TEXUNIT_AD_FORMAT_BC7_UNORM 157

/**
 * BC7, whose colours are sRGB.
 */
#define TEXUNIT_AD_FORMAT_BC7_UNORM_SRGB 158

/**
 * 8-bit unorm, 1 channel. From here on formats say themselves how they are read.
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
 * 16-bit depth, 1 channel. CUDA has no arrays of depth formats.
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
 * The array's own format, which CUDA does not take.
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
 * BC1, of an array of two channels of 32-bit unsigned integers.
 */
#define TEXUNIT_RES_VIEW_FORMAT_UNSIGNED_BC1 25

/**
 * BC2, of an array of four channels of 32-bit unsigned integers.
 */
#define TEXUNIT_RES_VIEW_FORMAT_UNSIGNED_BC2 26

/**
 * BC3, of four.
 */
#define TEXUNIT_RES_VIEW_FORMAT_UNSIGNED_BC3 27

/**
 * BC4, of two.
 */
#define TEXUNIT_RES_VIEW_FORMAT_UNSIGNED_BC4 28

/**
 * BC4 of [-1, 1], of two.
 */
#define TEXUNIT_RES_VIEW_FORMAT_SIGNED_BC4 29

/**
 * BC5, of four.
 */
#define TEXUNIT_RES_VIEW_FORMAT_UNSIGNED_BC5 30

/**
 * BC5 of [-1, 1], of four.
 */
#define TEXUNIT_RES_VIEW_FORMAT_SIGNED_BC5 31

/**
 * BC6H, of four.
 */
#define TEXUNIT_RES_VIEW_FORMAT_UNSIGNED_BC6H 32

/**
 * BC6H of signed numbers, of four.
 */
#define TEXUNIT_RES_VIEW_FORMAT_SIGNED_BC6H 33

/**
 * BC7, of four.
 */
#define TEXUNIT_RES_VIEW_FORMAT_UNSIGNED_BC7 34

/**
 * The depth is a number of layers.
 */
#define TEXUNIT_ARRAY3D_LAYERED 1

/**
 * Surfaces of the array can be made. It is not needed here.
 */
#define TEXUNIT_ARRAY3D_SURFACE_LDST 2

/**
 * The depth is a number of faces, 6 for each cube: +x, -x, +y, -y, +z, -z.
 */
#define TEXUNIT_ARRAY3D_CUBEMAP 4

/**
 * Gathers read the array. It is not needed here.
 */
#define TEXUNIT_ARRAY3D_TEXTURE_GATHER 8

/**
 * A depth texture of a graphics API. It says nothing here.
 */
#define TEXUNIT_ARRAY3D_DEPTH_TEXTURE 16

/**
 * A colour target of a graphics API. It says nothing here.
 */
#define TEXUNIT_ARRAY3D_COLOR_ATTACHMENT 32

/**
 * An array.
 */
#define TEXUNIT_RESOURCE_TYPE_ARRAY 0

/**
 * An array with mip levels. Here both types take any array.
 */
#define TEXUNIT_RESOURCE_TYPE_MIPMAPPED_ARRAY 1

/**
 * Memory of one axis.
 */
#define TEXUNIT_RESOURCE_TYPE_LINEAR 2

/**
 * Memory of rows.
 */
#define TEXUNIT_RESOURCE_TYPE_PITCH2D 3

/**
 * Coordinates repeat.
 */
#define TEXUNIT_TR_ADDRESS_MODE_WRAP 0

/**
 * Coordinates stop at the edge.
 */
#define TEXUNIT_TR_ADDRESS_MODE_CLAMP 1

/**
 * Coordinates run back and forth.
 */
#define TEXUNIT_TR_ADDRESS_MODE_MIRROR 2

/**
 * The border colour is outside.
 */
#define TEXUNIT_TR_ADDRESS_MODE_BORDER 3

/**
 * OpenGL's GL_CLAMP (PTX's clamp_ogl), which no texture of CUDA has.
 */
#define TEXUNIT_TR_ADDRESS_MODE_CLAMP_OGL 4

/**
 * The nearest texel.
 */
#define TEXUNIT_TR_FILTER_MODE_POINT 0

/**
 * The weighted mean of the neighbours.
 */
#define TEXUNIT_TR_FILTER_MODE_LINEAR 1

/**
 * 8 and 16-bit integers are read as they are. Without it they are read as fractions, in [0, 1] or [-1, 1].
 */
#define TEXUNIT_TRSF_READ_AS_INTEGER 1

/**
 * Coordinates run from 0 to 1.
 */
#define TEXUNIT_TRSF_NORMALIZED_COORDINATES 2

/**
 * Colours are sRGB.
 */
#define TEXUNIT_TRSF_SRGB 16

/**
 * Levels are always blended as asked for, as they are here anyway.
 */
#define TEXUNIT_TRSF_DISABLE_TRILINEAR_OPTIMIZATION 32

/**
 * Filters read across the edges of cube faces.
 */
#define TEXUNIT_TRSF_SEAMLESS_CUBEMAP 64

/**
 * Of samplers: coordinates are in texels whatever the texture says (PTX's force_unnormalized_coords).
 */
#define TEXUNIT_TRSF_FORCE_UNNORMALIZED_COORDINATES 65536

/**
 * No depth compare.
 */
#define TEXUNIT_COMPARE_NONE 0

/**
 * 0.
 */
#define TEXUNIT_COMPARE_NEVER 1

/**
 * 1 where the reference is less than the texel.
 */
#define TEXUNIT_COMPARE_LESS 2

/**
 * Equal.
 */
#define TEXUNIT_COMPARE_EQUAL 3

/**
 * Less or equal.
 */
#define TEXUNIT_COMPARE_LESS_EQUAL 4

/**
 * Greater.
 */
#define TEXUNIT_COMPARE_GREATER 5

/**
 * Not equal.
 */
#define TEXUNIT_COMPARE_NOT_EQUAL 6

/**
 * Greater or equal.
 */
#define TEXUNIT_COMPARE_GREATER_EQUAL 7

/**
 * 1.
 */
#define TEXUNIT_COMPARE_ALWAYS 8

/**
 * All mip levels of an array, one after the other.
 */
#define TEXUNIT_ALL_LEVELS 4294967295

/**
 * Level 0 is read, whatever the sampler says (tex.base).
 */
#define TEXUNIT_FETCH_BASE 1

/**
 * Results are packed: the channels that the texture has, 1, 2 or 4 elements of the type of the texels (normalized ones are
 * float), without gaps. Without the flag, results are four registers of 32 bits for each fetch, as PTX's .v4.
 */
#define TEXUNIT_FETCH_PACKED 2

/**
 * Results are of half precision (.f16): 2 bytes if they are packed, else the low 2 bytes of each register.
 */
#define TEXUNIT_FETCH_HALF 4

/**
 * A thread for each CPU.
 */
#define TEXUNIT_ALL_CPUS 4294967295

/**
 * tex with floats.
 */
#define TEXUNIT_OPERATION_SAMPLE 0

/**
 * tex with integers.
 */
#define TEXUNIT_OPERATION_FETCH 1

/**
 * tld4 of r.
 */
#define TEXUNIT_OPERATION_GATHER_R 2

/**
 * tld4 of g.
 */
#define TEXUNIT_OPERATION_GATHER_G 3

/**
 * tld4 of b.
 */
#define TEXUNIT_OPERATION_GATHER_B 4

/**
 * tld4 of a.
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
 * 0 is read, and nothing is written (.zero, cudaBoundaryModeZero).
 */
#define TEXUNIT_BOUNDARY_ZERO 2

/**
 * The sum, which wraps.
 */
#define TEXUNIT_REDUCE_ADD 0

/**
 * The smaller one.
 */
#define TEXUNIT_REDUCE_MIN 1

/**
 * The larger one.
 */
#define TEXUNIT_REDUCE_MAX 2

/**
 * The bits of both.
 */
#define TEXUNIT_REDUCE_AND 3

/**
 * The bits of one or both.
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
 * Layers; 0 of what is not layered.
 */
#define TEXUNIT_QUERY_ARRAY_SIZE 6

/**
 * Mip levels; 0 of what has none.
 */
#define TEXUNIT_QUERY_NUM_MIPMAP_LEVELS 7

/**
 * Samples; 0 of what has none.
 */
#define TEXUNIT_QUERY_NUM_SAMPLES 8

/**
 * Of samplers: whether coordinates are in texels whatever the texture says.
 */
#define TEXUNIT_QUERY_FORCE_UNNORMALIZED_COORDS 9

/**
 * Of samplers: filter, by PTX's numbers (0 point, 1 linear).
 */
#define TEXUNIT_QUERY_FILTER_MODE 10

/**
 * Of samplers: address mode of x, by PTX's numbers (0 wrap, 1 mirror, 2 clamp_ogl, 3 clamp, 4 border).
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
 * 0 of arrays, 1 of linear and pitched memory.
 */
#define TEXUNIT_QUERY_MEMORY_LAYOUT 14

/**
 * Coordinates name texels.
 */
#define TEXUNIT_COORDINATES_INTEGER 0

/**
 * Coordinates are in texels.
 */
#define TEXUNIT_COORDINATES_UNNORMALIZED 1

/**
 * Coordinates run from 0 to 1.
 */
#define TEXUNIT_COORDINATES_NORMALIZED 2

/**
 * There is none: of the mip filter of what has no levels, of address modes of integer coordinates.
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
 * What a texunit_array is a handle of.
 */
typedef struct texunit_array_st texunit_array_st;

/**
 * What a texunit_sampler is a handle of.
 */
typedef struct texunit_sampler_st texunit_sampler_st;

/**
 * What a texunit_surface is a handle of.
 */
typedef struct texunit_surface_st texunit_surface_st;

/**
 * What a texunit_texture is a handle of.
 */
typedef struct texunit_texture_st texunit_texture_st;

/**
 * What a function returns: TEXUNIT_SUCCESS, or the number of an error. Numbers below 1000 are those of cudaError_t.
 */
typedef int32_t texunit_status;

/**
 * Texels in memory of texunit: an array, with or without mip levels (CUarray, CUmipmappedArray). Any thread may use it.
 * It is a number, not an address: nothing lies where it points.
 */
typedef struct texunit_array_st *texunit_array;

/**
 * What texunit_array_create makes (CUDA_ARRAY3D_DESCRIPTOR, whose layout it has).
 */
typedef struct texunit_array_desc {
  /**
   * Elements of a row, in texels.
   */
  size_t Width;
  /**
   * Rows; 0: the array has one axis.
   */
  size_t Height;
  /**
   * Slices, layers, or faces of all cubes; 0: none of these.
   */
  size_t Depth;
  /**
   * TEXUNIT_AD_FORMAT_*, whose numbers are CUarray_format's.
   */
  uint32_t Format;
  /**
   * Channels of a texel: 1, 2 or 4, and what a format has that says it itself.
   */
  uint32_t NumChannels;
  /**
   * TEXUNIT_ARRAY3D_*.
   */
  uint32_t Flags;
} texunit_array_desc;

/**
 * Texels with how they are read (CUtexObject).
 */
typedef struct texunit_texture_st *texunit_texture;

/**
 * An array.
 */
typedef struct texunit_resource_array {
  /**
   * The array.
   */
  texunit_array hArray;
} texunit_resource_array;

/**
 * An array with mip levels.
 */
typedef struct texunit_resource_mipmap {
  /**
   * The array.
   */
  texunit_array hMipmappedArray;
} texunit_resource_mipmap;

/**
 * Memory of one axis.
 */
typedef struct texunit_resource_linear {
  /**
   * The first texel, at a multiple of 16 bytes. Memory of the program: it has to be there as long as a texture or surface
   * of it is, and what is written to it between calls is read by the next one.
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
   * Bytes; what is less than a texel at their end is left out.
   */
  size_t sizeInBytes;
} texunit_resource_linear;

/**
 * Memory of rows.
 */
typedef struct texunit_resource_pitch2d {
  /**
   * As of linear memory.
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
   * Texels of a row.
   */
  size_t width;
  /**
   * Rows.
   */
  size_t height;
  /**
   * Bytes from a row to the next: a multiple of 32.
   */
  size_t pitchInBytes;
} texunit_resource_pitch2d;

/**
 * Which, by the type.
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
   * As long as CUDA's.
   */
  int32_t reserved[32];
} texunit_resource;

/**
 * What a texture or surface is of (CUDA_RESOURCE_DESC, whose layout it has).
 */
typedef struct texunit_resource_desc {
  /**
   * TEXUNIT_RESOURCE_TYPE_*.
   */
  uint32_t resType;
  /**
   * What it is.
   */
  union texunit_resource res;
  /**
   * 0.
   */
  uint32_t flags;
} texunit_resource_desc;

/**
 * How a texture reads (CUDA_TEXTURE_DESC, whose layout it has; a compareFunction is more than CUDA has). As in CUDA, what
 * is all zeros wraps, does not filter, and reads no level but the first.
 */
typedef struct texunit_texture_desc {
  /**
   * TEXUNIT_TR_ADDRESS_MODE_* of x, y, z.
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
   * Most taps of an anisotropic filter; 0 and 1: none.
   */
  uint32_t maxAnisotropy;
  /**
   * TEXUNIT_TR_FILTER_MODE_* between levels.
   */
  uint32_t mipmapFilterMode;
  /**
   * Added to a level.
   */
  float mipmapLevelBias;
  /**
   * Smallest level.
   */
  float minMipmapLevelClamp;
  /**
   * Largest level.
   */
  float maxMipmapLevelClamp;
  /**
   * r, g, b, a.
   */
  float borderColor[4];
  /**
   * TEXUNIT_COMPARE_*: what becomes of a reference value and a texel; 0 of textures without, as all of CUDA's are.
   */
  uint32_t compareFunction;
  /**
   * Zeros.
   */
  uint32_t reserved[11];
} texunit_texture_desc;

/**
 * A part of an array, or its texels as another format (CUDA_RESOURCE_VIEW_DESC, whose layout it has).
 */
typedef struct texunit_view_desc {
  /**
   * TEXUNIT_RES_VIEW_FORMAT_*, whose numbers are CUresourceViewFormat's; 0: the array's own.
   */
  uint32_t format;
  /**
   * Texels of a row; of a block-compressed format, four times that of the array. 0: what it has to be.
   */
  size_t width;
  /**
   * Rows; 0: what they have to be.
   */
  size_t height;
  /**
   * Depth of the array; 0: what it has to be.
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
   * First layer; of cubes, first face of all cubes.
   */
  uint32_t firstLayer;
  /**
   * Last layer.
   */
  uint32_t lastLayer;
  /**
   * Zeros.
   */
  uint32_t reserved[16];
} texunit_view_desc;

/**
 * How a texture reads, apart from a texture (PTX's .samplerref; the samplers of Vulkan and OpenGL).
 */
typedef struct texunit_sampler_st *texunit_sampler;

/**
 * An operand of many fetches: elements of 4 bytes. Null: there is none.
 */
typedef struct texunit_operand {
  /**
   * The element of the first fetch.
   */
  const void *data;
  /**
   * Bytes from an element to the next: 4 in an array of numbers, 8 in one of pairs; 0: all fetches have the first one.
   */
  size_t stride;
} texunit_operand;

/**
 * Many fetches. What is all zeros is left out: set count and coords, and what the texture or the fetch has beside.
 */
typedef struct texunit_fetch_desc {
  /**
   * How many.
   */
  size_t count;
  /**
   * x, y, z: float; int32_t of texunit_fetch. As many as the texture has axes; of cubes, a direction of three.
   */
  struct texunit_operand coords[3];
  /**
   * Layer, or cube: uint32_t. Layered textures need it.
   */
  struct texunit_operand layer;
  /**
   * Sample: uint32_t. Textures with samples need it.
   */
  struct texunit_operand sample;
  /**
   * Level (tex.level): float; int32_t of texunit_fetch.
   */
  struct texunit_operand level;
  /**
   * Derivatives of the coordinates along x of the picture (tex.grad): float, as many as coords.
   */
  struct texunit_operand dPdx[3];
  /**
   * Along y.
   */
  struct texunit_operand dPdy[3];
  /**
   * Texels to go along each axis: int32_t.
   */
  struct texunit_operand offset[3];
  /**
   * Reference value of a depth compare: float.
   */
  struct texunit_operand compare;
  /**
   * TEXUNIT_FETCH_*.
   */
  uint32_t flags;
  /**
   * Threads that work: 0 and 1 the calling one alone, TEXUNIT_ALL_CPUS one for each CPU. Results are the same.
   */
  uint32_t threads;
  /**
   * Zeros.
   */
  uint32_t reserved[6];
} texunit_fetch_desc;

/**
 * Texels that are read and written in place (CUsurfObject).
 */
typedef struct texunit_surface_st *texunit_surface;

/**
 * Many accesses of a surface.
 */
typedef struct texunit_access_desc {
  /**
   * How many.
   */
  size_t count;
  /**
   * x in texels, y, z: int32_t; as many as the surface has axes.
   */
  struct texunit_operand coords[3];
  /**
   * Layer: uint32_t; of cubes 6 * cube + face. Layered surfaces and cubes need it.
   */
  struct texunit_operand layer;
  /**
   * TEXUNIT_BOUNDARY_*: what becomes of accesses outside.
   */
  uint32_t boundary;
  /**
   * Zeros.
   */
  uint32_t reserved[7];
} texunit_access_desc;

/**
 * State that acts, which is not always what was asked for.
 */
typedef struct texunit_effective_state {
  /**
   * TEXUNIT_COORDINATES_*.
   */
  uint32_t coordinates;
  /**
   * TEXUNIT_TR_ADDRESS_MODE_* of x, y, z, or TEXUNIT_NONE.
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
   * Smallest level.
   */
  float minMipmapLevel;
  /**
   * Largest level.
   */
  float maxMipmapLevel;
  /**
   * Most taps of an anisotropic filter; 1: none.
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
   * How many things were asked for and do not act as asked; texunit_explain_state says which, and why.
   */
  uint32_t numOverrides;
  /**
   * Whether such a fetch has a defined answer; if not, texunit_explain_state says why.
   */
  uint32_t isDefined;
} texunit_effective_state;

/**
 * All is done.
 */
#define TEXUNIT_SUCCESS 0

/**
 * A value that a parameter or a field cannot have, or values that do not go together (cudaErrorInvalidValue).
 */
#define TEXUNIT_ERROR_INVALID_VALUE 1

/**
 * There is not so much memory (cudaErrorMemoryAllocation).
 */
#define TEXUNIT_ERROR_OUT_OF_MEMORY 2

/**
 * A linear filter for texels that have none (cudaErrorInvalidFilterSetting).
 */
#define TEXUNIT_ERROR_INVALID_FILTER_SETTING 26

/**
 * Normalized reads of texels that have none, or the reverse (cudaErrorInvalidNormSetting).
 */
#define TEXUNIT_ERROR_INVALID_NORM_SETTING 27

/**
 * A file that cannot be read (cudaErrorFileNotFound).
 */
#define TEXUNIT_ERROR_FILE 301

/**
 * A handle that is not, or no longer, one of the kind that is wanted (cudaErrorInvalidResourceHandle).
 */
#define TEXUNIT_ERROR_INVALID_HANDLE 400

/**
 * A surface access outside under TEXUNIT_BOUNDARY_TRAP (cudaErrorIllegalAddress). Accesses before it are made.
 */
#define TEXUNIT_ERROR_ILLEGAL_ADDRESS 700

/**
 * A fetch or access that the hardware has no defined answer for (cudaErrorNotSupported).
 */
#define TEXUNIT_ERROR_NOT_SUPPORTED 801

/**
 * A null pointer where there has to be something.
 */
#define TEXUNIT_ERROR_NULL_POINTER 1000

/**
 * A buffer of another size than is needed, or too small.
 */
#define TEXUNIT_ERROR_SIZE 1001

/**
 * A mistake of texunit itself. Please report it with the text.
 */
#define TEXUNIT_ERROR_INTERNAL 1999

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The version of the library, as "0.1.0". It is there as long as the library is loaded.
 */
const char *texunit_version(void);

/**
 * The interface that the library has. It is the TEXUNIT_ABI_VERSION of the header that the program was compiled with, or
 * the two do not go together.
 */
uint32_t texunit_abi_version(void);

/**
 * The name of a status, as "TEXUNIT_ERROR_SIZE"; "unknown status" for other numbers. It is there as long as the library
 * is loaded.
 */
const char *texunit_status_name(texunit_status status);

/**
 * What went wrong in the last call of this thread that failed, in a sentence; "" if none has. The text is there until
 * another call of this thread fails, or the thread ends; copy it to keep it.
 */
const char *texunit_last_error(void);

/**
 * Makes an array, whose texels are zeros (cuArray3DCreate, cuMipmappedArrayCreate). Sizes are in texels, of block-compressed
 * formats too. Of arrays with samples the depth is as of those without.
 *
 * numMipmapLevels: 0 for an array without mip levels, else from 1 on. numSamples: 0 or 1 for an array without samples, else
 * 2, 4, 8 or 16.
 *
 * What the caller promises:
 * Pointers are null or as their types say.
 */
texunit_status texunit_array_create(texunit_array *array,
                                    const struct texunit_array_desc *desc,
                                    uint32_t numMipmapLevels,
                                    uint32_t numSamples);

/**
 * Makes an array of a file: DDS and KTX 2.0 with all that they hold, NPY as docs/python-conventions.md says, PNG, JPEG and
 * EXR. Whether the file says that its colours are sRGB goes to srgb as 0 or 1, if that is not null.
 *
 * What the caller promises:
 * Pointers are null or as their types say; the path ends with a zero byte.
 */
texunit_status texunit_array_open(texunit_array *array,
                                  const char *file,
                                  uint32_t *srgb);

/**
 * Forgets an array; null is none. The texels are there as long as a texture, surface or other array of them is.
 */
texunit_status texunit_array_destroy(texunit_array array);

/**
 * What an array was made with (cuArray3DGetDescriptor): a descriptor, mip levels (0: none) and samples (1: none). What is
 * null is not asked for.
 *
 * What the caller promises:
 * Pointers are null or as their types say.
 */
texunit_status texunit_array_describe(texunit_array array,
                                      struct texunit_array_desc *desc,
                                      uint32_t *numMipmapLevels,
                                      uint32_t *numSamples);

/**
 * One mip level as an array of its own, in the same memory (cuMipmappedArrayGetLevel).
 *
 * What the caller promises:
 * Pointers are null or as their types say.
 */
texunit_status texunit_array_level(texunit_array *levelArray, texunit_array array, uint32_t level);

/**
 * Bytes of a level, or of TEXUNIT_ALL_LEVELS, without gaps.
 *
 * What the caller promises:
 * Pointers are null or as their types say.
 */
texunit_status texunit_array_size(texunit_array array, uint32_t level, size_t *size);

/**
 * Writes the texels of a level, or of TEXUNIT_ALL_LEVELS one level after the other: layer by layer (cubes face by face),
 * sample by sample, slice by slice, row by row, all of them. Block-compressed formats have rows of blocks.
 *
 * rowPitch: bytes from a row to the next; 0: rows have no gaps. slicePitch: bytes from a slice, sample, face or layer to the
 * next; 0: they have no gaps. With TEXUNIT_ALL_LEVELS both are 0. Without gaps, size is that of texunit_array_size.
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
 * Reads the texels of a level, or of TEXUNIT_ALL_LEVELS, into memory that is laid out as texunit_array_write says. Gaps
 * between rows are left as they are.
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
 * Makes all mip levels but the first: a texel is the mean of the 2, 4 or 8 below it, rounded to nearest (of integers halves
 * go up); of an odd size the last row or column is left out. The array has plain channels.
 */
texunit_status texunit_array_generate_mipmaps(texunit_array array);

/**
 * Makes a texture (cuTexObjectCreate): of an array, or of linear or pitched memory of the program. The view may be null.
 * What CUDA refuses is refused, with its number. The descriptors are copied.
 *
 * What the caller promises:
 * Pointers are null or as their types say. Linear and pitched memory is there until the texture, and every texture that was
 * made of it by texunit_texture_with_sampler, is destroyed and no call uses it.
 */
texunit_status texunit_texture_create(texunit_texture *texture,
                                      const struct texunit_resource_desc *resDesc,
                                      const struct texunit_texture_desc *texDesc,
                                      const struct texunit_view_desc *viewDesc);

/**
 * Forgets a texture; null is none. Calls of other threads that use it come to their end.
 */
texunit_status texunit_texture_destroy(texunit_texture texture);

/**
 * Makes a sampler: how textures read, without one. Of the flags, TEXUNIT_TRSF_SRGB, TEXUNIT_TRSF_SEAMLESS_CUBEMAP and
 * TEXUNIT_TRSF_FORCE_UNNORMALIZED_COORDINATES are the sampler's; the others are the texture's.
 *
 * What the caller promises:
 * Pointers are null or as their types say.
 */
texunit_status texunit_sampler_create(texunit_sampler *sampler,
                                      const struct texunit_texture_desc *desc);

/**
 * Forgets a sampler; null is none. Textures that were made with it go on.
 */
texunit_status texunit_sampler_destroy(texunit_sampler sampler);

/**
 * Makes another texture of the texels of a texture, which is read by a sampler instead of its own state.
 *
 * What the caller promises:
 * Pointers are null or as their types say.
 */
texunit_status texunit_texture_with_sampler(texunit_texture *newTexture,
                                            texunit_texture texture,
                                            texunit_sampler sampler);

/**
 * Samples a texture at many points: PTX's tex with floats. results has size bytes: 16 for each fetch, or what
 * texunit_result_size says. It overlaps nothing that is read.
 *
 * What the caller promises:
 * Pointers are null or as their types say: each operand has count elements (one, if its stride is 0), results room for size
 * bytes. Nobody writes to them meanwhile.
 */
texunit_status texunit_sample(texunit_texture texture,
                              const struct texunit_fetch_desc *desc,
                              void *results,
                              size_t size);

/**
 * Reads texels by integer coordinates: PTX's tex with integers. Outside is 0.
 *
 * What the caller promises:
 * As of texunit_sample.
 */
texunit_status texunit_fetch(texunit_texture texture,
                             const struct texunit_fetch_desc *desc,
                             void *results,
                             size_t size);

/**
 * The four texels around each point, of one component (0 for r to 3 for a): PTX's tld4.
 *
 * What the caller promises:
 * As of texunit_sample.
 */
texunit_status texunit_gather(texunit_texture texture,
                              uint32_t component,
                              const struct texunit_fetch_desc *desc,
                              void *results,
                              size_t size);

/**
 * Bytes of the results of these fetches, and what they are: TEXUNIT_AD_FORMAT_* of the elements and their number for each
 * fetch. operation is a TEXUNIT_OPERATION_*. What is null is not asked for.
 *
 * What the caller promises:
 * Pointers are null or as their types say; operands as of texunit_sample.
 */
texunit_status texunit_result_size(texunit_texture texture,
                                   uint32_t operation,
                                   const struct texunit_fetch_desc *desc,
                                   size_t *size,
                                   uint32_t *format,
                                   uint32_t *numChannels);

/**
 * Makes a surface (cuSurfObjectCreate): of an array without mip levels or of one level (texunit_array_level), or of memory.
 * Its format has plain channels.
 *
 * What the caller promises:
 * As of texunit_texture_create; memory is there until the surface is destroyed, and may be written.
 */
texunit_status texunit_surface_create(texunit_surface *surface,
                                      const struct texunit_resource_desc *resDesc);

/**
 * Forgets a surface; null is none. Calls of other threads that use it come to their end.
 */
texunit_status texunit_surface_destroy(texunit_surface surface);

/**
 * Reads texels as they are stored (suld.b), without gaps.
 *
 * What the caller promises:
 * Pointers are null or as their types say: each operand has count elements (one, if its stride is 0), values room for size
 * bytes. Nobody writes to them meanwhile.
 */
texunit_status texunit_surface_read(texunit_surface surface,
                                    const struct texunit_access_desc *desc,
                                    void *values,
                                    size_t size);

/**
 * Writes texels as they are to be stored (sust.b): values has them without gaps. Of two writes to a texel the later one
 * stays. Under TEXUNIT_BOUNDARY_TRAP, accesses before the first one outside are made.
 *
 * What the caller promises:
 * As of texunit_surface_read.
 */
texunit_status texunit_surface_write(texunit_surface surface,
                                     const struct texunit_access_desc *desc,
                                     const void *values,
                                     size_t size);

/**
 * Combines values with the texels, each in one step (sured.b): surfaces of one channel of 32-bit integers. op is a
 * TEXUNIT_REDUCE_*.
 *
 * What the caller promises:
 * As of texunit_surface_read.
 */
texunit_status texunit_surface_reduce(texunit_surface surface,
                                      uint32_t op,
                                      const struct texunit_access_desc *desc,
                                      const void *values,
                                      size_t size);

/**
 * An attribute of a texture (txq), TEXUNIT_QUERY_*. Sizes are those of a level, which is 0 of other attributes; a level that
 * there is not has size 0.
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
 * What the hardware makes of a texture's state, for the instruction that these fetches are: operation is a
 * TEXUNIT_OPERATION_*; of desc, which may be null, only counts which operands are there. A fetch that has no defined answer
 * has a state all the same.
 *
 * What the caller promises:
 * Pointers are null or as their types say; operands as of texunit_sample.
 */
texunit_status texunit_texture_effective(texunit_texture texture,
                                         uint32_t operation,
                                         const struct texunit_fetch_desc *desc,
                                         struct texunit_effective_state *state);

/**
 * What one of these fetches does, the one with the number index: every step with its rule. format is a TEXUNIT_EXPLAIN_*.
 *
 * text gets it with a zero byte at its end; length, if it is not null, its bytes without that. Where capacity is not enough
 * the answer is TEXUNIT_ERROR_SIZE, length says what is needed, and text, if it is not null, has the beginning. With text
 * null and capacity 0, only the length is asked for.
 *
 * What the caller promises:
 * Pointers are null or as their types say; operands as of texunit_sample; text has room for capacity bytes.
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
 * What the hardware makes of a texture's state, as one JSON object: the instruction, overrides (rule and text of each), and
 * why such a fetch has no defined answer, or null. operation and desc are as of texunit_texture_effective, text, capacity
 * and length as of texunit_explain.
 *
 * What the caller promises:
 * As of texunit_explain.
 */
texunit_status texunit_explain_state(texunit_texture texture,
                                     uint32_t operation,
                                     const struct texunit_fetch_desc *desc,
                                     char *text,
                                     size_t capacity,
                                     size_t *length);

/**
 * How the read of a surface with the number index finds its bytes, and what they are. Nothing is written. format, text,
 * capacity and length are as of texunit_explain.
 *
 * What the caller promises:
 * As of texunit_explain.
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
