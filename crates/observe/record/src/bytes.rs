//! Stores the nonzero bytes of an object, and the bytes that a launch changed.

use crate::Refused;
use texunit_device::{Block, overlay};

/// Size in bytes of a page. Pages whose bytes are all zero are not stored.
const PAGE: usize = 4096;
/// Number of bytes that are read from an object at a time.
const READ: usize = 16 * PAGE;
/// Minimum number of unchanged bytes between two pieces of changed bytes; closer pieces are merged.
const GAP: u64 = 64;
/// Maximum number of pieces (ranges of bytes) in which the contents of an object are stored.
const MAX_PARTS: usize = 1000;

/// The size limit of a job, and the number of bytes that may still be stored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    limit: u64,
    left: u64,
}

impl Budget {
    pub(crate) fn new(limit: u64) -> Self {
        Self { limit, left: limit }
    }

    pub(crate) fn take(&mut self, bytes: u64) -> Result<(), Refused> {
        let left = self.left.checked_sub(bytes);
        self.left = left.ok_or(Refused::Limit { limit: self.limit })?;
        Ok(())
    }
}

/// Reads bytes of an object from an offset on; the error is [`freed_during_launch`].
pub(crate) trait Source {
    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), Refused>;
}

impl Source for &[u8] {
    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), Refused> {
        let bytes = usize::try_from(offset).ok().and_then(|at| self.get(at..)?.get(..out.len()));
        bytes.map(|bytes| out.copy_from_slice(bytes)).ok_or_else(freed_during_launch)
    }
}

impl Source for Block {
    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), Refused> {
        Block::read(self, offset, out).map_err(|_| freed_during_launch())
    }
}

/// Pieces of an object's contents: offset and bytes of each, sorted. The object's other bytes are
/// zero or unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pieces(Vec<(u64, Vec<u8>)>);

impl Pieces {
    /// The nonzero bytes of an object, by page.
    pub(crate) fn not_zero(
        source: &dyn Source,
        size: u64,
        budget: &mut Budget,
    ) -> Result<Self, Refused> {
        let mut pieces = Self::default();
        let mut buffer = vec![0; READ];
        let mut at = 0;
        while at < size {
            let bytes = &mut buffer[..(size - at).min(READ as u64) as usize];
            source.read(at, bytes)?;
            for (i, page) in bytes.chunks(PAGE).enumerate() {
                if page.iter().any(|&b| b != 0) {
                    budget.take(page.len() as u64)?;
                    let offset = at + (i * PAGE) as u64;
                    match pieces.0.last_mut() {
                        Some((start, bytes)) if *start + bytes.len() as u64 == offset => {
                            bytes.extend(page);
                        }
                        _ => pieces.0.push((offset, page.to_vec())),
                    }
                }
            }
            at += bytes.len() as u64;
        }
        for (_, bytes) in &mut pieces.0 {
            // Trailing zeros are dropped in whole words, because most data consists of words.
            let end = bytes.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1);
            bytes.truncate(end.next_multiple_of(4).min(bytes.len()));
        }
        Ok(pieces)
    }

    /// The bytes of an object that differ from its earlier contents, which `self` describes.
    pub(crate) fn changed(
        &self,
        source: &dyn Source,
        size: u64,
        budget: &mut Budget,
    ) -> Result<Self, Refused> {
        let (mut now, mut then) = (vec![0; READ], vec![0; READ]);
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        let mut at = 0;
        while at < size {
            let len = (size - at).min(READ as u64) as usize;
            let (now, then) = (&mut now[..len], &mut then[..len]);
            source.read(at, now)?;
            then.fill(0);
            overlay(&self.0, at, then);
            if now != then {
                for (i, _) in now.iter().zip(then.iter()).enumerate().filter(|(_, (a, b))| a != b) {
                    // Pieces are extended to whole words, which are easier to read.
                    let word = (at + i as u64) / 4 * 4;
                    let next = (word + 4).min(size);
                    match ranges.last_mut() {
                        Some((_, end)) if word < *end + GAP => *end = next,
                        _ => ranges.push((word, next)),
                    }
                }
            }
            at += len as u64;
        }
        let mut pieces = Vec::new();
        for (start, end) in coarse(ranges) {
            budget.take(end - start)?;
            let mut bytes = vec![0; (end - start) as usize];
            source.read(start, &mut bytes)?;
            pieces.push((start, bytes));
        }
        Ok(Self(pieces))
    }

    /// A single piece with all bytes of an object.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        Self(if bytes.is_empty() { Vec::new() } else { vec![(0, bytes.to_vec())] })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The bytes of all pieces, concatenated for a data file.
    pub(crate) fn joined(&self) -> Vec<u8> {
        self.0.iter().flat_map(|(_, bytes)| bytes).copied().collect()
    }

    /// Offsets and lengths of the pieces; `None` if there is a single one at offset 0.
    pub(crate) fn parts(&self) -> Option<Vec<(u64, u64)>> {
        match self.0.as_slice() {
            [(0, _)] => None,
            all => Some(all.iter().map(|(offset, bytes)| (*offset, bytes.len() as u64)).collect()),
        }
    }
}

