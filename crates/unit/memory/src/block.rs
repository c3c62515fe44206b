//! A block: one allocation of device memory, with checked loads, stores, atomics and copies at byte
//! offsets.

mod copy;
mod defined;
mod end;
mod part;
#[cfg(all(target_os = "linux", not(miri)))]
mod share_pages;

pub use end::{End, FreedBlock};
use texunit_forms::Count;

use crate::cell::{Atom, Cell};
use crate::{Window, hint};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

/// Zero bytes after the end of each block that texunit allocates, so that a [`Window`] always has
/// its 16 bytes.
const SLACK: usize = 16;

/// Page size of most systems, in bytes.
pub(crate) const PAGE: usize = 4096;
/// Size of a huge page on most systems, in bytes.
const HUGE_PAGE: usize = 2 << 20;
/// Blocks of at least this size begin at a huge page and ask for huge pages.
const LARGE: usize = 2 * HUGE_PAGE;

/// Asks the system for huge pages. Fetches read scattered addresses of a texture, which with 4 KiB
/// pages would miss the TLB most of the time.
fn ask_for_huge_pages(data: NonNull<u8>, size: usize) {
    #[cfg(all(target_os = "linux", not(miri)))]
    // SAFETY: the range consists of whole pages of one allocation that begins at a page. The advice
    // changes no byte, and may be refused.
    unsafe {
        libc::madvise(data.as_ptr().cast(), size / HUGE_PAGE * HUGE_PAGE, libc::MADV_HUGEPAGE);
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    let _ = (data, size);
}

/// An access that is not inside its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} at offset {offset} {} not inside a block of {}",
    Count(len, "byte"),
    Count(len, "byte").are(),
    Count(size, "byte")
)]
pub struct OutOfBounds {
    /// Byte offset of the access.
    pub offset: u64,
    /// Size of the access in bytes.
    pub len: u64,
    /// Size of the block in bytes.
    pub size: u64,
}

/// Memory of a fixed size: either a zero-initialised allocation, aligned to [`Block::ALIGN`] bytes,
/// or memory that the host program has allocated ([`Block::foreign`]).
///
/// Numbers are little endian, as on every GPU. Loads and stores of 2, 4 and 8 bytes at aligned
/// offsets are single accesses, others are several (module `cell`).
pub struct Block {
    /// Address of the first byte.
    pub(crate) data: NonNull<u8>,
    storage: Storage,
    pub(crate) size: usize,
    /// Number of bytes that can be written: the size of the block, or 0.
    pub(crate) writable: usize,
    name: String,
    number: u64,
    /// The [`End`] as a number; 0 while the block is in use.
    end: AtomicU8,
    /// State of each byte, if undefined bytes are tracked.
    shadow: OnceLock<Arc<Block>>,
    /// Offset of the undefined byte that the last search found ([`Block::has_undefined`]).
    undefined_at: AtomicU64,
}

/// Who owns the bytes of a block.
#[derive(Debug)]
enum Storage {
    /// Allocated by texunit.
    Own {
        /// Pointer from the allocator, up to [`Block::ALIGN`] bytes before the first byte.
        allocation: NonNull<u8>,
        /// Alignment of the first byte.
        align: usize,
        /// The pages that hold the bytes, once they have been exported to other processes
        /// ([`Block::share_pages`]).
        #[cfg(all(target_os = "linux", not(miri)))]
        exported: OnceLock<Arc<crate::Pages>>,
    },
    /// Allocated by texunit, with a second mapping for the host program.
    #[cfg(all(target_os = "linux", not(miri)))]
    Views(crate::views::Views),
    /// Adjacent mappings of pages ([`Mapped`](crate::Mapped)).
    #[cfg(all(target_os = "linux", not(miri)))]
    Mapped(Box<[Arc<crate::Mapped>]>),
    /// Allocated by the host program.
    Foreign,
    /// The bytes of another block, with other limits; the field keeps that block alive.
    Part(Arc<Block>),
    /// A range of another block, which can end by itself ([`Block::slice`]).
    Slice(Arc<Block>),
}

/// Allocation number of the next block.
static NUMBERS: AtomicU64 = AtomicU64::new(1);

// SAFETY: the pointer is owned by this block or by a block that it holds and is freed only in
// `drop`, or it stays valid as `foreign` demands. All access to the bytes goes through module
// `cell`.
unsafe impl Send for Block {}
// SAFETY: several threads may access the bytes at once, because all access goes through module
// `cell`.
unsafe impl Sync for Block {}

