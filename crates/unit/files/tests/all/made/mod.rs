//! DDS and KTX 2.0 files made field by field: legal ones of every kind with the texture that they
//! hold, and others that lie in some of their fields. The fuzz target `containers` and the test
//! `made_containers` share this; the tables here are written after the formats' own documents,
//! apart from those of the crate.

mod dds;
mod ktx;
mod sound;

pub(crate) use sound::check;

use texunit_files::{Container, Kind};
use texunit_testkit::Choices;
use texunit_texel::Format;

/// A file, and what reading it should give.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) kind: Kind,
    pub(crate) bytes: Vec<u8>,
    pub(crate) expected: Expected,
}

/// What reading a file should give.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expected {
    /// This texture.
    Texture(Box<Container>),
    /// An error: it is legal, or nearly, and nothing that is read.
    Refused,
    /// An error, or a texture that goes with the fields as they are.
    Anything,
}

/// A file of either kind.
pub(crate) fn made(choices: &mut Choices<'_>) -> Made {
    if choices.below(2) == 0 { ktx::made(choices) } else { dds::made(choices) }
}

/// A format as a file names it.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// Number of the format in the file.
    code: u32,
    name: &'static str,
    /// Bytes of a texel, or of a block of 4 x 4.
    size: u32,
    srgb: bool,
}

impl Row {
    fn is_block(self) -> bool {
        self.name.starts_with("bc")
    }

    /// Bytes of one image.
    fn image_size(self, [width, height, depth]: [u32; 3]) -> usize {
        let along = |n: u32| if self.is_block() { n.div_ceil(4) } else { n };
        (along(width) * along(height) * depth * self.size) as usize
    }
}

/// What a texture is like.
#[derive(Clone, Copy, Debug)]
struct Shape {
    dims: u8,
    extent: [u32; 3],
    layers: Option<u32>,
    is_cube: bool,
    levels: u32,
}

impl Shape {
    /// One of which `row` can be the format.
    fn drawn(choices: &mut Choices<'_>, row: Row) -> Self {
        let dims = choices.of(if row.is_block() { &[2, 2, 3][..] } else { &[2, 2, 1, 3] });
        let mut side = || 1 + choices.below(40);
        let mut extent = [side(), side(), side().min(7)];
        extent[usize::from(dims)..].fill(1);
        let is_cube = dims == 2 && choices.once_in(3);
        if is_cube {
            extent[1] = extent[0];
        }
        let layers = (dims < 3 && choices.once_in(3)).then(|| 1 + choices.below(4));
        let largest = extent.into_iter().max().unwrap_or(1);
        let levels = if choices.once_in(2) { 1 + choices.below(largest.ilog2() + 1) } else { 1 };
        Self { dims, extent, layers, is_cube, levels }
    }

    /// Layers times faces.
    fn images(&self) -> usize {
        self.layers.unwrap_or(1) as usize * if self.is_cube { 6 } else { 1 }
    }

    fn image_size(&self, row: Row, level: u32) -> usize {
        row.image_size(self.extent.map(|n| (n >> level).max(1)))
    }

    /// Texels that tell where they stand: of each level those of all images.
    fn texels(&self, row: Row, first: u8) -> Vec<Vec<u8>> {
        let mut at = u32::from(first);
        let mut level = |level| {
            let size = self.images() * self.image_size(row, level);
            let bytes = (0..size).map(|_| {
                at = at.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
                (at >> 24) as u8
            });
            bytes.collect()
        };
        (0..self.levels).map(&mut level).collect()
    }

    fn container(&self, row: Row, levels: Vec<Vec<u8>>) -> Box<Container> {
        let Self { dims, extent, layers, is_cube, .. } = *self;
        let format = Format::from_name(row.name).expect("a format of texunit's");
        Box::new(Container { format, srgb: row.srgb, dims, extent, layers, is_cube, levels })
    }
}

/// Overwrites a word, if the file reaches so far.
fn put(bytes: &mut [u8], at: usize, value: u32) {
    if let Some(place) = bytes.get_mut(at..at + 4) {
        place.copy_from_slice(&value.to_le_bytes());
    }
}

/// Overwrites two words.
fn put_long(bytes: &mut [u8], at: usize, value: u64) {
    put(bytes, at, value as u32);
    put(bytes, at + 4, (value >> 32) as u32);
}

/// The word at an offset; 0 past the end.
fn word(bytes: &[u8], at: usize) -> u32 {
    let bytes = bytes.get(at..at + 4).and_then(|four| four.try_into().ok());
    bytes.map_or(0, u32::from_le_bytes)
}

fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from(word(bytes, at)) | u64::from(word(bytes, at + 4)) << 32
}

/// A number near one that was right, or near the end of all numbers.
fn lie(choices: &mut Choices<'_>, right: u32) -> u32 {
    match choices.below(9) {
        0 => 0,
        1 => right.wrapping_add(1),
        2 => right.wrapping_sub(1),
        3 => right.wrapping_mul(2),
        4 => 1 << choices.below(32),
        5 => u32::MAX - choices.below(4),
        6 => i32::MAX as u32,
        7 => choices.below(256),
        _ => choices.word(),
    }
}

/// The end is missing, or something follows it. Returns whether anything is missing.
fn cut(choices: &mut Choices<'_>, bytes: &mut Vec<u8>) -> bool {
    match choices.below(12) {
        1 => {
            bytes.truncate(choices.below(bytes.len() as u32 + 1) as usize);
            true
        }
        2 => {
            bytes.truncate(bytes.len() - 1);
            true
        }
        3 => {
            bytes.extend((0..choices.below(40)).map(|i| i as u8));
            false
        }
        _ => false,
    }
}
