//! Positions in the source that was compiled, and in the PTX.
//!
//! A [`CodeLocation`] is made from the span of an instruction or from a fault, and afterwards needs
//! neither the module nor the files: it can be stored, sent to another process and written to a
//! report. Its text form is `file.cu:LINE:COLUMN in kernel(int*, int)`, or the line of the PTX for
//! code without `.loc`.

mod file;
mod name;
mod text;

pub use file::{is_toolkit, printable, source_file};
pub use name::{both_names, function_name};
pub use text::line_of_file;

use crate::record::record;
use serde_core::de::Error;
use serde_core::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::path::Path;
use texunit_simt::{Fault, Sources};
use texunit_syntax::{Diagnostic, HandedSource, SourceFile, Span};

/// Maximum number of frames, and of calls, that are reported for an instruction.
const MAX_FRAMES: usize = 64;
/// Maximum number of characters of a line.
const LONG_LINE: usize = 400;

/// A position in source and PTX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeLocation {
    /// Source positions: the instruction's own, then those of the functions that it is inlined
    /// into, then those of the calls in the PTX, each followed by its inlining functions. Empty
    /// without `.loc`.
    pub frames: Vec<Frame>,
    /// The instruction in the PTX.
    pub ptx: PtxPlace,
    /// The PTX calls that led to the instruction, innermost first.
    pub calls: Vec<PtxPlace>,
}

/// A source position in a function that was being executed when the instruction was reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The relation to the previous frame.
    pub via: Via,
    /// The file name as the compiler wrote it, or the name that the program gave to a source
    /// without file.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// The column in bytes, from 1, if the compiler recorded it.
    pub column: Option<u32>,
    /// The function, demangled.
    pub function: Option<String>,
    /// The text of the source line, if the file can be read.
    pub text: Option<String>,
}

/// The relation of a frame to the previous one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    /// The frame is the position of the instruction itself, and has no previous frame.
    Instruction,
    /// The previous frame is inlined here.
    Inlined,
    /// The previous frame is called here.
    Called,
}

/// A position in the PTX text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PtxPlace {
    /// The name of the text: a file, or the name that it was loaded under.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
    /// The PTX function, demangled.
    pub function: Option<String>,
    /// The text of the line.
    pub text: String,
}

record! { CodeLocation { frames [?], ptx, calls [?] } }
record! { Frame { via, file, line, column [?], function [?], text [?] } }
record! { PtxPlace { file, line, column, function [?], text } }

impl Via {
    const ALL: [Self; 3] = [Self::Instruction, Self::Inlined, Self::Called];
    const NAMES: [&str; 3] = ["instruction", "inlined", "called"];

    fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

impl Serialize for Via {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Via {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = String::deserialize(from)?;
        let found = Self::ALL.into_iter().find(|via| via.name() == name);
        found.ok_or_else(|| D::Error::unknown_variant(&name, &Self::NAMES))
    }
}

impl CodeLocation {
    /// The position of an instruction in a module with this text.
    pub fn new(sources: &Sources, text: &SourceFile, span: Span) -> Self {
        Self {
            frames: frames(sources, span, Via::Instruction).collect(),
            ptx: PtxPlace::new(Some(sources), text, span),
            calls: Vec::new(),
        }
    }

    /// The position of a fault, with the calls that led to it; `text` is the PTX of the fault's
    /// module.
    pub fn of_fault(fault: &Fault, text: &SourceFile) -> Self {
        let sources = &*fault.sources;
        let calls = || fault.calls.iter().rev().map(|(_, call)| *call);
        let called = calls().flat_map(|call| frames(sources, call, Via::Called));
        let own = frames(sources, fault.span, Via::Instruction);
        let places = calls().take(MAX_FRAMES).map(|call| PtxPlace::new(Some(sources), text, call));
        Self {
            frames: own.chain(called).take(MAX_FRAMES).collect(),
            ptx: PtxPlace::new(Some(sources), text, fault.span),
            calls: places.collect(),
        }
    }

    /// The beginning of a kernel or function: its first instruction with a source line of its own,
    /// or otherwise its first PTX line. `None` if the module does not define it.
    pub fn of_function(sources: &Sources, text: &SourceFile, name: &str) -> Option<Self> {
        let body = sources.body(name)?;
        let ptx = PtxPlace::new(Some(sources), text, Span { end: body.start, ..body });
        let first = sources.first_place(name);
        // Only the outermost frame is a line of the function itself; others are of inlined code.
        let own =
            first.and_then(|at| frames(sources, Span { start: at, end: at }, Via::Inlined).last());
        let frames = own.map(|frame| Frame { via: Via::Instruction, ..frame });
        Some(Self { frames: frames.into_iter().collect(), ptx, calls: Vec::new() })
    }

    /// A position in a text that is not a module, or could not be parsed as one.
    pub fn of_text(text: &SourceFile, span: Span) -> Self {
        Self { frames: Vec::new(), ptx: PtxPlace::new(None, text, span), calls: Vec::new() }
    }

    /// The source position that a reader looks at first: the instruction's own or, if that is in a
    /// CUDA header, the first one outside. `None` without `.loc`.
    pub fn source(&self) -> Option<&Frame> {
        self.frames.get(leading(&self.frames))
    }

    /// Whether all positions are in CUDA headers, so that no line of the user's is involved.
    pub fn is_of_toolkit(&self) -> bool {
        let mut frames = self.frames.iter();
        !self.frames.is_empty() && frames.all(|frame| is_toolkit(&frame.file))
    }