impl Drop for Block {
    fn drop(&mut self) {
        self.forget_shadow();
        let Storage::Own { allocation, align, .. } = self.storage else { return };
        #[cfg(all(target_os = "linux", not(miri)))]
        self.restore_pages();
        // SAFETY: allocated with this layout, and no other owner can hold the pointer.
        unsafe {
            // A block that begins at a page also has the rest of its last page, which must be freed
            // with it.
            let size = if align >= PAGE { self.size.next_multiple_of(PAGE) } else { self.size };
            dealloc(allocation.as_ptr(), Self::layout(size, align).expect("as in new"));
        }
    }
}

impl std::fmt::Debug for Block {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Block({:?}, {})", self.name, Count(self.size, "byte"))
    }
}

macro_rules! access {
    ($load:ident, $store:ident, $int:ty) => {
        #[doc = concat!("Loads a `", stringify!($int), "`.")]
        #[inline]
        pub fn $load(&self, offset: u64) -> Result<$int, OutOfBounds> {
            let p = self.pointer(offset, size_of::<$int>())?;
            // SAFETY: the bytes are inside the block and never behind a reference.
            Ok(unsafe { <$int>::load(p) })
        }

        #[doc = concat!("Stores a `", stringify!($int), "`.")]
        #[inline]
        pub fn $store(&self, offset: u64, value: $int) -> Result<(), OutOfBounds> {
            let p = self.target(offset, size_of::<$int>())?;
            // SAFETY: the bytes are inside the writable part of the block and never behind a
            // reference.
            unsafe { <$int>::store(p, value) };
            Ok(())
        }
    };
}

macro_rules! read_modify_write {
    ($update:ident, $add:ident, $int:ty) => {
        /// Atomically replaces the aligned number at `offset` by `f` of its value; returns the old
        /// value. An offset that is not a multiple of the size is refused as [`OutOfBounds`] with
        /// length 0.
        #[inline]
        pub fn $update(
            &self,
            offset: u64,
            f: impl FnMut($int) -> $int,
        ) -> Result<$int, OutOfBounds> {
            let p = self.aligned_target(offset, size_of::<$int>())?;
            // SAFETY: the bytes are inside the writable part, aligned, and never behind a
            // reference.
            Ok(unsafe { <$int>::update(p, f) })
        }

        /// Atomically adds to the aligned number at `offset`; returns the old value.
        #[inline]
        pub fn $add(&self, offset: u64, value: $int) -> Result<$int, OutOfBounds> {
            let p = self.aligned_target(offset, size_of::<$int>())?;
            // SAFETY: the bytes are inside the writable part, aligned, and never behind a
            // reference.
            Ok(unsafe { <$int>::add(p, value) })
        }
    };
}

impl Block {
    /// Alignment of the first byte of blocks that texunit allocates. Their sizes are rounded up to
    /// a multiple of it; the padding is accessible only through [`Block::rounded`].
    pub const ALIGN: usize = 512;

    /// Layout of the allocation: the rounded size, the slack, and room to align the first byte. The
    /// alignment itself is not requested from the allocator, because for large alignments the
    /// allocator zeroes the bytes itself and so touches every page. With the room requested
    /// instead, pages that a kernel never uses take no memory.
    fn layout(size: usize, align: usize) -> Option<Layout> {
        let size = size.checked_next_multiple_of(Self::ALIGN)?;
        Layout::from_size_align(size.checked_add(align + SLACK)?, 16).ok()
    }

    /// Allocates `size` zero bytes; `None` if the host has not enough memory. `name` identifies the
    /// block in messages.
    pub fn new(size: usize, name: impl Into<String>) -> Option<Self> {
        let align = if size >= LARGE { HUGE_PAGE } else { Self::ALIGN };
        Self::aligned(size, (align, 0), name.into())
    }

    /// Allocates `size` zero bytes in whole pages that hold nothing else, which can be exported to
    /// other processes ([`Block::share_pages`]).
    pub fn in_pages(size: usize, name: impl Into<String>) -> Option<Self> {
        let align = if size >= LARGE { HUGE_PAGE } else { PAGE };
        Self::aligned(size, (align, 0), name.into())
    }

    /// Allocates `size` zero bytes from the start of a 4096-byte page: memory that the host program
    /// uses too (`cuMemHostAlloc`). If requested, the program gets a separate mapping
    /// ([`crate::views`]).
    pub fn page_aligned(size: usize, name: impl Into<String>) -> Option<Self> {
        let name = name.into();
        #[cfg(all(target_os = "linux", not(miri)))]
        if let Some(views) = crate::views::Views::new(size.max(1), SLACK) {
            return Some(Self::with(views.ours(), Storage::Views(views), size, size, name));
        }
        // Drivers align allocations of 1 MiB and more to 2 MiB.
        let align = if size >= HUGE_PAGE / 2 { HUGE_PAGE } else { PAGE };
        Self::aligned(size, (align, 0), name)
    }

