//! Textures for `texunit explain --tex` and `texunit sample --tex`: builds a resource from a file
//! and command-line options.

use crate::error::{Result, SampleError};
use crate::meaning::{Mipmaps, usual_read};
use crate::source::{Source, geometry_of};
use crate::texture::made;
use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;
use texunit_files::{Kind, TexelRequest};
use texunit_forms::Count;
use texunit_texel::Format;
use texunit_unit::{
    ArrayShape, Extent, Geometry, ReadMode, Resource, ResultType, Sampler, Texture,
};

/// Command-line options for properties that a file does not state. Messages use the names of the
/// options of `texunit explain`.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct FileOptions {
    /// Texel format.
    pub texel_format: Option<Format>,
    /// Geometry; defaults to that of the instruction.
    pub geometry: Option<Geometry>,
    /// Size in texels of one layer or face of level 0.
    pub size: Option<Vec<u32>>,
    /// Number of layers, or of cubes.
    pub layers: Option<u32>,
    /// Samples per texel of a multi-sample texture.
    pub samples: Option<u32>,
    /// Number of mip levels that the file holds, or that are generated.
    pub levels: Option<u32>,
    /// Whether mip levels are generated with a box filter.
    pub mipmaps: bool,
    /// How texels are read: as elements or as normalized floats.
    pub read: Option<ReadMode>,
    /// Whether coordinates are unnormalized (from 0 to the size).
    pub unnormalized: bool,
}

texunit_unit::setters! {
    FileOptions {
        with_texel_format(texel_format: impl Into<Option<Format>>);
        with_geometry(geometry: impl Into<Option<Geometry>>);
        with_size(size: impl Into<Option<Vec<u32>>>);
        with_layers(layers: impl Into<Option<u32>>);
        with_samples(samples: impl Into<Option<u32>>);
        with_levels(levels: impl Into<Option<u32>>);
        with_mipmaps(mipmaps: bool);
        with_read(read: impl Into<Option<ReadMode>>);
        with_unnormalized(unnormalized: bool);
    }
}

/// Makes the texture header and the sampler for a fetch from a file. Sets the sRGB flag of the
/// sampler if the file declares its colours to be sRGB.
pub fn texture(
    args: &FileOptions,
    file: &Path,
    geometry: Geometry,
    result: Option<ResultType>,
    sampler: &mut Sampler,
) -> Result<Texture> {
    let (resource, srgb) = resource(args, file, geometry)?;
    sampler.srgb |= srgb;
    header(Arc::new(resource), args, result, sampler)
}

/// A texture header for existing texels. The read mode follows from the instruction's result type,
/// unless an option sets it.
pub fn header(
    resource: Arc<Resource>,
    args: &FileOptions,
    result: Option<ResultType>,
    sampler: &Sampler,
) -> Result<Texture> {
    let usual = || usual_read(resource.format(), result, sampler);
    let read_mode = args.read.unwrap_or_else(usual);
    Ok(Texture::new(resource, read_mode, !args.unnormalized, sampler)?)
}

/// Makes a resource of the texels in a file, and returns whether the file declares them to be sRGB.
pub fn resource(args: &FileOptions, file: &Path, wanted: Geometry) -> Result<(Resource, bool)> {
    let mut source = match Kind::of(file) {
        Kind::Dds | Kind::Ktx2 => container(args, file)?,
        _ => flat(args, file, wanted)?,
    };
    if args.mipmaps {
        make_levels(args, &mut source)?;
    }
    let name = file.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    let Source { shape, bytes, srgb } = source;
    Ok((made(&shape, &bytes, &name).map_err(|e| within(file, e))?, srgb))
}

/// An error of texels in a file, with the name of the file.
fn within(file: &Path, error: impl Display) -> SampleError {
    SampleError::Texels(format!("`{}`: {error}", file.display()))
}

