//! From block to block: what is where when a block begins.

use super::Emitter;
use super::asm::at;
use super::backend::Backend;
use super::frame::Frame;
use super::stub::Reason;
use super::values::{Held, Key, Kind, MASK_0, Nans, Reg, Values};
use crate::machine::Mode;
use crate::op::{Float, Op};
use crate::operand::Place;
use crate::region::{Action, End, Target};
use iced_x86::{Code as C, Instruction as I, Register as R};

/// Vector and mask registers that a loop leaves to its steps.
const FREE_VECTORS: usize = 10;
const FREE_MASKS: usize = 2;

impl<B: Backend> Emitter<'_, B> {
    /// Goes on at a target. `last`: nothing is emitted behind it in this block.
    pub(super) fn edge(&mut self, target: Target, last: bool) {
        let to = match target {
            Target::Block(to) => to as usize,
            Target::Leave(number) => return self.leave_block(Reason::Outside, number),
        };
        let number = self.region.blocks[to].at;
        self.forget_dead(to);
        if to <= self.block {
            let counts = self.region.blocks[self.block].steps.iter().any(|s| s.counted)
                || matches!(self.region.blocks[self.block].end, End::Branch { counted: true, .. });
            if !counts {
                // It might go round for ever.
                return self.leave_block(Reason::Outside, number);
            }
            self.asm.put(I::with2(C::Cmp_r64_rm64, R::R10, at(R::RDI, Frame::LIMIT)));
            self.pending = 0;
            let out = self.way_out(Reason::Limit, number);
            self.asm.jump(C::Jae_rel32_64, out);
        }
        // Behind the jump out, which stores what has been filled.
        self.forget_known(to);
        let state = match self.version().states[to].clone() {
            Some(state) => state,
            None => {
                let state = self.chosen(to, &self.values);
                self.version().states[to] = Some(state.clone());
                state
            }
        };
        self.arrange(&state);
        if !(last && to == self.block + 1) {
            let label = self.version().labels[to];
            self.asm.jump(C::Jmp_rel32_64, label);
        }
    }

    fn leave_block(&mut self, why: Reason, number: u32) {
        self.fill_owed();
        self.write_all_back();
        self.leave(why, number, 0);
    }

    /// Forgets what a block knows, and needs nobody to hold.
    fn forget_known(&mut self, to: usize) {
        if self.mode == Mode::Live {
            let known: Vec<_> = self.owed[to].at_start().collect();
            known.into_iter().for_each(|place| self.values.forget(place));
        }
    }

    /// Forgets what a block does not read.
    fn forget_dead(&mut self, to: usize) {
        let held: Vec<_> = self.values.all().collect();
        for (_, key, _) in held {
            if let Some(place) = key.place()
                && self.numbers.get(place).is_some_and(|i| !self.uses[to].live_in.has(i))
            {
                self.values.forget(place);
            }
        }
    }

    /// What is to be where when a block begins; the first edge that is emitted comes with these values.
    pub(super) fn chosen(&self, to: usize, values: &Values) -> Values {
        let mut state = Values::default();
        let edges = self.versions[usize::from(self.mode == Mode::Some)].edges[to];
        if let Some(last) = self.loops[to] {
            self.chosen_of_loop(to, last, values, &mut state);
            return state;
        }
        let block = &self.region.blocks[to];
        let alone = edges == 1 && !block.is_entry && !block.joins;
        // What an empty block, where lanes meet, is followed by.
        let mut reader = to;
        while let (true, End::Jump(Target::Block(next))) =
            (self.region.blocks[reader].steps.is_empty(), self.region.blocks[reader].end)
            && next as usize > reader
        {
            reader = next as usize;
        }
        for (reg, key, held) in values.all() {
            let Some(place) = key.place() else {
                if edges == 1 {
                    *state.of(reg) = Held { pinned: false, ..held };
                }
                continue;
            };
            let lives = self.numbers.get(place).is_some_and(|i| self.uses[to].live_in.has(i));
            let soon = || self.uses[reader].first.iter().any(|&(p, ..)| p == place);
            if lives && (edges == 1 || soon()) {
                let kind = if alone { held.kind } else { Kind::BITS };
                *state.of(reg) = Held { pinned: false, kind, ..held };
            }
        }
        state
    }

    /// Registers that a loop uses most, as many as there is room for.
    fn chosen_of_loop(&self, to: usize, last: usize, values: &Values, state: &mut Values) {
        let mut uses: Vec<(u32, Place)> = Vec::new();
        let mut counts = vec![0; self.numbers.len()];
        // What it is known to have may not be at home.
        let live = self.mode == Mode::Live;
        let owed = |place| live && self.owed[to].at_start().any(|owed| owed == place);
        for block in to..=last {
            for &(place, _, count) in &self.uses[block].first {
                let Some(i) = self.numbers.get(place) else { continue };
                let lives = self.uses[to].live_in.has(i) && !owed(place);
                if counts[i] == 0 && lives {
                    uses.push((0, place));
                }
                counts[i] += count;
            }
        }
        for (count, place) in &mut uses {
            *count = self.numbers.get(*place).map_or(0, |i| counts[i]);
        }
        uses.sort_by(|a, b| b.cmp(a));
        let mut room = [
            usize::from(B::VECTORS).saturating_sub(FREE_VECTORS),
            usize::from(B::MASKS).saturating_sub(FREE_MASKS),
        ];
        let mut chosen = Vec::new();
        for (_, place) in uses {
            let in_masks = matches!(place, Place::Predicate(_)) && B::MASKS != 0;
            let parts = Key::all::<B>(place).count();
            let room = &mut room[usize::from(in_masks)];
            if let Some(rest) = room.checked_sub(parts) {
                *room = rest;
                chosen.push(place);
            }
        }
        let written = self.written(to, last);
        let kind = |place, held: Option<Held>| {
            let known = held.map_or(Kind::BITS, |h| h.kind);
            let change = written.iter().rev().find(|w| w.0 == place);
            let floats = change.is_some_and(|w| w.1);
            // In code for some lanes, ways lead anywhere from branches that part lanes.
            let all = self.mode == Mode::Live || !self.both;
            let any = all && self.any_nans && known.nans != Nans::Bits && floats;
            Kind { nans: if any { Nans::Any } else { Nans::Bits }, ..Kind::BITS }
        };
        let is_written = |place| written.iter().any(|w| w.0 == place);
        let keys =
            || chosen.iter().flat_map(|&place| Key::all::<B>(place).map(move |k| (place, k)));
        for (place, key) in keys() {
            if let Some(reg) = values.position(key) {
                let kind = kind(place, Some(values.get(reg)));
                let key = Some(key);
                *state.of(reg) = Held { key, kind, dirty: is_written(place), ..Held::default() };
            }
        }
        for (place, key) in keys() {
            if state.position(key).is_some() {
                continue;
            }
            let in_masks = matches!(key, Key::Predicate(..)) && B::MASKS != 0;
            let range = if in_masks { MASK_0..MASK_0 + B::MASKS } else { 0..B::VECTORS };
            if let Some(reg) = range.map(Reg).find(|&r| state.get(r).key.is_none()) {
                let (key, kind) = (Some(key), kind(place, None));
                *state.of(reg) = Held { key, kind, dirty: is_written(place), ..Held::default() };
            }
        }
    }

    /// Registers that blocks write, in order, and whether a float is written whose NaNs are canonical ones.
    fn written(&self, first: usize, last: usize) -> Vec<(Place, bool)> {
        let mut written = Vec::new();
        for step in self.region.blocks[first..=last].iter().flat_map(|b| &b.steps) {
            let floats = match &step.action {
                Action::Compute { op: Op::Float { op, saturate: false, .. }, .. } => {
                    *op != Float::Copy
                }
                _ => false,
            };
            step.each_written(|place| written.push((place, floats)));
        }
        written
    }

    /// Brings everything to where it is to be. What is dirty and need not be held is stored.
    fn arrange(&mut self, state: &Values) {
        for (reg, key, _) in self.values.clone().dirty() {
            let there = state.position(key).map(|r| state.get(r));
            if !there.is_some_and(|t| t.dirty) {
                self.write_back(reg);
            }
        }
        let mut moves = Vec::new();
        for (reg, key, held) in state.all() {
            let Some(from) = self.values.position(key) else { continue };
            if held.kind.nans != Nans::Any {
                self.canonical(from);
            } else if self.values.kind(from).nans == Nans::Bits {
                self.contradiction = true;
            }
            if from != reg {
                moves.push((reg, from));
            }
        }
        self.parallel(moves);
        let missing: Vec<_> =
            state.all().filter(|(_, key, _)| self.values.position(*key).is_none()).collect();
        for (reg, key, held) in missing {
            B::load(self, reg, key);
            if held.kind.nans == Nans::Any {
                self.contradiction = true;
            }
        }
        self.values = state.clone();
    }

    /// Copies of registers all at once.
    fn parallel(&mut self, mut moves: Vec<(Reg, Reg)>) {
        while !moves.is_empty() {
            let free = moves.iter().position(|&(to, _)| moves.iter().all(|&(_, from)| from != to));
            match free {
                Some(i) => {
                    let (to, from) = moves.swap_remove(i);
                    B::copy(self, to, from);
                }
                None => {
                    // A ring: what is in the way goes aside.
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
