//! Where something is: in the source that was compiled, and in the PTX.
//!
//! A [`CodeLocation`] is made of the span of an instruction, or of a fault, and needs neither the module nor the files
//! afterwards: it can be kept, sent to another process and written to a report. Its text form is
//! `file.cu:LINE:COLUMN in kernel(int*, int)`; of code without `.loc` it is the line of the PTX.

mod file;
mod name;
mod text;
mod toolkit;

pub use file::{printable, source_file};
pub use name::{both_names, function_name};
pub use text::line_of_file;
pub use toolkit::is_toolkit;

use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;
use texunit_simt::{Fault, Sources};
use texunit_syntax::{HandedSource, SourceFile, Span};

/// Frames and calls that are kept of one place.
const MAX_FRAMES: usize = 64;
/// Most characters of a line that are kept.
const LONG_LINE: usize = 400;

/// Where something is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeLocation {
    /// Where it is in the source: the instruction's own place first, then the functions that it was inlined into, then the
    /// calls of the PTX, each with what that is inlined into. Empty without `.loc`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<Frame>,
    /// The instruction.
    pub ptx: PtxPlace,
    /// The calls of the PTX that led there, the innermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<PtxPlace>,
}

/// A place in the source, in a function that was being executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// How the frame before comes to be here.
    pub via: Via,
    /// The file as the compiler has written it; a source that is in no file has the name that its program gave.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1, if the compiler knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The function, demangled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// The text of the line, if the file can be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// What a frame is to the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Via {
    /// It is the first: the place of the instruction itself.
    Instruction,
    /// The frame before is inlined here.
    Inlined,
    /// The frame before is called here.
    Called,
}

/// A place in the text of the PTX.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PtxPlace {
    /// What the text is called: a file, or the name that it was loaded by.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
    /// The PTX function, demangled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// The text of the line.
    pub text: String,
}

impl CodeLocation {
    /// The place of an instruction of the module with this text.
    pub fn new(sources: &Sources, text: &SourceFile, span: Span) -> Self {
        Self {
            frames: frames(sources, span, Via::Instruction).collect(),
            ptx: PtxPlace::new(Some(sources), text, span),
            calls: Vec::new(),
        }
    }

    /// The place of a fault, with the calls that led there; `text` is that of its module.
    pub fn of_fault(fault: &Fault, text: &SourceFile) -> Self {
        let sources = &*fault.sources;
        let calls = || fault.calls.iter().rev().map(|(_, call)| *call);
        let called = calls().flat_map(|call| frames(sources, call, Via::Called));
        let own = frames(sources, fault.span, Via::Instruction);
        Self {
            frames: own.chain(called).take(MAX_FRAMES).collect(),
            ptx: PtxPlace::new(Some(sources), text, fault.span),
            calls: calls()
                .take(MAX_FRAMES)
                .map(|call| PtxPlace::new(Some(sources), text, call))
                .collect(),
        }
    }

    /// Where a kernel or function begins: its first instruction that comes from a line of its own, or else its first
    /// line in the PTX. `None` if the module has no body of that name.
    pub fn of_function(sources: &Sources, text: &SourceFile, name: &str) -> Option<Self> {
        let body = sources.body(name)?;
        let ptx = PtxPlace::new(Some(sources), text, Span { end: body.start, ..body });
        let first = sources.first_place(name);
        // What is inlined there lies outside of the function.
        let own =
            first.and_then(|at| frames(sources, Span { start: at, end: at }, Via::Inlined).last());
        let frames = own.map(|frame| Frame { via: Via::Instruction, ..frame });
        Some(Self { frames: frames.into_iter().collect(), ptx, calls: Vec::new() })
    }

    /// A place of a text that is no module, or none that could be read.
    pub fn of_text(text: &SourceFile, span: Span) -> Self {
        Self { frames: Vec::new(), ptx: PtxPlace::new(None, text, span), calls: Vec::new() }
    }

    /// The place in the source that a reader looks at first: the instruction's own, or where that is in a header of
    /// CUDA's, the first one outside. `None` without `.loc`.
    pub fn source(&self) -> Option<&Frame> {
        self.frames.get(leading(&self.frames))
    }

    /// Whether all of it is in headers of CUDA's: no line of a user's has to do with it.
    pub fn is_of_toolkit(&self) -> bool {
        let mut frames = self.frames.iter();
        !self.frames.is_empty() && frames.all(|frame| toolkit::is_toolkit(&frame.file))
    }

    /// The place in the source and that of the PTX behind it: `a.cu:4:5 in f(int) (a.ptx:45:2)`; without `.loc` the
    /// latter.
    pub fn with_ptx(&self) -> String {
        let PtxPlace { file, line, column, .. } = &self.ptx;
        match self.source() {
            Some(frame) => {
                format!("{frame} ({}:{line}:{column})", crate::visible(&shown_file(file)))
            }
            None => self.ptx.to_string(),
        }
    }

    /// Name of the file that a reader looks at first: that of the source, or else of the PTX.
    pub fn file(&self) -> &str {
        self.source().map_or(&self.ptx.file, |frame| &frame.file)
    }

    /// Line in [`Self::file`].
    pub fn line(&self) -> u32 {
        self.source().map_or(self.ptx.line, |frame| frame.line)
    }

    /// Column in [`Self::file`], if it is known.
    pub fn column(&self) -> Option<u32> {
        self.source().map_or(Some(self.ptx.column), |frame| frame.column)
    }

