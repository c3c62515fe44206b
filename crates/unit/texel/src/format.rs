//! Texel formats of arrays, buffers and surfaces: a table of their properties ([`Format`] is an
//! index into it).

use texunit_forms::words;

words! {
    /// Type of one channel as stored (CUDA's `CUarray_format`).
    Channel {
        U8 = "u8", S8 = "s8", U16 = "u16", S16 = "s16", U32 = "u32", S32 = "s32", F16 = "f16",
        F32 = "f32",
    }
}

impl Channel {
    /// Size in bytes.
    pub fn size(self) -> u32 {
        match self {
            Self::U8 | Self::S8 => 1,
            Self::U16 | Self::S16 | Self::F16 => 2,
            Self::U32 | Self::S32 | Self::F32 => 4,
        }
    }

    /// Whether channels of this type are integers.
    pub fn is_integer(self) -> bool {
        !matches!(self, Channel::F16 | Channel::F32)
    }
}

/// How an element of a format, a texel or a compressed block, is encoded in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Channels one after the other; the texture selects how they are read.
    Plain(Channel),
    /// Channels one after the other, always read as normalized floats (`CU_AD_FORMAT_UNORM_INT8X1`
    /// and so on).
    Normalized(Channel),
    /// Three channels of 10 bits and one of 2, from the lowest bit up.
    Rgb10a2,
    /// A compressed 4x4 block.
    Block(Block),
    /// A depth format with one unorm channel of this number of bits.
    Depth(u8),
    /// A depth format with one f32 channel.
    DepthFloat,
}

/// The compression of a 4x4 block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum Block {
    Bc1,
    Bc2,
    Bc3,
    Bc4,
    Bc4Snorm,
    Bc5,
    Bc5Snorm,
    Bc6h,
    Bc6hSnorm,
    Bc7,
}

/// A texel format: an index into the table of all formats.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Format(u8);

struct FormatRow {
    name: &'static str,
    kind: Encoding,
    channels: u8,
    /// Whether the format itself declares sRGB colours.
    srgb: bool,
}

/// Makes a row of the table of formats.
const fn row(name: &'static str, kind: Encoding, channels: u8) -> FormatRow {
    FormatRow { name, kind, channels, srgb: false }
}

const fn srgb(name: &'static str, block: Block) -> FormatRow {
    FormatRow { name, kind: Encoding::Block(block), channels: 4, srgb: true }
}

const fn block(name: &'static str, block: Block, channels: u8) -> FormatRow {
    row(name, Encoding::Block(block), channels)
}

use Encoding::{Depth, DepthFloat, Normalized, Plain, Rgb10a2};

/// The table of formats. The plain formats are first, in the order of [`Channel`], with 1, 2 and 4
/// channels each; [`Format::new`] relies on this order.
#[rustfmt::skip]
const FORMATS: &[FormatRow] = &[
    row("u8",        Plain(Channel::U8),  1), row("u8x2",      Plain(Channel::U8),  2), row("u8x4",      Plain(Channel::U8),  4),
    row("s8",        Plain(Channel::S8),  1), row("s8x2",      Plain(Channel::S8),  2), row("s8x4",      Plain(Channel::S8),  4),
    row("u16",       Plain(Channel::U16), 1), row("u16x2",     Plain(Channel::U16), 2), row("u16x4",     Plain(Channel::U16), 4),
    row("s16",       Plain(Channel::S16), 1), row("s16x2",     Plain(Channel::S16), 2), row("s16x4",     Plain(Channel::S16), 4),
    row("u32",       Plain(Channel::U32), 1), row("u32x2",     Plain(Channel::U32), 2), row("u32x4",     Plain(Channel::U32), 4),
    row("s32",       Plain(Channel::S32), 1), row("s32x2",     Plain(Channel::S32), 2), row("s32x4",     Plain(Channel::S32), 4),
    row("f16",       Plain(Channel::F16), 1), row("f16x2",     Plain(Channel::F16), 2), row("f16x4",     Plain(Channel::F16), 4),
    row("f32",       Plain(Channel::F32), 1), row("f32x2",     Plain(Channel::F32), 2), row("f32x4",     Plain(Channel::F32), 4),

    row("unorm8",    Normalized(Channel::U8),  1), row("unorm8x2",  Normalized(Channel::U8),  2), row("unorm8x4",  Normalized(Channel::U8),  4),
    row("unorm16",   Normalized(Channel::U16), 1), row("unorm16x2", Normalized(Channel::U16), 2), row("unorm16x4", Normalized(Channel::U16), 4),
    row("snorm8",    Normalized(Channel::S8),  1), row("snorm8x2",  Normalized(Channel::S8),  2), row("snorm8x4",  Normalized(Channel::S8),  4),
    row("snorm16",   Normalized(Channel::S16), 1), row("snorm16x2", Normalized(Channel::S16), 2), row("snorm16x4", Normalized(Channel::S16), 4),
    row("rgb10a2",   Rgb10a2, 4),

    block("bc1",        Block::Bc1, 4),      srgb("bc1_srgb", Block::Bc1),
    block("bc2",        Block::Bc2, 4),      srgb("bc2_srgb", Block::Bc2),
    block("bc3",        Block::Bc3, 4),      srgb("bc3_srgb", Block::Bc3),
    block("bc4",        Block::Bc4, 1),
    block("bc4_snorm",  Block::Bc4Snorm, 1),
    block("bc5",        Block::Bc5, 2),
    block("bc5_snorm",  Block::Bc5Snorm, 2),
    block("bc6h",       Block::Bc6h, 3),
    block("bc6h_snorm", Block::Bc6hSnorm, 3),
    block("bc7",        Block::Bc7, 4),      srgb("bc7_srgb", Block::Bc7),

    row("depth16",   Depth(16),  1),
    row("depth24",   Depth(24),  1),
    row("depth32f",  DepthFloat, 1),
];

