//! Writes loaded data to registers: loads the parts from the addresses in a slot, transposes them,
//! and defines the destinations.

use super::shape::{CONTIGUOUS, Slot};
use super::{Avx2Emitter, LANES_SIZE, MOVE, PARTS};
use crate::emit::register_cache::Reg;
use crate::emit::vector::Operand;
use crate::operand::{Predicate, VReg};
use crate::region::Load;
use iced_x86::{Code as C, Instruction as I, Register as R};

/// Bytes of an element, bytes of a lane's data, and the byte at which 16 loaded bytes begin.
#[derive(Clone, Copy)]
struct Bytes {
    size: usize,
    total: usize,
    from: usize,
}

impl Bytes {
    /// The number of registers that a part needs.
    fn needs(self) -> usize {
        match (self.size, self.total) {
            (8, 8) => 2,
            (_, 16..) => 6,
            (_, 8) => 3,
            _ => 1,
        }
    }

    /// The registers that have the results: 32-bit values, or the halves of 64-bit elements.
    fn results(self, d: &[Reg]) -> Vec<Reg> {
        match (self.size, self.total) {
            (8, 16..) => vec![d[2], d[5], d[1], d[4]],
            (_, 16..) => vec![d[1], d[4], d[3], d[0]],
            (4 | 2 | 1, 8) => vec![d[1], d[2]],
            _ => d.to_vec(),
        }
    }
}

