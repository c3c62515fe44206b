//! Parses buffers, variables and outputs of a job.

use crate::problem::codes;
use std::path::{Component, Path, PathBuf};
use texunit_device::{End, Format};
use texunit_spec::number::{self, Typed};
use texunit_spec::{At, ExtentSpec, Table, TomlValue, extent, format};

/// The initial contents of memory.
#[derive(Clone, Debug)]
pub enum Data {
    /// This number of zero bytes; `None` fills the whole object with zeros.
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
    /// Size of the buffer in bytes, if it is larger than its initial contents.
    pub size: Option<At<u64>>,
    /// Offsets and lengths of the bytes that `data` fills; `None` if it begins at offset 0.
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
    /// Number of the keys `width`, `height` and `depth` that are present.
    pub dims: u8,
    /// The part of an array that is written.
    pub part: PartSpec,
}

/// The part of an array that a texture, surface or output refers to.
#[derive(Clone, Debug, Default)]
pub struct PartSpec {
    /// The key `level`.
    pub level: Option<At<u32>>,
    /// The key `layer`; for cubes, it is a face.
    pub layer: Option<At<u32>>,
}

/// Parses the keys `level` and `layer`.
pub(super) fn part(table: &Table<'_>) -> PartSpec {
    let number = |key| table.get(key).and_then(|v| Some(v.at(v.small(0)?)));
    PartSpec { level: number("level"), layer: number("layer") }
}

