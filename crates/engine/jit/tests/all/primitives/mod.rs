//! Tests each operation alone, at each level, against plain Rust code: with special and random
//! numbers, operands in registers and immediates, and every kind of guard.

pub(crate) mod model;

use crate::floats::{FLOATS, WORDS};
use std::collections::HashSet;
use texunit_jit::region::{
    Action, Block, End, ExitReason, Inputs, Level, Mode, Region, Step, compile,
};
use texunit_jit::{
    Combine, Float, Op, Predicate, Registers, Relation, Rounding, Source, Test, VReg,
};
use texunit_testkit::Random;

/// The number of registers of each kind.
const REGISTERS: usize = 4;

#[derive(Clone, Debug, PartialEq)]
struct Bank {
    narrow: [[u32; 32]; REGISTERS],
    wide: [[u64; 32]; REGISTERS],
    predicates: [u32; REGISTERS],
}

/// Numbers at the limits of integers, floats and shift counts.
#[rustfmt::skip]
const SPECIAL: [u64; 58] = [
    0,
    1,
    2,
    3,
    31,
    32,
    33,
    63,
    64,
    65,
    0xff,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x7fff_ffff_ffff_ffff,
    1 << 63,
    u64::MAX,
    0x3f80_0000,
    0xbf80_0000,
    0x3f00_0000,
    0xbf00_0000,
    0x3fc0_0000,
    0x4020_0000,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0xffc0_0001,
    0x7f80_0001,
    0x0080_0000,
    0x8080_0000,
    0x007f_ffff,
    0x807f_ffff,
    0x00ff_ffff,
    0x3f7f_ffff,
    0x4f00_0000,
    0xcf00_0000,
    0x4f7f_ffff,
    0x4f80_0000,
    0x4eff_ffff,
    // f16: infinity, a NaN, a subnormal; and f32 that round to the largest and the smallest f16.
    0x7c00,
    0xfe01,
    0x83ff,
    0x477f_e000,
    0x477f_f000,
    0x3300_0000,
    0x387f_e001,
    // f64: infinity, a NaN, 2^31, 2^32, 2^63, 2^64; and values that overflow or underflow in f32.
    0x7ff0_0000_0000_0000,
    0xfff0_1234_5678_9abc,
    0x41e0_0000_0000_0000,
    0x41f0_0000_0000_0000,
    0xc3e0_0000_0000_0000,
    0x43f0_0000_0000_0000,
    0x47ef_ffff_f000_0000,
    0x36a0_0000_0000_0001,
    // The number whose square root is closest to the middle between two floats.
    0x3f3a_18e3,
];

fn number(random: &mut Random) -> u64 {
    match random.below(4) {
        0 => random.u64(),
        // Floats of magnitude around 1, so that sums and integral parts matter.
        1 if random.chance(50) => f64::from(random.between(-4.0, 4.0)).to_bits(),
        1 => u64::from(random.between(-4.0, 4.0).to_bits()),
        2 => random.of(&SPECIAL) ^ random.below(3_u64),
        _ => random.of(&SPECIAL),
    }
}

fn bank(random: &mut Random) -> Bank {
    Bank {
        narrow: std::array::from_fn(|_| std::array::from_fn(|_| number(random) as u32)),
        wide: std::array::from_fn(|_| std::array::from_fn(|_| number(random))),
        predicates: std::array::from_fn(|_| random.u32()),
    }
}

impl Bank {
    fn holds(&self, predicate: Predicate, lane: usize) -> bool {
        match predicate {
            Predicate::Always => true,
            Predicate::Never => false,
            Predicate::If(i) => self.predicates[i as usize] >> lane & 1 != 0,
            Predicate::Unless(i) => self.predicates[i as usize] >> lane & 1 == 0,
        }
    }

    fn source(&self, source: Source, lane: usize) -> u64 {
        match source {
            Source::B32(i) => self.narrow[i as usize][lane].into(),
            Source::B64(i) => self.wide[i as usize][lane],
            Source::Literal(number) => number,
            other => panic!("{other:?} is not made here"),
        }
    }

