//! Generates random resources: arrays, linear memory and pitched memory with random texels.

use super::Scope;
use crate::resource::ResourceSpec;
use texunit_spec::Texels;
use texunit_spec::rng::Random;
use texunit_texel::{Channel, Format};
use texunit_unit::{ArrayShape, Extent, Geometry, Layout};

const SIZES: [u32; 18] = [1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 16, 17, 20, 25, 31, 32, 33, 64];
#[rustfmt::skip]
const FLOATS: [u32; 14] = [
    0x0000_0000, 0x8000_0000, 0x0000_0001, 0x807f_ffff, 0x0080_0000, 0x3f80_0000, 0xbf80_0000,
    0x7f7f_ffff, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0x7f80_0001, 0xffc1_2345, 0x3300_0000,
];

/// A random array; mipmapped with probability 1/2, if allowed.
pub(super) fn array(
    random: &mut Random,
    geometry: Geometry,
    format: Format,
    mipmaps: bool,
) -> ResourceSpec {
    let block = format.block_extent();
    let largest = match geometry.axes() {
        1 => 18,
        2 => 16,
        _ => 11,
    };
    let side = |random: &mut Random| random.pick(&SIZES[..largest]).next_multiple_of(block);
    let width = side(random);
    let height = if geometry.is_cube() {
        width
    } else if geometry == Geometry::D2 && block == 1 && random.once_in(8) {
        // A 2D array of height 1, which `.1d` reads too (docs/numerics.md 1.13).
        1
    } else if geometry.axes() > 1 {
        side(random)
    } else {
        1
    };
    let depth = if geometry.axes() > 2 { random.pick(&SIZES[..8]) } else { 1 };
    let extent = Extent { width, height, depth };
    let full = 32 - (width | height | depth).leading_zeros();
    let mut shape = ArrayShape::new(format, geometry, extent);
    if geometry.is_array() {
        shape.layers = 1 + random.below(3);
    }
    if geometry.is_multisample() {
        shape.samples = random.pick(&[2, 4, 8, 16]);
    } else if mipmaps && !random.once_in(2) {
        shape.levels = Some(if random.once_in(4) { 1 + random.below(full) } else { full });
    }
    with_texels(random, shape, Layout::Array)
}

/// Random linear (1D) or pitched (2D) memory.
pub(super) fn memory(random: &mut Random, format: Format, layout: Layout) -> ResourceSpec {
    let (geometry, height) = match layout {
        Layout::Pitched => (Geometry::D2, random.pick(&SIZES)),
        _ => (Geometry::D1, 1),
    };
    let extent = Extent { width: random.pick(&SIZES), height, depth: 1 };
    with_texels(random, ArrayShape::new(format, geometry, extent), layout)
}

fn with_texels(random: &mut Random, shape: ArrayShape, layout: Layout) -> ResourceSpec {
    let spec = ResourceSpec {
        name: "r".to_owned(),
        shape,
        layout,
        pitch: None,
        texels: Texels::Random(0),
        missing_tiles: None,
        view: None,
        level: None,
    };
    let size = spec.packed().map_or(0, |bytes| bytes.len());
    let strange = random.once_in(3);
    let mut bytes = Vec::with_capacity(size + 16);
    while bytes.len() < size {
        match shape.format.plain_channel() {
            Some(Channel::F32) => bytes.extend(float(random, strange).to_le_bytes()),
            Some(Channel::F16) => {
                let bits = texunit_texel::f32_to_f16(float(random, strange));
                let bits = if strange && random.once_in(8) { random.word() as u16 } else { bits };
                bytes.extend(bits.to_le_bytes());
            }
            _ => bytes.extend(random.word().to_le_bytes()),
        }
    }
    bytes.truncate(size);
    ResourceSpec { texels: Texels::Bytes(bytes), ..spec }
}

/// The bits of a random float of moderate size or, if requested, sometimes of an unusual float.
fn float(random: &mut Random, strange: bool) -> u32 {
    match random.below(8) {
        0 if strange => random.pick(&FLOATS),
        1 if strange => random.word(),
        2 => random.between(-1e4, 1e4).to_bits(),
        _ => random.between(-10.0, 10.0).to_bits(),
    }
}

/// A random format that `accepts` allows (there must be one); common formats are more likely.
pub(super) fn format(random: &mut Random, scope: Scope, accepts: fn(Format) -> bool) -> Format {
    let fit = |f: &Format| accepts(*f) && (scope == Scope::Unit || !f.is_depth());
    let usual = ["f32", "f32x4", "u8x4", "f16x4", "u8", "u16x2", "u32", "s32"];
    let usual = usual.iter().filter_map(|name| Format::from_name(name)).filter(fit);
    let all: Vec<Format> = Format::all().filter(fit).collect();
    let usual: Vec<Format> = if random.once_in(2) { usual.collect() } else { Vec::new() };
    random.pick(if usual.is_empty() { &all } else { &usual })
}
