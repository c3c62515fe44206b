//! Tests of blocks, their addresses, and registered host memory.

use super::*;
use crate::NearestBlock;
use crate::space::{SpaceKind, space_of};

#[test]
fn finds_inside_and_names_outside() {
    let memory = Memory::new(1 << 20);
    let (a, block) = memory.allocate(100, "a").unwrap();
    let (b, _) = memory.allocate(16, "b").unwrap();
    block.store_u32(96, 7).unwrap();
    let map = memory.map();
    let (i, offset) = map.find(a + 96, 4, 5).unwrap();
    assert_eq!(map.block(i).load_u32(offset).unwrap(), 7);
    assert_eq!(map.find(b, 16, i).unwrap(), (1, 0));
    let crossing = map.find(a + 98, 4, 0).unwrap_err();
    assert!(crossing.to_string().contains("whose end the access crosses"), "{crossing}");
    assert!(map.find(u64::MAX - 1, 8, 0).is_err());
    let named =
        format!("a (100 bytes at 0x700000000000, allocation {}), 4 bytes after", block.number());
    for (address, near) in [(a + 100, "a (100 bytes"), (a - 4, &named), (b - 8, "b (16 bytes")] {
        let error = map.find(address, 4, 0).unwrap_err().to_string();
        assert!(error.contains(near), "{error}");
    }
    assert_eq!(Memory::new(1).map().find(0, 1, 0).unwrap_err().nearest, None);
    // A search of one address agrees with one of the whole map.
    for address in [0, a - 1, a, a + 98, a + 100, b - 8, b, b + 12, b + 16, u64::MAX] {
        for len in [0, 1, 4, 100, 101, u64::MAX] {
            let found = memory.find(address, len).map(|(block, o)| (block.host_address(), o));
            let wanted = map.find(address, len, 0);
            let wanted = wanted.map(|(i, o)| (map.block(i).host_address(), o));
            assert_eq!(found, wanted, "{len} bytes at {address:#x}");
        }
    }
}

#[test]
fn constant_memory_has_its_window() {
    let memory = Memory::new(1 << 40);
    let (a, _) = memory.allocate_const(16, "c").unwrap();
    assert_eq!(space_of(a), SpaceKind::Const);
    assert_eq!(space_of(GLOBAL_BASE - 4), SpaceKind::Global);
    assert!(memory.allocate_const(CONST_END - CONST_BASE, "d").is_err());
}

#[test]
#[cfg_attr(miri, ignore = "a hundred thousand allocations")]
fn freed_addresses_are_used_again_when_a_window_is_used_up() {
    let memory = Memory::new(1 << 20);
    let (first, _) = memory.allocate_const(16, "kept").unwrap();
    let mut reused = 0;
    for _ in 0..2 * (CONST_END - CONST_BASE) / GUARD {
        let (address, _) = memory.allocate_const(16, "c").unwrap();
        assert_eq!(space_of(address), SpaceKind::Const);
        assert!(address >= after(first, 16));
        reused += u64::from(address == after(first, 16));
        assert!(memory.free(address));
    }
    assert!(reused > 2, "{reused}");
}

#[test]
fn attached_blocks_have_their_address_and_do_not_count() {
    let memory = Memory::new(100);
    let block = Arc::new(Block::new(4096, "host").unwrap());
    let at = block.host_address();
    memory.attach(at, &block).unwrap();
    assert_eq!(memory.used(), 0);
    assert!(memory.attach(at, &block).is_err());
    assert_eq!(memory.attach(at + 4095, &block).unwrap_err().other, Some((at, 4096)));
    assert_eq!(memory.attach(at - 1, &block).unwrap_err().other, Some((at, 4096)));
    assert!(memory.attach(at + 4096, &block).is_ok() && memory.attach(at - 4096, &block).is_ok());
    assert_eq!(memory.attach(u64::MAX - 1, &block).unwrap_err().other, None);
    memory.find(at + 4, 4).unwrap().0.store_u32(4, 7).unwrap();
    assert_eq!(block.load_u32(4).unwrap(), 7);
    assert!(memory.free(at) && !memory.free(at));
    assert!(memory.find(at, 1).is_err());
}

