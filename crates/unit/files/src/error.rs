//! What is wrong with a file.

use crate::Kind;
use std::path::{Path, PathBuf};
use texunit_forms::Count;
use texunit_texel::Format;

/// A file that cannot be read or written, and why.
#[derive(Debug, thiserror::Error)]
#[error("`{}`: {problem}", .path.display())]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub problem: Problem,
}

impl FileError {
    /// A problem of the file at `path`.
    pub fn new(path: &Path, problem: impl Into<Problem>) -> Self {
        Self { path: path.to_owned(), problem: problem.into() }
    }
}

impl FileError {
    /// Whether there is not enough memory for the file.
    pub fn is_out_of_memory(&self) -> bool {
        let is = |error: &std::io::Error| error.kind() == std::io::ErrorKind::OutOfMemory;
        matches!(&self.problem, Problem::Io(error) if is(error))
    }
}

/// Why a file cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// It does not exist.
    #[error("no such file")]
    Missing,
    /// A folder, a device or a pipe.
    #[error("expected a file, but it is {0}")]
    NotAFile(&'static str),
    /// The system says no.
    #[error("{}", io_message(.0))]
    Io(#[from] std::io::Error),
    /// A folder for a file that cannot be made.
    #[error("{}", io_message(.0))]
    Folder(std::io::Error),
    /// No bytes.
    #[error("the file is empty")]
    Empty,
    /// More bytes than we read, or decode to.
    #[error("{what} has {}, but the limit is {}", Count(bytes, "byte"), crate::MAX_BYTES)]
    TooLarge {
        /// `the file`, `the decoded picture`.
        what: &'static str,
        /// Its size.
        bytes: u64,
    },
    /// Contents that do not go with the name.
    #[error("{}", wrong_kind(*.expected, *.found))]
    WrongKind {
        /// By name.
        expected: Kind,
        /// By content, if we know it.
        found: Option<Kind>,
    },
    /// Truncated or damaged.
    #[error("damaged {} file: {message}", .kind.name())]
    Damaged {
        /// By name.
        kind: Kind,
        /// What the decoder says.
        message: String,
    },
    /// Sound, but not to be had in the wanted format.
    #[error("holds {found}, which cannot be read as {wanted}{}", help_text(.help))]
    Format {
        /// What is there.
        found: String,
        /// What was wanted.
        wanted: Format,
        /// What to do instead; may be empty.
        help: String,
    },
    /// A value that the wanted format cannot hold.
    #[error("element {index} is {value}, which {wanted} cannot hold exactly")]
    Value {
        /// Number of the element.
        index: usize,
        /// The value.
        value: String,
        /// What was wanted.
        wanted: Format,
    },
    /// Another size than wanted.
    #[error("is {}, but {} were expected", Count(size_text(*.found), "texel"), size_text(*.wanted))]
    Extent {
        /// Width, height, depth expected.
        wanted: [u32; 3],
        /// Width, height, depth found.
        found: [u32; 3],
    },
    /// More dimensions than wanted.
    #[error("is {}, which is not a texture of {wanted} dimension{}", Count(size_text(*.found), "texel"), if *.wanted == 1 { "" } else { "s" })]
    Dims {
        /// Dimensions expected.
        wanted: u8,
        /// Width, height, depth found.
        found: [u32; 3],
    },
    /// A raw file of another length than its size says.
    #[error("has {}, but {width} x {height} x {depth} texels of {format} take {}", Count(found, "byte"), .format.byte_size([*.width, *.height, *.depth]))]
    RawSize {
        /// Texel format.
        format: Format,
        /// Texels of a row.
        width: u32,
        /// Rows.
        height: u32,
        /// Slices.
        depth: u32,
        /// Length of the file.
        found: u64,
    },
    /// Something that this kind of file cannot do, or that we do not read.
    #[error("{0}")]
    Unsupported(String),
}

/// The system's message without the number in brackets behind it.
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
