//! The texels of a texture or surface of a job: where they come from and how they are arranged.

use super::number::{self, Typed};
use crate::problem::{Problem, codes};
use crate::table::{At, Found, Table};
use std::path::PathBuf;
use texunit_device::{Format, Geometry};
use texunit_files::Kind;

/// Where texels come from.
#[derive(Clone, Debug)]
pub enum TexelSource {
    /// One file with all of them, or several that follow each other.
    Files(Vec<At<PathBuf>>),
    /// All zero.
    Zeros,
    /// Written in the job.
    Inline(At<Vec<u8>>),
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

/// How texels lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextureLayout {
    /// An opaque array.
    Array,
    /// Rows with a pitch.
    Pitch,
    /// A single row.
    Linear,
}

/// `width`, `height`, `depth` as given.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExtentSpec {
    /// 1 where left out; `None`: no `width`.
    pub extent: Option<[u32; 3]>,
    /// Number of axes that were given.
    pub dims: u8,
}

/// A box of a sparse array.
#[derive(Clone, Debug, Default)]
pub struct Region {
    /// `level`
    pub level: u32,
    /// `layer`; of cubes, a face.
    pub layer: u32,
    /// `offset`; zeros where left out.
    pub offset: [u32; 3],
    /// `extent`; `None`: as far as the level goes.
    pub extent: Option<[u32; 3]>,
}

/// Which parts of a sparse array are in memory.
#[derive(Clone, Debug)]
pub struct TilesSpec {
    /// Whether the regions are those that are there, or those that are not.
    pub resident: bool,
    /// The regions.
    pub regions: Vec<At<Region>>,
}

/// Which part of an array is used, and as what.
#[derive(Clone, Debug, Default)]
pub struct ViewSpec {
    /// `format`
    pub format: Option<At<Format>>,
    /// `geometry`
    pub geometry: Option<Geometry>,
    /// `levels`: the first and the last.
    pub levels: Option<[u32; 2]>,
    /// `layers`: the first and the last.
    pub layers: Option<[u32; 2]>,
}

/// Texels of a texture or surface.
#[derive(Clone, Debug)]
pub struct ResourceSpec {
    /// Where they come from.
    pub source: TexelSource,
    /// Nobody has written those that are not given: they are what fresh memory holds.
    pub is_undefined: bool,
    /// `format`; left out only where the texels are those of another object.
    pub format: Option<At<Format>>,
    /// `geometry`
    pub geometry: Option<At<Geometry>>,
    /// `dims`
    pub dims: Option<u8>,
    /// `width`, `height`, `depth`
    pub extent: ExtentSpec,
    /// `layers`; of cubes, cubes.
    pub layers: Option<At<u32>>,
    /// `levels`
    pub levels: Option<At<u32>>,
    /// `samples`
    pub samples: Option<At<u32>>,
    /// `mipmaps = "box"`: levels are made of the base level.
    pub mipmaps: Option<At<()>>,
    /// `resident`, `nonresident`
    pub tiles: Option<At<TilesSpec>>,
    /// `layout`
    pub layout: Option<TextureLayout>,
    /// `pitch` in bytes
    pub pitch: Option<u64>,
    /// `offset` in bytes, in the memory of a buffer
    pub offset: Option<u64>,
    /// `view`
    pub view: Option<At<ViewSpec>>,
}

#[rustfmt::skip]
const LAYOUTS: &[(&str, TextureLayout)] = &[
    ("array",  TextureLayout::Array),
    ("pitch",  TextureLayout::Pitch),
    ("linear", TextureLayout::Linear),
];

#[rustfmt::skip]
const GEOMETRIES: &[(&str, Geometry)] = &[
    ("1d",    Geometry::D1),
    ("2d",    Geometry::D2),
    ("3d",    Geometry::D3),
    ("a1d",   Geometry::A1d),
    ("a2d",   Geometry::A2d),
    ("cube",  Geometry::Cube),
    ("acube", Geometry::Acube),
    ("2dms",  Geometry::D2ms),
    ("a2dms", Geometry::A2dms),
];