#[test]
fn foreign_memory_is_used_in_place() {
    let mut bytes = vec![1_u8; 64];
    let data = std::ptr::NonNull::new(bytes.as_mut_ptr()).unwrap();
    // SAFETY: the vector is not touched until the block is dropped.
    let block = unsafe { Block::foreign(data.add(3), 61, true, "foreign") };
    assert_eq!(block.host_address(), data.as_ptr() as u64 + 3);
    block.store_u32(0, 0x0403_0201).unwrap();
    block.store_u8(60, 9).unwrap();
    assert!(block.load_u8(61).is_err());
    drop(block);
    assert_eq!((&bytes[2..8], bytes[63]), (&[1, 1, 2, 3, 4, 1][..], 9));
}

#[test]
fn windows_of_two_devices_are_apart() {
    let windows = |i: u64| Windows {
        global: GLOBAL_BASE + (i << 20)..GLOBAL_BASE + ((i + 1) << 20),
        constant: CONST_BASE + (i << 20)..CONST_BASE + ((i + 1) << 20),
    };
    let memory = [0, 1].map(|i| Memory::with_windows(1 << 30, windows(i)));
    for i in 0..2 {
        for _ in 0..if cfg!(miri) { 5 } else { 100 } {
            let (a, _) = memory[i].allocate(5000, "a").unwrap();
            assert!(windows(i as u64).global.contains(&a) && memory[1 - i].find(a, 1).is_err());
            memory[i].free(a);
            let (c, _) = memory[i].allocate_const(16, "c").unwrap();
            assert!(windows(i as u64).constant.contains(&c));
            memory[i].free(c);
        }
        assert!(memory[i].allocate(2 << 20, "more than the window").is_err());
    }
}

#[test]
fn limit_and_free() {
    let memory = Memory::new(1000);
    let (a, _) = memory.allocate(600, "a").unwrap();
    let refused = AllocError::Limit { size: 600, available: 400 };
    assert_eq!(memory.allocate(600, "b").unwrap_err(), refused);
    assert!(memory.free(a) && !memory.free(a));
    assert!(memory.allocate(1000, "b").is_ok());
    assert!(memory.allocate(u64::MAX, "c").is_err());
}

#[test]
fn blocks_are_aligned_and_zero() {
    for size in [0, 1, 511, 512, 513, 5000] {
        let block = Block::new(size, "x").unwrap();
        assert_eq!(block.to_vec(), vec![0; size]);
        block.write(0, &vec![0xff; size]).unwrap();
        // Atomics accept only aligned numbers.
        if size >= 8 {
            assert_eq!(block.update_u64(0, |_| 1).unwrap(), u64::MAX);
        }
    }
    assert!(Block::new(usize::MAX, "x").is_none() && Block::new(usize::MAX / 2, "x").is_none());
}

#[test]
fn accesses_are_checked_and_updates_are_aligned() {
    let block = Block::new(64, "x").unwrap();
    block.store_u64(9, 0x1122_3344_5566_7788).unwrap();
    assert_eq!((block.load_u8(9).unwrap(), block.load_u32(11).unwrap()), (0x88, 0x3344_5566));
    assert!(block.load_u64(57).is_err() && block.load_u8(u64::MAX).is_err());
    assert!(block.write(64, &[]).is_ok() && block.write(65, &[]).is_err());
    assert_eq!(block.update_u32(60, |x| x + 5).unwrap(), 0);
    assert_eq!(block.update_u32(60, |x| x * 3).unwrap(), 5);
    assert_eq!(block.load_u32(60).unwrap(), 15);
    assert!(block.update_u32(61, |x| x).is_err());
}

#[test]
fn large_allocations_begin_at_large_pages() {
    let memory = Memory::new(1 << 40);
    let sizes = [1, 511, 4095, 4096, 5000, 1 << 20, 17, (1 << 20) - 1, 3 << 20, 4096, 9 << 20];
    let mut before = 0;
    for size in sizes {
        let (address, _) = memory.allocate(size, "a").unwrap();
        let align = match size {
            0..4096 => 512,
            4096..1_048_576 => 4096,
            _ => 2 << 20,
        };
        assert!(address.is_multiple_of(align), "{size} bytes at {address:#x}");
        assert!(address >= before);
        before = address + size + GUARD;
    }
    // When the window is used up, gaps are searched for, with the same alignment.
    let windows = Windows { global: GLOBAL_BASE..GLOBAL_BASE + (12 << 20), ..Windows::default() };
    let memory = Memory::with_windows(1 << 40, windows);
    let held = memory.allocate(100, "held").unwrap().0;
    for _ in 0..20 {
        let (address, _) = memory.allocate(2 << 20, "large").unwrap();
        assert!(address.is_multiple_of(2 << 20) && address > held, "{address:#x}");
        assert!(memory.free(address));
    }
    assert!(memory.allocate(11 << 20, "no room").is_err());
}