/// Alternative names for [`Format::from_name`]: Vulkan's names of BC6H.
const ALIASES: [(&str, &str); 2] = [("bc6h_uf16", "bc6h"), ("bc6h_sf16", "bc6h_snorm")];

impl Format {
    /// The plain format with 1, 2 or 4 channels of the given type; `None` for other numbers, which
    /// CUDA does not support.
    pub fn new(channel: Channel, channels: u8) -> Option<Self> {
        let of_three = match channels {
            1 => 0,
            2 => 1,
            4 => 2,
            _ => return None,
        };
        Some(Self(channel as u8 * 3 + of_three))
    }

    /// The format with this name: `u8`, `f32x4`, `unorm8x2`, `bc7_srgb` and so on.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.strip_suffix("x1").unwrap_or(name);
        let name = ALIASES.iter().find(|alias| alias.0 == name).map_or(name, |alias| alias.1);
        Self::all().find(|format| format.row().name == name)
    }

    /// All texel formats.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..FORMATS.len() as u8).map(Self)
    }

    /// The names of all formats, for messages.
    pub fn names() -> impl Iterator<Item = &'static str> {
        FORMATS.iter().map(|row| row.name)
    }

    fn row(self) -> &'static FormatRow {
        &FORMATS[usize::from(self.0)]
    }

    pub(crate) fn kind(self) -> Encoding {
        self.row().kind
    }

    /// Name of the format.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Number of channels: 1 to 4.
    pub fn channels(self) -> u8 {
        self.row().channels
    }

    /// Channel type, for formats that store channels one after the other; `None` for packed,
    /// block-compressed and depth formats.
    pub fn plain_channel(self) -> Option<Channel> {
        match self.kind() {
            Plain(channel) | Normalized(channel) => Some(channel),
            _ => None,
        }
    }

    /// Size in bytes of an element: a texel, or a block of a block-compressed format.
    pub fn texel_size(self) -> u32 {
        match self.kind() {
            Plain(channel) | Normalized(channel) => channel.size() * u32::from(self.channels()),
            Depth(16) => 2,
            Rgb10a2 | Depth(_) | DepthFloat => 4,
            Encoding::Block(Block::Bc1 | Block::Bc4 | Block::Bc4Snorm) => 8,
            Encoding::Block(_) => 16,
        }
    }

    /// Size in bytes of texels with this width, height and depth, without gaps; partial blocks at
    /// the edges count as whole ones.
    pub fn byte_size(self, [width, height, depth]: [u32; 3]) -> u128 {
        let elements = |n: u32| u128::from(n.div_ceil(self.block_extent()));
        elements(width) * elements(height) * u128::from(depth) * u128::from(self.texel_size())
    }

    /// Width and height of an element in texels: 4 for block-compressed formats, else 1.
    pub fn block_extent(self) -> u32 {
        if self.is_block() { 4 } else { 1 }
    }

    /// Whether the format is block-compressed.
    pub fn is_block(self) -> bool {
        matches!(self.kind(), Encoding::Block(_))
    }

    /// Whether the format is block-compressed with sRGB colours. Its textures must have the sRGB
    /// flag (docs/numerics.md 8.1).
    pub fn is_srgb_block(self) -> bool {
        self.row().srgb
    }

    /// Whether the format is a depth format.
    pub fn is_depth(self) -> bool {
        matches!(self.kind(), Depth(_) | DepthFloat)
    }

    /// Whether CUDA treats the format as normalized, so that it is always read as normalized floats
    /// (docs/numerics.md 8.1): unorm and snorm, BC1 to BC5, BC7.
    pub fn is_normalized_kind(self) -> bool {
        match self.kind() {
            Normalized(_) => true,
            Encoding::Block(block) => !matches!(block, Block::Bc6h | Block::Bc6hSnorm),
            _ => false,
        }
    }
}

