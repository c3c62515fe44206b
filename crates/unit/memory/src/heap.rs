//! The heap of device code (`malloc` and `free` in kernels): an allocator whose allocations are
//! parts of one block that lives as long as its device.
//!
//! Kernels access the block like any other; [`Heap::check`] says which of its bytes are in a live
//! allocation. Freed memory is reused as late as possible, and allocations are separated by gaps,
//! so that stale pointers and indices past the end are detected for as long as possible.

use crate::{AllocError, Block, Memory};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use texunit_forms::{Count, lock};

/// Bytes of a granule: the alignment of heap allocations, and the unit in which the allocator
/// counts.
const GRANULE: u64 = 16;

/// The device heap.
#[derive(Debug)]
pub struct Heap {
    base: u64,
    block: Arc<Block>,
    /// Number of bytes at the start of each granule that belong to a live allocation.
    valid: Box<[AtomicU8]>,
    state: Mutex<State>,
    /// Addresses of constant strings, by text. They are never freed.
    texts: Mutex<BTreeMap<String, u64>>,
}

/// State of the allocator. All numbers count granules from the beginning of the block, except the
/// sizes in `live` and `freed`, which are bytes.
#[derive(Clone, Debug, Default)]
struct State {
    /// Free ranges by first granule, and the same ranges sorted by size.
    free: BTreeMap<u64, u64>,
    by_size: BTreeSet<(u64, u64)>,
    /// Size in bytes of each live allocation, by first granule.
    live: BTreeMap<u64, u64>,
    /// First granules of freed allocations that are not reused yet, in the order of freeing;
    /// `freed` has their sizes in bytes.
    waiting: VecDeque<u64>,
    freed: BTreeMap<u64, u64>,
}

/// A saved state of the allocator.
#[derive(Clone, Debug)]
pub struct SavedHeap {
    valid: Box<[u8]>,
    state: State,
}

/// A pointer that cannot be freed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FreeError {
    /// The allocation was freed before.
    #[error("the allocation of {} at {address:#x} has been freed already", Count(size, "byte"))]
    Twice {
        /// The address that was passed to `free`.
        address: u64,
        /// Size of the allocation in bytes.
        size: u64,
    },
    /// The pointer is not the beginning of an allocation.
    #[error("{address:#x} is not the beginning of an allocation of the device heap")]
    NoAllocation {
        /// The address that was passed to `free`.
        address: u64,
    },
}

/// Granules of an allocation, including the gap after it.
fn granules(bytes: u64) -> u64 {
    bytes.div_ceil(GRANULE) + 1
}

impl State {
    fn add_free(&mut self, mut at: u64, mut size: u64) {
        if let Some((&before, &len)) = self.free.range(..at).next_back()
            && before + len == at
        {
            self.take_free(before, len);
            (at, size) = (before, size + len);
        }
        if let Some(&len) = self.free.get(&(at + size)) {
            self.take_free(at + size, len);
            size += len;
        }
        self.free.insert(at, size);
        self.by_size.insert((size, at));
    }

    fn take_free(&mut self, at: u64, size: u64) {
        self.free.remove(&at);
        self.by_size.remove(&(size, at));
    }

    /// Takes `size` granules from the smallest free range that has room, at a multiple of `align`
    /// counted from `phase`.
    fn place(&mut self, size: u64, align: u64, phase: u64) -> Option<u64> {
        // A range of this size has room whatever its alignment.
        let enough = size.checked_add(align - 1)?;
        let &(room, start) = self.by_size.range((enough, 0)..).next()?;
        let at = (start + phase).next_multiple_of(align) - phase;
        self.take_free(start, room);
        if at > start {
            self.add_free(start, at - start);
        }
        if at + size < start + room {
            self.add_free(at + size, start + room - at - size);
        }
        Some(at)
    }

    /// Makes all freed memory available again. Returns false if there was none.
    fn recycle(&mut self) -> bool {
        let any = !self.waiting.is_empty();
        while let Some(at) = self.waiting.pop_front() {
            if let Some(bytes) = self.freed.remove(&at) {
                self.add_free(at, granules(bytes));
            }
        }
        any
    }
}

impl Heap {
    /// Allocates a heap of `size` bytes (at least 4 KiB) in a device's memory.
    ///
    /// # Errors
    /// The device has no room for the heap.
    pub fn new(memory: &Memory, size: u64) -> Result<Self, AllocError> {
        let size = size.max(4096).checked_next_multiple_of(GRANULE).unwrap_or(u64::MAX);
        let (base, block) = memory.allocate(size, "device heap")?;
        memory.apply_initial_contents(&block);
        let count = size / GRANULE;
        let mut valid = Vec::new();
        if valid.try_reserve_exact(usize::try_from(count).unwrap_or(usize::MAX)).is_err() {
            memory.free(base);
            return Err(AllocError::Host { size: count });
        }
        valid.extend((0..count).map(|_| AtomicU8::new(0)));
        let mut state = State::default();
        // Granule 0 is a gap before the first allocation.
        state.add_free(1, count - 1);
        let texts = Mutex::default();
        Ok(Self { base, block, valid: valid.into(), state: Mutex::new(state), texts })
    }

