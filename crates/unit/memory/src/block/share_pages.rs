//! Exporting the pages of a block to other processes.
//!
//! The bytes keep their address: their pages are replaced by pages of a memory file with the same
//! contents. When the block is dropped, the allocator gets anonymous pages back at that address;
//! the file exists as long as a process holds it.

use super::{Block, PAGE, Storage};
use crate::Pages;
use std::io;
use std::sync::Arc;

/// Number of bytes that are copied to the memory file in one step.
const PIECE: usize = 1 << 20;

impl Block {
    /// Moves the pages of the block to a file that other processes can be given. `note` is stored
    /// with the file; if the function is called again, the first note stays. The bytes must not be
    /// written during the call.
    ///
    /// # Errors
    /// The system cannot make such a file, or the block was not allocated by [`Block::in_pages`].
    pub fn share_pages(&self, note: &[u8]) -> io::Result<Arc<Pages>> {
        let Storage::Own { align: PAGE.., exported, .. } = &self.storage else {
            return Err(io::ErrorKind::Unsupported.into());
        };
        if let Some(pages) = exported.get() {
            return Ok(Arc::clone(pages));
        }
        let size = self.size.next_multiple_of(PAGE).max(PAGE) as u64;
        let pages = Arc::new(Pages::shareable(size, note)?);
        let mut piece = vec![0; self.size.min(PIECE)];
        for at in (0..self.size).step_by(PIECE) {
            let part = &mut piece[..(self.size - at).min(PIECE)];
            self.read(at as u64, part).map_err(io::Error::other)?;
            // A new file reads as zeros, and zeros that are never written take no memory.
            if part.iter().any(|&byte| byte != 0) {
                pages.write(at as u64, part)?;
            }
        }
        if exported.set(Arc::clone(&pages)).is_err() {
            return self.share_pages(note);
        }
        let at = self.data.as_ptr().expose_provenance() as u64;
        match pages.put(at, size, libc::PROT_READ | libc::PROT_WRITE) {
            true => Ok(pages),
            false => Err(io::Error::last_os_error()),
        }
    }

    /// Replaces the pages of the file by anonymous pages before the memory returns to the
    /// allocator.
    pub(super) fn restore_pages(&self) {
        let Storage::Own { exported, .. } = &self.storage else { return };
        if let Some(pages) = exported.get() {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
            let rights = libc::PROT_READ | libc::PROT_WRITE;
            let at = self.data.as_ptr().cast();
            // SAFETY: the pages belong to this block alone, and nobody uses them any more.
            unsafe { libc::mmap(at, pages.size() as usize, rights, flags, -1, 0) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Mapped, Reserved};

    #[test]
    fn bytes_are_shared_and_stay_where_they_are() {
        for size in [1, 4095, 4096, 4097, 5 << 20] {
            let block = Block::in_pages(size, "given").unwrap();
            let (address, last) = (block.host_address(), size as u64 - 1);
            block.store_u8(last, 7).unwrap();
            let pages = block.share_pages(b"first").unwrap();
            assert!(Arc::ptr_eq(&pages, &block.share_pages(b"second").unwrap()));
            assert_eq!((block.host_address(), block.load_u8(last).unwrap()), (address, 7));
            let number = pages.new_number().unwrap();
            let (other, note) = Pages::of_file(number).unwrap();
            assert_eq!(note, b"first");
            let whole = other.size();
            let reserved = Arc::new(Reserved::new(0, whole, 0).unwrap());
            let start = reserved.range().start;
            let mapped: Mapped = reserved.map(start, &Arc::new(other), whole).unwrap();
            let there = Block::of_mapped(vec![Arc::new(mapped)], true, ("there", 1)).unwrap();
            assert_eq!(there.load_u8(last).unwrap(), 7);
            there.store_u8(last, 8).unwrap();
            assert_eq!(block.load_u8(last).unwrap(), 8);
            drop(block);
            assert_eq!(there.load_u8(last).unwrap(), 8, "it outlives the block");
            // SAFETY: the test owns the file descriptor.
            unsafe { libc::close(number) };
        }
        // Memory that the allocator hands out next is not shared with the file.
        let again = Block::in_pages(4096, "again").unwrap();
        assert_eq!(again.to_vec(), vec![0; 4096]);
        assert!(Block::new(4096, "other").unwrap().share_pages(b"").is_err());
    }
}
