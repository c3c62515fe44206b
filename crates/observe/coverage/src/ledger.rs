//! The ledger: a file in the run's folder with the counts of a module, updated after each launch,
//! so that no way of ending the process can lose the counts of an earlier launch.
//!
//! The file begins with a line of JSON, the [`Table`], which gives the counters their meaning; the
//! counters follow, 8 bytes each. After a launch the counters that it has changed are overwritten.
//! The file is not kept open, since programs have limited descriptors and close ones that they did
//! not open.

use crate::data::Coverage;
use crate::table::Table;
use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use texunit_forms::Count;

/// Extension of ledger files.
pub const EXTENSION: &str = "counts";

/// Maximum size in bytes of a ledger file that is read.
const LARGEST: u64 = 1 << 30;

/// A ledger: a module's file of counts in the run's folder, which exists.
#[derive(Debug)]
pub(crate) struct Ledger {
    path: PathBuf,
    /// Offset in bytes of the first counter in the file.
    start: u64,
}

/// The first line of a ledger file, and a hash that identifies its table.
pub(crate) fn header(table: &Table) -> io::Result<(Vec<u8>, u64)> {
    let mut line = serde_json::to_vec(table)?;
    line.push(b'\n');
    let mut hash = DefaultHasher::new();
    hash.write(&line);
    Ok((line, hash.finish()))
}

impl Ledger {
    /// Creates the ledger file of a module, which has the number `number` in this process.
    pub(crate) fn create(
        folder: &Path,
        number: u64,
        table: &Table,
        counts: &[u64],
    ) -> io::Result<Self> {
        let (mut bytes, _) = header(table)?;
        let start = bytes.len() as u64;
        bytes.extend(counts.iter().flat_map(|count| count.to_le_bytes()));
        let path = texunit_evidence::own_file(folder, &format!("{number}.{EXTENSION}"));
        texunit_evidence::write(&path, &bytes)?;
        Ok(Self { path, start })
    }

    /// Overwrites the counters in the file, from number `first` on.
    pub(crate) fn put(&self, first: usize, counts: &[u64]) -> io::Result<()> {
        let bytes: Vec<u8> = counts.iter().flat_map(|count| count.to_le_bytes()).collect();
        let mut file = File::options().write(true).open(&self.path)?;
        file.seek(SeekFrom::Start(self.start + 8 * first as u64))?;
        file.write_all(&bytes)
    }
}

impl Coverage {
    /// Reads the ledger file that a process has left for a module ([`crate::Target::Run`]).
    ///
    /// # Errors
    /// The file cannot be read or has another format.
    pub fn read(path: &Path) -> io::Result<Self> {
        let size = path.metadata()?.len();
        if size > LARGEST {
            return Err(io::Error::other(format!("{} are too many", Count(size, "byte"))));
        }
        let mut file = BufReader::new(File::open(path)?.take(LARGEST));
        let mut line = Vec::new();
        file.read_until(b'\n', &mut line)?;
        let table: Table = serde_json::from_slice(&line)?;
        if !table.is_sound() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let counts: Vec<u64> =
            bytes.as_chunks().0.iter().map(|count| u64::from_le_bytes(*count)).collect();
        let mut coverage = Self::default();
        table.add_to(&counts, &mut coverage);
        Ok(coverage)
    }

    /// Reads and merges the ledger files of several processes. An unreadable file counts as empty,
    /// because its process ended before it had written any counts.
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
