//! Compares the machine code of every operation with the interpreter, which evaluates each
//! primitive by its function: all bits must be equal.

use super::*;
use crate::find::all;
use crate::lowered::{MAX, Temporaries};
use std::collections::HashMap;
use texunit_jit::region::{
    Block, DivergenceLimits, End, Function, Inputs, Level, Mode, Region, Resume, Step, WarpStart,
    compile,
};
use texunit_jit::{Predicate, Registers, Source, VReg};
use texunit_testkit::{Random, skipped};

/// The registers of the test. For each width, there are four sources and a destination, followed by
/// temporaries.
const DESTINATION: u32 = 4;
const FREE: Temporaries = Temporaries { narrow: 5, wide: 5, predicates: 1 };
const NARROW: usize = 5 + MAX.narrow as usize;
const WIDE: usize = 5 + MAX.wide as usize;
const PREDICATES: usize = 1 + MAX.predicates as usize;

#[derive(Clone, PartialEq, Debug)]
struct Bank {
    narrow: [[u32; 32]; NARROW],
    wide: [[u64; 32]; WIDE],
    predicates: [u32; PREDICATES],
}

/// The text and the instructions of each operation are its own.
#[test]
fn operations_share_neither_texts_nor_instructions() {
    let mut rows: HashMap<Key, &Row> = HashMap::new();
    for row in all() {
        let found = Row::from_text(&row.text()).expect("an operation");
        assert!(std::ptr::eq(found, row), "{}", row.text());
        for key in &row.keys {
            let other = rows.insert(*key, row);
            assert!(other.is_none(), "{row:?} and {other:?}");
        }
    }
    assert!(rows.len() > 900, "{}", rows.len());
}

impl Bank {
    fn new(random: &mut Random) -> Self {
        Self {
            narrow: std::array::from_fn(|_| std::array::from_fn(|_| random.operand() as u32)),
            wide: std::array::from_fn(|_| std::array::from_fn(|_| random.operand())),
            predicates: std::array::from_fn(|_| random.u64() as u32),
        }
    }

    /// Replaces the 32-bit registers by positive f32 numbers below 2^8, which need the steps for
    /// rare values of no operation.
    fn make_ordinary(&mut self) {
        let ordinary = |x: &mut u32| *x = (*x & 0x007f_ffff) | (119 + (*x >> 23) % 16) << 23;
        self.narrow.iter_mut().flatten().for_each(ordinary);
    }

    /// Computes the result in the interpreter.
    fn compute(&mut self, row: &Row) {
        let (n, w, from) = (self.narrow, self.wide, row.shape().from);
        let source = |i: usize| if from[i] { Lanes::Wide(&w[i]) } else { Lanes::Narrow(&n[i]) };
        let mut value = Value::ZERO;
        row.run([source(0), source(1), source(2), source(3)], &mut value);
        let to = DESTINATION as usize;
        match row.shape().result {
            ResultKind::Narrow => self.narrow[to] = value.narrow,
            ResultKind::Wide | ResultKind::Double(_) => self.wide[to] = value.wide,
            ResultKind::Predicate | ResultKind::Predicates => self.predicates[0] = value.holds,
        }
    }

    /// Computes the result in compiled code.
    fn run(&mut self, function: &Function) {
        let inputs = Inputs::default();
        let registers = Registers {
            narrow: &mut self.narrow,
            wide: &mut self.wide,
            predicates: &mut self.predicates,
            per_lane: &[],
        };
        let (mask, live, limit) = (u32::MAX, u32::MAX, u64::MAX);
        let start = WarpStart { mask, live, limit, ..WarpStart::default() };
        let entry = function.entry(0).expect("an entry");
        let mut sites = function.sites();
        let mut running = function.with(inputs, &mut sites).expect("inputs");
        let mut table = running.table(Mode::Live, &mut [], u32::MAX, DivergenceLimits::default());
        assert!(table.add(registers, &mut [], 0..0, start), "files");
        let _ = table.run(0..1, Resume::Entry(entry), u32::MAX);
    }
}

