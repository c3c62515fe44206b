//! Random operations and comparisons.

use super::super::model::PREDICATES;
use super::RegionBuilder;
use crate::floats::{FLOATS, WORDS};
use texunit_jit::region::Action;
use texunit_jit::{Combine, Float, Op, Predicate, Relation, Rounding, Source, Test};

impl RegionBuilder<'_> {
    pub(super) fn narrow_op(&mut self) -> Op {
        let select = self.asked();
        let ops: Vec<_> = FLOATS.into_iter().chain([Float::Round(Rounding::Near)]).collect();
        let op = self.random.of(&ops);
        let saturate = matches!(op, Float::Add | Float::Mul | Float::Fma) && self.random.one_in(4);
        let flush = !matches!(op, Float::Round(_) | Float::Div | Float::Sqrt | Float::Copy)
            && self.random.one_in(3);
        let float = Op::Float { op, rounding: Rounding::Near, flush, saturate };
        let table = self.random.below(256_u32) as u8;
        match self.random.below(34_u32) {
            0..5 => float,
            5..7 => Op::Bits(table),
            7 => Op::ToU(Rounding::Trunc),
            8 => Op::ToS(Rounding::Floor),
            9 => Op::Select(select),
            10 => Op::ToHalf(Rounding::Near),
            11 => Op::LookUp(texunit_sfu::lanes::LG2_12),
            _ => self.random.of(&WORDS),
        }
    }

    pub(super) fn wide_op(&mut self) -> (Op, [Source; 3]) {
        let (a, b, c) = (self.wide_source(), self.wide_source(), self.wide_source());
        let (x, y) = (self.source(), self.source());
        let table = self.random.below(256_u32) as u8;
        let select = self.asked();
        if self.wanted.doubles && self.random.chance(50) {
            let op = self.random.of(&FLOATS);
            return self.random.of(&[
                (Op::Double(op, Rounding::Near), [a, b, c]),
                (Op::Double(op, Rounding::Near), [a, b, c]),
                (Op::Double(op, Rounding::Near), [a, b, c]),
                (Op::DoubleFromU, [x; 3]),
                (Op::DoubleFromS, [x; 3]),
                (Op::DoubleFromWideU, [a; 3]),
                (Op::DoubleFromWideS, [a; 3]),
                (Op::DoubleFromF, [x; 3]),
                (Op::DoubleToWideS, [a; 3]),
                (Op::DoubleToWideU, [a; 3]),
                (Op::MulHighWide, [a, b, b]),
            ]);
        }
        self.random.of(&[
            (Op::CopyWide, [a; 3]),
            (Op::AddWide, [a, b, c]),
            (Op::SubWide, [a, b, c]),
            (Op::MulWide, [a, b, c]),
            (Op::BitsWide(table), [a, b, c]),
            (Op::ShiftLeftWide, [a, x, x]),
            (Op::ShiftRightWideU, [a, x, x]),
            (Op::ShiftRightWideS, [a, x, x]),
            (Op::SelectWide(select), [a, b, c]),
            (Op::ProductU, [x, y, c]),
            (Op::ProductS, [x, y, c]),
            (Op::ProductAddU, [x, y, c]),
            (Op::ProductAddS, [x, y, c]),
            (Op::ExtendU, [x; 3]),
            (Op::ExtendS, [x; 3]),
        ])
    }

    pub(super) fn compare(&mut self) -> Action {
        let relation = self.random.of(&[
            Relation::Eq,
            Relation::Ne,
            Relation::Lt,
            Relation::Le,
            Relation::Gt,
            Relation::Ge,
        ]);
        let unordered = self.random.one_in(2);
        let mut tests = vec![
            Test::Signed(relation),
            Test::Unsigned(relation),
            Test::SignedWide(relation),
            Test::UnsignedWide(relation),
            Test::Float { relation, unordered },
        ];
        if self.wanted.doubles {
            tests.push(Test::Double { relation, unordered });
        }
        let test = self.random.of(&tests);
        let is_wide =
            matches!(test, Test::SignedWide(_) | Test::UnsignedWide(_) | Test::Double { .. });
        let from = if is_wide {
            [self.wide_source(), self.wide_source()]
        } else {
            [self.source(), self.source()]
        };
        let first = self.predicate();
        let second = (first + 1) % (PREDICATES as u32 - 1);
        let to = self.random.of(&[
            [Some(first), None],
            [Some(first), None],
            [Some(first), Some(second)],
            [None, Some(first)],
        ]);
        let how = self.random.of(&[Combine::And, Combine::Or, Combine::Xor]);
        let trivial = (Combine::And, Predicate::Always);
        let with = if self.random.one_in(2) { trivial } else { (how, self.asked()) };
        Action::Compare { test, from, to, with }
    }
}
