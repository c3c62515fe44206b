//! Virtual memory management: random sequences of calls on two devices, compared with a model of
//! pages.
//!
//! For each page of 2 MiB the model has its reservation, mapping and access rights, and for each
//! page of memory two words. They determine the result of a call and the contents of memory.

// Unsafe code is allowed here, because the tests call C functions as programs do.
#![allow(unsafe_code, clippy::unwrap_used)]

mod common;

use common::*;
use std::collections::{BTreeMap, BTreeSet};
use texunit_cuda_abi::{CUmemAccessDesc, CUmemAllocationProp, CUmemLocation, CUresult};
use texunit_testkit::Random;

functions! {
    cuMemRetainAllocationHandle(handle: *mut u64, p: Ptr);
    cuMemImportFromShareableHandle(handle: *mut u64, file: usize, kind: u32);
}

const PAGE: u64 = 2 << 20;
const SEQUENCES: u64 = 500;
const CALLS: usize = 100;
const OK: CUresult = CUresult::SUCCESS;
const INVALID: CUresult = CUresult::INVALID_VALUE;

/// An allocation of cuMemCreate; imported memory shares its words with the exported allocation.
struct Memory {
    /// Number of uses of the handle.
    users: usize,
    pages: u64,
    device: i32,
    is_shared: bool,
    is_counted: bool,
    /// Index of its words.
    words: usize,
}

#[derive(Clone)]
struct Mapping {
    pages: u64,
    handle: u64,
    access: [u32; 2],
}

#[derive(Default)]
struct Model {
    /// Number of pages, by the first page.
    reservations: BTreeMap<u64, u64>,
    mappings: BTreeMap<u64, Mapping>,
    memories: BTreeMap<u64, Memory>,
    /// For each page of memory its first and last word.
    words: Vec<Vec<[u32; 2]>>,
    /// Number of successful calls, by function.
    done: BTreeMap<&'static str, u32>,
}

fn prop(device: i32, handle_types: u32) -> CUmemAllocationProp {
    CUmemAllocationProp {
        kind: 1,
        requested_handle_types: handle_types,
        location: CUmemLocation { kind: 1, id: device },
        ..CUmemAllocationProp::default()
    }
}

/// Used bytes of the current device.
fn in_use() -> u64 {
    let (mut free, mut total) = (0, 0);
    ok!(cuMemGetInfo_v2(&raw mut free, &raw mut total));
    (total - free) as u64
}

impl Model {
    /// The mapping of a page, and the index of the page in it.
    fn at(&self, page: u64) -> Option<(&Mapping, u64)> {
        let (&start, mapping) = self.mappings.range(..=page).next_back()?;
        (page - start < mapping.pages).then_some((mapping, page - start))
    }

    fn count(&mut self, what: &'static str, is_done: bool) {
        *self.done.entry(what).or_default() += u32::from(is_done);
    }

    /// Whether mappings fill a range completely.
    fn is_whole(&self, first: u64, pages: u64) -> bool {
        let mut at = first;
        while at < first + pages {
            let Some(mapping) = self.mappings.get(&at) else { return false };
            at += mapping.pages;
        }
        pages > 0 && at == first + pages
    }

    fn is_reserved(&self, first: u64, pages: u64) -> bool {
        let below = self.reservations.range(..=first).next_back();
        below.is_some_and(|(&start, &count)| first + pages <= start + count)
    }

    /// Whether one device has these access rights to all pages of a range.
    fn reaches(&self, first: u64, last: u64, flags: u32) -> bool {
        let reaches = |device: usize, page| {
            let of = |(mapping, _): (&Mapping, u64)| mapping.access[device] & flags == flags;
            self.at(page).is_some_and(of)
        };
        // An access must be in one range of equal rights: a writable range ends before read-only
        // pages.
        let same = |device: usize| {
            let of = |page| self.at(page).map(|(mapping, _)| mapping.access[device]);
            of(first) == of(last)
        };
        (0..2).any(|d| (first..=last).all(|page| reaches(d, page)) && same(d))
    }

    fn word(&mut self, page: u64, which: usize) -> &mut u32 {
        let (mapping, i) = self.at(page).unwrap();
        let words = self.memories[&mapping.handle].words;
        &mut self.words[words][i as usize][which]
    }

    /// Used bytes of a device: memory that has handles or is mapped.
    fn counted(&self, device: i32) -> u64 {
        let is_mapped = |handle| self.mappings.values().any(|mapping| mapping.handle == handle);
        let counts = |of: &(&u64, &Memory)| {
            let (&handle, memory) = *of;
            memory.device == device && memory.is_counted && (memory.users > 0 || is_mapped(handle))
        };
        self.memories.iter().filter(counts).map(|(_, memory)| memory.pages * PAGE).sum()
    }

