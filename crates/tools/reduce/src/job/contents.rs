//! Reduces the contents of buffers, textures and surfaces in a job, to zeros where possible, and
//! otherwise to fewer bytes.

use super::path::{Path, keys};
use crate::case::Case;
use crate::search::Search;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path as FilePath;
use std::sync::Arc;
use texunit_device::ArrayShape;
use texunit_files::Kind;
use texunit_job::Content;
use texunit_spec::write;
use toml::{Table, Value};

/// Keys of an object's table that give the source of its contents, or their shape. They are removed
/// when contents are replaced.
const SOURCES: [&str; 19] = [
    "parts", "file", "files", "texels", "zeros", "bytes", "u8", "u16", "u32", "u64", "s8", "s16",
    "s32", "s64", "f16", "f32", "f64", "mipmaps", "dims",
];

/// Maximum size in bytes of contents that are written into the job as numbers.
const SHORT: usize = 256;

/// Maximum size in bytes of contents that are zeroed piece by piece.
const LONG: usize = 1 << 20;

/// Replaces an object's files and lists of numbers by zeros or, if the case then no longer fails,
/// by a file of plain bytes.
pub(crate) fn replace(search: &mut Search<'_>, contents: &[Content]) {
    search.step("contents");
    for content in contents {
        for zero in [true, false] {
            let base = search.best().clone();
            if described(&base, content, zero).is_some_and(|case| search.attempt(case)) {
                break;
            }
        }
    }
}

/// The path of the table in the job that describes an object.
fn place(job: &Table, content: &Content) -> Option<Path> {
    let entry = Path::of(&[content.table, &content.key]);
    let kind = match content.table {
        "params" | "objects" => ["buffer", "texture", "surface", "array"]
            .into_iter()
            .find(|kind| entry.key(kind).get(job).is_some())?,
        _ => return Some(entry),
    };
    Some(entry.key(kind))
}

/// The case with an object's contents replaced by zeros, or by a file of plain bytes.
fn described(base: &Case, content: &Content, zero: bool) -> Option<Case> {
    let mut job = base.job.clone()?;
    let place = place(&job, content)?;
    let table = place.get_mut(&mut job)?.as_table_mut()?;
    SOURCES.iter().for_each(|key| drop(table.remove(*key)));
    let mut case = base.clone();
    match &content.shape {
        Some(shape) => describe(table, shape),
        None => drop(table.remove("format")),
    }
    if zero {
        let size = i64::try_from(content.bytes.len()).ok()?;
        table.remove("size");
        let zeros = if content.shape.is_some() { Value::from(true) } else { Value::from(size) };
        table.insert("zeros".to_owned(), zeros);
    } else {
        table.insert("file".to_owned(), Value::from(store(&mut case, &content.bytes)));
    }
    case.job = Some(job);
    Some(case)
}

fn describe(table: &mut Table, shape: &ArrayShape) {
    ["layers", "levels", "samples"].iter().for_each(|key| drop(table.remove(*key)));
    table.extend(write::table(write::shape(shape)));
}

/// Adds bytes to the case as a file, whose name is a hash of its contents.
fn store(case: &mut Case, bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    let name = format!("data-{:016x}.raw", hasher.finish());
    case.files.entry(name.clone()).or_insert_with(|| Arc::from(bytes));
    name
}

/// Reduces the remaining files of contents: shortens them, zeroes parts, and finally writes short
/// ones into the job.
pub(super) fn smaller(search: &mut Search<'_>) -> bool {
    search.step("contents");
    let job = search.best().job.clone().unwrap_or_default();
    let mut changed = false;
    for place in keys(&job) {
        if !place.ends_in("file") || !place.get(&job).is_some_and(Value::is_str) {
            continue;
        }
        changed |= shorter(search, &place);
        changed |= zero_parts(search, &place);
        changed |= inline(search, &place);
    }
    changed
}

/// The bytes of the file at a path in the job, if it is a plain file.
fn bytes_at(case: &Case, place: &Path) -> Option<Arc<[u8]>> {
    let name = place.get(case.job.as_ref()?)?.as_str()?;
    let plain = Kind::of(FilePath::new(name)) == Kind::Raw;
    case.files.get(name).filter(|_| plain).cloned()
}

fn with_bytes(base: &Case, place: &Path, bytes: &[u8]) -> Option<Case> {
    let mut case = base.clone();
    *place.get_mut(case.job.as_mut()?)? = Value::from(store(&mut case, bytes));
    Some(case)
}

/// Halves the contents of a buffer repeatedly; the buffer's size follows from its contents.
fn shorter(search: &mut Search<'_>, place: &Path) -> bool {
    let base = search.best().clone();
    let Some(bytes) = bytes_at(&base, place) else { return false };
    let Ok(from) = i64::try_from(bytes.len() / 4) else { return false };
    search.lower(1, from, |n| with_bytes(&base, place, &bytes[..n as usize * 4]))
}

/// Zeroes pieces of the contents, from halves down to words of four bytes.
fn zero_parts(search: &mut Search<'_>, place: &Path) -> bool {
    const WORD: usize = 4;
    let base = search.best().clone();
    let Some(bytes) = bytes_at(&base, place).filter(|bytes| bytes.len() <= LONG) else {
        return false;
    };
    let words: Vec<usize> = (0..bytes.len().div_ceil(WORD))
        .filter(|w| bytes[w * WORD..].iter().take(WORD).any(|&b| b != 0))
        .collect();
    search.subsets(words.len(), |chosen| {
        let mut bytes = bytes.to_vec();
        for (word, _) in words.iter().zip(chosen).filter(|(_, chosen)| **chosen) {
            bytes.iter_mut().skip(word * WORD).take(WORD).for_each(|b| *b = 0);
        }
        with_bytes(&base, place, &bytes).unwrap_or_else(|| base.clone())
    })
}

/// Replaces a short file of contents by numbers in the job.
fn inline(search: &mut Search<'_>, place: &Path) -> bool {
    let base = search.best().clone();
    let Some(bytes) = bytes_at(&base, place).filter(|bytes| bytes.len() <= SHORT) else {
        return false;
    };
    let words = bytes.chunks(4).map(|w| w.iter().map(|b| format!("{b:02x}")).collect::<String>());
    let text = Value::from(words.collect::<Vec<_>>().join(" "));
    let Some(above) = place.above() else { return false };
    let mut job = base.job.clone().unwrap_or_default();
    let Some(Value::Table(table)) = above.get_mut(&mut job) else { return false };
    table.remove("file");
    let (key, value) = match table.contains_key("format") {
        true => ("texels", Value::Table(Table::from_iter([("bytes".to_owned(), text)]))),
        false => ("bytes", text),
    };
    table.insert(key.to_owned(), value);
    search.attempt(base.with_job(job))
}