impl Avx2Emitter<'_> {
    /// Writes the elements of a load to their destinations. `ebp` has the shape, unless all lanes
    /// are known to have one address (`one`).
    pub(super) fn load_to_destinations(
        &mut self,
        load: &Load,
        guard: Predicate,
        slot: Slot,
        one: bool,
    ) -> Option<()> {
        let (size, count) = (usize::from(load.access.size), usize::from(load.access.count));
        if load.to.len() != count {
            return None;
        }
        self.back.data_offset = slot.data_offset;
        let total = size * count;
        // If a part needs few registers, all parts are loaded before the first is written.
        let at_once = if total <= 4 || count == 1 { PARTS } else { 1 };
        for first in (0..PARTS).step_by(usize::from(at_once)) {
            for (group, to) in load.to.chunks((16 / size).min(count)).enumerate() {
                let bytes = Bytes { size, total, from: 16 * group };
                let loaded = self.load_parts(first..first + at_once, slot, bytes, one);
                for (i, part) in (first..first + at_once).enumerate() {
                    self.write_part(load, to, part, &loaded[i..], guard)?;
                }
                self.cache.unpin();
            }
        }
        self.back.data_offset = 0;
        Some(())
    }

    /// Loads at most 4 bytes per lane, in either shape, to the given registers.
    pub(super) fn load_small(&mut self, load: &Load, to: &[Reg], slot: Slot) {
        let (size, count) = (usize::from(load.access.size), usize::from(load.access.count));
        self.back.data_offset = slot.data_offset;
        let own = to.iter().map(|&reg| vec![reg]).collect();
        self.load_parts_to(
            0..PARTS,
            slot,
            Bytes { size, total: size * count, from: 0 },
            false,
            own,
        );
        self.back.data_offset = 0;
    }

    /// Writes what [`Self::load_small`] has loaded to the destinations.
    pub(super) fn write_loaded(
        &mut self,
        load: &Load,
        parts: &[Reg],
        guard: Predicate,
    ) -> Option<()> {
        self.cache.unpin();
        let loaded: Vec<Vec<Reg>> = parts.iter().map(|&reg| vec![reg]).collect();
        for part in 0..PARTS {
            self.write_part(load, &load.to, part, &loaded[usize::from(part)..], guard)?;
        }
        self.cache.unpin();
        Some(())
    }

    /// Loads parts, in either shape. Returns their registers.
    fn load_parts(
        &mut self,
        parts: std::ops::Range<u8>,
        slot: Slot,
        bytes: Bytes,
        one: bool,
    ) -> Vec<Vec<Reg>> {
        let needs = bytes.needs();
        let own: Vec<Vec<Reg>> =
            parts.clone().map(|_| (0..needs).map(|_| self.temporary()).collect()).collect();
        self.load_parts_to(parts, slot, bytes, one, own)
    }

    /// Loads parts, in either shape, to the given registers.
    fn load_parts_to(
        &mut self,
        parts: std::ops::Range<u8>,
        slot: Slot,
        bytes: Bytes,
        one: bool,
        own: Vec<Vec<Reg>>,
    ) -> Vec<Vec<Reg>> {
        let loaded: Vec<_> = own.iter().map(|d| bytes.results(d)).collect();
        let (same, done) = (self.asm.label(), self.asm.label());
        if !one {
            self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, R::EBP, CONTIGUOUS), C::Jne_rel32_64, same);
            for (part, d) in parts.clone().zip(&own) {
                self.asm.put(I::with2(C::Mov_r64_rm64, R::R13, slot.pointer(part)));
                self.load_contiguous(d, bytes);
            }
            self.asm.jump(C::Jmp_rel32_64, done);
            self.asm.bind(same);
        }
        for (part, d) in parts.zip(&loaded) {
            self.asm.put(I::with2(C::Mov_r64_rm64, R::R13, slot.pointer(part)));
            self.load_uniform(d, bytes);
        }
        self.asm.bind(done);
        for &reg in own.iter().flatten() {
            if !loaded.iter().flatten().any(|&other| other == reg) {
                self.cache.release(reg);
            }
        }
        loaded
    }

    /// Loads a part whose lanes are contiguous.
    fn load_contiguous(&mut self, d: &[Reg], Bytes { size, total, from }: Bytes) {
        match *d {
            [low, high] => {
                for (i, d) in [low, high].into_iter().enumerate() {
                    let half = self.lane_data(i * LANES_SIZE);
                    self.two(MOVE, d, Operand::Memory(half));
                }
            }
            [a, low, high] => self.load_pairs([a, low, high]),
            [a, b, c, d, e, f] if size == 8 => {
                self.load_doubles([a, b, c], 0, total, from);
                self.load_doubles([d, e, f], 1, total, from);
            }
            [a, b, c, d, e, f] => self.load_quads([a, b, c, d, e, f], total, from),
            [d] => self.load_plain(d, total),
            _ => {}
        }
    }

    /// Loads a part whose lanes have one address.
    fn load_uniform(&mut self, d: &[Reg], Bytes { size, total, from }: Bytes) {
        match *d {
            [low, high] if size == 8 => {
                self.spread_all(&[low], 8, from);
                self.two(MOVE, high, low);
            }
            [a, b, c, d] if size == 8 => {
                self.spread_all(&[a, c], 8, from);
                self.two(MOVE, b, a);
                self.two(MOVE, d, c);
            }
            [d] => self.spread_plain(d, total),
            _ => self.spread_all(d, 4, from),
        }
    }

    /// Writes a part of the loaded data to the destinations. `loaded` begins with the registers of
    /// this part, and those of later parts follow.
    fn write_part(
        &mut self,
        load: &Load,
        to: &[Option<VReg>],
        part: u8,
        loaded: &[Vec<Reg>],
        guard: Predicate,
    ) -> Option<()> {
        let (size, count) = (usize::from(load.access.size), usize::from(load.access.count));
        for (i, to) in to.iter().enumerate() {
            let Some(to) = *to else { continue };
            self.cache.unpin();
            for &reg in loaded.iter().flatten() {
                self.cache.of(reg).pinned = true;
            }
            let own = &loaded[0];
            if size == 8 {
                self.write_double(to, part, [own[2 * i], own[2 * i + 1]], load.keep, guard)?;
                continue;
            }
            let word = own[i * size / 4];
            let value = if size == 4 {
                word
            } else {
                self.element(word, i, size, load.signed, (size * count).min(4))
            };
            self.write_masked(to, part, value, (load.signed, load.keep), guard)?;
        }
        Some(())
    }
}
