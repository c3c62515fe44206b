//! Finds PTX files in folders, reads them, and writes corrected ones.

use crate::codes;
use std::io::Read;
use std::path::{Path, PathBuf};
use texunit_files::{FileError, Prepared};
use texunit_forms::Count;
use texunit_syntax::{Diagnostic, SourceFile, Span};

/// Maximum size of a text in bytes, far more than compilers generate.
const MAX_BYTES: usize = 1 << 30;
/// Maximum number of bytes read of input that is not text, in order to report the position of the
/// first invalid byte.
const MAX_NO_TEXT: usize = 64 << 20;

/// The error for a file that cannot be checked.
pub(crate) struct Unread {
    pub(crate) name: String,
    pub(crate) why: Box<Diagnostic>,
}

/// A file's text.
pub(crate) struct Text {
    pub(crate) source: SourceFile,
    /// The original bytes, if they are not valid UTF-8.
    pub(crate) original: Option<Vec<u8>>,
}

impl Unread {
    /// The error as a message, for commands that have no diagnostics of files.
    pub(crate) fn message(&self) -> String {
        format!("`{}`: {}", self.name, self.why.message)
    }
}

/// Reads a file, or standard input.
pub(crate) fn read(path: &Path) -> Result<Text, Unread> {
    match path == Path::new("-") {
        true => named("<stdin>".to_owned(), stdin()),
        false => read_file(path),
    }
}

/// Reads a file.
pub(crate) fn read_file(path: &Path) -> Result<Text, Unread> {
    named(path.display().to_string(), file(path))
}

fn named(name: String, bytes: Result<Vec<u8>, Box<Diagnostic>>) -> Result<Text, Unread> {
    bytes.and_then(|bytes| text(&name, bytes)).map_err(|why| Unread { name, why })
}

/// The error for a file that cannot be read.
pub(crate) fn unreadable(path: &Path, why: impl std::fmt::Display) -> Unread {
    Unread { name: path.display().to_string(), why: cannot_read(why) }
}

fn cannot_read(why: impl std::fmt::Display) -> Box<Diagnostic> {
    let message = format!("cannot read the file: {why}");
    Box::new(Diagnostic::error(codes::UNREADABLE, Span::default(), message))
}

fn with_help(mut why: Box<Diagnostic>, help: &str) -> Box<Diagnostic> {
    why.help = Some(help.to_owned());
    why
}

fn file(path: &Path) -> Result<Vec<u8>, Box<Diagnostic>> {
    // The size is checked first, so that a large file is not read.
    let metadata = std::fs::metadata(path);
    if let Ok(metadata) = &metadata
        && metadata.is_file()
        && metadata.len() > MAX_BYTES as u64
    {
        return Err(too_long(&metadata.len().to_string()));
    }
    texunit_files::read_bytes(path).map_err(|FileError { problem, .. }| {
        let why = cannot_read(problem);
        match metadata {
            Ok(metadata) if !metadata.is_file() => {
                with_help(why, "`-` reads standard input: `texunit check - < pipe`")
            }
            _ => why,
        }
    })
}

fn stdin() -> Result<Vec<u8>, Box<Diagnostic>> {
    let mut bytes = Vec::new();
    let limit = MAX_BYTES as u64 + 1;
    std::io::stdin().lock().take(limit).read_to_end(&mut bytes).map_err(cannot_read)?;
    Ok(bytes)
}

fn too_long(bytes: &str) -> Box<Diagnostic> {
    let why = format_args!("it has {}, but at most {MAX_BYTES} are checked", Count(bytes, "byte"));
    with_help(cannot_read(why), "split the module; the host can fill large tables")
}

fn text(name: &str, bytes: Vec<u8>) -> Result<Text, Box<Diagnostic>> {
    if bytes.len() > MAX_BYTES {
        // Reading stops here, since the input may be endless.
        return Err(too_long(&format!("more than {MAX_BYTES}")));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Text { source: SourceFile::new(name, text), original: None }),
        Err(error) if error.as_bytes().len() > MAX_NO_TEXT => {
            let at = error.utf8_error().valid_up_to();
            let what = texunit_syntax::foreign::binary_file(error.as_bytes());
            let what = what.map_or("a binary file", |known| known.what);
            Err(cannot_read(format_args!("it is {what}, not text (byte {at} is not UTF-8)")))
        }
        Err(error) => {
            let source = SourceFile::from_bytes(name, error.as_bytes());
            Ok(Text { source, original: Some(error.into_bytes()) })
        }
    }
}

/// Replaces the contents of a file atomically. Permissions and symbolic links are kept.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), Box<Diagnostic>> {
    let cannot_write = |why: &dyn std::fmt::Display| {
        let message = format!("cannot write the corrected file: {why}");
        Box::new(Diagnostic::error(codes::UNREADABLE, Span::default(), message))
    };
    let path = path.canonicalize().map_err(|e| cannot_write(&e))?;
    let metadata = std::fs::metadata(&path).map_err(|e| cannot_write(&e))?;
    if metadata.permissions().readonly() {
        return Err(cannot_write(&"it is read-only"));
    }
    let written =
        Prepared::new(&path, bytes).and_then(|new| new.like(&metadata).and_then(|()| new.commit()));
    written.map_err(|e| cannot_write(&e.problem))
}

/// Maximum depth of nested folders.
const DEEPEST: usize = 100;

/// The files in a folder and below it whose names end in `.ptx`, sorted by path. Links to folders
/// are not followed. Unreadable folders are reported in the list.
pub(crate) fn files(folder: &Path) -> Vec<Result<PathBuf, Unread>> {
    let mut found = Vec::new();
    collect(folder, DEEPEST, &mut found);
    if found.is_empty() {
        let why = "no file in this folder, nor in one below it, has a name that ends in .ptx";
        found.push(Err(unreadable(folder, why)));
    }
    found
}

fn collect(folder: &Path, depth: usize, found: &mut Vec<Result<PathBuf, Unread>>) {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) if depth > 0 => entries,
        Ok(_) => return found.push(Err(unreadable(folder, "it is nested too deeply"))),
        Err(error) => return found.push(Err(unreadable(folder, error))),
    };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            collect(&path, depth - 1, found);
        } else if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("ptx"))
            && !path.is_dir()
        {
            found.push(Ok(path));
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn folders_below_and_links() {
        let folder = texunit_testkit::TempDir::new("check-folder");
        let at = |name: &str| folder.join(name);
        std::fs::create_dir_all(at("b/c.ptx")).unwrap();
        for file in ["z.ptx", "a.PTX", "notes.txt", "b/x.ptx", "b/c.ptx/y.ptx"] {
            std::fs::write(at(file), "").unwrap();
        }
        std::os::unix::fs::symlink(folder.path(), at("b/link")).unwrap();
        std::os::unix::fs::symlink(at("z.ptx"), at("b/z.ptx")).unwrap();
        let names: Vec<PathBuf> = files(&folder).into_iter().map(|f| f.ok().unwrap()).collect();
        let expected = ["a.PTX", "b/c.ptx/y.ptx", "b/x.ptx", "b/z.ptx", "z.ptx"];
        assert_eq!(names, expected.map(at));
        std::fs::create_dir(at("none")).unwrap();
        let none = files(&at("none"));
        assert!(matches!(&none[..], [Err(unread)] if unread.why.message.contains("no file")));
    }
}
