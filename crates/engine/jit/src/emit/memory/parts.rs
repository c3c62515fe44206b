//! Writes loaded data to registers: loads the data of each lane group, transposes it, and defines
//! the destination registers.

use super::shape::{CONTIGUOUS, Row, Slot, UNIFORM};
use crate::emit::Emitter;
use crate::emit::asm::J;
use crate::emit::backend::Backend;
use crate::emit::register_cache::Reg;
use crate::emit::vector::V;
use crate::ir::{Access, Load};
use crate::operand::{Predicate, VReg};
use iced_x86::{Code as C, Instruction as I, Register as R};
use std::ops::Range;

/// Bytes of an element, bytes of a lane's data, and the byte at which 16 loaded bytes begin.
#[derive(Clone, Copy)]
pub(super) struct Bytes {
    pub(super) size: usize,
    pub(super) total: usize,
    from: usize,
}

/// Where the host addresses of an access are.
#[derive(Clone, Copy)]
pub(super) enum Parts {
    /// The address of each lane group is in memory ([`Slot`]), and `ebp` has the shape of the
    /// addresses.
    Slot(Slot),
    /// The address of each lane group is in memory ([`Slot`]), and the lanes of each group access
    /// contiguous memory.
    Contiguous(Slot),
    /// The address of all lanes is in `r13`.
    One,
}

impl Bytes {
    /// The first 16 bytes of an access.
    pub(super) fn of(access: &Access) -> Self {
        let (size, count) = (usize::from(access.size), usize::from(access.count));
        Self { size, total: size * count, from: 0 }
    }

    /// The number of vector registers that loading a lane group needs.
    fn needs(self) -> usize {
        match (self.size, self.total) {
            (8, 8) => 2,
            (_, 16..) => 6,
            (_, 8) => 3,
            _ => 1,
        }
    }

    /// The registers that have the loaded elements: 32-bit values, or the halves of 64-bit
    /// elements.
    fn results(self, d: &[Reg]) -> Vec<Reg> {
        match (self.size, self.total) {
            (8, 16..) => vec![d[2], d[5], d[1], d[4]],
            (_, 16..) => vec![d[1], d[4], d[3], d[0]],
            (4 | 2 | 1, 8) => vec![d[1], d[2]],
            _ => d.to_vec(),
        }
    }
}

