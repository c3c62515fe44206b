//! Steps that work on each lane separately. Runs of such steps are emitted part by part, so that
//! the values of a part stay in registers from step to step.

use super::predicate::Mask;
use super::{Avx2Emitter, PARTS, Vector};
use crate::Error;
use crate::emit::asm::at;
use crate::emit::rarely::Skipped;
use crate::emit::register_cache::Key;
use crate::frame::Frame;
use crate::ir::{Action, Step};
use crate::operand::Predicate;
use iced_x86::{Code as C, Instruction as I, Register as R};
use std::ops::Range;

/// Whether a step works on each lane separately and has no other effect.
fn is_of_lanes(step: &Step) -> bool {
    matches!(
        step.action,
        Action::Compute { .. }
            | Action::Compare { .. }
            | Action::Logic { .. }
            | Action::Rarely { .. }
            | Action::Nothing
    )
}

/// The number of the part of 8 lanes that a value belongs to.
pub(super) fn eighth(key: Key) -> u8 {
    match key {
        Key::B64(_, part) => part / 2,
        Key::B32(_, part) | Key::Predicate(_, part) | Key::Other(_, _, part) => part,
    }
}

impl Avx2Emitter<'_> {
    /// Emits steps that cannot exit.
    pub(super) fn straight_steps(&mut self, steps: Range<usize>) -> Result<(), Error> {
        let block = &self.region.blocks[self.block];
        let mut i = steps.start;
        while i < steps.end {
            let rest = &block.steps[i..steps.end];
            let run = rest.iter().position(|step| !is_of_lanes(step)).unwrap_or(rest.len());
            self.run(i..i + run)?;
            i += run;
            if i < steps.end {
                self.settle();
                self.cache.unpin();
                self.before(i);
                let step = &block.steps[i];
                if step.guard != Predicate::Never && !self.facts.uses[self.block].is_dead[i] {
                    self.whole_step(step).ok_or(Error::Operands(i))?;
                }
                self.after_step(i);
                i += 1;
            }
        }
        Ok(())
    }

    /// Emits a run of steps for each part in turn.
    fn run(&mut self, steps: Range<usize>) -> Result<(), Error> {
        if steps.is_empty() {
            return Ok(());
        }
        self.count_guarded();
        let block = &self.region.blocks[self.block];
        let mut changed = Vec::new();
        (self.back.run, self.cache.defers_nans) = (steps.len() as u32, true);
        for part in 0..PARTS {
            self.back.part = part;
            let mut skipped: Option<Skipped> = None;
            for i in steps.clone() {
                let step = &block.steps[i];
                self.step = i;
                self.count_part(step);
                if !self.facts.uses[self.block].is_dead[i] && step.guard != Predicate::Never {
                    self.of_lanes(step, part).ok_or(Error::Operands(i))?;
                }
                let rare = match step.action {
                    Action::Rarely { of: of @ Predicate::If(_), steps } if skipped.is_none() => {
                        self.count_rest();
                        Some((self.predicate(of, part).reg, steps as usize))
                    }
                    _ => None,
                };
                self.end_part(i, part, &mut changed);
                if let Some((mask, rare)) = rare {
                    let test = C::VEX_Vptest_ymm_ymmm256;
                    self.asm.put(I::with2(test, mask.ymm(), mask.ymm()));
                    let rare = i + 1..(i + 1 + rare).min(steps.end);
                    let of_part = |key| eighth(key) == part;
                    skipped = Some(self.skip(C::Je_rel32_64, rare, of_part));
                }
                if let Some(skipped) = skipped.take_if(|skipped| skipped.end == i + 1) {
                    self.rejoin(skipped);
                }
                if part + 1 == PARTS {
                    self.uncounted += u32::from(step.counted);
                }
            }
            self.count_rest();
            if part + 1 != PARTS {
                // The next part begins with the same next uses as this one.
                for (number, next) in changed.drain(..).rev() {
                    self.next[number] = next;
                }
            }
        }
        (self.back.run, self.cache.defers_nans) = (0, false);
        Ok(())
    }

    /// Ends a step in a part. Other parts of the step may have been emitted before, or follow
    /// later.
    fn end_part(&mut self, i: usize, part: u8, changed: &mut Vec<(usize, u32)>) {
        self.count_before_end(i);
        self.cache.unpin();
        let after = std::mem::take(&mut self.facts.uses[self.block].after[i]);
        for a in &after {
            if let Some(number) = self.facts.numbers.get(a.vreg) {
                changed.push((number, self.next[number]));
                self.next[number] = a.next;
            }
            if !a.lives {
                self.cache.forget_keys(|key| key.vreg() == Some(a.vreg) && eighth(key) == part);
            }
        }
        self.facts.uses[self.block].after[i] = after;
    }

    /// Counts the lanes of the part that do not execute a step, or defers counting them.
    fn count_part(&mut self, step: &Step) {
        if step.counted && step.guard != Predicate::Always {
            match &mut self.back.guarded {
                Some((guard, n)) if *guard == step.guard => *n += 1,
                _ => {
                    self.count_rest();
                    self.back.guarded = Some((step.guard, 1));
                }
            }
        }
        let vreg = self.back.guarded.and_then(|(guard, _)| guard.vreg());
        let mut changes = false;
        step.each_written(&mut |written| changes |= Some(written) == vreg);
        if changes {
            self.count_rest();
        }
    }

    /// Counts deferred lanes before their guard's predicate changes.
    fn count_before_end(&mut self, i: usize) {
        let vreg = self.back.guarded.and_then(|(guard, _)| guard.vreg());
        let after = &self.facts.uses[self.block].after[i];
        if after.iter().any(|a| Some(a.vreg) == vreg && !a.lives) {
            self.count_rest();
        }
    }

    /// Counts the deferred lanes of the part.
    fn count_rest(&mut self) {
        let Some((guard, n)) = self.back.guarded.take() else { return };
        let part = self.back.part;
        self.asm.put(I::with2(
            C::Movzx_r32_rm8,
            R::EBP,
            at(R::RDI, Frame::MASK + usize::from(part)),
        ));
        if guard != Predicate::Never {
            let mask = self.predicate(guard, part);
            self.asm.put(I::with2(C::VEX_Vmovmskps_r32_ymm, R::EAX, mask.reg.ymm()));
            if mask.not {
                self.asm.put(I::with2(C::And_r32_rm32, R::EBP, R::EAX));
            } else {
                self.asm.put(I::with3(C::VEX_Andn_r32_r32_rm32, R::EBP, R::EAX, R::EBP));
            }
        }
        self.asm.put(I::with2(C::Popcnt_r32_rm32, R::EAX, R::EBP));
        if n != 1 {
            self.asm.put(I::with3(C::Imul_r32_rm32_imm32, R::EAX, R::EAX, n as i32));
        }
        self.asm.put(I::with2(C::Add_r64_rm64, R::R11, R::RAX));
    }

    /// Emits a part of a step that works on each lane separately.
    fn of_lanes(&mut self, step: &Step, part: u8) -> Option<()> {
        match &step.action {
            Action::Compute { op, to, from } => {
                self.compute_part((*op, *to, *from), step.guard, part)
            }
            Action::Compare { test, from, to, with } => {
                let guard = self.guard(step.guard, part);
                self.compare(*test, *from, *to, *with, guard, part)
            }
            Action::Logic { table, to, from } => {
                let guard = self.guard(step.guard, part);
                self.logic(*table, *to, *from, guard, part);
                Some(())
            }
            _ => Some(()),
        }
    }

    /// The mask of lanes that execute a step; `None` if all do.
    pub(super) fn guard(&mut self, guard: Predicate, part: u8) -> Option<Mask> {
        (guard != Predicate::Always).then(|| self.predicate(guard, part))
    }
}
