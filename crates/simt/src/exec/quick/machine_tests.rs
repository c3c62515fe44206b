//! Machine code against the inner loop: every operation by itself and long random runs, on whole
//! register files.

mod maker;

use super::tests::Noise;
use super::*;
use crate::alu::{L64, inner};
use crate::code::{Inst, Quick};
use crate::runs;
use maker::Maker;
use std::collections::HashSet;
use texunit_jit::region::Level as JitLevel;
use texunit_jit::{Block, Function, Inputs, Registers, Source};
use texunit_syntax::Span;
use texunit_testkit::skipped;

/// The levels that this processor has.
fn levels() -> Vec<JitLevel> {
    let levels =
        [JitLevel::Avx2, JitLevel::Avx512].into_iter().filter(|level| level.is_available());
    let levels: Vec<_> = levels.collect();
    if levels.is_empty() {
        skipped("the processor has no AVX2");
    }
    levels
}

/// How many registers of each kind a program has.
#[derive(Clone, Copy)]
struct Sizes {
    narrow: u32,
    wide: u32,
    predicates: u32,
}

/// Registers of a warp.
#[derive(Clone, PartialEq, Debug)]
struct Bank {
    narrow: Vec<L32>,
    wide: Vec<L64>,
    predicates: Vec<u32>,
}

const OF_CTA: [u32; 9] = [7, 8, 9, 64, 2, 1, 100, 200, 3];

impl Bank {
    fn new(noise: &mut Noise, sizes: Sizes) -> Self {
        let mut row = |_| std::array::from_fn(|_| noise.next());
        let wide = (0..sizes.wide).map(&mut row).collect();
        let narrow = (0..sizes.narrow).map(|i| row(i).map(|x: u64| x as u32)).collect();
        let predicates = (0..sizes.predicates).map(|_| noise.next() as u32).collect();
        Self { narrow, wide, predicates }
    }

    /// What the lanes that live have.
    fn masked(mut self, live: u32) -> Self {
        for lane in super::super::warp::lanes(!live) {
            self.narrow.iter_mut().for_each(|row| row[lane] = 0);
            self.wide.iter_mut().for_each(|row| row[lane] = 0);
        }
        self
    }
}

/// Instructions, and what they read besides registers.
struct Program {
    insts: Vec<Inst>,
    constants: Constants,
    params: [u8; 12],
    tid: [L32; 3],
}

impl Program {
    /// Runs it in the inner loop: steps and threads.
    fn interpret(&self, bank: &mut Bank, live: u32, mask: u32) -> (u64, u64) {
        let leave = Quick {
            kind: Kind::Leave,
            count: 1,
            guard: Slot::TRUE,
            d: Slot::NONE,
            s: [Slot::NONE; 3],
        };
        let quick = self.insts.iter().map(Quick::of).chain([leave]).collect();
        let code = Code { insts: self.insts.clone(), quick, ..Code::default() };
        let values = Values {
            fixed: &Fixed { code: &code, constants: &self.constants, params: &self.params },
            of_cta: &OF_CTA,
            tid: &self.tid,
            counts: &Counts::default(),
        };
        let lanes = Lanes {
            narrow: &mut bank.narrow,
            wide: &mut bank.wide,
            predicates: &mut bank.predicates,
            constants: &self.constants,
            live,
        };
        let limit = u64::MAX;
        let mut place = Place {
            pc: 0,
            mask,
            grouped: false,
            steps: 0,
            limit,
            threads: 0,
            turns: false,
            ended: Ended::Here,
        };
        Job { values: &values, lanes, place: &mut place }.run(Level::get());
        assert_eq!(place.pc as usize, self.insts.len());
        (place.steps, place.threads)
    }

    /// Its code. Constants with odd numbers are read from their rows.
    fn compile(&self, level: JitLevel, kept: Option<&HashSet<texunit_jit::Place>>) -> Function {
        let source = |slot: Slot| {
            let (i, rows) = (slot.index() as u32, slot.index() % 2 == 1);
            match (slot.is_constant(), slot.is_wide()) {
                (false, false) => Source::Narrow(i),
                (false, true) => Source::Wide(i),
                (true, false) if rows => Source::Constant(i),
                (true, true) if rows => Source::WideConstant(i),
                (true, false) => Source::Literal(self.constants.narrow[slot.index()][0].into()),
                (true, true) => Source::Literal(self.constants.wide[slot.index()][0]),
            }
        };
        let step = |inst: &Inst| runs::step(inst, &source).unwrap_or_else(|| panic!("{inst:?}"));
        let steps: Vec<_> = self.insts.iter().map(step).collect();
        let mut all = HashSet::new();
        steps.iter().for_each(|step| step.each_written(|place| all.extend([place])));
        let kept = kept.cloned().unwrap_or(all);
        texunit_jit::compile(&Block { steps, kept }, level).expect("code")
    }

