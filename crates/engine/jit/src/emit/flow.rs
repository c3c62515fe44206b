//! The driver of emission: walks the blocks and steps of a region, and lets a back end emit the
//! steps. It is independent of the instruction set.

use super::Emitter;
use super::asm::{J, at};
use super::backend::Backend;
use super::divergence::Divergence;
use super::memory::is_supported;
use super::register_cache::{Key, RegisterCache};
use super::stub::StubKind;
use crate::Error;
use crate::frame::Frame;
use crate::ir::{Action, Block, End, Space, Step, Target};
use crate::machine::Mode;
use crate::operand::Predicate;
use crate::run::ExitReason;
use iced_x86::{Code as C, Instruction as I, Register as R};
use std::ops::Range;

impl<B: Backend> Emitter<'_, B> {
    /// Emits the whole function: the prologue, the blocks in each mode, and all stubs.
    pub(super) fn function(&mut self) -> Result<(), Error> {
        let last = self.mode;
        self.prologue();
        let versions = if self.has_both_modes { &[Mode::Live, Mode::Some][..] } else { &[last] };
        for &mode in versions {
            self.mode = mode;
            for block in 0..self.region.blocks.len() {
                self.block(block)?;
            }
        }
        self.asm.mark(|| "entries and exits".to_owned());
        self.emit_stubs();
        if self.has_both_modes {
            self.asm.mark(|| "divergence and reconvergence".to_owned());
            self.divergence_routines();
        }
        self.asm.mark(|| "epilogue".to_owned());
        self.epilogue();
        Ok(())
    }

    fn block(&mut self, i: usize) -> Result<(), Error> {
        let block = &self.region.blocks[i];
        (self.block, self.step, self.uncounted, self.guarded) = (i, 0, 0, None);
        let state = self.version().states[i].take();
        let state = state.unwrap_or_else(|| self.entry_state(i, &RegisterCache::default()));
        self.next.fill(super::live::NEVER);
        for &(vreg, first, _) in &self.facts.uses[i].first {
            if let Some(number) = self.facts.numbers.get(vreg) {
                self.next[number] = first;
            }
        }
        self.cache = state.clone();
        let version = self.version();
        version.states[i] = Some(state);
        let (label, body) = (version.labels[i], version.bodies[i]);
        let mode = self.mode;
        if self.facts.loops[i].is_some() {
            self.asm.align();
        }
        self.asm.mark(|| format!("block {i}, {}", mode.lanes()));
        self.asm.bind(label);
        self.pending_at_start();
        if block.joins {
            let reconverge_at = at(R::RDI, Frame::RECONVERGE_AT);
            self.asm.put(I::with2(C::Cmp_rm32_imm32, reconverge_at, block.at as i32));
            let out = if self.has_both_modes && self.mode == Mode::Some {
                self.stub(StubKind::Reconverge, block.at)
            } else {
                self.exit_stub(ExitReason::Reconverges, block.at)
            };
            self.asm.jump(J::E, out);
        }
        self.asm.bind(body);
        self.entries_of(block, label, body);
        self.steps_of(block)?;
        self.end(block)
    }

    /// Adds the entries at the beginning of a block.
    fn entries_of(&mut self, block: &Block, label: super::Label, body: super::Label) {
        self.pending.open_indices = self.facts.indices.at_start(self.block);
        let i = self.block;
        let entry = self.version().block_entries[i];
        self.stub_at(entry, StubKind::BlockEntry(label), block.at);
        self.entries.push((self.mode, block.at, entry));
        let is_join = |s: &Step| {
            s.at == block.at
                && !s.counted
                && s.guard == Predicate::Always
                && matches!(s.action, Action::Nothing)
        };
        if block.joins && block.steps.first().is_some_and(is_join) {
            self.entry_stub(block.at + 1, body);
        }
        self.pending.open_indices = 0;
    }

    fn steps_of(&mut self, block: &Block) -> Result<(), Error> {
        let mut i = 0;
        while i < block.steps.len() {
            let rest = &block.steps[i..];
            let straight = rest.iter().position(Step::may_exit).unwrap_or(rest.len());
            if straight != 0 {
                self.mark_steps(&block.steps[i..i + straight]);
                B::steps(self, i..i + straight)?;
                self.note_changed(i..i + straight);
            }
            i += straight;
            if let Some(step) = block.steps.get(i) {
                let own = block.steps[i + 1..].iter();
                let end = i + 1 + own.take_while(|s| s.at == step.at && !s.may_exit()).count();
                self.mark_steps(&block.steps[i..end]);
                self.leaving(step, i..end)?;
                self.note_changed(i..end);
                i = end;
            }
        }
        self.step = block.steps.len();
        Ok(())
    }

    /// Adds the text of steps to the disassembly, above the code that is emitted for them together.
    fn mark_steps(&mut self, steps: &[Step]) {
        for step in steps {
            self.asm.mark(|| format!("  {step}"));
        }
    }

    /// Emits a step that may exit.
    fn may_exit(&mut self, step: &Step) -> Option<()> {
        match &step.action {
            _ if step.guard == Predicate::Never => {}
            Action::Load(load) if load.access.is_in_frame() => return self.load_frame(step, load),
            Action::Load(load) if is_supported(&load.access) => {
                return self.load_lanes(step, load);
            }
            Action::Store(store) if store.access.is_in_frame() => {
                return self.store_frame(step, store);
            }
            Action::Store(store) if is_supported(&store.access) => {
                return self.store_lanes(step, store);
            }
            Action::Atomic(atomic)
                if atomic.access.space != Space::Local && is_supported(&atomic.access) =>
            {
                return self.atomic(step, atomic);
            }
            Action::Sync { members } => return self.members(step, Some(*members)),
            Action::Vote { mode, to, of, members } => {
                return self.vote(step, *mode, *to, *of, *members);
            }
            Action::Shuffle(shuffle) => return B::shuffle(self, step, shuffle),
            Action::Match(op) => return self.matching(step, op),
            Action::Redux { op, to, of, members } => {
                return self.redux(step, *op, *to, (*of, *members));
            }
            // The interpreter executes the instruction.
            _ => {
                let out = self.exit_stub(ExitReason::Instruction, step.at);
                self.asm.goto(out);
            }
        }
        Some(())
    }

    /// Emits a step that may exit, the later steps of its instruction, and the entry after the
    /// instruction.
    fn leaving(&mut self, step: &Step, steps: Range<usize>) -> Result<(), Error> {
        let i = steps.start;
        self.step = i;
        self.count_guarded();
        self.pending_before(i);
        self.settle_before(step);
        self.may_exit(step).ok_or(Error::Operands(i))?;
        self.pending.values.deferred.clear();
        self.cache.unpin();
        self.before(i);
        self.after_step(i);
        self.count_guarded();
        self.cache.unpin();
        if i + 1 != steps.end {
            B::steps(self, i + 1..steps.end)?;
            self.count_guarded();
            self.cache.unpin();
        }
        let (here, last) = (self.asm.label(), steps.end - 1);
        self.asm.bind(here);
        self.pending.open = self.facts.base_groups.open(self.block, last);
        self.pending.open_indices = self.facts.indices.live_after(self.block, last);
        self.entry_stub(step.at + 1, here);
        (self.pending.open, self.pending.open_indices) = (0, 0);
        Ok(())
    }

    /// Makes the NaNs canonical that a step which may exit could read from the register file. A
    /// load only reads the registers of its addresses.
    fn settle_before(&mut self, step: &Step) {
        let Action::Load(_) = step.action else { return self.settle() };
        let mut read = Vec::new();
        step.each_read(&mut |vreg| read.extend(Key::all::<B>(vreg)));
        if read.iter().any(|&key| self.cache.is_unsettled(key)) {
            self.settle();
        }
        for key in read {
            if let Some(reg) = self.cache.position(key) {
                self.canonical(reg);
            }
        }
    }

    fn end(&mut self, block: &Block) -> Result<(), Error> {
        self.count_guarded();
        self.cache.unpin();
        self.pending_at_end();
        self.asm.mark(|| format!("  {}", block.end));
        match block.end {
            End::Jump(to) => {
                self.add_steps(self.uncounted);
                self.edge(to, true);
            }
            End::Leave { at } => {
                self.write_all_back();
                self.leave(ExitReason::Instruction, at, self.uncounted);
            }
            End::Yield { at, next, barrier } => self.yield_point(at, next, barrier),
            End::Branch { taken, to, next, at, counted, .. } => {
                self.uncounted += u32::from(counted);
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
            self.add_steps(self.uncounted);
            if taken == Predicate::Never && counted {
                self.miss_all();
            }
            return self.edge(if taken == Predicate::Always { to } else { next }, true);
        }
        self.lanes(taken, R::EAX);
        self.cache.unpin();
        self.add_steps(self.uncounted);
        self.asm.put(I::with2(C::And_r32_rm32, R::EAX, R::R8D));
        let other = self.asm.label();
        self.uncounted = 0u32.wrapping_sub(u32::from(counted));
        let end = &self.region.blocks[self.block].end;
        let divides = match Divergence::of(self.region, end).filter(|_| self.has_both_modes) {
            Some(divergence) => self.stub(StubKind::Diverge(divergence), number),
            None => self.exit_stub(ExitReason::Diverges, number),
        };
        self.uncounted = 0;
        let before = self.cache.clone();
        let follows = |target| target == Target::Block(self.block as u32 + 1);
        if follows(to) && !follows(next) {
            self.asm.jump_if(I::with2(C::Cmp_r32_rm32, R::EAX, R::R8D), J::E, other);
            self.asm.jump_if(I::with2(C::Test_rm32_r32, R::EAX, R::EAX), J::NE, divides);
            if counted {
                self.miss_all();
            }
            self.edge(next, false);
            self.asm.bind(other);
            self.cache = before;
            self.edge(to, true);
        } else {
            self.asm.jump(J::E, other);
            self.asm.jump_if(I::with2(C::Cmp_r32_rm32, R::EAX, R::R8D), J::NE, divides);
            self.edge(to, false);
            self.asm.bind(other);
            self.cache = before;
            if counted {
                self.miss_all();
            }
            self.edge(next, true);
        }
    }

    /// Counts all active lanes as lanes that did not execute a counted step.
    fn miss_all(&mut self) {
        self.asm.put(I::with2(C::Popcnt_r32_rm32, R::EAX, R::R8D));
        self.asm.put(I::with2(C::Add_r64_rm64, R::R11, R::RAX));
    }

    /// Adds to the step count with `lea`, which preserves the flags.
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
