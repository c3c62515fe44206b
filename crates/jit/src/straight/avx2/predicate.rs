//! Predicates: a bit of a word for each lane outside, vectors of lanes inside.

use super::super::asm::at;
use super::values::{Key, Kind, RESTING, Width};
use super::{Emitter, Frame, LANES, Operand, Ymm};
use crate::block::{Combine, Place, Predicate, Relation, Source, Test};
use iced_x86::{Code as C, Instruction as I, Register as R};

/// Lanes by a predicate: those with ones, or those without.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mask {
    pub(super) y: Ymm,
    pub(super) not: bool,
}

/// The immediate of a comparison of floats that raises no exception for quiet NaNs.
fn of_floats(relation: Relation, unordered: bool) -> u32 {
    match (relation, unordered) {
        (Relation::Eq, false) => 0x00,
        (Relation::Eq, true) => 0x08,
        (Relation::Ne, false) => 0x0c,
        (Relation::Ne, true) => 0x04,
        (Relation::Lt, false) => 0x11,
        // Not: greater or equal. And so on.
        (Relation::Lt, true) => 0x19,
        (Relation::Le, false) => 0x12,
        (Relation::Le, true) => 0x1a,
        (Relation::Gt, false) => 0x1e,
        (Relation::Gt, true) => 0x16,
        (Relation::Ge, false) => 0x1d,
        (Relation::Ge, true) => 0x15,
    }
}

/// Bit `2a + b` of a table for `a` of either sense, and `b`.
fn table_of(f: impl Fn(bool, bool) -> bool) -> u8 {
    (0..4).map(|i| u8::from(f(i & 2 != 0, i & 1 != 0)) << i).sum()
}

