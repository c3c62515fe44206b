//! Moves between vector registers and scratch registers in the frame.

use super::{Operand, V};
use crate::emit::Emitter;
use crate::emit::asm::at;
use crate::emit::backend::Backend;
use crate::emit::collective::RESULT;
use crate::emit::register_cache::{Key, Kind, Reg};
use crate::frame::Frame;
use crate::operand::{Predicate, Source, VReg};
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

/// The memory operand of a lane group of a scratch register.
pub(in crate::emit) fn part_of_row<B: Backend>(row: usize, part: u8) -> MemoryOperand {
    at(R::RDI, Frame::scratch(row) + 4 * B::LANES * usize::from(part))
}

impl<B: Backend> Emitter<'_, B> {
    /// The number of lane groups of a 32-bit register.
    pub(in crate::emit) const PARTS: u8 = (32 / B::LANES) as u8;
    /// Bytes of a vector register.
    pub(in crate::emit) const BYTES: usize = 4 * B::LANES;

    /// The number of lane groups of a register of 32 bits, or of 64 if `wide`.
    pub(in crate::emit) fn parts_of_width(wide: bool) -> u8 {
        if wide { 2 * Self::PARTS } else { Self::PARTS }
    }

    /// Stores all lanes of a source to a scratch register, as 32 or 64 bits.
    pub(in crate::emit) fn fill_row(
        &mut self,
        source: Source,
        row: usize,
        narrow: bool,
    ) -> Option<()> {
        for part in 0..Self::parts_of_width(!narrow) {
            let value =
                if narrow { self.low_of(source, part)? } else { self.whole_of(source, part)? };
            self.store(part_of_row::<B>(row, part), value);
            self.cache.unpin();
        }
        Some(())
    }

    /// Loads a lane group of a scratch register.
    fn of_row(&mut self, row: usize, part: u8) -> Reg {
        self.unary(V::Load, Operand::Memory(part_of_row::<B>(row, part)))
    }

    /// Loads the lanes of a guard from a scratch register of 32 or 64 bits, and masks them with
    /// `keep`. A predicate is loaded from the bits of the first 32-bit element.
    pub(in crate::emit) fn take_row(
        &mut self,
        (row, narrow): (usize, bool),
        to: VReg,
        keep: u64,
        guard: Predicate,
    ) -> Option<()> {
        if let VReg::Predicate(to) = to {
            B::take_predicate(self, to, row, guard);
            return Some(());
        }
        for part in 0..Self::PARTS {
            if narrow {
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

    /// Broadcasts `r12d` or `r12` to the lanes of a guard. A predicate is set to the bits of
    /// `r12d`.
    pub(in crate::emit) fn put_number(&mut self, to: VReg, guard: Predicate) -> Option<()> {
        let row = at(R::RDI, Frame::scratch(RESULT));
        self.asm.put(I::with2(C::Mov_rm64_r64, row, R::R12));
        let (parts, code) = match to {
            VReg::B64(_) => (2 * Self::PARTS, V::Spread64),
            VReg::B32(_) => (Self::PARTS, V::Spread32),
            VReg::Predicate(_) => return self.take_row((RESULT, true), to, u64::MAX, guard),
        };
        for part in 0..parts {
            let value = self.unary(code, Operand::Memory(row));
            self.write(Key::of(to, part), value, Kind::BITS, guard);
            self.cache.unpin();
        }
        Some(())
    }
}
