//! Words that lie behind each other in each lane, which code may load at once: what it loads is what loads one after the other
//! would.
#![cfg(all(target_arch = "x86_64", feature = "jit"))]
#![allow(missing_docs)]

use texunit_jit::region::{
    Access, Action, Apart, Block, End, Function, Inputs, Level, Load, Memory, Mode, Region, Sites,
    Space, Step, Store, Target, Until, Why, compile,
};
use texunit_jit::{Op, Place, Predicate, Registers, Source};
use texunit_memory::{Block as Bytes, Reach};

/// Where the table is, and how many words it has.
const TABLE: u64 = 0x1000_0000;
const WORDS: u32 = 200;
/// The parameters: where the table is.
static PARAMS: [u8; 8] = TABLE.to_le_bytes();

/// The register with the index, that of what is stored, and the first one of results.
const INDEX: u32 = 0;
const STORED: u32 = 2;
const RESULT: u32 = 3;
/// The index and what is added to it; the address.
const SUM: u32 = 1;
const ADDRESS: u32 = 0;
/// The address of the word that the index is of.
const FIRST: u32 = 1;

/// What stands between two loads.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Between {
    Nothing,
    /// A store to the word that is loaded next.
    Store,
    /// Something that is not compiled.
    Leave,
    /// The index becomes one less.
    Index,
}

/// What addresses are made of: the index and a number more, or a register and an offset.
#[derive(Clone, Copy, Debug, PartialEq)]
enum By {
    Index,
    Register,
}

const BY: [By; 2] = [By::Index, By::Register];

/// The access of a word.
fn access(by: By, site: u32, n: u32) -> Access {
    let (register, offset) = match by {
        By::Index => (ADDRESS, 0),
        By::Register => (FIRST, 4 * u64::from(n)),
    };
    let base = Some(Source::Wide(register));
    Access { space: Space::Global, size: 4, count: 1, base, offset, site, map: 0 }
}

/// Loads of so many words, and what stands before the second one.
fn region(by: By, words: u32, between: Between) -> Region {
    let mut actions = Vec::new();
    let zero = Source::Literal(0);
    for n in 0..words {
        let compute = |op, to, from| Action::Compute { op, to, from };
        if n == 1 && between == Between::Index {
            let less = [Source::Narrow(INDEX), Source::Literal(1), zero];
            actions.push(compute(Op::Sub, Place::Narrow(INDEX), less));
            let less = [Source::Wide(FIRST), Source::Literal(4_u64.wrapping_neg()), zero];
            actions.push(compute(Op::AddWide, Place::Wide(FIRST), less));
        }
        if n == 1 && between == Between::Leave {
            actions.push(Action::Leave { reads: vec![Place::Narrow(INDEX)] });
        }
        if by == By::Index {
            let sum = [Source::Narrow(INDEX), Source::Literal(n.into()), zero];
            actions.push(compute(Op::Add, Place::Narrow(SUM), sum));
            let product = [Source::Narrow(SUM), Source::Literal(4), Source::Bytes64(0)];
            actions.push(compute(Op::ProductAddU, Place::Wide(ADDRESS), product));
        }
        if n == 1 && between == Between::Store {
            let from = vec![Source::Narrow(STORED)];
            let access = access(by, words, n);
            actions.push(Action::Store(Box::new(Store { access, from })));
        }
        let to = vec![Some(Place::Narrow(RESULT + n))];
        let (access, keep) = (access(by, n, n), u64::MAX);
        actions.push(Action::Load(Box::new(Load { access, signed: false, keep, weak: true, to })));
    }
    let results = (0..words).map(|n| Place::Narrow(RESULT + n));
    let kept = results.chain([Place::Narrow(INDEX), Place::Wide(FIRST)]).collect();
    let steps = |(at, action)| Step { at, guard: Predicate::Always, counted: true, action };
    let steps: Vec<Step> = (0..).zip(actions).map(steps).collect();
    let end = End::Jump(Target::Leave(1000));
    let block = Block { at: 0, is_entry: true, joins: false, steps, end, kept };
    Region { blocks: vec![block], sites: words + 1, ..Region::default() }
}

struct Case {
    /// The lanes that run.
    mask: u32,
    mode: Mode,
    by: By,
    region: Region,
    code: Function,
    table: Bytes,
}

impl Case {
    fn new((level, by): (Level, By), mask: u32, words: u32, between: Between) -> Self {
        Self::of((level, by), mask, region(by, words, between))
    }