impl Emitter<'_> {
    /// A bit for each lane of a part.
    fn bits_of_lanes(&mut self) -> Operand {
        let row = std::array::from_fn(|i| 1 << (2 * i) | 1 << (2 * i + 33));
        Operand::Memory(self.pooled(row))
    }

    /// Lanes of the bits of a byte in memory.
    fn spread_byte(&mut self, y: Ymm, byte: Operand) {
        let bits = self.bits_of_lanes();
        self.two(C::VEX_Vpbroadcastb_ymm_xmmm8, y, byte);
        self.three(C::VEX_Vpand_ymm_ymm_ymmm256, y, y, bits);
        self.three(C::VEX_Vpcmpeqd_ymm_ymm_ymmm256, y, y, bits);
    }

    /// Ones for the lanes of the part that take no part.
    pub(super) fn lanes_that_rest(&mut self) {
        self.spread_byte(RESTING, Operand::Memory(at(R::RDI, Frame::MASK + self.part)));
        let ones = self.number(u32::MAX);
        self.three(C::VEX_Vpxor_ymm_ymm_ymmm256, RESTING, RESTING, ones);
    }

    /// Where the lanes of a part of a predicate are put meanwhile.
    fn room(&self, predicate: u32, part: usize) -> iced_x86::MemoryOperand {
        let room = self.rooms.get(&predicate).copied().unwrap_or(0);
        at(R::RDI, Frame::room(room, 0) + part)
    }

    pub(super) fn load_predicate(&mut self, y: Ymm, predicate: u32) {
        let byte = if self.roomed.contains(&predicate) {
            self.room(predicate, self.part)
        } else {
            at(R::RCX, predicate as usize * 4 + self.part)
        };
        self.spread_byte(y, Operand::Memory(byte));
    }

    /// Puts a predicate into its room.
    pub(super) fn park(&mut self, predicate: u32, y: Ymm) {
        let to = self.room(predicate, self.part);
        self.asm.put(I::with2(C::VEX_Vmovmskps_r32_ymm, R::EAX, y.y()));
        self.asm.put(I::with2(C::Mov_rm8_r8, to, R::AL));
        self.values.of(y).dirty = false;
        self.roomed.insert(predicate);
    }

    /// A predicate's lanes, in a register that is not to be changed.
    pub(super) fn predicate(&mut self, predicate: Predicate) -> Mask {
        let ones = Key::Other(Source::Literal(u32::MAX.into()), Width::Narrow);
        let (key, not) = match predicate {
            Predicate::If(i) => (Key::Predicate(i), false),
            Predicate::Unless(i) => (Key::Predicate(i), true),
            Predicate::Always => (ones, false),
            Predicate::Never => (ones, true),
        };
        Mask { y: self.hold(key), not }
    }

    /// Writes a predicate; `value` is a temporary.
    fn put_predicate(&mut self, to: u32, value: Ymm, guard: Option<Mask>) {
        let key = Key::Predicate(to);
        if let Some(guard) = guard {
            let old = self.hold(key);
            let (first, second) = if guard.not { (value, old) } else { (old, value) };
            self.blend(value, first, second, guard.y);
        }
        self.changed.insert(to);
        self.define(key, value, Kind::BITS);
    }

    /// Lanes of 64 bits of a half of lanes of 32 bits that are all ones or all zeros.
    pub(super) fn spread(&mut self, to: Ymm, from: Ymm, half: usize) {
        let mut low = from.x();
        if half == 1 {
            self.asm.put(I::with3(C::VEX_Vextracti128_xmmm128_ymm_imm8, to.x(), from.y(), 1_u32));
            low = to.x();
        }
        self.asm.put(I::with2(C::VEX_Vpmovsxdq_ymm_xmmm128, to.y(), low));
    }

    /// The mask of a half of wide lanes.
    pub(super) fn of_half(&mut self, mask: Mask, half: usize) -> Mask {
        let y = self.temporary();
        self.spread(y, mask.y, half);
        Mask { y, not: mask.not }
    }

    /// Stores the predicates that are kept, all parts at once: who reads a whole word must not wait for
    /// several stores. Lanes that do not take part keep what they have.
    pub(super) fn store_predicates(&mut self) {
        for predicate in std::mem::take(&mut self.changed) {
            if !self.block.kept.contains(&Place::Predicate(predicate)) {
                continue;
            }
            let file = at(R::RCX, predicate as usize * 4);
            for part in (0..32 / LANES).rev() {
                let to = if part == 3 { R::EAX } else { R::R11D };
                self.asm.put(I::with2(C::Movzx_r32_rm8, to, self.room(predicate, part)));
                if part != 3 {
                    self.asm.put(I::with2(C::Shl_rm32_imm8, R::EAX, 8));
                    self.asm.put(I::with2(C::Or_r32_rm32, R::EAX, R::R11D));
                }
            }
            self.asm.put(I::with2(C::Xor_r32_rm32, R::EAX, file));
            self.asm.put(I::with2(C::And_r32_rm32, R::EAX, R::R8D));
            self.asm.put(I::with2(C::Xor_rm32_r32, file, R::EAX));
        }
    }

    /// Lanes in which a comparison holds (or does not: see the mask), in a temporary.
    fn test(&mut self, test: Test, [a, b]: [Source; 2]) -> Option<Mask> {
        match test {
            Test::Double { .. } => None,
            Test::Float { relation, unordered } => {
                let (a, d) = (self.float(a)?, self.temporary());
                let b = self.float_operand(b)?;
                let code = C::VEX_Vcmpps_ymm_ymm_ymmm256_imm8;
                self.three_with(code, d, a, b, of_floats(relation, unordered));
                Some(Mask { y: d, not: false })
            }
            Test::Signed(relation) | Test::Unsigned(relation) => {
                let is_signed = matches!(test, Test::Signed(_));
                self.test_narrow(relation, is_signed, a, b)
            }
            Test::SignedWide(relation) | Test::UnsignedWide(relation) => {
                let is_signed = matches!(test, Test::SignedWide(_));
                self.test_wide(relation, is_signed, a, b)
            }
        }
    }

    fn test_narrow(&mut self, how: Relation, signed: bool, a: Source, b: Source) -> Option<Mask> {
        let (equal, greater) = (C::VEX_Vpcmpeqd_ymm_ymm_ymmm256, C::VEX_Vpcmpgtd_ymm_ymm_ymmm256);
        // Greater of a and b, or of b and a.
        let (a, b) = match how {
            Relation::Lt | Relation::Ge if signed => (b, a),
            _ => (a, b),
        };
        let a = self.narrow(a)?;
        let b = self.narrow_operand(b)?;
        let (y, not) = match how {
            Relation::Eq | Relation::Ne => (self.binary(equal, a, b), how == Relation::Ne),
            _ if signed => (self.binary(greater, a, b), matches!(how, Relation::Le | Relation::Ge)),
            // The lesser one is a, the greater one is a.
            Relation::Le | Relation::Gt => (self.extreme_is(a, b, true), how == Relation::Gt),
            Relation::Ge | Relation::Lt => (self.extreme_is(a, b, false), how == Relation::Lt),
        };
        Some(Mask { y, not })
    }

    fn extreme_is(&mut self, a: Ymm, b: Operand, least: bool) -> Ymm {
        let code =
            if least { C::VEX_Vpminud_ymm_ymm_ymmm256 } else { C::VEX_Vpmaxud_ymm_ymm_ymmm256 };
        let d = self.binary(code, a, b);
        self.three(C::VEX_Vpcmpeqd_ymm_ymm_ymmm256, d, d, a);
        d
    }

    fn test_wide(&mut self, how: Relation, signed: bool, a: Source, b: Source) -> Option<Mask> {
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
        let mut halves = [Ymm(0); 2];
        for (half, y) in halves.iter_mut().enumerate() {
            let (a, b) = (self.wide(a, half)?, self.wide_operand(b, half)?);
            *y = if signed || is_equal {
                self.binary(code, a, b)
            } else {
                // Unsigned numbers are in the order of signed ones with the other sign.
                let sign = self.wide_number(1 << 63);
                let xor = C::VEX_Vpxor_ymm_ymm_ymmm256;
                let d = self.binary(xor, a, sign);
                let b = match b {
                    Operand::Register(b) => self.binary(xor, b, sign),
                    Operand::Memory(_) => {
                        let loaded = self.unary(C::VEX_Vmovdqu_ymm_ymmm256, b);
                        self.three(xor, loaded, loaded, sign);
                        loaded
                    }
                };
                self.three(code, d, d, b);
                self.values.release(b);
                d
            };
        }
        let [low, high] = halves;
        self.low_halves(low, low, high);
        self.values.release(high);
        Some(Mask { y: low, not: matches!(how, Relation::Ne | Relation::Le | Relation::Ge) })
    }

    /// See [`crate::Action::Compare`].
    pub(super) fn compare(
        &mut self,
        test: Test,
        from: [Source; 2],
        to: [Option<u32>; 2],
        (combine, with): (Combine, Predicate),
        guard: Option<Mask>,
    ) -> Option<()> {
        let holds = self.test(test, from)?;
        let with = (with != Predicate::Always).then_some(with);
        let with = with.map(|with| self.predicate(with));
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
        let sources = [holds.y, with.map_or(holds.y, |with| with.y)];
        // The predicate that is combined may be one of the destinations.
        let not = to[1].map(|_| self.logic_of(combined(false), sources));
        let is = to[0].map(|_| match combined(true) {
            0b1100 => holds.y,
            table => self.logic_of(table, sources),
        });
        for (to, value) in to.into_iter().zip([is, not]) {
            if let (Some(to), Some(value)) = (to, value) {
                self.put_predicate(to, value, guard);
            }
        }
        Some(())
    }

    /// A table of two predicates, in a temporary.
    fn logic_of(&mut self, table: u8, [a, b]: [Ymm; 2]) -> Ymm {
        // Each bit twice, for either value of a third source.
        let table = (0..4).map(|i| ((table >> i & 1) * 3) << (2 * i)).sum();
        self.bits(table, [a.into(), b.into(), b.into()])
    }

    /// A predicate of two by a table.
    pub(super) fn logic(&mut self, table: u8, to: u32, from: [Predicate; 2], guard: Option<Mask>) {
        let [a, b] = from.map(|p| self.predicate(p));
        let table = table_of(|x, y| {
            let i = 2 * u8::from(x != a.not) + u8::from(y != b.not);
            table >> i & 1 != 0
        });
        let value = self.logic_of(table, [a.y, b.y]);
        self.put_predicate(to, value, guard);
    }
}
