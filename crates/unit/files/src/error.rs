//! Errors of reading and writing files.

use crate::Kind;
use std::path::{Path, PathBuf};
use texunit_forms::Count;
use texunit_texel::Format;

/// A file that cannot be read or written, and the reason.
#[derive(Debug, thiserror::Error)]
#[error("`{}`: {problem}", .path.display())]
pub struct FileError {
    /// Path of the file.
    pub path: PathBuf,
    /// Why the file cannot be read or written.
    pub problem: Problem,
}

impl FileError {
    /// Makes the error for a problem of the file at `path`.
    pub fn new(path: &Path, problem: impl Into<Problem>) -> Self {
        Self { path: path.to_owned(), problem: problem.into() }
    }

    /// Whether the reason is lack of memory.
    pub fn is_out_of_memory(&self) -> bool {
        let is = |error: &std::io::Error| error.kind() == std::io::ErrorKind::OutOfMemory;
        matches!(&self.problem, Problem::Io(error) if is(error))
    }
}

/// Why a file cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// The file does not exist.
    #[error("no such file")]
    Missing,
    /// The path is a folder, a device or a pipe.
    #[error("expected a file, but it is {0}")]
    NotAFile(&'static str),
    /// The operating system reports an error.
    #[error("{}", io_message(.0))]
    Io(#[from] std::io::Error),
    /// The file's folder cannot be created.
    #[error("{}", io_message(.0))]
    Folder(std::io::Error),
    /// The file is empty.
    #[error("the file is empty")]
    Empty,
    /// The file, or what it decodes to, exceeds the size limit.
    #[error("{what} has {}, but the limit is {}", Count(bytes, "byte"), crate::MAX_BYTES)]
    TooLarge {
        /// What is too large, as the message names it: `the file` or `the decoded picture`.
        what: &'static str,
        /// Size in bytes.
        bytes: u64,
    },
    /// The contents do not match the file name.
    #[error("{}", wrong_kind(*.expected, *.found))]
    WrongKind {
        /// The kind that the name indicates.
        expected: Kind,
        /// The kind that the contents indicate, if known.
        found: Option<Kind>,
    },
    /// The file is truncated or damaged.
    #[error("damaged {} file: {message}", .kind.name())]
    Damaged {
        /// The kind that the name indicates.
        kind: Kind,
        /// Message of the decoder.
        message: String,
    },
    /// The file is valid, but cannot be converted to the wanted format.
    #[error("holds {found}, which cannot be read as {wanted}{}", help_text(.help))]
    Format {
        /// Description of the contents.
        found: String,
        /// The wanted format.
        wanted: Format,
        /// Advice; may be empty.
        help: String,
    },
    /// A value does not fit the wanted format.
    #[error("element {index} is {value}, which {wanted} cannot hold exactly")]
    Value {
        /// Index of the element.
        index: usize,
        /// The invalid value.
        value: String,
        /// The wanted format.
        wanted: Format,
    },
    /// The size differs from the wanted one.
    #[error("is {}, but {} were expected", Count(size_text(*.found), "texel"), size_text(*.wanted))]
    Extent {
        /// Wanted width, height, depth.
        wanted: [u32; 3],
        /// Actual width, height, depth.
        found: [u32; 3],
    },
    /// The file has more dimensions than wanted.
    #[error("is {}, which is not a texture of {wanted} dimension{}", Count(size_text(*.found), "texel"), if *.wanted == 1 { "" } else { "s" })]
    Dims {
        /// Wanted number of dimensions.
        wanted: u8,
        /// Actual width, height, depth.
        found: [u32; 3],
    },
    /// The length of a raw file does not match the given size.
    #[error("has {}, but {width} x {height} x {depth} texels of {format} take {}", Count(found, "byte"), .format.byte_size([*.width, *.height, *.depth]))]
    RawSize {
        /// Texel format.
        format: Format,
        /// Width in texels.
        width: u32,
        /// Number of rows.
        height: u32,
        /// Number of slices.
        depth: u32,
        /// Actual length of the file.
        found: u64,
    },
    /// A feature that this kind of file, or this crate, does not support.
    #[error("{0}")]
    Unsupported(String),
}

/// The system's message without the error number in parentheses.
fn io_message(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_lowercase(),
        None => text,
    }
}

fn wrong_kind(expected: Kind, found: Option<Kind>) -> String {
    match found {
        Some(found) => {
            format!("is called {}, but its contents are {}", expected.name(), found.name())
        }
        None => format!("is not a {} file: its first bytes are not those of one", expected.name()),
    }
}

fn help_text(help: &str) -> String {
    if help.is_empty() { String::new() } else { format!("; {help}") }
}

fn size_text([width, height, depth]: [u32; 3]) -> String {
    if depth == 1 { format!("{width} x {height}") } else { format!("{width} x {height} x {depth}") }
}
