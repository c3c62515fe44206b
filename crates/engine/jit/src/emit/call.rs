//! Calls of host functions, and counters. Sources and results pass through scratch registers in the
//! frame, so that both back ends share the code.

use super::Emitter;
use super::asm::at;
use super::backend::Backend;
use super::collective::RESULT;
use super::register_cache::RegisterCache;
use crate::frame::Frame;
use crate::ir::{Call, Routine, Step};
use crate::operand::{Predicate, Source, VReg};
use iced_x86::{Code as C, Instruction as I, Register as R};

/// For each source of a host function, and for its result, whether the value has 32 bits.
fn is_narrow(routine: &Routine) -> ([bool; 4], bool) {
    match routine {
        Routine::B32(_) => ([true; 4], true),
        Routine::Narrow(_) | Routine::TestWide(_) => ([false; 4], true),
        Routine::B64(_) | Routine::Closure(_) => ([false; 4], false),
        Routine::Notify(notification) => (notification.narrow, true),
    }
}

impl<B: Backend> Emitter<'_, B> {
    /// Emits a call of a host function. All cached values are stored before the call, and the
    /// register cache is empty after it.
    pub(super) fn call(&mut self, step: &Step, call: &Call) -> Option<()> {
        if let Routine::Notify(notification) = call.routine
            && let (Some(cost), Some(_)) = (notification.cost, call.from[0].vreg())
        {
            return self.cost(step, call, (notification, cost));
        }
        let (narrow, result) = is_narrow(&call.routine);
        for (row, &source) in call.from.iter().enumerate().take(call.routine.sources()) {
            self.fill_row(source, row, narrow[row])?;
        }
        if let Routine::Notify(_) = call.routine {
            self.notify(step.guard, &call.routine);
        } else {
            self.call_routine(&call.routine);
        }
        let Some(to) = call.to else { return Some(()) };
        self.take_row((RESULT, result), to, call.keep, step.guard)
    }

    /// Emits a notification of the listener, with the lanes that execute the step.
    pub(super) fn notify(&mut self, guard: Predicate, routine: &Routine) {
        self.lanes_taken(guard, R::EAX);
        self.asm.put(I::with2(C::Mov_rm32_r32, at(R::RDI, Frame::NOTIFIED), R::EAX));
        self.call_routine(routine);
    }

    fn call_routine(&mut self, routine: &Routine) {
        self.write_all_back();
        self.cache = RegisterCache::default();
        let number = self.constants.routines.len() as i32;
        self.constants.routines.push(routine.clone());
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
    }

    /// Loads a predicate into a 32-bit general register other than `ebp`, as a mask; the bits of
    /// inactive lanes are undefined.
    pub(super) fn lanes(&mut self, of: Predicate, to: R) {
        match of {
            Predicate::Always => self.asm.put(I::with2(C::Mov_r32_rm32, to, R::R8D)),
            Predicate::Never => self.asm.put(I::with2(C::Xor_r32_rm32, to, to)),
            Predicate::If(i) => B::lanes(self, i, to),
            Predicate::Unless(i) => {
                B::lanes(self, i, to);
                self.asm.put(I::with1(C::Not_rm32, to));
            }
        }
    }

    /// Loads the mask of active lanes whose guard is true into a general register other than `ebp`.
    pub(super) fn lanes_taken(&mut self, guard: Predicate, to: R) {
        if guard == Predicate::Always {
            self.asm.put(I::with2(C::Mov_r32_rm32, to, R::R8D));
        } else {
            self.lanes(guard, to);
            self.asm.put(I::with2(C::And_r32_rm32, to, R::R8D));
        }
    }

    /// Emits `activemask`: stores the mask of the lanes that execute the step.
    pub(super) fn active_mask(&mut self, step: &Step, to: VReg) -> Option<()> {
        self.lanes_taken(step.guard, R::R12D);
        self.put_number(to, step.guard)
    }

    /// Adds the number of lanes that execute the step to a counter, and how many of these lanes
    /// have a true predicate to the next counter.
    pub(super) fn count(&mut self, step: &Step, counter: u32, of: Option<Predicate>) {
        self.lanes_taken(step.guard, R::EBX);
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R12, at(R::RDI, Frame::COUNTS)));
        let counter = counter as usize * 8;
        self.asm.put(I::with2(C::Popcnt_r32_rm32, R::EAX, R::EBX));
        self.asm.put(I::with2(C::Add_rm64_r64, at(R::R12, counter), R::RAX));
        if let Some(of) = of {
            self.lanes(of, R::EAX);
            self.asm.put(I::with2(C::And_r32_rm32, R::EAX, R::EBX));
            self.asm.put(I::with2(C::Popcnt_r32_rm32, R::EAX, R::EAX));
            self.asm.put(I::with2(C::Add_rm64_r64, at(R::R12, counter + 8), R::RAX));
        }
    }

    /// Adds 1 to a counter if lanes execute the step, and 1 to the next counter if a predicate is
    /// true in some of them and false in others. `neg` and `sbb` turn a nonzero number into -1.
    pub(super) fn issue(&mut self, step: &Step, counter: u32, of: Option<Predicate>) {
        self.lanes_taken(step.guard, R::EBX);
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R12, at(R::RDI, Frame::COUNTS)));
        let counter = counter as usize * 8;
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, R::EBX));
        self.is_some(R::EAX);
        self.asm.put(I::with1(C::Neg_rm32, R::EAX));
        self.asm.put(I::with2(C::Add_rm64_r64, at(R::R12, counter), R::RAX));
        if let Some(of) = of {
            self.lanes(of, R::EAX);
            self.asm.put(I::with2(C::And_r32_rm32, R::EAX, R::EBX));
            self.asm.put(I::with2(C::Xor_r32_rm32, R::EBX, R::EAX));
            self.is_some(R::EAX);
            self.is_some(R::EBX);
            self.asm.put(I::with2(C::And_r32_rm32, R::EAX, R::EBX));
            self.asm.put(I::with1(C::Neg_rm32, R::EAX));
            self.asm.put(I::with2(C::Add_rm64_r64, at(R::R12, counter + 8), R::RAX));
        }
    }

    /// Sets a nonzero register to -1.
    pub(super) fn is_some(&mut self, register: R) {
        self.asm.put(I::with1(C::Neg_rm32, register));
        self.asm.put(I::with2(C::Sbb_r32_rm32, register, register));
    }

    /// Adds the number of executing lanes whose value is zero to the frame's count of zeros.
    pub(super) fn count_zeros(&mut self, step: &Step, of: Source) -> Option<()> {
        self.zeros(of)?;
        self.lanes_taken(step.guard, R::EAX);
        self.asm.put(I::with2(C::And_r32_rm32, R::EAX, R::R12D));
        self.asm.put(I::with2(C::Popcnt_r32_rm32, R::EAX, R::EAX));
        self.asm.put(I::with2(C::Add_rm64_r64, at(R::RDI, Frame::ZEROS), R::RAX));
        Some(())
    }
}
