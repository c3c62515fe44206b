//! Parses the texels of a texture or surface: their source and layout.

use super::memory;
use crate::problem::codes;
use std::path::PathBuf;
use texunit_device::Format;
use texunit_files::Kind;
use texunit_spec::{At, Layout, ShapeSpec, Table, Texels, TomlValue};

/// The source of texels.
#[derive(Clone, Debug)]
pub enum TexelSource {
    /// One file with all texels, or several that are concatenated.
    Files(Vec<At<PathBuf>>),
    /// All texels are zeros.
    Zeros,
    /// Numbers in the job.
    Inline(At<Texels>),
    /// The buffer of a parameter, as linear or pitched memory.
    Buffer(At<String>),
    /// The texels of the surface of a parameter or reference.
    Surface(At<String>),
    /// The texels of the texture of a parameter or reference.
    Texture(At<String>),
    /// The texels of an array of the job.
    Array(At<String>),
    /// The memory at an address, as linear or pitched memory; only for textures.
    Memory(At<u64>),
}

impl TexelSource {
    /// Whether the texels belong to another object of the job.
    pub fn is_shared(&self) -> bool {
        matches!(self, Self::Surface(_) | Self::Texture(_) | Self::Array(_))
    }

    /// The first file, if it is an array file (`.npy`), whose elements determine the format.
    pub fn npy(&self) -> Option<&At<PathBuf>> {
        let Self::Files(files) = self else { return None };
        files.first().filter(|file| Kind::of(&file.value) == Kind::Npy)
    }

    /// The file, if its name is that of a container format, whose header describes the texels.
    pub fn container(&self) -> Option<&At<PathBuf>> {
        let Self::Files(files) = self else { return None };
        let [file] = files.as_slice() else { return None };
        matches!(Kind::of(&file.value), Kind::Dds | Kind::Ktx2).then_some(file)
    }
}

/// The texels of a texture or surface.
#[derive(Clone, Debug)]
pub struct ResourceSpec {
    /// The source of the texels.
    pub source: TexelSource,
    /// Texels without data are uninitialised, and have the contents of fresh memory.
    pub is_undefined: bool,
    /// Format and shape of the texels; the format is omitted only for texels of another object.
    pub shape: ShapeSpec,
    /// `mipmaps = "box"`: the other levels are generated from the base level.
    pub mipmaps: Option<At<()>>,
    /// `offset` in bytes into a buffer's memory
    pub offset: Option<u64>,
}

/// Parses the keys for texels. `what` is `texture` or `surface`.
pub(super) fn resource(table: &Table<'_>, what: &str) -> Option<ResourceSpec> {
    let before = table.problem_count();
    let shape = ShapeSpec::read(table);
    let source = source(table, what, shape.format.as_ref().map(|format| format.value));
    let mipmaps = table.get("mipmaps").and_then(|v| Some(v.at(v.word(&[("box", ())])?)));
    let offset = table.get("offset").and_then(|v| v.number(0, 1 << 40));
    let is_undefined = memory::undefined(table);
    let spec = ResourceSpec { source: source?, is_undefined, shape, mipmaps, offset };
    is_complete(&spec, table, what, before).then_some(spec)
}

/// Reports mutually exclusive and missing keys. `before` is the number of problems before the table
/// was parsed.
fn is_complete(spec: &ResourceSpec, table: &Table<'_>, what: &str, before: usize) -> bool {
    let conflict = |message: String| table.problem(codes::CONFLICT, message);
    if spec.shape.geometry.is_some() && spec.shape.dims.is_some() {
        conflict("only one of the keys `geometry`, `dims` can be there".to_owned());
    }
    if spec.shape.pitch.is_some() && spec.shape.layout.is_some_and(|l| l != Layout::Pitched) {
        conflict(format!("only a {what} of layout \"pitch\" has a `pitch`"));
    }
    if spec.offset.is_some() && !matches!(spec.source, TexelSource::Buffer(_)) {
        conflict(format!("only a {what} over a `buffer` has an `offset`"));
    }
    let shared = spec.source.is_shared();
    let own = spec.source.container().is_some() || spec.source.npy().is_some();
    if spec.shape.format.is_none() && !shared && !own {
        if table.get("format").is_none() {
            let message = format!("a {what} needs a `format`, for instance \"u8x4\"");
            table.problem(codes::MISSING_KEY, message);
        }
        return false;
    }
    let sized = matches!(spec.source, TexelSource::Files(_)) || shared;
    if spec.shape.extent.extent.is_none() && !sized {
        if table.get("width").is_none() || table.problem_count() == before {
            let message = format!("without a file, a {what} needs a `width`");
            table.problem(codes::MISSING_KEY, message);
        }
        return false;
    }
    true
}

