//! Host memory at two addresses: those of the program, whose pages can be closed to it, and ours, which stay open.
//!
//! For checks of what the program does by plain loads and stores: an access to a closed page is a signal, whose handler
//! asks [`opens`] and goes on. What devices and copies do goes through the other addresses and never meets a closed
//! page. Blocks are made so only after [`want`], and only on Linux; else there are none.

use crate::Rights;
use std::ops::Range;

/// Whether memory that the program uses too is to have two addresses from now on.
pub fn want() {
    #[cfg(all(target_os = "linux", not(miri)))]
    linux::want();
}

/// Where the program sees such blocks: whole pages.
pub fn all() -> Vec<Range<u64>> {
    #[cfg(all(target_os = "linux", not(miri)))]
    return linux::all(false);
    #[cfg(not(all(target_os = "linux", not(miri))))]
    Vec::new()
}

/// Memory of the program itself, which is to be watched from now on: the whole pages in it, if none is of the stack.
///
/// It has one address for all, so that its pages may be closed only while nothing of ours uses it: [`open_lent`].
pub fn lend(range: &Range<u64>) {
    #[cfg(all(target_os = "linux", not(miri)))]
    linux::lend(range);
    #[cfg(not(all(target_os = "linux", not(miri))))]
    let _ = range;
}

/// It is no longer to be watched, and open.
pub fn take_back(range: &Range<u64>) {
    #[cfg(all(target_os = "linux", not(miri)))]
    linux::take_back(range);
    #[cfg(not(all(target_os = "linux", not(miri))))]
    let _ = range;
}

/// The pages of such memory which the program may still use as it likes: mapped, to be read and written.
pub fn all_lent() -> Vec<Range<u64>> {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        let all = linux::all(true);
        let rights = if all.is_empty() { None } else { crate::rights(&all) };
        let all = all.into_iter().zip(rights.unwrap_or_default());
        all.filter(|of| of.1 == Rights::ReadWrite).map(|of| of.0).collect()
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    Vec::new()
}

/// Opens all such memory.
pub fn open_lent() {
    #[cfg(all(target_os = "linux", not(miri)))]
    linux::open_lent();
}

/// Bytes of a page.
pub fn page() -> u64 {
    #[cfg(all(target_os = "linux", not(miri)))]
    return linux::page() as u64;
    #[cfg(not(all(target_os = "linux", not(miri))))]
    4096
}

/// Says what the program may do with each page of the block that it sees at an address. Where the system has no more
/// room for that, pages stay open.
pub fn set(start: u64, wanted: &[Rights]) {
    #[cfg(all(target_os = "linux", not(miri)))]
    linux::set(start as usize, wanted);
    #[cfg(not(all(target_os = "linux", not(miri))))]
    let _ = (start, wanted);
}

/// Opens the page of an address; what could be done with it before. `None`: it is of no such block. For handlers of
/// signals: it takes no lock and no memory.
pub fn opens(address: u64) -> Option<Rights> {
    #[cfg(all(target_os = "linux", not(miri)))]
    return linux::opens(address as usize);
    #[cfg(not(all(target_os = "linux", not(miri))))]
    {
        let _ = address;
        None
    }
}

#[cfg(all(target_os = "linux", not(miri)))]
pub(crate) use linux::Views;

#[cfg(all(target_os = "linux", not(miri)))]
mod linux;

