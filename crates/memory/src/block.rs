//! One allocation.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

/// An access that does not lie inside its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{len} bytes at offset {offset} are not inside a block of {size} bytes")]
pub struct OutOfBounds {
    /// Byte offset of the access.
    pub offset: u64,
    /// Its size in bytes.
    pub len: u64,
    /// Size of the block in bytes.
    pub size: u64,
}

/// A zero-initialised allocation of a fixed size, aligned to [`Block::ALIGN`] bytes.
///
/// Numbers are little endian, as on every GPU. Loads and stores of 2, 4 and 8 bytes at aligned
/// offsets are single accesses; others are made byte by byte.
pub struct Block {
    data: NonNull<u8>,
    size: usize,
    name: String,
}

// SAFETY: the pointer is owned by the block and freed only by its `drop`; all access to the bytes
// goes through atomics (module header).
unsafe impl Send for Block {}
// SAFETY: as above.
unsafe impl Sync for Block {}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout, and nobody else can hold the pointer.
        unsafe { dealloc(self.data.as_ptr(), Self::layout(self.size).expect("layout of new")) }
    }
}

impl std::fmt::Debug for Block {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Block({:?}, {} bytes)", self.name, self.size)
    }
}

macro_rules! access {
    ($load:ident, $store:ident, $int:ty, $atomic:ty) => {
        #[doc = concat!("Loads a `", stringify!($int), "`.")]
        #[inline]
        pub fn $load(&self, offset: u64) -> Result<$int, OutOfBounds> {
            let p = self.pointer(offset, size_of::<$int>())?;
            if p as usize % size_of::<$int>() == 0 {
                // SAFETY: in bounds, aligned, and accessed atomically everywhere.
                Ok(<$int>::from_le(unsafe { <$atomic>::from_ptr(p.cast()) }.load(Relaxed)))
            } else {
                let mut bytes = [0; size_of::<$int>()];
                self.read(offset, &mut bytes)?;
                Ok(<$int>::from_le_bytes(bytes))
            }
        }

        #[doc = concat!("Stores a `", stringify!($int), "`.")]
        #[inline]
        pub fn $store(&self, offset: u64, value: $int) -> Result<(), OutOfBounds> {
            let p = self.pointer(offset, size_of::<$int>())?;
            if p as usize % size_of::<$int>() == 0 {
                // SAFETY: in bounds, aligned, and accessed atomically everywhere.
                unsafe { <$atomic>::from_ptr(p.cast()) }.store(value.to_le(), Relaxed);
                Ok(())
            } else {
                self.write(offset, &value.to_le_bytes())
            }
        }
    };
}

macro_rules! read_modify_write {
    ($name:ident, $int:ty, $atomic:ty) => {
        /// Replaces the aligned number at `offset` by `f` of it in one atomic step; returns the old one.
        /// An offset that is not a multiple of the size is refused as [`OutOfBounds`] with length 0.
        #[inline]
        pub fn $name(
            &self,
            offset: u64,
            mut f: impl FnMut($int) -> $int,
        ) -> Result<$int, OutOfBounds> {
            let p = self.pointer(offset, size_of::<$int>())?;
            if p as usize % size_of::<$int>() != 0 {
                return Err(OutOfBounds { offset, len: 0, size: self.size as u64 });
            }
            // SAFETY: in bounds, aligned, and accessed atomically everywhere.
            let cell = unsafe { <$atomic>::from_ptr(p.cast()) };
            let mut old = cell.load(Relaxed);
            loop {
                let new = f(<$int>::from_le(old)).to_le();
                match cell.compare_exchange_weak(old, new, Relaxed, Relaxed) {
                    Ok(_) => return Ok(<$int>::from_le(old)),
                    Err(now) => old = now,
                }
            }
        }
    };
}

impl Block {
    /// Alignment of the first byte.
    pub const ALIGN: usize = 512;

    fn layout(size: usize) -> Option<Layout> {
        Layout::from_size_align(size.max(1), Self::ALIGN).ok()
    }

    /// Allocates `size` zero bytes; `None` if the system has no such memory. `name` is what
    /// messages call the block.
    pub fn new(size: usize, name: impl Into<String>) -> Option<Self> {
        let layout = Self::layout(size)?;
        // SAFETY: the layout has a size of at least one byte.
        let data = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        Some(Self { data, size, name: name.into() })
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

    #[inline]
    fn pointer(&self, offset: u64, len: usize) -> Result<*mut u8, OutOfBounds> {
        if self.contains(offset, len as u64) {
            // SAFETY: offset + len <= size, so the result stays inside the allocation.
            Ok(unsafe { self.data.as_ptr().add(offset as usize) })
        } else {
            Err(OutOfBounds { offset, len: len as u64, size: self.size as u64 })
        }
    }

    /// First byte, for code that proves its own bounds. Access must follow the invariant of the
    /// crate: relaxed atomics, no references.
    pub fn as_ptr(&self) -> *mut u8 {
        self.data.as_ptr()
    }

    access!(load_u8, store_u8, u8, AtomicU8);
    access!(load_u16, store_u16, u16, AtomicU16);
    access!(load_u32, store_u32, u32, AtomicU32);
    access!(load_u64, store_u64, u64, AtomicU64);
    read_modify_write!(update_u16, u16, AtomicU16);
    read_modify_write!(update_u32, u32, AtomicU32);
    read_modify_write!(update_u64, u64, AtomicU64);

    /// Copies `out.len()` bytes from `offset` on.
    pub fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), OutOfBounds> {
        let p = self.pointer(offset, out.len())?;
        let head = p.align_offset(8).min(out.len());
        let (front, rest) = out.split_at_mut(head);
        let (words, back) = rest.as_chunks_mut::<8>();
        // SAFETY (all three): `pointer` has checked the whole range; the middle part is aligned.
        for (i, b) in front.iter_mut().enumerate() {
            *b = unsafe { AtomicU8::from_ptr(p.add(i)) }.load(Relaxed);
        }
        let q = unsafe { p.add(head) };
        for (i, w) in words.iter_mut().enumerate() {
            *w = unsafe { AtomicU64::from_ptr(q.cast::<u64>().add(i)) }.load(Relaxed).to_ne_bytes();
        }
        let q = unsafe { q.add(words.len() * 8) };
        for (i, b) in back.iter_mut().enumerate() {
            *b = unsafe { AtomicU8::from_ptr(q.add(i)) }.load(Relaxed);
        }
        Ok(())
    }

    /// Copies `bytes` to `offset` and on.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), OutOfBounds> {
        let p = self.pointer(offset, bytes.len())?;
        let head = p.align_offset(8).min(bytes.len());
        let (front, rest) = bytes.split_at(head);
        let (words, back) = rest.as_chunks::<8>();
        // SAFETY (all three): `pointer` has checked the whole range; the middle part is aligned.
        for (i, &b) in front.iter().enumerate() {
            unsafe { AtomicU8::from_ptr(p.add(i)) }.store(b, Relaxed);
        }
        let q = unsafe { p.add(head) };
        for (i, &w) in words.iter().enumerate() {
            unsafe { AtomicU64::from_ptr(q.cast::<u64>().add(i)) }
                .store(u64::from_ne_bytes(w), Relaxed);
        }
        let q = unsafe { q.add(words.len() * 8) };
        for (i, &b) in back.iter().enumerate() {
            unsafe { AtomicU8::from_ptr(q.add(i)) }.store(b, Relaxed);
        }
        Ok(())
    }

    /// All bytes.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut out = vec![0; self.size];
        self.read(0, &mut out).expect("the whole block is inside itself");
        out
    }
}
