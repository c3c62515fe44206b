//! The fields of texture headers: their bits, the interpretation of these, and the header versions
//! that have a field.

use super::{Bits, Descriptor, Values};

/// The versions of texture headers; some fields exist in some versions only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Version {
    /// A buffer of texels.
    OneDBuffer,
    /// Pitched memory, with a colour key.
    PitchColorKey,
    /// Pitched memory.
    Pitch,
    /// Block-linear memory.
    BlockLinear,
    /// Block-linear memory, with a colour key.
    BlockLinearColorKey,
}

impl Version {
    /// All header versions, indexed by the value of the version field.
    pub const ALL: [Self; 5] = [
        Self::OneDBuffer,
        Self::PitchColorKey,
        Self::Pitch,
        Self::BlockLinear,
        Self::BlockLinearColorKey,
    ];

    /// The version of a header; `None` for undefined numbers.
    pub fn of(header: &Descriptor) -> Option<Self> {
        Self::ALL.get(VERSION.get(header) as usize).copied()
    }
}

/// The header versions that have a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Only {
    /// Headers of all versions have the field.
    All,
    /// Only headers of texel buffers have the field.
    Buffer,
    /// Only headers of pitched memory have the field.
    Pitch,
    /// Only headers of block-linear memory have the field.
    Block,
}

impl Only {
    /// Whether headers of a version have the field.
    pub const fn has(self, version: Version) -> bool {
        match self {
            Self::All => true,
            Self::Buffer => matches!(version, Version::OneDBuffer),
            Self::Pitch => matches!(version, Version::Pitch | Version::PitchColorKey),
            Self::Block => matches!(version, Version::BlockLinear | Version::BlockLinearColorKey),
        }
    }
}

/// Declares the fields of a texture header as constants and as the table `FIELDS`.
macro_rules! fields {
    ($($constant:ident $low:literal $width:literal $only:ident $name:literal $values:expr, $meaning:literal;)*) => {
        $(#[doc = $meaning]
        pub const $constant: Bits = Bits {
            name: $name, low: $low, width: $width, values: $values, meaning: $meaning,
        };)*
        /// Every field, with the versions that have it.
        pub const FIELDS: &[(Bits, Only)] = &[$(($constant, Only::$only)),*];
    };
}

/// Values of the component layout field: layouts for colours, video, depth and ASTC. The names of
/// depth layouts with coverage samples (from 0x2c on) are abbreviated.
#[rustfmt::skip]
pub const LAYOUTS: &[(u32, &str)] = &[
    (0x01, "R32_G32_B32_A32"), (0x02, "R32_G32_B32"), (0x03, "R16_G16_B16_A16"), (0x04, "R32_G32"),
    (0x05, "R32_B24G8"), (0x06, "ETC2_RGB"), (0x07, "X8B8G8R8"), (0x08, "A8B8G8R8"),
    (0x09, "A2B10G10R10"), (0x0a, "ETC2_RGB_PTA"), (0x0b, "ETC2_RGBA"), (0x0c, "R16_G16"),
    (0x0d, "G8R24"), (0x0e, "G24R8"), (0x0f, "R32"), (0x10, "BC6H_SF16"), (0x11, "BC6H_UF16"),
    (0x12, "A4B4G4R4"), (0x13, "A5B5G5R1"), (0x14, "A1B5G5R5"), (0x15, "B5G6R5"), (0x16, "B6G5R5"),
    (0x17, "BC7U"), (0x18, "G8R8"), (0x19, "EAC"), (0x1a, "EACX2"), (0x1b, "R16"),
    (0x1c, "Y8_VIDEO"), (0x1d, "R8"), (0x1e, "G4R4"), (0x1f, "R1"),
    (0x20, "E5B9G9R9_SHAREDEXP"), (0x21, "BF10GF11RF11"), (0x22, "G8B8G8R8"), (0x23, "B8G8R8G8"),
    (0x24, "DXT1"), (0x25, "DXT23"), (0x26, "DXT45"), (0x27, "DXN1"), (0x28, "DXN2"),
    (0x29, "Z24S8"), (0x2a, "X8Z24"), (0x2b, "S8Z24"), (0x2c, "X4V4Z24"), (0x2d, "X4V4Z24"),
    (0x2e, "V8Z24"), (0x2f, "ZF32"), (0x30, "ZF32_X24S8"), (0x31, "X8Z24_X20V4S8"),
    (0x32, "X8Z24_X20V4S8"), (0x33, "ZF32_X20V4X8"), (0x34, "ZF32_X20V4X8"),
    (0x35, "ZF32_X20V4S8"), (0x36, "ZF32_X20V4S8"), (0x37, "X8Z24_X16V8S8"),
    (0x38, "ZF32_X16V8X8"), (0x39, "ZF32_X16V8S8"), (0x3a, "Z16"), (0x3b, "V8Z24"),
    (0x3c, "X8Z24_X16V8S8"), (0x3d, "ZF32_X16V8X8"), (0x3e, "ZF32_X16V8S8"),
    (0x40, "ASTC_2D_4X4"), (0x41, "ASTC_2D_5X5"), (0x42, "ASTC_2D_6X6"), (0x44, "ASTC_2D_8X8"),
    (0x45, "ASTC_2D_10X10"), (0x46, "ASTC_2D_12X12"), (0x50, "ASTC_2D_5X4"), (0x51, "ASTC_2D_6X5"),
    (0x52, "ASTC_2D_8X6"), (0x53, "ASTC_2D_10X8"), (0x54, "ASTC_2D_12X10"), (0x55, "ASTC_2D_8X5"),
    (0x56, "ASTC_2D_10X5"), (0x57, "ASTC_2D_10X6"),
];

