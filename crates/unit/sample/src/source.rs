//! Textures from files: DDS and KTX 2.0 describe themselves completely, NPY files are arrays,
//! pictures are 2D.

use crate::error::{Result, SampleError};
use crate::input::Input;
use crate::meaning::{ArrayOptions, Mipmaps};
use crate::options::TextureOptions;
use crate::texture::{TEXTURE, Texture, made, make_levels, resource};
use std::path::Path;
use std::sync::Arc;
use texunit_files::{Container, FileError, Kind, Problem, TexelRequest};
use texunit_texel::Format;
use texunit_unit::{ArrayShape, Extent, Geometry, Resource};

impl Texture {
    /// Makes a texture from a file. The sampler's sRGB flag is set if the file declares its colours
    /// to be sRGB.
    pub fn open(path: &Path, array: &ArrayOptions, options: &TextureOptions) -> Result<Self> {
        let (resource, srgb) = read(path, array)?;
        let mut options = options.clone();
        options.sampler.srgb |= srgb;
        Self::of_resource(Arc::new(resource), &options)
    }
}

/// Makes a resource of the texels in a file, and returns whether the file declares them to be sRGB.
pub fn read(path: &Path, array: &ArrayOptions) -> Result<(Resource, bool)> {
    match Kind::of(path) {
        Kind::Dds | Kind::Ktx2 => container(path, array),
        Kind::Npy => npy(path, array).map(|resource| (resource, false)),
        Kind::Raw => {
            let why = "is a raw file by its name: read it as an array, with its type and shape";
            Err(FileError::new(path, Problem::Unsupported(why.into())).into())
        }
        kind => picture(path, kind, array).map(|resource| (resource, false)),
    }
}

fn npy(path: &Path, array: &ArrayOptions) -> Result<Resource> {
    let file = texunit_files::read_array(path)?;
    let refused = |why: &str| FileError::new(path, Problem::Unsupported(why.into()));
    let shape: Result<Vec<usize>, _> = file.shape.iter().map(|&n| usize::try_from(n)).collect();
    let shape = shape.map_err(|_| refused("is larger than memory"))?;
    resource(&[Input::contiguous(&shape, file.dtype, &file.bytes)?], array)
}

fn picture(path: &Path, kind: Kind, array: &ArrayOptions) -> Result<Resource> {
    only_whole(path, array)?;
    let usual = if kind == Kind::Exr { "f32x4" } else { "u8x4" };
    let format = array.format.or(Format::from_name(usual)).expect("a format of the table");
    let wanted = TexelRequest { format, dims: Some(2), extent: None };
    let texels = texunit_files::read_texels(path, &wanted)?;
    let extent = Extent { width: texels.width, height: texels.height, depth: 1 };
    let mut shape = ArrayShape::new(format, Geometry::D2, extent);
    let mut bytes = texels.bytes;
    make_levels(array.mipmaps, &mut shape, &mut bytes)?;
    made(&shape, &bytes, TEXTURE)
}

/// Refuses options that contradict what the file itself states.
fn only_whole(path: &Path, array: &ArrayOptions) -> Result<()> {
    let ArrayOptions { dim, layered, cube, multisample, ref size, .. } = *array;
    if dim.is_some() || layered || cube || multisample || size.is_some() {
        return Err(SampleError::Option(format!(
            "`{}` says itself what it holds: leave dim, layered, cube, multisample and size out",
            path.display()
        )));
    }
    Ok(())
}

fn container(path: &Path, array: &ArrayOptions) -> Result<(Resource, bool)> {
    only_whole(path, array)?;
    let container = texunit_files::read_container(path)?;
    let format = array.format.unwrap_or(container.format);
    if !container.can_be(format) {
        return Err(SampleError::Option(format!(
            "`{}` holds texels of {}, which are not {format}",
            path.display(),
            container.format
        )));
    }
    let count = if array.mipmaps == Mipmaps::Given { container.levels.len() } else { 1 };
    let Source { mut shape, mut bytes, srgb } = Source::of_container(container, format, count)?;
    make_levels(array.mipmaps, &mut shape, &mut bytes)?;
    Ok((made(&shape, &bytes, TEXTURE)?, srgb))
}

/// The texels of a file, and the shape that the file or options give them.
pub(crate) struct Source {
    pub(crate) shape: ArrayShape,
    pub(crate) bytes: Vec<u8>,
    /// Whether the file declares its colours to be sRGB.
    pub(crate) srgb: bool,
}

/// The geometry of a container's texels.
pub(crate) fn geometry_of(container: &Container) -> Geometry {
    Geometry::of(container.dims.into(), container.layers.is_some(), container.is_cube)
}

impl Source {
    /// The first `count` levels of a container, as texels of `format`, which must store texels in
    /// the same bytes.
    pub(crate) fn of_container(container: Container, format: Format, count: usize) -> Result<Self> {
        let geometry = geometry_of(&container);
        let Container { srgb, extent: [width, height, depth], layers, levels, .. } = container;
        let shape = ArrayShape {
            layers: layers.unwrap_or(1),
            levels: (levels.len() > 1).then_some(count as u32),
            ..ArrayShape::new(format, geometry, Extent { width, height, depth })
        };
        Ok(Self { shape, bytes: joined(&levels[..count])?, srgb: srgb || format.is_srgb_block() })
    }
}

/// Concatenates the bytes of all levels; an error if there is not enough memory.
fn joined(levels: &[Vec<u8>]) -> Result<Vec<u8>> {
    let size = levels.iter().map(Vec::len).sum();
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(size).map_err(|_| SampleError::Room(size as u64))?;
    levels.iter().for_each(|level| bytes.extend_from_slice(level));
    Ok(bytes)
}
