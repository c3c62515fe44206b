//! Parses buffers, variables and outputs of a job.

use super::recorded::{self, Parts, PlaceSpec};
use crate::problem::codes;
use std::path::{Component, Path, PathBuf};
use texunit_device::Format;
use texunit_spec::number::{self, Typed};
use texunit_spec::{At, ExtentSpec, Table, TomlValue, extent, format};

/// The initial contents of memory.
#[derive(Clone, Debug)]
pub enum Data {
    /// Zeros; `None` fills the whole object.
    Zeros(Option<u64>),
    /// A file; with a format, an image that is read as texels.
    File(At<PathBuf>, Option<At<Format>>),
    /// Numbers in the job.
    Inline(Vec<u8>),
}

/// A buffer of linear memory.
#[derive(Clone, Debug)]
pub struct BufferSpec {
    /// Position of the table.
    pub at: At<()>,
    /// The initial contents of the buffer.
    pub data: Data,
    /// Bytes without data are uninitialised: they have the contents of fresh memory, and their use
    /// is reported as undefined.
    pub is_undefined: bool,
    /// Size in bytes, if larger than the data.
    pub size: Option<At<u64>>,
    /// Offsets and lengths for the data; `None` if it begins at offset 0.
    pub parts: Option<At<Parts>>,
    /// Address, name and state.
    pub place: PlaceSpec,
}

/// An output file.
#[derive(Clone, Debug)]
pub struct OutputSpec {
    /// The file, relative to the output folder.
    pub file: At<PathBuf>,
    /// The key `format`.
    pub format: Option<At<Format>>,
    /// The keys `width`, `height` and `depth`; 1 where omitted. `None` without `width`.
    pub extent: Option<[u32; 3]>,
    /// Number of axes that were given.
    pub dims: u8,
    /// `level`, for a mipmapped array
    pub level: Option<At<u32>>,
    /// `layer`; for cubes, the face
    pub layer: Option<At<u32>>,
}

/// Parses a buffer.
pub(super) fn buffer(value: &TomlValue<'_>) -> Option<BufferSpec> {
    let table = value.table()?;
    let before = table.problem_count();
    let size = table.get("size").and_then(|v| Some(v.at(v.number(1, 1 << 40)?)));
    let has_size = size.is_some();
    let is_undefined = undefined(&table);
    let data = data(&table);
    let (parts, place) = (recorded::parts(&table), recorded::place(&table));
    table.finish();
    let data = match data {
        Some(Data::Zeros(None)) if !has_size => {
            table.problem(
                codes::MISSING_KEY,
                "expected the number of bytes in `zeros` or `size`".into(),
            );
            return None;
        }
        Some(data) => data,
        None if table.problem_count() > before => return None,
        None if has_size => Data::Zeros(None),
        None => {
            let keys = "`zeros`, `size`, `file`, `bytes` or a type such as `u32`";
            table.problem(codes::MISSING_KEY, format!("expected one of the keys {keys}"));
            return None;
        }
    };
    Some(BufferSpec { at: value.at(()), data, is_undefined, size, parts, place })
}

/// `undefined = true`: bytes without data are uninitialised.
pub(super) fn undefined(table: &Table<'_>) -> bool {
    table.get("undefined").is_some_and(|v| v.boolean() == Some(true))
}

/// Parses the keys for contents, of which at most one is allowed.
pub(super) fn data(table: &Table<'_>) -> Option<Data> {
    let zeros = table.get("zeros");
    let file = table.get("file");
    let bytes = table.get("bytes");
    let typed = number::typed(table);
    let format = if file.is_some() { format(table) } else { None };
    match (zeros, file, bytes, typed) {
        (None, None, None, Typed::None) => None,
        (Some(v), None, None, Typed::None) => zeros_of(&v),
        (None, Some(v), None, Typed::None) => {
            let name = v.string("a file name")?;
            Some(Data::File(name.with(PathBuf::from(&name.value)), format))
        }
        (None, None, Some(v), Typed::None) => number::raw_bytes(&v).map(Data::Inline),
        (None, None, None, Typed::One(ty, v)) => number::numbers_of(ty, &v).map(Data::Inline),
        _ => {
            table.problem(
                codes::CONFLICT,
                "only one of `zeros`, `file`, `bytes` and the types such as `u32` can be there"
                    .into(),
            );
            None
        }
    }
}

/// A number of bytes, or `true` for the whole object.
fn zeros_of(value: &TomlValue<'_>) -> Option<Data> {
    if value.is_boolean() {
        if value.boolean() == Some(false) {
            value.problem(codes::VALUE, "expected `true` or a number of bytes");
            return None;
        }
        return Some(Data::Zeros(None));
    }
    Some(Data::Zeros(Some(value.number(1, 1 << 40)?)))
}

/// Parses an output.
fn output(value: &TomlValue<'_>) -> Option<At<OutputSpec>> {
    let table = value.table()?;
    let file = table.need("file", "the name of the file to be written");
    let format = format(&table);
    let ExtentSpec { extent, dims } = extent(&table);
    let number = |key| table.get(key).and_then(|v| Some(v.at(v.small(0)?)));
    let (level, layer) = (number("level"), number("layer"));
    table.finish();
    let file = file?.string("a file name")?;
    let path = Path::new(&file.value);
    let plain = path.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
    if !plain || path.file_name().is_none() || file.value.ends_with('/') {
        let message = format!("`{}` is not a file below the output folder", file.value);
        value.report(
            file.problem(codes::VALUE, message)
                .help("outputs are written to the folder of `--out`: give a name without `..` and a leading `/`"),
        );
        return None;
    }
    if file.value.chars().any(char::is_control) {
        value.report(file.problem(codes::VALUE, "no file name has control characters"));
        return None;
    }
    let file = file.with(path.to_owned());
    Some(value.at(OutputSpec { file, format, extent, dims, level, layer }))
}

/// Parses an output or an array of outputs.
pub(super) fn outputs(value: &TomlValue<'_>) -> Vec<At<OutputSpec>> {
    if !value.is_array() {
        return output(value).into_iter().collect();
    }
    let items = value.array("a table `{ file = ... }` or an array of them").unwrap_or_default();
    items.iter().filter_map(output).collect()
}
