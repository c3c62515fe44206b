//! What a job wants to have written: checked before the launch, written after it.

use crate::job::OutputSpec;
use crate::problem::{Problem, codes};
use crate::table::At;
use std::path::{Path, PathBuf};
use texunit_device::{Array, Buffer, Format, Global};
use texunit_files::{FileError, Kind, Prepared, Texels};

/// Where the bytes of an output are.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Buffer(Buffer),
    /// With its number of dimensions.
    Array(Array, u8),
    Global(Global),
}

impl Source {
    fn size(&self) -> u64 {
        match self {
            Source::Buffer(b) => b.size(),
            Source::Array(a, _) => a.size(),
            Source::Global(g) => g.size(),
        }
    }

    fn read(&self) -> Vec<u8> {
        match self {
            Source::Buffer(b) => b.read(),
            Source::Array(a, _) => a.read(),
            Source::Global(g) => g.read(),
        }
    }
}

/// An output whose description is sound.
#[derive(Debug)]
pub(crate) struct Pending {
    /// Place in the job.
    pub(crate) at: At<()>,
    /// Parameter, reference or variable that it is of.
    pub(crate) param: String,
    /// Below the output folder.
    pub(crate) file: PathBuf,
    source: Source,
    /// As texels; `None`: all bytes as they are.
    texels: Option<(Format, [u32; 3], u8)>,
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Parameter, reference or variable that it is of.
    pub param: String,
    /// The file.
    pub path: PathBuf,
}

impl Pending {
    /// Checks an output against the object it is of.
    pub(crate) fn new(param: &str, source: Source, spec: &At<OutputSpec>) -> Result<Self, Problem> {
        let file = &spec.value.file;
        let kind = Kind::of(&file.value);
        let texels = match &source {
            Source::Array(array, dims) => Some(array_texels(array, *dims, spec)?),
            _ => memory_texels(source.size(), kind, spec)?,
        };
        if let Some((format, _, dims)) = texels {
            texunit_files::can_encode(kind, format, dims)
                .map_err(|e| Problem::new(codes::VALUE, file.at(), e.to_string()))?;
        }
        // `./x` and `x` are the same file.
        let file = file.value.components().filter(|c| matches!(c, std::path::Component::Normal(_)));
        Ok(Self {
            at: spec.with(()),
            param: param.to_owned(),
            file: file.collect(),
            source,
            texels,
        })
    }

    /// Writes the file below a folder, which is made if it is not there; it has its name only
    /// when it is committed.
    pub(crate) fn prepare(&self, folder: &Path) -> Result<(Prepared, Written), FileError> {
        let path = folder.join(&self.file);
        let parent = path.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent).map_err(|e| FileError::new(parent, e))?;
        let mut bytes = self.source.read();
        if let Some((format, [width, height, depth], dims)) = self.texels {
            let size = Texels::byte_size(format, width, height, depth);
            bytes.truncate(size.expect("checked against the object's size") as usize);
            let texels = Texels { format, dims, width, height, depth, bytes };
            bytes = texunit_files::encode(Kind::of(&path), &texels)
                .map_err(|e| FileError::new(&path, e))?;
        }
        let prepared = Prepared::new(&path, &bytes)?;
        Ok((prepared, Written { param: self.param.clone(), path }))
    }
}

/// Format and size of an array; what the output says must agree.
fn array_texels(
    array: &Array,
    dims: u8,
    spec: &At<OutputSpec>,
) -> Result<(Format, [u32; 3], u8), Problem> {
    if let Some(format) = &spec.value.format
        && format.value != array.format()
    {
        let message = format!("the surface has format {}, not {}", array.format(), format.value);
        return Err(Problem::new(codes::CONFLICT, format.at(), message));
    }
    let extent = array.extent();
    let own = [extent.width, extent.height, extent.depth];
    if let Some(extent) = spec.value.extent
        && extent != own
    {
        let [w, h, d] = own;
        let message = format!("the surface has {w} x {h} x {d} texels: leave its size out");
        return Err(Problem::new(codes::CONFLICT, spec.at(), message));
    }
    Ok((array.format(), own, dims))
}

/// How memory is read as texels; `None` for a raw file of all bytes.
fn memory_texels(
    size: u64,
    kind: Kind,
    spec: &At<OutputSpec>,
) -> Result<Option<(Format, [u32; 3], u8)>, Problem> {
    let missing = |what: &str| {
        let message = format!("memory that is written as {} needs {what}", kind.name());
        Problem::new(codes::MISSING_KEY, spec.at(), message)
    };
    let Some(format) = &spec.value.format else {
        return match (kind, spec.value.extent) {
            (Kind::Raw, None) if size > texunit_files::MAX_BYTES => {
                let most = texunit_files::MAX_BYTES;
                let message = format!("there are {size} bytes, but a file can have {most}");
                Err(Problem::new(codes::VALUE, spec.at(), message)
                    .help("give a `format` and a `width` of what is wanted"))
            }
            (Kind::Raw, None) => Ok(None),
            _ => Err(missing("a `format`, for instance \"u8x4\"")),
        };
    };
    let format = format.value;
    let texel = u64::from(format.texel_size());
    let Some(extent) = spec.value.extent else {
        if matches!(kind, Kind::Png | Kind::Exr) {
            return Err(missing("a `width` and a `height`"));
        }
        let width = u32::try_from(size / texel).ok().filter(|_| size.is_multiple_of(texel));
        let width = width.ok_or_else(|| {
            let message = format!("the {size} bytes are not a whole number of texels of {format}");
            Problem::new(codes::VALUE, spec.at(), message)
        })?;
        return Ok(Some((format, [width, 1, 1], 1)));
    };
    let [w, h, d] = extent;
    match Texels::byte_size(format, w, h, d) {
        Some(needed) if needed <= size => Ok(Some((format, extent, spec.value.dims))),
        _ => {
            let needed = u128::from(w) * u128::from(h) * u128::from(d) * u128::from(texel);
            let most = size.min(texunit_files::MAX_BYTES);
            let limit = if most < size { "a file can have" } else { "are there" };
            let message = format!(
                "{w} x {h} x {d} texels of {format} take {needed} bytes, but only {most} {limit}"
            );
            Err(Problem::new(codes::VALUE, spec.at(), message))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn no_output_is_larger_than_a_file_can_be() {
        let at = At { value: (), key: "out".to_owned(), span: 0..0 };
        let spec = at.with(OutputSpec {
            file: at.with(PathBuf::from("out.raw")),
            format: None,
            extent: None,
            dims: 1,
        });
        let most = texunit_files::MAX_BYTES;
        assert_eq!(memory_texels(most, Kind::Raw, &spec).unwrap(), None);
        let problem = memory_texels(most + 1, Kind::Raw, &spec).unwrap_err();
        assert_eq!(problem.message, "there are 2147483649 bytes, but a file can have 2147483648");
    }
}
