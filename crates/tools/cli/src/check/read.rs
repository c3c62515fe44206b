//! PTX files in, and corrected ones out.

use crate::codes;
use std::io::Read;
use std::path::Path;
use texunit_files::{FileError, Prepared};
use texunit_forms::Count;
use texunit_syntax::{Diagnostic, SourceFile, Span};

/// Maximum number of bytes of a text: no compiler has written more.
const MAX_BYTES: usize = 1 << 30;
/// Maximum number of bytes that are read of input that is not text, to report where it is not.
const MAX_NO_TEXT: usize = 64 << 20;

/// A file that cannot be checked.
pub(crate) struct Unread {
    pub(crate) name: String,
    pub(crate) why: Box<Diagnostic>,
}

/// A file's text.
pub(crate) struct Text {
    pub(crate) source: SourceFile,
    /// The bytes that were read, if they are not text.
    pub(crate) original: Option<Vec<u8>>,
}

/// Reads a file, or standard input.
pub(crate) fn read(path: &Path) -> Result<Text, Unread> {
    let (name, bytes) = match path == Path::new("-") {
        true => ("<stdin>".to_owned(), stdin()),
        false => (path.display().to_string(), file(path)),
    };
    match bytes.and_then(|bytes| text(&name, bytes)) {
        Ok(text) => Ok(text),
        Err(why) => Err(Unread { name, why }),
    }
}

/// A file that cannot be read, and why.
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
    // Asked first, so that nothing of that size is read.
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
        // No more was read, and there may be no end of it.
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

/// Replaces the content of a file, which keeps its permissions, and which links keep pointing
/// to. Nobody ever sees half of it.
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