    /// Removes memory without handles and mappings.
    fn forget(&mut self) {
        let mapped: BTreeSet<u64> = self.mappings.values().map(|mapping| mapping.handle).collect();
        self.memories.retain(|handle, memory| memory.users > 0 || mapped.contains(handle));
    }

    /// A random page for a call.
    fn some_page(&self, random: &mut Random) -> u64 {
        let all: Vec<(u64, u64)> = self.reservations.iter().map(|(&a, &b)| (a, b)).collect();
        match all.is_empty() || random.one_in(40) {
            true => random.of(&[1, 0x7000_0000_0000 / PAGE, 0x0300_0000_0000 / PAGE]),
            false => {
                let (start, pages) = random.of(&all);
                start + random.below(pages + 1)
            }
        }
    }

    fn some_handle(&self, random: &mut Random) -> u64 {
        let all: Vec<u64> = self.memories.keys().copied().collect();
        if all.is_empty() || random.one_in(30) { 0x1234 } else { random.of(&all) }
    }

    fn has_handle(&self, handle: u64) -> bool {
        self.memories.get(&handle).is_some_and(|memory| memory.users > 0)
    }

    fn reserve(&mut self, random: &mut Random) {
        let pages = random.within(1..=8_u64);
        let last = self.reservations.iter().next_back().map(|(&start, &pages)| start + pages);
        let wanted = last.filter(|_| random.chance(50)).unwrap_or(0) * PAGE;
        let align = random.of(&[0, 0, PAGE, 4 * PAGE, 3]);
        let (mut at, size) = (0, (pages * PAGE) as usize);
        // SAFETY: the pointer is to a local variable.
        let answer = unsafe { cuMemAddressReserve(&raw mut at, size, align as usize, wanted, 0) };
        if align == 3 {
            return assert_eq!(answer, INVALID);
        }
        assert_eq!(answer, OK);
        assert!(at.is_multiple_of(align.max(PAGE)));
        let first = at / PAGE;
        let meets = |(&start, &count): (&u64, &u64)| start < first + pages && first < start + count;
        assert!(!self.reservations.iter().any(meets), "addresses are given out once");
        self.reservations.insert(first, pages);
    }

    fn free(&mut self, random: &mut Random) {
        let page = self.some_page(random);
        let pages = self.reservations.get(&page).copied();
        let wrong = random.one_in(4);
        let size = pages.unwrap_or(1) + u64::from(wrong);
        let is_used = self.mappings.range(page..page + pages.unwrap_or(0)).next().is_some();
        let is_right = pages.is_some() && !wrong && !is_used;
        // SAFETY: the call takes no pointers.
        let answer = unsafe { cuMemAddressFree(page * PAGE, (size * PAGE) as usize) };
        assert_eq!(answer, if is_right { OK } else { INVALID }, "{page:#x} {size}");
        if is_right {
            self.reservations.remove(&page);
        }
    }

    fn create(&mut self, random: &mut Random) {
        let (pages, device) = (random.within(1..=4_u64), random.below(2_u32) as i32);
        let is_shared = random.one_in(3);
        let odd = u64::from(random.one_in(10));
        let (mut handle, prop) = (0, prop(device, is_shared.into()));
        let size = (pages * PAGE + odd) as usize;
        // SAFETY: the pointers are to local variables.
        let answer = unsafe { cuMemCreate(&raw mut handle, size, &raw const prop, 0) };
        assert_eq!(answer, if odd == 0 { OK } else { INVALID });
        if odd == 0 {
            let words = self.words.len();
            self.words.push(vec![[0; 2]; pages as usize]);
            let memory = Memory { users: 1, pages, device, is_shared, is_counted: true, words };
            assert!(self.memories.insert(handle, memory).is_none(), "handles are given out once");
        }
    }

    fn release(&mut self, random: &mut Random) {
        let handle = self.some_handle(random);
        // SAFETY: the call takes no pointers.
        let answer = unsafe { cuMemRelease(handle) };
        assert_eq!(answer, if self.has_handle(handle) { OK } else { INVALID });
        if let Some(memory) = self.memories.get_mut(&handle) {
            memory.users = memory.users.saturating_sub(1);
        }
        self.forget();
    }

