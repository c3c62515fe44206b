//! Maps the counters and operations of a kernel's code to PTX instructions and source lines.

use crate::class::Class;
use crate::counts::Counts;
use crate::data::{Instruction, Place};
use std::collections::HashMap;
use std::ops::Range;
use texunit_report::place::{function_name, is_toolkit, source_file};
use texunit_simt::SourceId;
use texunit_simt::observe::{Costs, LaneCount, Listing};

/// A basic block: operations that the same lanes execute, and the counters of the lanes.
#[derive(Debug)]
struct Block {
    operations: Range<u32>,
    lanes: LaneCount,
}

/// Maps the counters and operations of a kernel's code to its PTX instructions.
#[derive(Debug)]
pub(crate) struct Table {
    /// Number of operations, by which a launch recognises that the code has changed.
    pub(crate) operations: u32,
    /// The kernel's instructions without counts, each with its first byte in the PTX as its
    /// identity.
    pub(crate) entries: Vec<(u32, Instruction)>,
    /// The index in `entries` of each counted operation's instruction.
    of_op: HashMap<u32, u32>,
    /// Basic blocks, with the counters of their lanes.
    blocks: Vec<Block>,
    /// Ranges of operations with the counter of the warps that execute them.
    stretches: Vec<(Range<u32>, u32)>,
    /// For each operation, the counter of lanes whose predicate is true.
    guards: HashMap<u32, u32>,
    /// Accesses whose costs are counted by compiled code, or follow from another access.
    pub(crate) costs: Costs,
    /// By operation: the number of lanes that take a branch, and the counter of its divergent
    /// executions.
    branches: HashMap<u32, (LaneCount, u32)>,
}

/// Maximum length of an instruction's text in a profile.
const LONGEST: usize = 200;

impl Table {
    pub(crate) fn of(listing: Listing<'_>, ptx: &str) -> Self {
        let (counting, issues) = (listing.counting(), listing.issues());
        let mut maker = Maker { listing, ptx, places: HashMap::new(), files: HashMap::new() };
        let mut table = Self {
            operations: listing.len(),
            entries: Vec::new(),
            of_op: HashMap::new(),
            blocks: Vec::new(),
            stretches: Vec::new(),
            guards: HashMap::new(),
            costs: listing.costs(),
            branches: HashMap::new(),
        };
        let mut by_start = HashMap::new();
        for block in counting.blocks() {
            let function = listing.function(block.operations.start);
            for op in block.operations.clone().filter(|&op| listing.counts(op)) {
                let start = listing.span(op).start;
                let number = *by_start.entry(start).or_insert_with(|| {
                    table.entries.push((start, maker.instruction(op, function)));
                    table.entries.len() as u32 - 1
                });
                table.of_op.insert(op, number);
                table.guards.extend(issues.guard(op).map(|counter| (op, counter + 1)));
            }
            let operations = block.operations.clone();
            table.blocks.push(Block { operations, lanes: block.lanes.clone() });
        }
        let stretches = issues.stretches().iter();
        table.stretches = stretches.map(|s| (s.operations.clone(), s.counter)).collect();
        for branch in counting.branches() {
            if let (Some(taken), Some(divided)) = (branch.edges.first(), issues.divided(branch.op))
            {
                table.branches.insert(branch.op, (taken.clone(), divided));
            }
        }
        table
    }

    /// The index in `entries` of an operation's instruction.
    pub(crate) fn entry(&self, op: u32) -> Option<usize> {
        self.of_op.get(&op).map(|&number| number as usize)
    }

    /// Converts the counters of a launch to counts of each instruction.
    pub(crate) fn counted(&self, counters: &[u64]) -> Vec<Counts> {
        let mut all = vec![Counts::default(); self.entries.len()];
        let at = |counter: u32| counters.get(counter as usize).copied().unwrap_or(0);
        for (operations, counter) in &self.stretches {
            let warps = at(*counter);
            for entry in operations.clone().filter_map(|op| self.entry(op)) {
                all[entry].warp_instructions += warps;
            }
        }
        for block in &self.blocks {
            let lanes = block.lanes.of(counters);
            for op in block.operations.clone() {
                let Some(entry) = self.entry(op) else { continue };
                let guarded = self.guards.get(&op).map(|&counter| at(counter));
                let branch = self.branches.get(&op);
                let taken = branch.map(|(taken, _)| taken.of(counters));
                let counts = &mut all[entry];
                counts.thread_instructions += lanes;
                counts.thread_instructions_on += guarded.or(taken).unwrap_or(lanes);
                if let Some((_, divided)) = branch {
                    counts.branches = counts.warp_instructions;
                    counts.divergent_branches += at(*divided);
                }
            }
        }
        all
    }
}

struct Maker<'a> {
    listing: Listing<'a>,
    ptx: &'a str,
    places: HashMap<SourceId, Place>,
    files: HashMap<String, String>,
}

impl Maker<'_> {
    fn instruction(&mut self, op: u32, function: &str) -> Instruction {
        let span = self.listing.span(op);
        let ptx_line = self.listing.source().location(span.start).line;
        let place = self.place(span.start).unwrap_or_else(|| Place {
            file: self.ptx.to_owned(),
            line: ptx_line,
            function: function_name(function),
        });
        let words = self.listing.source().snippet(span).split_whitespace();
        let mut text = words.collect::<Vec<_>>().join(" ");
        if let Some((end, _)) = text.char_indices().nth(LONGEST) {
            text.truncate(end);
            text.push_str("...");
        }
        let class = Class::of(self.listing.words(op));
        let ptx_function = function_name(function);
        Instruction { ptx_line, text, class, ptx_function, place, counts: Counts::default() }
    }

    fn place(&mut self, start: u32) -> Option<Place> {
        let sources = self.listing.sources();
        let id = sources.id_at(start)?;
        if let Some(known) = self.places.get(&id) {
            return Some(known.clone());
        }
        let frames = sources.frames_at(start);
        let mut known = frames.iter().filter(|frame| frame.file.is_some() && frame.line > 0);
        let own = known.clone().find(|frame| frame.file.is_some_and(|file| !is_toolkit(file)));
        // Code of CUDA's headers is attributed to the user's line that calls it.
        let frame = own.or_else(|| known.next())?;
        let name = frame.file.unwrap_or_default();
        let file = self.files.entry(name.to_owned()).or_insert_with(|| source_file(name));
        let function = frame.function.as_ref().map(|name| function_name(name)).unwrap_or_default();
        let place = Place { file: file.clone(), line: frame.line, function };
        self.places.insert(id, place.clone());
        Some(place)
    }
}