pub(super) fn format(table: &Table<'_>) -> Option<At<Format>> {
    let value = table.get("format")?;
    let name = value.string("a texel format such as \"u8x4\"")?;
    let format = Format::from_name(&name.value);
    if format.is_none() {
        let names: Vec<_> = Format::names().collect();
        let message = format!("`{}` is not a texel format", name.value);
        let problem = Problem::new(codes::VALUE, name.at(), message);
        value.report(match crate::formats::meant(&name.value) {
            Some(meant) => problem.help(format!("did you mean `{meant}`?")),
            None => problem.suggest(&name.value, &names),
        });
    }
    Some(name.with(format?))
}

/// `width`, `height` and `depth`.
pub(super) fn extent(table: &Table<'_>) -> ExtentSpec {
    let [width, height, depth] = ["width", "height", "depth"].map(|k| table.get(k));
    let dims = if depth.is_some() { 3 } else { 1 + u8::from(height.is_some()) };
    if width.is_none() && (height.is_some() || depth.is_some()) {
        table.problem(codes::MISSING_KEY, "`height` and `depth` need a `width`".into());
    }
    let read = |v: &Option<Found<'_>>| v.as_ref().and_then(|v| v.small(1)).unwrap_or(1);
    let extent = [read(&width), read(&height), read(&depth)];
    ExtentSpec { extent: width.is_some().then_some(extent), dims }
}

/// The keys that say what the texels are. `what` is `texture` or `surface`.
pub(super) fn resource(table: &Table<'_>, what: &str) -> Option<ResourceSpec> {
    let before = table.problem_count();
    let source = source(table, what);
    let format = format(table);
    let count = |key| table.get(key).and_then(|v| Some(v.at(v.small(1)?)));
    let geometry = table.get("geometry").and_then(|v| Some(v.at(v.word(GEOMETRIES)?)));
    let dims = table.get("dims").and_then(|v| v.number(1, 3)).map(|d| d as u8);
    let extent = extent(table);
    let (layers, levels, samples) = (count("layers"), count("levels"), count("samples"));
    let mipmaps = table.get("mipmaps").and_then(|v| Some(v.at(v.word(&[("box", ())])?)));
    let tiles = tiles(table);
    let layout = table.get("layout").and_then(|v| v.word(LAYOUTS));
    let pitch = table.get("pitch").and_then(|v| v.number(1, u32::MAX.into()));
    let offset = table.get("offset").and_then(|v| v.number(0, 1 << 40));
    let view = table.get("view").and_then(|v| view(&v));
    let spec = ResourceSpec {
        source: source?,
        is_undefined: super::memory::undefined(table),
        format,
        geometry,
        dims,
        extent,
        layers,
        levels,
        samples,
        mipmaps,
        tiles,
        layout,
        pitch,
        offset,
        view,
    };
    is_complete(&spec, table, what, before).then_some(spec)
}

