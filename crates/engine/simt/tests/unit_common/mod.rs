//! Resources of every geometry for tests of texture and surface instructions.
#![allow(dead_code, unreachable_pub, missing_docs, clippy::unwrap_used)]

pub mod surface;

use crate::common::{Arg, How, Loaded};
use std::sync::Arc;
use texunit_memory::Block;
use texunit_simt::launch::{SURFACE_BIT, TEXTURE_BIT};
use texunit_simt::{Watch, Watched};
use texunit_texel::Format;
use texunit_unit::{
    ArrayShape, Extent, Geometry, ReadMode, Resource, Sampler, Surface, TexelIndex, Texture,
};

/// The shape of an array of 8 texels along each axis that the geometry has, 3 layers or cubes,
/// 4 samples.
pub fn shape(geometry: Geometry, format: &str) -> ArrayShape {
    let axis = |n| if geometry.axes() > n { 8 } else { 1 };
    let extent = Extent { width: 8, height: axis(1), depth: axis(2) };
    let mut shape = ArrayShape::new(Format::from_name(format).unwrap(), geometry, extent);
    if geometry.is_array() {
        shape.layers = 3;
    }
    if geometry.is_multisample() {
        shape.samples = 4;
    }
    shape
}

/// A texel array of zeros.
pub fn zeros(shape: &ArrayShape, name: &str) -> Arc<Resource> {
    let block = Block::new(shape.size().unwrap() as usize, "texels").unwrap();
    Arc::new(Resource::array(shape, Arc::new(block), name).unwrap())
}

/// The value of an f32 texel of [`numbered`]: its position in decimal digits: level, plane, sample,
/// z, y, x.
pub fn number(at: TexelIndex) -> f32 {
    let [x, y, z] = at.at;
    (((((at.level * 100 + at.plane) * 10 + at.sample) * 10 + z) * 10 + y) * 10 + x) as f32
}

/// An f32 array whose texels are their [`number`]s.
pub fn numbered(shape: &ArrayShape, name: &str) -> Arc<Resource> {
    let resource = zeros(shape, name);
    let mut packed = Vec::new();
    for level in 0..shape.level_count() {
        let Extent { width, height, depth } = shape.level_extent(level);
        for plane in 0..shape.planes() {
            for sample in 0..shape.samples {
                for i in 0..width * height * depth {
                    let at = [i % width, i / width % height, i / width / height];
                    let value = number(TexelIndex { level, plane, sample, at });
                    packed.extend(value.to_le_bytes());
                }
            }
        }
    }
    resource.fill_packed(&packed).unwrap();
    resource
}

/// Runs the kernel `k(out, handle)` with one thread that executes one access, by `inst`. Returns
/// the access and the `count` stored words.
pub fn only_access(
    loaded: &mut Loaded,
    inst: &str,
    handle: u64,
    count: usize,
) -> (Watched, Arc<Block>) {
    loaded.watch = Some(Watch::new([0; 3]));
    let (out, block) = loaded.buffer(count);
    let how = How { block: [1; 3], ..How::default() };
    if let Err(fault) = loaded.run("k", how, &[Arg::U64(out), Arg::U64(handle)]) {
        panic!("{inst}: {}", fault.kind);
    }
    let (mut seen, more) = loaded.watch.as_ref().unwrap().take();
    assert_eq!((seen.len(), more), (1, 0), "{inst}");
    let access = seen.pop().unwrap();
    let text = loaded.source.snippet(access.span).trim().trim_end_matches(';');
    assert_eq!(text, inst, "the place of the instruction");
    (access.what, block)
}

/// Adds a texture with its sampler to the tables, and returns the handle.
pub fn texture(loaded: &mut Loaded, resource: Arc<Resource>, sampler: Sampler) -> u64 {
    let texture = Texture::new(resource, ReadMode::Element, false, &sampler).unwrap();
    let tables = &mut loaded.descriptors;
    tables.textures.push(Some(Arc::new(texture)));
    tables.samplers.push(Some(Arc::new(sampler)));
    let (header, sampler) = (tables.textures.len() - 1, tables.samplers.len() - 1);
    TEXTURE_BIT | (sampler as u64) << 20 | header as u64
}

/// Adds a surface to the table, and returns the handle.
pub fn surface(loaded: &mut Loaded, resource: Arc<Resource>) -> u64 {
    let tables = &mut loaded.descriptors;
    tables.surfaces.push(Some(Arc::new(Surface::new(resource).unwrap())));
    SURFACE_BIT | (tables.surfaces.len() - 1) as u64
}
