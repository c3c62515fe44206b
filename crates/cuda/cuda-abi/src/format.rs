//! Translates between texunit's texel formats and CUDA's numbers for the formats of arrays and
//! views.

/// The array formats of CUDA: texunit's name of the texel format, the number `CU_AD_FORMAT_*`, and
/// the number of channels. CUDA has no arrays of depth formats.
#[rustfmt::skip]
pub const FORMATS: [(&str, u32, u32); 51] = [
    ("u8", 0x01, 1),       ("u8x2", 0x01, 2),       ("u8x4", 0x01, 4),
    ("u16", 0x02, 1),      ("u16x2", 0x02, 2),      ("u16x4", 0x02, 4),
    ("u32", 0x03, 1),      ("u32x2", 0x03, 2),      ("u32x4", 0x03, 4),
    ("s8", 0x08, 1),       ("s8x2", 0x08, 2),       ("s8x4", 0x08, 4),
    ("s16", 0x09, 1),      ("s16x2", 0x09, 2),      ("s16x4", 0x09, 4),
    ("s32", 0x0a, 1),      ("s32x2", 0x0a, 2),      ("s32x4", 0x0a, 4),
    ("f16", 0x10, 1),      ("f16x2", 0x10, 2),      ("f16x4", 0x10, 4),
    ("f32", 0x20, 1),      ("f32x2", 0x20, 2),      ("f32x4", 0x20, 4),
    ("unorm8", 0xc0, 1),   ("unorm8x2", 0xc1, 2),   ("unorm8x4", 0xc2, 4),
    ("unorm16", 0xc3, 1),  ("unorm16x2", 0xc4, 2),  ("unorm16x4", 0xc5, 4),
    ("snorm8", 0xc6, 1),   ("snorm8x2", 0xc7, 2),   ("snorm8x4", 0xc8, 4),
    ("snorm16", 0xc9, 1),  ("snorm16x2", 0xca, 2),  ("snorm16x4", 0xcb, 4),
    ("rgb10a2", 0x50, 4),
    ("bc1", 0x91, 4),      ("bc1_srgb", 0x92, 4),   ("bc2", 0x93, 4),       ("bc2_srgb", 0x94, 4),
    ("bc3", 0x95, 4),      ("bc3_srgb", 0x96, 4),   ("bc4", 0x97, 1),       ("bc4_snorm", 0x98, 1),
    ("bc5", 0x99, 2),      ("bc5_snorm", 0x9a, 2),  ("bc6h", 0x9b, 3),      ("bc6h_snorm", 0x9c, 3),
    ("bc7", 0x9d, 4),      ("bc7_srgb", 0x9e, 4),
];

/// The view formats of CUDA: texunit's names of the texel formats, in the order of the numbers
/// `CU_RES_VIEW_FORMAT_*`, which begin with 1.
#[rustfmt::skip]
pub const VIEW_FORMATS: [&str; 34] = [
    "u8", "u8x2", "u8x4", "s8", "s8x2", "s8x4",
    "u16", "u16x2", "u16x4", "s16", "s16x2", "s16x4",
    "u32", "u32x2", "u32x4", "s32", "s32x2", "s32x4",
    "f16", "f16x2", "f16x4", "f32", "f32x2", "f32x4",
    "bc1", "bc2", "bc3", "bc4", "bc4_snorm", "bc5", "bc5_snorm", "bc6h", "bc6h_snorm", "bc7",
];
