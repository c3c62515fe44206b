//! Stores: to contiguous or scattered lanes, and by index.

use super::access::MemAccess;
use super::addressing::Addressing;
use super::indexed::ContiguousAccess;
use super::shape::{CONTIGUOUS, Row, Slot};
use super::{DATA_ROW, REST, STORED};
use crate::emit::Emitter;
use crate::emit::asm::{J, Label, at};
use crate::emit::backend::Backend;
use crate::emit::index::Indexed;
use crate::emit::register_cache::Reg;
use crate::emit::vector::V;
use crate::frame::Frame;
use crate::ir::{Space, Step, Store};
use crate::machine::Mode;
use crate::operand::{Predicate, Source};
use iced_x86::{Code as C, Instruction as I, Register as R};

/// Whether stores of contiguous lanes can be masked.
fn by_mask(store: &Store) -> bool {
    store.access.count == 1 && store.access.size >= 4
}

impl<B: Backend> Emitter<'_, B> {
    /// Emits a store that may exit. The addresses of all lanes are checked before the first lane
    /// stores.
    pub(in crate::emit) fn store_lanes(&mut self, step: &Step, store: &Store) -> Option<()> {
        let addressing = self.addressing(&store.access);
        let indexed = self.indexed().filter(|of| of.rows);
        // The values that are stored from registers are loaded now, because no registers can be
        // allocated from here on.
        let is_register = store.access.base.is_some_and(|base| base.vreg().is_some());
        let values = if is_register { self.values_of_row(store)? } else { Vec::new() };
        let mem = self.mem_access(&store.access, step.guard, step.at);
        if mem.never {
            return Some(());
        }
        self.begin_group(&mem);
        if !values.is_empty() && Self::has_offsets(&mem) {
            self.store_values(&mem, addressing, indexed, &values);
            return Some(());
        }
        let (scattered, done) = (self.asm.label(), self.asm.label());
        self.lanes_taken(step.guard, R::EBX);
        self.asm.put(I::with2(C::Mov_rm32_r32, at(R::RDI, STORED), R::EBX));
        let slot = Slot::of(mem.member);
        if !matches!(addressing, Addressing::Scattered | Addressing::Uniform) {
            if !by_mask(store) {
                self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, R::EBX, -1), J::NE, scattered);
            }
            let reached = self.asm.label();
            if let Some(indexed) = indexed {
                let row = ContiguousAccess::Point { slot, stores: true };
                self.row_by_index(&mem, indexed, row, [reached, scattered]);
            }
            if !indexed.is_some_and(|of| of.is_row) {
                self.reach_row(&mem, scattered);
            }
            self.asm.bind(reached);
            self.asm.put(I::with2(C::Mov_rm32_imm32, at(R::RDI, REST), 0));
            self.asm.goto(done);
            self.asm.bind(scattered);
        }
        // The slot now points to the scattered data, so that later accesses of the base group must
        // test their shapes themselves.
        slot.forget(self);
        self.spill(&mem);
        self.asm.copy(at(R::RDI, REST), at(R::RDI, STORED), R::EBX);
        self.check_lanes(&mem);
        self.asm.put(I::with2(C::Mov_rm32_imm32, at(R::RDI, STORED), -1));
        self.point_to_data(&mem, slot);
        self.asm.bind(done);
        self.cache.unpin();
        self.put_rows(store, slot)?;
        self.scatter(&mem);
        Some(())
    }

    /// Emits a store of values in registers: contiguous lanes are stored as vectors, with a mask if
    /// not all lanes execute the store; scattered lanes are stored one by one.
    fn store_values(
        &mut self,
        mem: &MemAccess,
        addressing: Addressing,
        indexed: Option<Indexed>,
        values: &[Vec<Reg>],
    ) {
        let [scattered, done] = [self.asm.label(), self.asm.label()];
        let slot = Slot::of(mem.member);
        if let Some(indexed) = indexed {
            self.row_by_index(mem, indexed, ContiguousAccess::Store(values), [done, scattered]);
        }
        let by_offsets = self.has_rows_of_offsets(mem);
        let is_known = matches!(addressing, Addressing::Scattered | Addressing::Uniform)
            || self.mode == Mode::Some && by_offsets;
        let is_row = indexed.is_some_and(|of| of.is_row);
        if !is_known && !is_row {
            let all = self.mode == Mode::Live && mem.guard == Predicate::Always;
            if all {
                let all_lanes = I::with2(C::Cmp_rm32_imm8, R::R8D, -1);
                self.asm.jump_if(all_lanes, J::NE, scattered);
            }
            self.reach_row(mem, scattered);
            self.put_values(mem, slot, values, all);
        }
        let before = (!is_known || is_row).then(|| self.begin_cold(done));
        self.asm.bind(scattered);
        self.load_executing(mem);
        if !B::IS_512 {
            self.asm.jump_if(I::with2(C::Test_rm32_r32, R::EBX, R::EBX), J::E, done);
        }
        self.offsets(mem);
        let elsewhere = self.asm.label();
        if by_offsets {
            self.point_to_executing(mem, elsewhere);
            self.put_executing(mem, Slot::default(), values);
            self.asm.goto(done);
        }
        self.asm.bind(elsewhere);
        if B::IS_512 {
            self.scatter_values(mem, values);
        } else {
            for (part, value) in values.iter().flatten().enumerate() {
                self.store(at(R::RDI, Frame::scratch(DATA_ROW) + part * Self::BYTES), *value);
            }
            self.data_rows();
            self.each_lane(|e| {
                e.address_of_lane(mem);
                e.copy_data(mem, true);
            });
        }
        self.end_cold(before, done);
    }

    /// Stores values in registers as vectors at the addresses in the slot: of all lanes, or of
    /// those that execute the store.
    fn put_values(&mut self, mem: &MemAccess, slot: Slot, values: &[Vec<Reg>], all: bool) {
        let [some, done] = [self.asm.label(), self.asm.label()];
        if !all {
            self.load_executing(mem);
            self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, R::EBX, -1), J::NE, some);
        }
        for (part, values) in (0..).zip(values) {
            let row = slot.row(self, part);
            for (half, &value) in values.iter().enumerate() {
                self.store(row.at(half * Self::BYTES), value);
            }
        }
        if !all {
            self.asm.goto(done);
            self.asm.bind(some);
            B::keep_executing(self, mem);
            self.put_executing(mem, slot, values);
        }
        self.asm.bind(done);
    }

    /// Stores values in registers as vectors, in the lanes that execute the store.
    fn put_executing(&mut self, mem: &MemAccess, slot: Slot, values: &[Vec<Reg>]) {
        let lanes = mem.masks.map(|masks| masks[0]);
        for (part, values) in (0..).zip(values) {
            let row = slot.row(self, part);
            let is_own = mem.access.space != Space::Global;
            B::store_masked(self, (row, is_own), values, part, lanes, [mem.own[0], mem.own[1]]);
        }
    }

    /// [`Self::reach`] for contiguous lanes only.
    fn reach_row(&mut self, mem: &MemAccess, not: Label) {
        self.reach(mem, false, not);
        if mem.member.is_some_and(|member| member.leads) {
            // The shape that is cached for loads of the base group may be another.
            self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, R::EBP, CONTIGUOUS), J::NE, not);
        }
    }

    /// The vectors of each lane group of the stored value, if it is one element of 32 bits in a
    /// register, or of 64 bits and there are enough registers.
    fn values_of_row(&mut self, store: &Store) -> Option<Vec<Vec<Reg>>> {
        let parts = 0..Self::PARTS;
        match (store.access.size, &store.from[..]) {
            (4, &[source @ (Source::B32(_) | Source::Literal(_))]) => {
                let held: Option<Vec<Reg>> = parts.map(|part| self.float(source, part)).collect();
                self.canonical_all(held.as_deref()?);
                Some(held?.into_iter().map(|reg| vec![reg]).collect())
            }
            (8, &[source @ Source::B64(_)]) if B::IS_512 => parts
                .map(|part| {
                    [0, 1].into_iter().map(|half| self.whole_of(source, 2 * part + half)).collect()
                })
                .collect(),
            _ => Some(Vec::new()),
        }
    }

    /// Stores the elements of all lanes as vectors at the addresses in the slot.
    fn put_rows(&mut self, store: &Store, slot: Slot) -> Option<()> {
        let (size, count) = (usize::from(store.access.size), usize::from(store.access.count));
        if store.from.len() != count {
            return None;
        }
        let total = size * count;
        for part in 0..Self::PARTS {
            let row = slot.row(self, part);
            if by_mask(store) {
                self.put_by_mask(store, (part, row))?;
                continue;
            }
            if size == 8 {
                for half in 0..2 {
                    self.put_doubles(store, (2 * part + half, row), total)?;
                }
                continue;
            }
            for (group, from) in store.from.chunks((16 / size).min(count)).enumerate() {
                let mut words = Vec::with_capacity(4);
                for elements in from.chunks(4 / size) {
                    words.push(self.word(elements, part, size)?);
                }
                match *words {
                    [word] if total == 4 => self.store(row.at(0), word),
                    [word] => B::store_small(self, row.at(0), word, total),
                    [low, high] => self.store_pairs(row, low, high),
                    [a, b, c, d] => self.store_quads(row, [a, b, c, d], total, 16 * group),
                    _ => return None,
                }
                self.cache.unpin();
            }
        }
        Some(())
    }

    /// Stores a lane group of elements of 4 or 8 bytes, in the lanes that execute the step.
    fn put_by_mask(&mut self, store: &Store, (part, row): (u8, Row)) -> Option<()> {
        let (source, wide) = (store.from[0], store.access.size == 8);
        let values = match wide {
            true => vec![self.whole_of(source, 2 * part)?, self.whole_of(source, 2 * part + 1)?],
            false => vec![self.low_of(source, part)?],
        };
        let masks = [self.temporary(), self.temporary()];
        let is_own = store.access.space != Space::Global;
        let (some, done) = (self.asm.label(), self.asm.label());
        self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, at(R::RDI, STORED), -1), J::NE, some);
        for (half, &value) in values.iter().enumerate() {
            self.store(row.at(half * Self::BYTES), value);
        }
        self.asm.goto(done);
        self.asm.bind(some);
        B::store_masked(self, (row, is_own), &values, part, None, masks);
        self.asm.bind(done);
        self.cache.unpin();
        Some(())
    }

    /// Packs elements of 1, 2 or 4 bytes into 32-bit values. Returns the temporary register of the
    /// result.
    fn word(&mut self, elements: &[Source], part: u8, size: usize) -> Option<Reg> {
        let mut word = None;
        for (i, &source) in elements.iter().enumerate() {
            let d = self.low_word(source, part)?;
            if elements.len() > 1 {
                // Clears the bits above the element, which would overwrite the other elements.
                let shift = 32 - 8 * size as u32;
                self.two_with(V::Left32, d, d, shift);
                let rest = shift - 8 * (i * size) as u32;
                if rest != 0 {
                    self.two_with(V::RightU32, d, d, rest);
                }
            }
            match word {
                None => word = Some(d),
                Some(word) => {
                    self.three(V::Or32, word, word, d);
                    self.release(d);
                }
            }
        }
        word
    }

    /// Stores elements of 8 bytes, of half a lane group.
    fn put_doubles(&mut self, store: &Store, (part, row): (u8, Row), total: usize) -> Option<()> {
        let half = usize::from(part % 2);
        for (pair, from) in store.from.chunks(2).enumerate() {
            let a = self.whole_of(from[0], part)?;
            match from.get(1) {
                Some(&b) => {
                    let b = self.whole_of(b, part)?;
                    self.store_doubles(row, [a, b], (half, total, 16 * pair));
                }
                None => self.store(row.at(half * Self::BYTES), a),
            }
            self.cache.unpin();
        }
        Some(())
    }
}
