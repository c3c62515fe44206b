//! Blocks and their steps, whatever instructions they become.

use super::Emitter;
use super::asm::at;
use super::backend::Backend;
use super::frame::Frame;
use super::part::Parting;
use super::stub::Reason;
use super::values::Values;
use crate::Error;
use crate::machine::Mode;
use crate::operand::Predicate;
use crate::region::{Action, Block, End, Step, Target};
use iced_x86::{Code as C, Instruction as I, Register as R};
use std::ops::Range;

impl<B: Backend> Emitter<'_, B> {
    /// The whole function.
    pub(super) fn function(&mut self) -> Result<(), Error> {
        let last = self.mode;
        self.prologue();
        let versions = if self.both { &[Mode::Live, Mode::Some][..] } else { &[last] };
        for &mode in versions {
            self.mode = mode;
            for block in 0..self.region.blocks.len() {
                self.block(block)?;
            }
        }
        self.asm.mark(|| "entries and exits".to_owned());
        self.all_stubs();
        self.all_rare();
        if self.both {
            self.asm.mark(|| "divergence and reconvergence".to_owned());
            self.routines_of_parts();
        }
        self.asm.mark(|| "epilogue".to_owned());
        self.epilogue();
        Ok(())
    }

    fn block(&mut self, i: usize) -> Result<(), Error> {
        let block = &self.region.blocks[i];
        (self.block, self.step, self.pending, self.guarded) = (i, 0, 0, None);
        let state = match self.version().states[i].take() {
            Some(state) => state,
            None => self.chosen(i, &Values::default()),
        };
        self.next.fill(super::live::NEVER);
        for &(place, first, _) in &self.uses[i].first {
            if let Some(number) = self.numbers.get(place) {
                self.next[number] = first;
            }
        }
        self.values = state.clone();
        let version = self.version();
        version.states[i] = Some(state);
        let (label, body) = (version.labels[i], version.bodies[i]);
        let mode = self.mode;
        self.asm.mark(|| format!("block {i}, {}", mode.lanes()));
        self.asm.bind(label);
        self.owe_at_start();
        if block.joins {
            let meets = at(R::RDI, Frame::MEETS);
            self.asm.put(I::with2(C::Cmp_rm32_imm32, meets, block.at as i32));
            let out = if self.both && self.mode == Mode::Some {
                self.way_together(block.at)
            } else {
                self.way_out(Reason::Meets, block.at)
            };
            self.asm.jump(C::Je_rel32_64, out);
        }
        self.asm.bind(body);
        self.ways_into(block, label, body);
        self.steps_of(block)?;
        self.end(block)
    }

    /// Entries of a block.
    fn ways_into(&mut self, block: &Block, label: super::Label, body: super::Label) {
        self.open_indices = self.indices.at_start(self.block);
        if block.is_entry || self.both {
            let door = self.door(block.at, label);
            let i = self.block;
            self.version().doors[i] = Some(door);
            if block.is_entry {
                self.entries.push((self.mode, block.at, door));
            }
        }
        let is_join = |s: &Step| {
            s.at == block.at
                && !s.counted
                && s.guard == Predicate::Always
                && matches!(s.action, Action::Nothing)
        };
        if block.joins && block.steps.first().is_some_and(is_join) {
            self.way_in(block.at + 1, body);
        }
        self.open_indices = 0;
    }

    fn steps_of(&mut self, block: &Block) -> Result<(), Error> {
        let mut i = 0;
        while i < block.steps.len() {
            let rest = &block.steps[i..];
            let straight = rest.iter().position(leaves).unwrap_or(rest.len());
            if straight != 0 {
                self.mark_steps(&block.steps[i..i + straight]);
                B::steps(self, i..i + straight)?;
                self.note_changed(i..i + straight);
            }
            i += straight;
            if let Some(step) = block.steps.get(i) {
                let own = block.steps[i + 1..].iter();
                let end = i + 1 + own.take_while(|s| s.at == step.at && !leaves(s)).count();
                self.mark_steps(&block.steps[i..end]);
                self.leaving(step, i..end)?;
                self.note_changed(i..end);
                i = end;
            }
        }
        self.step = block.steps.len();
        Ok(())
    }

    /// Names steps above the code that they become together.
    fn mark_steps(&mut self, steps: &[Step]) {
        for step in steps {
            self.asm.mark(|| format!("  {step}"));
        }
    }

    /// A step that may leave, others of its instruction, and the way in behind that.
    fn leaving(&mut self, step: &Step, steps: Range<usize>) -> Result<(), Error> {
        let i = steps.start;
        self.step = i;
        self.count_guarded();
        self.owe_before(i);
        if matches!(step.action, Action::Leave { .. }) {
            self.fill_owed();
            self.write_all_back();
            self.leave(Reason::Instruction, step.at, self.pending);
            self.values = Values::default();
            self.pending = 0;
            self.behind_steps(i);
        } else {
            let known = self.plans.get(self.block).and_then(|plan| plan.get(i));
            self.late = known.map_or_else(Vec::new, |known| known.late.clone());
            B::leaving(self, i)?;
            self.late.clear();
            self.values.unpin();
            self.before(i);
            self.behind(i);
            self.count_guarded();
            self.values.unpin();
        }
        if i + 1 != steps.end {
            B::steps(self, i + 1..steps.end)?;
            self.count_guarded();
            self.values.unpin();
        }
        let (here, last) = (self.asm.label(), steps.end - 1);
        self.asm.bind(here);
        self.open = self.near.open(self.block, last);
        self.open_indices = self.indices.behind(self.block, last);
        self.way_in(step.at + 1, here);
        (self.open, self.open_indices) = (0, 0);
        Ok(())
    }

    fn end(&mut self, block: &Block) -> Result<(), Error> {
        self.count_guarded();
        self.values.unpin();
        self.owe_at_end();
        self.asm.mark(|| format!("  {}", block.end));
        match block.end {
            End::Jump(to) => {
                self.add_steps(self.pending);
                self.edge(to, true);
            }
            End::Leave { at } => {
                self.write_all_back();
                self.leave(Reason::Instruction, at, self.pending);
            }
            End::Pause { at, .. } => self.pause(at),
            End::Branch { taken, to, next, at, counted, .. } => {
                self.pending += u32::from(counted);
                self.branch(taken, (to, next), at, counted);
            }
        }
        Ok(())
    }

    fn branch(
        &mut self,
        taken: Predicate,
        (to, next): (Target, Target),
        number: u32,
        counted: bool,
    ) {
        if let Predicate::Always | Predicate::Never = taken {
            self.add_steps(self.pending);
            if taken == Predicate::Never && counted {
                self.miss_all();
            }
            return self.edge(if taken == Predicate::Always { to } else { next }, true);
        }
        B::lanes(self, taken, R::EAX);
        self.values.unpin();
        self.add_steps(self.pending);
        self.asm.put(I::with2(C::And_r32_rm32, R::EAX, R::R8D));
        let other = self.asm.label();
        self.pending = 0u32.wrapping_sub(u32::from(counted));
        let end = &self.region.blocks[self.block].end;
        let divides = match Parting::of(self.region, end).filter(|_| self.both) {
            Some(parting) => self.way_apart(parting, number),
            None => self.way_out(Reason::Divides, number),
        };
        self.pending = 0;
        let before = self.values.clone();
        let follows = |target| target == Target::Block(self.block as u32 + 1);
        if follows(to) && !follows(next) {
            self.asm.put(I::with2(C::Cmp_r32_rm32, R::EAX, R::R8D));
            self.asm.jump(C::Je_rel32_64, other);
            self.asm.put(I::with2(C::Test_rm32_r32, R::EAX, R::EAX));
            self.asm.jump(C::Jne_rel32_64, divides);
            if counted {
                self.miss_all();
            }
            self.edge(next, false);
            self.asm.bind(other);
            self.values = before;
            self.edge(to, true);
        } else {
            self.asm.jump(C::Je_rel32_64, other);
            self.asm.put(I::with2(C::Cmp_r32_rm32, R::EAX, R::R8D));
            self.asm.jump(C::Jne_rel32_64, divides);
            self.edge(to, false);
            self.asm.bind(other);
            self.values = before;
            if counted {
                self.miss_all();
            }
            self.edge(next, true);
        }
    }

    /// No lane takes a step that counts.
    fn miss_all(&mut self) {
        self.asm.put(I::with2(C::Popcnt_r32_rm32, R::EAX, R::R8D));
        self.asm.put(I::with2(C::Add_r64_rm64, R::R11, R::RAX));
    }

    /// Counts steps. Changes no flags.
    pub(super) fn add_steps(&mut self, steps: u32) {
        if steps != 0 {
            let sum = at(R::R10, 0);
            let sum = iced_x86::MemoryOperand {
                displacement: i64::from(steps as i32),
                displ_size: 1,
                ..sum
            };
            self.asm.put(I::with2(C::Lea_r64_m, R::R10, sum));
        }
    }
}

/// Whether a step can end the region.
fn leaves(step: &Step) -> bool {
    step.may_leave()
}
