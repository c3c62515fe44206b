//! `shfl`. Lanes read from a scratch register. If its operands are constant, each lane group is
//! combined from permutations of the lane groups that its lanes read.

use super::{Avx2, Avx2Emitter, LANES_SIZE, PARTS, SCRATCH};
use crate::emit::asm::at;
use crate::emit::backend::Primitives;
use crate::emit::collective::ROW;
use crate::emit::register_cache::{Key, Kind, Reg};
use crate::emit::shuffle::{Pattern, packed, pattern};
use crate::emit::vector::{V, part_of_row};
use crate::frame::Frame;
use crate::ir::{Shuffle, Step};
use iced_x86::{Code as C, Instruction as I, Register as R};

const PERMUTE: C = C::VEX_Vpermd_ymm_ymm_ymmm256;

impl Avx2Emitter<'_> {
    /// Emits `shfl`. Lanes read from a scratch register, in which inactive lanes are 0.
    pub(super) fn shuffle_lanes(&mut self, step: &Step, op: &Shuffle) -> Option<()> {
        self.members(step, op.members)?;
        self.asm.put(I::with2(C::Mov_rm32_r32, at(R::RDI, Frame::scratch(2)), R::EBX));
        for part in 0..PARTS {
            let a = self.low_word(op.a, part)?;
            self.spread_byte(SCRATCH, at(R::RDI, Frame::scratch(2) + usize::from(part)));
            self.three(V::And32, a, a, SCRATCH);
            self.store(part_of_row::<Avx2>(ROW, part), a);
            self.cache.unpin();
        }
        if let Some(pattern) = pattern(op) {
            self.permute(step, op, &pattern);
            return Some(());
        }
        // A source may also be a destination, so that all lane groups are computed before any is
        // written.
        for part in 0..PARTS {
            let (value, outside) = self.shuffled(op, part)?;
            for (row, reg) in [(1, value), (2, outside)] {
                let offset = Frame::scratch(row) + 64 + usize::from(part) * LANES_SIZE;
                self.store(at(R::RDI, offset), reg);
            }
            self.cache.unpin();
        }
        for part in 0..PARTS {
            let row = |row| at(R::RDI, Frame::scratch(row) + 64 + usize::from(part) * LANES_SIZE);
            let guard = self.guard(step.guard, part);
            if let Some(to) = op.to {
                let value = self.unary(V::Load, row(1));
                self.write(Key::B32(to, part), value, Kind::BITS, step.guard);
            }
            if let Some(to) = op.valid {
                let value = self.unary(V::Load, row(2));
                let ones = self.number(u32::MAX);
                self.three(V::Xor32, value, value, ones);
                self.put_predicate(to, value, guard, part);
            }
            self.cache.unpin();
        }
        Some(())
    }

    /// Computes a lane group of the results, and a vector mask of lanes whose source lane is out of
    /// range.
    fn shuffled(&mut self, op: &Shuffle, part: u8) -> Option<(Reg, Reg)> {
        let outside = self.temporary();
        let from = self.source_lanes(op, part)?;
        self.two(V::Move, outside, SCRATCH);
        // The low bits of the source lane select an element of each of the four lane groups; then
        // the two high bits select the group.
        let values = [(); 4].map(|()| self.temporary());
        for (row, value) in (0..).zip(values) {
            self.three(PERMUTE, value, from, part_of_row::<Avx2>(ROW, row));
        }
        let [value, other, upper, upper_other] = values;
        self.two_with(V::Left32, SCRATCH, from, 28);
        Avx2::blend(self, false, (value, value), other, SCRATCH);
        Avx2::blend(self, false, (upper, upper), upper_other, SCRATCH);
        self.two_with(V::Left32, SCRATCH, from, 27);
        Avx2::blend(self, false, (value, value), upper, SCRATCH);
        Some((value, outside))
    }

    /// Emits the results of a shuffle whose values are in the scratch register [`ROW`].
    pub(super) fn permute(&mut self, step: &Step, op: &Shuffle, pattern: &Pattern) {
        for part in 0..PARTS {
            let of_part = &pattern[8 * usize::from(part)..][..8];
            let guard = self.guard(step.guard, part);
            if let Some(to) = op.to {
                let value = self.permuted(of_part);
                self.write(Key::B32(to, part), value, Kind::BITS, step.guard);
            }
            if let Some(to) = op.valid {
                let inside: [u32; 8] =
                    std::array::from_fn(|i| if of_part[i].1 { 0 } else { u32::MAX });
                let inside = at(R::R9, self.pooled(&packed(&inside)));
                let value = self.unary(V::Load, inside);
                self.put_predicate(to, value, guard, part);
            }
            self.cache.unpin();
        }
    }

    /// Computes eight lanes of the result. Returns their temporary register.
    fn permuted(&mut self, of_part: &[(u32, bool)]) -> Reg {
        let mut sum: Option<Reg> = None;
        for from in 0..PARTS {
            let is_from = |i: usize| of_part[i].0 / 8 == u32::from(from);
            let lanes = (0..8).fold(0, |lanes, i| lanes | u32::from(is_from(i)) << i);
            if lanes == 0 {
                continue;
            }
            let numbers: [u32; 8] = std::array::from_fn(|i| of_part[i].0 % 8);
            let lanes_in_part = at(R::R9, self.pooled(&packed(&numbers)));
            let value = self.unary(V::Load, lanes_in_part);
            self.three(PERMUTE, value, value, part_of_row::<Avx2>(ROW, from));
            match sum {
                None => sum = Some(value),
                Some(sum) => {
                    self.three_with(C::VEX_Vpblendd_ymm_ymm_ymmm256_imm8, sum, sum, value, lanes);
                    self.release(value);
                }
            }
        }
        // `sum` is set, because each lane reads from some lane group.
        sum.unwrap_or_else(|| self.temporary())
    }
}