    /// Device address of the heap.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// Size in bytes.
    pub fn size(&self) -> u64 {
        self.block.size() as u64
    }

    /// Saves the state of the allocator, without the contents of the block.
    pub fn save(&self) -> SavedHeap {
        let valid = self.valid.iter().map(|valid| valid.load(Relaxed)).collect();
        SavedHeap { valid, state: lock(&self.state).clone() }
    }

    /// Restores a saved state: exactly the allocations of that time are live.
    pub fn restore(&self, saved: &SavedHeap) {
        lock(&self.state).clone_from(&saved.state);
        for (now, then) in self.valid.iter().zip(&saved.valid) {
            now.store(*then, Relaxed);
        }
    }

    /// Allocates `bytes` bytes at a multiple of `align` (and of 16). Returns `None` if there is no
    /// room, for 0 bytes, and if the alignment is not a power of two. The contents are not
    /// initialised.
    pub fn allocate(&self, bytes: u64, align: u64) -> Option<u64> {
        if bytes == 0 || bytes > self.size() || !align.is_power_of_two() || align > self.size() {
            return None;
        }
        let align = align.div_ceil(GRANULE);
        let phase = self.base / GRANULE % align;
        let mut state = lock(&self.state);
        let at = match state.place(granules(bytes), align, phase) {
            Some(at) => at,
            None if state.recycle() => state.place(granules(bytes), align, phase)?,
            None => return None,
        };
        state.live.insert(at, bytes);
        self.mark(at, bytes, true);
        self.block.undefine(at * GRANULE, bytes);
        Some(self.base + at * GRANULE)
    }

    /// Frees an allocation of [`Heap::allocate`].
    ///
    /// # Errors
    /// The address is not the beginning of a live allocation.
    pub fn free(&self, address: u64) -> Result<(), FreeError> {
        let no = FreeError::NoAllocation { address };
        let offset = address.wrapping_sub(self.base);
        if offset >= self.size() || !offset.is_multiple_of(GRANULE) {
            return Err(no);
        }
        let at = offset / GRANULE;
        let mut state = lock(&self.state);
        if let Some(&size) = state.freed.get(&at) {
            return Err(FreeError::Twice { address, size });
        }
        let Some(bytes) = state.live.remove(&at) else { return Err(no) };
        self.mark(at, bytes, false);
        state.freed.insert(at, bytes);
        state.waiting.push_back(at);
        Ok(())
    }

    /// Address of a zero-terminated copy of a string, the same for each request; `None` if there is
    /// no room.
    pub fn text(&self, text: &str) -> Option<u64> {
        let mut texts = lock(&self.texts);
        if let Some(&address) = texts.get(text) {
            return Some(address);
        }
        let address = self.allocate(text.len() as u64 + 1, 1)?;
        let offset = address - self.base;
        self.block.write(offset, text.as_bytes()).ok()?;
        self.block.store(offset + text.len() as u64, 1, 0).ok()?;
        self.block.define(offset, text.len() as u64 + 1);
        texts.insert(text.to_owned(), address);
        Some(address)
    }

    fn mark(&self, at: u64, bytes: u64, live: bool) {
        for i in 0..bytes.div_ceil(GRANULE) {
            let here = (bytes - i * GRANULE).min(GRANULE) as u8;
            if let Some(valid) = self.valid.get((at + i) as usize) {
                valid.store(if live { here } else { 0 }, Relaxed);
            }
        }
    }

    /// Whether any of `len` bytes at `address` is in the heap.
    #[inline]
    pub fn overlaps(&self, address: u64, len: u64) -> bool {
        address < self.base.saturating_add(self.size()) && address.saturating_add(len) > self.base
    }

    /// Whether `len` bytes at `address` are outside the heap or inside a live allocation.
    #[inline]
    pub fn check(&self, address: u64, len: u64) -> bool {
        let offset = address.wrapping_sub(self.base);
        offset >= self.size() || self.is_live(offset, len)
    }

    fn is_live(&self, offset: u64, len: u64) -> bool {
        let Some(end) = offset.checked_add(len).filter(|&e| e <= self.size()) else { return false };
        (offset / GRANULE..end.div_ceil(GRANULE)).all(|g| {
            let wanted = (end - g * GRANULE).min(GRANULE) as u8;
            self.valid.get(g as usize).is_some_and(|v| v.load(Relaxed) >= wanted)
        })
    }

