//! Decodes and encodes texture headers, without accessing memory.

use super::error::{DescriptorError, Result};
use super::formats::{self, Texels};
use super::header::*;
use super::{Bits, Descriptor};
use texunit_unit::Geometry;

/// Texture types, in the order of the header field's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum TextureType {
    D1,
    D2,
    D3,
    Cube,
    D1Array,
    D2Array,
    /// A buffer of texels.
    D1Buffer,
    /// A 2D image without mip levels.
    D2NoMipmap,
    CubeArray,
}

impl TextureType {
    /// All texture types in the order of the header field's values, each with the texture unit's
    /// geometry.
    pub const ALL: [(Self, Geometry); 9] = [
        (Self::D1, Geometry::D1),
        (Self::D2, Geometry::D2),
        (Self::D3, Geometry::D3),
        (Self::Cube, Geometry::Cube),
        (Self::D1Array, Geometry::A1d),
        (Self::D2Array, Geometry::A2d),
        (Self::D1Buffer, Geometry::D1),
        (Self::D2NoMipmap, Geometry::D2),
        (Self::CubeArray, Geometry::Acube),
    ];

    /// The texture type that is a value of the header field, if it is one.
    pub fn from_bits(bits: u32) -> Option<Self> {
        Self::ALL.get(bits as usize).map(|row| row.0)
    }

    /// The geometry of the texture unit for this texture type.
    pub fn geometry(self) -> Geometry {
        Self::ALL[self as usize].1
    }
}

/// The source of a result's component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// The value 0.
    Zero,
    /// A component of the texel: 0 for R to 3 for A.
    Component(u8),
    /// The integer 1.
    OneInt,
    /// The float 1.0.
    OneFloat,
}

impl Source {
    /// The sources that return the components unchanged, in the order R, G, B, A.
    pub const IDENTITY: [Self; 4] =
        [Self::Component(0), Self::Component(1), Self::Component(2), Self::Component(3)];

    /// The source that is a value of the header field, if it is one.
    pub fn from_bits(bits: u32) -> Option<Self> {
        match bits {
            0 => Some(Self::Zero),
            2..=5 => Some(Self::Component(bits as u8 - 2)),
            6 => Some(Self::OneInt),
            7 => Some(Self::OneFloat),
            _ => None,
        }
    }

    fn bits(self) -> u32 {
        match self {
            Self::Zero => 0,
            Self::Component(c) => 2 + u32::from(c.min(3)),
            Self::OneInt => 6,
            Self::OneFloat => 7,
        }
    }

    /// The value of a result's component, given the components of the texel.
    pub fn of(self, values: [u32; 4]) -> u32 {
        match self {
            Self::Zero => 0,
            Self::Component(c) => values[usize::from(c.min(3))],
            Self::OneInt => 1,
            Self::OneFloat => 1.0f32.to_bits(),
        }
    }
}

/// The memory layout and address of the texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Placement {
    /// A contiguous buffer of texels.
    Buffer {
        /// Address of the first texel.
        address: u64,
    },
    /// Rows of texels at a fixed distance.
    Pitch {
        /// Address of the first texel.
        address: u64,
        /// Distance in bytes from one row to the next.
        pitch: u64,
    },
    /// Block-linear memory.
    BlockLinear {
        /// Address of the first block.
        address: u64,
        /// Log2 of a block's height in GOBs.
        log2_height: u32,
        /// Log2 of a block's depth in slices.
        log2_depth: u32,
        /// Whether tiles may be absent (sparse textures).
        sparse: bool,
    },
}

impl Placement {
    /// Address of the texture's first byte.
    pub fn address(self) -> u64 {
        match self {
            Self::Buffer { address }
            | Self::Pitch { address, .. }
            | Self::BlockLinear { address, .. } => address,
        }
    }
}

