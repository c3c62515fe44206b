//! Moves between vector registers and scratch registers in the frame.

use super::{Avx2Emitter, LANES_SIZE, MOVE, Operand, PARTS, Vector};
use crate::emit::asm::at;
use crate::emit::collective::RESULT;
use crate::emit::register_cache::{Kind, Reg};
use crate::frame::Frame;
use crate::operand::{Predicate, Source, VReg};
use iced_x86::{Code as C, Instruction as I, Register as R};

impl Avx2Emitter<'_> {
    /// See [`crate::emit::backend::Backend::fill_row`].
    pub(super) fn fill_row(&mut self, source: Source, row: usize, narrow: bool) -> Option<()> {
        for part in 0..if narrow { PARTS } else { 2 * PARTS } {
            let value =
                if narrow { self.low_word(source, part)? } else { self.double_word(source, part)? };
            let to = at(R::RDI, Frame::scratch(row) + usize::from(part) * LANES_SIZE);
            self.asm.put(I::with2(C::VEX_Vmovdqu_ymmm256_ymm, to, value.ymm()));
            self.cache.unpin();
        }
        Some(())
    }

    /// Loads a part of a scratch register.
    fn of_row(&mut self, row: usize, part: u8) -> Reg {
        let from = at(R::RDI, Frame::scratch(row) + usize::from(part) * LANES_SIZE);
        self.unary(MOVE, Operand::Memory(from))
    }

    /// See [`crate::emit::backend::Backend::take_row`].
    pub(super) fn take_row(
        &mut self,
        (row, narrow): (usize, bool),
        to: VReg,
        keep: u64,
        guard: Predicate,
    ) -> Option<()> {
        for part in 0..PARTS {
            if let VReg::Predicate(to) = to {
                let value = self.temporary();
                self.spread_byte(value, at(R::RDI, Frame::scratch(row) + usize::from(part)));
                let guard = self.guard(guard, part);
                self.put_predicate(to, value, guard, part);
            } else if narrow {
                let value = self.of_row(row, part);
                self.write_masked(to, part, value, (false, keep), guard)?;
            } else {
                let halves = [2 * part, 2 * part + 1].map(|half| self.of_row(row, half));
                self.write_double(to, part, halves, keep, guard)?;
            }
            self.cache.unpin();
        }
        Some(())
    }

    /// See [`crate::emit::backend::Backend::put_number`].
    pub(super) fn put_number(&mut self, to: VReg, guard: Predicate) -> Option<()> {
        let row = at(R::RDI, Frame::scratch(RESULT));
        self.asm.put(I::with2(C::Mov_rm64_r64, row, R::R12));
        if let VReg::Predicate(_) = to {
            return self.take_row((RESULT, true), to, u64::MAX, guard);
        }
        for part in 0..PARTS {
            let mask = self.guard(guard, part);
            match to {
                VReg::B64(to) => {
                    for half in [2 * part, 2 * part + 1] {
                        let value = self.temporary();
                        self.two(C::VEX_Vpbroadcastq_ymm_xmmm64, value, Operand::Memory(row));
                        self.write_wide(to, half, value, mask);
                    }
                }
                VReg::B32(to) | VReg::Predicate(to) => {
                    let value = self.temporary();
                    self.two(C::VEX_Vpbroadcastd_ymm_xmmm32, value, Operand::Memory(row));
                    self.write_narrow(to, part, value, Kind::BITS, mask);
                }
            }
            self.cache.unpin();
        }
        Some(())
    }

    /// See [`crate::emit::backend::Backend::zeros`].
    pub(super) fn zeros(&mut self, of: Source) -> Option<()> {
        let zero = self.number(0);
        for part in 0..PARTS {
            let halves = [2 * part, 2 * part + 1].map(|half| {
                let value = self.double_word(of, half)?;
                Some(self.binary(C::VEX_Vpcmpeqq_ymm_ymm_ymmm256, value, zero))
            });
            let [Some(low), Some(high)] = halves else { return None };
            self.low_halves(low, low, high);
            let to = if part == 0 { R::R12D } else { R::EAX };
            self.asm.put(I::with2(C::VEX_Vmovmskps_r32_ymm, to, low.ymm()));
            if part != 0 {
                self.asm.put(I::with2(C::Shl_rm32_imm8, R::EAX, 8 * u32::from(part)));
                self.asm.put(I::with2(C::Or_r32_rm32, R::R12D, R::EAX));
            }
            self.cache.unpin();
        }
        Some(())
    }
}
