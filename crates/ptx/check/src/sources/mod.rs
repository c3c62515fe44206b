//! Where instructions come from: what `.file` and `.loc` say, kept for what is said about them.
//!
//! An instruction is found by the first byte of its span, which goes with it into warp code and out again with
//! faults and observations. [`Sources`] has a row wherever the place changes, in the order of the text: so
//! an operation carries nothing more for it, and nothing that moves, fuses or compiles operations knows of it.

mod collect;

pub(crate) use collect::Collector;

use std::borrow::Cow;
use std::num::NonZeroU32;

use texunit_syntax::ast::FilePlace;
use texunit_syntax::{HandedSource, Location, SourceFile, Span};

/// Frames that are followed; real chains of inlined calls are much shorter.
pub const MAX_FRAMES: usize = 64;
/// Bytes of a function's name that are read.
const MAX_NAME: usize = 64 << 10;
/// No name.
const NONE: u32 = u32::MAX;

/// A place in the source, as a number of its module's [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(NonZeroU32);

/// What a `.loc` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Entry {
    place: FilePlace,
    /// Index in [`Sources::names`].
    name: u32,
    /// Always an earlier one: chains end.
    inlined_at: Option<SourceId>,
}

/// A function with a body.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Body {
    /// From the header to the closing brace.
    span: Span,
    name: String,
}

/// The places of all instructions of a module.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Sources {
    /// Number and name, in the order of the numbers.
    files: Vec<(u32, String)>,
    entries: Vec<Entry>,
    /// From this byte of the text on, in its order.
    rows: Vec<(u32, SourceId)>,
    bodies: Vec<Body>,
    /// Where names begin in `strings`, or [`NONE`].
    names: Vec<u32>,
    /// Contents of the sections `.debug_str`, if there are names.
    strings: Vec<u8>,
    /// Sources that are in no file.
    handed: Vec<HandedSource>,
}

impl std::fmt::Debug for Sources {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sources")
            .field("files", &self.files)
            .field("places", &self.entries.len())
            .finish_non_exhaustive()
    }
}

/// A function that was being executed, of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// Name of the file as the compiler has written it; `None` if its number is that of no `.file`.
    pub file: Option<&'a str>,
    /// Line, from 1; 0: the compiler knows of none.
    pub line: u32,
    /// Column in bytes, from 1; 0: the compiler knows of none.
    pub column: u32,
    /// Name of the function as the linker knows it; `None` if it cannot be read.
    pub function: Option<Cow<'a, str>>,
}

/// A place of the PTX and what it was compiled from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePlace<'a> {
    /// The instruction.
    pub span: Span,
    /// Line and column of its first byte in the PTX.
    pub ptx: Location,
    /// The PTX function that it is in.
    pub function: Option<&'a str>,
    /// Where it comes from, the innermost first, then the calls that were inlined around it;
    /// empty without `.loc`. At most [`MAX_FRAMES`].
    pub frames: Vec<Frame<'a>>,
}

impl Sources {
    /// Names of files with their numbers.
    pub fn files(&self) -> impl Iterator<Item = (u32, &str)> {
        self.files.iter().map(|(number, name)| (*number, name.as_str()))
    }

    /// The source that a compiler was handed in memory for a file of this name, if the text has kept it. Of two that are
    /// called so, as linked modules may have them, none.
    pub fn handed(&self, file: &str) -> Option<&HandedSource> {
        let mut called_so = self.handed.iter().filter(|source| source.is(file));
        let first = called_so.next()?;
        called_so.all(|other| other.text == first.text).then_some(first)
    }

    fn body_at(&self, at: u32) -> Option<&Body> {
        let next = self.bodies.partition_point(|body| body.span.start <= at);
        self.bodies[..next].last().filter(|body| at < body.span.end)
    }

    /// Byte offsets, ascending, at which the source location of the PTX text changes. A range between two offsets may have no
    /// instruction.
    pub fn stretches(&self) -> impl Iterator<Item = u32> {
        self.rows.iter().map(|&(at, _)| at)
    }

    /// Name of the PTX function whose text has this byte.
    pub fn function_at(&self, at: u32) -> Option<&str> {
        Some(&self.body_at(at)?.name)
    }

    /// The PTX function of that name, from its header to its closing brace.
    pub fn body(&self, name: &str) -> Option<Span> {
        Some(self.bodies.iter().find(|body| body.name == name)?.span)
    }

    /// The PTX function whose text has this byte, from its header to its closing brace.
    pub fn body_around(&self, at: u32) -> Option<Span> {
        Some(self.body_at(at)?.span)
    }

    /// The first byte of the PTX function's first instruction that has a line; `None` if none has.
    pub fn first_place(&self, name: &str) -> Option<u32> {
        let body = self.body(name)?;
        let first = self.rows.partition_point(|&(start, _)| start < body.start);
        let rows = self.rows[first..].iter().take_while(|&&(start, _)| start < body.end);
        rows.clone().find(|&&(_, id)| self.entry(id).place.line > 0).map(|&(start, _)| start)
    }

    /// The place of the instruction that begins at this byte of the text; two instructions of one place
    /// have the same.
    pub fn id_at(&self, at: u32) -> Option<SourceId> {
        let body = self.body_at(at)?;
        let next = self.rows.partition_point(|&(start, _)| start <= at);
        let &(start, id) = self.rows[..next].last()?;
        (start >= body.span.start).then_some(id)
    }

    /// Where the instruction that begins at this byte comes from, the innermost first, then the calls
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

    /// The place of an instruction of the module with this text.
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

    /// A name that ends with a zero and is not empty.
    fn name(&self, name: u32) -> Option<Cow<'_, str>> {
        let start = *self.names.get(name as usize)? as usize;
        let bytes = self.strings.get(start..)?;
        let bytes = &bytes[..bytes.len().min(MAX_NAME)];
        let len = bytes.iter().position(|&b| b == 0)?;
        (len > 0).then(|| String::from_utf8_lossy(&bytes[..len]))
    }
}
