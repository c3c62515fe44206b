//! The initial and final contents of a job's objects as plain bytes, for programs that rewrite or
//! compare jobs.

use super::{Bound, Object};
use crate::expect::Difference;
use crate::output::Pending;
use crate::spec::{Data, Job, ParamValue, TexelSource};
use crate::texel_resource::TexelResource;
use std::path::{Path, PathBuf};
use texunit_device::{ArrayShape, Error, Format};
use texunit_files::FileError;

/// The contents of an object that the job specifies by files or numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// The job's table that describes the object: `params`, `objects`, `textures` or `surfaces`.
    pub table: &'static str,
    /// The object's key in the table, as written.
    pub key: String,
    /// The object's bytes; for texels all levels, without padding.
    pub bytes: Vec<u8>,
    /// The shape of texels; `None` for a buffer.
    pub shape: Option<ArrayShape>,
}

/// An output of a job that is not yet written.
#[derive(Clone, Copy, Debug)]
pub struct Output<'a> {
    /// The parameter, reference or variable that is written.
    pub param: &'a str,
    /// The file, relative to the output folder.
    pub file: &'a Path,
    /// Format, and width, height and depth, of the texels that are written; `None` for raw bytes.
    pub texels: Option<(Format, [u32; 3])>,
    /// The output's size in bytes.
    pub size: u64,
    /// The address of the first byte, for buffers and variables.
    pub address: Option<u64>,
    /// The allocation number and the first layer or face, for arrays.
    pub array: Option<(u64, u32)>,
    pending: &'a Pending,
}

impl<'a> Output<'a> {
    fn of(pending: &'a Pending) -> Self {
        let (param, file) = (pending.param.as_str(), pending.file.as_path());
        let (texels, size) = (pending.format_and_extent(), pending.size());
        let (address, array) = pending.whereabouts();
        Self { param, file, texels, size, address, array, pending }
    }

    /// The current bytes of the output.
    pub fn bytes(&self) -> Result<Vec<u8>, FileError> {
        self.pending.bytes(self.file)
    }

    /// The bytes of the output file that the object's current contents would make.
    pub fn file_bytes(&self) -> Result<Vec<u8>, FileError> {
        self.pending.file_bytes(self.file)
    }
}

/// An object whose contents differ from what the job expects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongObject {
    /// The object's name in the job.
    pub name: String,
    /// Offset of the first byte that differs.
    pub offset: u64,
    /// The object's bytes after the launch.
    pub bytes: Vec<u8>,
}

/// Maximum size of an object whose bytes are returned.
const MAX_BYTES: u64 = 256 << 20;

impl Bound {
    /// The initial contents of buffers, textures and surfaces, except those that are zero or shared
    /// with other objects.
    pub fn contents(&self, job: &Job) -> Vec<Content> {
        let mut found = Vec::new();
        for (index, param) in job.params.iter().enumerate() {
            let Some(object) = self.objects.get(&index) else { continue };
            let content = match (&param.value, object) {
                (ParamValue::Buffer(spec), Object::Buffer(buffer))
                    if !matches!(spec.data, Data::Zeros(_)) && buffer.size() <= MAX_BYTES =>
                {
                    Some((buffer.read(), None))
                }
                (value, object) => object.texels().and_then(|made| texels(value, &made.whole)),
            };
            let (table, key) = (param.table, &param.name.value);
            found.extend(content.map(|(bytes, shape)| Content {
                table,
                key: key.clone(),
                bytes,
                shape,
            }));
        }
        found
    }

    /// The objects that differ from the job's expectations after the launch.
    pub fn wrong_objects(&self) -> Result<Vec<WrongObject>, Error> {
        let mut found = Vec::new();
        for expectation in &self.expectations {
            if let Some(Difference { at: offset, .. }) = expectation.compare()? {
                let (name, bytes) = (expectation.name.clone(), expectation.source.read());
                found.push(WrongObject { name, offset, bytes });
            }
        }
        Ok(found)
    }

    /// The outputs, with their addresses.
    pub fn outputs(&self) -> Vec<Output<'_>> {
        self.outputs.iter().map(Output::of).collect()
    }

    /// The current bytes of each output, with its file name.
    pub fn output_bytes(&self) -> Result<Vec<(PathBuf, Vec<u8>)>, FileError> {
        let bytes = |output: &Pending| Ok((output.file.clone(), output.bytes(&output.file)?));
        self.outputs.iter().map(bytes).collect()
    }
}

/// The texels of an array that the job specifies completely.
fn texels(value: &ParamValue, made: &TexelResource) -> Option<(Vec<u8>, Option<ArrayShape>)> {
    let spec = value.resource()?;
    let own = matches!(spec.source, TexelSource::Files(_) | TexelSource::Inline(_));
    let whole = spec.shape.view.is_none() && spec.shape.tiles.is_none();
    let array = made.array()?;
    if !own || !whole || array.size() > MAX_BYTES {
        return None;
    }
    Some((made.read(), Some(*array.texels().shape())))
}
