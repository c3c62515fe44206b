//! Steps that work on each lane separately. Runs of such steps are emitted one lane group after the
//! other, so that the values of a lane group stay in registers from step to step.

use super::predicate::Mask;
use super::{Avx2Emitter, PARTS};
use crate::Error;
use crate::emit::asm::{J, at};
use crate::emit::rarely::Skipped;
use crate::emit::register_cache::{Key, SAME};
use crate::frame::Frame;
use crate::ir::{Action, Step};
use crate::operand::Predicate;
use iced_x86::{Code as C, Instruction as I, Register as R};
use std::collections::HashSet;
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

/// The number of the lane group of 8 lanes that a value belongs to.
pub(super) fn eighth(key: Key) -> u8 {
    match key {
        Key::B64(_, part) => part / 2,
        Key::B32(_, part) | Key::Predicate(_, part) | Key::Other(_, _, part) => part,
    }
}

/// Whether no earlier step of a run reads or writes a register that a step writes. Only then can
/// the step be emitted for all lane groups at once, because the earlier steps of later groups
/// follow it.
fn is_first_use(earlier: &[Step], step: &Step) -> bool {
    let mut is_first = true;
    step.each_written(&mut |to| {
        earlier.iter().for_each(|other| other.each_vreg(&mut |vreg| is_first &= vreg != to));
    });
    is_first
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

    /// Emits a run of steps for each lane group in turn.
    fn run(&mut self, steps: Range<usize>) -> Result<(), Error> {
        if steps.is_empty() {
            return Ok(());
        }
        self.count_guarded();
        let block = &self.region.blocks[self.block];
        let mut changed = Vec::new();
        (self.back.run, self.cache.defers_nans) = (steps.len() as u32, true);
        // Steps that have been emitted for all lane groups together with the first group.
        let mut done = HashSet::new();
        for part in 0..PARTS {
            self.back.part = part;
            let mut skipped: Option<Skipped> = None;
            for i in steps.clone() {
                let step = &block.steps[i];
                self.before(i);
                let is_dead = self.facts.uses[self.block].is_dead[i];
                if !is_dead && step.guard != Predicate::Never && !done.contains(&i) {
                    let once = part == 0
                        && skipped.is_none()
                        && is_first_use(&block.steps[steps.start..i], step)
                        && self.is_uniform(step);
                    done.extend(once.then_some(i));
                    let part = if once { SAME } else { part };
                    self.of_lanes(step, part).ok_or(Error::Operands(i))?;
                }
                let rare = match step.action {
                    Action::Rarely { of: of @ Predicate::If(_), steps } if skipped.is_none() => {
                        self.count_guarded();
                        Some((self.predicate(of, part).reg, steps as usize))
                    }
                    _ => None,
                };
                self.end_part(i, part, &mut changed);
                if let Some((mask, rare)) = rare {
                    self.asm.put(I::with2(C::VEX_Vptest_ymm_ymmm256, mask.ymm(), mask.ymm()));
                    let rare = i + 1..(i + 1 + rare).min(steps.end);
                    skipped = Some(self.skip(J::E, rare, |key| eighth(key) == part));
                }
                if let Some(skipped) = skipped.take_if(|skipped| skipped.end == i + 1) {
                    self.rejoin(skipped);
                }
                if part + 1 == PARTS {
                    self.uncounted += u32::from(step.counted);
                }
            }
            self.count_guarded();
            if part + 1 != PARTS {
                // The next uses of registers are reset, because the next lane group begins with the
                // first step again.
                for (number, next) in changed.drain(..).rev() {
                    self.next[number] = next;
                }
            }
        }
        (self.back.run, self.cache.defers_nans) = (0, false);
        Ok(())
    }

    /// Ends the emission of a step for one lane group. Other groups may have been emitted before,
    /// or follow.
    fn end_part(&mut self, i: usize, part: u8, changed: &mut Vec<(usize, u32)>) {
        self.count_before_death(i);
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

    /// Loads the mask of active lanes of the lane group whose guard is false into `eax`.
    pub(super) fn part_left_out(&mut self, guard: Predicate) {
        let part = self.back.part;
        let lanes = at(R::RDI, Frame::MASK + usize::from(part));
        self.asm.put(I::with2(C::Movzx_r32_rm8, R::EBP, lanes));
        if guard == Predicate::Never {
            return self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, R::EBP));
        }
        let mask = self.predicate(guard, part);
        self.asm.put(I::with2(C::VEX_Vmovmskps_r32_ymm, R::EAX, mask.reg.ymm()));
        self.asm.put(match mask.not {
            true => I::with2(C::And_r32_rm32, R::EAX, R::EBP),
            false => I::with3(C::VEX_Andn_r32_r32_rm32, R::EAX, R::EAX, R::EBP),
        });
    }

    /// Emits a step that works on each lane separately, for one lane group.
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

    /// The mask of lanes that execute a step; `None` if all lanes execute it.
    pub(super) fn guard(&mut self, guard: Predicate, part: u8) -> Option<Mask> {
        (guard != Predicate::Always).then(|| self.predicate(guard, part))
    }
}
