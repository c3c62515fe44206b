//! The memory of a device: its blocks, the assignment of addresses, and the limit of allocated
//! bytes.

mod frozen;
mod peers;
mod placed;
mod registered;

pub use frozen::MemoryMap;
pub use placed::Placement;

use crate::block::{Block, End};
use crate::error::{AddressError, AllocError, AttachError};
use crate::fill::{Fill, InitialContents};
use crate::freed::FreedMemory;
use crate::space::{CONST_BASE, CONST_END, GLOBAL_BASE, SHARED_WINDOW};
use peers::PeerDevice;
use registered::RegisteredMemory;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};
use texunit_forms::lock;

/// Device memory: assigns addresses and allocates blocks, up to a limit.
#[derive(Debug)]
pub struct Memory {
    limit: u64,
    windows: Windows,
    state: Arc<Mutex<State>>,
    freed: Arc<Mutex<FreedMemory>>,
    peers: Arc<OnceLock<Vec<PeerDevice>>>,
    initial_contents: InitialContents,
}

/// The address ranges that a device assigns. Devices of one program share an address space and have
/// disjoint ranges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Windows {
    /// Addresses of buffers and `.global` variables, outside the windows of other state spaces.
    pub global: Range<u64>,
    /// Addresses of `.const` variables, inside [`CONST_BASE`]`..`[`CONST_END`].
    pub constant: Range<u64>,
}

impl Default for Windows {
    /// The whole ranges of global and constant addresses, for a program with one device.
    fn default() -> Self {
        Self { global: GLOBAL_BASE..SHARED_WINDOW, constant: CONST_BASE..CONST_END }
    }
}

#[derive(Debug, Default)]
struct State {
    used: u64,
    next_global: u64,
    next_const: u64,
    blocks: BTreeMap<u64, Entry>,
    registered: RegisteredMemory,
}

#[derive(Debug)]
struct Entry {
    block: Arc<Block>,
    /// Whether the block counts against the limit: host memory does not.
    counted: bool,
    /// Whether general peer access to this device includes the block ([`Memory::map_with_peers`]).
    is_own: bool,
}

impl State {
    /// The lowest address in a window, from `start` on, at which `size` bytes are free; a multiple
    /// of their alignment.
    fn gap(&self, start: u64, window: &Range<u64>, size: u64) -> Option<u64> {
        let align = alignment(size);
        let behind = |base: u64, entry: &Entry| after(base, entry.block.size() as u64);
        let below = self.blocks.range(..start).next_back();
        let lowest = start.max(below.map_or(0, |(&base, entry)| behind(base, entry)));
        let mut at = lowest.next_multiple_of(align);
        for (&base, entry) in self.blocks.range(start..window.end) {
            if base.checked_sub(at).is_some_and(|room| room >= size + GUARD) {
                return Some(at);
            }
            at = behind(base, entry).next_multiple_of(align);
        }
        at.checked_add(size).is_some_and(|end| end <= window.end).then_some(at)
    }
}

/// Alignment of an allocation's address. Drivers align this way and programs rely on it: a card
/// maps large allocations in pages of 2 MiB, and packs small ones into parts of such a page.
fn alignment(size: u64) -> u64 {
    match size {
        LARGE.. => 2 << 20,
        PAGE.. => PAGE,
        _ => Block::ALIGN as u64,
    }
}

/// Allocations of at least this size begin at a page of the device.
const LARGE: u64 = 1 << 20;
const PAGE: u64 = 4096;

/// The lowest address that may be assigned to the next block after a block.
fn after(base: u64, size: u64) -> u64 {
    (base + size + GUARD).next_multiple_of(Block::ALIGN as u64)
}

/// Gap between blocks, so that an index past the end of a block does not reach the next one.
const GUARD: u64 = 64 * 1024;

impl Memory {
    /// Memory of at most `limit` bytes.
    pub fn new(limit: u64) -> Self {
        Self::with_windows(limit, Windows::default())
    }

    /// Memory of at most `limit` bytes that assigns addresses of the given ranges.
    pub fn with_windows(limit: u64, windows: Windows) -> Self {
        let (next_global, next_const) = (windows.global.start, windows.constant.start);
        let state = State { next_global, next_const, ..State::default() };
        let initial_contents = InitialContents::default();
        let (state, freed, peers) = (Arc::new(Mutex::new(state)), Arc::default(), Arc::default());
        Self { limit, windows, state, freed, peers, initial_contents }
    }

    /// Sets the initial contents of allocations, and whether undefined bytes are tracked.
    #[must_use]
    pub fn with_initial_contents(self, initial_contents: InitialContents) -> Self {
        Self { initial_contents, ..self }
    }

