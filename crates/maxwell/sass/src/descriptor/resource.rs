//! Converts texture headers and the memory that they refer to to textures of the texture unit, and
//! back.

use super::Descriptor;
use super::error::{DescriptorError, Result};
use super::formats::{self, Texels};
use super::header::{MAX_MIP_LEVEL, NORMALIZED, TYPE};
use super::texture::{Placement, Source, TextureHeader, TextureType};
use crate::memory::Memory;
use std::sync::Arc;
use texunit_memory::Block;
use texunit_texel::Format;
use texunit_unit::{
    ArchLimits, ArrayShape, Base, BlockLevels, Extent, Layout, Residency, Resource, TexelIndex,
    Texture, View,
};

/// Maximum size of a texture's texels in bytes.
pub const MAX_BYTES: u64 = 256 << 20;

/// The name that the texture unit's messages use for resources made from headers.
const NAME: &str = "header";

fn too_large(bytes: u64) -> DescriptorError {
    DescriptorError::TooLarge { bytes, max: MAX_BYTES }
}

fn block(bytes: u64) -> Result<Arc<Block>> {
    let size = usize::try_from(bytes).ok().filter(|_| bytes <= MAX_BYTES);
    size.and_then(|size| Block::new(size, NAME)).map(Arc::new).ok_or(too_large(bytes))
}

impl TextureHeader {
    /// The format of the texels; `srgb` says whether colours are decoded from sRGB.
    pub fn format(&self, srgb: bool) -> Format {
        formats::with_srgb(self.texels.format, srgb && self.srgb)
    }

    /// The shape of the array that the header describes.
    pub fn shape(&self, srgb: bool) -> ArrayShape {
        let geometry = self.kind.geometry();
        let [width, height, depth] = self.size;
        let extent = Extent {
            width,
            height: if geometry.axes() > 1 { height } else { 1 },
            depth: if geometry.axes() > 2 { depth } else { 1 },
        };
        let layers = if geometry.is_array() { depth } else { 1 };
        let levels = (self.levels > 1).then_some(self.levels);
        ArrayShape { layers, levels, ..ArrayShape::new(self.format(srgb), geometry, extent) }
    }

    /// Creates the texture from the current contents of memory. `srgb` says whether the sampler
    /// allows sRGB decoding.
    pub fn texture(&self, memory: &Memory, srgb: bool) -> Result<Texture> {
        let resource = match self.placement {
            Placement::Buffer { address } => self.buffer(memory, address)?,
            Placement::Pitch { address, pitch } => self.pitched(memory, address, pitch)?,
            Placement::BlockLinear { address, log2_height, log2_depth, sparse } => {
                let shape = self.shape(srgb);
                shape.check()?;
                let levels = BlockLevels::new(&shape, log2_height, log2_depth);
                let levels = levels.ok_or(too_large(u64::MAX))?;
                let whole = array(&shape, memory, address, &levels, sparse)?;
                self.seen(whole)?
            }
        };
        let (read_mode, normalized_coords) = (self.texels.read_mode, self.normalized);
        Ok(Texture { resource: Arc::new(resource), read_mode, normalized_coords })
    }

    /// The resource restricted to the levels that fetches can access.
    fn seen(&self, whole: Resource) -> Result<Resource> {
        let [first, last] = self.view;
        if [first, last] == [0, self.levels - 1] {
            return Ok(whole);
        }
        let view = View { levels: Some(first..last + 1), ..View::default() };
        Ok(whole.view(&view)?)
    }

    fn buffer(&self, memory: &Memory, address: u64) -> Result<Resource> {
        let (format, width) = (self.format(false), self.size[0]);
        let base = copied(memory, address, u64::from(width) * u64::from(format.texel_size()))?;
        Ok(Resource::linear_for(&ArchLimits::NEWEST, format, width, base, NAME)?)
    }

    fn pitched(&self, memory: &Memory, address: u64, pitch: u64) -> Result<Resource> {
        let (format, [width, height, _]) = (self.format(false), self.size);
        let row = u64::from(width) * u64::from(format.texel_size());
        let base = copied(memory, address, pitch * u64::from(height - 1) + row)?;
        let limits = &ArchLimits::NEWEST;
        Ok(Resource::pitched_for(limits, format, [width, height], pitch, base, NAME)?)
    }
}

