//! Textures, surfaces and samplers of a job.

use super::number;
use crate::problem::{Problem, codes};
use crate::table::{At, Found, Table};
use std::path::PathBuf;
use texunit_device::{AddressMode, Filter, Format, ReadMode};

/// Where texels come from.
#[derive(Clone, Debug)]
pub enum TexelSource {
    /// A file.
    File(At<PathBuf>),
    /// All zero.
    Zeros,
    /// The buffer of a parameter; linear and pitched textures.
    Buffer(At<String>),
    /// The array of a surface; array textures.
    Surface(At<String>),
}

/// How the texels of a texture lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextureLayout {
    /// An opaque array.
    Array,
    /// Rows with a pitch.
    Pitch,
    /// A single row.
    Linear,
}

/// Sampler state that a job gives; `None`: the default of the place it is used at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SamplerSpec {
    /// `filter`
    pub filter: Option<Filter>,
    /// `address`
    pub address: Option<[AddressMode; 3]>,
    /// `border`, f32 bits
    pub border: Option<[u32; 4]>,
    /// `force_unnormalized`
    pub force_unnormalized: Option<bool>,
}

/// A texture.
#[derive(Clone, Debug)]
pub struct TextureSpec {
    /// Place of the table.
    pub at: At<()>,
    /// Its texels.
    pub source: TexelSource,
    /// `format`; a texture over a surface has the surface's.
    pub format: Option<At<Format>>,
    /// `read`
    pub read: ReadMode,
    /// `normalized`
    pub normalized: Option<bool>,
    /// `filter`, `address`, `border`
    pub sampler: SamplerSpec,
    /// `dims`
    pub dims: Option<u8>,
    /// `layout`
    pub layout: Option<TextureLayout>,
    /// `width`, `height`, `depth`
    pub extent: Option<[u32; 3]>,
    /// `pitch` in bytes
    pub pitch: Option<u64>,
}

/// A surface.
#[derive(Clone, Debug)]
pub struct SurfaceSpec {
    /// Place of the table.
    pub at: At<()>,
    /// Its texels.
    pub source: TexelSource,
    /// `format`
    pub format: At<Format>,
    /// `dims`
    pub dims: Option<u8>,
    /// `width`, `height`, `depth`
    pub extent: Option<[u32; 3]>,
}

const FILTERS: &[(&str, Filter)] = &[("point", Filter::Point), ("linear", Filter::Linear)];

const READS: &[(&str, ReadMode)] =
    &[("element", ReadMode::Element), ("normalized", ReadMode::NormalizedFloat)];

#[rustfmt::skip]
const ADDRESSES: &[(&str, AddressMode)] = &[
    ("wrap",   AddressMode::Wrap),
    ("mirror", AddressMode::Mirror),
    ("clamp",  AddressMode::Clamp),
    ("border", AddressMode::Border),
];

#[rustfmt::skip]
const LAYOUTS: &[(&str, TextureLayout)] = &[
    ("array",  TextureLayout::Array),
    ("pitch",  TextureLayout::Pitch),
    ("linear", TextureLayout::Linear),
];

pub(super) fn format(table: &Table<'_>) -> Option<At<Format>> {
    let value = table.get("format")?;
    let name = value.string("a texel format such as \"u8x4\"")?;
    let format = Format::from_name(&name.value);
    if format.is_none() {
        let names: Vec<_> = Format::names().collect();
        let message = format!("`{}` is no texel format", name.value);
        value.report(Problem::new(codes::VALUE, name.at(), message).suggest(&name.value, &names));
    }
    Some(name.with(format?))
}

/// `width`, `height` and `depth`, and how many of them there are.
pub(super) fn extent(table: &Table<'_>) -> (Option<[u32; 3]>, u8) {
    let [width, height, depth] = ["width", "height", "depth"].map(|k| table.get(k));
    let given = if depth.is_some() { 3 } else { 1 + u8::from(height.is_some()) };
    if width.is_none() && (height.is_some() || depth.is_some()) {
        table.problem(codes::MISSING_KEY, "`height` and `depth` need a `width`".into());
    }
    let read = |v: &Option<Found<'_>>| v.as_ref().and_then(|v| v.small(1)).unwrap_or(1);
    let extent = [read(&width), read(&height), read(&depth)];
    (width.is_some().then_some(extent), given)
}

fn dims(table: &Table<'_>) -> Option<u8> {
    table.get("dims").and_then(|v| v.number(1, 3)).map(|d| d as u8)
}