/// A region with the steps of an operation, if the operation has steps. Sources in `known` are
/// constants.
fn region(row: &Row, known: [Option<u64>; 4]) -> Option<Region> {
    let source = |(i, wide): (usize, bool)| match (known[i], wide) {
        (Some(number), true) => Source::Literal(number),
        (Some(number), false) => Source::Literal(number & 0xffff_ffff),
        (None, true) => Source::B64(i as u32),
        (None, false) => Source::B32(i as u32),
    };
    let sources = row.shape().from.into_iter().enumerate().map(source).collect::<Vec<_>>();
    row.compiled(known)?;
    let to = match row.shape().result {
        ResultKind::Narrow => VReg::B32(DESTINATION),
        ResultKind::Wide | ResultKind::Double(_) => VReg::B64(DESTINATION),
        ResultKind::Predicate | ResultKind::Predicates => VReg::Predicate(0),
    };
    let actions = row.lowered(&sources, FREE, to.into());
    let actions = actions.unwrap_or_else(|| panic!("{row:?}: {MAX:?}"));
    let step = |action| Step { at: 0, guard: Predicate::Always, counted: false, action };
    let (steps, end) = (actions.into_iter().map(step).collect(), End::Leave { at: 1 });
    let block = Block { at: 0, is_entry: true, joins: false, steps, end, kept: [to].into() };
    Some(Region { blocks: vec![block], ..Region::default() })
}

#[test]
fn compiled_code_gives_what_the_interpreter_gives() {
    let levels: Vec<Level> =
        [Level::Avx2, Level::Avx512].into_iter().filter(|level| level.is_available()).collect();
    if levels.is_empty() {
        return skipped("the processor has neither AVX2 nor AVX-512");
    }
    let mut random = Random::for_test(7);
    let (mut compiled, mut called) = (0, 0);
    for row in all() {
        if region(row, [None; 4]).is_none() {
            called += 1;
            continue;
        }
        compiled += 1;
        // First all sources are in registers; then random sources are constants, three times.
        let some = |random: &mut Random| {
            std::array::from_fn(|_| random.one_in(2).then(|| random.operand()))
        };
        let known = [[None; 4], some(&mut random), some(&mut random), some(&mut random)];
        for (&level, known) in levels.iter().flat_map(|level| known.map(|known| (level, known))) {
            let region = region(row, known).expect("steps");
            let function = match compile(&region, Mode::Live, level) {
                Ok(function) => function,
                Err(why) => panic!("{row:?} on {level:?}: {why}: {region:#?}"),
            };
            for round in 0..if known == [None; 4] { 16 } else { 4 } {
                let mut want = Bank::new(&mut random);
                if round % 4 == 3 {
                    want.make_ordinary();
                }
                for (i, number) in known.into_iter().enumerate() {
                    let Some(number) = number else { continue };
                    (want.narrow[i], want.wide[i]) = ([number as u32; 32], [number; 32]);
                }
                let mut got = want.clone();
                let before = want.clone();
                want.compute(row);
                got.run(&function);
                let to = DESTINATION as usize;
                let result = |bank: &Bank, i: usize| (bank.narrow[to][i], bank.wide[to][i]);
                let lane = (0..32).find(|&i| result(&want, i) != result(&got, i));
                assert!(
                    lane.is_none() && want.predicates[0] == got.predicates[0],
                    "{row:?} on {level:?}, numbers {known:x?}, lane {lane:?} of {:x?}: {:x?}, expected {:x?}",
                    lane.map(|i| (before.narrow.map(|n| n[i]), before.wide.map(|w| w[i]))),
                    lane.map(|i| result(&got, i)),
                    lane.map(|i| result(&want, i)),
                );
            }
        }
    }
    // Most operations must have steps.
    assert!(compiled > 850, "{compiled} rows have steps, {called} are calls");
}

/// Neighbouring lanes have consecutive operands, so that most warps skip the steps for rare values.
/// Without `TEXUNIT_LONG_TESTS`, only one warp in 4093 is tested.
#[test]
fn compiled_functions_give_what_the_interpreter_gives() {
    let is_function = |row: &&Row| {
        let is_approximate = [".approx.", ".full."].iter().any(|word| row.name().contains(word));
        is_approximate && !row.shape().is_wide()
    };
    let apart = if std::env::var_os("TEXUNIT_LONG_TESTS").is_some() { 61 } else { 4093 };
    let mut bank = Bank::new(&mut Random::for_test(8));
    let to = DESTINATION as usize;
    for row in all().iter().filter(is_function) {
        let Some(region) = region(row, [None; 4]) else { continue };
        for level in [Level::Avx2, Level::Avx512].into_iter().filter(|of| of.is_available()) {
            let compiled = compile(&region, Mode::Live, level).expect("code");
            for warp in (0..1 << 27).step_by(apart) {
                bank.narrow[0] = std::array::from_fn(|lane| warp << 5 | lane as u32);
                bank.narrow[1] = bank.narrow[0].map(|x| x.wrapping_add(0x1234_5678));
                let mut want = bank.clone();
                want.compute(row);
                bank.run(&compiled);
                let (got, want) = (bank.narrow[to], want.narrow[to]);
                assert_eq!(got, want, "{row:?} of {:x?} on {level:?}", bank.narrow[0]);
            }
        }
    }
}
