//! Accesses that never exit: to the running function's frame, and to kernel parameters.

use super::load::{LOAD, STORE};
use super::memory::ACTIVE;
use super::pieces::Pieces;
use super::{Avx512, Avx512Emitter, SCRATCH};
use crate::emit::asm::at;
use crate::emit::backend::Primitives;
use crate::emit::register_cache::Kind;
use crate::frame::Frame;
use crate::machine::Mode;
use crate::operand::{Predicate, VReg};
use crate::region::{Load, Space, Step, Store};
use iced_x86::{Code as C, Instruction as I, Register as R};

impl Avx512Emitter<'_> {
    /// Emits a load from the frame or from the parameters.
    pub(super) fn unchecked_load(&mut self, load: &Load, guard: Predicate) -> Option<()> {
        if load.access.space == Space::Param && load.access.size == 8 {
            return self.wide_params(load, guard);
        }
        let pieces = Pieces::new(self, &load.access);
        let (access, offset) = (&load.access, load.access.offset as usize);
        let Pieces::Dwords(dwords) = &pieces else { return None };
        let field = if access.space == Space::Frame { Frame::FRAME } else { Frame::BYTES };
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, at(R::RDI, field)));
        for (i, piece) in dwords.iter().enumerate() {
            let total = usize::from(access.size * access.count);
            for (part, to) in piece.iter().enumerate() {
                if access.space == Space::Frame {
                    let row = at(R::RAX, (offset / 4 + i) * 128 + 64 * part);
                    self.asm.put(I::with2(LOAD, to.z(), row));
                    let shift = 8 * (offset % 4) as u32;
                    if shift != 0 && total < 4 {
                        let code = C::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8;
                        self.asm.put(I::with3(code, to.z(), to.z(), shift));
                    }
                } else if part == 1 {
                    self.asm.put(I::with2(super::load::MOVE, to.z(), piece[0].z()));
                } else if total >= 4 {
                    let from = at(R::RAX, offset + 4 * i);
                    self.asm.put(I::with2(C::EVEX_Vpbroadcastd_zmm_k1z_xmmm32, to.z(), from));
                } else {
                    let code = if total == 1 { C::Movzx_r32_rm8 } else { C::Movzx_r32_rm16 };
                    self.asm.put(I::with2(code, R::EBX, at(R::RAX, offset)));
                    self.asm.put(I::with2(C::EVEX_Vpbroadcastd_zmm_k1z_r32, to.z(), R::EBX));
                }
            }
        }
        self.take_elements(load, &pieces, guard)
    }

    /// Loads 64-bit parameters, and broadcasts them.
    fn wide_params(&mut self, load: &Load, guard: Predicate) -> Option<()> {
        let numbers = load.to.iter().take(load.access.count.into()).enumerate();
        for (i, to) in numbers.filter_map(|(i, to)| Some((i, (*to)?))) {
            let from = at(R::RAX, load.access.offset as usize + 8 * i);
            let parts = if let VReg::B64(_) = to { 4 } else { 2 };
            for part in 0..parts {
                let value = self.temporary();
                self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, at(R::RDI, Frame::BYTES)));
                if let VReg::B32(to) = to {
                    let spread = C::EVEX_Vpbroadcastd_zmm_k1z_xmmm32;
                    self.asm.put(I::with2(spread, value.z(), from));
                    self.keep_bits(value, load.keep as u32);
                    self.write_narrow(to, part, value, Kind::BITS, guard);
                } else if let VReg::B64(to) = to {
                    let spread = C::EVEX_Vpbroadcastq_zmm_k1z_xmmm64;
                    self.asm.put(I::with2(spread, value.z(), from));
                    self.keep_wide(value, load.keep);
                    self.write_wide(to, part, value, guard);
                } else {
                    return None;
                }
            }
        }
        Some(())
    }

    /// Emits a store to the frame.
    pub(super) fn unchecked_store(&mut self, step: &Step, store: &Store) -> Option<()> {
        let (access, offset) = (&store.access, store.access.offset as usize);
        let Pieces::Dwords(dwords) = self.make_pieces(store)? else { return None };
        let all = self.mode == Mode::Live && step.guard == Predicate::Always;
        let (k, scratch) = (self.temporary_mask(), self.temporary());
        if !all {
            self.active(step.guard);
            self.asm.put(I::with2(C::VEX_Kmovd_kr_r32, k.k(), ACTIVE));
        }
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, at(R::RDI, Frame::FRAME)));
        let total = usize::from(access.size) * usize::from(access.count);
        for (i, piece) in dwords.iter().enumerate() {
            for (part, &from) in piece.iter().enumerate() {
                let row = at(R::RAX, (offset / 4 + i) * 128 + 64 * part);
                let mut value = from;
                if total < 4 {
                    // The element is a part of 4 bytes, whose other bits are preserved.
                    let shift = 8 * (offset % 4) as u32;
                    let bits = (u32::MAX >> (32 - 8 * total)) << shift;
                    self.asm.put(I::with2(LOAD, scratch.z(), row));
                    let code = C::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8;
                    self.asm.put(I::with3(code, SCRATCH.z(), from.z(), shift));
                    let bits = self.number(bits);
                    // Selects bits of the old value where the mask is zero, else of the stored
                    // value.
                    let select = C::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8;
                    self.three_with(select, scratch.z(), SCRATCH, bits, 0xd8);
                    value = scratch;
                }
                if !all {
                    // A masked store would delay later loads of the value, because it cannot be
                    // forwarded to them.
                    let lanes = Avx512::mask_of(self, k, false, part as u8);
                    self.asm.put(I::with2(LOAD, SCRATCH.z(), row));
                    Avx512::blend(self, false, (SCRATCH, SCRATCH), value, lanes);
                    value = SCRATCH;
                }
                self.asm.put(I::with2(STORE, row, value.z()));
            }
        }
        Some(())
    }
}
