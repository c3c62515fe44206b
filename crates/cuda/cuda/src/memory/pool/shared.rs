//! Pools that other processes are given: their memory is one file of the system, mapped as a whole at an address of each
//! process, in which allocations are ranges.
//!
//! A process that imports a pool allocates nothing there; it is told of single allocations by data that any way
//! carries, which say where in the file they are. The file is gone when the last process has closed it, however that ends.

use crate::args::Answer;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use texunit_cuda_abi::{CUdevice, CUresult};
use texunit_device::{Block, Buffer, Device, Pages, Reserved};
use texunit_forms::Count;

/// What the note of such a file begins with: that of other memory begins with another number.
const KIND: u8 = 2;
/// What data of an allocation begin with.
const MAGIC: [u8; 16] = *b"texunit pool\x01\0\0\0";
/// What sizes are rounded up to.
const UNIT: u64 = 512;
/// What the size of a file is a multiple of.
const PAGE: u64 = 2 << 20;

/// The memory of such a pool.
#[derive(Debug)]
pub(crate) struct Shared {
    pages: Arc<Pages>,
    whole: Arc<Block>,
    base: u64,
    /// The same in all processes.
    id: u64,
    /// Whether another process allocates in it.
    pub(crate) is_imported: bool,
    /// Ranges in use, by their beginnings: ends.
    used: Mutex<BTreeMap<u64, u64>>,
}

/// A range of it.
#[derive(Debug)]
pub(crate) struct Range {
    of: Arc<Shared>,
    offset: u64,
}

impl Drop for Range {
    fn drop(&mut self) {
        self.of.used.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.offset);
    }
}

fn no_addresses(size: u64) -> texunit_cuda_abi::Refusal {
    CUresult::OUT_OF_MEMORY
        .because(format!("the system has no room for a shared pool of {}", Count(size, "byte")))
}

impl Shared {
    /// A pool on a device, of at most so many bytes.
    pub(super) fn new(device: CUdevice, size: u64) -> Answer<Arc<Self>> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        // Processes that share files are told apart by their numbers.
        let id = u64::from(std::process::id()) << 32 | NEXT.fetch_add(1, Ordering::Relaxed);
        let size = size.checked_next_multiple_of(PAGE).ok_or_else(|| no_addresses(size))?;
        let mut note = vec![KIND];
        note.extend(device.to_le_bytes());
        note.extend(id.to_le_bytes());
        let pages = Pages::shareable(size, &note).map_err(|_| no_addresses(size))?;
        Self::map(pages, id, false)
    }

    /// The pool of a file, and its device.
    pub(super) fn import(number: i32) -> Answer<(Arc<Self>, CUdevice)> {
        let refused = || {
            CUresult::INVALID_VALUE.because(format!(
                "{number} is not the number of an open file that cuMemPoolExportToShareableHandle has given"
            ))
        };
        let (pages, note) = Pages::of_file(number).map_err(|_| refused())?;
        let &[KIND, a, b, c, d, ref id @ ..] = note.as_slice() else { return Err(refused()) };
        let id = u64::from_le_bytes(id.try_into().map_err(|_| refused())?);
        Ok((Self::map(pages, id, true)?, CUdevice::from_le_bytes([a, b, c, d])))
    }

    fn map(pages: Pages, id: u64, is_imported: bool) -> Answer<Arc<Self>> {
        let (size, pages) = (pages.size(), Arc::new(pages));
        let reserved = Reserved::new(0, size, 0).ok_or_else(|| no_addresses(size))?;
        let (base, reserved) = (reserved.range().start, Arc::new(reserved));
        let mapped = reserved.map(base, &pages, size).ok_or_else(|| no_addresses(size))?;
        let whole = Block::of_mapped(vec![Arc::new(mapped)], true, ("pool", Block::next_number()));
        let whole = Arc::new(whole.ok_or_else(|| no_addresses(size))?);
        let used = Mutex::default();
        Ok(Arc::new(Self { pages, whole, base, id, is_imported, used }))
    }

    /// Takes the lowest range that is free.
    pub(super) fn allocate(
        self: &Arc<Self>,
        device: &Device,
        size: u64,
        name: &str,
    ) -> Answer<(Buffer, Range)> {
        let room = size.next_multiple_of(UNIT);
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let mut offset = 0;
        for (&start, &end) in &*used {
            if start - offset >= room {
                break;
            }
            offset = end;
        }
        let end = offset.checked_add(room).filter(|&end| end <= self.whole.size() as u64);
        let end = end.ok_or_else(|| {
            CUresult::OUT_OF_MEMORY.because(format!(
                "the shared pool has no {} in a row left of {}",
                Count(size, "byte"),
                Count(self.whole.size(), "byte")
            ))
        })?;
        used.insert(offset, end);
        drop(used);
        self.buffer(device, (offset, size), name, true)
    }

    /// A range as memory of a device. It is one in use.
    fn buffer(
        self: &Arc<Self>,
        device: &Device,
        (offset, size): (u64, u64),
        name: &str,
        counts: bool,
    ) -> Answer<(Buffer, Range)> {
        let range = Range { of: Arc::clone(self), offset };
        let block = self.whole.slice(offset, size, name).ok_or_else(|| {
            CUresult::INVALID_VALUE.because("the allocation is not inside of the pool")
        })?;
        let made = device.adopt(self.base + offset, Arc::new(block), counts);
        Ok((made.map_err(crate::error::refusal)?, range))
    }

    /// A number of a file of the system, which is the caller's.
    pub(crate) fn export(&self) -> Answer<i32> {
        self.pages.new_number().ok_or_else(|| {
            CUresult::OUT_OF_MEMORY.because("the process has no more numbers for open files")
        })
    }

    /// Data by which another process finds an allocation.
    pub(crate) fn data(&self, address: u64, size: u64) -> [u8; 64] {
        let mut data = [0; 64];
        data[..16].copy_from_slice(&MAGIC);
        for (i, number) in [self.id, address - self.base, size].into_iter().enumerate() {
            data[16 + 8 * i..24 + 8 * i].copy_from_slice(&number.to_le_bytes());
        }
        data
    }

    /// The allocation of such data, as memory of a device.
    pub(super) fn found(
        self: &Arc<Self>,
        device: &Device,
        (offset, size): (u64, u64),
        name: &str,
    ) -> Answer<(Buffer, Range)> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let end = offset.saturating_add(size);
        let before = used.range(..end).next_back();
        if before.is_some_and(|(_, &taken)| taken > offset) {
            return Err(CUresult::INVALID_VALUE
                .because("the allocation was imported before, and was not freed here"));
        }
        used.insert(offset, end);
        drop(used);
        self.buffer(device, (offset, size), name, false)
    }

    /// Place and size of an allocation that data are of.
    pub(super) fn read(&self, data: &[u8; 64]) -> Answer<(u64, u64)> {
        let number = |i: usize| {
            let bytes: [u8; 8] = std::array::from_fn(|k| data[16 + 8 * i + k]);
            u64::from_le_bytes(bytes)
        };
        let (offset, size) = (number(1), number(2));
        if data[..16] != MAGIC
            || number(0) != self.id
            || size == 0
            || !self.whole.contains(offset, size)
        {
            return Err(CUresult::INVALID_VALUE.because(
                "shareData is not what cuMemPoolExportPointer has given of an allocation of this pool",
            ));
        }
        Ok((offset, size))
    }
}
