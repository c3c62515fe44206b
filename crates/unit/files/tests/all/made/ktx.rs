//! KTX 2.0, after its specification (sections 3 and 4).

use super::{Expected, Made, Row, Shape, cut, lie, put, put_long};
use texunit_files::Kind;
use texunit_testkit::Choices;

const fn row(code: u32, name: &'static str, size: u32) -> Row {
    Row { code, name, size, srgb: false }
}

const fn srgb(code: u32, name: &'static str, size: u32) -> Row {
    Row { code, name, size, srgb: true }
}

/// `VkFormat`, as vulkan_core.h has it.
#[rustfmt::skip]
const FORMATS: [Row; 61] = [
    row(9, "unorm8", 1), row(10, "snorm8", 1), row(13, "u8", 1), row(14, "s8", 1), srgb(15, "unorm8", 1),
    row(16, "unorm8x2", 2), row(17, "snorm8x2", 2), row(20, "u8x2", 2), row(21, "s8x2", 2),
    row(37, "unorm8x4", 4), row(38, "snorm8x4", 4), row(41, "u8x4", 4), row(42, "s8x4", 4),
    srgb(43, "unorm8x4", 4), row(64, "rgb10a2", 4),
    row(70, "unorm16", 2), row(71, "snorm16", 2), row(74, "u16", 2), row(75, "s16", 2), row(76, "f16", 2),
    row(77, "unorm16x2", 4), row(78, "snorm16x2", 4), row(81, "u16x2", 4), row(82, "s16x2", 4),
    row(83, "f16x2", 4),
    row(91, "unorm16x4", 8), row(92, "snorm16x4", 8), row(95, "u16x4", 8), row(96, "s16x4", 8),
    row(97, "f16x4", 8),
    row(98, "u32", 4), row(99, "s32", 4), row(100, "f32", 4),
    row(101, "u32x2", 8), row(102, "s32x2", 8), row(103, "f32x2", 8),
    row(107, "u32x4", 16), row(108, "s32x4", 16), row(109, "f32x4", 16),
    row(124, "depth16", 2), row(125, "depth24", 4), row(126, "depth32f", 4),
    row(131, "bc1", 8), row(132, "bc1_srgb", 8), row(133, "bc1", 8), row(134, "bc1_srgb", 8),
    row(135, "bc2", 16), row(136, "bc2_srgb", 16), row(137, "bc3", 16), row(138, "bc3_srgb", 16),
    row(139, "bc4", 8), row(140, "bc4_snorm", 8), row(141, "bc5", 16), row(142, "bc5_snorm", 16),
    row(143, "bc6h", 16), row(144, "bc6h_snorm", 16), row(145, "bc7", 16), row(146, "bc7_srgb", 16),
    // The commonest once more.
    row(37, "unorm8x4", 4), row(145, "bc7", 16), row(9, "unorm8", 1),
];

/// Numbers that are no format of texunit's, or none at all.
const OTHERS: [u32; 8] = [0, 23, 44, 127, 147, 184, 1_000_054_000, u32::MAX];

/// Offset of the level index in the file.
const INDEX: usize = 80;

pub(super) fn made(choices: &mut Choices<'_>) -> Made {
    let row = choices.of(&FORMATS);
    let shape = Shape::drawn(choices, row);
    let levels = shape.texels(row, choices.byte());
    let scheme = if choices.once_in(4) { choices.of(&[1, 2, 3, 4, 0x1_0000, u32::MAX]) } else { 0 };
    let mut bytes = header(row, &shape, scheme);
    let offsets = sections(choices, &mut bytes, &shape, scheme);
    let texels = &levels;
    levels_of(choices, &mut bytes, row, texels, scheme);
    let mut expected = match scheme {
        0 => Expected::Texture(shape.container(row, levels)),
        _ => Expected::Refused,
    };
    let lies = if choices.once_in(2) { 1 + choices.below(3) } else { 0 };
    for _ in 0..lies {
        one_lie(choices, &mut bytes, &offsets, shape.levels);
        expected = Expected::Anything;
    }
    if cut(choices, &mut bytes) {
        expected = Expected::Anything;
    }
    Made { kind: Kind::Ktx2, bytes, expected }
}