/// Parses a buffer.
pub(super) fn buffer(value: &TomlValue<'_>) -> Option<BufferSpec> {
    let table = value.table()?;
    let before = table.problem_count();
    let size = table.get("size").and_then(|v| Some(v.at(v.number(1, 1 << 40)?)));
    let has_size = size.is_some();
    let is_undefined = undefined(&table);
    let data = data(&table);
    let (parts, place) = (parts(&table), place(&table));
    table.finish();
    let data = match data {
        Some(Data::Zeros(None)) if !has_size => {
            let message = "expected the number of bytes in `zeros` or `size`";
            return table.refuse(codes::MISSING_KEY, message);
        }
        Some(data) => data,
        None if table.problem_count() > before => return None,
        None if has_size => Data::Zeros(None),
        None => {
            let keys = "`zeros`, `size`, `file`, `bytes` or a type such as `u32`";
            return table.refuse(codes::MISSING_KEY, format!("expected one of the keys {keys}"));
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
    let (zeros, file, bytes) = (table.get("zeros"), table.get("file"), table.get("bytes"));
    let typed = number::typed(table);
    let format = file.as_ref().and_then(|_| format(table));
    match (zeros, file, bytes, typed) {
        (None, None, None, Typed::None) => None,
        (Some(v), None, None, Typed::None) => zeros_of(&v),
        (None, Some(v), None, Typed::None) => Some(Data::File(file_name(&v)?, format)),
        (None, None, Some(v), Typed::None) => number::raw_bytes(&v).map(Data::Inline),
        (None, None, None, Typed::One(ty, v)) => number::numbers_of(ty, &v).map(Data::Inline),
        _ => {
            let message =
                "only one of `zeros`, `file`, `bytes` and the types such as `u32` can be there";
            table.refuse(codes::CONFLICT, message)
        }
    }
}

/// The name of a file, relative to the job.
pub(super) fn file_name(value: &TomlValue<'_>) -> Option<At<PathBuf>> {
    let name = value.string("a file name")?;
    Some(name.with(PathBuf::from(&name.value)))
}

/// Parses the key `zeros`: a number of bytes, or `true` for the whole object.
fn zeros_of(value: &TomlValue<'_>) -> Option<Data> {
    if value.is_boolean() {
        if value.boolean() == Some(false) {
            return value.refuse(codes::VALUE, "expected `true` or a number of bytes");
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
    let part = part(&table);
    table.finish();
    let file = file?.string("a file name")?;
    let path = Path::new(&file.value);
    let plain = path.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
    if !plain || path.file_name().is_none() || file.value.ends_with('/') {
        let message = format!("`{}` is not a file below the output folder", file.value);
        let help = "outputs are written to the folder of `--out`: give a name without `..` and a leading `/`";
        value.report(file.problem(codes::VALUE, message).help(help));
        return None;
    }
    if file.value.chars().any(char::is_control) {
        value.report(file.problem(codes::VALUE, "no file name has control characters"));
        return None;
    }
    Some(value.at(OutputSpec { file: file.with(path.to_owned()), format, extent, dims, part }))
}

/// Parses an output or an array of outputs.
pub(super) fn outputs(value: &TomlValue<'_>) -> Vec<At<OutputSpec>> {
    if !value.is_array() {
        return output(value).into_iter().collect();
    }
    let items = value.array("a table `{ file = ... }` or an array of them").unwrap_or_default();
    items.iter().filter_map(output).collect()
}

/// Address, name and state of memory.
#[derive(Clone, Debug, Default)]
pub struct PlaceSpec {
    /// The key `address`, the address of the first byte.
    pub address: Option<At<u64>>,
    /// The key `name`, the memory's name in messages.
    pub name: Option<String>,
    /// The key `number`, the allocation's number in messages.
    pub number: Option<u64>,
    /// The key `read_only`.
    pub read_only: bool,
    /// The key `ended`.
    pub ended: Option<End>,
}

#[rustfmt::skip]
const ENDS: [(&str, End); 4] = [
    ("freed",        End::Freed),
    ("unregistered", End::Unregistered),
    ("unmapped",     End::Unmapped),
    ("removed",      End::Removed),
];

/// Parses a buffer's keys `address`, `name`, `number`, `read_only` and `ended`.
pub(super) fn place(table: &Table<'_>) -> PlaceSpec {
    let given = table.get("address");
    let spec = PlaceSpec {
        address: given.as_ref().and_then(address),
        name: table.get("name").and_then(|v| Some(v.string("a name")?.value)),
        number: table.get("number").and_then(|v| v.number(0, i64::MAX as u64)),
        read_only: table.get("read_only").and_then(|v| v.boolean()).unwrap_or(false),
        ended: table.get("ended").and_then(|v| v.word(&ENDS)),
    };
    if given.is_none() && (spec.number.is_some() || spec.read_only || spec.ended.is_some()) {
        let message = "`number`, `read_only` and `ended` are of a buffer with an `address`";
        table.problem(codes::CONFLICT, message.to_owned());
    }
    spec
}

/// An address or handle: an integer, or a string for values that TOML's integers cannot hold.
pub(super) fn address(value: &TomlValue<'_>) -> Option<At<u64>> {
    if !value.is_string() {
        return value.number(0, i64::MAX as u64).map(|n| value.at(n));
    }
    let text = value.string("an address")?;
    let digits = text.value.strip_prefix("0x").unwrap_or("");
    match u64::from_str_radix(digits, 16) {
        Ok(number) if !digits.starts_with('+') => Some(value.at(number)),
        _ => {
            let message = format!("`{}` is not a number such as \"0x700000000000\"", text.value);
            value.refuse(codes::VALUE, message)
        }
    }
}

/// Offsets and lengths of an object's bytes; the object's data holds these bytes consecutively.
pub type Parts = Vec<[u64; 2]>;

/// Parses the key `parts`.
pub(super) fn parts(table: &Table<'_>) -> Option<At<Parts>> {
    let value = table.get("parts")?;
    let items = value.array("an array of parts [offset, bytes]")?;
    let mut parts = Vec::with_capacity(items.len());
    let mut end = 0;
    for item in &items {
        let pair = item.array("an offset and a number of bytes")?;
        let [offset, bytes] = pair.as_slice() else {
            return item.refuse(codes::VALUE, "expected [offset, bytes]");
        };
        let part = [offset.number(0, 1 << 40)?, bytes.number(1, 1 << 40)?];
        if part[0] < end {
            let message = "parts follow each other, and have no bytes in common";
            return item.refuse(codes::VALUE, message);
        }
        end = part[0] + part[1];
        parts.push(part);
    }
    Some(value.at(parts))
}
