//! `shfl` with constant operands: the lane that each lane reads is known at compile time, and each
//! part is combined from permutations of the parts that its lanes read.

use super::cross::ROW;
use super::{Avx2Emitter, LANES_SIZE, MOVE, Operand, PARTS};
use crate::emit::asm::at;
use crate::emit::register_cache::{Kind, Reg};
use crate::frame::Frame;
use crate::operand::Source;
use crate::region::{Shuffle, Shuffling, Step};
use iced_x86::{Code as C, Register as R};

/// For each lane, the lane that it reads, and whether the requested lane was out of range, so that
/// the lane reads itself.
pub(super) type Pattern = [(u32, bool); 32];

/// The pattern of a shuffle, if its operands are constant (PTX ISA 9.7.9.6).
pub(super) fn pattern(op: &Shuffle) -> Option<Pattern> {
    let (Source::Literal(b), Source::Literal(c)) = (op.b, op.c) else { return None };
    let (b, clamp, segment) = (b as i32 & 31, c as i32 & 31, (c >> 8) as i32 & 31);
    Some(std::array::from_fn(|lane| {
        let lane = lane as i32;
        let first = lane & segment;
        let last = first | clamp & !segment;
        let (from, outside) = match op.mode {
            Shuffling::Up => (lane - b, lane - b < last),
            Shuffling::Down => (lane + b, lane + b > last),
            Shuffling::Butterfly => (lane ^ b, lane ^ b > last),
            Shuffling::Index => {
                let from = first | b & !segment;
                (from, from > last)
            }
        };
        let from = if outside { lane } else { from };
        (from as u32 & 31, outside)
    }))
}

/// A constant vector of eight 32-bit numbers.
fn packed(numbers: [u32; 8]) -> [u64; 4] {
    std::array::from_fn(|i| u64::from(numbers[2 * i]) | u64::from(numbers[2 * i + 1]) << 32)
}

impl Avx2Emitter<'_> {
    /// Emits the results of a shuffle whose values are in the scratch register [`ROW`].
    pub(super) fn permute(&mut self, step: &Step, op: &Shuffle, pattern: &Pattern) {
        for part in 0..PARTS {
            let of_part = &pattern[8 * usize::from(part)..][..8];
            let guard = self.guard(step.guard, part);
            if let Some(to) = op.to {
                let value = self.permuted(of_part);
                self.write_narrow(to, part, value, Kind::BITS, guard);
            }
            if let Some(to) = op.valid {
                let inside = std::array::from_fn(|i| if of_part[i].1 { 0 } else { u32::MAX });
                let inside = self.pool_vector(packed(inside));
                let value = self.unary(MOVE, inside);
                self.put_predicate(to, value, guard, part);
            }
            self.cache.unpin();
        }
    }

    /// Computes eight lanes of the result in a temporary.
    fn permuted(&mut self, of_part: &[(u32, bool)]) -> Reg {
        let mut sum: Option<Reg> = None;
        for from in 0..PARTS {
            let is_from = |i: usize| of_part[i].0 / 8 == u32::from(from);
            let lanes = (0..8).fold(0, |lanes, i| lanes | u32::from(is_from(i)) << i);
            if lanes == 0 {
                continue;
            }
            let lanes_in_part = self.pool_vector(packed(std::array::from_fn(|i| of_part[i].0 % 8)));
            let value = self.unary(MOVE, lanes_in_part);
            let numbers = at(R::RDI, Frame::scratch(ROW) + usize::from(from) * LANES_SIZE);
            let permute = C::VEX_Vpermd_ymm_ymm_ymmm256;
            self.three(permute, value, value, Operand::Memory(numbers));
            match sum {
                None => sum = Some(value),
                Some(sum) => {
                    let blend = C::VEX_Vpblendd_ymm_ymm_ymmm256_imm8;
                    self.three_with(blend, sum, sum, value, lanes);
                    self.release(value);
                }
            }
        }
        // `sum` is set, because each lane reads from some part.
        sum.unwrap_or_else(|| self.temporary())
    }
}