impl<B: Backend> Emitter<'_, B> {
    /// Writes the elements of a load to their destinations.
    pub(super) fn load_to_destinations(
        &mut self,
        load: &Load,
        guard: Predicate,
        from: Parts,
    ) -> Option<()> {
        let bytes = Bytes::of(&load.access);
        // If a lane group needs few registers, all lane groups are loaded before the first is
        // written.
        let few = B::IS_512 || bytes.total <= 4 || load.access.count == 1;
        let at_once = if few { Self::PARTS } else { 1 };
        for first in (0..Self::PARTS).step_by(usize::from(at_once)) {
            for (group, to) in load.to.chunks(16 / bytes.size).enumerate() {
                let (bytes, parts) = (Bytes { from: 16 * group, ..bytes }, first..first + at_once);
                let own = self.registers_of_parts(parts.len(), bytes);
                self.load_parts(parts.clone(), from, bytes, &own);
                self.write_parts(load, to, (parts, bytes), &own, guard)?;
            }
        }
        Some(())
    }

    /// Allocates the registers to load lane groups to.
    pub(super) fn registers_of_parts(&mut self, parts: usize, bytes: Bytes) -> Vec<Vec<Reg>> {
        (0..parts).map(|_| (0..bytes.needs()).map(|_| self.temporary()).collect()).collect()
    }

    /// Loads lane groups, in either shape, to the given registers.
    pub(super) fn load_parts(
        &mut self,
        parts: Range<u8>,
        from: Parts,
        bytes: Bytes,
        own: &[Vec<Reg>],
    ) {
        let (same, done) = (self.asm.label(), self.asm.label());
        if let Parts::Slot(_) = from {
            self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, R::EBP, CONTIGUOUS), J::NE, same);
        }
        match from {
            Parts::Slot(slot) => {
                self.load_shape(parts.clone(), slot, CONTIGUOUS, bytes, own);
                self.asm.goto(done);
                self.asm.bind(same);
                self.load_shape(parts, slot, UNIFORM, bytes, own);
            }
            Parts::Contiguous(slot) => self.load_shape(parts, slot, CONTIGUOUS, bytes, own),
            Parts::One => {
                for d in own {
                    self.load_uniform(Row::R13, &bytes.results(d), bytes);
                }
            }
        }
        self.asm.bind(done);
    }

    /// Loads lane groups, in a known shape, to the given registers.
    fn load_shape(
        &mut self,
        parts: Range<u8>,
        slot: Slot,
        shape: u32,
        bytes: Bytes,
        own: &[Vec<Reg>],
    ) {
        for (part, d) in parts.zip(own) {
            let row = slot.row(self, part);
            if shape == CONTIGUOUS {
                self.load_contiguous(row, d, bytes);
            } else {
                self.load_uniform(row, &bytes.results(d), bytes);
            }
        }
    }

    /// Loads a lane group whose lanes are contiguous.
    pub(super) fn load_contiguous(&mut self, row: Row, d: &[Reg], bytes: Bytes) {
        let Bytes { size, total, from } = bytes;
        match *d {
            [low, high] => {
                for (i, d) in [low, high].into_iter().enumerate() {
                    self.two(V::Load, d, row.at(i * Self::BYTES));
                }
            }
            [a, low, high] => self.load_pairs(row, [a, low, high]),
            [a, b, c, d, e, f] if size == 8 => {
                self.load_doubles(row, [a, b, c], (0, total, from));
                self.load_doubles(row, [d, e, f], (1, total, from));
            }
            [a, b, c, d, e, f] => self.load_quads(row, [a, b, c, d, e, f], total, from),
            [d] => self.load_plain(row, d, total),
            _ => {}
        }
    }

    /// Loads a lane group whose lanes have one address.
    fn load_uniform(&mut self, row: Row, d: &[Reg], Bytes { size, total, from }: Bytes) {
        match *d {
            [low, high] if size == 8 => {
                self.spread_all(row, &[low], true, from);
                self.two(V::Move, high, low);
            }
            [a, b, c, d] if size == 8 => {
                self.spread_all(row, &[a, c], true, from);
                self.two(V::Move, b, a);
                self.two(V::Move, d, c);
            }
            [d] => self.spread_plain(row, d, total),
            _ => self.spread_all(row, d, false, from),
        }
    }

    /// Writes the loaded data of lane groups to the destinations, and releases its registers.
    pub(super) fn write_parts(
        &mut self,
        load: &Load,
        to: &[Option<VReg>],
        (parts, Bytes { size, total, .. }): (Range<u8>, Bytes),
        own: &[Vec<Reg>],
        guard: Predicate,
    ) -> Option<()> {
        let bytes = Bytes::of(&load.access);
        let loaded: Vec<_> = own.iter().map(|d| bytes.results(d)).collect();
        for (n, part) in parts.enumerate() {
            for (i, to) in to.iter().enumerate() {
                let Some(to) = *to else { continue };
                self.cache.unpin();
                for &reg in loaded[n..].iter().flatten() {
                    self.cache.of(reg).pinned = true;
                }
                let own = &loaded[n];
                if size == 8 {
                    self.write_double(to, part, [own[2 * i], own[2 * i + 1]], load.keep, guard)?;
                    continue;
                }
                let word = own[i * size / 4];
                let value = if size == 4 {
                    word
                } else {
                    self.element(word, i, size, load.signed, total.min(4))
                };
                self.write_masked(to, part, value, (load.signed, load.keep), guard)?;
            }
        }
        self.cache.unpin();
        Some(())
    }
}
