//! Loads of kernel parameters.

use super::{Avx2Emitter, PARTS, Vector};
use crate::emit::asm::at;
use crate::emit::register_cache::{Kind, Reg};
use crate::frame::Frame;
use crate::operand::{Predicate, VReg};
use crate::region::{Load, Step};
use iced_x86::{Code as C, Instruction as I, Register as R};

impl Avx2Emitter<'_> {
    /// Emits a load from a constant offset in the parameters.
    pub(super) fn load_param(&mut self, step: &Step, load: &Load) -> Option<()> {
        let (size, count) = (usize::from(load.access.size), usize::from(load.access.count));
        if load.to.len() != count {
            return None;
        }
        for (i, to) in load.to.iter().enumerate() {
            let Some(to) = *to else { continue };
            for part in 0..PARTS {
                let value = self.param_element(load, to, i * size);
                self.put_param(load, step.guard, to, part, value)?;
                self.cache.unpin();
            }
        }
        Some(())
    }

    /// Loads an element of the parameters, extends it, and broadcasts it.
    fn param_element(&mut self, load: &Load, to: VReg, offset: usize) -> Reg {
        let code = match (load.access.size, load.signed) {
            (1, false) => C::Movzx_r32_rm8,
            (1, true) => C::Movsx_r64_rm8,
            (2, false) => C::Movzx_r32_rm16,
            (2, true) => C::Movsx_r64_rm16,
            (4, false) => C::Mov_r32_rm32,
            (4, true) => C::Movsxd_r64_rm32,
            _ => C::Mov_r64_rm64,
        };
        let rax = if load.signed || load.access.size == 8 { R::RAX } else { R::EAX };
        let d = self.temporary();
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, at(R::RDI, Frame::BYTES)));
        let from = at(R::RAX, load.access.offset as usize + offset);
        self.asm.put(I::with2(code, rax, from));
        self.asm.put(I::with2(C::VEX_Vmovq_xmm_rm64, d.xmm(), R::RAX));
        let broadcast = match to {
            VReg::B64(_) => C::VEX_Vpbroadcastq_ymm_xmmm64,
            _ => C::VEX_Vpbroadcastd_ymm_xmmm32,
        };
        self.asm.put(I::with2(broadcast, d.ymm(), d.xmm()));
        d
    }

    fn put_param(
        &mut self,
        load: &Load,
        guard: Predicate,
        to: VReg,
        part: u8,
        value: Reg,
    ) -> Option<()> {
        match to {
            VReg::B32(i) => {
                self.keep_bits(value, load.keep as u32);
                self.write_narrow(i, part, value, Kind::BITS, guard);
            }
            VReg::B64(i) => {
                self.keep_wide(value, load.keep);
                let other = self.unary(super::MOVE, value);
                self.write_wide(i, 2 * part, value, guard);
                self.write_wide(i, 2 * part + 1, other, guard);
            }
            VReg::Predicate(_) => return None,
        }
        Some(())
    }
}