/// Reads a container (DDS, KTX), which describes its texels completely.
fn container(args: &FileOptions, file: &Path) -> Result<Source> {
    let container = texunit_files::read_container(file)?;
    let (format, geometry) = (container.format, geometry_of(&container));
    let name = file.display();
    let given = [
        ("--size", args.size.is_some()),
        ("--layers", args.layers.is_some()),
        ("--samples", args.samples.is_some()),
    ];
    if let Some((option, _)) = given.iter().find(|option| option.1) {
        return Err(SampleError::Option(format!("`{name}` says it already: leave {option} out")));
    }
    if let Some(other) = args.geometry.filter(|&g| g != geometry) {
        let message = format!("`{name}` is .{geometry}, not .{other}: leave --geometry out");
        return Err(SampleError::Option(message));
    }
    let as_format = match args.texel_format {
        Some(f) if !container.can_be(f) => {
            return Err(SampleError::Option(format!(
                "`{name}` has texels of {format}, which cannot be taken for {f}: their size differs"
            )));
        }
        other => other.unwrap_or(format),
    };
    let most = container.levels.len() as u32;
    let keep = if args.mipmaps { 1 } else { args.levels.unwrap_or(most) };
    if keep == 0 || keep > most {
        let own = Count(most, "level");
        return Err(SampleError::Option(format!("`{name}` has {own}, not {keep}")));
    }
    Source::of_container(container, as_format, keep as usize).map_err(|e| within(file, e))
}

/// Reads a picture, an array (NPY), or raw bytes.
fn flat(args: &FileOptions, file: &Path, wanted: Geometry) -> Result<Source> {
    let (name, kind) = (file.display(), Kind::of(file));
    let geometry = args.geometry.unwrap_or(wanted);
    let usual = match kind {
        Kind::Png | Kind::Jpeg => Format::from_name("u8x4"),
        Kind::Exr => Format::from_name("f32x4"),
        Kind::Npy if args.texel_format.is_none() => Some(npy_format(file, geometry)?),
        _ => None,
    };
    let unsaid = || format!("`{name}` does not say what its texels are: give --texel-format");
    let format = args.texel_format.or(usual).ok_or_else(|| SampleError::Option(unsaid()))?;
    let (bytes, own) = if kind == Kind::Raw {
        (texunit_files::read_bytes(file)?, None)
    } else {
        let wanted = TexelRequest { format, dims: None, extent: None };
        let texels = texunit_files::read_texels(file, &wanted)?;
        (texels.bytes, Some([texels.width, texels.height, texels.depth]))
    };
    if kind != Kind::Raw && args.levels.is_some() && !args.mipmaps {
        return Err(SampleError::Option(format!(
            "`{name}` has one level: --levels goes with --mipmaps or a raw file"
        )));
    }
    let extent = extent(args, file, geometry, own)?;
    let plain = ArrayShape::new(format, geometry, extent);
    let one = ArrayShape {
        samples: args.samples.unwrap_or(plain.samples),
        levels: args.levels.filter(|_| !args.mipmaps),
        ..plain
    };
    let size = one.packed_size().map_err(|e| within(file, e))?;
    let layers = match args.layers {
        Some(layers) => layers,
        None if geometry.is_array() => {
            u32::try_from(bytes.len() as u64 / size.max(1)).unwrap_or(u32::MAX).max(1)
        }
        None => 1,
    };
    let shape = ArrayShape { layers, ..one };
    let needed = shape.packed_size().map_err(|e| within(file, e))?;
    if needed != bytes.len() as u64 {
        let faces = match (geometry.is_cube(), own) {
            (true, Some([w, ..])) => format!(
                "; a cube map has six square faces, one below the other: give the size of a face, such as --size {w},{w}"
            ),
            _ => String::new(),
        };
        let (own, shape) = (Count(bytes.len(), "byte"), describe(&shape));
        return Err(SampleError::Texels(format!(
            "`{name}` holds {own} of texels, but {shape} takes {needed}{faces}"
        )));
    }
    Ok(Source { shape, bytes, srgb: format.is_srgb_block() })
}

/// Number of axes of an NPY array; `None` if the file is not one or cannot be read.
pub fn axes(file: &Path) -> Option<usize> {
    let array = (Kind::of(file) == Kind::Npy).then(|| texunit_files::read_array(file).ok())??;
    Some(array.shape.len())
}