/// A decoded texture header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureHeader {
    /// The texture type.
    pub kind: TextureType,
    /// The memory layout and address of the texels.
    pub placement: Placement,
    /// The texel format and read mode.
    pub texels: Texels,
    /// The sources of the components x, y, z, w of a result.
    pub sources: [Source; 4],
    /// Size of the base level along x, y, z as stored, including axes that the type does not use.
    /// Layers and cubes are in `size[2]`.
    pub size: [u32; 3],
    /// Number of mip levels in memory.
    pub levels: u32,
    /// First and last mip level that fetches can access.
    pub view: [u32; 2],
    /// Whether colours are stored as sRGB.
    pub srgb: bool,
    /// Whether coordinates are normalized.
    pub normalized: bool,
    /// Minimum level of detail in 1/256.
    pub min_lod: u32,
}

const SOURCES: [&Bits; 4] = [&X_SOURCE, &Y_SOURCE, &Z_SOURCE, &W_SOURCE];

/// The value of the `border_size` field that selects the sampler's border colour.
const SAMPLER_COLOR: u32 = 7;

/// Maximum log2 of a block's size, which is 32 GOBs along y and 32 slices along z.
const MAX_LOG2_BLOCK: u32 = 5;

impl TextureHeader {
    /// Decodes a texture header.
    pub fn decode(header: &Descriptor) -> Result<Self> {
        let undefined = |bits: &Bits| DescriptorError::undefined(bits, header);
        let unsupported = |bits: &Bits, why| DescriptorError::unsupported(bits, header, why);
        let version = Version::of(header).ok_or_else(|| undefined(&VERSION))?;
        let kind = TextureType::from_bits(TYPE.get(header)).ok_or_else(|| undefined(&TYPE))?;
        let texels = formats::decode(header)?;
        let mut sources = Source::IDENTITY;
        for (source, bits) in sources.iter_mut().zip(SOURCES) {
            *source = Source::from_bits(bits.get(header)).ok_or_else(|| undefined(bits))?;
        }
        let placement = placement(header, version)?;
        let fits = match placement {
            Placement::Buffer { .. } => kind == TextureType::D1Buffer,
            Placement::Pitch { .. } => matches!(kind, TextureType::D2 | TextureType::D2NoMipmap),
            Placement::BlockLinear { .. } => kind != TextureType::D1Buffer,
        };
        if !fits {
            return Err(unsupported(&TYPE, "headers of this kind have no such textures"));
        }
        if SAMPLE_COUNT.get(header) != 0 {
            return Err(unsupported(&SAMPLE_COUNT, "texels of several samples are not read"));
        }
        if LOD_BIAS.get(header) != 0 {
            return Err(unsupported(&LOD_BIAS, "the unit takes the bias of the sampler only"));
        }
        let last = match kind {
            TextureType::D1Buffer | TextureType::D2NoMipmap => 0,
            _ => MAX_MIP_LEVEL.get(header),
        };
        if last > 0 && matches!(placement, Placement::Pitch { .. }) {
            return Err(unsupported(&MAX_MIP_LEVEL, "rows with a pitch have no mip levels"));
        }
        let view = [VIEW_MIN_LEVEL.get(header), VIEW_MAX_LEVEL.get(header).min(last)];
        if view[0] > view[1] {
            return Err(unsupported(&VIEW_MIN_LEVEL, "the view has no levels"));
        }
        let width = u32::try_from(width(header))
            .map_err(|_| unsupported(&WIDTH_HIGH, "the unit's buffers have fewer texels"))?;
        Ok(Self {
            kind,
            placement,
            texels,
            sources,
            size: [width, HEIGHT.get(header) + 1, DEPTH.get(header) + 1],
            levels: last + 1,
            view,
            srgb: SRGB.get(header) != 0,
            normalized: NORMALIZED.get(header) != 0,
            min_lod: MIN_LOD.get(header),
        })
    }

