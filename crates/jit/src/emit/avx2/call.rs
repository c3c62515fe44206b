//! Calls of functions of rows, and what is counted.

use super::{LANES_SIZE, MOVE, Maker, Operand, PARTS, Vector};
use crate::block::{Place, Predicate, Source};
use crate::emit::asm::at;
use crate::emit::frame::Frame;
use crate::emit::values::{Kind, Reg, Values};
use crate::region::{Call, Routine, Step};
use iced_x86::{Code as C, Instruction as I, Register as R};

/// The scratch row of the result.
const RESULT: usize = 4;

/// Whether each source has lanes of 32 bits, and the result.
fn is_narrow(routine: &Routine) -> ([bool; 4], bool) {
    match routine {
        Routine::Narrow(_) | Routine::Narrow4(_) | Routine::Test(_) => ([true; 4], true),
        Routine::Widen(_) => ([true, true, false, false], false),
        Routine::Cut(_) | Routine::TestWide(_) => ([false; 4], true),
        Routine::Wide(_) | Routine::Wide4(_) | Routine::Data(_) => ([false; 4], false),
    }
}

impl Maker<'_> {
    /// A call: all that is held is stored before, and had again behind it.
    pub(super) fn call(&mut self, step: &Step, call: &Call) -> Option<()> {
        let (narrow, result) = is_narrow(&call.routine);
        for (row, &source) in call.from.iter().enumerate().take(call.routine.sources()) {
            self.fill_row(source, row, narrow[row])?;
        }
        self.write_all_back();
        self.values = Values::default();
        let number = self.routines.len() as i32;
        self.routines.push(call.routine.clone());
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RBX, R::R10));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RBP, R::R11));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R12, R::RDI));
        self.asm.put(I::with2(C::Mov_r32_imm32, R::ESI, number));
        self.asm.put(Ok(I::with(C::VEX_Vzeroupper)));
        self.asm.put(I::with1(C::Call_rm64, at(R::RDI, Frame::CALL)));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RDI, R::R12));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R10, R::RBX));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R11, R::RBP));
        self.fixed_registers();
        let Some(to) = call.to else { return Some(()) };
        for part in 0..PARTS {
            self.take_result(call, to, part, result, step.guard)?;
            self.values.unpin();
        }
        Some(())
    }

    /// All lanes of a source into a scratch row.
    pub(super) fn fill_row(&mut self, source: Source, row: usize, narrow: bool) -> Option<()> {
        for part in 0..if narrow { PARTS } else { 2 * PARTS } {
            let value =
                if narrow { self.low_word(source, part)? } else { self.double_word(source, part)? };
            let to = at(R::RDI, Frame::scratch(row) + usize::from(part) * LANES_SIZE);
            self.asm.put(I::with2(C::VEX_Vmovdqu_ymmm256_ymm, to, value.ymm()));
            self.values.unpin();
        }
        Some(())
    }

    /// A part of a vector of a scratch row.
    pub(super) fn of_row(&mut self, row: usize, part: u8) -> Reg {
        let from = at(R::RDI, Frame::scratch(row) + usize::from(part) * LANES_SIZE);
        self.unary(MOVE, Operand::Memory(from))
    }

    /// A part of the result.
    fn take_result(
        &mut self,
        call: &Call,
        to: Place,
        part: u8,
        narrow: bool,
        guard: Predicate,
    ) -> Option<()> {
        if let Place::Predicate(to) = to {
            let value = self.temporary();
            self.spread_byte(value, at(R::RDI, Frame::scratch(RESULT) + usize::from(part)));
            let guard = self.guard(guard, part);
            self.put_predicate(to, value, guard, part);
            return Some(());
        }
        if narrow {
            let value = self.of_row(RESULT, part);
            return self.put_kept(to, part, value, (false, call.keep), guard);
        }
        let halves = [2 * part, 2 * part + 1].map(|half| self.of_row(RESULT, half));
        self.put_double(to, part, halves, call.keep, guard)
    }

    /// The active lanes of a guard, in a general register that is not `ebp`.
    pub(super) fn active(&mut self, guard: Predicate, to: R) {
        if guard == Predicate::Always {
            self.asm.put(I::with2(C::Mov_r32_rm32, to, R::R8D));
        } else {
            self.lanes_of(guard, to);
            self.asm.put(I::with2(C::And_r32_rm32, to, R::R8D));
        }
    }

    /// A number of 32 bits in a general register goes to all lanes of a guard; to a predicate all its bits.
    pub(super) fn put_number(&mut self, to: Place, guard: Predicate, from: R) -> Option<()> {
        let row = at(R::RDI, Frame::scratch(RESULT));
        self.asm.put(I::with2(C::Mov_rm32_r32, row, from));
        for part in 0..PARTS {
            let value = self.temporary();
            match to {
                Place::Predicate(to) => {
                    let byte = at(R::RDI, Frame::scratch(RESULT) + usize::from(part));
                    self.spread_byte(value, byte);
                    let guard = self.guard(guard, part);
                    self.put_predicate(to, value, guard, part);
                }
                Place::Narrow(to) => {
                    self.two(C::VEX_Vpbroadcastd_ymm_xmmm32, value, Operand::Memory(row));
                    let guard = self.guard(guard, part);
                    self.put_narrow(to, part, value, Kind::BITS, guard);
                }
                Place::Wide(_) => return None,
            }
            self.values.unpin();
        }
        Some(())
    }

    /// Adds lanes to counters.
    pub(super) fn count(&mut self, step: &Step, counter: u32, of: Option<Predicate>) {
        self.active(step.guard, R::EBX);
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R12, at(R::RDI, Frame::COUNTS)));
        let counter = at(R::R12, counter as usize * 8);
        self.asm.put(I::with2(C::Popcnt_r32_rm32, R::EAX, R::EBX));
        self.asm.put(I::with2(C::Add_rm64_r64, counter, R::RAX));
        if let Some(of) = of {
            self.lanes_of(of, R::EAX);
            self.asm.put(I::with2(C::And_r32_rm32, R::EAX, R::EBX));
            self.asm.put(I::with2(C::Popcnt_r32_rm32, R::EAX, R::EAX));
            let next = super::address::moved(counter, 8);
            self.asm.put(I::with2(C::Add_rm64_r64, next, R::RAX));
        }
    }

    /// Counts the lanes whose number is zero.
    pub(super) fn count_zeros(&mut self, step: &Step, of: Source) -> Option<()> {
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
            self.values.unpin();
        }
        self.active(step.guard, R::EAX);
        self.asm.put(I::with2(C::And_r32_rm32, R::EAX, R::R12D));
        self.asm.put(I::with2(C::Popcnt_r32_rm32, R::EAX, R::EAX));
        self.asm.put(I::with2(C::Add_rm64_r64, at(R::RDI, Frame::ZEROS), R::RAX));
        Some(())
    }
}
