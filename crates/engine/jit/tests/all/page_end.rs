//! Tests parameters that end at the end of a mapping: code must not read beyond them.
#![cfg(all(unix, target_arch = "x86_64", feature = "jit"))]
#![allow(unsafe_code, reason = "a page that cannot be read")]

use memmap2::MmapMut;
use texunit_jit::region::{
    Access, Action, Block, End, ExitReason, Inputs, Level, Load, Mode, Region, Space, Step, compile,
};
use texunit_jit::{Predicate, Registers, Source, VReg};
use texunit_memory::Reach;

const PAGE: usize = 4096;
/// The device address of the parameters, for accesses by address.
const WINDOW: u64 = 0x1000_0000;
/// The number of bytes of parameters.
const LEN: u64 = 66;

/// A region with one load of the last bytes.
fn region(space: Space, base: Option<Source>, offset: u64, (size, count): (u8, u8)) -> Region {
    let to: Vec<_> = (0..u32::from(count)).map(|i| Some(VReg::B32(i))).collect();
    let access = Access { space, size, count, base, offset, site: 0, map: 0 };
    let kept = to.iter().flatten().copied().collect();
    let action = Action::Load(Box::new(Load { access, signed: false, keep: u64::MAX, to }));
    let steps = vec![Step { at: 0, guard: Predicate::Always, counted: true, action }];
    let end = End::Leave { at: 1 };
    let block = Block { at: 0, is_entry: true, joins: false, steps, end, kept };
    Region { blocks: vec![block], sites: 1, ..Region::default() }
}

/// Runs the region, and again after filling its site. Returns the registers, or `None` if the
/// region exits because the interpreter must execute the load.
fn run(region: &Region, level: Level, addresses: [u64; 32], bytes: &[u8]) -> Option<[u32; 32]> {
    let code = compile(region, Mode::Live, level).expect("code");
    let mut sites = code.sites();
    let mut narrow = [[0; 32]; 4];
    let mut why = None;
    for _ in 0..2 {
        let inputs = Inputs { bytes, ..Inputs::default() };
        let mut running = code.with(inputs, &mut sites).expect("inputs");
        let mut wide = [addresses];
        let registers =
            Registers { narrow: &mut narrow, wide: &mut wide, predicates: &mut [], per_lane: &[] };
        let entry = code.entry(0).expect("an entry");
        let left = crate::run(&mut running, registers, (u32::MAX, u32::MAX), entry);
        why = left.map(|left| (left.why, left.at));
        if let Some((ExitReason::Site(site), _)) = why {
            code.fill(&mut sites, site, Reach::of_bytes(WINDOW, bytes), bytes);
        }
    }
    (why == Some((ExitReason::Instruction, 1))).then_some(narrow[0])
}

#[test]
fn nothing_behind_the_parameters_is_read() {
    let mut pages = MmapMut::map_anon(2 * PAGE).expect("memory");
    (0..PAGE).for_each(|i| pages[i] = (i % 251) as u8);
    // SAFETY: the second page belongs to this mapping only, and the test never accesses it.
    let done = unsafe { libc::mprotect(pages[PAGE..].as_mut_ptr().cast(), PAGE, libc::PROT_NONE) };
    assert_eq!(done, 0);
    let bytes = &pages[PAGE - LEN as usize..PAGE];
    let levels = [Level::Avx2, Level::Avx512];
    for level in levels.into_iter().filter(|level| level.is_available()) {
        let mut loaded = 0;
        for (size, count) in [(1, 1), (2, 1), (1, 2)] {
            let total = u64::from(size * count);
            let last = LEN - total;
            let word = |at: u64| {
                let bytes = &bytes[at as usize..][..usize::from(size)];
                bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | u32::from(byte))
            };
            let row: [u64; 32] = std::array::from_fn(|i| LEN - 32 * total + total * i as u64);
            let scattered: [u64; 32] = std::array::from_fn(|i| last - total * (5 * i as u64 % 31));
            let base = Some(Source::B64(0));
            let cases = [
                (region(Space::Param, None, last, (size, count)), [last; 32]),
                (
                    region(Space::Global, Some(Source::Literal(WINDOW)), last, (size, count)),
                    [last; 32],
                ),
                (region(Space::Global, base, 0, (size, count)), [last; 32]),
                (region(Space::Global, base, 0, (size, count)), row),
                (region(Space::Global, base, 0, (size, count)), scattered),
            ];
            for (region, at) in cases {
                if let Some(found) = run(&region, level, at.map(|at| WINDOW + at), bytes) {
                    assert_eq!(found, at.map(word), "{level:?}, {size} x {count}, {region:?}");
                    loaded += 1;
                }
            }
        }
        assert!(loaded == 15, "{level:?}: only {loaded} were loaded");
    }
}
