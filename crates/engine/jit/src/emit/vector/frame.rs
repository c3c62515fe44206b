//! Accesses that never exit: to the running function's frame in local memory, where byte `i` of
//! each lane is in the 32-bit register `i / 4`, and to kernel parameters.

use super::V;
use crate::emit::Emitter;
use crate::emit::asm::at;
use crate::emit::backend::Backend;
use crate::emit::memory::sized;
use crate::emit::register_cache::Reg;
use crate::frame::Frame;
use crate::ir::{Load, Step, Store};
use crate::machine::Mode;
use crate::operand::{Predicate, Source, VReg};
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

impl<B: Backend> Emitter<'_, B> {
    /// Loads a lane group of a register of local memory to a temporary.
    fn of_frame(&mut self, word: usize, part: u8) -> Reg {
        let d = self.temporary();
        let from = self.frame_row(word, part);
        self.two(V::Load, d, from);
        d
    }

    /// The memory operand of a lane group of a register of local memory, relative to `rax`, which
    /// allocating a register may overwrite.
    fn frame_row(&mut self, word: usize, part: u8) -> MemoryOperand {
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, at(R::RDI, Frame::FRAME)));
        at(R::RAX, word * 128 + usize::from(part) * 4 * B::LANES)
    }

    /// Loads up to 4 of the `size` bytes of each lane at byte `offset` into a temporary. Higher
    /// bits are undefined.
    fn frame_bits(&mut self, offset: usize, size: usize, part: u8) -> Reg {
        let d = self.of_frame(offset / 4, part);
        let shift = 8 * (offset % 4) as u32;
        if shift != 0 {
            self.two_with(V::RightU32, d, d, shift);
            if offset % 4 + size > 4 {
                let next = self.of_frame(offset / 4 + 1, part);
                self.two_with(V::Left32, next, next, 32 - shift);
                self.three(V::Or32, d, d, next);
                self.release(next);
            }
        }
        d
    }

    /// Emits a load from a constant offset in the frame.
    pub(in crate::emit) fn load_frame(&mut self, step: &Step, load: &Load) -> Option<()> {
        let (size, how) = (usize::from(load.access.size), (load.signed, load.keep));
        if load.to.len() != usize::from(load.access.count) {
            return None;
        }
        for (i, to) in load.to.iter().enumerate() {
            let Some(to) = *to else { continue };
            let offset = load.access.offset as usize + i * size;
            for part in 0..Self::PARTS {
                let low = self.frame_bits(offset, size.min(4), part);
                if size == 8 {
                    let high = self.frame_bits(offset + 4, 4, part);
                    let halves = [0, 1].map(|half| {
                        let d = self.extended_half(high, half, false);
                        self.two_with(V::Left64, d, d, 32);
                        let low = self.extended_half(low, half, false);
                        self.three(V::Or64, d, d, low);
                        self.release(low);
                        d
                    });
                    self.write_double(to, part, halves, load.keep, step.guard)?;
                } else {
                    let value = self.element(low, 0, size, load.signed, 4);
                    self.release(low);
                    self.write_masked(to, part, value, how, step.guard)?;
                }
                self.cache.unpin();
            }
        }
        Some(())
    }

    /// Emits a store to a constant offset in the frame.
    pub(in crate::emit) fn store_frame(&mut self, step: &Step, store: &Store) -> Option<()> {
        let size = usize::from(store.access.size);
        if store.from.len() != usize::from(store.access.count) {
            return None;
        }
        for (i, &from) in store.from.iter().enumerate() {
            let offset = store.access.offset as usize + i * size;
            for part in 0..Self::PARTS {
                let value = self.low_word(from, part)?;
                self.put_bits(value, offset, size.min(4), part, step.guard);
                self.cache.unpin();
                if size == 8 {
                    let value = self.high_word(from, part)?;
                    self.put_bits(value, offset + 4, 4, part, step.guard);
                    self.cache.unpin();
                }
            }
        }
        Some(())
    }

    /// A temporary register with the high 32 bits of a source, taken as 64 bits.
    fn high_word(&mut self, source: Source, part: u8) -> Option<Reg> {
        let mut halves = [Reg(0); 2];
        for (half, d) in (2 * part..).zip(&mut halves) {
            let a = self.whole_of(source, half)?;
            *d = self.unary_with(V::RightU64, a, 32);
        }
        B::low_halves(self, halves[0], halves);
        Some(halves[0])
    }

    /// Stores the low `size` bytes of a temporary to each lane from byte `offset` on.
    fn put_bits(&mut self, value: Reg, offset: usize, size: usize, part: u8, guard: Predicate) {
        let at_byte = offset % 4;
        let mask = (u64::MAX >> (64 - 8 * size)) << (8 * at_byte);
        if at_byte + size > 4 {
            let high = self.unary_with(V::RightU32, value, 32 - 8 * at_byte as u32);
            self.put_row(high, offset / 4 + 1, (mask >> 32) as u32, part, guard);
            self.release(high);
        }
        if at_byte != 0 {
            self.two_with(V::Left32, value, value, 8 * at_byte as u32);
        }
        self.put_row(value, offset / 4, mask as u32, part, guard);
    }

    /// Stores bits of a temporary to a register of local memory, in the active lanes whose guard is
    /// true.
    fn put_row(&mut self, value: Reg, word: usize, bits: u32, part: u8, guard: Predicate) {
        if self.mode == Mode::Some || guard != Predicate::Always || bits != u32::MAX {
            let old = self.of_frame(word, part);
            if bits != u32::MAX {
                let (these, others) = (self.number(bits), self.number(!bits));
                self.three(V::And32, value, value, these);
                let rest = self.binary(V::And32, old, others);
                self.three(V::Or32, value, value, rest);
                self.release(rest);
            }
            if let Predicate::If(i) | Predicate::Unless(i) = guard {
                let mask = self.mask(i, false, part);
                let if_set = matches!(guard, Predicate::If(_));
                let (a, b) = if if_set { (old, value) } else { (value, old) };
                B::blend(self, false, (value, a), b, mask);
            }
            if self.mode == Mode::Some {
                B::keep_inactive(self, part, value, old);
            }
            self.release(old);
        }
        let to = self.frame_row(word, part);
        self.store(to, value);
    }

    /// Emits a load from a constant offset in the parameters.
    pub(in crate::emit) fn load_param(&mut self, step: &Step, load: &Load) -> Option<()> {
        let size = usize::from(load.access.size);
        if load.to.len() != usize::from(load.access.count) {
            return None;
        }
        let code = match (size, load.signed) {
            (1, false) => C::Movzx_r32_rm8,
            (1, true) => C::Movsx_r64_rm8,
            (2, false) => C::Movzx_r32_rm16,
            (2, true) => C::Movsx_r64_rm16,
            (4, false) => C::Mov_r32_rm32,
            (4, true) => C::Movsxd_r64_rm32,
            _ => C::Mov_r64_rm64,
        };
        let number = sized(R::R12, load.signed || size == 8);
        for (i, to) in load.to.iter().enumerate() {
            let Some(to) = *to else { continue };
            if let VReg::Predicate(_) = to {
                return None;
            }
            let from = at(R::RAX, load.access.offset as usize + i * size);
            self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, at(R::RDI, Frame::BYTES)));
            self.asm.put(I::with2(code, number, from));
            if load.keep != u64::MAX {
                let keep = at(R::R9, self.pooled(&[load.keep]));
                self.asm.put(I::with2(C::And_r64_rm64, R::R12, keep));
            }
            self.put_number(to, step.guard)?;
        }
        Some(())
    }

    /// Extracts element `i` of `size` bytes (1, 2 or 4) from packed 32-bit values, into a
    /// temporary. Only the low `bytes` bytes of each value can be nonzero.
    pub(in crate::emit) fn element(
        &mut self,
        word: Reg,
        i: usize,
        size: usize,
        signed: bool,
        bytes: usize,
    ) -> Reg {
        let d = self.temporary();
        let first = 8 * (i * size % 4) as u32;
        let bits = 8 * size as u32;
        if size == 4 {
            self.two(V::Move, d, word);
        } else if signed {
            self.two_with(V::Left32, d, word, 32 - first - bits);
            self.two_with(V::RightS32, d, d, 32 - bits);
        } else {
            self.two_with(V::RightU32, d, word, first);
            if first + bits < 8 * bytes as u32 {
                self.keep_bits(d, (1 << bits) - 1);
            }
        }
        d
    }
}
