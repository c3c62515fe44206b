//! The blocks of a device and their addresses.

mod foreign;
mod frozen;
mod mapped;
mod others;
mod placed;

pub use frozen::MemoryMap;
pub use placed::Placement;

use crate::block::{Block, End};
use crate::error::{AddressError, AllocError, AttachError};
use crate::fill::{Fill, Fresh};
use crate::graves::Graves;
use crate::space::{CONST_BASE, CONST_END, GLOBAL_BASE, SHARED_WINDOW};
use foreign::Foreign;
use others::Other;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Device memory: gives out addresses and blocks, up to a limit.
#[derive(Debug)]
pub struct Memory {
    limit: u64,
    windows: Windows,
    state: Arc<Mutex<State>>,
    graves: Arc<Mutex<Graves>>,
    others: Arc<OnceLock<Vec<Other>>>,
    fresh: Fresh,
}

/// The addresses that a device gives out. Devices of one program that share an address space have
/// windows of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Windows {
    /// Of buffers and `.global` variables; outside the windows of other state spaces.
    pub global: Range<u64>,
    /// Of `.const` variables; inside [`CONST_BASE`]`..`[`CONST_END`].
    pub constant: Range<u64>,
}

impl Default for Windows {
    /// All that there are.
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
    foreign: Foreign,
}

#[derive(Debug)]
struct Entry {
    block: Arc<Block>,
    /// Whether it counts against the limit: memory of the host does not.
    counted: bool,
    /// Whether devices that reach the memory of this one reach it with the rest ([`Memory::map_with`]).
    is_own: bool,
}

impl State {
    /// The lowest address from `start` on, inside a window, at which `size` bytes are free; a multiple
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

/// What the address of an allocation is a multiple of. Drivers do so, and programs build on it: a card maps
/// large allocations in pages of 2 MiB, and parts of one such page hold small ones.
fn alignment(size: u64) -> u64 {
    match size {
        LARGE.. => 2 << 20,
        PAGE.. => PAGE,
        _ => Block::ALIGN as u64,
    }
}

/// Bytes from which on an allocation begins at a page of the device.
const LARGE: u64 = 1 << 20;
const PAGE: u64 = 4096;

/// The next address that may be given out behind a block.
fn after(base: u64, size: u64) -> u64 {
    (base + size + GUARD).next_multiple_of(Block::ALIGN as u64)
}

/// Room left between blocks, so that an index past the end of one does not reach the next.
const GUARD: u64 = 64 * 1024;

impl Memory {
    /// Memory of at most `limit` bytes.
    pub fn new(limit: u64) -> Self {
        Self::with_windows(limit, Windows::default())
    }

    /// Memory of at most `limit` bytes at addresses of its own.
    pub fn with_windows(limit: u64, windows: Windows) -> Self {
        let (next_global, next_const) = (windows.global.start, windows.constant.start);
        let state = State { next_global, next_const, ..State::default() };
        let fresh = Fresh::default();
        let (state, graves, others) = (Arc::new(Mutex::new(state)), Arc::default(), Arc::default());
        Self { limit, windows, state, graves, others, fresh }
    }

    /// What memory holds when it is given out, if not zeros, and whether it is known what nobody has written.
    #[must_use]
    pub fn with_fresh(self, fresh: Fresh) -> Self {
        Self { fresh, ..self }
    }

    /// Says of a block that it is fresh: the program has asked for it, and nothing has been written there. Blocks for
    /// which this is not said hold what they are made with, and are defined.
    pub fn is_fresh(&self, block: &Block) {
        if let Some(fill) = self.fresh.fill {
            fill.fill(block);
        }
        block.undefine(0, block.size() as u64);
    }

    /// What fresh memory is filled with; `None`: zeros.
    pub fn fill(&self) -> Option<Fill> {
        self.fresh.fill
    }

    /// Makes a fresh block hold zeros, which somebody has asked for: they are defined.
    pub fn clear(&self, block: &Block) {
        if self.fresh.fill.is_some() {
            Fill::Byte(0).fill(block);
        }
        block.define(0, block.size() as u64);
    }

    /// Most bytes that there can be.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Bytes in use.
    pub fn used(&self) -> u64 {
        self.state().used
    }

