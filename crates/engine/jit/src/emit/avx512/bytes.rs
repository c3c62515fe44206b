//! Reversal of bits, and selection of bytes.

use super::Avx512Emitter;
use super::load::{LOAD, Operand};
use crate::emit::asm::at;
use crate::emit::register_cache::{Kind, Reg};
use crate::emit::tables::{BEGINS, REVERSED, SWAPPED};
use crate::op::Op;
use crate::operand::Source;
use iced_x86::{Code as C, Instruction as I, Register as R};

const SHUFFLE: C = C::EVEX_Vpshufb_zmm_k1z_zmm_zmmm512;
const AND: C = C::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
const OR: C = C::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32;

impl Avx512Emitter<'_> {
    /// A constant of 128 bits that all quarters of a vector in memory have.
    fn quarter(&mut self, numbers: [u64; 2]) -> Operand {
        let row: [u64; 8] = std::array::from_fn(|i| numbers[i % 2]);
        Operand::Memory(at(R::R9, self.pooled(&row)))
    }

    /// A constant of 128 bits that all quarters of a register have.
    fn quarter_register(&mut self, numbers: [u64; 2]) -> Reg {
        let (d, from) = (self.temporary(), self.quarter(numbers));
        if let Operand::Memory(from) = from {
            self.asm.put(I::with2(LOAD, d.z(), from));
        }
        d
    }

    /// Emits a bit reversal or a byte selection. The result is in a temporary.
    pub(super) fn bytes_op(&mut self, op: Op, from: [Source; 3], part: u8) -> Option<(Reg, Kind)> {
        let a = self.narrow(from[0], part)?;
        if op == Op::Reverse {
            return Some((self.reversed(a), Kind::BITS));
        }
        let which = match from[1] {
            Source::Literal(number) => {
                let has_both_modes = u64::from(number as u32 & 0x8383_8383) * 0x1_0000_0001;
                self.quarter(BEGINS.map(|begins| begins | has_both_modes))
            }
            source => {
                let (b, mask) = (self.narrow(source, part)?, self.number(0x8383_8383));
                let d = self.binary(AND, b, mask);
                let begins = self.quarter(BEGINS);
                self.three(OR, d.z(), d, begins);
                d.into()
            }
        };
        Some((self.binary(SHUFFLE, a, which), Kind::BITS))
    }

    fn reversed(&mut self, a: Reg) -> Reg {
        let (swapped, four) = (self.quarter(SWAPPED), self.number(0x0f0f_0f0f));
        let low = self.binary(SHUFFLE, a, swapped);
        let high = self.temporary();
        let shift = C::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8;
        self.asm.put(I::with3(shift, high.z(), low.z(), 4_u32));
        self.three(AND, high.z(), high, four);
        self.three(AND, low.z(), low, four);
        let (of_high, of_low) =
            (self.quarter_register(REVERSED[0]), self.quarter_register(REVERSED[1]));
        self.three(SHUFFLE, high.z(), of_high, high);
        self.three(SHUFFLE, low.z(), of_low, low);
        self.three(OR, low.z(), low, high);
        low
    }
}
