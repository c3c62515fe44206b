//! Reversal of bits, and selection of bytes.

use super::{Avx2Emitter, MOVE, Operand};
use crate::emit::register_cache::Reg;
use crate::emit::tables::{BEGINS, REVERSED, SWAPPED};
use crate::op::Op;
use crate::operand::Source;
use iced_x86::Code as C;

const SHUFFLE: C = C::VEX_Vpshufb_ymm_ymm_ymmm256;
const AND: C = C::VEX_Vpand_ymm_ymm_ymmm256;
const OR: C = C::VEX_Vpor_ymm_ymm_ymmm256;

impl Avx2Emitter<'_> {
    /// A constant of 128 bits, which a vector in memory has in both halves.
    fn half(&mut self, [low, high]: [u64; 2]) -> Operand {
        self.pool_vector([low, high, low, high])
    }

    /// Emits a bit reversal or a byte selection. The result is in a temporary.
    pub(super) fn bytes_op(&mut self, op: Op, from: [Source; 3], part: u8) -> Option<Reg> {
        let a = self.narrow(from[0], part)?;
        if op == Op::Reverse {
            return Some(self.reversed(a));
        }
        let which = match from[1] {
            Source::Literal(number) => {
                let has_both_modes = u64::from(number as u32 & 0x8383_8383) * 0x1_0000_0001;
                self.half(BEGINS.map(|begins| begins | has_both_modes))
            }
            source => {
                let (b, mask) = (self.narrow(source, part)?, self.number(0x8383_8383));
                let begins = self.half(BEGINS);
                let d = self.binary(AND, b, mask);
                self.three(OR, d, d, begins);
                d.into()
            }
        };
        Some(self.binary(SHUFFLE, a, which))
    }

    fn reversed(&mut self, a: Reg) -> Reg {
        let (swapped, four) = (self.half(SWAPPED), self.number(0x0f0f_0f0f));
        let (of_high, of_low) = (self.half(REVERSED[0]), self.half(REVERSED[1]));
        let low = self.binary(SHUFFLE, a, swapped);
        let (high, table) = (self.temporary(), self.temporary());
        self.two_with(C::VEX_Vpsrld_ymm_ymm_imm8, high, low, 4);
        self.three(AND, high, high, four);
        self.three(AND, low, low, four);
        self.two(MOVE, table, of_high);
        self.three(SHUFFLE, high, table, high);
        self.two(MOVE, table, of_low);
        self.three(SHUFFLE, low, table, low);
        self.three(OR, low, low, high);
        self.release(table);
        self.release(high);
        low
    }
}
