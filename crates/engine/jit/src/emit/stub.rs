//! Stubs: the code of entries, exits, divergences and yield points. A stub is requested where it is
//! needed, with the state of the emitter there, and emitted after all blocks, so that the blocks
//! stay compact.

use super::asm::{Label, Section, at};
use super::backend::Backend;
use super::divergence::Divergence;
use super::register_cache::{Reg, RegisterCache};
use super::vector::register_file;
use super::{Emitter, PendingValues};
use crate::frame::{BASE_GROUPS, Frame};
use crate::machine::Mode;
use crate::run::ExitReason;
use iced_x86::{Code as C, Instruction as I, Register as R};

/// A stub that is still to be emitted, with the state of the emitter where it was requested.
pub(super) struct Stub {
    label: Label,
    /// State of the register cache at the point from which the stub is reached.
    cache: RegisterCache,
    /// The instruction before which the stub enters or exits.
    number: u32,
    /// The number of counted steps that are not added to `r10` at the request.
    uncounted: u32,
    kind: StubKind,
    values: PendingValues,
    /// Slots of base groups that an entry clears, because later steps read them.
    open: u8,
    /// Slots of index registers that an entry clears.
    open_indices: u8,
    /// The mode and the block that the stub belongs to.
    mode: Mode,
    block: usize,
}

/// What a stub does.
#[derive(Clone, Copy)]
pub(super) enum StubKind {
    Exit(ExitReason),
    /// An entry before an instruction, which loads the register cache and continues at a label.
    Entry(Label),
    /// An entry at the beginning of a block, for warps whose values are all in the register files
    /// except pending copies. Not an entry of the function by itself.
    BlockEntry(Label),
    /// A divergence; `eax` is the mask of lanes that take the branch.
    Diverge(Divergence),
    /// The arrival of lanes at their reconvergence point.
    Reconverge,
    /// The end of the turn of some lanes at a backward jump to a block.
    TurnEnds(usize),
    /// A yield point. For a barrier that the code can release: the block after it, and the number
    /// of instructions that it counts as.
    Yield(Option<(usize, u32)>),
}

