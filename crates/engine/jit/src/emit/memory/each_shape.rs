//! Code for each shape of addresses, with AVX-512, which has registers for the addresses of all
//! parts.

use super::access::MemAccess;
use super::shape::{CONTIGUOUS, Slot, UNIFORM, shape};
use crate::emit::Emitter;
use crate::emit::backend::Backend;
use crate::emit::base_groups::Member;
use iced_x86::{Code as C, Instruction as I, Register as R};

impl<B: Backend> Emitter<'_, B> {
    /// Tests the shape of the addresses, as [`Self::reach`] does, where all lanes are active, and
    /// emits separate code for each shape: `code` gets the shape, and ends with a jump. Execution
    /// falls through if the lanes are scattered. Only for AVX-512, where the addresses of all parts
    /// are in registers.
    pub(super) fn each_shape(
        &mut self,
        mem: &MemAccess,
        member: Option<Member>,
        same: bool,
        mut code: impl FnMut(&mut Self, u32),
    ) {
        let (slot, leads) = (Slot::of(member), member.is_none_or(|member| member.leads));
        let is_row = self.is_shared_row();
        let none = self.asm.label();
        let bases =
            Self::lane_base(mem).filter(|_| i32::try_from(mem.access.offset as i64).is_ok());
        if is_row {
            self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, R::R8D, -1), C::Jne_rel32_64, none);
        }
        for kind in [CONTIGUOUS, UNIFORM] {
            if kind == UNIFORM && (is_row || !same && (member.is_none() || !leads)) {
                continue;
            }
            let other = self.asm.label();
            match (member.filter(|_| !leads), bases) {
                (Some(member), _) => {
                    self.asm.put(I::with2(C::Cmp_rm32_imm8, shape(member.slot), kind));
                    self.asm.jump(C::Jne_rel32_64, other);
                    slot.load(self);
                }
                (None, Some(bases)) => {
                    let (apart, lanes) = match kind {
                        CONTIGUOUS => (mem.unit as u64, if is_row { 32 } else { B::LANES }),
                        _ => (0, 1),
                    };
                    if !is_row {
                        self.unless_like(mem, bases, apart, other);
                    }
                    let span = member.map_or(0, |member| member.span as usize);
                    self.limit_before(mem, (lanes - 1) * mem.total + span, none);
                    self.point(mem, member, is_row, none);
                    if let Some(member) = member {
                        self.asm.put(I::with2(C::Mov_rm32_imm32, shape(member.slot), kind));
                    }
                }
                (None, None) => return,
            }
            code(self, kind);
            self.asm.bind(other);
        }
        self.asm.bind(none);
    }
}
