//! The fields of sampler headers: their bits and interpretations.

use super::{Bits, Values};

/// Declares the fields of a sampler header as constants and as the table `FIELDS`.
macro_rules! fields {
    ($($constant:ident $low:literal $width:literal $name:literal $values:expr, $meaning:literal;)*) => {
        $(#[doc = $meaning]
        pub const $constant: Bits = Bits {
            name: $name, low: $low, width: $width, values: $values, meaning: $meaning,
        };)*
        /// Every field of a sampler header, lowest bits first.
        pub const FIELDS: &[Bits] = &[$($constant),*];
    };
}

/// Values of the address mode fields.
#[rustfmt::skip]
pub const ADDRESS_MODES: &[(u32, &str)] = &[
    (0, "wrap"), (1, "mirror"), (2, "clamp_to_edge"), (3, "border"), (4, "clamp_ogl"),
    (5, "mirror_once_clamp_to_edge"), (6, "mirror_once_border"), (7, "mirror_once_clamp_ogl"),
];

/// Values of the compare function field.
#[rustfmt::skip]
pub const COMPARES: &[(u32, &str)] = &[
    (0, "never"), (1, "less"), (2, "equal"), (3, "less_or_equal"),
    (4, "greater"), (5, "not_equal"), (6, "greater_or_equal"), (7, "always"),
];

/// Values of the maximum anisotropy field.
#[rustfmt::skip]
pub const ANISOTROPIES: &[(u32, &str)] = &[
    (0, "1:1"), (1, "2:1"), (2, "4:1"), (3, "6:1"), (4, "8:1"), (5, "10:1"), (6, "12:1"), (7, "16:1"),
];

const MAG: &[(u32, &str)] = &[(1, "point"), (2, "linear")];
const MIN: &[(u32, &str)] = &[(1, "point"), (2, "linear"), (3, "anisotropic")];
const MIP: &[(u32, &str)] = &[(1, "none"), (2, "point"), (3, "linear")];
const CUBE: &[(u32, &str)] =
    &[(0, "use_wrap"), (1, "override_wrap"), (2, "auto_span_seam"), (3, "auto_cross_seam")];
const REDUCTIONS: &[(u32, &str)] = &[(0, "weighted_average"), (1, "minimum"), (2, "maximum")];
const LOD: Values = Values::Fixed { fraction: 8, signed: false };

use Values::{E2m3, Fixed, Flag, Names, Raw, Unorm8};

#[rustfmt::skip]
fields! {
    ADDRESS_U          0  3 "address_u"           Names(ADDRESS_MODES), "Where coordinates outside go along u.";
    ADDRESS_V          3  3 "address_v"           Names(ADDRESS_MODES), "Where coordinates outside go along v.";
    ADDRESS_P          6  3 "address_p"           Names(ADDRESS_MODES), "Where coordinates outside go along p, the third axis.";
    DEPTH_COMPARE      9  1 "depth_compare"       Flag,                 "Whether texels are compared with a reference.";
    COMPARE           10  3 "compare_function"    Names(COMPARES),      "The comparison: reference with texel.";
    SRGB              13  1 "srgb_conversion"     Flag,                 "Whether the sampler allows the conversion of sRGB texels.";
    MAX_ANISOTROPY    20  3 "max_anisotropy"      Names(ANISOTROPIES),  "Greatest ratio of the axes of a footprint.";
    MAG_FILTER        32  3 "mag_filter"          Names(MAG),           "Filter of a magnified texture.";
    MIN_FILTER        36  2 "min_filter"          Names(MIN),           "Filter of a minified texture.";
    MIP_FILTER        38  2 "mip_filter"          Names(MIP),           "How levels are chosen.";
    CUBE_INTERFACE    40  2 "cubemap_interface"   Names(CUBE),          "What happens at the edges of a cube's faces.";
    REDUCTION         42  2 "reduction_filter"    Names(REDUCTIONS),    "What the texels of a filter come to. From sm_52 on.";
    LOD_BIAS          44 13 "mip_lod_bias"        Fixed { fraction: 8, signed: true }, "Added to the level of detail.";
    FORCE_UNNORMALIZED 57 1 "force_unnormalized_coords" Flag,           "Coordinates count texels, whatever the texture header says.";
    TRILINEAR_SLOPE   58  5 "trilinear_slope"     E2m3,                 "Slope of the weight between two levels.";
    MIN_LOD           64 12 "min_lod_clamp"       LOD,                  "Minimum level of detail.";
    MAX_LOD           76 12 "max_lod_clamp"       LOD,                  "Greatest level of detail.";
    SRGB_BORDER_R     88  8 "srgb_border_color_r" Unorm8,               "Red of the border of sRGB textures.";
    SRGB_BORDER_G    108  8 "srgb_border_color_g" Unorm8,               "Green of the border of sRGB textures.";
    SRGB_BORDER_B    116  8 "srgb_border_color_b" Unorm8,               "Blue of the border of sRGB textures.";
    BORDER_R         128 32 "border_color_r"      Raw,                  "Red of the border.";
    BORDER_G         160 32 "border_color_g"      Raw,                  "Green of the border.";
    BORDER_B         192 32 "border_color_b"      Raw,                  "Blue of the border.";
    BORDER_A         224 32 "border_color_a"      Raw,                  "Alpha of the border.";
}