#[cfg(all(test, target_os = "linux", not(miri)))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Block;

    fn rights_of(range: Range<u64>) -> Rights {
        crate::rights(std::slice::from_ref(&range)).unwrap()[0]
    }

    #[test]
    fn a_block_has_two_views_and_the_programs_can_be_closed() {
        want();
        let size = 3 * page() as usize + 100;
        let block = Block::page_aligned(size, "both").unwrap();
        let start = block.host_address();
        assert!(all().iter().any(|range| *range == (start..start + 4 * page())));
        block.store_u32(8, 77).unwrap();
        let theirs: *mut u32 = std::ptr::with_exposed_provenance_mut(start as usize + 8);
        // SAFETY: the bytes are the block's, and nobody else uses them.
        unsafe {
            assert_eq!(theirs.read_volatile(), 77);
            theirs.write_volatile(78);
        }
        assert_eq!(block.load_u32(8).unwrap(), 78);
        set(start, &[Rights::None, Rights::Read, Rights::Read, Rights::ReadWrite]);
        let seen = crate::rights(&[
            start..start + 1,
            start + page()..start + 3 * page(),
            start + 3 * page()..start + 4 * page(),
        ]);
        assert_eq!(seen.unwrap(), [Rights::None, Rights::Read, Rights::ReadWrite]);
        // Ours stays open.
        block.store_u32(8, 79).unwrap();
        assert_eq!(opens(start + 9), Some(Rights::None));
        assert_eq!(opens(start + 9), Some(Rights::ReadWrite));
        assert_eq!(opens(start + 2 * page()), Some(Rights::Read));
        // SAFETY: as above; the page is open again.
        assert_eq!(unsafe { theirs.read_volatile() }, 79);
        set(start, &[Rights::ReadWrite; 4]);
        assert_eq!(rights_of(start..start + 4 * page()), Rights::ReadWrite);
        // Where one page cannot be opened, all are, and closed again when that is wanted.
        let closed = [Rights::None, Rights::Read, Rights::None, Rights::None];
        set(start, &closed);
        linux::REFUSES_ONE.set(true);
        assert_eq!(opens(start + page()), Some(Rights::Read));
        linux::REFUSES_ONE.set(false);
        assert_eq!(rights_of(start..start + 4 * page()), Rights::ReadWrite);
        set(start, &closed);
        for (i, right) in (0..).zip(closed) {
            assert_eq!(rights_of(start + i * page()..start + (i + 1) * page()), right);
        }
        set(start, &[Rights::ReadWrite; 4]);
        assert_eq!(opens(1), None);
        drop(block);
        assert_eq!(opens(start), None);
        let large = Block::page_aligned(1 << 20, "large").unwrap();
        assert_eq!(large.host_address() % (2 << 20), 0);
        assert!(large.load_u64((1 << 20) - 8).is_ok_and(|value| value == 0));
    }

    #[test]
    fn memory_of_the_program_is_open_when_it_is_asked_for() {
        want();
        let size = 4 * page() as usize;
        let bytes = vec![1_u8; size];
        let start = bytes.as_ptr().addr() as u64;
        let range = start..start + size as u64;
        let first = start.next_multiple_of(page());
        lend(&range);
        // Whole pages in it, and none of the blocks that have two views.
        let lent = all_lent().into_iter().find(|of| of.start == first).unwrap();
        assert!(lent.end <= range.end && range.end - lent.end < page());
        assert!(all().iter().all(|of| of.start != first));
        let count = ((lent.end - lent.start) / page()) as usize;
        set(first, &vec![Rights::None; count]);
        assert_eq!(rights_of(first..first + page()), Rights::None);
        // It is not what may be closed by now.
        assert!(all_lent().iter().all(|of| of.start != first));
        assert_eq!(opens(first + 1), Some(Rights::None));
        // Pages between others are open already.
        let mut wanted = vec![Rights::None; count];
        wanted[1] = Rights::ReadWrite;
        set(first, &wanted);
        open_lent();
        assert_eq!(rights_of(lent.clone()), Rights::ReadWrite);
        // What has no whole page in it is not what begins behind it.
        take_back(&(first - 8..first + 8));
        assert!(all_lent().contains(&lent));
        set(first, &vec![Rights::Read; count]);
        take_back(&range);
        assert_eq!(rights_of(lent), Rights::ReadWrite);
        assert_eq!(opens(first), None);
        // What is on the stack is left alone.
        let local = [0_u8; 20000];
        let at = local.as_ptr().addr() as u64;
        lend(&(at..at + 20000));
        assert!(all_lent().iter().all(|of| of.end <= at || of.start >= at + 20000));
        assert_eq!(bytes.iter().map(|&b| usize::from(b)).sum::<usize>(), size);
    }
}