/// Copies a memory range into a block of the texture unit.
fn copied(memory: &Memory, address: u64, bytes: u64) -> Result<Base> {
    memory.check(address, bytes)?;
    let block = block(bytes)?;
    let mut copy = vec![0; bytes as usize];
    memory.read(address, &mut copy)?;
    block.write(0, &copy).expect("the block has room for it");
    Ok(Base { block, offset: 0, address })
}

/// Reads an array that is stored in block-linear memory.
fn array(
    shape: &ArrayShape,
    memory: &Memory,
    address: u64,
    levels: &BlockLevels,
    sparse: bool,
) -> Result<Resource> {
    let bytes = levels.bytes();
    if bytes > MAX_BYTES || shape.size()? > MAX_BYTES {
        return Err(too_large(bytes.max(shape.size()?)));
    }
    // Tiles of a sparse texture may be absent, but not outside of the address space.
    let checked = if sparse && address.checked_add(bytes).is_some() { 0 } else { bytes };
    memory.check(address, checked)?;
    let map = sparse.then(|| Residency::new(shape)).transpose()?;
    map.iter().for_each(|map| map.set_all(true));
    let mut packed = vec![0; shape.packed_size()? as usize];
    let mut rest = &mut packed[..];
    for (n, layer, offset, level) in levels.planes() {
        let length = (level.width * level.height * level.depth) as usize;
        let (rows, after) = std::mem::take(&mut rest).split_at_mut(length);
        rest = after;
        let at = address + offset;
        if let Some(blocks) = memory.slice(at, level.bytes().unwrap_or(u64::MAX)) {
            level.read(blocks, rows);
            continue;
        }
        if let Some(map) = &map
            && !memory.touches(at, level.bytes().unwrap_or(u64::MAX))
        {
            map.set_region(n, layer, [0; 3], shape.level_extent(n).axes(), false)?;
            continue;
        }
        for ([x, y, z], range) in level.pieces() {
            if let Err(absent) = memory.read(at + level.offset(x, y, z), &mut rows[range.clone()]) {
                rows[range].fill(0);
                let map = map.as_ref().ok_or(absent)?;
                let element = [x / u64::from(shape.format.texel_size()), y, z];
                map.set_element(n, layer, element.map(|at| at as u32), false)?;
            }
        }
    }
    let block = block(shape.size()?)?;
    let resource = Resource::array(shape, block, NAME)?;
    resource.fill_packed(&packed)?;
    match map {
        Some(map) if map.resident_count() < map.count() => {
            Ok(resource.with_residency(Arc::new(map))?)
        }
        _ => Ok(resource),
    }
}

/// The address and block size that [`encode_texture`] gives a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Address of the texture's first byte: a multiple of 512 for block-linear memory, of 32 for
    /// pitched memory, of 16 for buffers.
    pub address: u64,
    /// Log2 of a block's height in GOBs.
    pub log2_height: u32,
    /// Log2 of a block's depth in slices.
    pub log2_depth: u32,
}

/// Memory contents: address and bytes of each region.
pub type Regions = Vec<(u64, Vec<u8>)>;

/// A texture encoded as a texture header and memory contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoded {
    /// The texture header.
    pub header: Descriptor,
    /// The memory contents, without non-resident tiles of sparse textures.
    pub regions: Regions,
}

