//! What is covered, by file.

use crate::ledger;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// Counts of lanes by file, line, function and branch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// By name of the file, as the compiler has written it.
    pub files: BTreeMap<String, File>,
}

/// What is covered of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// Lanes by line, from 1.
    pub lines: BTreeMap<u32, u64>,
    /// Functions by name.
    pub functions: BTreeMap<String, Function>,
    /// Lanes by way of each branch.
    pub branches: BTreeMap<BranchKey, Vec<u64>>,
}

/// A kernel or function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Function {
    /// Its first line.
    pub line: u32,
    /// Lanes that have entered it.
    pub lanes: u64,
}

/// Which branch: the same in every process that has loaded the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct BranchKey {
    /// Its line.
    pub line: u32,
    /// Of which function of the PTX, and which copy of inlined code there: a hash.
    pub owner: u64,
    /// Its number among those of the line and owner.
    pub number: u32,
}

impl Coverage {
    /// Adds what another process, or another module, has covered.
    pub fn add(&mut self, other: &Coverage) {
        for (name, file) in &other.files {
            match self.files.get_mut(name) {
                Some(sum) => sum.add(file),
                None => drop(self.files.insert(name.clone(), file.clone())),
            }
        }
    }

    /// Lines, functions and branches in all.
    pub fn len(&self) -> usize {
        let sizes =
            self.files.values().map(|f| f.lines.len() + f.functions.len() + f.branches.len());
        sizes.sum()
    }

    /// Whether there is nothing that could be covered.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Leaves out the headers that come with CUDA or a compiler: nobody tests those of others.
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

    /// What a process has left of a module in a file ([`crate::Target::Run`]).
    ///
    /// # Errors
    /// The file cannot be read, or is not what a process leaves.
    pub fn read(path: &Path) -> io::Result<Self> {
        ledger::read(path)
    }

    /// What several processes have left in these files. Files that cannot be read count as empty: their processes
    /// ended before they had anything to say.
    pub fn merged(files: &[impl AsRef<Path>]) -> Self {
        let mut sum = Self::default();
        for path in files {
            if let Ok(coverage) = Self::read(path.as_ref()) {
                sum.add(&coverage);
            }
        }
        sum
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

    /// Adds lanes that came to a line.
    pub fn line(&mut self, line: u32, lanes: u64) {
        let sum = self.lines.entry(line).or_default();
        *sum = sum.saturating_add(lanes);
    }

    /// Adds lanes that entered a function.
    pub fn function(&mut self, name: &str, function: Function) {
        match self.functions.get_mut(name) {
            Some(sum) => {
                sum.lanes = sum.lanes.saturating_add(function.lanes);
                sum.line = sum.line.min(function.line);
            }
            None => drop(self.functions.insert(name.to_owned(), function)),
        }
    }

    /// Adds lanes by way of a branch.
    pub fn branch(&mut self, key: BranchKey, ways: impl ExactSizeIterator<Item = u64>) {
        let sums = self.branches.entry(key).or_default();
        sums.resize(sums.len().max(ways.len()), 0);
        sums.iter_mut().zip(ways).for_each(|(sum, lanes)| *sum = sum.saturating_add(lanes));
    }
}
