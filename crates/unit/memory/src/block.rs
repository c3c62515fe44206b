//! One allocation.

mod copy;
mod defined;
mod end;
#[cfg(all(target_os = "linux", not(miri)))]
mod given;
mod mapped;
mod part;

pub use end::{End, Gone};
use texunit_forms::Count;

use crate::cell::{Atom, Cell};
use crate::{Window, hint};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

/// Bytes of zeros behind the blocks that are allocated here, so that a [`Window`] has its 16 bytes
/// wherever it begins.
const SLACK: usize = 16;

/// Bytes of a page of most systems.
pub(crate) const PAGE: usize = 4096;
/// Bytes of a large page of most systems.
const HUGE_PAGE: usize = 2 << 20;
/// Bytes from which on a block begins with such a page and asks for them.
const LARGE: usize = 2 * HUGE_PAGE;

/// Asks the system for large pages. Fetches read from all over a texture: in pages of 4 KiB most of them
/// would have to find out first where the page is.
fn ask_for_huge_pages(data: NonNull<u8>, size: usize) {
    #[cfg(all(target_os = "linux", not(miri)))]
    // SAFETY: whole pages of an allocation that begins with one. The advice changes no byte, and may be
    // refused.
    unsafe {
        libc::madvise(data.as_ptr().cast(), size / HUGE_PAGE * HUGE_PAGE, libc::MADV_HUGEPAGE);
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    let _ = (data, size);
}

/// An access that does not lie inside its block.
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
    /// Its size in bytes.
    pub len: u64,
    /// Size of the block in bytes.
    pub size: u64,
}

/// Memory of a fixed size: a zero-initialised allocation, aligned to [`Block::ALIGN`] bytes, or memory
/// of the host program that somebody else has allocated ([`Block::foreign`]).
///
/// Numbers are little endian, as on every GPU. Loads and stores of 2, 4 and 8 bytes at aligned
/// offsets are single accesses, others are several (module `cell`).
pub struct Block {
    /// First byte.
    pub(crate) data: NonNull<u8>,
    storage: Storage,
    pub(crate) size: usize,
    /// Bytes that can be written: all, or none.
    pub(crate) writable: usize,
    name: String,
    number: u64,
    /// The number of an [`End`]; 0: it is in use.
    end: AtomicU8,
    /// Which bytes are undefined, where that is wanted.
    shadow: OnceLock<Arc<Block>>,
    /// Where a byte was undefined when somebody looked last ([`Block::has_undefined`]).
    undefined_at: AtomicU64,
}

/// Whose the bytes of a block are.
#[derive(Debug)]
enum Storage {
    /// Ours.
    Own {
        /// What the allocator gave, up to [`Block::ALIGN`] bytes before the first.
        allocation: NonNull<u8>,
        /// Of the first byte.
        align: usize,
        /// What other processes have of it: its pages ([`Block::give_out`]).
        #[cfg(all(target_os = "linux", not(miri)))]
        given: OnceLock<Arc<crate::Pages>>,
    },
    /// Ours, with a second view for the program.
    #[cfg(all(target_os = "linux", not(miri)))]
    Views(crate::views::Views),
    /// Mapped pages, one part behind the other ([`Mapped`](crate::Mapped)).
    #[cfg(all(target_os = "linux", not(miri)))]
    Mapped(Box<[Arc<crate::Mapped>]>),
    /// The program's.
    Foreign,
    /// Those of another block, which lives as long.
    Of(Arc<Block>),
    /// Some of another block, with an end of their own ([`Block::slice`]).
    Slice(Arc<Block>),
}

impl Storage {
    fn own(allocation: NonNull<u8>, align: usize) -> Self {
        Self::Own {
            allocation,
            align,
            #[cfg(all(target_os = "linux", not(miri)))]
            given: OnceLock::new(),
        }
    }
}

/// The number of the next block.
static NUMBERS: AtomicU64 = AtomicU64::new(1);

// SAFETY: the pointer is owned by the block, or by one that it holds, and freed only by its `drop`, or
// stays valid as `foreign` demands; all access to the bytes goes through module `cell`.
unsafe impl Send for Block {}
// SAFETY: as above.
unsafe impl Sync for Block {}

impl Drop for Block {
    fn drop(&mut self) {
        self.forget_shadow();
        let Storage::Own { allocation, align, .. } = self.storage else { return };
        #[cfg(all(target_os = "linux", not(miri)))]
        self.take_pages_back();
        // SAFETY: allocated in `new` with this layout, and nobody else can hold the pointer.
        unsafe {
            // Where the alignment is that of pages, all of the last one is the block's.
            let size = if align >= PAGE { self.size.next_multiple_of(PAGE) } else { self.size };
            let layout = Self::layout(size, align).expect("as in new");
            dealloc(allocation.as_ptr(), layout);
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
            // SAFETY: in bounds, and never behind a reference.
            Ok(unsafe { <$int>::load(p) })
        }

        #[doc = concat!("Stores a `", stringify!($int), "`.")]
        #[inline]
        pub fn $store(&self, offset: u64, value: $int) -> Result<(), OutOfBounds> {
            let p = self.target(offset, size_of::<$int>())?;
            // SAFETY: in bounds of what can be written, and never behind a reference.
            unsafe { <$int>::store(p, value) };
            Ok(())
        }
    };
}