    /// Describes, for a message, an access that [`Heap::check`] refuses.
    pub fn explain(&self, address: u64, len: u64) -> String {
        let at = address.wrapping_sub(self.base) / GRANULE;
        let state = lock(&self.state);
        let before = |of: &BTreeMap<u64, u64>| of.range(..=at).next_back().map(|(&a, &n)| (a, n));
        let place = |a: u64| self.base + a * GRANULE;
        if let Some((a, n)) = before(&state.freed)
            && address < place(a) + n
        {
            let (at, n) = (place(a), Count(n, "byte"));
            return format!("it is in a heap allocation of {n} at {at:#x} that was freed");
        }
        let distance = |a: u64, n: u64| address.saturating_sub(place(a) + n);
        match before(&state.live) {
            Some((a, n)) if address < place(a) + n => {
                let (at, len, n) = (place(a), Count(len, "byte"), Count(n, "byte"));
                format!("its {len} cross the end of a heap allocation of {n} at {at:#x}")
            }
            Some((a, n)) if distance(a, n) < 1 << 16 => {
                let (at, past, n) = (place(a), Count(distance(a, n), "byte"), Count(n, "byte"));
                format!("it is in the device heap, {past} past a heap allocation of {n} at {at:#x}")
            }
            _ => "it is in the device heap, where nothing is allocated".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heap(size: u64) -> Heap {
        Heap::new(&Memory::new(1 << 24), size).unwrap()
    }

    #[test]
    fn live_bytes_and_no_others() {
        let heap = heap(4096);
        let a = heap.allocate(10, 1).unwrap();
        let b = heap.allocate(32, 1).unwrap();
        assert!(a.is_multiple_of(16) && b.is_multiple_of(16) && a != b);
        assert!(heap.check(a, 8) && heap.check(a + 9, 1) && heap.check(b + 16, 16));
        assert!(!heap.check(a + 10, 1) && !heap.check(a + 8, 4) && !heap.check(b + 32, 1));
        assert!(!heap.check(heap.base(), 1) && !heap.check(a - 1, 2));
        assert!(heap.check(heap.base() - 8, 8) && heap.check(heap.base() + 4096, 8));
        assert!(!heap.check(heap.base() + 4095, 2));
        let end = heap.base() + 4096;
        let overlaps = |(address, len)| heap.overlaps(address, len);
        let inside = [(a, 1), (heap.base() - 1, 2), (0, u64::MAX), (end - 1, 9)];
        assert_eq!(inside.map(overlaps), [true; 4]);
        assert_eq!([(end, 9), (heap.base() - 1, 1), (u64::MAX, 9)].map(overlaps), [false; 3]);
        let crossing = "its 4 bytes cross the end of a heap allocation of 10 bytes at";
        assert_eq!(heap.explain(a + 8, 4), format!("{crossing} {a:#x}"));
        let past = heap.explain(a + 14, 1);
        assert!(past.contains("4 bytes past a heap allocation of 10 bytes"), "{past}");
        heap.free(a).unwrap();
        assert!(!heap.check(a, 1) && heap.check(b, 32));
        assert!(heap.explain(a, 1).contains("10 bytes at") && heap.explain(a, 1).contains("freed"));
        assert_eq!(heap.free(a), Err(FreeError::Twice { address: a, size: 10 }));
        assert_eq!(heap.free(b + 16), Err(FreeError::NoAllocation { address: b + 16 }));
        assert_eq!(heap.free(7), Err(FreeError::NoAllocation { address: 7 }));
    }

    #[test]
    fn everything_freed_is_one_range_again() {
        // Miri takes a second for each allocation.
        let (size, rounds, larger) = if cfg!(miri) { (1 << 12, 1, 4) } else { (1 << 16, 3, 1) };
        let heap = heap(size);
        assert_eq!(heap.allocate(size, 1), None);
        let (whole, many) = (size - 32, (size / 224 / larger) as usize);
        for round in 0..rounds {
            let mut all = Vec::new();
            let mut size = 1;
            while let Some(a) = heap.allocate(larger * size, 1 << (size % 9)) {
                assert_eq!(a % (1 << (size % 9)), 0);
                all.push(a);
                size = size * 7 % 211 + 1;
            }
            assert!(all.len() > many, "round {round}: {}", all.len());
            // Frees in an order other than that of the allocations.
            all.sort_by_key(|a| a % 1009);
            all.iter().for_each(|&a| heap.free(a).unwrap());
            let one = heap.allocate(whole, 1).unwrap();
            assert_eq!(heap.allocate(1, 1), None);
            heap.free(one).unwrap();
        }
    }

    #[test]
    fn freed_memory_is_reused_late() {
        let heap = heap(1 << 16);
        let a = heap.allocate(64, 1).unwrap();
        heap.free(a).unwrap();
        for _ in 0..if cfg!(miri) { 4 } else { 500 } {
            let b = heap.allocate(64, 1).unwrap();
            assert_ne!(a, b);
            heap.free(b).unwrap();
        }
    }

    #[test]
    fn odd_requests() {
        let heap = heap(1);
        assert_eq!(heap.size(), 4096);
        for (bytes, align) in [(0, 1), (16, 3), (16, 0), (u64::MAX, 1), (16, 1 << 63)] {
            assert_eq!(heap.allocate(bytes, align), None, "{bytes} {align}");
        }
        assert_eq!(heap.allocate(16, 1024).map(|a| a % 1024), Some(0));
        assert!(Heap::new(&Memory::new(1 << 20), u64::MAX).is_err());
        assert!(Heap::new(&Memory::new(1 << 20), 1 << 21).is_err());
    }
}