    /// Allocates `size` zero bytes for a given device address. The host address has the same
    /// alignment as the device address. `number` is the allocation number for messages, or `None`
    /// for a new one.
    pub fn for_address(
        size: usize,
        address: u64,
        number: Option<u64>,
        name: impl Into<String>,
    ) -> Option<Self> {
        let phase = (address % Self::ALIGN as u64) as usize;
        let align = if size >= LARGE && phase == 0 { HUGE_PAGE } else { Self::ALIGN };
        let mut block = Self::aligned(size, (align, phase), name.into())?;
        block.number = number.unwrap_or(block.number);
        Some(block)
    }

    /// Allocates `size` zero bytes, of which the first is `phase` bytes (less than `align`) behind
    /// a multiple of `align`.
    fn aligned(size: usize, (align, phase): (usize, usize), name: String) -> Option<Self> {
        // A block that begins at a page also gets the rest of its last page.
        let whole = if align >= PAGE { size.checked_next_multiple_of(PAGE)? } else { size };
        let reserve = if phase == 0 { align } else { 2 * align };
        let layout = Self::layout(whole, reserve)?;
        // SAFETY: the size of the layout is not 0.
        let allocation = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        let head = allocation.align_offset(align).min(align) + phase;
        // SAFETY: `head`, which is at most `reserve`, the size rounded up and SLACK are together at
        // most the size of the layout.
        let data = unsafe { allocation.add(head) };
        if size >= LARGE && align == HUGE_PAGE {
            ask_for_huge_pages(data, size);
        }
        let storage = Storage::Own {
            allocation,
            align: reserve,
            #[cfg(all(target_os = "linux", not(miri)))]
            exported: OnceLock::new(),
        };
        Some(Self::with(data, storage, size, size, name))
    }

    fn with(
        data: NonNull<u8>,
        storage: Storage,
        size: usize,
        writable: usize,
        name: String,
    ) -> Self {
        let number = NUMBERS.fetch_add(1, Relaxed);
        let (end, shadow, undefined_at) = (AtomicU8::new(0), OnceLock::new(), AtomicU64::new(0));
        Self { data, storage, size, writable, name, number, end, shadow, undefined_at }
    }

    /// A block over memory that the host program has allocated (`cuMemHostRegister`). Dropping the
    /// block does not free the memory; it may hold any bytes and begin at any alignment. If it is
    /// not `writable`, stores and copies to it are refused.
    ///
    /// # Safety
    /// From now on, until the block has been ended ([`Block::end`]) and no holder that found it
    /// before still uses it, the `size` bytes at `data` stay mapped and readable (and writable if
    /// `writable`), and there is no Rust reference to them. Other code of the program may read and
    /// write them through pointers; its races with kernels are those it would have with a GPU.
    ///
    /// The access functions do not test whether the block has ended, so a block can exist whose
    /// bytes are unmapped: textures and surfaces keep it alive. That is sound because
    /// * [`crate::Memory`] does not return an ended block, neither from a search nor in the map of
    ///   a launch;
    /// * code that holds a block longer than one call asks [`Block::ended`] before each use: a
    ///   launch before it makes the plan of a fetch or surface access (plans end with the launch),
    ///   a `Linear` before a copy;
    /// * where the system can be asked (Linux), [`crate::Memory`] tests the mapping before each
    ///   search that finds the block and before each launch. It ends a block whose bytes are
    ///   unmapped, and takes the right to write from a block that has lost it. The program's
    ///   remaining duty is not to unmap the bytes, or reduce their rights, *during* a launch, a
    ///   copy or the creation of an object that uses them.
    pub unsafe fn foreign(
        data: NonNull<u8>,
        size: usize,
        writable: bool,
        name: impl Into<String>,
    ) -> Self {
        let writable = if writable { size } else { 0 };
        Self::with(data, Storage::Foreign, size, writable, name.into())
    }

    /// Host address of the first byte: the pointer that `cuMemHostAlloc` returns, which in unified
    /// addressing is also the device address. Host code that uses it takes part in the kernels'
    /// races.
    pub fn host_address(&self) -> u64 {
        match &self.storage {
            #[cfg(all(target_os = "linux", not(miri)))]
            Storage::Views(views) => views.theirs().as_ptr().expose_provenance() as u64,
            Storage::Part(other) => other.host_address(),
            _ => self.data.as_ptr().expose_provenance() as u64,
        }
    }

