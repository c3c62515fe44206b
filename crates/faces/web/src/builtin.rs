//! The built-in textures of the page, one for each lesson.
//!
//! Each texture is a function from a texel's position to a colour, so that it is available in any
//! geometry, size, number of levels and plain format.

use crate::refusal::Refusal;
use texunit_files::mipmaps;
use texunit_forms::Count;
use texunit_sample::file::FileOptions;
use texunit_texel::{Channel, Format, f32_to_f16, pack};
use texunit_unit::{ArrayShape, Extent, Geometry};

/// A built-in texture.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// The value of the key `tex` that selects the texture.
    pub name: &'static str,
    /// A sentence about what the texture shows.
    pub about: &'static str,
    /// The geometry that the texture has without a `geometry` key.
    pub geometry: Geometry,
    format: &'static str,
    edge: u32,
    layers: u32,
    levels: u32,
    colour: fn(Texel) -> [f32; 4],
}

/// A texel of a built-in texture: its centre, from 0 to 1 along each axis, and its indices.
#[derive(Clone, Copy, Debug)]
struct Texel {
    at: [f32; 3],
    index: [u32; 3],
    extent: [u32; 3],
    /// The layer of the texel; for cubes, the face.
    plane: u32,
    sample: u32,
    level: u32,
}

#[rustfmt::skip]
const ALL: [Builtin; 11] = [
    Builtin { name: "gradient", about: "red grows along x, green along y",             geometry: Geometry::D2,   format: "u8x4", edge: 8,  layers: 2, levels: 1, colour: gradient },
    Builtin { name: "grid",     about: "the picture of the guide's lessons",           geometry: Geometry::D2,   format: "u8x4", edge: 8,  layers: 2, levels: 1, colour: grid },
    Builtin { name: "checker",  about: "squares of many shades",                      geometry: Geometry::D2,   format: "u8x4", edge: 8,  layers: 2, levels: 1, colour: checker },
    Builtin { name: "glyph",    about: "a letter",                                      geometry: Geometry::D2,   format: "u8",   edge: 16, layers: 2, levels: 1, colour: glyph },
    Builtin { name: "ramp",     about: "eight numbers in a row",                        geometry: Geometry::D1,   format: "f32",  edge: 8,  layers: 2, levels: 1, colour: ramp },
    Builtin { name: "volume",   about: "a ball in a box",                               geometry: Geometry::D3,   format: "u8x4", edge: 8,  layers: 2, levels: 1, colour: volume },
    Builtin { name: "cube",     about: "each face has its colour and its name",         geometry: Geometry::Cube, format: "u8x4", edge: 16,  layers: 2, levels: 1, colour: cube },
    Builtin { name: "layers",   about: "four layers",                                   geometry: Geometry::A2d,  format: "u8x4", edge: 8,  layers: 4, levels: 1, colour: layers },
    Builtin { name: "mips",     about: "each level has its hue",                        geometry: Geometry::D2,   format: "u8x4", edge: 32, layers: 2, levels: 6, colour: mips },
    Builtin { name: "depth",    about: "distances, for depth compares",                 geometry: Geometry::D2,   format: "f32",  edge: 8,  layers: 2, levels: 1, colour: depth },
    Builtin { name: "samples",  about: "four samples a texel",                          geometry: Geometry::D2ms, format: "u8x4", edge: 4,  layers: 2, levels: 1, colour: samples },
];

/// All built-in textures.
pub fn all() -> &'static [Builtin] {
    &ALL
}

/// The built-in texture with this name.
pub fn find(name: &str) -> Result<&'static Builtin, Refusal> {
    ALL.iter().find(|builtin| builtin.name == name).ok_or_else(|| {
        let names: Vec<&str> = ALL.iter().map(|builtin| builtin.name).collect();
        let message =
            format!("unknown built-in texture `{name}`: expected one of {}", names.join(", "));
        Refusal::of("tex", message)
    })
}

/// Maximum number of bytes of a built-in texture.
const MAX_BYTES: u64 = 128 << 20;

