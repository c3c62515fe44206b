//! The mapping of a module's blocks to lines, functions and branches of the source, which turns its
//! counters into coverage.

use crate::data::{BranchKey, Coverage, Function};
use serde::{Deserialize, Serialize};
use texunit_simt::observe::LaneCount;

/// A source position: file number in the table, and line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct At {
    pub(crate) file: u32,
    pub(crate) line: u32,
}

/// A count as a sum of counters: the numbers of the counters to add, and of those to subtract.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CounterSum(Vec<u32>, Vec<u32>);

impl From<&LaneCount> for CounterSum {
    fn from(sum: &LaneCount) -> Self {
        let (plus, minus) = sum.counters();
        Self(plus.to_vec(), minus.to_vec())
    }
}

impl CounterSum {
    fn of(&self, counts: &[u64]) -> u64 {
        let sum = |counters: &[u32]| {
            let counts = counters.iter().filter_map(|&i| counts.get(i as usize));
            counts.fold(0_u64, |sum, &n| sum.wrapping_add(n))
        };
        sum(&self.0).wrapping_sub(sum(&self.1))
    }
}

/// The lines, functions and branches of a module, and which counters count them.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Table {
    /// Number of counters that the module needs.
    pub(crate) counters: usize,
    /// The lane count of each block.
    pub(crate) blocks: Vec<CounterSum>,
    /// Names of the source files, by number.
    pub(crate) files: Vec<String>,
    /// The copies of source functions' code; an inlined copy comes after the copy that contains it.
    pub(crate) copies: Vec<CodeCopy>,
    pub(crate) branches: Vec<(u32, BranchKey, Vec<CounterSum>)>,
}

/// Code of a source function: a PTX function, or a copy that was inlined into one.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CodeCopy {
    /// For an inlined copy, the position of the call, and the index of the copy that contains it.
    pub(crate) call: Option<(At, usize)>,
    /// Name and first line of the source function, if known.
    pub(crate) function: Option<(String, At)>,
    /// The basic block of the copy's first operation.
    pub(crate) first: u32,
    /// The basic blocks of each source line.
    pub(crate) lines: Vec<(At, Vec<u32>)>,
}

impl Table {
    /// Total number of lines, functions and branches, counted separately for each copy.
    pub(crate) fn len(&self) -> usize {
        self.copies.iter().map(|copy| copy.lines.len() + 1).sum::<usize>() + self.branches.len()
    }

    /// Whether all indices in the table are valid, since a table from a file may be damaged.
    pub(crate) fn is_sound(&self) -> bool {
        let block = |block: u32| (block as usize) < self.blocks.len();
        let file = |file: u32| (file as usize) < self.files.len();
        let copy = |(i, copy): (usize, &CodeCopy)| {
            block(copy.first)
                && copy.call.is_none_or(|(at, into)| file(at.file) && into < i)
                && copy.function.as_ref().is_none_or(|(_, at)| file(at.file))
                && copy.lines.iter().all(|(at, of)| file(at.file) && of.iter().all(|&b| block(b)))
        };
        self.copies.iter().enumerate().all(copy) && self.branches.iter().all(|(of, ..)| file(*of))
    }

    /// Adds a module's counts to the coverage.
    pub(crate) fn add_to(&self, counts: &[u64], coverage: &mut Coverage) {
        // The files are taken out of the coverage while counts are added, so that each file is
        // looked up only once.
        let mut files: Vec<_> =
            self.files.iter().map(|name| coverage.files.remove(name).unwrap_or_default()).collect();
        let blocks: Vec<u64> = self.blocks.iter().map(|sum| sum.of(counts)).collect();
        // Counts of inlined calls, by the containing copy.
        let mut calls: Vec<Vec<(At, u64)>> = vec![Vec::new(); self.copies.len()];
        for (i, copy) in self.copies.iter().enumerate().rev() {
            let mut most = 0;
            for (at, of_line) in &copy.lines {
                let own = of_line.iter().map(|&block| blocks[block as usize]).max().unwrap_or(0);
                let called =
                    calls[i].iter().filter(|(call, _)| call == at).map(|(_, lanes)| *lanes);
                let lanes = called.fold(own, u64::max);
                most = most.max(lanes);
                files[at.file as usize].line(at.line, lanes);
            }
            let first = blocks[copy.first as usize];
            // The first operation of inlined code may have been moved above a branch. In code that
            // is not inlined, lines in loops have larger counts.
            let entered = if copy.call.is_some() { first.min(most) } else { first };
            if let Some((at, into)) = copy.call {
                calls[into].push((at, entered));
            }
            if let Some((name, at)) = &copy.function {
                let function = Function { line: at.line, lanes: entered };
                files[at.file as usize].function(name, function);
            }
        }
        for (file, key, ways) in &self.branches {
            files[*file as usize].branch(*key, ways.iter().map(|way| way.of(counts)));
        }
        for (name, file) in self.files.iter().zip(files) {
            // Two file numbers may have the same name.
            match coverage.files.get_mut(name) {
                Some(sum) => sum.add(&file),
                None => drop(coverage.files.insert(name.clone(), file)),
            }
        }
    }
}
