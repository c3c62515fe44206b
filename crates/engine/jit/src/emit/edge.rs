//! Edges between blocks. The register cache at the beginning of each block is chosen at the first
//! edge to it; at each later edge, values are moved until the cache is the same.

use super::Emitter;
use super::asm::{J, at};
use super::backend::Backend;
use super::register_cache::{Key, Kind, MASK_0, Nans, Reg, RegState, RegisterCache, SAME};
use super::stub::StubKind;
use crate::frame::Frame;
use crate::ir::{End, Target, written};
use crate::machine::Mode;
use crate::operand::VReg;
use crate::run::ExitReason;
use iced_x86::{Code as C, Instruction as I, Register as R};
use std::cmp::Reverse;
use texunit_forms::sort_by_key;

/// The number of vector and mask registers that a loop's entry state leaves free for its steps.
const FREE_VECTORS: usize = 10;
const FREE_MASKS: usize = 2;

impl<B: Backend> Emitter<'_, B> {
    /// Emits an edge to a target. `last` says that it ends the code of the block.
    pub(super) fn edge(&mut self, target: Target, last: bool) {
        let to = match target {
            Target::Block(to) => to as usize,
            Target::Leave(number) => return self.exit(ExitReason::Outside, number, 0),
        };
        let number = self.region.blocks[to].at;
        self.forget_dead(&[to]);
        if to <= self.block {
            let counts = self.region.blocks[self.block].steps.iter().any(|s| s.counted)
                || matches!(self.region.blocks[self.block].end, End::Branch { counted: true, .. });
            if !counts {
                // The loop counts no steps, so that no step limit would ever end it.
                return self.exit(ExitReason::Outside, number, 0);
            }
            self.asm.put(I::with2(C::Cmp_r64_rm64, R::R10, at(R::RDI, Frame::LIMIT)));
            self.uncounted = 0;
            let out = if self.mode == Mode::Some && self.has_pending_sides() {
                self.stub(StubKind::TurnEnds(to), number)
            } else {
                self.exit_stub(ExitReason::Limit, number)
            };
            self.asm.jump(J::AE, out);
        }
        // The cache is changed only after the jump to the exit, which stores its values.
        self.forget_known(to);
        let state = match self.version().states[to].clone() {
            Some(state) => state,
            None => {
                let state = self.entry_state(to, &self.cache);
                self.version().states[to] = Some(state.clone());
                state
            }
        };
        self.reconcile(&state);
        if !(last && to == self.block + 1) {
            let label = self.version().labels[to];
            self.asm.goto(label);
        }
    }

    /// The registers whose values are pending where a block begins, in code for all live lanes.
    fn pending_where(&self, block: usize) -> impl Iterator<Item = VReg> {
        let deferred = self.facts.plans[block].start.iter().map(|deferred| deferred.vreg);
        self.facts.copies[block].at_start().chain(deferred)
    }

    /// Drops values of registers that are pending at the beginning of a block, because the block
    /// does not read them.
    fn forget_known(&mut self, to: usize) {
        if self.mode == Mode::Live {
            let known: Vec<_> = self.pending_where(to).collect();
            known.into_iter().for_each(|vreg| self.cache.forget(vreg));
        }
    }

    /// Drops cached values that are dead at the beginning of all given blocks.
    pub(super) fn forget_dead(&mut self, to: &[usize]) {
        let held: Vec<_> = self.cache.all().filter_map(|(_, key, _)| key.vreg()).collect();
        for vreg in held {
            let number = self.facts.numbers.get(vreg);
            let lives = |i| to.iter().any(|&to| self.facts.uses[to].live_in.has(i));
            if number.is_some_and(|i| !lives(i)) {
                self.cache.forget(vreg);
            }
        }
    }

    /// Chooses the register cache at the beginning of a block, when its first edge is emitted.
    /// `cache` is the state at the end of that predecessor.
    pub(super) fn entry_state(&self, to: usize, cache: &RegisterCache) -> RegisterCache {
        let mut state = RegisterCache::default();
        let edges = self.versions[usize::from(self.mode == Mode::Some)].edges[to];
        if let Some(last) = self.facts.loops[to] {
            self.loop_entry_state(to, last, cache, &mut state);
            return state;
        }
        // If the block is empty, its successor's reads decide what is kept.
        let mut reader = to;
        while let (true, End::Jump(Target::Block(next))) =
            (self.region.blocks[reader].steps.is_empty(), self.region.blocks[reader].end)
            && next as usize > reader
        {
            reader = next as usize;
        }
        for (reg, key, held) in cache.all() {
            let Some(vreg) = key.vreg() else {
                if edges == 1 {
                    *state.of(reg) = RegState { pinned: false, ..held };
                }
                continue;
            };
            let lives =
                self.facts.numbers.get(vreg).is_some_and(|i| self.facts.uses[to].live_in.has(i));
            let soon = || self.facts.uses[reader].first.iter().any(|&(p, ..)| p == vreg);
            if !lives || edges != 1 && !soon() {
                continue;
            }
            if !key.is_same() {
                let nans = match held.kind.nans {
                    _ if !self.has_canonical_nans(to, vreg) => Nans::Bits,
                    Nans::Bits => Nans::Canonical,
                    nans => nans,
                };
                let kind = Kind { nans, ..Kind::BITS };
                *state.of(reg) = RegState { pinned: false, kind, ..held };
            } else if self.stays_same(to, vreg, cache) {
                // Another edge loads the value from the register file.
                let dirty = held.dirty && edges == 1;
                *state.of(reg) = RegState { pinned: false, dirty, ..held };
                state.note_same(vreg, Self::PARTS, true);
            }
        }
        state
    }

    /// Whether a register that one processor register holds for all lanes has one value on each
    /// way to a block.
    fn stays_same(&self, to: usize, vreg: VReg, cache: &RegisterCache) -> bool {
        let mut strides = self.region.strides.get(to).into_iter().flatten();
        cache.is_same(vreg) && strides.any(|&(i, stride)| vreg == VReg::B32(i) && stride == 0)
    }

    /// Whether a register has no NaN other than the canonical one where a block begins.
    fn has_canonical_nans(&self, block: usize, vreg: VReg) -> bool {
        let number = self.facts.numbers.get(vreg).filter(|_| matches!(vreg, VReg::B32(_)));
        number.is_some_and(|i| !self.facts.noncanonical[block].has(i))
    }

    /// Chooses the register cache at the beginning of a loop: the registers that the loop uses most
    /// often, as many as fit.
    fn loop_entry_state(
        &self,
        to: usize,
        last: usize,
        cache: &RegisterCache,
        state: &mut RegisterCache,
    ) {
        let mut uses: Vec<(u32, VReg)> = Vec::new();
        let mut counts = vec![0; self.facts.numbers.len()];
        // Registers with a pending value are not in the register file.
        let live = self.mode == Mode::Live;
        let is_pending = |vreg| live && self.pending_where(to).any(|pending| pending == vreg);
        for block in to..=last {
            for &(vreg, _, count) in &self.facts.uses[block].first {
                let Some(i) = self.facts.numbers.get(vreg) else { continue };
                let lives = self.facts.uses[to].live_in.has(i) && !is_pending(vreg);
                if counts[i] == 0 && lives {
                    uses.push((0, vreg));
                }
                counts[i] += count;
            }
        }
        for (count, vreg) in &mut uses {
            *count = self.facts.numbers.get(*vreg).map_or(0, |i| counts[i]);
        }
        sort_by_key(&mut uses, |&of| Reverse(of));
        let mut room = [
            usize::from(B::VECTORS).saturating_sub(FREE_VECTORS),
            usize::from(B::MASKS).saturating_sub(FREE_MASKS),
        ];
        let written = written(self.region.blocks[to..=last].iter().flat_map(|block| &block.steps));
        let is_written = |vreg| written.contains(&vreg);
        let mut entry_state = Vec::new();
        for (_, vreg) in uses {
            let same = cache.position(Key::of(vreg, SAME)).filter(|_| !is_written(vreg));
            if let Some(reg) = same.filter(|_| room[0] != 0 && self.stays_same(to, vreg, cache)) {
                room[0] -= 1;
                *state.of(reg) = RegState { pinned: false, dirty: false, ..cache.get(reg) };
                state.note_same(vreg, Self::PARTS, true);
                continue;
            }
            let in_masks = matches!(vreg, VReg::Predicate(_)) && B::MASKS != 0;
            let parts = Key::all::<B>(vreg).count();
            let room = &mut room[usize::from(in_masks)];
            if let Some(rest) = room.checked_sub(parts) {
                *room = rest;
                entry_state.push(vreg);
            }
        }
        let keys =
            || entry_state.iter().flat_map(|&vreg| Key::all::<B>(vreg).map(move |k| (vreg, k)));
        let held = |vreg, key| {
            let dirty = is_written(vreg);
            // The loop replaces the NaNs of values that it does not write once, before it.
            let nans = match self.has_canonical_nans(to, vreg) {
                true if dirty => Nans::Any,
                true => Nans::Canonical,
                false => Nans::Bits,
            };
            let kind = Kind { nans, ..Kind::BITS };
            RegState { key: Some(key), kind, dirty, ..RegState::default() }
        };
        for (vreg, key) in keys() {
            if let Some(reg) = cache.position(key) {
                *state.of(reg) = held(vreg, key);
            }
        }
        for (vreg, key) in keys() {
            if state.position(key).is_some() {
                continue;
            }
            let in_masks = matches!(key, Key::Predicate(..)) && B::MASKS != 0;
            let range = if in_masks { MASK_0..MASK_0 + B::MASKS } else { 0..B::VECTORS };
            if let Some(reg) = range.map(Reg).find(|&r| state.get(r).key.is_none()) {
                *state.of(reg) = held(vreg, key);
            }
        }
    }

    /// Emits the moves, loads and stores after which the register cache is `state`.
    pub(super) fn reconcile(&mut self, state: &RegisterCache) {
        self.settle_all_but(|key| {
            state.is_unsettled(key) || state.position(key).is_some_and(|r| state.get(r).dirty)
        });
        for (reg, key, _) in self.cache.clone().dirty() {
            if !state.position(key).map(|r| state.get(r)).is_some_and(|t| t.dirty) {
                self.write_back(reg);
            }
        }
        let mut moves = Vec::new();
        for (reg, key, held) in state.all() {
            let Some(from) = self.cache.position(key) else { continue };
            if held.kind.nans != Nans::Any {
                self.canonical(from);
            }
            if from != reg {
                moves.push((reg, from));
            }
        }
        self.parallel(moves);
        let missing: Vec<_> =
            state.all().filter(|(_, key, _)| self.cache.position(*key).is_none()).collect();
        for (reg, key, held) in missing {
            self.fetch(reg, key);
            if held.kind.nans != Nans::Any && self.cache.is_unsettled(key) {
                B::canonical(self, reg);
            }
        }
        self.cache = state.clone();
    }

    /// Emits register moves that take effect as if all happened at once.
    fn parallel(&mut self, mut moves: Vec<(Reg, Reg)>) {
        while !moves.is_empty() {
            let free = moves.iter().position(|&(to, _)| moves.iter().all(|&(_, from)| from != to));
            match free {
                Some(i) => {
                    let (to, from) = moves.swap_remove(i);
                    B::copy(self, to, from);
                }
                None => {
                    // The moves form a cycle: one register is saved in the spare register.
                    let aside = moves[0].0;
                    let spare = if aside.is_mask() { B::SPARE_MASK } else { B::SPARE };
                    B::copy(self, spare, aside);
                    for (_, from) in &mut moves {
                        if *from == aside {
                            *from = spare;
                        }
                    }
                }
            }
        }
    }
}
