//! Compares the arms of the inner loop with the operations' reference steps, on every SIMD level.

use super::*;
use crate::code::{Decoded, OF_CTA};
use texunit_alu::{L64, ResultKind, Row, Value, all};
use texunit_testkit::Random;

/// Registers: sources 0 to 2 and a destination of each width.
struct Bank {
    narrow: [L32; 4],
    wide: [L64; 4],
    predicates: [u32; 1],
}

impl Bank {
    fn new(random: &mut Random) -> Self {
        let wide = std::array::from_fn(|_| std::array::from_fn(|_| random.operand()));
        let narrow = std::array::from_fn(|_| std::array::from_fn(|_| random.operand() as u32));
        Self { narrow, wide, predicates: [random.operand() as u32] }
    }

    /// Executes one instruction in the inner loop.
    fn run(&mut self, level: Build, decoded: Decoded, mask: u32) {
        let leave = Decoded { kind: Kind::Leave, count: 1, ..decoded };
        let constants = Constants::default();
        let code = Code { decoded: vec![decoded, leave], ..Code::default() };
        let values = WarpInputs {
            fixed: &LaunchInputs { code: &code, constants: &constants, params: &[] },
            of_cta: &[0; OF_CTA],
            tid: &[[0; 32]; 3],
            counts: &Counts::default(),
        };
        let mut warp = Warp::default();
        warp.start(0, u32::MAX, 0);
        warp.predicates = self.predicates.to_vec();
        warp.narrow.grow(4);
        warp.wide.grow(4);
        warp.narrow.copy_from_slice(&self.narrow);
        warp.wide.copy_from_slice(&self.wide);
        let (pc, grouped, steps, threads, turns) = (0, false, 0, 0, false);
        let stop = Stop::Instruction;
        let mut end = Progress { pc, mask, grouped, steps, limit: 9, threads, turns, stop };
        super::run(level, &values, &mut warp, &mut end);
        self.narrow.copy_from_slice(&warp.narrow);
        self.wide.copy_from_slice(&warp.wide);
        self.predicates.copy_from_slice(&warp.predicates);
        let want = (1, 1, mask.count_ones().into(), Stop::Instruction);
        assert_eq!((end.pc, end.steps, end.threads, end.stop), want);
    }
}

/// The results of the operation's reference steps, and its operands in the inner loop.
fn expected(row: &Row, bank: &Bank) -> (Bank, Slot, [Slot; 3]) {
    let mut out = Bank { narrow: bank.narrow, wide: bank.wide, predicates: bank.predicates };
    let from = row.shape().from;
    let slot = |i: u32| if from[i as usize] { Slot::wide(i) } else { Slot::narrow(i) };
    let source = |i: usize| {
        use texunit_alu::Lanes::{Narrow, Wide};
        if from[i] { Wide(&bank.wide[i]) } else { Narrow(&bank.narrow[i]) }
    };
    let mut value = Value::ZERO;
    row.run([source(0), source(1), source(2), source(2)], &mut value);
    let d = match row.shape().result {
        ResultKind::Narrow => {
            out.narrow[3] = value.narrow;
            Slot::narrow(3)
        }
        ResultKind::Wide | ResultKind::Double(_) => {
            out.wide[3] = value.wide;
            Slot::wide(3)
        }
        ResultKind::Predicate | ResultKind::Predicates => {
            out.predicates[0] = value.holds;
            Slot::predicate(0)
        }
    };
    (out, d, [slot(0), slot(1), slot(2)])
}

#[test]
fn arms_give_what_steps_give() {
    let mut random = Random::for_test(1);
    for row in all().iter().filter(|row| row.kind() != Kind::Call) {
        let kind = row.kind();
        for level in Build::all() {
            for mask in [u32::MAX, 1, 0x8000_0000, 0x5a5a_1234].repeat(8) {
                let mut bank = Bank::new(&mut random);
                let (mut want, d, s) = expected(row, &bank);
                for lane in super::super::warp::lanes(!mask) {
                    want.narrow[3][lane] = bank.narrow[3][lane];
                    want.wide[3][lane] = bank.wide[3][lane];
                }
                want.predicates[0] = (want.predicates[0] & mask) | (bank.predicates[0] & !mask);
                bank.run(level, Decoded { kind, count: 1, guard: Slot::TRUE, d, s }, mask);
                let what = format!("{row:?} on {level:?} for lanes {mask:#x}");
                assert_eq!(bank.narrow, want.narrow, "{what}");
                assert_eq!(bank.wide, want.wide, "{what}");
                assert_eq!(bank.predicates, want.predicates, "{what}");
            }
        }
    }
}

/// A destination that is also a source.
#[test]
fn destinations_may_be_sources() {
    let mut random = Random::for_test(2);
    for level in Build::all() {
        let mut bank = Bank::new(&mut random);
        let (before, slot) = (bank.narrow[0], Slot::narrow(0));
        let (kind, guard, s) = (Kind::MulLo, Slot::TRUE, [slot; 3]);
        bank.run(level, Decoded { kind, count: 1, guard, d: slot, s }, u32::MAX);
        assert_eq!(bank.narrow[0], before.map(|x| x.wrapping_mul(x)));
    }
}
