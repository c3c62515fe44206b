//! DDS, after Microsoft's "DDS_HEADER structure", "DDS_HEADER_DXT10 structure" and "Programming
//! Guide for DDS".

use super::{Expected, Made, Row, Shape, cut, lie, put};
use texunit_files::Kind;
use texunit_testkit::Choices;

const fn row(code: u32, name: &'static str, size: u32) -> Row {
    Row { code, name, size, srgb: false }
}

const fn code(four: [u8; 4], name: &'static str, size: u32) -> Row {
    row(u32::from_le_bytes(four), name, size)
}

/// `DXGI_FORMAT`
#[rustfmt::skip]
const DXGI: [Row; 57] = [
    row(2, "f32x4", 16), row(3, "u32x4", 16), row(4, "s32x4", 16),
    row(10, "f16x4", 8), row(11, "unorm16x4", 8), row(12, "u16x4", 8), row(13, "snorm16x4", 8), row(14, "s16x4", 8),
    row(16, "f32x2", 8), row(17, "u32x2", 8), row(18, "s32x2", 8), row(24, "rgb10a2", 4),
    row(28, "unorm8x4", 4), Row { code: 29, name: "unorm8x4", size: 4, srgb: true },
    row(30, "u8x4", 4), row(31, "snorm8x4", 4), row(32, "s8x4", 4),
    row(34, "f16x2", 4), row(35, "unorm16x2", 4), row(36, "u16x2", 4), row(37, "snorm16x2", 4), row(38, "s16x2", 4),
    row(40, "depth32f", 4), row(41, "f32", 4), row(42, "u32", 4), row(43, "s32", 4), row(46, "depth24", 4),
    row(49, "unorm8x2", 2), row(50, "u8x2", 2), row(51, "snorm8x2", 2), row(52, "s8x2", 2),
    row(54, "f16", 2), row(55, "depth16", 2), row(56, "unorm16", 2), row(57, "u16", 2), row(58, "snorm16", 2),
    row(59, "s16", 2), row(61, "unorm8", 1), row(62, "u8", 1), row(63, "snorm8", 1), row(64, "s8", 1),
    row(71, "bc1", 8), row(72, "bc1_srgb", 8), row(74, "bc2", 16), row(75, "bc2_srgb", 16), row(77, "bc3", 16),
    row(78, "bc3_srgb", 16), row(80, "bc4", 8), row(81, "bc4_snorm", 8), row(83, "bc5", 16), row(84, "bc5_snorm", 16),
    row(95, "bc6h", 16), row(96, "bc6h_snorm", 16), row(98, "bc7", 16), row(99, "bc7_srgb", 16),
    // The commonest once more.
    row(28, "unorm8x4", 4), row(98, "bc7", 16),
];

/// Codes of four letters, and numbers of `D3DFORMAT` in their place.
#[rustfmt::skip]
const CODES: [Row; 19] = [
    code(*b"DXT1", "bc1", 8), code(*b"DXT2", "bc2", 16), code(*b"DXT3", "bc2", 16), code(*b"DXT4", "bc3", 16),
    code(*b"DXT5", "bc3", 16), code(*b"ATI1", "bc4", 8), code(*b"BC4U", "bc4", 8), code(*b"BC4S", "bc4_snorm", 8),
    code(*b"ATI2", "bc5", 16), code(*b"BC5U", "bc5", 16), code(*b"BC5S", "bc5_snorm", 16),
    row(36, "unorm16x4", 8), row(110, "snorm16x4", 8), row(111, "f16", 2), row(112, "f16x2", 4),
    row(113, "f16x4", 8), row(114, "f32", 4), row(115, "f32x2", 8), row(116, "f32x4", 16),
];

/// A format by its masks: flags of the pixel format, bits, masks of red, green, blue and alpha.
type Masks = (Row, [u32; 6]);

#[rustfmt::skip]
const MASKS: [Masks; 5] = [
    (row(0, "unorm8", 1),    [0x2_0000,  8, 0xff, 0, 0, 0]),
    (row(0, "unorm16", 2),   [0x2_0000, 16, 0xffff, 0, 0, 0]),
    (row(0, "unorm16x2", 4), [0x40,     32, 0xffff, 0xffff_0000, 0, 0]),
    (row(0, "unorm8x4", 4),  [0x41,     32, 0xff, 0xff00, 0xff_0000, 0xff00_0000]),
    (row(0, "unorm8", 1),    [0x40,      8, 0xff, 0, 0, 0]),
];

/// How a header names its format.
#[derive(Clone, Copy)]
enum Variant {
    Code(Row),
    Masks(Masks),
    Dxgi(Row),
}

/// Flags of the header.
const PITCH: u32 = 0x8;
const MIPMAPCOUNT: u32 = 0x2_0000;
const LINEARSIZE: u32 = 0x8_0000;
const DEPTH: u32 = 0x80_0000;
/// `dwCaps2`
const CUBEMAP: u32 = 0x200;
const ALL_FACES: u32 = 0xfc00;
const VOLUME: u32 = 0x20_0000;