    /// The block from `offset` on, for bulk reads. `None` if fewer than 16 bytes remain, which is
    /// possible only in memory of the host program.
    pub fn window(&self, offset: u64) -> Option<Window<'_>> {
        let reach = ((self.size + self.slack()) as u64).checked_sub(offset)?;
        // SAFETY: `offset + reach` is the end of the allocation (including the slack if texunit
        // allocated it), which lives as long as the block and has no Rust reference to it.
        unsafe { Window::new(self.data.as_ptr().add(offset as usize), reach) }
    }

    /// Number of bytes after the end of the block that may be read.
    pub(crate) fn slack(&self) -> usize {
        // A block that is a part of another block ends at or before the (rounded) end of that
        // block, so the other block's slack follows it.
        if self.is_foreign() || self.is_mapped() { 0 } else { SLACK }
    }

    /// Size in bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Name of the block in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether `len` bytes at `offset` lie inside the block.
    #[inline]
    pub fn contains(&self, offset: u64, len: u64) -> bool {
        offset.checked_add(len).is_some_and(|end| end <= self.size as u64)
    }

    /// Whether `len` bytes at `offset` lie inside the block and can be written.
    #[inline]
    pub fn accepts(&self, offset: u64, len: u64) -> bool {
        offset.checked_add(len).is_some_and(|end| end <= self.writable as u64)
    }

    /// Whether stores to the block are refused.
    pub fn is_read_only(&self) -> bool {
        self.writable < self.size
    }

    /// Whether the host program allocated the bytes ([`Block::foreign`]).
    pub fn is_foreign(&self) -> bool {
        match &self.storage {
            Storage::Own { .. } => false,
            #[cfg(all(target_os = "linux", not(miri)))]
            Storage::Views(_) | Storage::Mapped(_) => false,
            Storage::Foreign => true,
            Storage::Part(other) | Storage::Slice(other) => other.is_foreign(),
        }
    }

    #[inline]
    fn pointer(&self, offset: u64, len: usize) -> Result<*mut u8, OutOfBounds> {
        if self.contains(offset, len as u64) {
            // SAFETY: offset + len <= size, so the result stays inside the allocation.
            Ok(unsafe { self.data.as_ptr().add(offset as usize) })
        } else {
            Err(OutOfBounds { offset, len: len as u64, size: self.size as u64 })
        }
    }

    /// Pointer to bytes that will be written.
    #[inline]
    fn target(&self, offset: u64, len: usize) -> Result<*mut u8, OutOfBounds> {
        if self.accepts(offset, len as u64) {
            // SAFETY: `offset + len` is at most `writable`, which is at most the size.
            Ok(unsafe { self.data.as_ptr().add(offset as usize) })
        } else {
            Err(OutOfBounds { offset, len: len as u64, size: self.writable as u64 })
        }
    }

    /// Pointer to an aligned number that an atomic changes.
    #[inline]
    fn aligned_target(&self, offset: u64, len: usize) -> Result<*mut u8, OutOfBounds> {
        let p = self.target(offset, len)?;
        let refused = OutOfBounds { offset, len: 0, size: self.size as u64 };
        if (p as usize).is_multiple_of(len) { Ok(p) } else { Err(refused) }
    }

    access!(load_u8, store_u8, u8);
    access!(load_u16, store_u16, u16);
    access!(load_u32, store_u32, u32);
    access!(load_u64, store_u64, u64);

    /// Loads a number of `size` bytes (1, 2, 4 or 8), zero-extended.
    ///
    /// # Errors
    /// The bytes are not all in the block.
    #[inline]
    pub fn load(&self, offset: u64, size: u8) -> Result<u64, OutOfBounds> {
        match size {
            1 => self.load_u8(offset).map(u64::from),
            2 => self.load_u16(offset).map(u64::from),
            4 => self.load_u32(offset).map(u64::from),
            _ => self.load_u64(offset),
        }
    }

    /// Stores the low `size` bytes (1, 2, 4 or 8) of a number.
    ///
    /// # Errors
    /// The bytes are not all in the block.
    #[inline]
    pub fn store(&self, offset: u64, size: u8, value: u64) -> Result<(), OutOfBounds> {
        match size {
            1 => self.store_u8(offset, value as u8),
            2 => self.store_u16(offset, value as u16),
            4 => self.store_u32(offset, value as u32),
            _ => self.store_u64(offset, value),
        }
    }

    read_modify_write!(update_u16, add_u16, u16);
    read_modify_write!(update_u32, add_u32, u32);
    read_modify_write!(update_u64, add_u64, u64);

    /// Prefetches the cache lines of bytes that will be written, if the bytes are inside the block.
    /// This affects only the speed.
    #[inline]
    pub fn prefetch_to_write(&self, offset: u64, len: usize) {
        let Ok(p) = self.target(offset, len) else { return };
        for line in (0..len).step_by(64) {
            hint::prefetch_to_write(p.wrapping_add(line));
        }
    }
}
