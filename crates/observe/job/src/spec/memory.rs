//! Buffers, variables and outputs of a job.

use super::recorded::{self, Parts, PlaceSpec};
use crate::problem::{Problem, codes};
use std::path::{Component, Path, PathBuf};
use texunit_device::Format;
use texunit_spec::number::{self, Typed};
use texunit_spec::{At, ExtentSpec, Table, TomlValue, extent, format};

/// What memory holds at the start.
#[derive(Clone, Debug)]
pub enum Data {
    /// Zero bytes; `None`: as many as the object has.
    Zeros(Option<u64>),
    /// A file; with a format, a picture read as texels.
    File(At<PathBuf>, Option<At<Format>>),
    /// Numbers written in the job.
    Inline(Vec<u8>),
}

/// Linear memory.
#[derive(Clone, Debug)]
pub struct BufferSpec {
    /// Place of the table.
    pub at: At<()>,
    /// What it holds.
    pub data: Data,
    /// Nobody has written what the data do not cover: it holds what fresh memory does, and a use of it is one of
    /// undefined bytes.
    pub is_undefined: bool,
    /// Its size in bytes, if larger than the data.
    pub size: Option<At<u64>>,
    /// Where the data are in it; `None`: from the first byte on.
    pub parts: Option<At<Parts>>,
    /// Where it is.
    pub place: PlaceSpec,
}

/// A file to be written.
#[derive(Clone, Debug)]
pub struct OutputSpec {
    /// Below the output folder.
    pub file: At<PathBuf>,
    /// `format`
    pub format: Option<At<Format>>,
    /// `width`, `height`, `depth`; 1 where omitted. `None`: no `width`.
    pub extent: Option<[u32; 3]>,
    /// Number of dimensions that were given.
    pub dims: u8,
    /// `level`, of a mipmapped array
    pub level: Option<At<u32>>,
    /// `layer`; of cubes, the face
    pub layer: Option<At<u32>>,
}

/// Reads the keys of a buffer.
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

/// `undefined = true`: what is not given is uninitialised data.
pub(super) fn undefined(table: &Table<'_>) -> bool {
    table.get("undefined").is_some_and(|v| v.boolean() == Some(true))
}

/// Reads the keys that say what memory holds: at most one of them.
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

/// A number of bytes, or `true` for all of an object that has a size.
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

/// Reads an output.
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
            Problem::new(codes::VALUE, file.at(), message)
                .help("outputs are written to the folder of `--out`: give a name without `..` and a leading `/`"),
        );
        return None;
    }
    if file.value.chars().any(char::is_control) {
        value.report(Problem::new(codes::VALUE, file.at(), "no file name has control characters"));
        return None;
    }
    let file = file.with(path.to_owned());
    Some(value.at(OutputSpec { file, format, extent, dims, level, layer }))
}

/// Reads an output, or an array of several.
pub(super) fn outputs(value: &TomlValue<'_>) -> Vec<At<OutputSpec>> {
    if !value.is_array() {
        return output(value).into_iter().collect();
    }
    let items = value.array("a table `{ file = ... }` or an array of them").unwrap_or_default();
    items.iter().filter_map(output).collect()
}
