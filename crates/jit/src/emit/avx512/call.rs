//! Calls of functions of rows, and what is counted.

use super::load::{LOAD, STORE};
use super::{Guard, Maker};
use crate::block::{Place, Predicate, Relation, Source, Test};
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
        let mut guard = self.guard(step.guard);
        self.result(to, call.keep, result, &mut guard)
    }

    /// All lanes of a source into a scratch row.
    pub(super) fn fill_row(&mut self, source: Source, row: usize, narrow: bool) -> Option<()> {
        for part in 0..if narrow { 2 } else { 4 } {
            let value =
                if narrow { self.low_of(source, part)? } else { self.whole_of(source, part)? };
            let to = at(R::RDI, Frame::scratch(row) + 64 * usize::from(part));
            self.asm.put(I::with2(STORE, to, value.z()));
            self.values.unpin();
        }
        Some(())
    }

    /// The result of a call goes to a register.
    fn result(
        &mut self,
        to: Place,
        keep: u64,
        narrow: bool,
        guard: &mut Option<Guard>,
    ) -> Option<()> {
        let row = |bytes: usize| at(R::RDI, Frame::scratch(RESULT) + bytes);
        match to {
            Place::Predicate(to) => {
                let k = self.temporary_mask();
                self.asm.put(I::with2(C::VEX_Kmovd_kr_km32, k.k(), row(0)));
                self.put_predicate(to, k, guard);
            }
            Place::Narrow(to) => {
                for part in 0..2_u8 {
                    let value = self.temporary();
                    let first = usize::from(part);
                    if narrow {
                        self.asm.put(I::with2(LOAD, value.z(), row(64 * first)));
                    } else {
                        self.low_of_row(value, first);
                    }
                    if keep as u32 != u32::MAX {
                        let keep = self.number(keep as u32);
                        let and = C::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
                        self.three(and, value.z(), value, keep);
                    }
                    self.put_narrow(to, part, value, Kind::BITS, guard);
                }
            }
            Place::Wide(to) => {
                for part in 0..4_u8 {
                    let value = self.temporary();
                    let first = usize::from(part);
                    let (code, from) = if narrow {
                        (C::EVEX_Vpmovzxdq_zmm_k1z_ymmm256, row(32 * first))
                    } else {
                        (LOAD, row(64 * first))
                    };
                    self.asm.put(I::with2(code, value.z(), from));
                    if keep != u64::MAX {
                        let keep = self.wide_number(keep);
                        let and = C::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64;
                        self.three(and, value.z(), value, keep);
                    }
                    self.put_wide(to, part, value, guard);
                }
            }
        }
        Some(())
    }

    /// The low halves of a part of the result.
    fn low_of_row(&mut self, value: Reg, part: usize) {
        let other = self.temporary();
        for (i, half) in [value, other].into_iter().enumerate() {
            let from = at(R::RDI, Frame::scratch(RESULT) + 128 * part + 64 * i);
            self.asm.put(I::with2(LOAD, half.z(), from));
            self.asm.put(I::with2(C::EVEX_Vpmovqd_ymmm256_k1z_zmm, half.y(), half.z()));
        }
        let insert = C::EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8;
        self.asm.put(I::with4(insert, value.z(), value.z(), other.y(), 1_u32));
        self.values.release(other);
    }

    /// Adds lanes to counters.
    pub(super) fn count(&mut self, step: &Step, counter: u32, of: Option<Predicate>) {
        self.active(step.guard);
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R12, at(R::RDI, Frame::COUNTS)));
        let counter = counter as usize * 8;
        self.asm.put(I::with2(C::Popcnt_r32_rm32, R::EAX, R::EBP));
        self.asm.put(I::with2(C::Add_rm64_r64, at(R::R12, counter), R::RAX));
        if let Some(of) = of {
            self.lanes_of(of, R::EAX);
            self.asm.put(I::with2(C::And_r32_rm32, R::EAX, R::EBP));
            self.asm.put(I::with2(C::Popcnt_r32_rm32, R::EAX, R::EAX));
            self.asm.put(I::with2(C::Add_rm64_r64, at(R::R12, counter + 8), R::RAX));
        }
    }

    /// Counts the lanes whose number is zero.
    pub(super) fn count_zeros(&mut self, step: &Step, of: Source) -> Option<()> {
        self.active(step.guard);
        let test = match of {
            Source::Wide(_)
            | Source::WideConstant(_)
            | Source::Bytes64(_)
            | Source::FrameAt
            | Source::Literal(_) => Test::UnsignedWide(Relation::Eq),
            _ => Test::Unsigned(Relation::Eq),
        };
        let zero = self.test(test, [of, Source::Literal(0)])?;
        self.asm.put(I::with2(C::VEX_Kmovd_r32_kr, R::EAX, zero.k()));
        self.asm.put(I::with2(C::And_r32_rm32, R::EAX, R::EBP));
        self.asm.put(I::with2(C::Popcnt_r32_rm32, R::EAX, R::EAX));
        self.asm.put(I::with2(C::Add_rm64_r64, at(R::RDI, Frame::ZEROS), R::RAX));
        Some(())
    }

    /// The lanes that take the step, as a number.
    pub(super) fn active_mask(
        &mut self,
        step: &Step,
        to: Place,
        guard: &mut Option<Guard>,
    ) -> Option<()> {
        self.active(step.guard);
        self.asm.put(I::with2(C::Mov_r32_rm32, R::R12D, R::EBP));
        self.put_number(to, guard)
    }
}