    /// The function there, demangled.
    pub fn function(&self) -> Option<&str> {
        match self.source() {
            Some(frame) => frame.function.as_deref(),
            None => self.ptx.function.as_deref(),
        }
    }

    /// The text of that line, if it can be read.
    pub fn text(&self) -> Option<&str> {
        match self.source() {
            Some(frame) => frame.text.as_deref(),
            None => Some(&self.ptx.text),
        }
    }
}

/// The index of the first frame that is not in a header of CUDA's, or else 0.
pub(crate) fn leading(frames: &[Frame]) -> usize {
    frames.iter().position(|frame| !toolkit::is_toolkit(&frame.file)).unwrap_or(0)
}

/// `places.cu:10:5 in put<float>(float*, int, float)`
impl fmt::Display for CodeLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.source() {
            Some(frame) => frame.fmt(f),
            None => self.ptx.fmt(f),
        }
    }
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(f, &self.file, self.line, self.column, self.function.as_deref())
    }
}

impl fmt::Display for PtxPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(f, &self.file, self.line, Some(self.column), self.function.as_deref())
    }
}

fn write(
    f: &mut fmt::Formatter<'_>,
    file: &str,
    line: u32,
    column: Option<u32>,
    function: Option<&str>,
) -> fmt::Result {
    write!(f, "{}:{line}", crate::visible(&shown_file(file)))?;
    if let Some(column) = column {
        write!(f, ":{column}")?;
    }
    match function {
        Some(function) => write!(f, " in {}", crate::visible(function)),
        None => Ok(()),
    }
}

/// Whether `.loc` says of an instruction that it is in a line outside of CUDA's headers, or inlined into one; without a
/// look at any file.
pub fn has_users_line(sources: &Sources, span: Span) -> bool {
    let frames = sources.frames_at(span.start);
    frames.iter().any(|frame| frame.file.is_some_and(|file| !is_toolkit(file)))
}

/// The line that [`CodeLocation::file`] and [`CodeLocation::line`] name of an instruction, without a look at any file.
pub fn line_at(sources: &Sources, text: &SourceFile, span: Span) -> (String, u32) {
    let frames = sources.frames_at(span.start);
    let known = || frames.iter().filter_map(|f| Some((f.file.filter(|_| f.line > 0)?, f.line)));
    let users = known().find(|(file, _)| !is_toolkit(file)).or_else(|| known().next());
    match users {
        Some((file, line)) => (file.to_owned(), line),
        None => (text.name().to_owned(), text.location(span.start).line),
    }
}

/// A file as messages name it: from the current folder on, if it lies there; by its name alone, if it was a temporary one
/// that is gone.
pub fn shown_file(file: &str) -> String {
    let file = &known_file(file, None);
    let here = std::env::current_dir().ok();
    let below = here.as_deref().and_then(|here| std::path::Path::new(file).strip_prefix(here).ok());
    below.and_then(|path| path.to_str()).filter(|path| !path.is_empty()).unwrap_or(file).to_owned()
}

impl PtxPlace {
    fn new(sources: Option<&Sources>, text: &SourceFile, span: Span) -> Self {
        let at = text.location(span.start);
        let function = sources.and_then(|sources| sources.function_at(span.start));
        Self {
            file: text.name().to_owned(),
            line: at.line,
            column: at.column,
            function: function.map(function_name),
            text: cut(text.line(at.line)),
        }
    }
}

/// What `.loc` says of an instruction, the innermost frame first.
pub(crate) fn frames_at(sources: &Sources, span: Span) -> Vec<Frame> {
    frames(sources, span, Via::Instruction).collect()
}

/// What `.loc` says of an instruction. Places without a file or a line are left out: they say nothing.
fn frames(sources: &Sources, span: Span, first: Via) -> impl Iterator<Item = Frame> {
    let known = sources.frames_at(span.start).into_iter().filter_map(|frame| {
        let file = frame.file.filter(|_| frame.line > 0)?;
        Some((file.to_owned(), frame.line, frame.column, frame.function))
    });
    known.enumerate().map(move |(i, (file, line, column, function))| {
        let handed = sources.handed(&file);
        let own = handed.and_then(|source| source.line(line)).map(cut);
        Frame {
            via: if i == 0 { first } else { Via::Inlined },
            line,
            column: (column > 0).then_some(column),
            function: function.map(|name| function_name(&name)),
            text: own.or_else(|| line_of_file(&file, line)),
            file: known_file(&file, handed),
        }
    })
}

/// What a file is called: a source that is in no file has the name that its program gave, without a folder of temporary
/// files that is gone.
fn known_file(file: &str, handed: Option<&HandedSource>) -> String {
    let is_there = || Path::new(file).exists();
    match handed {
        Some(source) if Path::new(&source.name).is_relative() && !is_there() => source.name.clone(),
        _ if is_temporary(file) && !is_there() => {
            file.rsplit('/').next().unwrap_or(file).to_owned()
        }
        _ => file.to_owned(),
    }
}

/// Whether a file lies where programs put what they delete.
fn is_temporary(file: &str) -> bool {
    let file = Path::new(file);
    ["/tmp", "/var/tmp", "/dev/shm"].iter().any(|folder| file.starts_with(folder))
        || file.is_absolute() && file.starts_with(std::env::temp_dir())
}

/// The beginning of a line, without the space behind it.
fn cut(line: &str) -> String {
    let end = line.char_indices().nth(LONG_LINE).map_or(line.len(), |(at, _)| at);
    line[..end].trim_end().to_owned()
}