    fn set(&mut self, predicate: Option<u32>, lane: usize, holds: bool) {
        if let Some(i) = predicate {
            let word = &mut self.predicates[i as usize];
            *word = *word & !(1 << lane) | u32::from(holds) << lane;
        }
    }

    /// Executes a step. Returns the number of lanes that executed it.
    fn step(&mut self, step: &Step, mask: u32) -> u64 {
        let before = self.clone();
        let taken = |lane: &usize| mask >> lane & 1 != 0 && before.holds(step.guard, *lane);
        for lane in (0..32).filter(taken) {
            match &step.action {
                &Action::Compute { op, to, from } => {
                    let holds = match op {
                        Op::Select(p) | Op::SelectWide(p) => before.holds(p, lane),
                        _ => false,
                    };
                    let value = model::compute(op, from.map(|s| before.source(s, lane)), holds);
                    match to {
                        VReg::B32(i) => self.narrow[i as usize][lane] = value as u32,
                        VReg::B64(i) => self.wide[i as usize][lane] = value,
                        VReg::Predicate(_) => panic!("{op:?} gives no predicate"),
                    }
                }
                &Action::Compare { test, from: [a, b], to, with } => {
                    let is = model::test(test, before.source(a, lane), before.source(b, lane));
                    let other = before.holds(with.1, lane);
                    self.set(to[0], lane, model::combine(with.0, is, other));
                    self.set(to[1], lane, model::combine(with.0, !is, other));
                }
                &Action::Logic { table, to, from } => {
                    let [a, b] = from.map(|p| u8::from(before.holds(p, lane)));
                    self.set(Some(to), lane, table >> (2 * a + b) & 1 != 0);
                }
                other => panic!("{other:?} is not made here"),
            }
        }
        (0..32).filter(taken).count() as u64
    }

    /// The state with the registers of exited lanes set to zero.
    fn masked(mut self, live: u32) -> Self {
        for lane in (0..32).filter(|lane| live >> lane & 1 == 0) {
            self.narrow.iter_mut().for_each(|row| row[lane] = 0);
            self.wide.iter_mut().for_each(|row| row[lane] = 0);
        }
        self.predicates.iter_mut().for_each(|word| *word &= live);
        self
    }
}

const ROUNDINGS: [Rounding; 4] = [Rounding::Near, Rounding::Floor, Rounding::Ceil, Rounding::Trunc];
const RELATIONS: [Relation; 6] =
    [Relation::Eq, Relation::Ne, Relation::Lt, Relation::Le, Relation::Gt, Relation::Ge];

/// All operations, with the widths of their results and sources (true is 64 bits).
fn operations() -> Vec<(Op, bool, [bool; 3])> {
    const P: Predicate = Predicate::Always;
    let narrow = [
        Op::Select(P),
        Op::LookUp(texunit_sfu::lanes::LG2_0),
        Op::Curve(&texunit_sfu::lanes::RCP_CURVE),
        Op::Curve(&texunit_sfu::lanes::RSQ_CURVE),
        Op::Curve(&texunit_sfu::lanes::SQRT_CURVE),
        Op::Curve(&texunit_sfu::lanes::EX2_CURVE),
        Op::LookUp(texunit_sfu::lanes::TANH_1),
    ];
    let wide = [Op::CopyWide, Op::AddWide, Op::SubWide, Op::MulWide, Op::SelectWide(P)];
    let shifts = [Op::ShiftLeftWide, Op::ShiftRightWideU, Op::ShiftRightWideS];
    let products = [Op::ProductU, Op::ProductS, Op::ProductAddU, Op::ProductAddS];
    let floats = FLOATS.into_iter().chain(ROUNDINGS.map(Float::Round));
    let flags = [(false, false), (true, false), (false, true), (true, true)];
    let rounding = Rounding::Near;
    let float = |op| flags.map(|(flush, saturate)| Op::Float { op, rounding, flush, saturate });
    let floats = floats.flat_map(float);
    let conversions = ROUNDINGS.into_iter().flat_map(|how| [Op::ToU(how), Op::ToS(how)]);
    let mut all: Vec<_> =
        WORDS.into_iter().chain(narrow).chain(floats).chain(conversions).collect();
    all.extend((0..=255).map(Op::Bits));
    let mut all: Vec<_> = all.into_iter().map(|op| (op, false, [false; 3])).collect();
    all.extend(wide.into_iter().chain((0..=255).map(Op::BitsWide)).map(|op| (op, true, [true; 3])));
    all.extend(shifts.map(|op| (op, true, [true, false, false])));
    all.extend(products.map(|op| (op, true, [false, false, true])));
    all.extend([(Op::ExtendU, true, [false; 3]), (Op::ExtendS, true, [false; 3])]);
    all.extend(doubles());
    all
}

