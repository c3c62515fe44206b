//! The texels of a texture or surface of a job: where they come from and how they are arranged.

use crate::problem::codes;
use std::path::PathBuf;
use texunit_device::Format;
use texunit_files::Kind;
use texunit_spec::{At, Layout, ShapeSpec, Table, Texels, TomlValue};

/// Where texels come from.
#[derive(Clone, Debug)]
pub enum TexelSource {
    /// One file with all of them, or several that follow each other.
    Files(Vec<At<PathBuf>>),
    /// All zero.
    Zeros,
    /// Written in the job.
    Inline(At<Texels>),
    /// The memory of the buffer of a parameter; linear and pitched layout.
    Buffer(At<String>),
    /// The texels of the surface of a parameter or reference.
    Surface(At<String>),
    /// The texels of the texture of a parameter or reference.
    Texture(At<String>),
    /// Those of an array of the job.
    Array(At<String>),
    /// The memory at an address, whatever it is of; linear and pitched layout, textures only.
    Memory(At<u64>),
}

impl TexelSource {
    /// Whether the texels are those of another object of the job.
    pub fn is_shared(&self) -> bool {
        matches!(self, Self::Surface(_) | Self::Texture(_) | Self::Array(_))
    }

    /// The first file, if it is an array of numbers, whose elements say what the texels are.
    pub fn npy(&self) -> Option<&At<PathBuf>> {
        match self {
            Self::Files(files) => files.first().filter(|f| Kind::of(&f.value) == Kind::Npy),
            _ => None,
        }
    }

    /// The file, if it is one that says by itself what it holds, by its name.
    pub fn container(&self) -> Option<&At<PathBuf>> {
        match self {
            Self::Files(files) if files.len() == 1 => {
                files.first().filter(|f| matches!(Kind::of(&f.value), Kind::Dds | Kind::Ktx2))
            }
            _ => None,
        }
    }
}

/// Texels of a texture or surface.
#[derive(Clone, Debug)]
pub struct ResourceSpec {
    /// Where they come from.
    pub source: TexelSource,
    /// Nobody has written those that are not given: they are what fresh memory holds.
    pub is_undefined: bool,
    /// What they are; the format is left out only where they are those of another object.
    pub shape: ShapeSpec,
    /// `mipmaps = "box"`: levels are made of the base level.
    pub mipmaps: Option<At<()>>,
    /// `offset` in bytes, in the memory of a buffer
    pub offset: Option<u64>,
}

/// The keys that say what the texels are. `what` is `texture` or `surface`.
pub(super) fn resource(table: &Table<'_>, what: &str) -> Option<ResourceSpec> {
    let before = table.problem_count();
    let shape = ShapeSpec::read(table);
    let source = source(table, what, shape.format.as_ref().map(|format| format.value));
    let mipmaps = table.get("mipmaps").and_then(|v| Some(v.at(v.word(&[("box", ())])?)));
    let offset = table.get("offset").and_then(|v| v.number(0, 1 << 40));
    let is_undefined = super::memory::undefined(table);
    let spec = ResourceSpec { source: source?, is_undefined, shape, mipmaps, offset };
    is_complete(&spec, table, what, before).then_some(spec)
}

/// Reports mutually exclusive keys, and says whether none is missing. `before` is the number
/// of problems before the table was read.
fn is_complete(spec: &ResourceSpec, table: &Table<'_>, what: &str, before: usize) -> bool {
    let conflict = |message: String| table.problem(codes::CONFLICT, message);
    if spec.shape.geometry.is_some() && spec.shape.dims.is_some() {
        conflict("only one of the keys `geometry`, `dims` can be there".into());
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

const SOURCES: &str = "`file`, `files`, `texels`, `zeros`, `undefined`, `buffer`, `surface`, `texture`, `array`, `memory`";

/// The keys that say where texels come from; exactly one must be there.
fn source(table: &Table<'_>, what: &str, format: Option<Format>) -> Option<TexelSource> {
    let keys = [
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
    let mut given: Vec<_> = keys.into_iter().filter_map(|k| Some((k, table.get(k)?))).collect();
    // Beside texels it says what they do not cover.
    if given.len() == 2 && given.iter().any(|(key, _)| *key == "texels") {
        given.retain(|(key, _)| *key != "undefined" || !super::memory::undefined(table));
    }
    let (key, v) = match given.as_slice() {
        [(key, v)] => (*key, v),
        [] => {
            let message = format!("a {what} needs texels: expected one of the keys {SOURCES}");
            table.problem(codes::MISSING_KEY, message);
            return None;
        }
        _ => {
            table.problem(codes::CONFLICT, format!("only one of the keys {SOURCES} can be there"));
            return None;
        }
    };
    Some(match key {
        "file" => TexelSource::Files(vec![file(v)?]),
        "files" => TexelSource::Files(files(v)?),
        "texels" => TexelSource::Inline(Texels::read(v, format)?),
        "zeros" | "undefined" => {
            if !v.boolean()? {
                v.problem(codes::VALUE, "expected `true`: leave the key out otherwise");
                return None;
            }
            TexelSource::Zeros
        }
        "buffer" => TexelSource::Buffer(v.string("the name of a parameter with a buffer")?),
        "array" => TexelSource::Array(v.string("the name of an array of the job")?),
        "memory" => TexelSource::Memory(super::recorded::address(v)?),
        "surface" => TexelSource::Surface(v.string("the name of a parameter with a surface")?),
        _ => TexelSource::Texture(v.string("the name of a parameter with a texture")?),
    })
}

fn file(value: &TomlValue<'_>) -> Option<At<PathBuf>> {
    let name = value.string("a file name")?;
    Some(name.with(PathBuf::from(&name.value)))
}

fn files(value: &TomlValue<'_>) -> Option<Vec<At<PathBuf>>> {
    let items = value.array("an array of file names")?;
    if items.is_empty() {
        value.problem(codes::VALUE, "expected at least one file name");
        return None;
    }
    let files: Vec<_> = items.iter().filter_map(file).collect();
    (files.len() == items.len()).then_some(files)
}
