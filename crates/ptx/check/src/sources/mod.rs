//! Source locations of instructions, from `.file` and `.loc`.
//!
//! An instruction is identified by the first byte of its span, which warp code keeps, and which is
//! reported with faults and observations. [`Sources`] has a row for each change of the location, in
//! text order. So operations of warp code carry no source locations, and passes that move, fuse or
//! compile operations need not maintain them.

mod collect;

pub(crate) use collect::Collector;

use std::borrow::Cow;
use std::num::NonZeroU32;

use texunit_syntax::ast::FilePlace;
use texunit_syntax::{HandedSource, Location, SourceFile, Span};

/// Maximum number of frames of a location; real chains of inlined calls are much shorter.
pub const MAX_FRAMES: usize = 64;
/// Maximum length of a function name in bytes.
const MAX_NAME: usize = 64 << 10;
/// Index or offset that stands for a missing name.
const NONE: u32 = u32::MAX;

/// A source location, as an index in its module's [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(NonZeroU32);

/// The contents of a `.loc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Entry {
    place: FilePlace,
    /// Index of the function's name in [`Sources::names`].
    name: u32,
    /// Location of the inlined call; always an earlier entry, so chains end.
    inlined_at: Option<SourceId>,
}

/// A function with a body.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Body {
    /// Range from the header to the closing brace.
    span: Span,
    name: String,
}

/// The source locations of all instructions of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// Number and name of each `.file`, ordered by number.
    files: Vec<(u32, String)>,
    entries: Vec<Entry>,
    /// Each location with the byte of the PTX text from which it applies, in text order.
    rows: Vec<(u32, SourceId)>,
    bodies: Vec<Body>,
    /// Offsets of function names in `strings`, or [`NONE`].
    names: Vec<u32>,
    /// Contents of all `.debug_str` sections, if `.loc` directives have function names.
    strings: Vec<u8>,
    /// Sources that the program passed to the compiler in memory.
    handed: Vec<HandedSource>,
}

/// A frame of a source location: a function, and the line in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// Source file name in `.file`; `None` if no `.file` has the number in `.loc`.
    pub file: Option<&'a str>,
    /// Line number, from 1; 0 if the compiler does not state it.
    pub line: u32,
    /// Column in bytes, from 1; 0 if the compiler does not state it.
    pub column: u32,
    /// Linkage name of the function; `None` if it cannot be read.
    pub function: Option<Cow<'a, str>>,
}

/// The position of an instruction in the PTX, and the source from which it was compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePlace<'a> {
    /// Range of the instruction in the PTX.
    pub span: Span,
    /// Line and column of the instruction's first byte in the PTX.
    pub ptx: Location,
    /// The PTX function that contains the instruction.
    pub function: Option<&'a str>,
    /// The source location: the innermost frame first, then the calls that were inlined around it;
    /// empty without `.loc`. At most [`MAX_FRAMES`].
    pub frames: Vec<Frame<'a>>,
}

impl Sources {
    /// File names with their numbers.
    pub fn files(&self) -> impl Iterator<Item = (u32, &str)> {
        self.files.iter().map(|(number, name)| (*number, name.as_str()))
    }

    /// The source text that a compiler received in memory under a file name, if the PTX contains
    /// it. `None` if several sources have the name, as linked modules may have.
    pub fn handed(&self, file: &str) -> Option<&HandedSource> {
        let mut called_so = self.handed.iter().filter(|source| source.is(file));
        let first = called_so.next()?;
        called_so.all(|other| other.text == first.text).then_some(first)
    }

    fn body_at(&self, at: u32) -> Option<&Body> {
        let next = self.bodies.partition_point(|body| body.span.start <= at);
        self.bodies[..next].last().filter(|body| at < body.span.end)
    }

    /// Byte offsets, ascending, at which the source location of the PTX text changes. A range
    /// between two offsets may contain no instruction.
    pub fn stretches(&self) -> impl Iterator<Item = u32> {
        self.rows.iter().map(|&(at, _)| at)
    }

    /// Name of the PTX function whose text contains the byte at `at`.
    pub fn function_at(&self, at: u32) -> Option<&str> {
        Some(&self.body_at(at)?.name)
    }

    /// The span of the PTX function with this name, from its header to its closing brace.
    pub fn body(&self, name: &str) -> Option<Span> {
        Some(self.bodies.iter().find(|body| body.name == name)?.span)
    }

    /// The span of the PTX function whose text contains the byte at `at`, with header and body.
    pub fn body_around(&self, at: u32) -> Option<Span> {
        Some(self.body_at(at)?.span)
    }

    /// The first byte of the first instruction of a PTX function that has a source line, if any.
    pub fn first_place(&self, name: &str) -> Option<u32> {
        let body = self.body(name)?;
        let first = self.rows.partition_point(|&(start, _)| start < body.start);
        let rows = self.rows[first..].iter().take_while(|&&(start, _)| start < body.end);
        rows.clone().find(|&&(_, id)| self.entry(id).place.line > 0).map(|&(start, _)| start)
    }

    /// The source location of the instruction that begins at byte `at`; instructions with the same
    /// location have the same id.
    pub fn id_at(&self, at: u32) -> Option<SourceId> {
        let body = self.body_at(at)?;
        let next = self.rows.partition_point(|&(start, _)| start <= at);
        let &(start, id) = self.rows[..next].last()?;
        (start >= body.span.start).then_some(id)
    }

    /// The frames of the instruction that begins at byte `at`: the innermost first, then the calls
    /// that were inlined around it; empty without `.loc`. At most [`MAX_FRAMES`].
    pub fn frames_at(&self, at: u32) -> Vec<Frame<'_>> {
        let around = self.function_at(at);
        let ids = std::iter::successors(self.id_at(at), |&id| self.entry(id).inlined_at);
        let frame = |id| {
            let Entry { place, name, inlined_at } = *self.entry(id);
            let function = match inlined_at {
                None if name == NONE => around.map(Cow::Borrowed),
                _ => self.name(name),
            };
            Frame { file: self.file(place.file), line: place.line, column: place.column, function }
        };
        ids.take(MAX_FRAMES).map(frame).collect()
    }

    /// The location of an instruction, in the module whose text is `text`.
    pub fn place(&self, text: &SourceFile, span: Span) -> SourcePlace<'_> {
        SourcePlace {
            span,
            ptx: text.location(span.start),
            function: self.function_at(span.start),
            frames: self.frames_at(span.start),
        }
    }

    fn entry(&self, id: SourceId) -> &Entry {
        &self.entries[id.0.get() as usize - 1]
    }

    fn file(&self, number: u32) -> Option<&str> {
        let at = self.files.binary_search_by_key(&number, |(number, _)| *number).ok()?;
        Some(&self.files[at].1)
    }

    /// Name number `name` in `names`: a zero-terminated string, unless empty.
    fn name(&self, name: u32) -> Option<Cow<'_, str>> {
        let start = *self.names.get(name as usize)? as usize;
        let bytes = self.strings.get(start..)?;
        let bytes = &bytes[..bytes.len().min(MAX_NAME)];
        let len = bytes.iter().position(|&b| b == 0)?;
        (len > 0).then(|| String::from_utf8_lossy(&bytes[..len]))
    }
}
