//! Predicates: one bit per lane in the register file, vectors with all bits of a lane set or
//! cleared in processor registers.

use super::{Avx2, Avx2Emitter, SCRATCH};
use crate::emit::backend::Primitives;
use crate::emit::register_cache::{Key, Kind, Reg, Width};
use crate::emit::vector::{Operand, V, of_floats};
use crate::operand::{Combine, Predicate, Relation, Source, Test};
use iced_x86::{Code as C, MemoryOperand};

/// A vector mask, or its negation if `not` is true.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mask {
    pub(super) reg: Reg,
    pub(super) not: bool,
}

/// The truth table of a function of two predicates: bit `2a + b` is its value.
fn table_of(f: impl Fn(bool, bool) -> bool) -> u8 {
    (0..4).map(|i| u8::from(f(i & 2 != 0, i & 1 != 0)) << i).sum()
}

impl Avx2Emitter<'_> {
    /// A constant vector with a different bit in each lane of a lane group.
    pub(super) fn bits_of_lanes(&mut self) -> Operand {
        self.pool_vector(std::array::from_fn(|i| 1 << (2 * i) | 1 << (2 * i + 33)))
    }

    /// Converts the bits of a byte in memory, one for each lane, to a vector mask.
    pub(super) fn spread_byte(&mut self, y: Reg, byte: MemoryOperand) {
        let bits = self.bits_of_lanes();
        self.two(C::VEX_Vpbroadcastb_ymm_xmmm8, y, Operand::Memory(byte));
        self.three(C::VEX_Vpand_ymm_ymm_ymmm256, y, y, bits);
        self.three(C::VEX_Vpcmpeqd_ymm_ymm_ymmm256, y, y, bits);
    }

    /// The vector mask of a predicate, in a register that must not be changed.
    pub(super) fn predicate(&mut self, predicate: Predicate, part: u8) -> Mask {
        let ones = Key::Other(Source::Literal(u32::MAX.into()), Width::B32, 0);
        let (key, not) = match predicate {
            Predicate::If(i) => (Key::Predicate(i, part), false),
            Predicate::Unless(i) => (Key::Predicate(i, part), true),
            Predicate::Always => (ones, false),
            Predicate::Never => (ones, true),
        };
        Mask { reg: self.hold(key), not }
    }

    /// Writes a predicate register; `value` is a temporary register.
    pub(super) fn put_predicate(&mut self, to: u32, value: Reg, guard: Option<Mask>, part: u8) {
        let key = Key::Predicate(to, part);
        if let Some(guard) = guard {
            let old = self.hold(key);
            let (first, second) = if guard.not { (value, old) } else { (old, value) };
            Avx2::blend(self, false, (value, first), second, guard.reg);
        }
        self.define(key, value, Kind::BITS);
    }

    /// Emits a comparison. Returns the temporary register with the vector mask of the result.
    fn test(&mut self, test: Test, [a, b]: [Source; 2], part: u8) -> Option<Mask> {
        match test {
            Test::Float { relation, unordered } => {
                let (a, d) = (self.float(a, part)?, self.temporary());
                let b = self.float_operand(b, part)?;
                let code = C::VEX_Vcmpps_ymm_ymm_ymmm256_imm8;
                self.three_with(code, d, a, b, of_floats(relation, unordered));
                Some(Mask { reg: d, not: false })
            }
            Test::Special => {
                let (a, d) = (self.float(a, part)?, self.temporary());
                let [up, end] = [0x0080_0000, 0x0100_0000].map(|bits| self.number(bits));
                // The sum is negative for infinity and NaNs, and low for negative numbers.
                self.three(V::Add32, d, a, up);
                self.two(V::Move, SCRATCH, end);
                self.three(C::VEX_Vpcmpgtd_ymm_ymm_ymmm256, d, SCRATCH, d);
                Some(Mask { reg: d, not: false })
            }
            Test::Double { relation, unordered } => {
                let how = of_floats(relation, unordered);
                let mut halves = [Reg(0); 2];
                for (half, y) in (2 * part..).zip(&mut halves) {
                    let (a, b) = (self.wide(a, half)?, self.wide_operand(b, half)?);
                    *y = self.temporary();
                    self.three_with(C::VEX_Vcmppd_ymm_ymm_ymmm256_imm8, *y, a, b, how);
                }
                Some(Mask { reg: self.joined(halves), not: false })
            }
            Test::Signed(relation) | Test::Unsigned(relation) => {
                self.test_narrow(relation, matches!(test, Test::Signed(_)), [a, b], part)
            }
            Test::SignedWide(relation) | Test::UnsignedWide(relation) => {
                self.test_wide(relation, matches!(test, Test::SignedWide(_)), [a, b], part)
            }
        }
    }

    fn test_narrow(
        &mut self,
        how: Relation,
        signed: bool,
        [a, b]: [Source; 2],
        part: u8,
    ) -> Option<Mask> {
        let (equal, greater) = (C::VEX_Vpcmpeqd_ymm_ymm_ymmm256, C::VEX_Vpcmpgtd_ymm_ymm_ymmm256);
        // AVX2 only has "greater", so that a and b are swapped for "less".
        let (a, b) = match how {
            Relation::Lt | Relation::Ge if signed => (b, a),
            _ => (a, b),
        };
        let a = self.narrow(a, part)?;
        let b = self.narrow_operand(b, part)?;
        let (y, not) = match how {
            Relation::Eq | Relation::Ne => (self.binary(equal, a, b), how == Relation::Ne),
            _ if signed => (self.binary(greater, a, b), matches!(how, Relation::Le | Relation::Ge)),
            // Unsigned comparisons test whether the minimum or the maximum of a and b is a.
            Relation::Le | Relation::Gt => (self.extreme_is(a, b, true), how == Relation::Gt),
            Relation::Ge | Relation::Lt => (self.extreme_is(a, b, false), how == Relation::Lt),
        };
        Some(Mask { reg: y, not })
    }

    fn extreme_is(&mut self, a: Reg, b: Operand, least: bool) -> Reg {
        let code =
            if least { C::VEX_Vpminud_ymm_ymm_ymmm256 } else { C::VEX_Vpmaxud_ymm_ymm_ymmm256 };
        let d = self.binary(code, a, b);
        self.three(C::VEX_Vpcmpeqd_ymm_ymm_ymmm256, d, d, a);
        d
    }

    fn test_wide(
        &mut self,
        how: Relation,
        signed: bool,
        [a, b]: [Source; 2],
        part: u8,
    ) -> Option<Mask> {
        let is_equal = matches!(how, Relation::Eq | Relation::Ne);
        let code = if is_equal {
            C::VEX_Vpcmpeqq_ymm_ymm_ymmm256
        } else {
            C::VEX_Vpcmpgtq_ymm_ymm_ymmm256
        };
        let (a, b) = match how {
            Relation::Lt | Relation::Ge => (b, a),
            _ => (a, b),
        };
        let mut halves = [Reg(0); 2];
        for (half, y) in (2 * part..).zip(&mut halves) {
            let (a, b) = (self.wide(a, half)?, self.wide_operand(b, half)?);
            *y = if signed || is_equal {
                self.binary(code, a, b)
            } else {
                // Flipping the sign bits makes a signed comparison compare unsigned numbers.
                let sign = self.wide_number(1 << 63);
                let xor = C::VEX_Vpxor_ymm_ymm_ymmm256;
                let d = self.binary(xor, a, sign);
                let b = match b {
                    Operand::Register(b) => self.binary(xor, b, sign),
                    Operand::Memory(_) => {
                        let loaded = self.unary(V::Move, b);
                        self.three(xor, loaded, loaded, sign);
                        loaded
                    }
                };
                self.three(code, d, d, b);
                self.release(b);
                d
            };
        }
        Some(Mask {
            reg: self.joined(halves),
            not: matches!(how, Relation::Ne | Relation::Le | Relation::Ge),
        })
    }

    /// Turns two halves of 64-bit masks into a mask of 32-bit lanes.
    fn joined(&mut self, [low, high]: [Reg; 2]) -> Reg {
        Avx2::low_halves(self, low, [low, high]);
        self.release(high);
        low
    }

    pub(super) fn compare(
        &mut self,
        test: Test,
        from: [Source; 2],
        to: [Option<u32>; 2],
        (combine, with): (Combine, Predicate),
        guard: Option<Mask>,
        part: u8,
    ) -> Option<()> {
        let holds = self.test(test, from, part)?;
        let with = (with != Predicate::Always).then_some(with);
        let with = with.map(|with| self.predicate(with, part));
        let combined = |sense: bool| {
            table_of(|a, b| {
                let a = a != (holds.not == sense);
                let b = with.is_none_or(|with| b != with.not);
                match combine {
                    Combine::And => a & b,
                    Combine::Or => a | b,
                    Combine::Xor => a ^ b,
                }
            })
        };
        let sources = [holds.reg, with.map_or(holds.reg, |with| with.reg)];
        // The combined predicate may also be a destination, so that both results are computed
        // first.
        let not = to[1].map(|_| self.logic_of(combined(false), sources));
        let is = to[0].map(|_| match combined(true) {
            0b1100 => holds.reg,
            table => self.logic_of(table, sources),
        });
        for (to, value) in to.into_iter().zip([is, not]) {
            if let (Some(to), Some(value)) = (to, value) {
                self.put_predicate(to, value, guard, part);
            }
        }
        Some(())
    }

    /// Computes a Boolean function of two predicates. Returns the temporary register of the result.
    fn logic_of(&mut self, table: u8, [a, b]: [Reg; 2]) -> Reg {
        // Each bit of the truth table is doubled, for a third source that is ignored.
        let table = (0..4).map(|i| ((table >> i & 1) * 3) << (2 * i)).sum();
        self.bits(table, [a.into(), b.into(), b.into()])
    }

    /// Emits a Boolean function of two predicates.
    pub(super) fn logic(
        &mut self,
        table: u8,
        to: u32,
        from: [Predicate; 2],
        guard: Option<Mask>,
        part: u8,
    ) {
        let [a, b] = from.map(|p| self.predicate(p, part));
        let table = table_of(|x, y| {
            let i = 2 * u8::from(x != a.not) + u8::from(y != b.not);
            table >> i & 1 != 0
        });
        let value = self.logic_of(table, [a.reg, b.reg]);
        self.put_predicate(to, value, guard, part);
    }
}
