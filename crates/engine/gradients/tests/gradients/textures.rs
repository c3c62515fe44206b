//! Random textures: arrays, mipmapped and sparse arrays, pitch-linear memory.

use texunit_device::{
    AddressMode, Array, ArrayDescriptor, Buffer, Device, Extent, Filter, Format, Geometry,
    MemoryTexels, MipmappedArray, ReadMode, Sampler, SamplerObject, TextureDescriptor,
    TextureObject, TextureResource, TileRegion,
};
use texunit_testkit::Random;

/// The resource of a texture.
#[derive(Debug)]
pub(crate) enum Storage {
    Array(Array),
    Pitched { buffer: Buffer, format: Format, size: [u32; 2], pitch: u64 },
}

impl Storage {
    pub(crate) fn resource(&self) -> TextureResource<'_> {
        match self {
            Self::Array(array) => array.into(),
            Self::Pitched { buffer, format, size: [width, height], pitch } => {
                TextureResource::Memory(MemoryTexels::rows(
                    buffer,
                    *format,
                    [*width, *height],
                    *pitch,
                ))
            }
        }
    }
}

/// A texture with its sampler.
pub(crate) struct Drawn {
    pub(crate) resource: Storage,
    pub(crate) descriptor: TextureDescriptor,
    pub(crate) object: TextureObject,
    pub(crate) sampler: SamplerObject,
}

/// A random sampler state.
pub(crate) fn sampler(random: &mut Random) -> Sampler {
    use AddressMode::{Border, Clamp, Mirror, Wrap};
    let modes = [Wrap, Mirror, Clamp, Border];
    let filters = [Filter::Point, Filter::Linear];
    let low = random.of(&[0.0, 0.0, 0.5, 1.25]);
    Sampler::default()
        .with_filter(random.of(&filters))
        .with_mip_filter(random.of(&filters))
        .with_address_modes(std::array::from_fn(|_| random.of(&modes)))
        .with_border_bits(std::array::from_fn(|_| random.between(-1.0, 1.0).to_bits()))
        .with_min_level_clamp(low)
        .with_max_level_clamp(random.of(&[f32::INFINITY, low, 2.5]))
        .with_level_bias(if random.one_in(20) { 20.0 } else { random.of(&[0.0, 0.75, -1.5]) })
        .with_max_anisotropy(random.of(&[0, 1, 2, 4, 8, 16, 16]))
        .with_srgb(random.one_in(4))
}

/// A random texture of a geometry; `None` if the random combination is not valid.
pub(crate) fn texture(
    device: &Device,
    random: &mut Random,
    geometry: &str,
    independent: bool,
) -> Option<Drawn> {
    let format = random.of(&[
        "u8x4", "u8x4", "f32", "f32x4", "f16x2", "u16", "s16x2", "u32", "s8x4", "bc1_srgb", "bc7",
        "bc4", "unorm8x4", "rgb10a2", "depth16",
    ]);
    let format = Format::from_name(format).unwrap();
    let descriptor = TextureDescriptor::default()
        .with_read_mode(random.of(&[ReadMode::Element, ReadMode::NormalizedFloat]))
        .with_normalized_coords(random.below(3) > 0)
        .with_sampler(sampler(random));
    let resource = storage(device, random, Geometry::from_name(geometry).unwrap(), format)?;
    let object = device.create_texture(&resource.resource(), &descriptor).ok()?;
    let own = if independent { self::sampler(random) } else { descriptor.sampler };
    let sampler = device.create_sampler(&own).ok()?;
    Some(Drawn { resource, descriptor, object, sampler })
}

fn storage(
    device: &Device,
    random: &mut Random,
    wanted: Geometry,
    format: Format,
) -> Option<Storage> {
    // Sometimes a texture of another geometry that the instruction can read too.
    let geometry = match wanted {
        own if !random.one_in(5) => own,
        Geometry::D1 | Geometry::A2d => Geometry::D2,
        Geometry::A1d => Geometry::D1,
        own => own,
    };
    let sparse = random.one_in(5) && geometry == Geometry::D2;
    let most = if sparse { 400 } else { 24 };
    let side = 1 + random.below(most);
    let mut size = [side, 1 + random.below(most), 1 + random.below(8)];
    if geometry.is_cube() {
        size[1] = side;
    }
    for (axis, length) in size.iter_mut().enumerate() {
        *length = if axis < geometry.axes() { *length } else { 1 };
    }
    if wanted.axes() == 1 {
        size[1] = 1;
    }
    let [width, height, depth] = size;
    if wanted == Geometry::D2 && random.one_in(4) && !format.is_block() {
        let pitch = (u64::from(width) * u64::from(format.texel_size())).next_multiple_of(32) + 32;
        let buffer = device.alloc(pitch * u64::from(height), "rows").ok()?;
        buffer.write(0, &bytes(random, buffer.size())).ok()?;
        return Some(Storage::Pitched { buffer, format, size: [width, height], pitch });
    }
    let extent = Extent { width, height, depth };
    let mut shape = ArrayDescriptor::new(format, geometry, extent, "picture");
    if geometry.is_array() {
        shape.layers = 1 + random.below(3);
    }
    shape.sparse = sparse;
    let array = if random.one_in(2) {
        let levels = 1 + random.below(MipmappedArray::max_mip_levels(extent));
        device.create_mipmapped_array(&shape, levels).ok()?.into()
    } else {
        device.create_array(&shape).ok()?
    };
    if sparse {
        array.map_all_tiles(true).ok()?;
    }
    array.write(&bytes(random, array.size())).ok()?;
    if sparse {
        array.unmap_tiles(&hole(random, array.tile()?)).ok()?;
    }
    Some(Storage::Array(array))
}

/// A region that begins at one of the first tiles.
fn hole(random: &mut Random, tile: [u32; 3]) -> TileRegion {
    let offset = [random.below(3) * tile[0], random.below(2) * tile[1], 0];
    TileRegion { offset, ..TileRegion::default() }
}

/// Random bytes that are rarely NaNs.
fn bytes(random: &mut Random, size: u64) -> Vec<u8> {
    (0..size.div_ceil(4))
        .flat_map(|_| (random.u32() & 0xbfff_ffff).to_le_bytes())
        .take(size as usize)
        .collect()
}