/// Operations on f64 and f16, and conversions between widths. Arithmetic with directed rounding is
/// compared with integer arithmetic by the tests of crate `alu`.
fn doubles() -> Vec<(Op, bool, [bool; 3])> {
    let floats = FLOATS.into_iter().chain(ROUNDINGS.map(Float::Round));
    let floats = floats.map(|op| Op::Double(op, Rounding::Near));
    let wide = [
        Op::MulHighWide,
        Op::DoubleFromWideU,
        Op::DoubleFromWideS,
        Op::DoubleToWideS,
        Op::DoubleToWideU,
    ];
    let cut = [Op::Low, Op::DoubleToS, Op::DoubleToU];
    let cut = cut.into_iter().chain(ROUNDINGS.map(Op::FromDouble));
    let mut all: Vec<_> = floats.chain(wide).map(|op| (op, true, [true; 3])).collect();
    all.extend(cut.map(|op| (op, false, [true; 3])));
    all.extend(ROUNDINGS.map(|how| (Op::ToHalf(how), false, [false; 3])));
    let widen = [Op::DoubleFromF, Op::DoubleFromU, Op::DoubleFromS];
    all.extend(widen.map(|op| (op, true, [false; 3])));
    all
}

fn predicate(random: &mut Random) -> Predicate {
    let i = random.below(REGISTERS as u32);
    random.of(&[Predicate::Always, Predicate::Never, Predicate::If(i), Predicate::Unless(i)])
}

fn source(random: &mut Random, wide: bool) -> Source {
    let i = random.below(REGISTERS as u32);
    match random.below(3) {
        0 if wide => Source::Literal(number(random)),
        0 => Source::Literal(number(random) & 0xffff_ffff),
        _ if wide => Source::B64(i),
        _ => Source::B32(i),
    }
}

fn guarded(random: &mut Random, action: Action) -> Step {
    let guard = if random.chance(50) { Predicate::Always } else { predicate(random) };
    Step { at: 0, guard, counted: random.chance(80), action }
}

fn computation(random: &mut Random, (op, wide, sources): (Op, bool, [bool; 3])) -> Step {
    let op = match op {
        Op::Select(_) => Op::Select(predicate(random)),
        Op::SelectWide(_) => Op::SelectWide(predicate(random)),
        other => other,
    };
    let i = random.below(REGISTERS as u32);
    let to = if wide { VReg::B64(i) } else { VReg::B32(i) };
    let mut from = sources.map(|wide| source(random, wide));
    // Levels may differ for odd operands of a curve that has none.
    if matches!(op, Op::Curve(curve) if !curve.has_odd) {
        from[0] = Source::Literal(number(random) & 0xffff_fffe);
    }
    guarded(random, Action::Compute { op, to, from })
}

fn comparison(random: &mut Random, test: Test) -> Step {
    let wide = matches!(test, Test::SignedWide(_) | Test::UnsignedWide(_));
    let from = [source(random, wide), source(random, wide)];
    let [p, q] = [0, 1].map(|_| random.below(REGISTERS as u32));
    let to = random.of(&[[Some(p), None], [None, Some(q)], [Some(p), Some((p + 1) % 4)]]);
    let how = random.of(&[Combine::And, Combine::Or, Combine::Xor]);
    let with = (how, predicate(random));
    guarded(random, Action::Compare { test, from, to, with })
}

