//! Random programs of what machine code can be made of.

use super::super::tests::Noise;
use super::{Program, Sizes};
use crate::alu::{Alu, L64, Row, inner, select};
use crate::code::{Access, CompareTo, Constants, Inst, Op, Place as Space, Slot};
use texunit_isa::{BoolOp, Modifiers, Opcode, ScalarType, SpecialReg};
use texunit_syntax::Span;

/// Makes programs.
pub(super) struct Maker {
    pub(super) noise: Noise,
    pub(super) sizes: Sizes,
}

impl Maker {
    pub(super) fn below(&mut self, n: u32) -> u32 {
        (self.noise.next() >> 7) as u32 % n
    }

    pub(super) fn program(&mut self, insts: Vec<Inst>) -> Program {
        let mut spread = |_| [self.noise.next(); 32];
        let wide: Vec<L64> = (0..16).map(&mut spread).collect();
        let narrow = (0..16).map(|i| spread(i).map(|x| x as u32)).collect();
        let tid = [[1; 32], [2; 32], std::array::from_fn(|lane| lane as u32)];
        let constants = Constants { narrow, wide };
        let params = std::array::from_fn(|_| self.noise.next() as u8);
        Program { insts, constants, params, tid }
    }

    /// A register, now and then a constant.
    fn narrow(&mut self) -> Slot {
        match self.below(5) {
            0 => Slot::narrow_constant(self.below(16)),
            _ => self.narrow_register(),
        }
    }

    fn narrow_register(&mut self) -> Slot {
        Slot::narrow(self.below(self.sizes.narrow))
    }

    fn wide(&mut self) -> Slot {
        match self.below(5) {
            0 => Slot::wide_constant(self.below(16)),
            _ => self.wide_register(),
        }
    }

    fn wide_register(&mut self) -> Slot {
        Slot::wide(self.below(self.sizes.wide))
    }

    pub(super) fn predicate(&mut self) -> Slot {
        let p = Slot::predicate(self.below(self.sizes.predicates));
        match self.below(8) {
            0 => Slot::TRUE,
            1 => Slot::FALSE,
            2..5 => p.negated(),
            _ => p,
        }
    }

    fn predicate_register(&mut self) -> Slot {
        Slot::predicate(self.below(self.sizes.predicates))
    }

    fn compare_to(&mut self) -> CompareTo {
        let (p, q) = (self.predicate_register(), self.predicate_register());
        let op = [BoolOp::And, BoolOp::Or, BoolOp::Xor][self.below(3) as usize];
        match self.below(3) {
            0 => CompareTo { p, q: Slot::NONE, op: BoolOp::And, c: Slot::TRUE },
            1 => CompareTo { p, q: Slot::NONE, op, c: self.predicate() },
            // Two destinations that are the same are an error in PTX.
            _ if p == q => CompareTo { p: Slot::NONE, q, op, c: self.predicate() },
            _ => CompareTo { p, q, op, c: self.predicate() },
        }
    }

    /// The operation of a row.
    pub(super) fn of_row(&mut self, row: &'static Row) -> Op {
        let (nd, wd) = (self.narrow_register(), self.wide_register());
        let mut source = |wide: bool| if wide { self.wide() } else { self.narrow() };
        let s = row.shape().from.map(&mut source);
        match row.function {
            Alu::CompareNarrow(_) | Alu::CompareWide(_) => {
                Op::Compare { row, a: s[0], b: s[1], to: self.compare_to() }
            }
            _ => Op::Compute { row, d: if row.shape().to { wd } else { nd }, s },
        }
    }

    /// An operation that has no spelling of arithmetic.
    fn other(&mut self) -> Op {
        let (nd, wd, p) = (self.narrow_register(), self.wide_register(), self.predicate());
        match self.below(8) {
            0 => Op::MovNarrow { d: nd, a: self.narrow() },
            1 => Op::MovWide { d: wd, a: self.wide() },
            2 => Op::SelectNarrow { d: nd, a: self.narrow(), b: self.narrow(), p },
            3 => Op::SelectWide { d: wd, a: self.wide(), b: self.wide(), p },
            4 => {
                let lop3 = Modifiers { types: vec![ScalarType::B32], ..Modifiers::default() };
                let Alu::Lop3(f) = select(Opcode::Lop3, &lop3).expect("lop3") else {
                    panic!("lop3 has no function")
                };
                let table = self.below(256) as u8;
                Op::Lop3 { f, d: nd, s: [0; 3].map(|_| self.narrow()), table }
            }
            5 => {
                let f: fn(u32, u32) -> u32 = match self.below(6) {
                    0 => |a, b| a & b,
                    1 => |a, b| a | b,
                    2 => |a, b| a ^ b,
                    3 => |a, _| !a,
                    4 => |a, b| !a & b,
                    _ => |a, b| !(a & b),
                };
                let (d, b) = (self.predicate_register(), self.predicate());
                Op::Logic { f, d, a: p, b }
            }
            6 => {
                let reg = [SpecialReg::Tid, SpecialReg::Ctaid][self.below(2) as usize];
                Op::Special { d: nd, reg, component: self.below(3) as u8 }
            }
            _ => {
                let (d, size) = if self.below(2) == 0 { (nd, 4) } else { (wd, 8) };
                let offset = u64::from(self.below(2)) * 4 * u64::from(size == 4);
                Op::Load(Box::new(Access {
                    place: Space::KernelParam,
                    size,
                    signed: false,
                    parts: vec![d],
                    mask: u64::MAX,
                    base: Slot::NONE,
                    offset,
                    constant: false,
                    row: false,
                }))
            }
        }
    }

    pub(super) fn inst(&mut self) -> Inst {
        let op = match self.below(4) {
            0 => self.other(),
            _ => {
                let i = self.below(inner().len() as u32);
                self.of_row(&inner()[i as usize])
            }
        };
        let guard = if self.below(4) == 0 { self.predicate() } else { Slot::TRUE };
        Inst { op, guard, count: self.below(8).min(1) as u8, span: Span::default() }
    }
}
