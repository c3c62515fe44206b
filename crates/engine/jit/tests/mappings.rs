//! Tests the memory of compiled code: no mapping is writable and executable at once, and mappings
//! of dropped functions are freed.
#![cfg(all(target_os = "linux", target_arch = "x86_64", feature = "jit"))]
#![allow(missing_docs)]

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use texunit_jit::region::{
    Action, Block, DivergenceLimits, End, Function, Inputs, Level, Mode, Region, Resume, Step,
    WarpStart, compile,
};
use texunit_jit::{Op, Predicate, Registers, Source, VReg};
use texunit_testkit::{Random, skipped};

/// Held by the running test, because the tests count the mappings of the whole process.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Compiles a function that adds a number to a register `times` times.
fn function(number: u32, times: usize, level: Level) -> Function {
    let add = Action::Compute {
        op: Op::Add,
        to: VReg::B32(0),
        from: [Source::B32(0), Source::Literal(number.into()), Source::Literal(0)],
    };
    let step = Step { at: 0, guard: Predicate::Always, counted: true, action: add };
    let block = Block {
        at: 0,
        is_entry: true,
        joins: false,
        steps: vec![step; times],
        end: End::Leave { at: 1 },
        kept: HashSet::from([VReg::B32(0)]),
    };
    compile(&Region { blocks: vec![block], ..Region::default() }, Mode::Live, level).expect("code")
}

fn run(function: &Function) -> u32 {
    let mut narrow = [[7; 32]; 1];
    let registers =
        Registers { narrow: &mut narrow, wide: &mut [], predicates: &mut [], per_lane: &[] };
    let (mask, live, limit) = (u32::MAX, u32::MAX, u64::MAX);
    let start = WarpStart { mask, live, limit, ..WarpStart::default() };
    let inputs = Inputs::default();
    let mut sites = function.sites();
    let mut running = function.with(inputs, &mut sites).expect("inputs");
    let entry = function.entry(0).expect("an entry");
    let mut table = running.table(Mode::Live, &mut [], u32::MAX, DivergenceLimits::default());
    assert!(table.add(registers, &mut [], 0..0, start), "files");
    let _ = table.run(0..1, Resume::Entry(entry), u32::MAX);
    narrow[0][31]
}

/// The mappings that are both writable and executable, and the number of anonymous executable
/// mappings.
fn mappings() -> (Vec<String>, usize) {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("the kernel tells");
    let access = |line: &str| line.split(' ').nth(1).unwrap_or_default().to_owned();
    let both = maps.lines().filter(|line| access(line).starts_with("rwx")).map(str::to_owned);
    let is_ours = |line: &&str| access(line).contains('x') && line.split_whitespace().count() == 5;
    (both.collect(), maps.lines().filter(is_ours).count())
}

#[test]
fn code_is_never_both_written_and_executed() {
    let _alone = alone();
    let Some(level) = [Level::Avx2, Level::Avx512].into_iter().find(|level| level.is_available())
    else {
        return skipped("the processor has no AVX2");
    };
    let random = &mut Random::for_test(4);
    let none = mappings().1;
    let mut all: Vec<(u32, Function)> = Vec::new();
    for number in 0..3000 {
        // Some functions need several pages.
        let times = if random.one_in(9) { random.within(100..=600) } else { random.within(1..=20) };
        let sum = 7 + number * times as u32;
        all.push((sum, function(number, times, level)));
        if random.one_in(3) {
            let i = random.below(all.len());
            all.swap_remove(i);
        }
        if number % 100 == 0 {
            assert_eq!(mappings().0, Vec::<String>::new());
        }
    }
    let size: usize = all.iter().map(|(_, function)| function.code_size()).sum();
    assert!(size > 4 << 20, "{size}");
    all.iter().for_each(|(sum, function)| assert_eq!(run(function), *sum));
    drop(all);
    assert_eq!(mappings().1, none);
}

#[test]
fn code_is_made_and_dropped_by_several_threads() {
    let _alone = alone();
    let Some(level) = [Level::Avx2, Level::Avx512].into_iter().find(|level| level.is_available())
    else {
        return skipped("the processor has no AVX2");
    };
    std::thread::scope(|scope| {
        for seed in 0..4 {
            scope.spawn(move || {
                let random = &mut Random::for_test(seed);
                let mut all = Vec::new();
                for number in 0..200 {
                    let times = random.within(1..=50);
                    all.push((7 + number * times as u32, function(number, times, level)));
                    if random.chance(50) {
                        let (sum, function) = all.swap_remove(random.below(all.len()));
                        assert_eq!(run(&function), sum);
                    }
                }
                all.iter().for_each(|(sum, function)| assert_eq!(run(function), *sum));
            });
        }
    });
}