    fn map(&mut self, random: &mut Random) {
        let (page, handle) = (self.some_page(random), self.some_handle(random));
        let whole = self.memories.get(&handle).map_or(1, |memory| memory.pages);
        let pages = if random.one_in(3) { random.within(1..=whole + 1) } else { whole };
        let free = (page..page + pages).all(|page| self.at(page).is_none());
        let is_right =
            self.has_handle(handle) && pages <= whole && free && self.is_reserved(page, pages);
        // SAFETY: the call takes no pointers.
        let answer = unsafe { cuMemMap(page * PAGE, (pages * PAGE) as usize, 0, handle, 0) };
        assert_eq!(answer, if is_right { OK } else { INVALID }, "{page:#x} {pages}");
        self.count("map", is_right);
        if is_right {
            self.mappings.insert(page, Mapping { pages, handle, access: [0; 2] });
        }
    }

    /// A random range, often one filled by mappings.
    fn some_range(&self, random: &mut Random) -> (u64, u64) {
        let all: Vec<u64> = self.mappings.keys().copied().collect();
        if all.is_empty() || random.one_in(6) {
            return (self.some_page(random), random.within(0..=3_u64));
        }
        let first = random.of(&all);
        let mut pages = self.mappings[&first].pages;
        while random.one_in(2)
            && let Some(next) = self.mappings.get(&(first + pages))
        {
            pages += next.pages;
        }
        (first, if random.one_in(8) { pages + 1 } else { pages })
    }

    fn unmap(&mut self, random: &mut Random) {
        let (first, pages) = self.some_range(random);
        let is_right = self.is_whole(first, pages);
        // SAFETY: the call takes no pointers.
        let answer = unsafe { cuMemUnmap(first * PAGE, (pages * PAGE) as usize) };
        assert_eq!(answer, if is_right { OK } else { INVALID }, "{first:#x} {pages}");
        self.count("unmap", is_right);
        if is_right {
            self.mappings.retain(|start, _| !(first..first + pages).contains(start));
            self.forget();
        }
    }

    fn set_access(&mut self, random: &mut Random) {
        let (first, pages) = self.some_range(random);
        let mut wanted = Vec::new();
        for _ in 0..random.within(1..=3_u32) {
            let flags = random.of(&[0, 1, 3, 3, 3, 3]);
            wanted.push((random.below(2_u32) as usize, flags));
        }
        let odd = random.one_in(20);
        let desc: Vec<_> = wanted
            .iter()
            .map(|&(device, flags)| CUmemAccessDesc {
                location: CUmemLocation { kind: 1, id: device as i32 },
                flags: if odd { 2 } else { flags },
            })
            .collect();
        let is_right = self.is_whole(first, pages) && !odd;
        let size = (pages * PAGE) as usize;
        // SAFETY: the array has this many elements.
        let answer = unsafe { cuMemSetAccess(first * PAGE, size, desc.as_ptr(), desc.len()) };
        assert_eq!(answer, if is_right { OK } else { INVALID }, "{first:#x} {pages}");
        self.count("access", is_right);
        if is_right {
            for (_, mapping) in self.mappings.range_mut(first..first + pages) {
                wanted.iter().for_each(|&(device, flags)| mapping.access[device] = flags);
            }
        }
    }

    fn questions(&mut self, random: &mut Random) {
        let page = self.some_page(random);
        let device = random.below(2_u32) as usize;
        let location = CUmemLocation { kind: 1, id: device as i32 };
        let (mut flags, mut handle) = (99, 0);
        let address = page * PAGE + random.below(PAGE);
        let found = self.at(page).map(|(mapping, i)| (mapping.clone(), page - i));
        // SAFETY: the pointers are to local variables.
        let answer = unsafe { cuMemGetAccess(&raw mut flags, &raw const location, address) };
        let Some((mapping, first)) = found else {
            assert_eq!(answer, INVALID);
            // SAFETY: the pointer is to a local variable; the driver checks the address.
            let answer = unsafe { cuMemRetainAllocationHandle(&raw mut handle, address as Ptr) };
            return assert_eq!(answer, INVALID);
        };
        assert_eq!((answer, flags), (OK, mapping.access[device].into()));
        let (mut base, mut size) = (0, 0);
        ok!(cuMemGetAddressRange_v2(&raw mut base, &raw mut size, address));
        assert_eq!((base / PAGE, size as u64 / PAGE), (first, mapping.pages));
        if random.one_in(2) {
            ok!(cuMemRetainAllocationHandle(&raw mut handle, address as Ptr));
            assert_eq!(handle, mapping.handle);
            let memory = self.memories.get_mut(&handle).unwrap();
            memory.users += 1;
            let mut prop = CUmemAllocationProp::default();
            ok!(cuMemGetAllocationPropertiesFromHandle(&raw mut prop, handle));
            assert_eq!(prop, self::prop(memory.device, memory.is_shared.into()));
        }
    }