pub(super) fn made(choices: &mut Choices<'_>) -> Made {
    let variant = match choices.below(3) {
        0 => Variant::Dxgi(choices.of(&DXGI)),
        1 => Variant::Code(choices.of(&CODES)),
        _ => Variant::Masks(choices.of(&MASKS)),
    };
    let (Variant::Code(row) | Variant::Masks((row, _)) | Variant::Dxgi(row)) = variant;
    let mut shape = Shape::drawn(choices, row);
    if let Variant::Dxgi(_) = variant {
        // A DDS header describes one layer as a texture without layers.
        shape.layers = shape.layers.filter(|&n| n > 1);
    } else {
        // The old header supports neither layers nor one-dimensional textures.
        (shape.layers, shape.dims) = (None, shape.dims.max(2));
    }
    let levels = shape.texels(row, choices.byte());
    let mut bytes = header(choices, variant, &shape);
    for image in 0..shape.images() {
        for (level, texels) in (0..).zip(&levels) {
            let size = shape.image_size(row, level);
            bytes.extend(&texels[image * size..][..size]);
        }
    }
    let mut expected = Expected::Texture(shape.container(row, levels));
    let is_new = matches!(variant, Variant::Dxgi(_));
    if shape.is_cube && !is_new && choices.once_in(6) {
        // Some faces are missing, which only the old header can state, because the new one has
        // whole cubes only.
        let faces = ALL_FACES & !(1 << (10 + choices.below(6))) & !(choices.below(64) << 10);
        put(&mut bytes, 112, CUBEMAP | faces);
        expected = Expected::Refused;
    }
    let lies = if choices.once_in(2) { 1 + choices.below(3) } else { 0 };
    for _ in 0..lies {
        one_lie(choices, &mut bytes, is_new);
        expected = Expected::Anything;
    }
    if cut(choices, &mut bytes) {
        expected = Expected::Anything;
    }
    Made { kind: Kind::Dds, bytes, expected }
}

/// Magic number and header; what Microsoft tells readers not to rely on is drawn.
fn header(choices: &mut Choices<'_>, variant: Variant, shape: &Shape) -> Vec<u8> {
    let [width, height, depth] = shape.extent;
    let is_new = matches!(variant, Variant::Dxgi(_));
    // CAPS, HEIGHT, WIDTH, PIXELFORMAT
    let mut flags = 0x1007;
    if choices.once_in(4) {
        flags &= !0x1001;
    }
    // The size of a row or of all, which few writers get right.
    let pitch = if choices.once_in(3) { choices.word() } else { width };
    flags |= choices.of(&[0, PITCH, LINEARSIZE]);
    if shape.levels > 1 && !choices.once_in(4) {
        flags |= MIPMAPCOUNT;
    }
    if shape.dims == 3 {
        flags |= DEPTH;
    }
    let mut bytes = b"DDS ".to_vec();
    let mut add = |words: &[u32]| bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    let mips = if shape.levels == 1 { choices.below(2) } else { shape.levels };
    // Depth is unused unless the texture is a volume.
    let unused = choices.of(&[0, 1]);
    add(&[124, flags, height, width, pitch, if shape.dims == 3 { depth } else { unused }, mips]);
    add(&[0; 11]);
    add(&match variant {
        Variant::Code(row) => [32, 0x4, row.code, 0, 0, 0, 0, 0],
        Variant::Masks((_, [flags, bits, r, g, b, a])) => [32, flags, 0, bits, r, g, b, a],
        Variant::Dxgi(_) => [32, 0x4, u32::from_le_bytes(*b"DX10"), 0, 0, 0, 0, 0],
    });
    let caps = 0x1000 | if shape.levels > 1 { 0x40_0008 } else { 0 };
    let caps2 = match shape {
        Shape { is_cube: true, .. } => CUBEMAP | ALL_FACES,
        Shape { dims: 3, .. } => VOLUME,
        _ => 0,
    };
    // These flags may be 0 with the new header, which has fields of its own for cubes and volumes.
    let caps2 = if is_new && choices.once_in(3) { 0 } else { caps2 };
    add(&[caps, caps2, 0, 0, 0]);
    if let Variant::Dxgi(row) = variant {
        let misc = if shape.is_cube { 4 } else { 0 };
        let alpha = choices.below(5);
        add(&[row.code, u32::from(shape.dims) + 1, misc, shape.layers.unwrap_or(1), alpha]);
    }
    bytes
}

/// Changes one field.
fn one_lie(choices: &mut Choices<'_>, bytes: &mut [u8], is_new: bool) {
    let (at, value) = match choices.below(8) {
        0 => (4 * choices.of(&[1, 19]), choices.of(&[0, 24, 31, 33, 125, u32::MAX])),
        1 => (8, choices.word() & 0x8a_100f | choices.below(16)),
        // Height, width, pitch, depth, number of levels.
        2 => {
            let at = 12 + 4 * choices.below(5) as usize;
            (at, lie(choices, super::word(bytes, at)))
        }
        // The pixel format.
        3 => {
            let at = 80 + 4 * choices.below(7) as usize;
            let value = match at {
                80 => {
                    choices.of(&[0, 1, 2, 4, 0x20, 0x40, 0x41, 0x200, 0x2_0000, 0x2_0001, 0x8_0000])
                }
                84 => choices.of(&CODES).code ^ choices.below(3),
                _ => choices.of(&[0, 4, 8, 16, 24, 32, 0xff, 0xff00, 0xffff, 0xff00_0000]),
            };
            (at, value)
        }
        4 => (108, choices.word()),
        5 => (112, choices.of(&[0, CUBEMAP, CUBEMAP | ALL_FACES, VOLUME, CUBEMAP | VOLUME, !0])),
        // The new header: format, dimension, flags, layers, alpha.
        _ if is_new => {
            let at = 128 + 4 * choices.below(5) as usize;
            let value = match at {
                128 => choices.of(&[0, 1, 27, 60, 70, 87, 91, 103, 115, 116, 130, 191, u32::MAX]),
                132 => choices.below(6),
                136 => choices.of(&[0, 1, 2, 4, 5, u32::MAX]),
                140 => lie(choices, super::word(bytes, at)),
                _ => choices.below(9),
            };
            (at, value)
        }
        _ => (4 * (8 + choices.below(11)) as usize, choices.word()),
    };
    put(bytes, at, value);
}