    /// The source position followed by the PTX position: `a.cu:4:5 in f(int) (a.ptx:45:2)`; without
    /// `.loc` only the PTX position.
    pub fn with_ptx(&self) -> String {
        let PtxPlace { file, line, column, .. } = &self.ptx;
        match self.source() {
            Some(frame) => {
                format!("{frame} ({}:{line}:{column})", crate::visible(&shown_file(file)))
            }
            None => self.ptx.to_string(),
        }
    }

    /// The file that a reader looks at first: the source, or otherwise the PTX.
    pub fn file(&self) -> &str {
        self.source().map_or(&self.ptx.file, |frame| &frame.file)
    }

    /// The line in [`Self::file`].
    pub fn line(&self) -> u32 {
        self.source().map_or(self.ptx.line, |frame| frame.line)
    }

    /// The column in [`Self::file`], if known.
    pub fn column(&self) -> Option<u32> {
        self.source().map_or(Some(self.ptx.column), |frame| frame.column)
    }

    /// The function in [`Self::file`], demangled.
    pub fn function(&self) -> Option<&str> {
        match self.source() {
            Some(frame) => frame.function.as_deref(),
            None => self.ptx.function.as_deref(),
        }
    }

    /// The text of the line, if it can be read.
    pub fn text(&self) -> Option<&str> {
        match self.source() {
            Some(frame) => frame.text.as_deref(),
            None => Some(&self.ptx.text),
        }
    }
}

/// The index of the first frame outside CUDA headers, or 0.
pub(crate) fn leading(frames: &[Frame]) -> usize {
    frames.iter().position(|frame| !is_toolkit(&frame.file)).unwrap_or(0)
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

/// Whether an instruction has a source line outside CUDA headers, or is inlined into one. Does not
/// read any file.
pub fn has_users_line(sources: &Sources, span: Span) -> bool {
    let frames = sources.frames_at(span.start);
    frames.iter().any(|frame| frame.file.is_some_and(|file| !is_toolkit(file)))
}

/// The file and line that [`CodeLocation::file`] and [`CodeLocation::line`] give for an
/// instruction. Does not read any file.
pub fn line_at(sources: &Sources, text: &SourceFile, span: Span) -> (String, u32) {
    let frames = sources.frames_at(span.start);
    let known = || frames.iter().filter_map(|f| Some((f.file.filter(|_| f.line > 0)?, f.line)));
    let users = known().find(|(file, _)| !is_toolkit(file)).or_else(|| known().next());
    match users {
        Some((file, line)) => (file.to_owned(), line),
        None => (text.name().to_owned(), text.location(span.start).line),
    }
}

/// A file name for messages: relative to the current folder if the file is below it, and only the
/// last part for a temporary file that no longer exists.
pub fn shown_file(file: &str) -> String {
    let file = &known_file(file, None);
    let here = std::env::current_dir().ok();
    let below = here.as_deref().and_then(|here| Path::new(file).strip_prefix(here).ok());
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

/// A text that diagnostics refer to, and its line table, if known. With a line table, source
/// positions are shown before those in the PTX.
#[derive(Clone, Copy, Debug)]
pub struct Located<'a> {
    /// The text.
    pub text: &'a SourceFile,
    /// The line table, from `.loc` directives.
    pub sources: Option<&'a Sources>,
}

impl<'a> From<&'a SourceFile> for Located<'a> {
    fn from(text: &'a SourceFile) -> Self {
        Self { text, sources: None }
    }
}

impl<'a, S: Into<Option<&'a Sources>>> From<(&'a SourceFile, S)> for Located<'a> {
    fn from((text, sources): (&'a SourceFile, S)) -> Self {
        Self { text, sources: sources.into() }
    }
}

impl Located<'_> {
    /// The position in source and PTX of a diagnostic.
    pub fn place(&self, diagnostic: &Diagnostic) -> CodeLocation {
        self.place_of(diagnostic.primary.span)
    }

    /// The position of an instruction.
    pub fn place_of(&self, span: Span) -> CodeLocation {
        match self.sources {
            Some(sources) => CodeLocation::new(sources, self.text, span),
            None => CodeLocation::of_text(self.text, span),
        }
    }

    /// The source positions of an instruction, innermost first; empty if unknown.
    pub(crate) fn frames(&self, span: Span) -> Vec<Frame> {
        self.sources.map_or_else(Vec::new, |sources| frames_at(sources, span))
    }
}

/// The source frames of an instruction by `.loc`, innermost first.
pub(crate) fn frames_at(sources: &Sources, span: Span) -> Vec<Frame> {
    frames(sources, span, Via::Instruction).collect()
}

/// The source frames of an instruction by `.loc`, without those that lack a file or a line.
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

/// The name of a file. A source without file has the name that the program gave it, without a
/// temporary folder that no longer exists.
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

/// Whether a file is in a folder for temporary files.
fn is_temporary(file: &str) -> bool {
    let file = Path::new(file);
    ["/tmp", "/var/tmp", "/dev/shm"].iter().any(|folder| file.starts_with(folder))
        || file.is_absolute() && file.starts_with(std::env::temp_dir())
}

/// The beginning of a line, without trailing spaces.
fn cut(line: &str) -> String {
    let end = line.char_indices().nth(LONG_LINE).map_or(line.len(), |(at, _)| at);
    line[..end].trim_end().to_owned()
}