    /// The addresses that it gives out.
    pub fn windows(&self) -> &Windows {
        &self.windows
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn graves(&self) -> MutexGuard<'_, Graves> {
        self.graves.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts `size` bytes against the limit and allocates them without an address: the storage
    /// of arrays, which only texture and surface instructions reach.
    ///
    /// # Errors
    /// The limit would be passed.
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
            self.state().used -= size;
            AllocError::Host { size }
        })?;
        if self.fresh.is_tracked {
            block.track();
        }
        Ok(block)
    }

    /// Counts `size` bytes against the limit, without a block: what an owner keeps for later.
    /// [`Self::release_opaque`] gives them back.
    ///
    /// # Errors
    /// The limit would be passed.
    pub fn reserve(&self, size: u64) -> Result<(), AllocError> {
        let mut state = self.state();
        let available = self.limit - state.used;
        if size > available {
            return Err(AllocError::Limit { size, available });
        }
        state.used += size;
        Ok(())
    }

    /// Gives `size` bytes of opaque storage back to the limit.
    pub fn release_opaque(&self, size: u64) {
        let mut state = self.state();
        state.used = state.used.saturating_sub(size);
    }

    /// Allocates `size` zero bytes of global memory; returns their address and block.
    ///
    /// # Errors
    /// The limit would be passed, or no addresses are left.
    pub fn allocate(&self, size: u64, name: &str) -> Result<(u64, Arc<Block>), AllocError> {
        self.place(size, name, &self.windows.global, |s| &mut s.next_global)
    }

    /// Allocates `size` zero bytes in the range of constant memory.
    ///
    /// # Errors
    /// The limit would be passed, or the range is full.
    pub fn allocate_const(&self, size: u64, name: &str) -> Result<(u64, Arc<Block>), AllocError> {
        self.place(size, name, &self.windows.constant, |s| &mut s.next_const)
    }

    /// Addresses are used a second time only when all of the window have been used, so that stale
    /// pointers are found for long.
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
        let mut state = self.state();
        let start = *next(&mut state);
        let Some(base) =
            state.gap(start, window, size).or_else(|| state.gap(window.start, window, size))
        else {
            state.used -= size;
            return Err(AllocError::Limit { size, available: 0 });
        };
        *next(&mut state) = after(base, size).min(window.end);
        self.graves().cover(base..base + size);
        state.blocks.insert(base, Entry { block: Arc::clone(&block), counted: true, is_own: true });
        Ok((base, block))
    }

    /// Puts a block at an address that the caller chooses, such as that of host memory in unified
    /// addressing. It does not count against the limit; [`Self::free`] takes it out.
    ///
    /// # Errors
    /// Something else is there.
    pub fn attach(&self, address: u64, block: &Arc<Block>) -> Result<(), AttachError> {
        let len = block.size() as u64;
        let Some(end) = address.checked_add(len) else {
            return Err(AttachError { address, len, other: None });
        };
        let mut state = self.state();
        self.drop_ended(&mut state, address..end);
        let before = state.blocks.range(..end).next_back();
        let before = before.map(|(&base, entry)| (base, entry.block.size() as u64));
        // Two blocks may touch. An empty one has no bytes to share, but an address.
        if let Some((base, size)) = before
            && (base + size > address || base == address)
        {
            return Err(AttachError { address, len, other: Some((base, size)) });
        }
        if state.blocks.contains_key(&address) {
            return Err(AttachError { address, len, other: Some((address, 0)) });
        }
        if block.is_foreign() {
            state.foreign.bases.insert(address);
        }
        self.graves().cover(address..end);
        let entry = Entry { block: Arc::clone(block), counted: false, is_own: false };
        state.blocks.insert(address, entry);
        Ok(())
    }

    /// Takes out what lies in a range and has ended: another device has found that it was unmapped.
    fn drop_ended(&self, state: &mut State, range: std::ops::Range<u64>) {
        while let Some((&base, entry)) = state.blocks.range(..range.end).next_back()
            && base + entry.block.size() as u64 > range.start
            && state.foreign.bases.contains(&base)
            && entry.block.ended().is_some()
        {
            self.take_out(state, base, End::Unmapped);
        }
    }

    /// Frees the allocation that begins at `address`, or takes out what was attached there; false
    /// if there is none. Its block is ended.
    pub fn free(&self, address: u64) -> bool {
        let mut state = self.state();
        let foreign = state.foreign.bases.contains(&address);
        let how = if foreign { End::Unregistered } else { End::Freed };
        self.take_out(&mut state, address, how).is_some()
    }

    /// Takes out the block at an address, ends it, and remembers what was there. The block, and whether it
    /// had not ended before.
    fn take_out(&self, state: &mut State, address: u64, how: End) -> Option<(Arc<Block>, bool)> {
        let Entry { block, counted, .. } = state.blocks.remove(&address)?;
        if counted {
            state.used -= block.size() as u64;
        }
        state.foreign.bases.remove(&address);
        let first = block.end(how);
        if let Some(gone) = block.gone(Some(address)) {
            self.graves().add(address, gone);
        }
        Some((block, first))
    }

    /// The block that holds `len` bytes at `address`, and the offset in it, as things are now. Memory of the
    /// program is looked at first, as by [`Memory::map`].
    ///
    /// # Errors
    /// They are not all in one block.
    pub fn find(&self, address: u64, len: u64) -> Result<(Arc<Block>, u64), AddressError> {
        let mut state = self.state();
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
        let gone = self.graves().find(address).cloned();
        let gone = gone.or_else(|| others::find(&self.others, address)).map(Box::new);
        Err(AddressError { gone, ..error })
    }

    /// The table of all addressed blocks, as it is now. Memory of the program that is not mapped any more is
    /// ended first, and what may not be written any more is only read.
    pub fn map(&self) -> MemoryMap {
        let mut state = self.state();
        let mut lesser = self.check(&mut state, None);
        let block = |(&base, entry): (&u64, &Entry)| {
            (base, lesser.remove(&base).unwrap_or_else(|| Arc::clone(&entry.block)))
        };
        let blocks = state.blocks.iter().map(block).collect();
        MemoryMap::new(blocks, (&self.graves, &self.others))
    }
}

mod again;
#[cfg(test)]
mod tests;
