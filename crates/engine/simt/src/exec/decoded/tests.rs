//! Compares the arms of the inner loop with the operations' reference steps, on every SIMD level.

use super::*;
use crate::code::{Decoded, OF_CTA};
use texunit_alu::{L64, ResultKind, Row, Value, all};
use texunit_testkit::Random;

/// Generator of random values that include edge cases.
pub(super) struct Noise(Random);

impl Noise {
    /// Creates a generator from a seed, which `TEXUNIT_SEED` overrides.
    pub(super) fn new(seed: u64) -> Self {
        Self(Random::for_test(seed))
    }

    pub(super) fn next(&mut self) -> u64 {
        #[rustfmt::skip]
        const EDGES: [u32; 16] = [
            0, 1, 31, 32, 33, 64, 0x8000_0000, 0x7fff_ffff, u32::MAX, 0x3f80_0000, 0xbf80_0001,
            0x7f80_0000, 0xff80_0000, 0x7fc0_1234, 0x0040_0000, 0x8000_0001,
        ];
        let x = self.0.u64() >> 16;
        let half = |x: u64| match x & 7 {
            0..3 => EDGES[(x >> 3 & 15) as usize],
            // Floats of moderate size.
            3..5 => (x as u32 & 0x83ff_ffff) | 0x3c00_0000,
            _ => x as u32,
        };
        u64::from(half(x)) | u64::from(half(x >> 20)) << 32
    }
}

/// Registers: sources 0 to 2 and a destination of each width.
struct Bank {
    narrow: [L32; 4],
    wide: [L64; 4],
    predicates: [u32; 1],
}

impl Bank {
    fn new(noise: &mut Noise) -> Self {
        let wide = std::array::from_fn(|_| std::array::from_fn(|_| noise.next()));
        let narrow = std::array::from_fn(|_| std::array::from_fn(|_| noise.next() as u32));
        Self { narrow, wide, predicates: [noise.next() as u32] }
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
    let mut noise = Noise::new(1);
    for row in all().iter().filter(|row| row.kind() != Kind::Call) {
        let kind = row.kind();
        for level in Build::all() {
            for mask in [u32::MAX, 1, 0x8000_0000, 0x5a5a_1234].repeat(8) {
                let mut bank = Bank::new(&mut noise);
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
    let mut noise = Noise::new(2);
    for level in Build::all() {
        let mut bank = Bank::new(&mut noise);
        let (before, slot) = (bank.narrow[0], Slot::narrow(0));
        let (kind, guard, s) = (Kind::MulLo, Slot::TRUE, [slot; 3]);
        bank.run(level, Decoded { kind, count: 1, guard, d: slot, s }, u32::MAX);
        assert_eq!(bank.narrow[0], before.map(|x| x.wrapping_mul(x)));
    }
}