    fn of((level, by): (Level, By), mask: u32, region: Region) -> Self {
        let mode = if mask == u32::MAX { Mode::Live } else { Mode::Some };
        let code = compile(&region, mode, level).expect("code");
        let table = Bytes::new(4 * WORDS as usize, "table").expect("memory");
        (0..WORDS)
            .for_each(|i| table.store(4 * u64::from(i), 4, u64::from(7 * i)).expect("inside"));
        Self { mask, mode, by, region, code, table }
    }

    /// Runs it from an instruction on until it leaves before something that is not compiled: where that is.
    fn run<'m>(&'m self, sites: &mut Sites<'m>, narrow: &mut [[u32; 32]], from: u32) -> u32 {
        self.run_in(self.table.reach(TABLE), sites, narrow, from)
    }

    /// The same with a table that lies elsewhere.
    fn run_in<'m>(
        &'m self,
        table: Reach<'m>,
        sites: &mut Sites<'m>,
        narrow: &mut [[u32; 32]],
        from: u32,
    ) -> u32 {
        let first = narrow[INDEX as usize].map(|i| TABLE + 4 * u64::from(i));
        let mut wide = [[0; 32], first];
        let mut at = from;
        loop {
            let inputs = Inputs { bytes: &PARAMS, ..Inputs::default() };
            let entry = self.code.entry_of(self.mode, at).expect("an entry");
            let mut running = self.code.with(inputs, sites).expect("inputs");
            let registers = Registers { narrow, wide: &mut wide, predicates: &mut [], rows: &[] };
            let memory = Memory { shared: &mut [], local: &mut [], frame: 0..0 };
            let until =
                Until { steps: u64::MAX, meets: u32::MAX, atomics: 0, apart: Apart::default() };
            let left = running.run(registers, memory, (self.mask, u32::MAX), entry, until);
            let left = left.expect("files");
            at = left.at;
            let Why::Site(site) = left.why else { return at };
            self.code.fill(sites, site, table, &PARAMS);
            self.interpret(at, narrow, &wide);
            at += 1;
        }
    }

    /// Makes the access of an instruction.
    fn interpret(&self, at: u32, narrow: &mut [[u32; 32]], wide: &[[u64; 32]; 2]) {
        for lane in (0..32).filter(|lane| self.mask >> lane & 1 != 0) {
            let at_word = |access: &Access| match self.by {
                By::Index if access.base == Some(Source::Wide(ADDRESS)) => {
                    wide[ADDRESS as usize][lane] - TABLE
                }
                _ => wide[FIRST as usize][lane] + access.offset - TABLE,
            };
            match &self.region.blocks[0].steps[at as usize].action {
                Action::Load(load) => {
                    let Some(Place::Narrow(to)) = load.to[0] else { unreachable!() };
                    let word = self.table.load(at_word(&load.access), 4).expect("inside");
                    narrow[to as usize][lane] = word as u32;
                }
                Action::Store(store) => {
                    let value = narrow[STORED as usize][lane];
                    self.table.store(at_word(&store.access), 4, value.into()).expect("inside");
                }
                _ => unreachable!(),
            }
        }
    }
}

/// Indices in no order, below a number.
fn indices(below: u32, seed: u32) -> [u32; 32] {
    std::array::from_fn(|lane| (lane as u32 * 617 + seed * 31) % below)
}

fn files(index: [u32; 32]) -> Vec<[u32; 32]> {
    let mut narrow = vec![[0; 32]; 9];
    narrow[INDEX as usize] = index;
    narrow[STORED as usize] = std::array::from_fn(|lane| 1000 + lane as u32);
    narrow
}

fn each_level(check: impl Fn((Level, By))) {
    let levels = [Level::Avx512, Level::Avx2].into_iter().filter(|level| level.is_available());
    levels.flat_map(|level| BY.map(|by| (level, by))).for_each(check);
}

const MASKS: [u32; 4] = [u32::MAX, 0x8000_ff01, 0x0000_ff00, 1];

#[test]
fn words_are_those_that_lie_there() {
    each_level(|level| {
        for (words, mask) in (1..=6).flat_map(|words| MASKS.map(|mask| (words, mask))) {
            let case = Case::new(level, mask, words, Between::Nothing);
            let mut sites = case.code.sites();
            // Up to the last words of the table.
            for seed in 0..3 {
                let index = indices(WORDS - words + 1, seed);
                let mut narrow = files(index);
                assert_eq!(case.run(&mut sites, &mut narrow, 0), 1000);
                for n in 0..words {
                    let row = narrow[(RESULT + n) as usize];
                    for lane in 0..32 {
                        let loaded = if mask >> lane & 1 != 0 { 7 * (index[lane] + n) } else { 0 };
                        assert_eq!(row[lane], loaded, "{level:?}, {mask:#x}, {n} of {words}");
                    }
                }
            }
        }
    });
}

