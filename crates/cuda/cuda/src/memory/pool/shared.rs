//! Pools that can be exported: their memory is one memory file, which each process maps as a whole;
//! allocations are ranges of it.
//!
//! An importing process cannot allocate. It imports single allocations by data that state their
//! ranges and may be transferred by any means. The file is deleted when the last process has closed
//! it, in whatever way that ends.

use crate::ipc;
use crate::prelude::*;
use crate::state;
use texunit_device::{Block, Buffer, Device, Pages};

/// Kind number in the label of a pool's file; files of other memory have other numbers.
const KIND: u8 = 2;
/// First bytes of an allocation's export data.
const MAGIC: [u8; 16] = *b"texunit pool\x01\0\0\0";
/// Granularity of allocations.
const UNIT: u64 = 512;
/// Granularity of the file size.
const PAGE: u64 = 2 << 20;

/// The memory of an exportable pool.
#[derive(Debug)]
pub(crate) struct Shared {
    pages: Arc<Pages>,
    whole: Arc<Block>,
    base: u64,
    /// Identifier, equal in all processes.
    id: u64,
    /// Whether the pool was imported.
    pub(crate) is_imported: bool,
    /// Ranges in use: start and end.
    used: Mutex<BTreeMap<u64, u64>>,
}

/// A range of the pool's memory.
#[derive(Debug)]
pub(crate) struct Range {
    of: Arc<Shared>,
    offset: u64,
}

impl Drop for Range {
    fn drop(&mut self) {
        lock(&self.of.used).remove(&self.offset);
    }
}

fn no_addresses(size: u64) -> texunit_cuda_abi::Refusal {
    CUresult::OUT_OF_MEMORY
        .because(format!("the system has no room for a shared pool of {}", Count(size, "byte")))
}

impl Shared {
    /// Creates a pool on a device with a maximum size.
    pub(super) fn new(device: CUdevice, size: u64) -> Answer<Arc<Self>> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        // The process number makes identifiers unique among processes that share files.
        let id = u64::from(std::process::id()) << 32 | NEXT.fetch_add(1, Ordering::Relaxed);
        let size = size.checked_next_multiple_of(PAGE).ok_or_else(|| no_addresses(size))?;
        let label = ipc::label(KIND, state::gpu(device)?, id);
        let pages = Pages::shareable(size, &label).map_err(|_| no_addresses(size))?;
        Self::map(pages, id, false)
    }

    /// Imports a pool from a file descriptor, and returns its device, too.
    pub(super) fn import(number: i32) -> Answer<(Arc<Self>, CUdevice)> {
        let refused = || {
            invalid!(
                "{number} is not the number of an open file that cuMemPoolExportToShareableHandle has given"
            )
        };
        let (pages, label) = Pages::of_file(number).map_err(|_| refused())?;
        let (index, id) = ipc::read_label(KIND, &label).ok_or_else(refused)?;
        let gpu = state::with_index(index)?;
        Ok((Self::map(pages, id, true)?, gpu.ordinal))
    }

    fn map(pages: Pages, id: u64, is_imported: bool) -> Answer<Arc<Self>> {
        let pages = Arc::new(pages);
        let mapped = ipc::map(&pages, "pool");
        let (whole, base) = mapped.map_err(|_| no_addresses(pages.size()))?;
        let (whole, used) = (Arc::new(whole), Mutex::default());
        Ok(Arc::new(Self { pages, whole, base, id, is_imported, used }))
    }

    /// Allocates the lowest free range.
    pub(super) fn allocate(
        self: &Arc<Self>,
        device: &Device,
        size: u64,
        name: &str,
    ) -> Answer<(Buffer, Range)> {
        let room = size.next_multiple_of(UNIT);
        let mut used = lock(&self.used);
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

    /// Maps an allocated range as device memory.
    fn buffer(
        self: &Arc<Self>,
        device: &Device,
        (offset, size): (u64, u64),
        name: &str,
        counts: bool,
    ) -> Answer<(Buffer, Range)> {
        let range = Range { of: Arc::clone(self), offset };
        let block = self.whole.slice(offset, size, name);
        let block = block.ok_or_else(|| invalid!("the allocation is not inside of the pool"))?;
        let made = device.adopt(self.base + offset, Arc::new(block), counts);
        Ok((made.map_err(refusal)?, range))
    }

    /// A new file descriptor for the pool's file, which the caller owns.
    pub(crate) fn export(&self) -> Answer<i32> {
        self.pages.new_number().ok_or_else(|| {
            CUresult::OUT_OF_MEMORY.because("the process has no more numbers for open files")
        })
    }

    /// Export data with which another process can import an allocation.
    pub(crate) fn data(&self, address: u64, size: u64) -> [u8; 64] {
        ipc::encoded(MAGIC, [self.id, address - self.base, size])
    }

    /// The allocation of export data as device memory.
    pub(super) fn found(
        self: &Arc<Self>,
        device: &Device,
        (offset, size): (u64, u64),
        name: &str,
    ) -> Answer<(Buffer, Range)> {
        let mut used = lock(&self.used);
        let end = offset.saturating_add(size);
        let before = used.range(..end).next_back();
        ensure!(
            before.is_none_or(|(_, &taken)| taken <= offset),
            "the allocation was imported before, and was not freed here"
        );
        used.insert(offset, end);
        drop(used);
        self.buffer(device, (offset, size), name, false)
    }

    /// Offset and size of the allocation in export data.
    pub(super) fn read(&self, data: &[u8; 64]) -> Answer<(u64, u64)> {
        match ipc::decoded(MAGIC, data) {
            Some([id, offset, size])
                if id == self.id && size != 0 && self.whole.contains(offset, size) =>
            {
                Ok((offset, size))
            }
            _ => Err(invalid!(
                "shareData is not what cuMemPoolExportPointer has given of an allocation of this pool"
            )),
        }
    }
}