/// Reports mutually exclusive keys, and says whether none is missing. `before` is the number
/// of problems before the table was read.
fn is_complete(spec: &ResourceSpec, table: &Table<'_>, what: &str, before: usize) -> bool {
    let conflict = |message: String| table.problem(codes::CONFLICT, message);
    if spec.geometry.is_some() && spec.dims.is_some() {
        conflict("only one of the keys `geometry`, `dims` can be there".into());
    }
    if spec.pitch.is_some() && spec.layout.is_some_and(|l| l != TextureLayout::Pitch) {
        conflict(format!("only a {what} of layout \"pitch\" has a `pitch`"));
    }
    if spec.offset.is_some() && !matches!(spec.source, TexelSource::Buffer(_)) {
        conflict(format!("only a {what} over a `buffer` has an `offset`"));
    }
    let shared = spec.source.is_shared();
    let own = spec.source.container().is_some() || spec.source.npy().is_some();
    if spec.format.is_none() && !shared && !own {
        if table.get("format").is_none() {
            let message = format!("a {what} needs a `format`, for instance \"u8x4\"");
            table.problem(codes::MISSING_KEY, message);
        }
        return false;
    }
    let sized = matches!(spec.source, TexelSource::Files(_)) || shared;
    if spec.extent.extent.is_none() && !sized {
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
fn source(table: &Table<'_>, what: &str) -> Option<TexelSource> {
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
        "texels" => TexelSource::Inline(inline(v)?),
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

fn file(value: &Found<'_>) -> Option<At<PathBuf>> {
    let name = value.string("a file name")?;
    Some(name.with(PathBuf::from(&name.value)))
}

fn files(value: &Found<'_>) -> Option<Vec<At<PathBuf>>> {
    let items = value.array("an array of file names")?;
    if items.is_empty() {
        value.problem(codes::VALUE, "expected at least one file name");
        return None;
    }
    let files: Vec<_> = items.iter().filter_map(file).collect();
    (files.len() == items.len()).then_some(files)
}

/// `{ f32 = [0.5, 1] }` or `{ bytes = "00 ff" }`.
fn inline(value: &Found<'_>) -> Option<At<Vec<u8>>> {
    let table = value.table()?;
    let (typed, bytes) = (number::typed(&table), table.get("bytes"));
    let before = table.problem_count();
    table.finish();
    let bytes = match (typed, bytes) {
        (Typed::One(ty, v), None) => number::numbers_of(ty, &v)?,
        (Typed::None, Some(v)) => number::raw_bytes(&v)?,
        (Typed::None, None) if table.problem_count() > before => return None,
        _ => {
            let message = "expected one key: `bytes`, or a type such as `u8` or `f32`";
            value.problem(codes::CONFLICT, message);
            return None;
        }
    };
    Some(value.at(bytes))
}

fn tiles(table: &Table<'_>) -> Option<At<TilesSpec>> {
    let (there, gone) = (table.get("resident"), table.get("nonresident"));
    let (resident, value) = match (there, gone) {
        (None, None) => return None,
        (Some(v), None) => (true, v),
        (None, Some(v)) => (false, v),
        (Some(_), Some(v)) => {
            let message = "only one of the keys `resident`, `nonresident` can be there";
            v.problem(codes::CONFLICT, message);
            return None;
        }
    };
    let items = value.array("an array of regions `{ level = 0, offset = [0, 0] }`")?;
    let regions: Vec<_> = items.iter().filter_map(region).collect();
    (regions.len() == items.len()).then(|| value.at(TilesSpec { resident, regions }))
}

fn region(value: &Found<'_>) -> Option<At<Region>> {
    let table = value.table()?;
    let before = table.problem_count();
    let number = |key| table.get(key).and_then(|v| v.small(0)).unwrap_or(0);
    let (level, layer) = (number("level"), number("layer"));
    let offset = table.get("offset").and_then(|v| numbers(&v, 0, 0)).unwrap_or_default();
    let extent = table.get("extent").and_then(|v| numbers(&v, 1, 1));
    table.finish();
    let sound = table.problem_count() == before;
    sound.then(|| value.at(Region { level, layer, offset, extent }))
}

/// One to three numbers from `least`; `rest` for those that are left out.
fn numbers(value: &Found<'_>, least: u32, rest: u32) -> Option<[u32; 3]> {
    let items = value.array("an array of 1 to 3 numbers")?;
    if !(1..=3).contains(&items.len()) {
        let message = format!("expected an array of 1 to 3 numbers, found {}", items.len());
        value.problem(codes::VALUE, message);
        return None;
    }
    let mut numbers = [rest; 3];
    for (to, item) in numbers.iter_mut().zip(&items) {
        *to = item.small(least)?;
    }
    Some(numbers)
}

fn view(value: &Found<'_>) -> Option<At<ViewSpec>> {
    let table = value.table()?;
    let before = table.problem_count();
    let format = format(&table);
    let geometry = table.get("geometry").and_then(|v| v.word(GEOMETRIES));
    let range = |key| table.get(key).and_then(|v| first_last(&v));
    let (levels, layers) = (range("levels"), range("layers"));
    table.finish();
    let sound = table.problem_count() == before;
    sound.then(|| value.at(ViewSpec { format, geometry, levels, layers }))
}

/// A number, or the first and the last.
fn first_last(value: &Found<'_>) -> Option<[u32; 2]> {
    if !value.is_array() {
        let one = value.small(0)?;
        return Some([one, one]);
    }
    let items = value.array("a number, or the first and the last")?;
    let [first, last] = items.as_slice() else {
        let message = format!("expected two numbers [first, last], found {}", items.len());
        value.problem(codes::VALUE, message);
        return None;
    };
    let range = [first.small(0)?, last.small(0)?];
    if range[0] > range[1] {
        value.problem(codes::VALUE, "the last one is before the first");
        return None;
    }
    Some(range)
}