    /// Applies the settings for new memory to a block: the program has allocated it, and nothing
    /// has been written to it. A block for which this is not called keeps its contents and counts
    /// as defined.
    pub fn apply_initial_contents(&self, block: &Block) {
        if let Some(fill) = self.initial_contents.fill {
            fill.fill(block);
        }
        block.undefine(0, block.size() as u64);
    }

    /// The fill value of new memory; `None`: zeros.
    pub fn fill(&self) -> Option<Fill> {
        self.initial_contents.fill
    }

    /// Zeroes a new block on the caller's request; its bytes are defined.
    pub fn clear(&self, block: &Block) {
        if self.initial_contents.fill.is_some() {
            Fill::Byte(0).fill(block);
        }
        block.define(0, block.size() as u64);
    }

    /// Maximum number of allocated bytes.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Number of allocated bytes that count against the limit.
    pub fn used(&self) -> u64 {
        lock(&self.state).used
    }

    /// The address ranges that this device assigns.
    pub fn windows(&self) -> &Windows {
        &self.windows
    }

    /// Whether an address is in the range of this device's allocations, even if no allocation has
    /// it.
    pub fn owns(&self, address: u64) -> bool {
        self.windows.global.contains(&address) || self.windows.constant.contains(&address)
    }

    /// Counts `size` bytes against the limit and allocates them without an address: the storage of
    /// CUDA arrays, which only texture and surface instructions access.
    ///
    /// # Errors
    /// The limit would be exceeded.
    pub fn allocate_opaque(&self, size: u64, name: &str) -> Result<Arc<Block>, AllocError> {
        self.make(size, |size| Block::new(size, name))
    }

    fn make(
        &self,
        size: u64,
        block: impl FnOnce(usize) -> Option<Block>,
    ) -> Result<Arc<Block>, AllocError> {
        self.reserve(size)?;
        let block = usize::try_from(size).ok().and_then(block).map(Arc::new);
        let block = block.ok_or_else(|| {
            lock(&self.state).used -= size;
            AllocError::Host { size }
        })?;
        if self.initial_contents.is_tracked {
            block.track();
        }
        Ok(block)
    }

    /// Counts `size` bytes against the limit without allocating a block: memory that the caller
    /// sets aside, such as a memory pool. [`Self::release_opaque`] gives them back.
    ///
    /// # Errors
    /// The limit would be exceeded.
    pub fn reserve(&self, size: u64) -> Result<(), AllocError> {
        let mut state = lock(&self.state);
        let available = self.limit - state.used;
        if size > available {
            return Err(AllocError::Limit { size, available });
        }
        state.used += size;
        Ok(())
    }

    /// Subtracts `size` bytes of storage without an address from the used bytes.
    pub fn release_opaque(&self, size: u64) {
        let mut state = lock(&self.state);
        state.used = state.used.saturating_sub(size);
    }

    /// Allocates `size` zero bytes of global memory; returns their address and block.
    ///
    /// # Errors
    /// The limit would be exceeded, or no addresses are left.
    pub fn allocate(&self, size: u64, name: &str) -> Result<(u64, Arc<Block>), AllocError> {
        self.place(size, name, &self.windows.global, |s| &mut s.next_global)
    }

    /// Allocates `size` zero bytes of constant memory.
    ///
    /// # Errors
    /// The limit would be exceeded, or the range of constant addresses is full.
    pub fn allocate_const(&self, size: u64, name: &str) -> Result<(u64, Arc<Block>), AllocError> {
        self.place(size, name, &self.windows.constant, |s| &mut s.next_const)
    }

    /// Allocates at the next unused address of a window. Addresses are reused only when the whole
    /// window has been used, so that stale pointers are detected for as long as possible.
    fn place(
        &self,
        size: u64,
        name: &str,
        window: &Range<u64>,
        next: fn(&mut State) -> &mut u64,
    ) -> Result<(u64, Arc<Block>), AllocError> {
        let available = window.end - window.start;
        if size > available {
            return Err(AllocError::Limit { size, available });
        }
        let block = self.make(size, |size| Block::in_pages(size, name))?;
        let mut state = lock(&self.state);
        let start = *next(&mut state);
        let Some(base) =
            state.gap(start, window, size).or_else(|| state.gap(window.start, window, size))
        else {
            state.used -= size;
            return Err(AllocError::Limit { size, available: 0 });
        };
        *next(&mut state) = after(base, size).min(window.end);
        lock(&self.freed).forget(base..base + size);
        state.blocks.insert(base, Entry { block: Arc::clone(&block), counted: true, is_own: true });
        Ok((base, block))
    }

