//! For both back ends, the lanes that `shfl` reads: constant, or computed by emitted code.

use super::Emitter;
use super::backend::Backend;
use super::register_cache::Reg;
use super::vector::V;
use crate::ir::{Shuffle, Shuffling};
use crate::operand::Source;

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

/// Pairs of 32-bit numbers, as a constant of the pool.
pub(super) fn packed(numbers: &[u32]) -> Vec<u64> {
    numbers.chunks(2).map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32).collect()
}

impl<B: Backend> Emitter<'_, B> {
    /// Computes the lanes from which a lane group reads, in a temporary register: its own lane
    /// where the requested one is out of range, which is the condition.
    pub(super) fn source_lanes(&mut self, op: &Shuffle, part: u8) -> Option<Reg> {
        let [lane, b, c] = [Source::Lane, op.b, op.c].map(|source| self.low_word(source, part));
        let (lane, b, c) = (lane?, b?, c?);
        let five = self.number(31);
        self.three(V::And32, b, b, five);
        let [segment, last, from] = [(); 3].map(|()| self.temporary());
        // last = lane & segment | clamp & !segment
        self.two_with(V::RightU32, segment, c, 8);
        self.three(V::And32, segment, segment, five);
        self.three(V::And32, c, c, five);
        self.three(V::AndNot32, c, segment, c);
        let first = self.binary(V::And32, lane, segment);
        self.three(V::Or32, last, first, c);
        match op.mode {
            Shuffling::Up => self.three(V::Sub32, from, lane, b),
            Shuffling::Down => self.three(V::Add32, from, lane, b),
            Shuffling::Butterfly => self.three(V::Xor32, from, lane, b),
            Shuffling::Index => {
                self.three(V::AndNot32, from, segment, b);
                self.three(V::Or32, from, from, first);
            }
        }
        let (greater, less) = if op.mode == Shuffling::Up { (last, from) } else { (from, last) };
        self.three(V::GreaterS32, B::SPARE_MASK, greater, less);
        B::blend(self, false, (from, from), lane, B::SPARE_MASK);
        [lane, b, c, segment, last, first].into_iter().for_each(|reg| self.release(reg));
        Some(from)
    }
}