/// Encodes a texture as a texture header and memory contents. `srgb` says whether a sampler with
/// the sRGB flag reads it.
pub fn encode_texture(texture: &Texture, srgb: bool, place: Place) -> Result<Encoded> {
    let resource = &*texture.resource;
    let shape = resource.shape();
    let kind = kind_of(resource)?;
    if shape.levels == Some(1) && resource.array_levels() > 1 && !texture.normalized_coords {
        let reason = "one level of a mipmapped array reads normalized coordinates whatever is asked \
                      for, but a header of one level is not mipmapped";
        return Err(DescriptorError::inexpressible(&NORMALIZED, reason));
    }
    if !resource.is_regular() && resource.residency().is_none() {
        let reason = "one level of a layered mipmapped array has other layers than its own, whose \
                      texels are not at hand";
        return Err(DescriptorError::inexpressible(&MAX_MIP_LEVEL, reason));
    }
    if shape.levels == Some(1) && shape.geometry.is_cube() {
        let reason = "a cube of one mip level has the address modes of mipmapped ones, but a header \
                      of one level is not mipmapped";
        return Err(DescriptorError::inexpressible(&MAX_MIP_LEVEL, reason));
    }
    let own = Texels { format: shape.format, read_mode: texture.read_mode };
    let Place { address, log2_height, log2_depth } = place;
    let sparse = resource.residency().is_some();
    let placement = match resource.layout() {
        Layout::Linear => Placement::Buffer { address },
        Layout::Pitched => {
            Placement::Pitch { address, pitch: resource.row_bytes(0).next_multiple_of(32) }
        }
        Layout::Array => Placement::BlockLinear { address, log2_height, log2_depth, sparse },
    };
    let Extent { width, height, depth } = shape.extent;
    let third = if shape.geometry.is_array() { shape.layers } else { depth };
    let header = TextureHeader {
        kind,
        placement,
        texels: formats::canonical(own),
        sources: sources_of(shape.format),
        size: [width, height, third],
        levels: shape.level_count(),
        view: [0, shape.level_count() - 1],
        // Colours are sRGB if the block format says so, or if the sampler does, which also decodes
        // formats without sRGB variants (section 5).
        srgb: srgb || shape.format.is_srgb_block(),
        normalized: texture.normalized_coords,
        min_lod: 0,
    };
    let header = header.encode()?;
    let regions = match resource.layout() {
        Layout::Linear => vec![(address, resource.to_packed())],
        Layout::Pitched => vec![(address, pitched_bytes(resource))],
        Layout::Array => block_linear_regions(resource, place)?,
    };
    Ok(Encoded { header, regions })
}

fn kind_of(resource: &Resource) -> Result<TextureType> {
    let geometry = resource.geometry();
    match resource.layout() {
        Layout::Linear => return Ok(TextureType::D1Buffer),
        Layout::Pitched => return Ok(TextureType::D2NoMipmap),
        Layout::Array => {}
    }
    let row = TextureType::ALL.into_iter().find(|row| row.1 == geometry);
    row.map(|(kind, _)| kind).ok_or_else(|| {
        let reason = format!("textures of .{geometry} have several samples a texel");
        DescriptorError::inexpressible(&TYPE, reason)
    })
}

/// The sources of a result's components. Components that the format lacks are zero, except that
/// alpha of block formats is one.
fn sources_of(format: Format) -> [Source; 4] {
    let mut sources = [Source::Zero; 4];
    let channels = usize::from(format.channels());
    sources[..channels].copy_from_slice(&Source::IDENTITY[..channels]);
    if format.is_block() && channels < 4 {
        sources[3] = Source::OneFloat;
    }
    sources
}

fn pitched_bytes(resource: &Resource) -> Vec<u8> {
    let mut bytes = Vec::new();
    for texels in resource.to_packed().chunks(resource.row_bytes(0) as usize) {
        bytes.extend_from_slice(texels);
        bytes.resize(bytes.len().next_multiple_of(32), 0);
    }
    bytes
}

fn block_linear_regions(resource: &Resource, place: Place) -> Result<Regions> {
    let Place { address, log2_height, log2_depth } = place;
    let levels = BlockLevels::new(resource.shape(), log2_height, log2_depth);
    let levels = levels.filter(|l| l.bytes() <= MAX_BYTES);
    let levels = levels.ok_or(too_large(resource.size_in_bytes()))?;
    let blocks = levels.write(&resource.to_packed());
    let mut resident = vec![true; blocks.len() / 512];
    let planes = levels.planes().filter(|_| resource.residency().is_some());
    for (n, layer, offset, level) in planes {
        for ([x, y, z], _) in level.pieces() {
            let block = resource.format().block_extent();
            let texel = x / u64::from(resource.format().texel_size());
            let at = [texel as u32 * block, y as u32 * block, z as u32];
            let index = TexelIndex { level: n, plane: layer, sample: 0, at };
            let gob = (offset + level.offset(x, y, z)) / 512;
            resident[gob as usize] &= resource.is_resident(index);
        }
    }
    let mut regions = Vec::new();
    let mut start = 0;
    for run in resident.chunk_by(|a, b| a == b) {
        let end = start + run.len() * 512;
        if run[0] {
            regions.push((address.saturating_add(start as u64), blocks[start..end].to_vec()));
        }
        start = end;
    }
    Ok(regions)
}