impl Builtin {
    /// The texels of the texture as a raw file, with the options that describe the file.
    pub fn made(
        &self,
        given: &FileOptions,
        geometry: Geometry,
    ) -> Result<(Vec<u8>, FileOptions), Refusal> {
        let geometry = given.geometry.unwrap_or(geometry);
        let usual = Format::from_name(self.format);
        let format = given.texel_format.or(usual).ok_or_else(|| Refusal::new("no such format"))?;
        let Some(channel) = format.plain_channel() else {
            let message = format!(
                "built-in textures need a format with plain channels, which {format} is not: open your own file"
            );
            return Err(Refusal::of("texel-format", message));
        };
        let extent = self.extent(given, geometry);
        let longest = extent.axes().into_iter().max().unwrap_or(1).max(1);
        let own = if geometry.is_multisample() {
            1
        } else {
            self.levels.min(32 - longest.leading_zeros())
        };
        let levels = given.levels.or(Some(own)).filter(|&levels| levels > 1);
        let shape = ArrayShape {
            layers: if geometry.is_array() { given.layers.unwrap_or(self.layers) } else { 1 },
            samples: if geometry.is_multisample() { given.samples.unwrap_or(4) } else { 1 },
            levels,
            ..ArrayShape::new(format, geometry, extent)
        };
        let size = shape.size().map_err(Refusal::new)?;
        if size > MAX_BYTES {
            let message = format!(
                "{} of texels; a built-in texture has at most {MAX_BYTES}",
                Count(size, "byte")
            );
            return Err(Refusal::of("size", message));
        }
        let count = levels.unwrap_or(1);
        let mut bytes = self.level(&shape, channel, 0);
        if self.name == "mips" {
            (1..count).for_each(|level| bytes.extend(self.level(&shape, channel, level)));
        } else if count > 1 {
            // An empty list is rejected when the texture is created.
            let chain = mipmaps::chain(&bytes, format, channel, extent.axes(), count);
            bytes = chain.unwrap_or_default();
        }
        let axes = extent.axes()[..geometry.axes()].to_vec();
        let options = given
            .clone()
            .with_texel_format(Some(format))
            .with_geometry(Some(geometry))
            .with_size(Some(axes))
            .with_layers(geometry.is_array().then_some(shape.layers))
            .with_samples(geometry.is_multisample().then_some(shape.samples))
            .with_levels(levels)
            .with_mipmaps(false);
        Ok((bytes, options))
    }

    fn extent(&self, given: &FileOptions, geometry: Geometry) -> Extent {
        let size = given.size.as_deref().unwrap_or_default();
        let axis = |n: usize| match size.get(n) {
            Some(&texels) => texels,
            None => *size.first().filter(|_| geometry.is_cube()).unwrap_or(&self.edge),
        };
        let along = |n: usize| if n < geometry.axes() { axis(n) } else { 1 };
        Extent { width: along(0), height: along(1), depth: along(2) }
    }

    /// The texels of a mip level, plane by plane and sample by sample.
    fn level(&self, shape: &ArrayShape, channel: Channel, level: u32) -> Vec<u8> {
        let extent = shape.extent.level(level).axes();
        let mut bytes = Vec::new();
        for plane in 0..shape.planes() {
            for sample in 0..shape.samples {
                for z in 0..extent[2] {
                    for y in 0..extent[1] {
                        for x in 0..extent[0] {
                            let index = [x, y, z];
                            let at =
                                std::array::from_fn(|n| (index[n] as f32 + 0.5) / extent[n] as f32);
                            let texel = Texel { at, index, extent, plane, sample, level };
                            push(&mut bytes, shape.format, channel, (self.colour)(texel));
                        }
                    }
                }
            }
        }
        bytes
    }
}

/// Appends a texel with this colour, encoded in a texel format.
fn push(bytes: &mut Vec<u8>, format: Format, channel: Channel, colour: [f32; 4]) {
    let code = |value: f32| {
        let part = value.clamp(0.0, 1.0);
        match channel {
            Channel::U8 => (part * 255.0).round() as u32,
            Channel::U16 => (part * 65535.0).round() as u32,
            Channel::S8 => ((part * 254.0 - 127.0).round() as i32 as u32) & 0xff,
            Channel::S16 => ((part * 65534.0 - 32767.0).round() as i32 as u32) & 0xffff,
            Channel::U32 => (part * 1000.0).round() as u32,
            Channel::S32 => (part * 2000.0 - 1000.0).round() as i32 as u32,
            Channel::F16 => f32_to_f16(value.to_bits()).into(),
            Channel::F32 => value.to_bits(),
        }
    };
    let texel = pack(format, colour.map(code));
    bytes.extend_from_slice(&texel[..format.texel_size() as usize]);
}

fn gradient(t: Texel) -> [f32; 4] {
    [t.at[0], t.at[1], 0.25 + 0.5 * t.at[2] * (t.extent[2] > 1) as u32 as f32, 1.0]
}

/// The colours of docs/textures/grid.png: 36 x, 36 y, 5 x y, 255.
fn grid(t: Texel) -> [f32; 4] {
    let [x, y, _] = t.index;
    let value = |code: u32| (code % 256) as f32 / 255.0;
    [value(36 * x), value(36 * y), value(5 * x * y), 1.0]
}

fn checker(t: Texel) -> [f32; 4] {
    let [x, y, z] = t.index;
    let odd = (x + y + z + t.plane) % 2 == 1;
    let shade = 0.16 * t.at[0] + 0.10 * t.at[1];
    if odd {
        [0.93 - shade, 0.62 + 0.5 * shade, 0.17 + shade, 1.0]
    } else {
        [0.10 + shade, 0.24 + shade, 0.42 + 0.5 * shade, 1.0]
    }
}

