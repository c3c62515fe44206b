//! The memory that descriptors refer to: byte regions at addresses.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use texunit_forms::Count;

/// Byte regions at addresses. Regions do not overlap; a read may cross adjacent regions.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    regions: BTreeMap<u64, Vec<u8>>,
    generation: u64,
}

/// The error of a memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// Some byte of the range is not mapped.
    #[error("the {} at {address:#x} {} not all in memory", Count(bytes, "byte"), Count(bytes, "byte").are())]
    Absent {
        /// Address of the range's first byte.
        address: u64,
        /// Size of the range in bytes.
        bytes: u64,
    },
    /// Some byte of the range is mapped already.
    #[error("the {} at {address:#x} would overlap with memory at {other:#x}", Count(bytes, "byte"))]
    Overlap {
        /// Address of the range's first byte.
        address: u64,
        /// Size of the range in bytes.
        bytes: u64,
        /// Address of the region that is mapped there.
        other: u64,
    },
    /// The range exceeds the address space.
    #[error("the {} at {address:#x} would pass the end of the address space", Count(bytes, "byte"))]
    Wraps {
        /// Address of the range's first byte.
        address: u64,
        /// Size of the range in bytes.
        bytes: u64,
    },
}

/// The next generation number, unique among all memories.
static CHANGES: AtomicU64 = AtomicU64::new(1);

impl Memory {
    /// A memory without regions.
    pub fn new() -> Self {
        Self::default()
    }

    /// A number that identifies the current contents. Every change gives a new number, and no other
    /// memory has it, so that caches can compare it.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    fn touch(&mut self) {
        self.generation = CHANGES.fetch_add(1, Relaxed);
    }

    /// The mapped regions, lowest address first.
    pub fn regions(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.regions.iter().map(|(&address, bytes)| (address, &bytes[..]))
    }

    /// Maps a region with these bytes.
    pub fn map(&mut self, address: u64, bytes: Vec<u8>) -> Result<(), MemoryError> {
        let length = bytes.len() as u64;
        if length == 0 {
            return Ok(());
        }
        let Some(end) = address.checked_add(length) else {
            return Err(MemoryError::Wraps { address, bytes: length });
        };
        if let Some((&other, found)) = self.regions.range(..end).next_back()
            && other + found.len() as u64 > address
        {
            return Err(MemoryError::Overlap { address, bytes: length, other });
        }
        self.regions.insert(address, bytes);
        self.touch();
        Ok(())
    }

    /// Unmaps the region that begins at an address, and returns its bytes.
    pub fn unmap(&mut self, address: u64) -> Option<Vec<u8>> {
        let region = self.regions.remove(&address)?;
        self.touch();
        Some(region)
    }

    /// The bytes from an address to the end of its region.
    fn rest(&self, address: u64) -> Option<&[u8]> {
        let (&start, bytes) = self.regions.range(..=address).next_back()?;
        bytes.get((address - start) as usize..).filter(|rest| !rest.is_empty())
    }

    /// The bytes of a range that is inside one region; `None` for any other range.
    pub fn slice(&self, address: u64, length: u64) -> Option<&[u8]> {
        self.rest(address)?.get(..usize::try_from(length).ok()?)
    }

    /// Fails unless all bytes of a range are mapped.
    pub fn check(&self, address: u64, bytes: u64) -> Result<(), MemoryError> {
        let absent = MemoryError::Absent { address, bytes };
        let end = address.checked_add(bytes).ok_or(absent)?;
        let mut at = address;
        while at < end {
            at = at.saturating_add(self.rest(at).ok_or(absent)?.len() as u64);
        }
        Ok(())
    }

    /// Whether any byte of a range is mapped.
    pub fn touches(&self, address: u64, length: u64) -> bool {
        let end = address.saturating_add(length);
        if end == address {
            return false;
        }
        let last = self.regions.range(..end).next_back();
        last.is_some_and(|(&start, region)| start + region.len() as u64 > address)
    }

    /// Reads a range, which may cross regions; after an error `out` is partly written.
    pub fn read(&self, address: u64, out: &mut [u8]) -> Result<(), MemoryError> {
        let absent = MemoryError::Absent { address, bytes: out.len() as u64 };
        let mut done = 0;
        while done < out.len() {
            let at = address.checked_add(done as u64).ok_or(absent)?;
            let rest = self.rest(at).ok_or(absent)?;
            let count = rest.len().min(out.len() - done);
            out[done..done + count].copy_from_slice(&rest[..count]);
            done += count;
        }
        Ok(())
    }

    /// Writes a range of mapped bytes; if a byte is not mapped, nothing is written.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), MemoryError> {
        self.check(address, bytes.len() as u64)?;
        let mut rest = bytes;
        while !rest.is_empty() {
            let at = address + (bytes.len() - rest.len()) as u64;
            let (&start, region) =
                self.regions.range_mut(..=at).next_back().expect("`check` has looked");
            let to = &mut region[(at - start) as usize..];
            let (now, later) = rest.split_at(to.len().min(rest.len()));
            to[..now.len()].copy_from_slice(now);
            rest = later;
        }
        self.touch();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions() {
        let mut memory = Memory::new();
        memory.map(16, vec![1; 4]).unwrap();
        memory.map(20, vec![2; 4]).unwrap();
        memory.map(8, vec![]).unwrap();
        let before = memory.generation();
        for (address, length) in [(12, 5), (19, 2), (23, 1), (0, 100)] {
            let error = memory.map(address, vec![0; length]).unwrap_err();
            assert!(matches!(error, MemoryError::Overlap { .. }), "{error}");
        }
        assert!(matches!(memory.map(u64::MAX, vec![0; 2]), Err(MemoryError::Wraps { .. })));
        assert_eq!(memory.generation(), before);
        let mut out = [0; 6];
        memory.read(18, &mut out).unwrap();
        assert_eq!(out, [1, 1, 2, 2, 2, 2]);
        let mapped = [(16, 8), (16, 9), (15, 1), (u64::MAX, 2)];
        let checks = mapped.map(|(address, length)| memory.check(address, length).is_ok());
        assert_eq!(checks, [true, false, false, false]);
        let touched = [(0, 16), (0, 17), (17, 1), (23, 100), (24, 100), (17, 0), (0, u64::MAX)];
        let touches = touched.map(|(address, length)| memory.touches(address, length));
        assert_eq!(touches, [false, true, true, true, false, false, true]);
        assert_eq!(memory.slice(18, 3), None);
        assert_eq!(memory.slice(18, 2), Some(&[1, 1][..]));
        assert!(memory.read(u64::MAX, &mut out).is_err());
        memory.write(18, &[7, 8, 9]).unwrap();
        assert!(memory.generation() > before);
        memory.read(18, &mut out).unwrap();
        assert_eq!(out, [7, 8, 9, 2, 2, 2]);
        assert!(memory.write(22, &[0; 3]).is_err());
        assert_eq!(memory.unmap(20), Some(vec![9, 2, 2, 2]));
        assert_eq!(memory.unmap(20), None);
        assert_eq!(memory.regions().count(), 1);
    }
}
