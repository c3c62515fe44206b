//! The address and the offset of a single lane, in general registers.

use super::access::{Base, LaneBase, MemAccess, low_8, low_32};
use crate::emit::Emitter;
use crate::emit::asm::{J, Label, with_index};
use crate::emit::backend::{Backend, site};
use crate::emit::register_cache::Key;
use crate::emit::vector::register_file;
use crate::ir::Space;
use crate::machine::Site;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};
use std::mem::offset_of;

impl<B: Backend> Emitter<'_, B> {
    /// Loads the base of lane `ebp` into `rax`.
    pub(super) fn base_of_lane(&mut self, mem: &MemAccess) {
        match mem.base {
            Base::None | Base::One(..) => self.uniform_base(mem),
            Base::Lanes(LaneBase { row, wide: false, .. }) => {
                self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, with_index(row, R::RBP, 4)));
            }
            Base::Lanes(LaneBase { row, .. }) => {
                self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, with_index(row, R::RBP, 8)));
            }
            Base::Affine(value) => {
                let row = with_index(register_file::<B>(Key::B32(value.index, 0)), R::RBP, 4);
                self.asm.put(I::with2(C::Mov_r32_rm32, R::R12D, row));
                self.add_addend(value.addend, R::R12D, R::RAX);
                self.base_of_index(value, R::R12);
            }
        }
    }

    /// Adds the constant offset of the access to a base. May use `r12`.
    fn add_offset(&mut self, mem: &MemAccess, to: R) {
        let offset = mem.access.offset;
        if offset == 0 {
            return;
        }
        if let Base::Lanes(LaneBase { wide: false, .. }) | Base::One(_, false) = mem.base {
            return self.asm.put(I::with2(C::Add_rm32_imm32, low_32(to), offset as i32));
        }
        match i32::try_from(offset as i64) {
            Ok(offset) => self.asm.put(I::with2(C::Add_rm64_imm32, to, offset)),
            Err(_) => {
                self.asm.put(I::with2(C::Mov_r64_imm64, R::R12, offset));
                self.asm.put(I::with2(C::Add_r64_rm64, to, R::R12));
            }
        }
    }

    /// Turns a base into the offset in the allocation. Jumps to `out` if the address is misaligned.
    pub(super) fn offset_from_base(&mut self, mem: &MemAccess, to: R, out: Option<Label>) {
        let global = mem.access.space == Space::Global;
        let aligned = mem.access.offset.is_multiple_of(mem.total as u64);
        if !(global && aligned) {
            self.add_offset(mem, to);
        }
        if let Some(out) = out
            && mem.total > 1
        {
            self.asm.put(I::with2(C::Test_rm8_imm8, low_8(to), mem.total as u32 - 1));
            self.asm.jump(J::NE, out);
        }
        if global {
            let add = site(mem.access.site, offset_of!(Site, add));
            self.asm.put(I::with2(C::Add_r64_rm64, to, add));
            if !aligned {
                // `Site::add` includes the constant offset as well. Without a base, the address is
                // misaligned, so that the code is not reached.
                self.asm.put(I::with2(C::Sub_rm64_imm32, to, mem.access.offset as i32));
            }
        }
    }

    /// Loads the offset of lane `ebp` into `rax`; exits if it is out of bounds.
    pub(super) fn checked_offset(&mut self, mem: &MemAccess) {
        self.base_of_lane(mem);
        self.offset_from_base(mem, R::RAX, Some(mem.out));
        let limit = self.limit(mem);
        self.asm.jump_if(I::with2(C::Cmp_r64_rm64, R::RAX, limit), J::AE, mem.out);
    }

    /// Turns the offset in `rax` into the host address for lane `ebp`.
    pub(super) fn address_from_offset(&mut self, mem: &MemAccess) {
        if mem.access.space == Space::Local {
            // Local memory is interleaved: 4 bytes of each of the 32 lanes.
            self.asm.put(I::with2(C::Mov_r32_rm32, R::R12D, R::EAX));
            self.asm.put(I::with2(C::And_rm32_imm8, R::R12D, 3));
            self.asm.put(I::with2(C::Shr_rm64_imm8, R::RAX, 2));
            self.asm.put(I::with2(C::Shl_rm64_imm8, R::RAX, 7));
            let word = MemoryOperand::with_base_index_scale(R::R12, R::RBP, 4);
            self.asm.put(I::with2(C::Lea_r64_m, R::R12, word));
            self.asm.put(I::with2(C::Add_r64_rm64, R::RAX, R::R12));
        }
        self.asm.put(I::with2(C::Add_r64_rm64, R::RAX, self.origin(mem)));
    }
}