/// Values of the component data type fields.
#[rustfmt::skip]
pub const DATA_TYPES: &[(u32, &str)] = &[
    (1, "snorm"), (2, "unorm"), (3, "sint"), (4, "uint"),
    (5, "snorm_force_fp16"), (6, "unorm_force_fp16"), (7, "float"),
];

/// Values of the fields that select the source of a result's component.
#[rustfmt::skip]
pub const SOURCES: &[(u32, &str)] = &[
    (0, "zero"), (2, "R"), (3, "G"), (4, "B"), (5, "A"), (6, "one_int"), (7, "one_float"),
];

/// Values of the texture type field.
#[rustfmt::skip]
pub const TYPES: &[(u32, &str)] = &[
    (0, "1D"), (1, "2D"), (2, "3D"), (3, "cube"), (4, "1D_array"), (5, "2D_array"),
    (6, "1D_buffer"), (7, "2D_no_mipmap"), (8, "cube_array"),
];

/// Values of the header version field.
#[rustfmt::skip]
pub const VERSIONS: &[(u32, &str)] = &[
    (0, "one_d_buffer"), (1, "pitch_color_key"), (2, "pitch"), (3, "block_linear"), (4, "block_linear_color_key"),
];

/// Values of the border field, which selects texels stored around the image, or the sampler's
/// border colour.
#[rustfmt::skip]
pub const BORDERS: &[(u32, &str)] = &[
    (0, "one"), (1, "two"), (2, "four"), (3, "eight"), (7, "sampler_color"),
];

/// Values of the sector promotion field, which is the number of sectors that a cache miss fetches.
#[rustfmt::skip]
pub const PROMOTIONS: &[(u32, &str)] = &[
    (0, "none"), (1, "two_vertical"), (2, "two_horizontal"), (3, "four"),
];

/// Values of the multisample field, which is the number of samples of a texel.
#[rustfmt::skip]
pub const SAMPLES: &[(u32, &str)] = &[
    (0, "1x1"), (1, "2x1"), (2, "2x2"), (3, "4x2"), (4, "4x2_d3d"), (5, "2x1_d3d"), (6, "4x4"),
];

use Values::{Address, Bytes, Fixed, Flag, Log2, MinusOne, Names, Number};