macro_rules! read_modify_write {
    ($update:ident, $add:ident, $int:ty) => {
        /// Replaces the aligned number at `offset` by `f` of it in one atomic step; returns the old one.
        /// An offset that is not a multiple of the size is refused as [`OutOfBounds`] with length 0.
        #[inline]
        pub fn $update(
            &self,
            offset: u64,
            f: impl FnMut($int) -> $int,
        ) -> Result<$int, OutOfBounds> {
            let p = self.aligned_target(offset, size_of::<$int>())?;
            // SAFETY: in bounds of what can be written, aligned, and never behind a reference.
            Ok(unsafe { <$int>::update(p, f) })
        }

        /// Adds to the aligned number at `offset` in one atomic step; returns the old one.
        #[inline]
        pub fn $add(&self, offset: u64, value: $int) -> Result<$int, OutOfBounds> {
            let p = self.aligned_target(offset, size_of::<$int>())?;
            // SAFETY: as above.
            Ok(unsafe { <$int>::add(p, value) })
        }
    };
}

impl Block {
    /// Alignment of the first byte, and what the bytes that belong to a block of ours are a multiple of: those
    /// behind its end are only reached by [`Block::rounded`].
    pub const ALIGN: usize = 512;

    /// Of the allocation, with what rounds it up, the slack, and with room for the alignment, which the allocator is
    /// not asked for. For more than its own it would fill the bytes with zeros itself, and so touch every page;
    /// without, pages that a kernel never uses cost nothing.
    fn layout(size: usize, align: usize) -> Option<Layout> {
        let size = size.checked_next_multiple_of(Self::ALIGN)?;
        Layout::from_size_align(size.checked_add(align + SLACK)?, 16).ok()
    }

    /// Allocates `size` zero bytes; `None` if the system has no such memory. `name` is what
    /// messages call the block.
    pub fn new(size: usize, name: impl Into<String>) -> Option<Self> {
        let align = if size >= LARGE { HUGE_PAGE } else { Self::ALIGN };
        Self::aligned(size, align, name.into())
    }

    /// Allocates `size` zero bytes that have pages of the system for themselves, which can be given to other processes
    /// ([`Block::give_out`]).
    pub fn in_pages(size: usize, name: impl Into<String>) -> Option<Self> {
        let align = if size >= LARGE { HUGE_PAGE } else { PAGE };
        Self::aligned(size, align, name.into())
    }

    /// Allocates `size` zero bytes from the beginning of a page of 4096 bytes on: memory that the host program uses
    /// too (`cuMemHostAlloc`), at addresses of its own where that is wanted ([`crate::views`]).
    pub fn page_aligned(size: usize, name: impl Into<String>) -> Option<Self> {
        let name = name.into();
        #[cfg(all(target_os = "linux", not(miri)))]
        if let Some(views) = crate::views::Views::new(size.max(1), SLACK) {
            return Some(Self::with(views.ours(), Storage::Views(views), size, size, name));
        }
        // As drivers align allocations from 1 MiB on.
        let align = if size >= HUGE_PAGE / 2 { HUGE_PAGE } else { PAGE };
        Self::aligned(size, align, name)
    }

    /// Allocates `size` zero bytes for a place at a given device address, of which the first byte has the alignment: what is aligned
    /// there is so here. With the number of another block, which messages call it by, if one is given.
    pub fn for_address(
        size: usize,
        address: u64,
        number: Option<u64>,
        name: impl Into<String>,
    ) -> Option<Self> {
        let numbered = |mut block: Self| {
            block.number = number.unwrap_or(block.number);
            block
        };
        let phase = (address % Self::ALIGN as u64) as usize;
        if phase == 0 {
            return Self::new(size, name).map(numbered);
        }
        // There is room for the larger alignment, and so for any place in the smaller one.
        let align = 2 * Self::ALIGN;
        let layout = Self::layout(size, align)?;
        // SAFETY: the layout has a size of at least one byte.
        let allocation = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        let to_line = allocation.align_offset(Self::ALIGN).min(Self::ALIGN);
        // SAFETY: `to_line` and `phase` are at most `align` together, and with the size rounded up and SLACK at most
        // the size of the layout.
        let data = unsafe { allocation.add(to_line + phase) };
        let storage = Storage::own(allocation, align);
        Some(numbered(Self::with(data, storage, size, size, name.into())))
    }

