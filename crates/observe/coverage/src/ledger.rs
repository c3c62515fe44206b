//! The counts of a module in a file of the run's folder, kept up with every launch: whatever ends the process takes
//! nothing of a launch with it that has ended before.
//!
//! The file begins with a line of JSON, the [`Table`], which says what the counters mean; behind it stand the counters, 8
//! bytes each. After a launch those are written over that it has changed. No file stays open, as programs have limits for
//! that, and close files that are not theirs.

use crate::data::Coverage;
use crate::table::Table;
use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use texunit_forms::Count;

/// Extension of the files that processes leave in the folder of a run.
pub const EXTENSION: &str = "counts";

/// Largest file that is read.
const LARGEST: u64 = 1 << 30;

/// A file that is there.
#[derive(Debug)]
pub(crate) struct Ledger {
    path: PathBuf,
    /// Where the counters begin.
    start: u64,
}

/// The first line of a file, and a number that those of other tables do not have.
pub(crate) fn header(table: &Table) -> io::Result<(Vec<u8>, u64)> {
    let mut line = serde_json::to_vec(table)?;
    line.push(b'\n');
    let mut hash = DefaultHasher::new();
    hash.write(&line);
    Ok((line, hash.finish()))
}

impl Ledger {
    /// Makes the file of a module, the `number`th of this process.
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

    /// Writes counters over, from one on.
    pub(crate) fn put(&self, first: usize, counts: &[u64]) -> io::Result<()> {
        let bytes: Vec<u8> = counts.iter().flat_map(|count| count.to_le_bytes()).collect();
        let mut file = File::options().write(true).open(&self.path)?;
        file.seek(SeekFrom::Start(self.start + 8 * first as u64))?;
        file.write_all(&bytes)
    }
}

/// What a module of a process has covered, by its file.
pub(crate) fn read(path: &Path) -> io::Result<Coverage> {
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
    let mut coverage = Coverage::default();
    table.add_to(&counts, &mut coverage);
    Ok(coverage)
}
