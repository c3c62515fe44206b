//! What the objects of a job hold before the launch, as plain bytes: for who writes the job anew.

use super::{Bound, Object};
use crate::made::Made;
use crate::output::Pending;
use crate::spec::{Data, Job, ParamValue, ResourceSpec, TexelSource};
use std::path::{Path, PathBuf};
use texunit_device::{Error, Format, Geometry};
use texunit_files::FileError;

/// What an object holds that a job has described by files or numbers of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// The table of the job that describes it: `params`, `objects`, `textures` or `surfaces`.
    pub table: &'static str,
    /// Its key there, as written.
    pub key: String,
    /// The bytes; of texels all levels, packed.
    pub bytes: Vec<u8>,
    /// What the texels are; none: a buffer.
    pub shape: Option<Shape>,
}

/// An array of texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Of each texel.
    pub format: Format,
    /// Kind of array.
    pub geometry: Geometry,
    /// Size of a layer of the base level.
    pub extent: [u32; 3],
    /// Layers, of cubes cubes; none: there are no layers.
    pub layers: Option<u32>,
    /// Mip levels; none: it is not mipmapped.
    pub levels: Option<u32>,
    /// Samples of a texel; none: it is not multi-sample.
    pub samples: Option<u32>,
}

/// An output of a job, before it is written.
#[derive(Clone, Copy, Debug)]
pub struct Output<'a> {
    /// Parameter, reference or variable that it is of.
    pub param: &'a str,
    /// The file, below the output folder.
    pub file: &'a Path,
    /// Format, and width, height and depth; none: bytes as they are.
    pub texels: Option<(Format, [u32; 3])>,
    /// Bytes.
    pub size: u64,
    /// Address of the first byte, of buffers and variables.
    pub address: Option<u64>,
    /// Number of the allocation and first layer or face, of arrays.
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

    /// What it holds now.
    pub fn bytes(&self) -> Result<Vec<u8>, Error> {
        self.pending.bytes()
    }

    /// The file that would be written now.
    pub fn file_bytes(&self) -> Result<Vec<u8>, FileError> {
        self.pending.file_bytes(self.file)
    }
}

/// An object that does not hold what the job expects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongObject {
    /// Its name in the job.
    pub name: String,
    /// The first byte that is not as expected.
    pub offset: u64,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// Larger objects are left out: their bytes are no help to anybody.
const MAX_BYTES: usize = 256 << 20;

impl Bound {
    /// The contents of buffers, textures and surfaces that are not zero by the job's word, nor those of others.
    pub fn contents(&self, job: &Job) -> Vec<Content> {
        let mut found = Vec::new();
        for (index, param) in job.params.iter().enumerate() {
            let content = match (&param.value, self.objects.get(&index)) {
                (ParamValue::Buffer(spec), Some(Object::Buffer(buffer)))
                    if !matches!(spec.data, Data::Zeros(_))
                        && buffer.size() <= MAX_BYTES as u64 =>
                {
                    Some((buffer.read(), None))
                }
                (ParamValue::Texture(spec), Some(Object::Texture { whole, .. })) => {
                    texels(&spec.resource, whole)
                }
                (ParamValue::Surface(spec), Some(Object::Surface { whole, .. })) => {
                    texels(&spec.resource, whole)
                }
                _ => None,
            };
            let table = if param.is_object { "objects" } else { "params" };
            found.extend(content.map(|c| of(table, &param.name.value, c)));
        }
        for (name, spec) in &job.textures {
            let made = self.textures.get(&name.value);
            let content = made.and_then(|made| texels(&spec.resource, made));
            found.extend(content.map(|c| of("textures", &name.value, c)));
        }
        for (name, spec, _) in &job.surfaces {
            let made = self.surfaces.get(&name.value);
            let content = made.and_then(|made| texels(&spec.resource, &made.whole));
            found.extend(content.map(|c| of("surfaces", &name.value, c)));
        }
        found
    }

    /// Objects that do not hold what the job expects, after the launch.
    pub fn wrong_objects(&self) -> Result<Vec<WrongObject>, Error> {
        let mut found = Vec::new();
        for expectation in &self.expectations {
            if let Some(offset) = expectation.first_difference()? {
                let (name, bytes) = (expectation.name.clone(), expectation.source.read()?);
                found.push(WrongObject { name, offset, bytes });
            }
        }
        Ok(found)
    }

    /// The outputs, and where they lie.
    pub fn outputs(&self) -> Vec<Output<'_>> {
        self.outputs.iter().map(Output::of).collect()
    }

    /// The bytes of every output as they are now, with the name of its file.
    pub fn output_bytes(&self) -> Result<Vec<(PathBuf, Vec<u8>)>, Error> {
        self.outputs.iter().map(|output| Ok((output.file.clone(), output.bytes()?))).collect()
    }
}

fn of(table: &'static str, key: &str, (bytes, shape): (Vec<u8>, Option<Shape>)) -> Content {
    Content { table, key: key.to_owned(), bytes, shape }
}

/// The texels of an array that is the job's own and whole.
fn texels(spec: &ResourceSpec, made: &Made) -> Option<(Vec<u8>, Option<Shape>)> {
    let own = matches!(spec.source, TexelSource::Files(_) | TexelSource::Inline(_));
    let whole = spec.shape.view.is_none() && spec.shape.tiles.is_none();
    let (layers, levels, samples, size) = match made {
        Made::Array(array) => (array.layers(), None, array.samples(), array.size()),
        Made::Mipmapped(array) => (array.layers(), Some(array.levels()), 1, array.size()),
        _ => return None,
    };
    if !own || !whole || size > MAX_BYTES as u64 {
        return None;
    }
    let (format, geometry) = (made.format(), made.geometry());
    let extent = made.extent().axes();
    let layers = geometry.is_array().then_some(layers);
    let samples = geometry.is_multisample().then_some(samples);
    Some((made.read(), Some(Shape { format, geometry, extent, layers, levels, samples })))
}