    fn aligned(size: usize, align: usize, name: String) -> Option<Self> {
        // All of the last page is the block's where it begins with one.
        let whole = if align >= PAGE { size.checked_next_multiple_of(PAGE)? } else { size };
        let layout = Self::layout(whole, align)?;
        // SAFETY: the layout has a size of at least one byte.
        let allocation = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        let head = allocation.align_offset(align).min(align);
        // SAFETY: `head`, the size rounded up and SLACK are together at most the size of the layout.
        let data = unsafe { allocation.add(head) };
        if size >= LARGE {
            ask_for_huge_pages(data, size);
        }
        Some(Self::with(data, Storage::own(allocation, align), size, size, name))
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

    /// A block over memory that somebody else has allocated (`cuMemHostRegister`). It is not freed
    /// with the block, may hold any bytes, and begins at any alignment. What is not `writable` is only
    /// read: a store or copy to it is refused.
    ///
    /// # Safety
    /// From now on, until the block has been ended ([`Block::end`]) and nobody who found it before that still
    /// uses it, the `size` bytes at `data` stay mapped and readable, and writable if they are said to be, and
    /// there is no Rust reference to them. Other code of the program may read and write them through
    /// pointers; its races with kernels are those it would have with a GPU.
    ///
    /// The access functions do not look whether the block was ended, so that there can be a block whose
    /// bytes are gone: textures and surfaces hold it on. That is sound because
    /// * [`crate::Memory`] gives an ended block out no more, neither to a search nor to the map of a launch;
    /// * who holds a block longer than one call asks [`Block::ended`] before each use: a launch before it
    ///   makes the plan of a fetch or surface access (plans end with the launch), a `Linear` before a copy;
    /// * where the system can be asked (Linux), [`crate::Memory`] ends a block whose bytes are not mapped any
    ///   more, and takes the right to write from one that has lost it, before each search that finds it and
    ///   before each launch. What remains to the program is not to unmap the bytes, or take their rights,
    ///   *during* a launch, a copy or the creation of an object that uses them.
    pub unsafe fn foreign(
        data: NonNull<u8>,
        size: usize,
        writable: bool,
        name: impl Into<String>,
    ) -> Self {
        let writable = if writable { size } else { 0 };
        Self::with(data, Storage::Foreign, size, writable, name.into())
    }

    /// Where the first byte is in the host program: the pointer that `cuMemHostAlloc` gives out, and
    /// the device address of the block in unified addressing. Host code that uses it takes part in
    /// the races of the kernels.
    pub fn host_address(&self) -> u64 {
        match &self.storage {
            #[cfg(all(target_os = "linux", not(miri)))]
            Storage::Views(views) => views.theirs().as_ptr().expose_provenance() as u64,
            Storage::Of(other) => other.host_address(),
            _ => self.data.as_ptr().expose_provenance() as u64,
        }
    }

    /// The block from `offset` on, for reads of many elements; `None` if there are less than 16 bytes,
    /// which only memory of the host program can have.
    pub fn window(&self, offset: u64) -> Option<Window<'_>> {
        let reach = ((self.size + self.slack()) as u64).checked_sub(offset)?;
        // SAFETY: offset + reach is the end of the allocation (with the slack, if it is ours), which
        // lives as long as the block, and to which no Rust reference exists.
        unsafe { Window::new(self.data.as_ptr().add(offset as usize), reach) }
    }

    /// Bytes behind the end that may be read.
    pub(crate) fn slack(&self) -> usize {
        // The bytes of a part end before its owner's slack, or where its owner's size is rounded up to, which has
        // the slack behind it as well.
        if self.is_foreign() || self.is_mapped() { 0 } else { SLACK }
    }

    /// Size in bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// What messages call the block.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether `len` bytes at `offset` lie inside.
    #[inline]
    pub fn contains(&self, offset: u64, len: u64) -> bool {
        offset.checked_add(len).is_some_and(|end| end <= self.size as u64)
    }

    /// Whether `len` bytes at `offset` lie inside and can be written.
    #[inline]
    pub fn accepts(&self, offset: u64, len: u64) -> bool {
        offset.checked_add(len).is_some_and(|end| end <= self.writable as u64)
    }

    /// Whether stores are refused.
    pub fn is_read_only(&self) -> bool {
        self.writable < self.size
    }

    /// Whether the bytes are the program's ([`Block::foreign`]).
    pub fn is_foreign(&self) -> bool {
        match &self.storage {
            Storage::Own { .. } => false,
            #[cfg(all(target_os = "linux", not(miri)))]
            Storage::Views(_) | Storage::Mapped(_) => false,
            Storage::Foreign => true,
            Storage::Of(other) | Storage::Slice(other) => other.is_foreign(),
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

    /// Where bytes are that will be written.
    #[inline]
    fn target(&self, offset: u64, len: usize) -> Result<*mut u8, OutOfBounds> {
        if self.accepts(offset, len as u64) {
            // SAFETY: offset + len <= writable, which is at most the size.
            Ok(unsafe { self.data.as_ptr().add(offset as usize) })
        } else {
            Err(OutOfBounds { offset, len: len as u64, size: self.writable as u64 })
        }
    }

    /// Where a number is that an atomic changes.
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

    /// Asks for the cache lines of bytes that will be written, if they are inside: nothing but time can show
    /// it.
    #[inline]
    pub fn prefetch_to_write(&self, offset: u64, len: usize) {
        let Ok(p) = self.target(offset, len) else { return };
        for line in (0..len).step_by(64) {
            hint::prefetch_to_write(p.wrapping_add(line));
        }
    }
}
