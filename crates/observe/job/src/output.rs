//! Outputs of a job: checked before the launch, written after it.

use crate::problem::{Problem, codes};
use crate::spec::{OutputSpec, PartSpec};
use crate::texel_resource::{Place, TexelResource};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use texunit_device::{Array, Extent, Format, Geometry, Linear};
use texunit_files::{FileError, Kind, Prepared, Texels};
use texunit_forms::Count;
use texunit_spec::At;

/// The object that an output reads.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// A buffer or a module variable.
    Memory(Linear),
    /// The texels of a surface.
    Texels(TexelResource),
}

impl Source {
    pub(crate) fn read(&self) -> Vec<u8> {
        match self {
            Source::Memory(memory) => memory.read(),
            Source::Texels(made) => made.read(),
        }
    }

    /// Size in bytes of a buffer, variable or array; 0 for texels in memory.
    pub(crate) fn size(&self) -> u64 {
        match self {
            Source::Memory(memory) => memory.size(),
            Source::Texels(made) => made.array().map_or(0, Array::size),
        }
    }
}

/// How bytes are interpreted as texels: format, size, and their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    format: Format,
    extent: [u32; 3],
    dims: u8,
}

/// An output that passed its checks.
#[derive(Debug)]
pub(crate) struct Pending {
    /// The output's position in the job.
    pub(crate) at: At<()>,
    /// The parameter, reference or variable that is written.
    pub(crate) param: String,
    /// Path of the output file, relative to the output folder.
    pub(crate) file: PathBuf,
    source: Source,
    /// The interpretation as texels; `None` for raw bytes.
    texels: Option<Shape>,
}

/// An output file that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The parameter, reference or variable that was written.
    pub param: String,
    /// The path of the file.
    pub path: PathBuf,
}

impl Pending {
    /// Checks an output against its object.
    pub(crate) fn new(param: &str, source: Source, spec: &At<OutputSpec>) -> Result<Self, Problem> {
        let file = &spec.value.file;
        let kind = Kind::of(&file.value);
        let texels = match &source {
            Source::Texels(made) => surface_texels(made, kind, spec)?,
            Source::Memory(memory) => memory_texels(memory.size(), kind, spec)?,
        };
        if let Some(Shape { format, dims, .. }) = texels {
            texunit_files::can_encode(kind, format, dims)
                .map_err(|e| file.problem(codes::VALUE, e.to_string()))?;
        }
        // `./x` and `x` are the same file.
        let file = file.value.components().filter(|c| matches!(c, std::path::Component::Normal(_)));
        let (at, param, file) = (spec.with(()), param.to_owned(), file.collect());
        Ok(Self { at, param, file, source, texels })
    }

    /// The current bytes, limited to those that are written to `path`; fails if there is not enough
    /// memory for a copy.
    pub(crate) fn bytes(&self, path: &Path) -> Result<Vec<u8>, FileError> {
        let memory = match &self.source {
            Source::Memory(memory) => memory,
            Source::Texels(made) => {
                let no_memory = || FileError::new(path, io::Error::from(ErrorKind::OutOfMemory));
                return made.try_read().ok_or_else(no_memory);
            }
        };
        let size = self.size() as usize;
        let mut bytes = texunit_files::room(size).map_err(|e| FileError::new(path, e))?;
        bytes.resize(size, 0);
        let read = memory.read_at(0, &mut bytes);
        debug_assert!(read.is_ok(), "the memory lives as long as the job, and has these bytes");
        Ok(bytes)
    }

    /// Format and size, if the bytes are texels.
    pub(crate) fn format_and_extent(&self) -> Option<(Format, [u32; 3])> {
        self.texels.map(|shape| (shape.format, shape.extent))
    }

    /// Number of bytes that are written.
    pub(crate) fn size(&self) -> u64 {
        match self.texels {
            Some(Shape { format, extent: [width, height, depth], .. }) => {
                Texels::byte_size(format, width, height, depth).unwrap_or(0)
            }
            None => self.source.size(),
        }
    }

    /// The address of memory, or the allocation number of an array with its first layer or face.
    pub(crate) fn whereabouts(&self) -> (Option<u64>, Option<(u64, u32)>) {
        match &self.source {
            Source::Memory(memory) => (Some(memory.address()), None),
            Source::Texels(TexelResource::Array(array)) => {
                (None, Some((array.number(), array.first_plane())))
            }
            Source::Texels(TexelResource::Memory {
                place: Place::Buffer(buffer, offset),
                rows: None,
                ..
            }) => (Some(buffer.address() + offset), None),
            Source::Texels(_) => (None, None),
        }
    }

    /// The file with the current contents.
    pub(crate) fn file_bytes(&self, path: &Path) -> Result<Vec<u8>, FileError> {
        let bytes = self.bytes(path)?;
        let Some(Shape { format, extent: [width, height, depth], dims }) = self.texels else {
            return Ok(bytes);
        };
        let texels = Texels { format, dims, width, height, depth, bytes };
        texunit_files::encode(Kind::of(path), &texels).map_err(|e| FileError::new(path, e))
    }

    /// Writes the file below a folder, which is created if necessary. The file appears under its
    /// name only when it is committed.
    pub(crate) fn prepare(&self, folder: &Path) -> Result<(Prepared, Written), FileError> {
        let path = folder.join(&self.file);
        let parent = path.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent)
            .map_err(|e| FileError::new(parent, texunit_files::Problem::Folder(e)))?;
        let bytes = self.file_bytes(&path)?;
        let prepared = Prepared::new(&path, &bytes)?;
        Ok((prepared, Written { param: self.param.clone(), path }))
    }
}