/// The header with offsets that are yet to come, and room for the level index.
fn header(row: Row, shape: &Shape, scheme: u32) -> Vec<u8> {
    let [width, height, depth] = shape.extent;
    let mut bytes = b"\xabKTX 20\xbb\r\n\x1a\n".to_vec();
    let type_size = match row.size {
        _ if row.is_block() => 1,
        size if row.name.ends_with("x4") => size / 4,
        size if row.name.ends_with("x2") => size / 2,
        size => size,
    };
    let words = [
        // Texels of Basis Universal have no format.
        if scheme == 1 { 0 } else { row.code },
        type_size,
        width,
        if shape.dims > 1 { height } else { 0 },
        if shape.dims > 2 { depth } else { 0 },
        shape.layers.unwrap_or(0),
        if shape.is_cube { 6 } else { 1 },
        shape.levels,
        scheme,
    ];
    bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    bytes.resize(INDEX + 24 * shape.levels as usize, 0);
    bytes
}

/// Appends the sections between the level index and the levels, and returns their positions.
fn sections(
    choices: &mut Choices<'_>,
    bytes: &mut Vec<u8>,
    shape: &Shape,
    scheme: u32,
) -> Vec<usize> {
    let mut begins = Vec::new();
    let mut add = |bytes: &mut Vec<u8>, section: &[u8], place: usize, is_long: bool| {
        let at = if section.is_empty() { 0 } else { bytes.len() };
        bytes.extend(section);
        if is_long {
            put_long(bytes, place, at as u64);
            put_long(bytes, place + 8, section.len() as u64);
        } else {
            put(bytes, place, at as u32);
            put(bytes, place + 4, section.len() as u32);
        }
        begins.push(at);
    };
    add(bytes, &descriptor(choices), 48, false);
    let mut pairs = Vec::new();
    for _ in 0..choices.below(3) {
        let pair = choices.of(&[&b"KTXorientation\0rd\0"[..], b"KTXwriter\0texunit\0", b"a\0"]);
        pairs.extend((pair.len() as u32).to_le_bytes());
        pairs.extend(pair);
        pairs.resize(pairs.len().next_multiple_of(4), 0);
    }
    add(bytes, &pairs, 56, false);
    // Of BasisLZ: the sizes of its code books, and a description of each image.
    let described = 20 + 20 * shape.images() * shape.levels as usize;
    let global: Vec<u8> = (0..if scheme == 1 { described } else { 0 }).map(|i| i as u8).collect();
    if !global.is_empty() {
        bytes.resize(bytes.len().next_multiple_of(8), 0);
    }
    add(bytes, &global, 64, true);
    begins
}

