//! Reversal of bits, and selection of bytes.

use super::{Operand, V};
use crate::emit::Emitter;
use crate::emit::asm::at;
use crate::emit::backend::Backend;
use crate::emit::register_cache::Reg;
use crate::op::Op;
use crate::operand::Source;
use iced_x86::Register as R;

/// For each number of four bits, its bits in reverse order: in the low half of a byte, and in the
/// high half.
const REVERSED: [[u64; 2]; 2] = [
    [0x0e06_0a02_0c04_0800, 0x0f07_0b03_0d05_0901],
    [0xe060_a020_c040_8000, 0xf070_b030_d050_9010],
];
/// Shuffle that reverses the four bytes of each 32-bit element.
const SWAPPED: [u64; 2] = [0x0405_0607_0001_0203, 0x0c0d_0e0f_0809_0a0b];
/// For each byte, the number of the first byte of its 32-bit element.
const BEGINS: [u64; 2] = [0x0404_0404_0000_0000, 0x0c0c_0c0c_0808_0808];

impl<B: Backend> Emitter<'_, B> {
    /// The memory operand of a vector constant that repeats the same 128 bits.
    fn quarters(&mut self, numbers: [u64; 2]) -> Operand {
        let row = numbers.repeat(B::LANES / 4);
        Operand::Memory(at(R::R9, self.pooled(&row)))
    }

    /// Emits a bit reversal or a byte selection. Returns the temporary register of the result.
    pub(super) fn bytes_op(&mut self, op: Op, from: [Source; 3], part: u8) -> Option<Reg> {
        let a = self.narrow(from[0], part)?;
        if op == Op::Reverse {
            return Some(self.reversed(a));
        }
        let which = match from[1] {
            Source::Literal(number) => {
                let bytes = u64::from(number as u32 & 0x8383_8383) * 0x1_0000_0001;
                self.quarters(BEGINS.map(|begins| begins | bytes))
            }
            source => {
                let (b, mask) = (self.narrow(source, part)?, self.number(0x8383_8383));
                let begins = self.quarters(BEGINS);
                let d = self.binary(V::And32, b, mask);
                self.three(V::Or32, d, d, begins);
                d.into()
            }
        };
        Some(self.binary(V::ShuffleBytes, a, which))
    }

    fn reversed(&mut self, a: Reg) -> Reg {
        let (swapped, four) = (self.quarters(SWAPPED), self.number(0x0f0f_0f0f));
        let tables = REVERSED.map(|table| self.quarters(table));
        let low = self.binary(V::ShuffleBytes, a, swapped);
        let (high, table) = (self.temporary(), self.temporary());
        self.two_with(V::RightU32, high, low, 4);
        for (half, from) in [high, low].into_iter().zip(tables) {
            self.three(V::And32, half, half, four);
            self.two(V::Load, table, from);
            self.three(V::ShuffleBytes, half, table, half);
        }
        self.three(V::Or32, low, low, high);
        self.release(table);
        self.release(high);
        low
    }
}
