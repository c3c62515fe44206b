use super::*;
use crate::{Block, End};

const CHUNK: u64 = 2 << 20;

fn block(parts: Vec<Arc<Mapped>>) -> Block {
    Block::of_mapped(parts, true, ("mapped", 7)).unwrap()
}

#[test]
fn pages_at_two_addresses_are_one_memory() {
    let reserved = Arc::new(Reserved::new(0, 4 * CHUNK, 0).unwrap());
    let start = reserved.range().start;
    let pages = Arc::new(Pages::new(CHUNK).unwrap());
    let [a, b] = [0, 2].map(|i| {
        let mapped = reserved.map(start + i * CHUNK, &pages, CHUNK).unwrap();
        block(vec![Arc::new(mapped)])
    });
    a.store_u32(100, 7).unwrap();
    assert_eq!((b.load_u32(100).unwrap(), b.load_u32(104).unwrap()), (7, 0));
    assert_eq!((a.number(), a.size() as u64, a.slack()), (7, CHUNK, 0));
    // The program has no access to the addresses.
    let rights = |address: u64| crate::rights(std::slice::from_ref(&(address..address + 1)));
    assert_eq!(rights(start).unwrap(), [Rights::None]);
    assert!(reserved.map(start + 4 * CHUNK, &pages, CHUNK).is_none());
    assert!(reserved.map(start, &pages, 2 * CHUNK).is_none());
}

#[test]
fn neighbours_are_one_block_until_one_is_unmapped() {
    let reserved = Arc::new(Reserved::new(0, 2 * CHUNK, 0).unwrap());
    let start = reserved.range().start;
    // A second reservation begins where this one ends.
    let next = Arc::new(Reserved::new(start + 2 * CHUNK, CHUNK, 0).unwrap());
    assert_eq!(next.range(), start + 2 * CHUNK..start + 3 * CHUNK);
    let parts: Vec<_> = (0..3)
        .map(|i| {
            let pages = Arc::new(Pages::new(CHUNK).unwrap());
            let of = if i == 2 { &next } else { &reserved };
            Arc::new(of.map(start + i * CHUNK, &pages, CHUNK).unwrap())
        })
        .collect();
    let whole = block(parts.clone());
    whole.write(CHUNK - 2, &[1, 2, 3, 4]).unwrap();
    assert_eq!(block(vec![Arc::clone(&parts[1])]).load_u16(0).unwrap(), 0x0403);
    assert!(Block::of_mapped(vec![parts[0].clone(), parts[2].clone()], true, ("", 1)).is_none());
    parts[1].end();
    assert_eq!((whole.ended(), block(vec![parts[0].clone()]).ended()), (Some(End::Removed), None));
    // The bytes stay valid for a holder of the block.
    assert_eq!(whole.load_u32(CHUNK - 2).unwrap(), 0x0201);
    let pages = Arc::new(Pages::new(CHUNK).unwrap());
    let again = block(vec![Arc::new(reserved.map(start + CHUNK, &pages, CHUNK).unwrap())]);
    again.store_u8(0, 9).unwrap();
    drop(parts);
    assert_eq!(again.load_u8(0).unwrap(), 9, "what came later stays mapped");
}

#[test]
fn addresses_are_wanted_or_found() {
    let first = Reserved::new(0, 3 * CHUNK, 8 * CHUNK).unwrap();
    assert!(first.range().start.is_multiple_of(8 * CHUNK));
    let taken = Reserved::new(first.range().start + CHUNK, CHUNK, 0).unwrap();
    assert!(!first.range().contains(&taken.range().start));
    for wanted in [4096, 0x7000_0000_0000, u64::MAX, taken.range().start + 4096] {
        assert_ne!(Reserved::new(wanted, CHUNK, 0).unwrap().range().start, wanted);
    }
    assert!(Reserved::new(0, 1 << 50, 0).is_none() && Reserved::new(0, 0, 0).is_none());
    // A released range can be reserved again, and so can a range much larger than the memory.
    let range = taken.range();
    let held = || [range.start - 1, range.start, range.end - 1, range.end].map(Reserved::holds);
    assert_eq!(held()[1..3], [true, true]);
    drop(taken);
    assert_eq!(held()[1..3], [false, false]);
    assert_eq!(Reserved::new(range.start, CHUNK, 0).unwrap().range(), range);
    drop(Reserved::new(0, 4 << 40, 0).unwrap());
}

#[test]
fn files_are_checked() {
    for wrong in [-1, 1 << 20, 0] {
        assert!(Pages::of_file(wrong).is_err(), "{wrong}");
    }
    let plain = pages::file_without_seals(3 * CHUNK);
    assert!(Pages::of_file(std::os::fd::AsRawFd::as_raw_fd(&plain)).is_err());
}

#[test]
fn host_rights_decide_what_the_program_accesses() {
    let reserved = Arc::new(Reserved::new(0, CHUNK, 0).unwrap());
    let start = reserved.range().start;
    let pages = Arc::new(Pages::new(CHUNK).unwrap());
    let mapped = Arc::new(reserved.map(start, &pages, CHUNK).unwrap());
    let block = block(vec![Arc::clone(&mapped)]);
    block.store_u32(8, 77).unwrap();
    assert!(mapped.set_host_rights(Rights::ReadWrite));
    let theirs: *mut u32 = std::ptr::with_exposed_provenance_mut(start as usize + 8);
    // SAFETY: the program may access the memory, and nothing else uses it.
    unsafe {
        assert_eq!(theirs.read_volatile(), 77);
        theirs.write_volatile(78);
    }
    assert_eq!(block.load_u32(8).unwrap(), 78);
    let rights = || crate::rights(std::slice::from_ref(&(start..start + CHUNK))).unwrap()[0];
    assert!(mapped.set_host_rights(Rights::Read) && rights() == Rights::Read);
    mapped.end();
    assert!(rights() == Rights::None && !mapped.set_host_rights(Rights::Read));
}