#[test]
fn what_is_stored_between_them_is_loaded() {
    each_level(|level| {
        for mask in MASKS {
            let case = Case::new(level, mask, 4, Between::Store);
            let mut sites = case.code.sites();
            // Again with the sites of all accesses.
            for seed in [0, 1] {
                let index: [u32; 32] = std::array::from_fn(|lane| 5 * ((lane as u32 + seed) % 32));
                let mut narrow = files(index);
                assert_eq!(case.run(&mut sites, &mut narrow, 0), 1000);
                let stored = narrow[STORED as usize];
                for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
                    assert_eq!(
                        narrow[RESULT as usize + 1][lane],
                        stored[lane],
                        "{level:?}, {mask:#x}"
                    );
                    assert_eq!(narrow[RESULT as usize + 2][lane], 7 * (index[lane] + 2));
                }
            }
        }
    });
}

#[test]
fn an_index_that_changes_is_another_one() {
    each_level(|level| {
        for mask in MASKS {
            let case = Case::new(level, mask, 4, Between::Index);
            let mut sites = case.code.sites();
            // Again with the sites of all loads.
            for seed in [3, 4] {
                let index = indices(WORDS - 4, seed).map(|i| i + 1);
                let mut narrow = files(index);
                assert_eq!(case.run(&mut sites, &mut narrow, 0), 1000);
                for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
                    let loaded = [0, 1, 2, 3].map(|n| narrow[RESULT as usize + n][lane] / 7);
                    let i = index[lane];
                    assert_eq!(loaded, [i, i, i + 1, i + 2], "{level:?}, {mask:#x}");
                }
            }
        }
    });
}

/// Another warp enters behind the first load, where words of this one are in the frame.
#[test]
fn whoever_enters_between_them_loads_its_own() {
    each_level(|level| {
        for mask in MASKS {
            let case = Case::new(level, mask, 4, Between::Leave);
            let mut sites = case.code.sites();
            let mut others: Vec<_> = (0..4).map(|seed| files(indices(WORDS - 4, seed))).collect();
            let left: Vec<u32> =
                others.iter_mut().map(|narrow| case.run(&mut sites, narrow, 0)).collect();
            for (narrow, left) in others.iter_mut().zip(left) {
                assert_eq!(case.run(&mut sites, narrow, left + 1), 1000);
                for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
                    let loaded = [0, 1, 2, 3].map(|n| narrow[RESULT as usize + n][lane] / 7);
                    let i = narrow[INDEX as usize][lane];
                    assert_eq!(loaded, [i, i + 1, i + 2, i + 3], "{level:?}, {mask:#x}");
                }
            }
        }
    });
}

/// The same where it is entered behind a load that had no site.
#[test]
fn whoever_has_no_site_yet_loads_its_own() {
    each_level(|level| {
        let case = Case::new(level, u32::MAX, 4, Between::Nothing);
        let (mut first, mut then) = (files(indices(WORDS - 4, 1)), files(indices(WORDS - 4, 2)));
        let mut sites = case.code.sites();
        // The sites of all.
        assert_eq!(case.run(&mut sites, &mut first, 0), 1000);
        // Its words are in the frame.
        assert_eq!(case.run(&mut sites, &mut first, 0), 1000);
        // As when somebody else has done the first load.
        let steps = &case.region.blocks[0].steps;
        let is_load = |step: &Step| matches!(step.action, Action::Load(_));
        let first_load = steps.iter().position(is_load).expect("a load") as u32;
        assert_eq!(case.run(&mut sites, &mut then, first_load + 1), 1000);
        for (lane, i) in then[INDEX as usize].into_iter().enumerate() {
            let loaded = [1, 2, 3].map(|n| then[RESULT as usize + n][lane] / 7);
            assert_eq!(loaded, [i + 1, i + 2, i + 3], "{level:?}");
        }
    });
}

