//! Membermasks of warp-level operations. The code exits unless the active lanes are exactly the
//! live lanes of the membermask.

use super::load::STORE;
use super::{Avx512Emitter, SCRATCH_MASK};
use crate::emit::asm::{Label, at};
use crate::emit::register_cache::Reg;
use crate::frame::Frame;
use crate::machine::Mode;
use crate::operand::{Predicate, Source};
use crate::region::ExitReason;
use crate::region::Step;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

pub(super) const COMPARE: C = C::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8;
/// The general register of the mask of executing lanes.
pub(super) const ACTIVE: R = R::EBP;
/// The scratch register of membermasks.
const ROW: usize = 0;

impl Avx512Emitter<'_> {
    /// See [`crate::emit::backend::Backend::members`].
    pub(super) fn members(&mut self, step: &Step, members: Option<Source>) -> Option<()> {
        let Some(members) = members else {
            self.active(step.guard);
            return Some(());
        };
        let all = self.mode == Mode::Live && step.guard == Predicate::Always;
        if let (true, Source::Literal(number)) = (all, members)
            && number as u32 == u32::MAX
        {
            self.active(step.guard);
            return Some(());
        }
        // All operands are loaded to registers before the first jump.
        let by_lane = super::memory::is_by_lane(members);
        let mut parts = Vec::new();
        if !matches!(members, Source::Literal(_)) {
            for part in 0..if by_lane { 2 } else { 1 } {
                parts.push(self.low_of(members, part)?);
            }
        }
        let (first, differs) = (self.temporary(), self.temporary_mask());
        self.active(step.guard);
        let out = self.exit_stub(ExitReason::Instruction, step.at);
        match (members, by_lane) {
            (Source::Literal(number), _) => {
                self.asm.put(I::with2(C::Mov_r32_imm32, R::EAX, number as u32));
            }
            (_, false) => {
                self.asm.put(I::with2(C::EVEX_Vmovd_rm32_xmm, R::EAX, parts[0].x()));
            }
            (_, true) => self.same_members(&parts, (first, differs), out),
        }
        self.asm.put(I::with2(C::And_r32_rm32, R::EAX, at(R::RDI, Frame::LIVE)));
        self.asm.put(I::with2(C::Cmp_r32_rm32, R::EAX, ACTIVE));
        self.asm.jump(C::Jne_rel32_64, out);
        self.cache.unpin();
        Some(())
    }

    /// Exits if the values of active lanes differ; otherwise `eax` has their common value.
    fn same_members(&mut self, parts: &[Reg], (first, differs): (Reg, Reg), out: Label) {
        for (part, reg) in parts.iter().enumerate() {
            let to = at(R::RDI, Frame::scratch(ROW) + 64 * part);
            self.asm.put(I::with2(STORE, to, reg.z()));
        }
        self.asm.put(I::with2(C::Tzcnt_r32_rm32, R::EAX, ACTIVE));
        let row = Frame::scratch(ROW) as i64;
        let lane = MemoryOperand::with_base_index_scale_displ_size(R::RDI, R::RAX, 4, row, 8);
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, lane));
        self.asm.put(I::with2(C::EVEX_Vpbroadcastd_zmm_k1z_r32, first.z(), R::EAX));
        for (k, part) in [(SCRATCH_MASK, 0), (differs.k(), 1)] {
            self.asm.put(I::with4(COMPARE, k, first.z(), parts[part].z(), 4_u32));
        }
        let has_both_modes = differs.k();
        self.asm.put(I::with3(
            C::VEX_Kunpckwd_kr_kr_kr,
            has_both_modes,
            has_both_modes,
            SCRATCH_MASK,
        ));
        self.asm.put(I::with2(C::VEX_Kmovd_r32_kr, R::R12D, has_both_modes));
        self.asm.put(I::with2(C::Test_rm32_r32, ACTIVE, R::R12D));
        self.asm.jump(C::Jne_rel32_64, out);
    }
}