/// The error for an unknown name of a texel format.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownFormat {
    /// The given name.
    pub name: String,
    /// The most similar format, if there is one.
    pub nearest: Option<Format>,
}

impl std::fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` is not a texel format", self.name)?;
        let stem = self.name.strip_suffix("x3").and_then(Format::from_name);
        if stem.is_some_and(|format| format.channels() == 1) {
            write!(f, ": texels have {}", texunit_forms::CHANNELS)?;
        }
        match self.nearest {
            Some(near) => write!(f, "; did you mean `{near}`?"),
            None => write!(f, "; available: {}", Format::names().collect::<Vec<_>>().join(", ")),
        }
    }
}

impl std::error::Error for UnknownFormat {}

impl std::str::FromStr for Format {
    type Err = UnknownFormat;

    /// Looks the name up, as [`Self::from_name`].
    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        Self::from_name(name).ok_or_else(|| {
            let lower: String = name.chars().take(32).collect::<String>().to_ascii_lowercase();
            let apart = |format: &Self| strsim::osa_distance(format.name(), &lower);
            let nearest = || Self::all().min_by_key(apart).filter(|near| apart(near) <= 2);
            // Three channels are padded to four.
            let padded = |stem: &str| Self::from_name(&format!("{stem}x4"));
            let nearest = lower.strip_suffix("x3").and_then(padded).or_else(nearest);
            UnknownFormat { name: name.to_owned(), nearest }
        })
    }
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Format({})", self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_sizes() {
        for name in Format::names() {
            assert_eq!(Format::from_name(name).expect("listed").to_string(), name);
        }
        assert_eq!(Format::from_name("f16x4").map(Format::texel_size), Some(8));
        assert_eq!(Format::from_name("u8x1"), Format::from_name("u8"));
        assert_eq!(Format::from_name("bc6h_sf16"), Format::from_name("bc6h_snorm"));
        for none in ["u8x3", "u8x", "x1", "", "bc1x2", "BC1"] {
            assert_eq!(Format::from_name(none), None);
        }
        assert_eq!("u8x4".parse(), Ok(Format::from_name("u8x4").expect("listed")));
        let wrong = |name: &str| name.parse::<Format>().expect_err("not a format").to_string();
        assert_eq!(wrong("F32x4"), "`F32x4` is not a texel format; did you mean `f32x4`?");
        let three = "`u8x3` is not a texel format: texels have 1, 2 or 4 channels of 8, 16 or 32 bits; 3 is not possible: \
                     pad to 4; did you mean `u8x4`?";
        assert_eq!(wrong("u8x3"), three);
        assert!(wrong("rgba8888").starts_with("`rgba8888` is not a texel format; available: u8, "));
        assert!(wrong(&"x".repeat(1 << 20)).contains("available"));
        for channel in Channel::ALL {
            let (kind, bits) = channel.name().split_at(1);
            assert_eq!(bits, (8 * channel.size()).to_string());
            assert_eq!(channel.is_integer(), kind != "f", "{channel}");
        }
    }

    #[test]
    fn plain_formats_come_first() {
        for &channel in Channel::ALL {
            for (channels, suffix) in [(1, ""), (2, "x2"), (4, "x4")] {
                let format = Format::new(channel, channels).expect("1, 2 or 4");
                assert_eq!(format.name(), format!("{channel}{suffix}"));
                assert_eq!(format.channels(), channels);
                assert_eq!(format.plain_channel(), Some(channel));
                assert_eq!(format.texel_size(), channel.size() * u32::from(channels));
            }
            assert_eq!(Format::new(channel, 3), None);
        }
        for format in Format::all() {
            let elements = if format.is_block() { 6 } else { 60 };
            assert_eq!(format.byte_size([5, 4, 3]), elements * u128::from(format.texel_size()));
        }
    }
}
