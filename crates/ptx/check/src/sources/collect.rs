//! Collects the source locations of a module while its bodies are checked.

use std::num::NonZeroU32;
use texunit_forms::sort_by_key;

use texunit_syntax::ast::{Content, FilePlace, Item, Loc};
use texunit_syntax::{Span, handed_sources};

use super::{Body, Entry, MAX_FRAMES, NONE, SourceId, Sources};
use crate::names::Map;

/// The source locations that have been collected.
#[derive(Default)]
pub(crate) struct Collector<'a> {
    entries: Vec<Entry>,
    ids: Map<Entry, SourceId>,
    /// Label and offset of each function name that a `.loc` uses.
    names: Vec<(&'a str, u32)>,
    name_ids: Map<(&'a str, u32), u32>,
    rows: Vec<(u32, SourceId)>,
    bodies: Vec<Body>,
    /// For each location, the last `.loc` of the current body with this location.
    last: Map<FilePlace, SourceId>,
    /// For the operands of each `.loc` with `inlined_at`, its last entry in the current body.
    inlined: Map<(FilePlace, u32, FilePlace), SourceId>,
    current: Option<SourceId>,
}

impl<'a> Collector<'a> {
    /// Begins the body of a function.
    pub(crate) fn begin(&mut self, name: &str, span: Span) {
        self.bodies.push(Body { span, name: name.to_owned() });
        self.last.clear();
        self.inlined.clear();
        self.current = None;
    }

    /// Whether a `.loc` of the current body has a location.
    pub(crate) fn knows(&self, place: FilePlace) -> bool {
        self.last.contains_key(&place)
    }

    /// Records a `.loc` of the current body.
    pub(crate) fn loc(&mut self, loc: &Loc<'a>) {
        let name = loc.function.map_or(NONE, |name| self.name(name));
        let id = match loc.inlined_at {
            None => self.id(Entry { place: loc.place, name, inlined_at: None }),
            Some(call) => self.inlined(loc.place, name, call),
        };
        self.last.insert(loc.place, id);
        self.current = Some(id);
    }

    /// Records code inlined at the location of an earlier `.loc`, with its chain of inlined calls.
    fn inlined(&mut self, place: FilePlace, name: u32, call: FilePlace) -> SourceId {
        let around = match self.last.get(&call) {
            Some(&around) => around,
            None => self.id(Entry { place: call, name: NONE, inlined_at: None }),
        };
        let words = (place, name, call);
        // If a function is inlined into itself, the call location is in the same function;
        // repeating the same `.loc` is not another level of inlining.
        let before = self.inlined.get(&words).copied();
        let inside = |&id: &SourceId| {
            let chain = std::iter::successors(Some(around), |&id| self.entry(id).inlined_at);
            chain.take(MAX_FRAMES).any(|outer| outer == id)
        };
        if let Some(again) = before.filter(inside) {
            return again;
        }
        let id = self.id(Entry { place, name, inlined_at: Some(around) });
        self.inlined.insert(words, id);
        id
    }

    fn entry(&self, id: SourceId) -> &Entry {
        &self.entries[id.0.get() as usize - 1]
    }

    fn id(&mut self, entry: Entry) -> SourceId {
        let entries = &mut self.entries;
        *self.ids.entry(entry).or_insert_with(|| {
            entries.push(entry);
            // There are fewer than 2^32 entries, because a text has fewer than 2^32 bytes.
            SourceId(NonZeroU32::new(entries.len() as u32).unwrap_or(NonZeroU32::MAX))
        })
    }

    fn name(&mut self, name: (&'a str, u32)) -> u32 {
        let names = &mut self.names;
        *self.name_ids.entry(name).or_insert_with(|| {
            names.push(name);
            names.len() as u32 - 1
        })
    }

    /// Records an instruction of the current body that begins at byte `start`.
    pub(crate) fn instruction(&mut self, start: u32) {
        let Some(id) = self.current.take() else { return };
        let of_body = self.bodies.last().map_or(0, |body| body.span.start);
        let before = self.rows.last().filter(|&&(at, _)| at >= of_body);
        if before.is_none_or(|&(_, before)| before != id) {
            self.rows.push((start, id));
        }
    }

    /// Returns the collected locations, with the file names and strings from the whole module, and
    /// the sources embedded in its text.
    pub(crate) fn finish(self, text: &str, items: &[Item<'_>]) -> Sources {
        let (mut files, mut strings) = (Vec::new(), Vec::new());
        let mut labels: Map<&str, std::ops::Range<u32>> = Map::default();
        for item in items {
            let Item::Directive(directive) = item else { continue };
            match &directive.content {
                Content::File(number, name) => files.push((*number, (*name).to_owned())),
                Content::Section(section)
                    if !self.names.is_empty() && !section.bytes.is_empty() =>
                {
                    let start = strings.len() as u32;
                    strings.extend_from_slice(&section.bytes);
                    let end = strings.len() as u32;
                    // Ends the last string, so that it does not continue in the next section.
                    strings.push(0);
                    for (label, offset) in &section.labels {
                        labels.entry(label.text).or_insert(start.saturating_add(*offset)..end);
                    }
                }
                _ => {}
            }
        }
        // The first file with a number wins; numbers that are too large are ignored.
        files.retain(|(number, _)| *number != u32::MAX);
        sort_by_key(&mut files, |(number, _)| *number);
        files.dedup_by_key(|(number, _)| *number);
        let start = |(label, offset): &(&str, u32)| {
            let section = labels.get(label)?;
            section.start.checked_add(*offset).filter(|at| section.contains(at))
        };
        let names = self.names.iter().map(|name| start(name).unwrap_or(NONE)).collect();
        let Self { entries, rows, bodies, .. } = self;
        // Without `.loc` lines, embedded sources are not needed.
        let handed = if files.is_empty() { Vec::new() } else { handed_sources(text) };
        Sources { files, entries, rows, bodies, names, strings, handed }
    }
}