/// A basic block with some samples, and perhaps a block that nobody knows.
fn descriptor(choices: &mut Choices<'_>) -> Vec<u8> {
    let samples = 1 + choices.below(4);
    let size = 24 + 16 * samples;
    let mut words = vec![0, 0, size << 16 | 2, 0x01_0101, 0, 4, 0];
    for sample in 0..samples {
        words.extend([(8 * sample) | 7 << 16 | sample << 24, 0, 0, 255]);
    }
    if choices.once_in(4) {
        words.extend([0x6000 << 17 | 7, 12 << 16 | 1, 0xdead_beef]);
    }
    words[0] = 4 * words.len() as u32;
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The levels, smallest first as the specification wants them or in another order, and their index.
fn levels_of(
    choices: &mut Choices<'_>,
    bytes: &mut Vec<u8>,
    row: Row,
    levels: &[Vec<u8>],
    scheme: u32,
) {
    let mut order: Vec<usize> = (0..levels.len()).rev().collect();
    if choices.once_in(4) {
        order.reverse();
    }
    for level in order {
        let texels = &levels[level];
        let stored = match scheme {
            2 => zstandard(texels),
            3 => zlib(texels),
            _ => texels.clone(),
        };
        // The least common multiple of 4 and the size of a texel or block; anything goes when it is
        // compressed.
        let step = if scheme == 0 { row.size.max(4) as usize } else { 1 };
        bytes.resize(bytes.len().next_multiple_of(step), 0);
        if choices.once_in(6) {
            bytes.resize(bytes.len() + step, 0xee);
        }
        let entry = INDEX + 24 * level;
        let at = bytes.len() as u64;
        put_long(bytes, entry, at);
        put_long(bytes, entry + 8, stored.len() as u64);
        put_long(bytes, entry + 16, if scheme == 1 { 0 } else { texels.len() as u64 });
        bytes.extend(stored);
    }
}

/// A frame of blocks that are stored as they are (RFC 8878).
fn zstandard(bytes: &[u8]) -> Vec<u8> {
    // The frame header declares a single segment, with a content size of 8 bytes.
    let mut out = vec![0x28, 0xb5, 0x2f, 0xfd, 0b1110_0000];
    out.extend((bytes.len() as u64).to_le_bytes());
    let mut blocks = bytes.chunks(1 << 16).peekable();
    while let Some(block) = blocks.next() {
        let head = (block.len() as u32) << 3 | u32::from(blocks.peek().is_none());
        out.extend(&head.to_le_bytes()[..3]);
        out.extend(block);
    }
    out
}

/// A stream of blocks that are stored as they are (RFC 1950 and 1951).
fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x78, 0x01];
    let mut blocks = bytes.chunks(0xffff).peekable();
    while let Some(block) = blocks.next() {
        let size = block.len() as u16;
        out.push(u8::from(blocks.peek().is_none()));
        out.extend(size.to_le_bytes());
        out.extend((!size).to_le_bytes());
        out.extend(block);
    }
    let (a, b) = bytes.iter().fold((1_u32, 0_u32), |(a, b), &byte| {
        let a = (a + u32::from(byte)) % 65521;
        (a, (a + b) % 65521)
    });
    out.extend((b << 16 | a).to_be_bytes());
    out
}

/// Changes one field.
fn one_lie(choices: &mut Choices<'_>, bytes: &mut [u8], sections: &[usize], levels: u32) {
    match choices.below(4) {
        // A word of the header: format, sizes, layers, faces, levels, scheme, offsets of sections.
        0 => {
            let at = 12 + 4 * choices.below(17) as usize;
            let value = match at {
                12 => choices.of(&OTHERS),
                36 => choices.of(&[0, 1, 2, 5, 6, 7, 12]),
                44 => choices.below(5),
                _ => lie(choices, super::word(bytes, at)),
            };
            put(bytes, at, value);
        }
        // An entry of the level index: offset, length or length without compression.
        1 | 2 => {
            let entry = |level| INDEX + 24 * level as usize;
            let to = entry(choices.below(levels)) + 8 * choices.below(3) as usize;
            let own = super::long(bytes, to);
            let value = match choices.below(8) {
                // The value of another level, so that the levels overlap or one has the size of the
                // other.
                0 => super::long(bytes, entry(choices.below(levels)) + (to - INDEX) % 24),
                1 => own.wrapping_add(1),
                2 => own.wrapping_sub(u64::from(choices.below(256))),
                3 => (bytes.len() as u64).saturating_sub(u64::from(choices.below(256))),
                4 => u64::MAX - u64::from(choices.below(300)),
                5 => 1 << choices.below(64),
                6 => 0,
                _ => u64::from(choices.word()),
            };
            put_long(bytes, to, value);
        }
        // A word of the data format descriptor or of another section.
        _ => {
            let section = choices.of(sections);
            let at = section + 4 * choices.below(12) as usize;
            let value = match choices.below(3) {
                // The size of a block, which stands in the upper half.
                0 => choices.of(&[0, 1, 7, 8, 9, 23, 24, 25, 0xffff]) << 16 | choices.below(4),
                _ => lie(choices, super::word(bytes, at)),
            };
            put(bytes, at, value);
        }
    }
}
