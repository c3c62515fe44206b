//! Makes the table of a module: assigns the operations of each block to source positions by `.loc`.

use crate::data::BranchKey;
use crate::table::{At, CodeCopy, Table};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use texunit_report::place::{function_name, printable, source_file};
use texunit_simt::observe::{CountedBranch, Listing};
use texunit_simt::{SourceId, Sources};

/// Maximum depth of nested inlined calls.
const DEEPEST: usize = 64;

/// Makes the table of a module whose PTX file has the name `ptx`.
pub(crate) fn table(listing: Listing<'_>, ptx: &str) -> Table {
    let counting = listing.counting();
    let mut maker = Maker {
        listing,
        sources: listing.sources(),
        ptx,
        numbers: HashMap::new(),
        table: Table { counters: counting.counters(), ..Table::default() },
    };
    let blocks = counting.blocks();
    let mut branches = counting.branches();
    let mut first = 0;
    while let Some(block) = blocks.get(first) {
        let name = listing.function(block.operations.start);
        let all = listing.operations(name);
        let own = blocks[first..].iter().take_while(|b| all.contains(&b.operations.start)).count();
        let last = first + own.max(1);
        let end = blocks[last - 1].operations.end;
        let (of_function, others) = branches.split_at(branches.partition_point(|b| b.op < end));
        branches = others;
        let ops = (first..last).flat_map(|i| {
            let ops = blocks[i].operations.clone();
            ops.filter(|&op| listing.counts(op)).map(move |op| (i as u32, op))
        });
        maker.function(name, first as u32, &ops.collect::<Vec<_>>(), of_function);
        first = last;
    }
    maker.table.blocks = blocks.iter().map(|block| (&block.lanes).into()).collect();
    maker.table
}

struct Maker<'a> {
    listing: Listing<'a>,
    sources: &'a Sources,
    ptx: &'a str,
    /// File numbers by name.
    numbers: HashMap<String, u32>,
    table: Table,
}

/// The source position of an operation, and the index of the code copy that contains the operation.
type CopyPosition = (At, usize);
/// The identity of a code copy: the position of the inlined call, and the function's name.
type Identity = (Option<CopyPosition>, Option<String>);

/// A copy of a source function's code ([`CodeCopy`]), under construction.
struct CopyBuilder {
    identity: Identity,
    first: u32,
    /// Basic blocks by source position: first the blocks of operations with side effects, then the
    /// blocks of other operations.
    lines: HashMap<At, [Vec<u32>; 2]>,
    /// The source positions with operations, in the order of their first occurrence in the PTX.
    order: Vec<At>,
    /// Number of branches at each source position.
    branches: HashMap<At, u32>,
    hash: u64,
}

/// The copies of source functions' code in a PTX function: first the code of the PTX function
/// itself, then the inlined functions.
#[derive(Default)]
struct CopyBuilders {
    all: Vec<CopyBuilder>,
    found: HashMap<Identity, usize>,
    /// The source position that each `.loc` directive stands for.
    known: HashMap<SourceId, Option<CopyPosition>>,
}

