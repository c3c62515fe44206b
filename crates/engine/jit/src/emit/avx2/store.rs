//! Stores: to contiguous or scattered lanes, and by index.

use super::indexed::{ContiguousAccess, Continuations};
use super::shape::{CONTIGUOUS, Slot};
use super::{Avx2Emitter, LANES_SIZE, PARTS, Vector};
use crate::emit::asm::at;
use crate::emit::register_cache::Reg;
use crate::frame::Frame;
use crate::operand::Source;
use crate::region::{Space, Step, Store};
use iced_x86::{Code as C, Instruction as I, Register as R};

/// Masks in the frame: the lanes that are copied one by one, and the lanes that vector stores
/// write.
const REST: usize = Frame::SAVED;
const LANES: usize = Frame::SAVED + 16;

/// Whether stores of contiguous lanes can be masked.
fn by_mask(store: &Store) -> bool {
    store.access.count == 1 && store.access.size >= 4
}

impl Avx2Emitter<'_> {
    /// Emits a store that may exit. The addresses of all lanes are checked before the first lane
    /// stores.
    pub(super) fn store_lanes(&mut self, step: &Step, store: &Store) -> Option<()> {
        let member = self.facts.base_groups.member(self.block, self.step);
        let indexed = self.indexed().filter(|of| of.rows && !of.is_loaded);
        // The values for contiguous stores are loaded now, because no registers can be allocated
        // from here on.
        let values = match indexed {
            Some(_) => self.words_of_all(store)?,
            None => Vec::new(),
        };
        let mem = self.mem_access(&store.access, step.guard, step.at);
        if mem.never {
            return Some(());
        }
        let masks = (!values.is_empty()).then(|| [self.temporary(), self.temporary()]);
        let (scattered, done, stored) = (self.asm.label(), self.asm.label(), self.asm.label());
        let (rest, lanes) = (at(R::RDI, REST), at(R::RDI, LANES));
        self.load_executing(&mem);
        if mem.access.space != Space::Local {
            if !by_mask(store) {
                self.asm.put(I::with2(C::Cmp_rm32_imm8, R::EBX, -1));
                self.asm.jump(C::Jne_rel32_64, scattered);
            }
            let reached = self.asm.label();
            if let Some(indexed) = indexed {
                let slot = Slot::of(member);
                if member.is_some_and(|member| member.leads) {
                    slot.forget(self);
                }
                let (row, done) = match values.is_empty() {
                    true => (ContiguousAccess::Point(slot), reached),
                    false => (ContiguousAccess::Store(&values), stored),
                };
                self.row_by_index(&mem, indexed, row, Continuations { done, scattered });
            }
            if !indexed.is_some_and(|of| of.is_row) {
                self.reach(&mem, member, false, scattered);
                if member.is_some() {
                    // A cached shape may be that of a load, for which lanes with one address are
                    // valid.
                    self.asm.put(I::with2(C::Cmp_rm32_imm8, R::EBP, CONTIGUOUS));
                    self.asm.jump(C::Jne_rel32_64, scattered);
                }
            }
            self.asm.bind(reached);
            self.asm.put(I::with2(C::Mov_rm32_imm32, rest, 0));
            self.asm.put(I::with2(C::Mov_rm32_r32, lanes, R::EBX));
            self.asm.jump(C::Jmp_rel32_64, done);
            self.asm.bind(scattered);
        }
        let slot = Slot::of(member);
        // The slot is used for the scattered data, so that the later accesses of the group test
        // their shapes themselves.
        slot.forget(self);
        self.spill(&mem);
        self.asm.put(I::with2(C::Mov_rm32_r32, rest, R::EBX));
        self.asm.put(I::with2(C::Mov_rm32_imm32, lanes, -1));
        self.check_lanes(&mem);
        self.point_to_data(&mem, slot);
        self.asm.bind(done);
        self.cache.unpin();
        self.back.data_offset = slot.data_offset;
        self.put_rows(store, slot, masks)?;
        self.back.data_offset = 0;
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EBX, rest));
        self.data_rows();
        self.each_lane(|e| {
            e.offset_of_lane(&mem);
            e.address_from_offset(&mem);
            e.copy_data(&mem, true);
        });
        self.asm.bind(stored);
        Some(())
    }

    /// The parts of the stored value, if it is one element of 32 bits in a register.
    fn words_of_all(&mut self, store: &Store) -> Option<Vec<Reg>> {
        match (store.access.size, &store.from[..]) {
            (4, &[source @ (Source::B32(_) | Source::Literal(_))]) => {
                (0..PARTS).map(|part| self.narrow(source, part)).collect()
            }
            _ => Some(Vec::new()),
        }
    }

    /// Stores the elements of all lanes as vectors at the addresses in the slot.
    fn put_rows(&mut self, store: &Store, slot: Slot, masks: Option<[Reg; 2]>) -> Option<()> {
        let (size, count) = (usize::from(store.access.size), usize::from(store.access.count));
        if store.from.len() != count {
            return None;
        }
        let total = size * count;
        for part in 0..PARTS {
            self.asm.put(I::with2(C::Mov_r64_rm64, R::R13, slot.pointer(part)));
            if by_mask(store) {
                self.put_by_mask(store, part, masks)?;
                continue;
            }
            if size == 8 {
                for half in 0..2 {
                    self.put_doubles(store, 2 * part + half, total)?;
                }
                continue;
            }
            for (group, from) in store.from.chunks((16 / size).min(count)).enumerate() {
                let mut words = Vec::with_capacity(4);
                for elements in from.chunks(4 / size) {
                    words.push(self.word(elements, part, size)?);
                }
                match *words {
                    [word] => self.store_plain(word, total),
                    [low, high] => self.store_pairs(low, high),
                    [a, b, c, d] => self.store_quads([a, b, c, d], total, 16 * group),
                    _ => return None,
                }
                self.cache.unpin();
            }
        }
        Some(())
    }

    /// Stores a part of elements of 4 or 8 bytes, in the lanes that execute the step. `masks` are
    /// temporaries that the caller has reserved.
    fn put_by_mask(&mut self, store: &Store, part: u8, masks: Option<[Reg; 2]>) -> Option<()> {
        let (source, wide) = (store.from[0], store.access.size == 8);
        let values = match (wide, source) {
            (true, _) => {
                vec![self.whole_of(source, 2 * part)?, self.whole_of(source, 2 * part + 1)?]
            }
            (_, Source::B64(_) | Source::WideConstant(_) | Source::Bytes64(_)) => {
                vec![self.low(source, part)?]
            }
            _ => vec![self.narrow(source, part)?],
        };
        let [mask, half_mask] = masks.unwrap_or_else(|| [self.temporary(), self.temporary()]);
        let (some, done) = (self.asm.label(), self.asm.label());
        let to = |e: &Self, half: usize| e.lane_data(half * LANES_SIZE);
        self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, at(R::RDI, LANES), -1), C::Jne_rel32_64, some);
        for (half, value) in values.iter().enumerate() {
            let to = to(self, half);
            self.store(to, *value);
        }
        self.asm.jump(C::Jmp_rel32_64, done);
        self.asm.bind(some);
        self.spread_byte(mask, at(R::RDI, LANES + usize::from(part)));
        for (half, value) in values.iter().enumerate() {
            let to = to(self, half);
            let (code, mask) = if wide {
                self.widen_mask(half_mask, mask, half as u8);
                (C::VEX_Vpmaskmovq_m256_ymm_ymm, half_mask)
            } else {
                (C::VEX_Vpmaskmovd_m256_ymm_ymm, mask)
            };
            self.asm.put(I::with3(code, to, mask.ymm(), value.ymm()));
        }
        self.asm.bind(done);
        self.cache.unpin();
        Some(())
    }

    /// Packs elements of 1, 2 or 4 bytes into 32-bit values, in a temporary.
    fn word(&mut self, elements: &[Source], part: u8, size: usize) -> Option<Reg> {
        let mut word = None;
        for (i, &source) in elements.iter().enumerate() {
            let d = self.low_word(source, part)?;
            if elements.len() > 1 {
                // Clears the bits above the element, which would overwrite the other elements.
                let shift = 32 - 8 * size as u32;
                self.two_with(C::VEX_Vpslld_ymm_ymm_imm8, d, d, shift);
                let rest = shift - 8 * (i * size) as u32;
                if rest != 0 {
                    self.two_with(C::VEX_Vpsrld_ymm_ymm_imm8, d, d, rest);
                }
            }
            match word {
                None => word = Some(d),
                Some(word) => {
                    self.three(C::VEX_Vpor_ymm_ymm_ymmm256, word, word, d);
                    self.release(d);
                }
            }
        }
        word
    }

    /// Stores elements of 8 bytes, of a part of 4 lanes.
    fn put_doubles(&mut self, store: &Store, part: u8, total: usize) -> Option<()> {
        for (pair, from) in store.from.chunks(2).enumerate() {
            let a = self.whole_of(from[0], part)?;
            match from.get(1) {
                Some(&b) => {
                    let b = self.whole_of(b, part)?;
                    let half = usize::from(part % 2);
                    self.store_doubles((a, b), half, total, 16 * pair);
                }
                None => {
                    let to = self.lane_data(usize::from(part % 2) * LANES_SIZE);
                    self.store(to, a);
                }
            }
            self.cache.unpin();
        }
        Some(())
    }
}