/// Runs steps as compiled code and in the model, for several warps.
fn compare(random: &mut Random, level: Level, steps: &[Step]) {
    let mut kept = HashSet::new();
    steps.iter().for_each(|step| step.each_written(&mut |place| kept.extend([place])));
    let at = steps.len() as u32;
    let numbered = (0..).zip(steps).map(|(at, step)| Step { at, ..step.clone() });
    let steps: Vec<_> = numbered.collect();
    let end = End::Leave { at };
    let block = Block { at: 0, is_entry: true, joins: false, steps: steps.clone(), end, kept };
    let region = Region { blocks: vec![block], ..Region::default() };
    let some = random.u32() | 1;
    for (live, mask) in [(u32::MAX, u32::MAX), (some, some), (u32::MAX, some)] {
        let mut want = bank(random);
        let (before, mut bank) = (want.clone(), want.clone());
        let (mut threads, mut counted) = (0, 0);
        for step in &steps {
            let lanes = want.step(step, mask);
            threads += if step.counted { lanes } else { 0 };
            counted += u64::from(step.counted);
        }
        let counts = [];
        let inputs = Inputs { counts: &counts, ..Inputs::default() };
        let registers = Registers {
            narrow: &mut bank.narrow,
            wide: &mut bank.wide,
            predicates: &mut bank.predicates,
            per_lane: &[],
        };
        let mode = if mask == live { Mode::Live } else { Mode::Some };
        let code = match compile(&region, mode, level) {
            Ok(code) => code,
            Err(why) => panic!("{level:?}: {why}: {steps:?}"),
        };
        let mut sites = code.sites();
        let entry = code.entry(0).expect("an entry");
        let mut running = code.with(inputs, &mut sites).expect("inputs");
        let left = crate::run(&mut running, registers, (mask, live), entry).expect("files");
        assert_eq!((left.at, left.why), (at, ExitReason::Instruction), "{steps:?}");
        assert_eq!((left.steps, left.threads), (counted, threads), "{steps:?}");
        let (want, bank) = (want.masked(live), bank.masked(live));
        assert_eq!(bank, want, "{level:?}, lanes {mask:#x} of {live:#x}: {steps:?}, of {before:?}");
    }
}

#[test]
fn every_operation_is_that_of_the_model() {
    let random = &mut Random::for_test(1);
    for level in crate::levels() {
        for operation in operations() {
            let tables = matches!(operation.0, Op::Bits(_) | Op::BitsWide(_));
            for _ in 0..if tables { 4 } else { 40 } {
                let step = computation(random, operation);
                compare(random, level, &[step]);
            }
        }
    }
}

#[test]
fn every_comparison_is_that_of_the_model() {
    let random = &mut Random::for_test(2);
    let tests = RELATIONS.into_iter().flat_map(|relation| {
        let floats = [false, true].map(|unordered| Test::Float { relation, unordered });
        let narrow = [Test::Signed(relation), Test::Unsigned(relation)];
        let wide = [Test::SignedWide(relation), Test::UnsignedWide(relation)];
        narrow.into_iter().chain(wide).chain(floats)
    });
    for test in tests.chain([Test::Special]) {
        for level in crate::levels() {
            for _ in 0..40 {
                let step = comparison(random, test);
                compare(random, level, &[step]);
            }
        }
    }
    for level in crate::levels() {
        for i in 0..16 * 12 {
            let (to, from) = (random.below(4), [predicate(random), predicate(random)]);
            let step = guarded(random, Action::Logic { table: i % 16, to, from });
            compare(random, level, &[step]);
        }
    }
}

/// What one step assumes about its result (that a NaN stands for the canonical NaN, or that there
/// are no subnormals) must be true in the following steps.
#[test]
fn steps_behind_each_other_are_those_of_the_model() {
    let random = &mut Random::for_test(3);
    let all = operations();
    let floats: Vec<_> = all.iter().filter(|(op, ..)| matches!(op, Op::Float { .. })).collect();
    for level in crate::levels() {
        for _ in 0..300 {
            let length = random.within(2..=12);
            let steps: Vec<_> = (0..length)
                .map(|_| match random.below(4) {
                    0 => {
                        let operation = random.of(&all);
                        computation(random, operation)
                    }
                    1 => {
                        let relation = random.of(&RELATIONS);
                        let unordered = random.chance(50);
                        comparison(random, Test::Float { relation, unordered })
                    }
                    _ => {
                        let operation = *random.of(&floats);
                        computation(random, operation)
                    }
                })
                .collect();
            compare(random, level, &steps);
        }
    }
}