impl Maker<'_> {
    fn file(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.table.files.len() as u32;
        self.numbers.insert(name.to_owned(), number);
        self.table.files.push(if name == self.ptx { name.to_owned() } else { source_file(name) });
        number
    }

    /// Adds a function with its entry block, its operations (each with its block), and its
    /// branches.
    fn function(&mut self, name: &str, entry: u32, ops: &[(u32, u32)], branches: &[CountedBranch]) {
        let mut parts = CopyBuilders::default();
        parts.get((None, Some(name.to_owned())), entry);
        let mut places = HashMap::new();
        for &(block, op) in ops {
            if let Some((at, part)) = self.place(&mut parts, block, op) {
                parts.all[part].put(at, block, self.listing.has_effects(op));
                places.insert(op, (at, part));
            }
        }
        if places.is_empty() {
            self.without_loc(&mut parts.all[0], ops, &mut places);
        }
        for branch in branches {
            let Some(&(at, part)) = places.get(&branch.op) else { continue };
            let part = &mut parts.all[part];
            let number = part.branches.entry(at).or_default();
            let key = BranchKey { line: at.line, owner: part.hash, number: *number };
            *number += 1;
            let ways = branch.edges.iter().map(Into::into).collect();
            self.table.branches.push((at.file, key, ways));
        }
        let before = self.table.copies.len();
        self.table.copies.extend(parts.all.into_iter().map(|part| part.done(before)));
    }

    /// The source position of an operation by `.loc`.
    fn place(&mut self, parts: &mut CopyBuilders, block: u32, op: u32) -> Option<CopyPosition> {
        let start = self.listing.span(op).start;
        let id = self.sources.id_at(start)?;
        if let Some(&known) = parts.known.get(&id) {
            return known;
        }
        // Frames without file or line are skipped.
        let frames = self.sources.frames_at(start);
        let known = frames.into_iter().take(DEEPEST).filter_map(|frame| {
            let file = self.file(frame.file.filter(|_| frame.line > 0)?);
            Some((At { file, line: frame.line }, frame.function))
        });
        let known: Vec<_> = known.collect();
        // Frames are added from the outermost, which belongs to the PTX function itself, inwards.
        let mut place: Option<CopyPosition> = None;
        for (at, name) in known.into_iter().rev() {
            let part = match place {
                None => 0,
                call => parts.get((call, name.map(|name| name.into_owned())), block),
            };
            place = Some((at, part));
        }
        parts.known.insert(id, place);
        place
    }

    /// Adds a function without `.loc`, which is shown by its lines in the PTX, from its header on.
    fn without_loc(
        &mut self,
        part: &mut CopyBuilder,
        ops: &[(u32, u32)],
        places: &mut HashMap<u32, CopyPosition>,
    ) {
        let (file, source) = (self.file(self.ptx), self.listing.source());
        let at = |byte| At { file, line: source.location(byte).line };
        let start = ops.first().map(|&(_, op)| self.listing.span(op).start);
        if let Some(body) = start.and_then(|start| self.sources.body_around(start)) {
            part.put(at(body.start), part.first, true);
        }
        for &(block, op) in ops {
            let start = self.listing.span(op).start;
            part.put(at(start), block, true);
            places.insert(op, (at(start), 0));
        }
    }
}

impl CopyBuilders {
    fn get(&mut self, identity: Identity, block: u32) -> usize {
        if let Some(&part) = self.found.get(&identity) {
            return part;
        }
        let mut hash = DefaultHasher::new();
        let (call, name) = (identity.0, &identity.1);
        call.map(|(at, into)| (at.line, self.all[into].hash)).hash(&mut hash);
        name.hash(&mut hash);
        self.found.insert(identity.clone(), self.all.len());
        self.all.push(CopyBuilder {
            identity,
            first: block,
            lines: HashMap::new(),
            order: Vec::new(),
            branches: HashMap::new(),
            hash: hash.finish(),
        });
        if let Some((at, into)) = call {
            self.all[into].mention(at);
        }
        self.all.len() - 1
    }
}

impl CopyBuilder {
    /// Adds a source line to the lines of this code copy, unless it has the line already; returns
    /// the line's blocks. The line of an inlined call is added even without an operation.
    fn mention(&mut self, at: At) -> &mut [Vec<u32>; 2] {
        self.lines.entry(at).or_insert_with(|| {
            self.order.push(at);
            Default::default()
        })
    }

    fn put(&mut self, at: At, block: u32, has_effects: bool) {
        let blocks = &mut self.mention(at)[usize::from(!has_effects)];
        if blocks.last() != Some(&block) {
            blocks.push(block);
        }
    }

    /// Converts to a [`CodeCopy`]; `before` is the number of code copies in earlier PTX functions.
    fn done(mut self, before: usize) -> CodeCopy {
        let (call, name) = self.identity;
        // The function begins at its first line in the file of its first position; inlined code can
        // come earlier only in other files.
        let begins = self.order.first().and_then(|first| {
            let lines = self.order.iter().filter(|at| at.file == first.file);
            if call.is_some() { lines.min_by_key(|at| at.line).copied() } else { Some(*first) }
        });
        let lines = self.order.iter().map(|at| {
            let [effects, others] = self.lines.remove(at).unwrap_or_default();
            // Operations without side effects may have been moved above a branch that skips the
            // line, so they count only if the line has no operations with side effects.
            (*at, if effects.is_empty() { others } else { effects })
        });
        CodeCopy {
            call: call.map(|(at, into)| (at, before + into)),
            function: name.map(|name| printable(&function_name(&name))).zip(begins),
            first: self.first,
            lines: lines.collect(),
        }
    }
}
