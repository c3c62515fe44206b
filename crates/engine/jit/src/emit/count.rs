//! Counts executed steps and threads. Steps are counted in `r10` for whole groups of instructions,
//! and `r11` counts the active lanes whose guard was false.

use super::Emitter;
use super::backend::Backend;
use crate::ir::Step;
use crate::machine::Mode;
use crate::operand::Predicate;
use iced_x86::{Code as C, Instruction as I, Register as R};

impl<B: Backend> Emitter<'_, B> {
    /// Begins a step. Lanes whose guard is false are counted now, or later for several steps with
    /// the same guard together.
    pub(super) fn before(&mut self, i: usize) {
        let step = &self.region.blocks[self.block].steps[i];
        self.step = i;
        if !step.counted || step.guard == Predicate::Always {
            self.count_before_change(step);
            return;
        }
        match &mut self.guarded {
            Some((guard, n)) if *guard == step.guard => *n += 1,
            _ => {
                self.count_guarded();
                self.guarded = Some((step.guard, 1));
            }
        }
        self.count_before_change(step);
    }

    /// Counts the lanes of previous guarded steps if this step changes the guard's predicate.
    fn count_before_change(&mut self, step: &Step) {
        let Some(vreg) = self.guarded.and_then(|(guard, _)| guard.vreg()) else { return };
        if step.writes(vreg) {
            self.count_guarded();
        }
    }

    /// Adds the lanes that did not execute the previous guarded steps to `r11`. Called only between
    /// steps, because it unpins registers.
    pub(super) fn count_guarded(&mut self) {
        let Some((guard, n)) = self.guarded.take() else { return };
        B::left_out(self, guard);
        self.asm.put(I::with2(C::Popcnt_r32_rm32, R::EAX, R::EAX));
        if n != 1 {
            self.asm.put(I::with3(C::Imul_r32_rm32_imm32, R::EAX, R::EAX, n as i32));
        }
        self.asm.put(I::with2(C::Add_r64_rm64, R::R11, R::RAX));
        self.cache.unpin();
    }

    /// Loads the mask of active lanes whose guard is false into `eax`.
    pub(super) fn lanes_left_out(&mut self, guard: Predicate) {
        if guard == Predicate::Never {
            return self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, R::R8D));
        }
        self.lanes(guard, R::EAX);
        self.asm.put(I::with1(C::Not_rm32, R::EAX));
        self.asm.put(I::with2(C::And_r32_rm32, R::EAX, R::R8D));
    }

    /// Counts the lanes of previous guarded steps if the guard's predicate dies after a step.
    pub(super) fn count_before_death(&mut self, i: usize) {
        let vreg = self.guarded.and_then(|(guard, _)| guard.vreg());
        let after = &self.facts.uses[self.block].after[i];
        if after.iter().any(|a| Some(a.vreg) == vreg && !a.lives) {
            self.count_guarded();
        }
    }

    /// Ends a step: counts it, and drops dead values from the cache.
    pub(super) fn after_step(&mut self, i: usize) {
        if self.region.blocks[self.block].steps[i].counted {
            self.uncounted += 1;
        }
        self.count_before_death(i);
        let after = &mut self.facts.uses[self.block].after[i];
        let again = self.has_both_modes && self.mode == Mode::Live;
        let after = if again { after.clone() } else { std::mem::take(after) };
        self.cache.unpin();
        for a in after {
            if let Some(number) = self.facts.numbers.get(a.vreg) {
                self.next[number] = a.next;
            }
            if !a.lives {
                self.cache.forget(a.vreg);
            }
        }
    }
}
