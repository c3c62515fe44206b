//! Host memory with two mappings: one for the program, whose pages can be closed (made
//! inaccessible) and opened again, and one for texunit, whose pages stay accessible.
//!
//! This serves checks of the program's own loads and stores. An access to a closed page raises a
//! signal, whose handler calls [`open_page`] and resumes. Device code and copies use texunit's
//! mapping and never meet a closed page. Blocks get two mappings only after [`enable`], and only on
//! Linux.

use crate::Rights;
use std::ops::Range;

on_linux! {
    /// Requests that host memory allocated from now on gets two mappings.
    enable() -> () = ();
    /// Address ranges, in whole pages, at which the program sees blocks with two mappings.
    all() -> Vec<Range<u64>> = Vec::new();
    /// Begins to watch memory that the program itself has allocated: the whole pages inside the
    /// range, unless they overlap the stack.
    ///
    /// This memory has only one mapping, so its pages may be closed only while texunit does not use
    /// it; see [`open_watched`].
    watch(range: &Range<u64>) -> () = ();
    /// Stops watching program memory, and makes its pages accessible again.
    unwatch(range: &Range<u64>) -> () = ();
    /// Ranges of watched program memory that the program can still read and write.
    watched() -> Vec<Range<u64>> = Vec::new();
    /// Makes all watched program memory accessible.
    open_watched() -> () = ();
    /// Page size in bytes.
    page() -> u64 = 4096;
    /// Sets the rights of each page of the block that the program sees at an address. If the system
    /// allows no more mappings, pages stay accessible.
    set(start: u64, wanted: &[Rights]) -> () = ();
    /// Opens the page of an address; returns its previous rights, or `None` if the address is in no
    /// watched block. Signal handlers may call this: it takes no lock and allocates nothing.
    open_page(address: u64) -> Option<Rights> = None;
}

#[cfg(all(target_os = "linux", not(miri)))]
pub(crate) use linux::Views;

#[cfg(all(target_os = "linux", not(miri)))]
mod linux;

#[cfg(all(test, target_os = "linux", not(miri)))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::Block;

    fn rights_of(range: Range<u64>) -> Rights {
        crate::rights(std::slice::from_ref(&range)).unwrap()[0]
    }

    #[test]
    fn a_block_has_two_views_and_the_programs_can_be_closed() {
        enable();
        let size = 3 * page() as usize + 100;
        let block = Block::page_aligned(size, "both").unwrap();
        let start = block.host_address();
        assert!(all().iter().any(|range| *range == (start..start + 4 * page())));
        block.store_u32(8, 77).unwrap();
        let theirs: *mut u32 = std::ptr::with_exposed_provenance_mut(start as usize + 8);
        // SAFETY: the bytes belong to the block, and have no other user.
        unsafe {
            assert_eq!(theirs.read_volatile(), 77);
            theirs.write_volatile(78);
        }
        assert_eq!(block.load_u32(8).unwrap(), 78);
        set(start, &[Rights::None, Rights::Read, Rights::Read, Rights::ReadWrite]);
        let at = |n: u64| start + n * page();
        let seen = crate::rights(&[start..start + 1, at(1)..at(3), at(3)..at(4)]);
        assert_eq!(seen.unwrap(), [Rights::None, Rights::Read, Rights::ReadWrite]);
        // texunit's mapping stays accessible.
        block.store_u32(8, 79).unwrap();
        assert_eq!(open_page(start + 9), Some(Rights::None));
        assert_eq!(open_page(start + 9), Some(Rights::ReadWrite));
        assert_eq!(open_page(start + 2 * page()), Some(Rights::Read));
        // SAFETY: the address is in the test's mapping, and its page can be read again.
        assert_eq!(unsafe { theirs.read_volatile() }, 79);
        set(start, &[Rights::ReadWrite; 4]);
        assert_eq!(rights_of(start..start + 4 * page()), Rights::ReadWrite);
        // If one page cannot be opened, all pages are opened, and can be closed again.
        let closed = [Rights::None, Rights::Read, Rights::None, Rights::None];
        set(start, &closed);
        linux::REFUSES_ONE.set(true);
        assert_eq!(open_page(start + page()), Some(Rights::Read));
        linux::REFUSES_ONE.set(false);
        assert_eq!(rights_of(start..start + 4 * page()), Rights::ReadWrite);
        set(start, &closed);
        for (i, right) in (0..).zip(closed) {
            assert_eq!(rights_of(start + i * page()..start + (i + 1) * page()), right);
        }
        set(start, &[Rights::ReadWrite; 4]);
        assert_eq!(open_page(1), None);
        drop(block);
        assert_eq!(open_page(start), None);
        let large = Block::page_aligned(1 << 20, "large").unwrap();
        assert_eq!(large.host_address() % (2 << 20), 0);
        assert!(large.load_u64((1 << 20) - 8).is_ok_and(|value| value == 0));
    }

    #[test]
    fn memory_of_the_program_is_open_when_it_is_asked_for() {
        enable();
        let size = 4 * page() as usize;
        let bytes = vec![1_u8; size];
        let start = bytes.as_ptr().addr() as u64;
        let range = start..start + size as u64;
        let first = start.next_multiple_of(page());
        watch(&range);
        // Only whole pages of the range are watched, and no block that has two mappings.
        let watch_range = watched().into_iter().find(|of| of.start == first).unwrap();
        assert!(watch_range.end <= range.end && range.end - watch_range.end < page());
        assert!(all().iter().all(|of| of.start != first));
        let count = ((watch_range.end - watch_range.start) / page()) as usize;
        set(first, &vec![Rights::None; count]);
        assert_eq!(rights_of(first..first + page()), Rights::None);
        // The range is no longer watched.
        assert!(watched().iter().all(|of| of.start != first));
        assert_eq!(open_page(first + 1), Some(Rights::None));
        // Page 1 is made accessible (open) in between; `open_watched` must open the closed pages on
        // both sides of it.
        let mut wanted = vec![Rights::None; count];
        wanted[1] = Rights::ReadWrite;
        set(first, &wanted);
        open_watched();
        assert_eq!(rights_of(watch_range.clone()), Rights::ReadWrite);
        // Ending the watch on a range without a whole page does not affect the range that begins
        // after it.
        unwatch(&(first - 8..first + 8));
        assert!(watched().contains(&watch_range));
        set(first, &vec![Rights::Read; count]);
        unwatch(&range);
        assert_eq!(rights_of(watch_range), Rights::ReadWrite);
        assert_eq!(open_page(first), None);
        // Memory on the stack is not watched.
        let local = [0_u8; 20000];
        let at = local.as_ptr().addr() as u64;
        watch(&(at..at + 20000));
        assert!(watched().iter().all(|of| of.end <= at || of.start >= at + 20000));
        assert_eq!(bytes.iter().map(|&b| usize::from(b)).sum::<usize>(), size);
    }
}