#[test]
fn freed_allocations_are_known_until_something_else_is_there() {
    let memory = Memory::new(1 << 20);
    let (a, block) = memory.allocate(100, "a").unwrap();
    let number = block.number();
    let before = memory.map();
    assert!(memory.free(a));
    assert_eq!(block.ended(), Some(End::Freed));
    let map = memory.map();
    let gone = map.freed_block(a + 99).unwrap();
    assert_eq!((gone.number, gone.size, gone.how), (number, 100, End::Freed));
    assert_eq!((map.freed_block(a + 100), map.freed_block(a - 1)), (None, None));
    let text = memory.find(a, 4).unwrap_err().to_string();
    let wanted =
        format!("4 bytes at {a:#x}: `a` (100 bytes at {a:#x}, allocation {number}) was freed");
    assert_eq!(text, wanted);
    assert!(before.find(a, 100, 0).is_ok(), "what runs goes on");
    memory.attach(a + 50, &Arc::new(Block::new(8, "host").unwrap())).unwrap();
    assert!(memory.map().freed_block(a).is_none());
}

#[test]
fn accesses_of_a_few_bytes_too_many_are_known_as_such() {
    let memory = Memory::new(1 << 20);
    let (a, _) = memory.allocate(100, "a").unwrap();
    let (c, _) = memory.allocate_const(100, "c").unwrap();
    let map = memory.map();
    let (rounded, offset) = map.find_rounded(a + 98, 4).unwrap();
    rounded.store_u32(offset, 9).unwrap();
    assert_eq!(map.find_rounded(a + 98, 4).unwrap().0.load_u32(offset).unwrap(), 9);
    assert!(map.find_rounded(a + 508, 4).is_some() && map.find_rounded(a + 509, 4).is_none());
    assert!(map.find_rounded(a + 96, 4).is_none(), "inside");
    assert!(map.find_rounded(a - 4, 4).is_none() && map.find_rounded(c + 100, 4).is_none());
}

#[test]
fn what_may_only_be_read_is_not_found_for_writing() {
    let mut bytes = vec![0_u8; 64];
    let memory = Memory::new(1 << 20);
    let data = std::ptr::NonNull::new(bytes.as_mut_ptr()).unwrap();
    // SAFETY: the vector outlives all holders of the block, and is not touched until then.
    let block = Arc::new(unsafe { Block::foreign(data, 64, false, "r") });
    let at = block.host_address();
    memory.attach(at, &block).unwrap();
    let map = memory.map();
    assert!(map.find(at, 64, 0).is_ok());
    let error = map.find_writable(at + 4, 4, 0).unwrap_err();
    let (name, number) = ("r".to_owned(), block.number());
    let nearest = NearestBlock { name, address: at, size: 64, number };
    assert_eq!((error.read_only, error.nearest), (true, Some(nearest)));
    assert!(!map.find_writable(at + 64, 4, 0).unwrap_err().read_only);
    assert!(map.find_rounded(at, 4).is_none() && map.find_rounded(at + 64, 1).is_none());
    assert!(memory.free(at));
    assert_eq!(block.ended(), Some(End::Unregistered));
}

/// Anonymous pages, which can be unmapped and made read-only.
#[cfg(all(target_os = "linux", not(miri)))]
mod pages {
    use super::*;

    const SIZE: usize = 3 * 4096;

    fn registered(memory: &Memory) -> (std::ptr::NonNull<u8>, Arc<Block>, u64) {
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: new pages at an address that the system chooses.
        let pages = unsafe { libc::mmap(std::ptr::null_mut(), SIZE, rights, flags, -1, 0) };
        assert_ne!(pages, libc::MAP_FAILED);
        let data = std::ptr::NonNull::new(pages.cast()).unwrap();
        // SAFETY: until it is unmapped, the memory is only used through blocks that a search
        // returns.
        let block = Arc::new(unsafe { Block::foreign(data, SIZE, true, "registered") });
        let at = block.host_address();
        memory.attach(at, &block).unwrap();
        (data, block, at)
    }

