//! Accesses to the running function's frame in local memory, where byte `i` of each lane is in the
//! 32-bit register `i / 4`.

use super::operand::eighth_of_row;
use super::{Avx2, Avx2Emitter, MOVE, PARTS, SCRATCH, Vector};
use crate::emit::asm::at;
use crate::emit::backend::Primitives;
use crate::emit::register_cache::{Key, Reg};
use crate::emit::vector::Operand;
use crate::frame::Frame;
use crate::machine::Mode;
use crate::operand::{Predicate, Source, VReg};
use crate::region::{Load, Step, Store};
use iced_x86::{Code as C, Instruction as I, Register as R};

const OR: C = C::VEX_Vpor_ymm_ymm_ymmm256;
const LEFT: C = C::VEX_Vpslld_ymm_ymm_imm8;
const RIGHT: C = C::VEX_Vpsrld_ymm_ymm_imm8;

impl Avx2Emitter<'_> {
    /// Loads a part of a register of local memory to a temporary.
    fn frame_row(&mut self, word: usize, part: u8) -> Reg {
        let d = self.temporary();
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, at(R::RDI, Frame::FRAME)));
        self.two(MOVE, d, Operand::Memory(at(R::RAX, eighth_of_row(word, part))));
        d
    }

    /// Loads `size` bytes of each lane from byte `offset` on, zero-extended.
    fn frame_bits(&mut self, offset: usize, size: usize, part: u8) -> Reg {
        let d = self.frame_row(offset / 4, part);
        let shift = 8 * (offset % 4) as u32;
        if shift != 0 {
            self.two_with(RIGHT, d, d, shift);
            if offset % 4 + size > 4 {
                let next = self.frame_row(offset / 4 + 1, part);
                self.two_with(LEFT, next, next, 32 - shift);
                self.three(OR, d, d, next);
                self.release(next);
            }
        }
        d
    }

    /// Emits a load from a constant offset in the frame.
    pub(super) fn load_frame(&mut self, step: &Step, load: &Load) -> Option<()> {
        let (size, count) = (usize::from(load.access.size), usize::from(load.access.count));
        if load.to.len() != count {
            return None;
        }
        for (i, to) in load.to.iter().enumerate() {
            let Some(to) = *to else { continue };
            let offset = load.access.offset as usize + i * size;
            for part in 0..PARTS {
                if size == 8 {
                    self.load_frame_wide(load, to, offset, part, step.guard)?;
                } else {
                    let word = self.frame_bits(offset, size, part);
                    let value = self.element(word, 0, size, load.signed, 4);
                    self.release(word);
                    let how = (load.signed, load.keep);
                    self.write_masked(to, part, value, how, step.guard)?;
                }
                self.cache.unpin();
            }
        }
        Some(())
    }

    fn load_frame_wide(
        &mut self,
        load: &Load,
        to: VReg,
        offset: usize,
        part: u8,
        guard: Predicate,
    ) -> Option<()> {
        let (low, high) = (self.frame_bits(offset, 4, part), self.frame_bits(offset + 4, 4, part));
        let (a, b) = (self.temporary(), self.temporary());
        self.three(C::VEX_Vunpcklps_ymm_ymm_ymmm256, a, low, high);
        self.three(C::VEX_Vunpckhps_ymm_ymm_ymmm256, b, low, high);
        self.three_with(C::VEX_Vperm2i128_ymm_ymm_ymmm256_imm8, low, a, b, 0x20);
        self.three_with(C::VEX_Vperm2i128_ymm_ymm_ymmm256_imm8, high, a, b, 0x31);
        self.release(a);
        self.release(b);
        self.write_double(to, part, [low, high], load.keep, guard)
    }

    /// Emits a store to a constant offset in the frame.
    pub(super) fn store_frame(&mut self, step: &Step, store: &Store) -> Option<()> {
        let (size, count) = (usize::from(store.access.size), usize::from(store.access.count));
        if store.from.len() != count {
            return None;
        }
        for (i, &from) in store.from.iter().enumerate() {
            let offset = store.access.offset as usize + i * size;
            for part in 0..PARTS {
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

    /// The high 32 bits of a 64-bit source, or zeros for a 32-bit source, in a temporary.
    fn high_word(&mut self, source: Source, part: u8) -> Option<Reg> {
        let Some(a) = self.wide(source, 2 * part) else {
            let zero = self.number(0);
            return Some(self.unary(MOVE, zero));
        };
        let b = self.wide(source, 2 * part + 1)?;
        let d = self.temporary();
        self.three_with(C::VEX_Vshufps_ymm_ymm_ymmm256_imm8, d, a, b, 0b1101_1101);
        self.two_with(C::VEX_Vpermq_ymm_ymmm256_imm8, d, d, 0b1101_1000);
        Some(d)
    }

    /// Stores the low `size` bytes of a temporary to each lane from byte `offset` on.
    fn put_bits(&mut self, value: Reg, offset: usize, size: usize, part: u8, guard: Predicate) {
        let at_byte = offset % 4;
        let mask = (u64::MAX >> (64 - 8 * size)) << (8 * at_byte);
        if at_byte + size > 4 {
            let high = self.temporary();
            self.two_with(RIGHT, high, value, 32 - 8 * at_byte as u32);
            self.put_row(high, offset / 4 + 1, (mask >> 32) as u32, part, guard);
            self.release(high);
        }
        if at_byte != 0 {
            self.two_with(LEFT, value, value, 8 * at_byte as u32);
        }
        self.put_row(value, offset / 4, mask as u32, part, guard);
    }

    /// Stores bits of a temporary to a register of local memory, in the active lanes whose guard is
    /// true.
    fn put_row(&mut self, value: Reg, word: usize, bits: u32, part: u8, guard: Predicate) {
        let guard = self.guard(guard, part);
        let some = self.mode == Mode::Some;
        if some || guard.is_some() || bits != u32::MAX {
            let old = self.frame_row(word, part);
            if bits != u32::MAX {
                let (these, others) = (self.number(bits), self.number(!bits));
                self.three(C::VEX_Vpand_ymm_ymm_ymmm256, value, value, these);
                let rest = self.binary(C::VEX_Vpand_ymm_ymm_ymmm256, old, others);
                self.three(OR, value, value, rest);
                self.release(rest);
            }
            if let Some(mask) = guard {
                let (first, second) = if mask.not { (value, old) } else { (old, value) };
                Avx2::blend(self, false, (value, first), second, mask.reg);
            }
            if some {
                self.inactive_lanes(Key::B32(0, part));
                Avx2::blend(self, false, (value, value), old, SCRATCH);
            }
            self.release(old);
        }
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, at(R::RDI, Frame::FRAME)));
        let to = at(R::RAX, eighth_of_row(word, part));
        self.asm.put(I::with2(C::VEX_Vmovdqu_ymmm256_ymm, to, value.ymm()));
    }
}
