//! Loads of a lane alone.

use super::compute::{ADD, Operand, SUB};
use super::places::{Home, Value, low};
use super::rename::Look;
use super::state::{FIRST, Lane, SECOND};
use crate::emit::Emitter;
use crate::emit::affine::Affine;
use crate::emit::backend::{Backend, site};
use crate::machine::Site;
use crate::operand::{Place, Source};
use crate::region::Load;
use iced_x86::{Code as C, Instruction as I, MemoryOperand};
use std::mem::offset_of;

impl<B: Backend> Emitter<'_, B> {
    pub(super) fn lane_loads_by_index(
        &mut self,
        lane: &Lane,
        load: &Load,
        value: Affine,
        look: Look,
    ) {
        let index = Source::Narrow(value.index);
        let mut index = self.of_lane(lane).bits_in(index, false, FIRST);
        if look.behind.is_none() {
            self.of_lane(lane).bring(false, FIRST, Operand::Register(index));
            index = FIRST;
            let plus = if value.plus.minus { &SUB } else { &ADD };
            let mut steps = self.of_lane(lane);
            let number = steps.bits(value.plus.number, false);
            steps.alu(plus, false, FIRST, number);
        }
        if let Some(covers) = look.covers {
            let below = match lane.places.get(Value::Below(look.site, covers)) {
                Some(Home::Stack(word)) => lane.word(word),
                _ => site(look.site, offset_of!(Site, indices)),
            };
            self.asm.put(I::with2(C::Cmp_r32_rm32, low(index), below));
            let vain = lane.vain;
            self.asm.jump(C::Jae_rel32_64, vain);
        }
        let origin = match lane.places.get(Value::Origin(look.site)) {
            Some(Home::General(register)) => register,
            Some(Home::Stack(word)) => {
                self.asm.put(I::with2(C::Mov_r64_rm64, SECOND, lane.word(word)));
                SECOND
            }
            Some(Home::Float(_)) | None => return self.asm.out_of_registers(),
        };
        let size = u32::from(load.access.size);
        let behind = i64::from(look.behind.unwrap_or(0) * size);
        let from = MemoryOperand::with_base_index_scale_displ_size(origin, index, size, behind, 1);
        self.lane_takes(lane, load, from);
    }

    pub(super) fn lane_loads(&mut self, lane: &Lane, load: &Load) {
        let access = &load.access;
        let Some(base) = access.base else { return };
        let base = self.of_lane(lane).bits_in(base, true, FIRST);
        let low_bits = i32::from(access.size) - 1;
        let vain = lane.vain;
        if low_bits != 0 {
            // Of a multiple as an offset the base says it.
            let rest = (access.offset % u64::from(access.size)) as i32;
            let mut tested = base;
            if rest != 0 {
                self.asm.put(I::with2(C::Mov_r64_rm64, SECOND, base));
                self.asm.put(I::with2(C::Add_rm64_imm32, SECOND, rest));
                tested = SECOND;
            }
            self.asm.put(I::with2(C::Test_rm32_imm32, low(tested), low_bits));
            self.asm.jump(C::Jne_rel32_64, vain);
        }
        self.of_lane(lane).bring(true, FIRST, Operand::Register(base));
        let field = |field| site(access.site, field);
        self.asm.put(I::with2(C::Add_r64_rm64, FIRST, field(offset_of!(Site, add))));
        self.asm.put(I::with2(C::Cmp_r64_rm64, FIRST, field(offset_of!(Site, limit))));
        self.asm.jump(C::Jae_rel32_64, vain);
        self.asm.put(I::with2(C::Mov_r64_rm64, SECOND, field(offset_of!(Site, host))));
        let from = MemoryOperand::with_base_index_scale(SECOND, FIRST, 1);
        self.lane_takes(lane, load, from);
    }

    /// What lies there becomes a register.
    fn lane_takes(&mut self, lane: &Lane, load: &Load, from: MemoryOperand) {
        let Some(to) = load.to.first().copied().flatten() else { return };
        let Some(home) = lane.places.get(Value::Of(to)) else { return };
        if let Home::Float(to) = home {
            let code =
                if load.access.size == 8 { C::VEX_Vmovsd_xmm_m64 } else { C::VEX_Vmovss_xmm_m32 };
            return self.asm.put(I::with2(code, to, from));
        }
        let work = if let Home::General(register) = home { register } else { FIRST };
        let wide = matches!(to, Place::Wide(_));
        let small = low(work);
        self.asm.put(match (load.access.size, load.signed, wide) {
            (1, false, _) => I::with2(C::Movzx_r32_rm8, small, from),
            (2, false, _) => I::with2(C::Movzx_r32_rm16, small, from),
            (1, true, false) => I::with2(C::Movsx_r32_rm8, small, from),
            (2, true, false) => I::with2(C::Movsx_r32_rm16, small, from),
            (1, true, true) => I::with2(C::Movsx_r64_rm8, work, from),
            (2, true, true) => I::with2(C::Movsx_r64_rm16, work, from),
            (4, true, true) => I::with2(C::Movsxd_r64_rm32, work, from),
            (4, _, _) => I::with2(C::Mov_r32_rm32, small, from),
            _ => I::with2(C::Mov_r64_rm64, work, from),
        });
        if !wide && load.keep as u32 != u32::MAX {
            self.asm.put(I::with2(C::And_rm32_imm32, small, load.keep as i32));
        }
        self.of_lane(lane).settle(to, work);
    }
}