    /// Runs the code: steps and threads.
    fn execute(&self, code: &Function, bank: &mut Bank, live: u32, mask: u32) -> (u64, u64) {
        let inputs = Inputs {
            constants: &self.constants.narrow,
            wide_constants: &self.constants.wide,
            words: &OF_CTA,
            bytes: &self.params,
        };
        let registers = Registers {
            narrow: &mut bank.narrow,
            wide: &mut bank.wide,
            predicates: &mut bank.predicates,
            rows: &self.tid,
        };
        let mut call = code.with(inputs).expect("inputs are long enough");
        let guarded = call.run(registers, among(mask, live)).expect("files are long enough");
        let counted = || self.insts.iter().filter(|inst| inst.count != 0);
        let whole = counted().filter(|inst| inst.guard == Slot::TRUE).count() as u64;
        (counted().count() as u64, whole * u64::from(mask.count_ones()) + guarded)
    }
}

/// Live lanes and those that take part.
fn masks(noise: &mut Noise) -> [(u32, u32); 5] {
    let some = noise.next() as u32 | 1;
    [(u32::MAX, u32::MAX), (0x1fff, 0x1fff), (u32::MAX, some), (0xffff_0fff, 1 << 17), (some, some)]
}

#[test]
fn every_operation_is_that_of_the_inner_loop() {
    let levels = levels();
    let sizes = Sizes { narrow: 4, wide: 4, predicates: 3 };
    let mut maker = Maker { noise: Noise::new(3), sizes };
    for row in inner().iter().cycle().take(inner().len() * 4) {
        let op = maker.of_row(row);
        let guard = maker.predicate();
        let insts = vec![Inst { op, guard, count: 1, span: Span::default() }];
        let program = maker.program(insts);
        let codes: Vec<_> = levels.iter().map(|&level| program.compile(level, None)).collect();
        for (live, mask) in masks(&mut maker.noise).repeat(4) {
            let before = Bank::new(&mut maker.noise, sizes);
            let mut want = before.clone();
            let counts = program.interpret(&mut want, live, mask);
            let want = want.masked(live);
            for code in &codes {
                let mut bank = before.clone();
                assert_eq!(program.execute(code, &mut bank, live, mask), counts, "{row:?}");
                let what = || format!("{row:?} for lanes {mask:#x}: {:?}", program.insts);
                assert!(bank.masked(live) == want, "{}", what());
            }
        }
    }
}

#[test]
fn random_runs_are_those_of_the_inner_loop() {
    let levels = levels();
    for seed in 0..300 {
        let sizes = match seed % 3 {
            0 => Sizes { narrow: 3, wide: 2, predicates: 2 },
            1 => Sizes { narrow: 20, wide: 6, predicates: 5 },
            // More than the processor has.
            _ => Sizes { narrow: 70, wide: 40, predicates: 20 },
        };
        let mut maker = Maker { noise: Noise::new(seed), sizes };
        let length = 1 + maker.below(200);
        let insts = (0..length).map(|_| maker.inst()).collect();
        let program = maker.program(insts);
        let codes: Vec<_> = levels.iter().map(|&level| program.compile(level, None)).collect();
        for (live, mask) in masks(&mut maker.noise) {
            let before = Bank::new(&mut maker.noise, sizes);
            let mut want = before.clone();
            let counts = program.interpret(&mut want, live, mask);
            let want = want.masked(live);
            for code in &codes {
                let mut bank = before.clone();
                assert_eq!(program.execute(code, &mut bank, live, mask), counts, "seed {seed}");
                assert!(bank.masked(live) == want, "seed {seed}, lanes {mask:#x}");
            }
        }
    }
}

#[test]
fn what_is_not_kept_does_not_matter() {
    let levels = levels();
    let sizes = Sizes { narrow: 40, wide: 10, predicates: 10 };
    let kept: HashSet<texunit_jit::Place> = (0..10)
        .flat_map(|i| {
            use texunit_jit::Place as P;
            [P::Narrow(4 * i), P::Wide(i / 2), P::Predicate(i / 2)]
        })
        .collect();
    for (seed, level) in (0..100).flat_map(|seed| levels.iter().map(move |&level| (seed, level))) {
        let mut maker = Maker { noise: Noise::new(1000 + seed), sizes };
        let insts = (0..100).map(|_| maker.inst()).collect();
        let program = maker.program(insts);
        let code = program.compile(level, Some(&kept));
        for (live, mask) in masks(&mut maker.noise) {
            let before = Bank::new(&mut maker.noise, sizes);
            let (mut want, mut bank) = (before.clone(), before.clone());
            let counts = program.interpret(&mut want, live, mask);
            assert_eq!(program.execute(&code, &mut bank, live, mask), counts, "seed {seed}");
            let what = format!("{level:?}, seed {seed}, lanes {mask:#x} of {live:#x}");
            let (want, bank) = (want.masked(live), bank.masked(live));
            for i in 0..10 {
                assert_eq!(bank.narrow[4 * i], want.narrow[4 * i], "{what}");
                assert_eq!(bank.wide[i / 2], want.wide[i / 2], "{what}");
                assert_eq!(bank.predicates[i / 2], want.predicates[i / 2], "{what}");
            }
            // Lanes that take no part keep everything.
            if mask != live {
                let (bank, before) = (bank.masked(live & !mask), before.masked(live & !mask));
                let same = (bank.narrow, bank.wide) == (before.narrow, before.wide);
                assert!(same, "{what}");
            }
        }
    }
}