/// Format and size of a surface's texels, which must agree with the output's keys. Layers and faces
/// are stacked vertically in an image, and are an axis of an array file. `None` for compressed
/// blocks, which are written as they are.
fn surface_texels(
    made: &TexelResource,
    kind: Kind,
    spec: &At<OutputSpec>,
) -> Result<Option<Shape>, Problem> {
    let format = made.format();
    if let Some(wanted) = &spec.value.format
        && wanted.value != format
    {
        let message = format!("the surface has format {format}, not {}", wanted.value);
        return Err(wanted.problem(codes::CONFLICT, message));
    }
    let Extent { width, height, depth } = made.extent();
    if let Some(extent) = spec.value.extent
        && extent != [width, height, depth]
    {
        let message =
            format!("the surface has {width} x {height} x {depth} texels: leave its size out");
        return Err(spec.problem(codes::CONFLICT, message));
    }
    if format.is_block() {
        if kind == Kind::Raw {
            return Ok(None);
        }
        let message = format!("blocks of {format} are written to raw files only");
        return Err(spec.value.file.problem(codes::VALUE, message));
    }
    let images = made.planes();
    let pictures = matches!(kind, Kind::Png | Kind::Exr | Kind::Jpeg);
    let (extent, dims) = match made.geometry() {
        Geometry::D1 => ([width, 1, 1], 1),
        Geometry::D2 => ([width, height, 1], 2),
        Geometry::D3 => ([width, height, depth], 3),
        Geometry::A1d => ([width, images, 1], 2),
        _ if pictures => ([width, height.saturating_mul(images), 1], 2),
        _ => ([width, height, images], 3),
    };
    let [w, h, d] = extent;
    if Texels::byte_size(format, w, h, d).is_none() {
        let most = Count(texunit_files::MAX_BYTES, "byte");
        let message = format!("{w} x {h} x {d} texels are more than a file can have, {most}");
        return Err(spec.problem(codes::VALUE, message));
    }
    Ok(Some(Shape { format, extent, dims }))
}

/// The interpretation of memory as texels; `None` for a raw file.
fn memory_texels(size: u64, kind: Kind, spec: &At<OutputSpec>) -> Result<Option<Shape>, Problem> {
    let PartSpec { level, layer } = &spec.value.part;
    if let Some(key) = level.as_ref().or(layer.as_ref()) {
        return Err(key.problem(codes::CONFLICT, "only surfaces have a `level` and a `layer`"));
    }
    let missing = |what: &str| {
        let message = format!("memory that is written as {} needs {what}", kind.name());
        spec.problem(codes::MISSING_KEY, message)
    };
    let (format, extent) = (spec.value.format.as_ref().map(|f| f.value), spec.value.extent);
    if (kind != Kind::Raw || extent.is_some()) && format.is_none() {
        return Err(missing("a `format`, for instance \"u8x4\""));
    }
    if extent.is_none()
        && (matches!(kind, Kind::Png | Kind::Exr) || format.is_some_and(Format::is_block))
    {
        return Err(missing("a `width` and a `height`"));
    }
    if extent.is_none() && size > texunit_files::MAX_BYTES {
        let (bytes, most) = (Count(size, "byte"), texunit_files::MAX_BYTES);
        let message = format!("there are {bytes}, but a file can have {most}");
        let problem = spec.problem(codes::VALUE, message);
        return Err(problem.help("give a `format` and a `width` of what is wanted"));
    }
    let Some(format) = format else { return Ok(None) };
    let Some(extent) = extent else {
        let texel = u64::from(format.texel_size());
        let width = u32::try_from(size / texel).ok().filter(|_| size.is_multiple_of(texel));
        let width = width.ok_or_else(|| {
            let bytes = Count(size, "byte");
            let message =
                format!("the {bytes} {} not a whole number of texels of {format}", bytes.are());
            spec.problem(codes::VALUE, message)
        })?;
        return Ok(Some(Shape { format, extent: [width, 1, 1], dims: 1 }));
    };
    let [w, h, d] = extent;
    match Texels::byte_size(format, w, h, d) {
        Some(needed) if needed <= size => Ok(Some(Shape { format, extent, dims: spec.value.dims })),
        _ => {
            let needed = Count(format.byte_size(extent), "byte");
            let most = size.min(texunit_files::MAX_BYTES);
            let limit = if most < size { "a file can have" } else { "are there" };
            let texels = format!("{w} x {h} x {d} texels of {format}");
            let message = format!("{texels} take {needed}, but only {most} {limit}");
            Err(spec.problem(codes::VALUE, message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_output_is_larger_than_a_file_can_be() {
        let at = At { value: (), key: "out".to_owned(), span: 0..0 };
        let spec = at.with(OutputSpec {
            file: at.with(PathBuf::from("out.raw")),
            format: None,
            extent: None,
            dims: 1,
            part: PartSpec::default(),
        });
        let most = texunit_files::MAX_BYTES;
        assert_eq!(memory_texels(most, Kind::Raw, &spec).unwrap(), None);
        let texels = OutputSpec {
            format: Format::from_name("u8").map(|format| at.with(format)),
            ..spec.value.clone()
        };
        for (kind, spec) in [
            (Kind::Raw, &spec),
            (Kind::Raw, &at.with(texels.clone())),
            (Kind::Npy, &at.with(texels)),
        ] {
            let problem = memory_texels(most + 1, kind, spec).unwrap_err().message;
            assert_eq!(problem, "there are 2147483649 bytes, but a file can have 2147483648");
        }
    }
}