/// The letter R on 16 x 16 texels, which is enlarged for larger textures.
const GLYPH: [u16; 16] = [
    0b0000_0000_0000_0000,
    0b0000_0000_0000_0000,
    0b0011_1111_1110_0000,
    0b0011_1111_1111_1000,
    0b0011_1000_0011_1000,
    0b0011_1000_0001_1100,
    0b0011_1000_0001_1100,
    0b0011_1000_0011_1000,
    0b0011_1111_1111_0000,
    0b0011_1111_1110_0000,
    0b0011_1000_1111_0000,
    0b0011_1000_0111_1000,
    0b0011_1000_0011_1100,
    0b0011_1000_0001_1110,
    0b0000_0000_0000_0000,
    0b0000_0000_0000_0000,
];

fn glyph(t: Texel) -> [f32; 4] {
    let bit = |v: f32| ((v * 16.0) as usize).min(15);
    let ink = GLYPH[bit(t.at[1])] >> (15 - bit(t.at[0])) & 1 == 1;
    let value = if ink { 0.96 } else { 0.08 };
    [value, value, value, 1.0]
}

fn ramp(t: Texel) -> [f32; 4] {
    // The ramp is not linear, so that interpolated values differ from it and show the filter.
    let value = t.at[0] * t.at[0];
    [value, 1.0 - value, 0.5 * t.at[1], 1.0]
}

fn volume(t: Texel) -> [f32; 4] {
    let d: f32 = t.at.iter().map(|v| (v - 0.5) * (v - 0.5)).sum();
    let inside = d.sqrt() < 0.42;
    let [x, y, z] = t.at;
    if inside {
        [0.35 + 0.6 * z, 0.85 - 0.55 * z, 0.25 + 0.5 * x, 1.0]
    } else {
        [0.08 + 0.1 * x, 0.10 + 0.1 * y, 0.16 + 0.12 * z, 0.25]
    }
}

/// Bitmaps of the letters x, y and z in the labels of cube faces, such as `+x`: five rows of five
/// bits each.
const LETTERS: [[u8; 5]; 3] = [
    [0b10001, 0b01010, 0b00100, 0b01010, 0b10001],
    [0b10001, 0b01010, 0b00100, 0b00100, 0b00100],
    [0b11111, 0b00010, 0b00100, 0b01000, 0b11111],
];

const FACES: [[f32; 3]; 6] = [
    [0.80, 0.25, 0.22],
    [0.95, 0.62, 0.58],
    [0.20, 0.60, 0.30],
    [0.58, 0.85, 0.55],
    [0.20, 0.38, 0.80],
    [0.58, 0.72, 0.96],
];

fn cube(t: Texel) -> [f32; 4] {
    let face = (t.plane % 6) as usize;
    let [r, g, b] = FACES[face];
    let cell = |v: f32| (v * 16.0) as i32;
    let (x, y) = (cell(t.at[0]), cell(t.at[1]));
    let row = LETTERS[face / 2].get(usize::try_from(y - 6).unwrap_or(9)).copied().unwrap_or(0);
    let letter = (0..5).contains(&(x - 8)) && row >> (12 - x) & 1 == 1;
    let sign = (y == 8 && (3..6).contains(&x))
        || (face.is_multiple_of(2) && x == 4 && (7..10).contains(&y));
    let shade = 0.88 + 0.12 * (1.0 - t.at[1]);
    if letter || sign { [0.98, 0.98, 0.98, 1.0] } else { [r * shade, g * shade, b * shade, 1.0] }
}

fn layers(t: Texel) -> [f32; 4] {
    let hue = hue(t.plane as f32 / 4.0);
    let odd = (t.index[0] + t.index[1]) % 2 == 1;
    let shade = if odd { 1.0 } else { 0.6 } - 0.15 * t.at[0];
    [hue[0] * shade, hue[1] * shade, hue[2] * shade, 1.0]
}

fn mips(t: Texel) -> [f32; 4] {
    let hue = hue(t.level as f32 / 6.0);
    let odd = (t.index[0] / 2 + t.index[1] / 2) % 2 == 1;
    let shade = if odd || t.extent[0] < 4 { 1.0 } else { 0.55 };
    [hue[0] * shade, hue[1] * shade, hue[2] * shade, 1.0]
}

fn depth(t: Texel) -> [f32; 4] {
    let near = (t.at[0] - 0.45).abs() < 0.22 && (t.at[1] - 0.4).abs() < 0.22;
    let value = if near { 0.3 } else { 0.55 + 0.4 * t.at[1] };
    [value, value, value, 1.0]
}

fn samples(t: Texel) -> [f32; 4] {
    let [x, y, _] = t.at;
    let hue = hue(t.sample as f32 / 4.0);
    // The edge has a different position for each sample.
    if x + 0.12 * t.sample as f32 > 0.35 + 0.6 * y {
        [hue[0], hue[1], hue[2], 1.0]
    } else {
        [0.1, 0.12, 0.16, 1.0]
    }
}

/// The colour at a position of the hue circle, where 0 and 1 are the same colour.
fn hue(turn: f32) -> [f32; 3] {
    let part = |shift: f32| {
        let t = (turn + shift).rem_euclid(1.0) * 6.0;
        0.25 + 0.7 * ((t - 3.0).abs() - 1.0).clamp(0.0, 1.0)
    };
    [part(0.0), part(2.0 / 3.0), part(1.0 / 3.0)]
}