    /// Encodes the texture header.
    pub fn encode(&self) -> Result<Descriptor> {
        let mut header = Descriptor::default();
        formats::encode(self.texels, &mut header)?;
        for (source, bits) in self.sources.iter().zip(SOURCES) {
            bits.set(&mut header, source.bits());
        }
        self.encode_placement(&mut header)?;
        // Texels outside of the texture get the sampler's border colour, since encoded textures
        // have no border texels.
        BORDER.set(&mut header, SAMPLER_COLOR);
        TYPE.set(&mut header, self.kind as u32);
        let [width, height, depth] = self.size.map(|n| n.wrapping_sub(1));
        let mut put = |bits: &Bits, value: u32| {
            if value > bits.max() {
                let reason = format!("{value:#x} is more than {:#x}", bits.max());
                return Err(DescriptorError::inexpressible(bits, reason));
            }
            bits.set(&mut header, value);
            Ok(())
        };
        if let Placement::Buffer { .. } = self.placement {
            put(&WIDTH, width & 0xffff)?;
            put(&WIDTH_HIGH, width >> 16)?;
        } else {
            put(&WIDTH, width)?;
        }
        put(&HEIGHT, height)?;
        put(&DEPTH, depth)?;
        put(&MAX_MIP_LEVEL, self.levels.wrapping_sub(1))?;
        put(&VIEW_MIN_LEVEL, self.view[0])?;
        put(&VIEW_MAX_LEVEL, self.view[1])?;
        put(&SRGB, self.srgb.into())?;
        put(&NORMALIZED, self.normalized.into())?;
        put(&MIN_LOD, self.min_lod)?;
        Ok(header)
    }

    fn encode_placement(&self, header: &mut Descriptor) -> Result<()> {
        let address = self.placement.address();
        let (version, low, shift) = match self.placement {
            Placement::Buffer { .. } => (Version::OneDBuffer, BUFFER_ADDRESS, 0),
            Placement::Pitch { pitch, .. } => {
                if !pitch.is_multiple_of(32) || pitch >> 5 > PITCH.max().into() {
                    let reason = format!("{pitch} is not a multiple of 32 below 2097152");
                    return Err(DescriptorError::inexpressible(&PITCH, reason));
                }
                PITCH.set(header, (pitch >> 5) as u32);
                (Version::Pitch, PITCH_ADDRESS, 5)
            }
            Placement::BlockLinear { log2_height, log2_depth, sparse, .. } => {
                for (bits, log2) in [(BLOCK_HEIGHT, log2_height), (BLOCK_DEPTH, log2_depth)] {
                    if log2 > MAX_LOG2_BLOCK {
                        let reason = format!("2 to the {log2} is more than 32");
                        return Err(DescriptorError::inexpressible(&bits, reason));
                    }
                    bits.set(header, log2);
                }
                SPARSE.set(header, sparse.into());
                (Version::BlockLinear, BLOCK_ADDRESS, 9)
            }
        };
        if address >> 48 != 0 || !address.is_multiple_of(1 << shift) {
            let reason = format!("{address:#x} is not a multiple of {} below 2^48", 1 << shift);
            return Err(DescriptorError::inexpressible(&low, reason));
        }
        VERSION.set(header, version as u32);
        low.set(header, (address as u32) >> shift);
        ADDRESS_HIGH.set(header, (address >> 32) as u32);
        Ok(())
    }
}

fn placement(header: &Descriptor, version: Version) -> Result<Placement> {
    let unsupported = |bits: &Bits, why| DescriptorError::unsupported(bits, header, why);
    let address = address(header).ok_or_else(|| DescriptorError::undefined(&VERSION, header))?;
    Ok(match version {
        Version::OneDBuffer => Placement::Buffer { address },
        Version::Pitch => Placement::Pitch { address, pitch: u64::from(PITCH.get(header)) << 5 },
        Version::BlockLinear => {
            for bits in [&BLOCK_WIDTH, &TILE_WIDTH, &GOB_3D] {
                if bits.get(header) != 0 {
                    return Err(unsupported(bits, "blocks are one GOB wide, GOBs one slice deep"));
                }
            }
            for bits in [&BLOCK_HEIGHT, &BLOCK_DEPTH] {
                if bits.get(header) > MAX_LOG2_BLOCK {
                    return Err(DescriptorError::undefined(bits, header));
                }
            }
            Placement::BlockLinear {
                address,
                log2_height: BLOCK_HEIGHT.get(header),
                log2_depth: BLOCK_DEPTH.get(header),
                sparse: SPARSE.get(header) != 0,
            }
        }
        Version::PitchColorKey | Version::BlockLinearColorKey => {
            return Err(unsupported(&VERSION, "the unit has no colour keys"));
        }
    })
}
