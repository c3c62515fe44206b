//! Random textures, both on a device and as objects of the unit.

use std::sync::Arc;
use texunit_device::{
    AddressMode, Array, ArrayDescriptor, Device, Extent, Filter, Format, Geometry, MipmappedArray,
    ReadMode, Sampler, TextureDescriptor, TextureObject,
};
use texunit_memory::Block;
use texunit_testkit::{Choices, Random};
use texunit_unit::{ArrayShape, Resource, Texture};

/// A texture with data in all levels.
pub(super) struct Drawn {
    pub(super) object: TextureObject,
    /// The same texture, made separately from the same bytes.
    pub(super) texture: Arc<Texture>,
    pub(super) sampler: Sampler,
}

impl Drawn {
    pub(super) fn resource(&self) -> &Resource {
        &self.texture.resource
    }

    /// A random texture of a geometry; `None` if the random combination is not valid.
    pub(super) fn new(
        device: &Device,
        choices: &mut Choices<'_>,
        random: &mut Random,
        geometry: Geometry,
    ) -> Option<Self> {
        let shape = shape(choices, geometry);
        let sampler = sampler(choices);
        let read_mode = choices.of(&[ReadMode::NormalizedFloat, ReadMode::Element]);
        let normalized_coords = shape.levels.is_some() || !choices.once_in(3);
        // The memory of an unpacked resource may be larger.
        let block = Arc::new(Block::new(shape.size().ok()? as usize, "texels")?);
        let resource = Resource::array(&shape, block, "picture").ok()?;
        let bytes = texels(random, resource.size_in_bytes());
        resource.fill_packed(&bytes).ok()?;
        let texture = Texture::new(Arc::new(resource), read_mode, normalized_coords, &sampler);
        let mut descriptor = ArrayDescriptor::new(shape.format, geometry, shape.extent, "picture");
        descriptor.layers = shape.layers;
        let how = TextureDescriptor::default()
            .with_read_mode(read_mode)
            .with_normalized_coords(normalized_coords)
            .with_sampler(sampler);
        let array = match shape.levels {
            Some(levels) => Array::from(device.create_mipmapped_array(&descriptor, levels).ok()?),
            None => device.create_array(&descriptor).ok()?,
        };
        array.write(&bytes).expect("as many bytes");
        let object = device.create_texture(&(&array).into(), &how).ok()?;
        Some(Self { object, texture: Arc::new(texture.ok()?), sampler })
    }
}

/// A random shape: usually of a block-compressed format with mip levels, sometimes of another
/// format.
fn shape(choices: &mut Choices<'_>, geometry: Geometry) -> ArrayShape {
    let of_blocks = geometry.axes() > 1 && !choices.once_in(4);
    let formats: Vec<Format> =
        Format::all().filter(|format| format.is_block() == of_blocks).collect();
    let format = choices.of(&formats);
    let mut side = || 1 + choices.below(70);
    let mut extent = Extent { width: side(), height: side(), depth: side().min(12) };
    match geometry.axes() {
        1 => (extent.height, extent.depth) = (1, 1),
        2 => extent.depth = 1,
        _ => {}
    }
    if geometry.is_cube() {
        extent.height = extent.width;
    }
    let mut shape = ArrayShape::new(format, geometry, extent);
    if geometry.is_array() {
        shape.layers = 1 + choices.below(3);
    }
    if !choices.once_in(4) {
        let full = MipmappedArray::max_mip_levels(extent);
        shape.levels = Some(if choices.once_in(3) { 1 + choices.below(full) } else { full });
    }
    shape
}

fn sampler(choices: &mut Choices<'_>) -> Sampler {
    use AddressMode::{Border, Clamp, Mirror, Wrap};
    let modes = [Wrap, Mirror, Clamp, Border];
    let filters = [Filter::Linear, Filter::Point, Filter::Linear];
    let low = choices.of(&[0.0, 0.0, 0.0, 0.5, 1.25, 3.0]);
    Sampler::default()
        .with_filter(choices.of(&filters))
        .with_mip_filter(choices.of(&filters))
        .with_address_modes(std::array::from_fn(|_| choices.of(&modes)))
        .with_border_bits(std::array::from_fn(|_| {
            choices.of(&[0, 0x3f80_0000, 0xbe80_0000, 0x7fc0_0000])
        }))
        .with_min_level_clamp(low)
        .with_max_level_clamp(choices.of(&[99.0, 99.0, low, 2.5]))
        .with_level_bias(choices.of(&[0.0, 0.0, 0.75, -1.5]))
        .with_max_anisotropy(choices.of(&[0, 0, 2, 4, 16]))
        .with_srgb(choices.once_in(3))
        .with_seamless_cube(choices.once_in(3))
}

/// Random bytes, so that every mode of every block format occurs. Some textures only have few
/// values, so that sums cancel.
fn texels(random: &mut Random, size: u64) -> Vec<u8> {
    let size = size as usize;
    if !random.one_in(4) {
        return random.bytes(size);
    }
    let few = random.bytes(16);
    let mut bytes = few.repeat(size.div_ceil(16));
    bytes.truncate(size);
    bytes
}