    fn share(&mut self, random: &mut Random) {
        let handle = self.some_handle(random);
        let (mut file, mut other) = (-1, 0);
        // SAFETY: the pointer is to a local variable.
        let answer = unsafe { cuMemExportToShareableHandle(&raw mut file, handle, 1, 0) };
        let is_right = self.has_handle(handle) && self.memories[&handle].is_shared;
        assert_eq!(answer, if is_right { OK } else { INVALID });
        self.count("share", is_right);
        if is_right {
            ok!(cuMemImportFromShareableHandle(&raw mut other, file as usize, 1));
            // SAFETY: the file belongs to the caller.
            unsafe { libc::close(file) };
            let Memory { pages, device, words, .. } = self.memories[&handle];
            let memory =
                Memory { users: 1, pages, device, is_shared: true, is_counted: false, words };
            assert!(self.memories.insert(other, memory).is_none());
        }
    }

    /// Writes and reads the words at the border of two pages, or in one page.
    fn copies(&mut self, random: &mut Random) {
        let page = self.some_page(random);
        let spans = random.one_in(2);
        // The last word of a page and the first of the next one, or only the first word of a page.
        let last = page + u64::from(spans);
        let address = if spans { last * PAGE - 4 } else { page * PAGE };
        let values = [random.u32(), random.u32()];
        let size = if spans { 8 } else { 4 };
        let may_write = self.reaches(page, last, 2);
        // SAFETY: the host buffer has eight bytes.
        let answer = unsafe { cuMemcpyHtoD_v2(address, values.as_ptr().cast(), size) };
        assert_eq!(answer, if may_write { OK } else { INVALID }, "{address:#x}");
        if may_write && spans {
            *self.word(page, 1) = values[0];
            *self.word(last, 0) = values[1];
        } else if may_write {
            *self.word(page, 0) = values[0];
        }
        let mut found = [0_u32; 2];
        // SAFETY: `found` has `size` bytes, as at most two words are copied; the driver checks the
        // device address.
        let answer = unsafe { cuMemcpyDtoH_v2(found.as_mut_ptr().cast(), address, size) };
        let may_read = self.reaches(page, last, 1);
        assert_eq!(answer, if may_read { OK } else { INVALID }, "{address:#x}");
        if may_read && spans {
            assert_eq!(found, [*self.word(page, 1), *self.word(last, 0)]);
        } else if may_read {
            assert_eq!(found[0], *self.word(page, 0));
        }
        self.count("copy over a border", may_write && may_read && spans);
        let other = self.some_page(random);
        // SAFETY: the addresses are device addresses.
        let answer = unsafe { cuMemcpyDtoD_v2(other * PAGE, page * PAGE, 4) };
        let may = self.reaches(page, page, 1) && self.reaches(other, other, 2);
        assert_eq!(answer, if may { OK } else { INVALID });
        if may {
            *self.word(other, 0) = *self.word(page, 0);
        }
    }

    fn end(&mut self) {
        for (&page, mapping) in &self.mappings {
            ok!(cuMemUnmap(page * PAGE, (mapping.pages * PAGE) as usize));
        }
        for (&handle, memory) in &self.memories {
            (0..memory.users).for_each(|_| ok!(cuMemRelease(handle)));
        }
        for (&page, &pages) in &self.reservations {
            ok!(cuMemAddressFree(page * PAGE, (pages * PAGE) as usize));
        }
    }
}

#[test]
fn random_sequences_are_as_a_model_of_pages() {
    // SAFETY: the only test of this program; the library reads it once.
    unsafe { std::env::set_var("TEXUNIT_DEVICE", "sm_86,sm_80") };
    context();
    let before = in_use();
    let mut done = BTreeMap::<&str, u32>::new();
    for sequence in 0..SEQUENCES {
        let mut random = Random::of_item(20_261_129, sequence);
        let mut model = Model::default();
        model.reserve(&mut random);
        for _ in 0..CALLS {
            match random.below(20_u32) {
                0..=1 => model.reserve(&mut random),
                2 => model.free(&mut random),
                3..=5 => model.create(&mut random),
                6 => model.release(&mut random),
                7..=10 => model.map(&mut random),
                11 => model.unmap(&mut random),
                12..=14 => model.set_access(&mut random),
                15 => model.questions(&mut random),
                16 => model.share(&mut random),
                _ => model.copies(&mut random),
            }
            assert_eq!(in_use() - before, model.counted(0));
        }
        model.end();
        assert_eq!(in_use(), before, "sequence {sequence}");
        model.done.iter().for_each(|(&what, count)| *done.entry(what).or_default() += count);
    }
    // Each kind of call has succeeded often enough, so that the test is not only about refusals.
    assert!(done.len() == 5 && done.values().all(|&count| count > 50), "{done:?}");
}