/// The texel format that matches an array's elements.
fn npy_format(file: &Path, geometry: Geometry) -> Result<Format> {
    let array = texunit_files::read_array(file)?;
    let images = geometry.is_array() || geometry.is_cube() || geometry.is_multisample();
    let format = array.format(Some(geometry.axes() + usize::from(images)));
    format.map_err(|why| SampleError::Texels(format!("`{}` {why}", file.display())))
}

/// Describes a shape for messages, such as `2 layers of 4 x 4 texels of u8x4 (.a2d)`.
fn describe(shape: &ArrayShape) -> String {
    let g = shape.geometry;
    let size: Vec<String> = shape.extent.axes()[..g.axes()].iter().map(u32::to_string).collect();
    let mut text = format!("{} of {} (.{g})", Count(size.join(" x "), "texel"), shape.format);
    if g.is_cube() {
        text = format!("{} of {text}", Count(shape.planes(), "face"));
    } else if g.is_array() {
        text = format!("{} of {text}", Count(shape.layers, "layer"));
    }
    if g.is_multisample() {
        text += &format!(" with {}", Count(shape.samples, "sample"));
    }
    if let Some(levels) = shape.levels {
        text += &format!(" with {}", Count(levels, "level"));
    }
    text
}

/// Size of one layer or face: the option's, else the file's. Layers, faces and samples of a picture
/// are stacked vertically.
fn extent(
    args: &FileOptions,
    file: &Path,
    geometry: Geometry,
    own: Option<[u32; 3]>,
) -> Result<Extent> {
    let axes = geometry.axes();
    let [width, height, depth] = match (&args.size, own) {
        (Some(size), _) if size.len() == axes => {
            std::array::from_fn(|a| size.get(a).copied().unwrap_or(1))
        }
        // For a cube, a single number is the edge of its faces.
        (Some(size), _) if size.len() == 1 && geometry.is_cube() => [size[0], size[0], 1],
        (Some(size), _) => {
            let (found, names) = (size.len(), ["W", "W,H", "W,H,D"][axes - 1]);
            let message = format!(".{geometry} takes --size {names} (found {found})");
            return Err(SampleError::Option(message));
        }
        (None, None) => {
            let name = file.display();
            return Err(SampleError::Option(format!(
                "`{name}` is a raw file by its name, and does not say how large it is: give --size"
            )));
        }
        (None, Some([w, h, d])) => match geometry {
            Geometry::D3 => [w, h, d],
            Geometry::A1d => [w, 1, 1],
            Geometry::Cube | Geometry::Acube => [w, w, 1],
            Geometry::D1 | Geometry::D2 => [w, h.saturating_mul(d), 1],
            // The slices of the file's 3D array are layers or samples here, not a depth.
            _ if d > 1 => [w, h, 1],
            _ => {
                let samples = if geometry.is_multisample() { args.samples.unwrap_or(2) } else { 1 };
                let images = samples.saturating_mul(args.layers.unwrap_or(1)).max(1);
                [w, (h / images).max(1), 1]
            }
        },
    };
    if geometry == Geometry::D1 && height != 1 {
        let (name, rows) = (file.display(), Count(height, "row"));
        return Err(SampleError::Texels(format!("`{name}` has {rows}, but .1d has one")));
    }
    Ok(Extent { width, height, depth })
}

/// `--mipmaps`: generates mip levels with a box filter.
fn make_levels(args: &FileOptions, source: &mut Source) -> Result<()> {
    let format = source.shape.format;
    if format.plain_channel().is_none() {
        return Err(SampleError::Option(format!(
            "--mipmaps works on plain channels such as those of u8x4, not on {format}"
        )));
    }
    let wanted = args.levels.map_or(Mipmaps::All, Mipmaps::Levels);
    crate::texture::make_levels(wanted, &mut source.shape, &mut source.bytes)
        .map_err(|e| SampleError::Option(format!("--levels: {e}")))
}