impl<B: Backend> Emitter<'_, B> {
    /// Requests an exit before an instruction, from the current state.
    pub(super) fn exit_stub(&mut self, why: ExitReason, number: u32) -> Label {
        self.stub(StubKind::Exit(why), number)
    }

    /// Requests an entry of the function before an instruction.
    pub(super) fn entry_stub(&mut self, number: u32, to: Label) {
        let label = self.stub(StubKind::Entry(to), number);
        self.entries.push((self.mode, number, label));
    }

    /// Requests a stub for the current state; `number` is the instruction before which it enters or
    /// exits.
    pub(super) fn stub(&mut self, kind: StubKind, number: u32) -> Label {
        let label = self.asm.label();
        self.stub_at(label, kind, number);
        label
    }

    /// As [`Self::stub`], with a given label.
    pub(super) fn stub_at(&mut self, label: Label, kind: StubKind, number: u32) {
        let uncounted = self.uncounted;
        let mut cache = self.cache.clone();
        cache.defers_nans = false;
        let (mode, block, open) = (self.mode, self.block, self.pending.open);
        let open_indices = if mode == Mode::Live { self.pending.open_indices } else { 0 };
        let values = match kind {
            StubKind::Exit(_)
            | StubKind::Diverge(_)
            | StubKind::TurnEnds(_)
            | StubKind::BlockEntry(_) => self.pending.values.clone(),
            StubKind::Entry(_) | StubKind::Reconverge | StubKind::Yield(_) => {
                PendingValues::default()
            }
        };
        self.stubs.push(Stub {
            label,
            cache,
            number,
            uncounted,
            kind,
            values,
            open,
            open_indices,
            mode,
            block,
        });
    }

    /// Emits a conditional jump to code in the cold section that returns here. The code must not
    /// move values between registers.
    pub(super) fn out_of_line(&mut self, jump: C, code: impl FnOnce(&mut Self)) {
        let (label, back) = (self.asm.label(), self.asm.label());
        self.asm.jump(jump, label);
        let before = self.begin_cold(back);
        self.asm.bind(label);
        code(self);
        self.end_cold(Some(before), back);
    }

    /// Continues in the cold section. The code before it continues at `next`, which
    /// [`Self::end_cold`] binds.
    pub(super) fn begin_cold(&mut self, next: Label) -> Section {
        self.asm.goto(next);
        let before = self.asm.section(Section::Cold);
        let (block, mode) = (self.block, self.mode);
        self.asm.mark(|| format!("block {block}, {}, rare code", mode.lanes()));
        before
    }

    /// Ends the code that [`Self::begin_cold`] began. If it is in the cold section, it jumps to
    /// `next`.
    pub(super) fn end_cold(&mut self, before: Option<Section>, next: Label) {
        if let Some(before) = before {
            self.asm.goto(next);
            self.asm.section(before);
        }
        self.asm.bind(next);
    }

    /// Emits all stubs, including stubs that other stubs request.
    pub(super) fn emit_stubs(&mut self) {
        while !self.stubs.is_empty() {
            for stub in std::mem::take(&mut self.stubs) {
                self.cache = stub.cache;
                (self.mode, self.block) = (stub.mode, stub.block);
                self.pending.values = stub.values;
                self.asm.bind(stub.label);
                match stub.kind {
                    StubKind::Exit(why) => self.exit(why, stub.number, stub.uncounted),
                    StubKind::Entry(to) | StubKind::BlockEntry(to) => {
                        self.clear(stub.open);
                        self.forget_indices(stub.open_indices);
                        B::entered(self);
                        self.enter(to, stub.number, stub.uncounted);
                    }
                    StubKind::Diverge(divergence) => {
                        self.diverge(divergence, stub.number, stub.uncounted)
                    }
                    StubKind::Reconverge => self.reconverge(stub.number),
                    StubKind::TurnEnds(block) => self.turn_ends(block, stub.number),
                    StubKind::Yield(passes) => self.wait(passes),
                }
            }
        }
    }

    /// Emits an exit before an instruction: stores all values, and computes pending ones.
    pub(super) fn exit(&mut self, why: ExitReason, number: u32, uncounted: u32) {
        self.cache.unpin();
        self.materialize_pending();
        self.write_all_back();
        self.leave(why, number, uncounted);
    }

    /// Emits an exit before an instruction, where all values are in the register files.
    pub(super) fn leave(&mut self, why: ExitReason, number: u32, uncounted: u32) {
        self.add_steps(uncounted);
        self.asm.put(I::with2(C::Mov_r32_imm32, R::EBP, why.code()));
        self.asm.put(I::with2(C::Mov_r32_imm32, R::EAX, number as i32));
        self.asm.goto(self.labels.exit);
    }

    /// Clears the cached shapes of base groups, which may describe the warp that ran before.
    fn clear(&mut self, slots: u8) {
        for slot in (0..BASE_GROUPS).filter(|slot| slots >> slot & 1 != 0) {
            self.asm.put(I::with2(C::Mov_rm32_imm32, at(R::RDI, Frame::shape(slot)), 0));
        }
    }

    /// Emits an entry: loads the register cache and continues at a label. A value that one register
    /// holds for all lanes must be the same in all; otherwise the entry exits again. The NaNs of
    /// values that the cache holds as [`super::register_cache::Nans::Any`] are canonical, because
    /// the interpreter has come here through the same steps.
    fn enter(&mut self, to: Label, number: u32, uncounted: u32) {
        let all: Vec<_> = self.cache.all().collect();
        let mut other = None;
        // Nothing is loaded yet, so that all registers are free.
        let same: Vec<_> = self.cache.all_same().collect();
        for key in same.into_iter().filter(|of| !of.1).map(|of| of.0) {
            let out = *other.get_or_insert_with(|| self.asm.label());
            let rows: Vec<_> =
                self.cache.rows(key).map(|row| register_file::<B>(row).into()).collect();
            self.unless_apart(&rows, (false, rows.len()), 0, [Reg(0), Reg(1)], out);
        }
        all.into_iter().for_each(|(reg, key, _)| self.fetch(reg, key));
        self.add_steps(0u32.wrapping_sub(uncounted));
        self.asm.goto(to);
        if let Some(out) = other {
            self.asm.bind(out);
            // Nothing is cached yet; only copies that are pending after a yield point must be
            // materialised.
            self.cache = RegisterCache::default();
            self.exit(ExitReason::Instruction, number, 0);
        }
    }
}