    /// Attaches a block at an address that the caller chooses, such as that of host memory in
    /// unified addressing. It does not count against the limit; [`Self::free`] removes it.
    ///
    /// # Errors
    /// Another block occupies a part of the address range.
    pub fn attach(&self, address: u64, block: &Arc<Block>) -> Result<(), AttachError> {
        let len = block.size() as u64;
        let Some(end) = address.checked_add(len) else {
            return Err(AttachError { address, len, other: None });
        };
        let mut state = lock(&self.state);
        self.drop_ended(&mut state, address..end);
        let before = state.blocks.range(..end).next_back();
        let before = before.map(|(&base, entry)| (base, entry.block.size() as u64));
        // Two blocks may be adjacent. An empty block has no bytes but occupies its address.
        if let Some((base, size)) = before
            && (base + size > address || base == address)
        {
            return Err(AttachError { address, len, other: Some((base, size)) });
        }
        if state.blocks.contains_key(&address) {
            return Err(AttachError { address, len, other: Some((address, 0)) });
        }
        if block.is_foreign() {
            state.registered.bases.insert(address);
        }
        lock(&self.freed).forget(address..end);
        let entry = Entry { block: Arc::clone(block), counted: false, is_own: false };
        state.blocks.insert(address, entry);
        Ok(())
    }

    /// Removes blocks in a range that have ended because another device noticed that the program
    /// had unmapped them.
    fn drop_ended(&self, state: &mut State, range: Range<u64>) {
        while let Some((&base, entry)) = state.blocks.range(..range.end).next_back()
            && base + entry.block.size() as u64 > range.start
            && state.registered.bases.contains(&base)
            && entry.block.ended().is_some()
        {
            self.take_out(state, base, End::Unmapped);
        }
    }

    /// Ends and removes the block at `address`, whether allocated or attached. Returns false if
    /// there is none.
    pub fn free(&self, address: u64) -> bool {
        let mut state = lock(&self.state);
        let foreign = state.registered.bases.contains(&address);
        let how = if foreign { End::Unregistered } else { End::Freed };
        self.take_out(&mut state, address, how).is_some()
    }

    /// Removes and ends the block at an address, and records it as freed. Returns the block, and
    /// whether it had not ended before.
    fn take_out(&self, state: &mut State, address: u64, how: End) -> Option<(Arc<Block>, bool)> {
        let Entry { block, counted, .. } = state.blocks.remove(&address)?;
        if counted {
            state.used -= block.size() as u64;
        }
        state.registered.bases.remove(&address);
        let first = block.end(how);
        if let Some(gone) = block.freed_block(Some(address)) {
            lock(&self.freed).add(address, gone);
        }
        Some((block, first))
    }

    /// The block that currently holds `len` bytes at `address`, and the offset in it. If it is host
    /// memory, its access rights are tested first, as by [`Memory::map`].
    ///
    /// # Errors
    /// The bytes are not all in one block.
    pub fn find(&self, address: u64, len: u64) -> Result<(Arc<Block>, u64), AddressError> {
        let mut state = lock(&self.state);
        let below = state.blocks.range(..=address).next_back();
        let holds = |found: &(&u64, &Entry)| found.1.block.contains(address - *found.0, len);
        let base = below.filter(holds).map(|(&base, _)| base);
        let lesser = base.and_then(|base| self.check(&mut state, Some(base)).remove(&base));
        let below = state.blocks.range(..=address).next_back();
        let below = below.map(|(&base, entry)| (base, &entry.block));
        if let Some((base, block)) = below
            && block.contains(address - base, len)
        {
            return Ok((lesser.unwrap_or_else(|| Arc::clone(block)), address - base));
        }
        let next = state.blocks.range(address.saturating_add(1)..).next();
        let next = next.map(|(&base, entry)| (base, &entry.block));
        let error = AddressError::of(address, len, below, next);
        drop(state);
        let gone = lock(&self.freed).find(address).cloned();
        let gone = gone.or_else(|| peers::find(&self.peers, address)).map(Box::new);
        Err(AddressError { gone, ..error })
    }

    /// The table of all blocks with addresses, as of now. Host memory that is not mapped any more
    /// is ended first, and host memory that has lost the right to be written is read-only in the
    /// table.
    pub fn map(&self) -> MemoryMap {
        let mut state = lock(&self.state);
        let mut lesser = self.check(&mut state, None);
        let block = |(&base, entry): (&u64, &Entry)| {
            (base, lesser.remove(&base).unwrap_or_else(|| Arc::clone(&entry.block)))
        };
        MemoryMap::new(state.blocks.iter().map(block).collect(), (&self.freed, &self.peers))
    }
}

#[cfg(test)]
mod tests;