#[rustfmt::skip]
fields! {
    LAYOUT             0  7 All    "component_layout"  Names(LAYOUTS),    "Sizes and order of the components.";
    R_TYPE             7  3 All    "r_data_type"       Names(DATA_TYPES), "What the bits of R are.";
    G_TYPE            10  3 All    "g_data_type"       Names(DATA_TYPES), "What the bits of G are.";
    B_TYPE            13  3 All    "b_data_type"       Names(DATA_TYPES), "What the bits of B are.";
    A_TYPE            16  3 All    "a_data_type"       Names(DATA_TYPES), "What the bits of A are.";
    X_SOURCE          19  3 All    "x_source"          Names(SOURCES),    "Where the first component of a result comes from.";
    Y_SOURCE          22  3 All    "y_source"          Names(SOURCES),    "Where the second component of a result comes from.";
    Z_SOURCE          25  3 All    "z_source"          Names(SOURCES),    "Where the third component of a result comes from.";
    W_SOURCE          28  3 All    "w_source"          Names(SOURCES),    "Where the fourth component of a result comes from.";
    BUFFER_ADDRESS    32 32 Buffer "address_31_0"      Address(0),        "Address, lower bits.";
    PITCH_ADDRESS     37 27 Pitch  "address_31_5"      Address(5),        "Address, lower bits.";
    BLOCK_ADDRESS     41 23 Block  "address_31_9"      Address(9),        "Address, lower bits.";
    ADDRESS_HIGH      64 16 All    "address_47_32"     Address(32),       "Address, upper bits.";
    VERSION           85  3 All    "header_version"    Names(VERSIONS),   "Kind of the header.";
    WIDTH_HIGH        96 16 Buffer "width_minus_one_31_16" Number,        "Width of a buffer in texels less one, upper bits.";
    PITCH             96 16 Pitch  "pitch_20_5"        Bytes(5),          "Bytes between rows.";
    BLOCK_WIDTH       96  3 Block  "gobs_per_block_width" Log2,           "Width of a block in GOBs.";
    BLOCK_HEIGHT      99  3 Block  "gobs_per_block_height" Log2,          "Height of a block in GOBs.";
    BLOCK_DEPTH      102  3 Block  "gobs_per_block_depth"  Log2,          "Depth of a block in GOBs.";
    SPARSE           105  1 Block  "sparse"            Flag,              "Whether tiles may be absent.";
    TILE_WIDTH       106  3 Block  "tile_width_in_gobs" Log2,             "Width in GOBs that rows of blocks are padded to.";
    GOB_3D           109  1 Block  "gob_3d"            Flag,              "Whether GOBs have several slices.";
    MAX_MIP_LEVEL    124  4 All    "max_mip_level"     Number,            "Last level.";
    WIDTH            128 16 All    "width_minus_one"   MinusOne,          "Width in texels less one; of a buffer the lower bits.";
    SRGB             150  1 All    "srgb_conversion"   Flag,              "Whether colours are stored as sRGB.";
    TYPE             151  4 All    "texture_type"      Names(TYPES),      "Geometry.";
    PROMOTION        155  2 All    "sector_promotion"  Names(PROMOTIONS), "What a miss in the cache brings.";
    BORDER           157  3 All    "border_size"       Names(BORDERS),    "Where border texels come from.";
    HEIGHT           160 16 All    "height_minus_one"  MinusOne,          "Height in texels less one.";
    DEPTH            176 14 All    "depth_minus_one"   MinusOne,          "Depth in texels, or layers, or cubes, less one.";
    NORMALIZED       191  1 All    "normalized_coords" Flag,              "Whether coordinates go from 0 to 1 over the texture.";
    LOD_BIAS         198 13 All    "mip_lod_bias"      Fixed { fraction: 8, signed: true }, "Added to the level of detail, as the sampler's is.";
    MAX_ANISOTROPY   219  3 All    "max_anisotropy"    Names(super::sampler::ANISOTROPIES), "Greatest ratio of the axes of a footprint.";
    VIEW_MIN_LEVEL   224  4 All    "res_view_min_mip_level" Number,       "First level that a fetch sees.";
    VIEW_MAX_LEVEL   228  4 All    "res_view_max_mip_level" Number,       "Last level that a fetch sees.";
    SAMPLE_COUNT     232  4 All    "multi_sample_count" Names(SAMPLES),   "Samples of a texel.";
    MIN_LOD          236 12 All    "min_lod_clamp"     Fixed { fraction: 8, signed: false }, "Minimum level of detail.";
}

/// Width of the texture in texels, which two fields encode.
pub fn width(header: &Descriptor) -> u64 {
    let low = u64::from(WIDTH.get(header));
    let high = match Version::of(header) {
        Some(Version::OneDBuffer) => u64::from(WIDTH_HIGH.get(header)) << 16,
        _ => 0,
    };
    (high | low) + 1
}

/// Address of the first byte of the texels; `None` if the header's version is undefined.
pub fn address(header: &Descriptor) -> Option<u64> {
    let (low, shift) = match Version::of(header)? {
        Version::OneDBuffer => (BUFFER_ADDRESS, 0),
        Version::Pitch | Version::PitchColorKey => (PITCH_ADDRESS, 5),
        Version::BlockLinear | Version::BlockLinearColorKey => (BLOCK_ADDRESS, 9),
    };
    Some(u64::from(ADDRESS_HIGH.get(header)) << 32 | u64::from(low.get(header)) << shift)
}

/// The fields that a header of this version has; all fields if the version is undefined.
pub fn fields(header: &Descriptor) -> impl Iterator<Item = &'static Bits> {
    let version = Version::of(header);
    FIELDS.iter().filter(move |(_, only)| version.is_none_or(|v| only.has(v))).map(|(bits, _)| bits)
}