    #[test]
    fn a_range_that_is_unmapped_is_taken_out() {
        let memory = Memory::new(1 << 20);
        let (other, _, other_at) = registered(&memory);
        let (data, block, at) = registered(&memory);
        assert!(memory.map().find(at, 8, 0).is_ok() && memory.find(at, 8).is_ok());
        // SAFETY: nobody uses the page.
        unsafe { libc::munmap(data.as_ptr().add(4096).cast(), 4096) };
        let map = memory.map();
        assert!(map.find(at, 8, 0).is_err() && map.find(other_at, 8, 0).is_ok());
        let ended = (map.freed_block(at).unwrap().how, block.ended());
        assert_eq!(ended, (End::Unmapped, Some(End::Unmapped)));
        let unmapped = memory.take_unmapped();
        assert_eq!((unmapped.len(), unmapped[0].address), (1, Some(at)));
        assert!(memory.take_unmapped().is_empty() && !memory.free(at));
        // A search notices the unmapping, too. SAFETY: as above.
        unsafe { libc::munmap(other.as_ptr().cast(), SIZE) };
        let text = memory.find(other_at, 8).unwrap_err().to_string();
        assert!(text.ends_with("was unmapped while it was registered"), "{text}");
        // SAFETY: the remaining part of the first mapping.
        unsafe { libc::munmap(data.as_ptr().cast(), SIZE) };
    }

    /// Registered memory is in the memory of each device; only one of them is the first to notice
    /// that it is unmapped.
    #[test]
    fn what_one_device_has_found_unmapped_is_gone_on_all() {
        let (memory, other) = (Memory::new(1 << 20), Memory::new(1 << 20));
        let (data, block, at) = registered(&memory);
        other.attach(at, &block).unwrap();
        // Pages without access rights count as unmapped; unlike unmapped pages, no other mapping
        // can take their addresses during the test.
        let protect = |rights| {
            // SAFETY: nobody uses the pages.
            assert_eq!(unsafe { libc::mprotect(data.as_ptr().cast(), SIZE, rights) }, 0);
        };
        protect(libc::PROT_NONE);
        assert!(memory.map().find(at, 8, 0).is_err());
        protect(libc::PROT_READ | libc::PROT_WRITE);
        let third = Memory::new(1 << 20);
        third.attach(at, &block).unwrap();
        assert!(other.map().find(at, 8, 0).is_err() && other.find(at, 8).is_err());
        // The address can be registered again, also if no search has noticed the unmapping. SAFETY:
        // as in `registered`.
        let block = Arc::new(unsafe { Block::foreign(data, SIZE, true, "registered anew") });
        for memory in [&memory, &other, &third] {
            memory.attach(at, &block).unwrap();
            assert!(memory.map().find(at, 8, 0).is_ok());
        }
        assert!([memory, other, third].iter().all(|memory| memory.free(at)));
        // SAFETY: nobody uses the pages any more.
        unsafe { libc::munmap(data.as_ptr().cast(), SIZE) };
    }

    #[test]
    fn a_range_that_cannot_be_written_any_more_is_read() {
        let memory = Memory::new(1 << 20);
        let (data, block, at) = registered(&memory);
        // SAFETY: nobody uses the pages.
        unsafe { libc::mprotect(data.as_ptr().cast(), 4096, libc::PROT_READ) };
        let map = memory.map();
        assert!(map.find(at, 8, 0).is_ok() && map.find_writable(at + 8000, 8, 0).is_err());
        assert!(memory.find(at, 8).unwrap().0.is_read_only() && !block.is_read_only());
        // SAFETY: nobody uses the pages.
        unsafe { libc::mprotect(data.as_ptr().cast(), 4096, libc::PROT_READ | libc::PROT_WRITE) };
        assert!(memory.map().find_writable(at, 8, 0).is_ok());
        assert!(memory.free(at));
        // SAFETY: nobody uses the pages any more.
        unsafe { libc::munmap(data.as_ptr().cast(), SIZE) };
    }
}
