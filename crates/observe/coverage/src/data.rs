//! Coverage data by source file: counts of lines, functions and branches, and merging them.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Lane counts by file, line, function and branch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// The coverage of each file, by file name as in the compiler's line table.
    pub files: BTreeMap<String, File>,
}

/// The coverage of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// Lane counts by line, from 1.
    pub lines: BTreeMap<u32, u64>,
    /// Functions by name.
    pub functions: BTreeMap<String, Function>,
    /// Lane counts of each branch's directions.
    pub branches: BTreeMap<BranchKey, Vec<u64>>,
}

/// A kernel or function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Function {
    /// The first line of the function.
    pub line: u32,
    /// Number of lanes that have entered it.
    pub lanes: u64,
}

/// Identifies a branch, in the same way in every process that has loaded the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct BranchKey {
    /// The line of the branch.
    pub line: u32,
    /// A hash of the PTX function, and of the inlined copy in it, that contains the branch.
    pub owner: u64,
    /// The number of the branch among those with the same line and owner.
    pub number: u32,
}

impl Coverage {
    /// Adds the coverage of another process or module.
    pub fn add(&mut self, other: &Coverage) {
        for (name, file) in &other.files {
            match self.files.get_mut(name) {
                Some(sum) => sum.add(file),
                None => drop(self.files.insert(name.clone(), file.clone())),
            }
        }
    }

    /// Total number of lines, functions and branches.
    pub fn len(&self) -> usize {
        let sizes =
            self.files.values().map(|f| f.lines.len() + f.functions.len() + f.branches.len());
        sizes.sum()
    }

    /// Whether there is no code to cover.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes the files that are headers of CUDA or of a compiler, because users do not test them.
    pub fn leave_out_toolkit(&mut self) {
        self.files.retain(|name, _| !texunit_report::place::is_toolkit(name));
    }

    /// Sets all counts to 0.
    pub fn clear(&mut self) {
        for file in self.files.values_mut() {
            file.lines.values_mut().for_each(|lanes| *lanes = 0);
            file.functions.values_mut().for_each(|function| function.lanes = 0);
            file.branches.values_mut().for_each(|ways| ways.fill(0));
        }
    }
}

impl File {
    pub(crate) fn add(&mut self, other: &File) {
        for (&line, &lanes) in &other.lines {
            self.line(line, lanes);
        }
        for (name, function) in &other.functions {
            self.function(name, *function);
        }
        for (&key, ways) in &other.branches {
            self.branch(key, ways.iter().copied());
        }
    }

    /// Adds to the count of a line.
    pub fn line(&mut self, line: u32, lanes: u64) {
        let sum = self.lines.entry(line).or_default();
        *sum = sum.saturating_add(lanes);
    }

    /// Adds to the count of a function.
    pub fn function(&mut self, name: &str, function: Function) {
        match self.functions.get_mut(name) {
            Some(sum) => {
                sum.lanes = sum.lanes.saturating_add(function.lanes);
                sum.line = sum.line.min(function.line);
            }
            None => drop(self.functions.insert(name.to_owned(), function)),
        }
    }

    /// Adds to the counts of a branch's directions.
    pub fn branch(&mut self, key: BranchKey, ways: impl ExactSizeIterator<Item = u64>) {
        let sums = self.branches.entry(key).or_default();
        sums.resize(sums.len().max(ways.len()), 0);
        sums.iter_mut().zip(ways).for_each(|(sum, lanes)| *sum = sum.saturating_add(lanes));
    }
}