/// The keys that say where texels come from; exactly one must be there.
fn source(table: &Table<'_>, may_alias: bool) -> Option<TexelSource> {
    let file = table.get("file");
    let zeros = table.get("zeros");
    let buffer = may_alias.then(|| table.get("buffer")).flatten();
    let surface = may_alias.then(|| table.get("surface")).flatten();
    let keys = if may_alias { "`file`, `zeros`, `buffer`, `surface`" } else { "`file`, `zeros`" };
    match (&file, &zeros, &buffer, &surface) {
        (Some(v), None, None, None) => {
            let name = v.string("a file name")?;
            Some(TexelSource::File(name.with(PathBuf::from(&name.value))))
        }
        (None, Some(v), None, None) => {
            if !v.boolean()? {
                v.problem(codes::VALUE, "expected `true`: leave the key out otherwise");
                return None;
            }
            Some(TexelSource::Zeros)
        }
        (None, None, Some(v), None) => {
            Some(TexelSource::Buffer(v.string("the name of a parameter with a buffer")?))
        }
        (None, None, None, Some(v)) => {
            Some(TexelSource::Surface(v.string("the name of a parameter with a surface")?))
        }
        (None, None, None, None) => {
            table.problem(codes::MISSING_KEY, format!("expected one of the keys {keys}"));
            None
        }
        _ => {
            table.problem(codes::CONFLICT, format!("only one of the keys {keys} can be there"));
            None
        }
    }
}

/// Reads the keys of a texture.
pub(super) fn texture(table: &Table<'_>, at: At<()>) -> Option<TextureSpec> {
    let source = source(table, true);
    let format = format(table);
    let read = table.get("read").and_then(|v| v.word(READS)).unwrap_or_default();
    let normalized = table.get("normalized").and_then(|v| v.boolean());
    let sampler = sampler_keys(table);
    let dims = dims(table);
    let layout = table.get("layout").and_then(|v| v.word(LAYOUTS));
    let (extent, _) = extent(table);
    let pitch = table.get("pitch").and_then(|v| v.number(1, u32::MAX.into()));
    table.finish();
    let source = source?;
    if format.is_none() && !matches!(source, TexelSource::Surface(_)) {
        if table.get("format").is_none() {
            let message = "a texture needs a `format`, for instance \"u8x4\"";
            table.problem(codes::MISSING_KEY, message.into());
        }
        return None;
    }
    if extent.is_none() && matches!(source, TexelSource::Zeros | TexelSource::Buffer(_)) {
        table.problem(codes::MISSING_KEY, "without a file, a texture needs a `width`".into());
        return None;
    }
    if pitch.is_some() && layout.is_some_and(|l| l != TextureLayout::Pitch) {
        table.problem(codes::CONFLICT, "only a texture of layout \"pitch\" has a `pitch`".into());
    }
    Some(TextureSpec { at, source, format, read, normalized, sampler, dims, layout, extent, pitch })
}

/// Reads the keys of a surface.
pub(super) fn surface(table: &Table<'_>, at: At<()>) -> Option<SurfaceSpec> {
    let source = source(table, false);
    let format = format(table);
    let dims = dims(table);
    let (extent, given) = extent(table);
    table.finish();
    let source = source?;
    let Some(format) = format else {
        if table.get("format").is_none() {
            table.problem(
                codes::MISSING_KEY,
                "a surface needs a `format`, for instance \"u8x4\"".into(),
            );
        }
        return None;
    };
    if extent.is_none() && matches!(source, TexelSource::Zeros) {
        table.problem(codes::MISSING_KEY, "without a file, a surface needs a `width`".into());
        return None;
    }
    let own = matches!(source, TexelSource::Zeros).then_some(given);
    Some(SurfaceSpec { at, source, format, dims: dims.or(own), extent })
}

/// Reads the keys of a sampler.
pub(super) fn sampler(value: &Found<'_>) -> Option<SamplerSpec> {
    let table = value.table()?;
    let mut spec = sampler_keys(&table);
    spec.force_unnormalized = table.get("force_unnormalized").and_then(|v| v.boolean());
    table.finish();
    Some(spec)
}

fn sampler_keys(table: &Table<'_>) -> SamplerSpec {
    SamplerSpec {
        filter: table.get("filter").and_then(|v| v.word(FILTERS)),
        address: table.get("address").and_then(|v| address(&v)),
        border: table.get("border").and_then(|v| border(&v)),
        force_unnormalized: None,
    }
}

/// One word for all axes, or a word for each. The axes left out are like the last one: a 1D
/// texture has a row too, whose mode shows under border (docs/numerics.md 1).
fn address(value: &Found<'_>) -> Option<[AddressMode; 3]> {
    if !value.is_array() {
        return Some([value.word(ADDRESSES)?; 3]);
    }
    let items = value.array("address modes")?;
    if !(1..=3).contains(&items.len()) {
        value
            .problem(codes::VALUE, format!("expected 1 to 3 address modes, found {}", items.len()));
        return None;
    }
    let mut modes = [AddressMode::Clamp; 3];
    for axis in 0..modes.len() {
        modes[axis] = match items.get(axis) {
            Some(item) => item.word(ADDRESSES)?,
            None => modes[axis - 1],
        };
    }
    Some(modes)
}

fn border(value: &Found<'_>) -> Option<[u32; 4]> {
    let items = value.array("a border colour [r, g, b, a]")?;
    if items.len() != 4 {
        value.problem(
            codes::VALUE,
            format!("expected 4 numbers [r, g, b, a], found {}", items.len()),
        );
        return None;
    }
    let mut bits = [0; 4];
    for (to, item) in bits.iter_mut().zip(&items) {
        let bytes = number::number(number::NumberType::F32, item)?;
        *to = u32::from_le_bytes(bytes.try_into().ok()?);
    }
    Some(bits)
}