/// What lies behind the table cannot be read; a group of three words loads four, but not there.
#[cfg(unix)]
#[test]
#[allow(unsafe_code, reason = "a page that cannot be read")]
fn nothing_behind_the_table_is_read() {
    const PAGE: usize = 4096;
    let mut pages = memmap2::MmapMut::map_anon(2 * PAGE).expect("memory");
    let table = PAGE - 4 * WORDS as usize;
    for (i, word) in (0..WORDS).zip(pages[table..PAGE].chunks_exact_mut(4)) {
        word.copy_from_slice(&(7 * i).to_le_bytes());
    }
    // SAFETY: the second page is of this mapping alone, and nothing below looks at it.
    let done = unsafe { libc::mprotect(pages[PAGE..].as_mut_ptr().cast(), PAGE, libc::PROT_NONE) };
    assert_eq!(done, 0);
    let reach = Reach::of_bytes(TABLE, &pages[table..PAGE]);
    each_level(|level| {
        for mask in MASKS {
            let case = Case::new(level, mask, 3, Between::Nothing);
            let mut sites = case.code.sites();
            for last in [WORDS - 3, WORDS - 4, WORDS - 3] {
                let mut index = indices(WORDS - 3, 5);
                let lane = mask.trailing_zeros() as usize;
                index[lane] = last;
                let mut narrow = files(index);
                assert_eq!(case.run_in(reach, &mut sites, &mut narrow, 0), 1000);
                let loaded = [0, 1, 2].map(|n| narrow[RESULT as usize + n][lane] / 7);
                assert_eq!(loaded, [last, last + 1, last + 2], "{level:?}, {mask:#x}");
            }
        }
    });
}

/// A load that is a word of one group is the first one of those with its base: what these know of another warp is forgotten.
#[test]
fn groups_by_a_base_look_again() {
    for level in [Level::Avx512, Level::Avx2].into_iter().filter(|level| level.is_available()) {
        for mask in MASKS {
            let zero = Source::Literal(0);
            let compute = |op, to, from| Action::Compute { op, to, from };
            let base = |register| Some(Source::Wide(register));
            let mut actions = vec![
                compute(
                    Op::Sub,
                    Place::Narrow(SUM),
                    [Source::Narrow(INDEX), Source::Literal(1), zero],
                ),
                compute(
                    Op::ProductAddU,
                    Place::Wide(ADDRESS),
                    [Source::Narrow(SUM), Source::Literal(4), Source::Bytes64(0)],
                ),
            ];
            // Words -1, 0, 1, 2 by the index, and 0 to 3 by one base.
            let loads = [(ADDRESS, 0), (FIRST, 0), (FIRST, 4), (FIRST, 8), (FIRST, 12)];
            for (n, (register, offset)) in (0..).zip(loads) {
                if n == 1 {
                    actions.push(compute(
                        Op::ProductAddU,
                        Place::Wide(FIRST),
                        [Source::Narrow(INDEX), Source::Literal(4), Source::Bytes64(0)],
                    ));
                }
                let access = Access {
                    space: Space::Global,
                    size: 4,
                    count: 1,
                    base: base(register),
                    offset,
                    site: n,
                    map: 0,
                };
                let (keep, to) = (u64::MAX, vec![Some(Place::Narrow(RESULT + n))]);
                let load = Load { access, signed: false, keep, weak: true, to };
                actions.push(Action::Load(Box::new(load)));
            }
            let kept = (0..5).map(|n| Place::Narrow(RESULT + n)).collect();
            let step = |(at, action)| Step { at, guard: Predicate::Always, counted: true, action };
            let steps = (0..).zip(actions).map(step).collect();
            let end = End::Jump(Target::Leave(1000));
            let block = Block { at: 0, is_entry: true, joins: false, steps, end, kept };
            let region = Region { blocks: vec![block], sites: 5, ..Region::default() };
            let case = Case::of((level, By::Index), mask, region);
            let mut sites = case.code.sites();
            // All at one place, and then anywhere.
            for index in [
                [8; 32],
                indices(WORDS - 5, 1).map(|i| i + 1),
                [9; 32],
                indices(WORDS - 5, 2).map(|i| i + 1),
            ] {
                let mut narrow = files(index);
                assert_eq!(case.run(&mut sites, &mut narrow, 0), 1000);
                for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
                    let loaded = [0, 1, 2, 3, 4].map(|n| narrow[RESULT as usize + n][lane] / 7);
                    let i = index[lane];
                    assert_eq!(loaded, [i - 1, i, i + 1, i + 2, i + 3], "{level:?}, {mask:#x}");
                }
            }
        }
    }
}