/// The keys for the source of texels.
const SOURCES: [&str; 10] = [
    "file",
    "files",
    "texels",
    "zeros",
    "undefined",
    "buffer",
    "surface",
    "texture",
    "array",
    "memory",
];

/// Parses the source, of which there must be exactly one.
fn source(table: &Table<'_>, what: &str, format: Option<Format>) -> Option<TexelSource> {
    let mut given: Vec<_> = SOURCES.into_iter().filter_map(|k| Some((k, table.get(k)?))).collect();
    let keys = SOURCES.map(|key| format!("`{key}`")).join(", ");
    // Beside `texels`, `undefined` describes the texels without data.
    if given.len() == 2 && given.iter().any(|(key, _)| *key == "texels") {
        given.retain(|(key, _)| *key != "undefined" || !memory::undefined(table));
    }
    let (key, v) = match given.as_slice() {
        [(key, v)] => (*key, v),
        [] => {
            let message = format!("a {what} needs texels: expected one of the keys {keys}");
            return table.refuse(codes::MISSING_KEY, message);
        }
        _ => {
            let message = format!("only one of the keys {keys} can be there");
            return table.refuse(codes::CONFLICT, message);
        }
    };
    Some(match key {
        "file" => TexelSource::Files(vec![memory::file_name(v)?]),
        "files" => TexelSource::Files(files(v)?),
        "texels" => TexelSource::Inline(Texels::read(v, format)?),
        "zeros" | "undefined" => {
            if !v.boolean()? {
                return v.refuse(codes::VALUE, "expected `true`: leave the key out otherwise");
            }
            TexelSource::Zeros
        }
        "buffer" => TexelSource::Buffer(v.string("the name of a parameter with a buffer")?),
        "array" => TexelSource::Array(v.string("the name of an array of the job")?),
        "memory" => TexelSource::Memory(memory::address(v)?),
        "surface" => TexelSource::Surface(v.string("the name of a parameter with a surface")?),
        _ => TexelSource::Texture(v.string("the name of a parameter with a texture")?),
    })
}

fn files(value: &TomlValue<'_>) -> Option<Vec<At<PathBuf>>> {
    let items = value.array("an array of file names")?;
    if items.is_empty() {
        return value.refuse(codes::VALUE, "expected at least one file name");
    }
    let files: Vec<_> = items.iter().filter_map(memory::file_name).collect();
    (files.len() == items.len()).then_some(files)
}

/// Texels that do not belong to a parameter, for textures and surfaces to refer to.
#[derive(Clone, Debug)]
pub struct ArraySpec {
    /// Position of the table.
    pub at: At<()>,
    /// The texels of the array.
    pub resource: ResourceSpec,
    /// The key `name`, the array's name in messages.
    pub name: Option<String>,
    /// Whether the key `ended` is `"destroyed"`.
    pub ended: bool,
}

/// Parses an array.
pub(super) fn array(value: &TomlValue<'_>) -> Option<ArraySpec> {
    let table = value.table()?;
    let resource = resource(&table, "array");
    let name = table.get("name").and_then(|v| Some(v.string("a name")?.value));
    let ended = table.get("ended").and_then(|v| v.word(&[("destroyed", ())])).is_some();
    table.finish();
    Some(ArraySpec { at: value.at(()), resource: resource?, name, ended })
}