/// The error for memory that the program freed during the launch.
pub(crate) fn freed_during_launch() -> Refused {
    Refused::Launch("the program freed memory while the kernel ran".to_owned())
}

/// Merges the ranges with the smallest distances until a job file can list all ranges.
fn coarse(mut ranges: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    let mut gap = GAP;
    while ranges.len() > MAX_PARTS {
        gap *= 4;
        let mut merged: Vec<(u64, u64)> = Vec::new();
        for (start, end) in ranges {
            match merged.last_mut() {
                Some(last) if start - last.1 < gap => last.1 = end,
                _ => merged.push((start, end)),
            }
        }
        ranges = merged;
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    fn not_zero(bytes: &[u8]) -> Pieces {
        Pieces::not_zero(&bytes, bytes.len() as u64, &mut Budget::new(1 << 30)).unwrap()
    }

    #[test]
    fn pages_of_zeros_are_left_out() {
        let mut bytes = vec![0; 100_000];
        assert!(not_zero(&bytes).is_empty());
        bytes[0] = 1;
        assert_eq!((not_zero(&bytes).joined(), not_zero(&bytes).parts()), (vec![1, 0, 0, 0], None));
        bytes[5000] = 2;
        bytes[99_999] = 3;
        let pieces = not_zero(&bytes);
        assert_eq!(pieces.parts(), Some(vec![(0, 5004), (98_304, 1696)]));
        let mut whole = vec![0; bytes.len()];
        overlay(&pieces.0, 0, &mut whole);
        assert_eq!(whole, bytes);
        let few = Pieces::not_zero(&bytes.as_slice(), 100_000, &mut Budget::new(8191));
        assert_eq!(few, Err(Refused::Limit { limit: 8191 }));
    }

    #[test]
    fn what_has_changed_is_found() {
        let mut bytes = vec![0; 300_000];
        bytes[70_000] = 9;
        let before = not_zero(&bytes);
        let changed = |bytes: &[u8]| {
            before.changed(&bytes, bytes.len() as u64, &mut Budget::new(1 << 30)).unwrap()
        };
        assert!(changed(&bytes).is_empty());
        bytes[70_000] = 0;
        bytes[70_010] = 7;
        bytes[299_999] = 1;
        let pieces = changed(&bytes);
        assert_eq!(pieces.parts(), Some(vec![(70_000, 12), (299_996, 4)]));
        assert_eq!(pieces.joined(), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 1]);
        // More changes than a job file can list.
        for at in (0..300_000).step_by(100) {
            bytes[at] = 5;
        }
        let pieces = changed(&bytes);
        assert!(pieces.parts().is_none_or(|parts| parts.len() <= MAX_PARTS));
        let mut whole = vec![0; bytes.len()];
        overlay(&before.0, 0, &mut whole);
        overlay(&pieces.0, 0, &mut whole);
        assert_eq!(whole, bytes);
    }
}
